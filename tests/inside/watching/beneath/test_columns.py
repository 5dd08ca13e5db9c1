"""Numbers that a layer makes of each row: which of them may come to weigh rows, and which only are columns."""

from typing import Any

import pytest
import torch
from helpers.hidden_attention import rows
from helpers.several_gates import NO_GATES, SEVERAL_GATES
from helpers.watching import watched

from glassformer.inside.watching.beneath.columns import (
    adds_rows_up,
    among_columns,
    as_it_lies,
    columns_kept,
    gates_begun,
    gates_joined,
    gates_kept,
    singles_kept,
)  # fmt: skip
from glassformer.inside.watching.beneath.lying import column_of
from glassformer.inside.watching.beneath.marks import Carried, WeightMark

ROWS = torch.zeros(2, 7, 3)
COLUMNS = WeightMark(1, "columns", "mm", frozenset((3,)), axis=-1)


def kinds(marks: set[WeightMark]) -> set[str]:
    return {mark.kind for mark in marks}


@pytest.mark.parametrize("how", ["with", "without", "inference"])
@pytest.mark.parametrize("name", SEVERAL_GATES)
def test_numbers_that_add_up_rows_are_never_vouched_for(name: str, how: str) -> None:
    torch.manual_seed(0)
    modes: dict[str, Any] = {"with": torch.enable_grad, "without": torch.no_grad, "inference": torch.inference_mode}
    with modes[how]():
        seen = watched(SEVERAL_GATES[name]().eval(), rows())
    assert seen.verdict in ("some not seen", "cannot tell") or seen.honest, seen.sentences


@pytest.mark.parametrize("name", NO_GATES)
def test_columns_that_add_up_no_rows_raise_no_alarm(name: str) -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        seen = watched(NO_GATES[name]().eval(), rows())
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


def test_one_column_is_one_number_for_each_row_where_it_lies() -> None:
    (single,) = columns_kept("select", COLUMNS, Carried(ROWS), ROWS[..., 1])
    assert (single.kind, single.spread) == ("single", column_of(ROWS[..., 1]))
    marks = frozenset((single,))
    assert as_it_lies(Carried(ROWS[..., 1], marks)) == marks
    assert as_it_lies(Carried(ROWS, marks)) == frozenset()  # all of them
    alike = ROWS.flatten()[:14].view(2, 7)  # as many numbers, and neighbours
    assert as_it_lies(Carried(alike, marks)) == frozenset()


def test_a_column_beside_others_is_a_column_again() -> None:
    single = WeightMark(1, "single", "mm")
    one = ROWS[..., 1]
    assert among_columns(single, one, torch.stack([one, one], -1))
    assert not among_columns(single, one, torch.stack([one, one], 1))
    assert gates_joined(single, torch.zeros(2, 7, 2)).lengths == {2}


def test_bent_columns_are_gates_and_a_product_along_their_rows_adds_these_up() -> None:
    (gate,) = gates_begun("sigmoid", Carried(ROWS, frozenset((COLUMNS,))), ROWS)
    assert gates_begun("mul", Carried(ROWS, frozenset((COLUMNS,))), ROWS) == set()
    gates, other = Carried(ROWS), Carried(torch.zeros(2, 7, 5))
    turned = Carried(ROWS.mT)
    assert adds_rows_up([turned, other], turned, gate)
    assert not adds_rows_up([gates, Carried(torch.zeros(2, 3, 5))], gates, gate)
    assert not adds_rows_up([turned, gates], turned, gate)  # moments
    split = Carried(ROWS.view(2, 7, 3, 1))
    assert not adds_rows_up([split, other], split, gate)


def test_gates_that_are_laid_across_rows_know_their_own_rows() -> None:
    (gate,) = gates_begun("sigmoid", Carried(ROWS, frozenset((COLUMNS,))), ROWS)
    across, whole = ROWS[..., None], torch.zeros(2, 7, 3, 5)
    (fanned,) = gates_kept("mul", gate, Carried(across), [Carried(whole)], whole)
    assert (fanned.kind, fanned.lengths) == ("fanned", {-3, -4})
    assert kinds(gates_kept("mul", gate, Carried(ROWS), [Carried(ROWS)], ROWS)) == {"gates"}
    assert gates_kept("sum", gate, Carried(ROWS), [], torch.zeros(2, 3)) == set()


def test_one_number_for_each_row_is_a_gate_where_it_is_laid_across_rows() -> None:
    single, one, whole = WeightMark(1, "single", "mm", axis=-1), Carried(ROWS[..., :1]), Carried(ROWS)
    assert kinds(singles_kept("mul", single, one, [whole], ROWS)) == {"gated"}
    assert kinds(singles_kept("mul", single, one, [], ROWS[..., :1])) == {"single"}


def test_one_number_that_was_spread_out_is_a_gate_of_rows_as_large() -> None:
    single, one, whole = WeightMark(1, "single", "mm"), Carried(ROWS[..., :1]), Carried(ROWS)
    (spread,) = singles_kept("expand", single, one, [], ROWS)
    assert (spread.across, spread.lengths, spread.axis) == (True, {3}, -1)
    assert kinds(singles_kept("mul", spread, Carried(ROWS[..., :1].expand(2, 7, 3)), [whole], ROWS)) == {"gated"}
    assert kinds(singles_kept("mul", spread, one, [one], ROWS[..., :1])) == {"single"}  # as it was before
