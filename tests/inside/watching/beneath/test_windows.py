"""Numbers that weigh rows without a product of rows: what begins, by the sizes of what meets."""

from collections.abc import Iterable

import pytest
import torch
from helpers.fits_in_a_loop import IN_A_LOOP, NO_LOOP
from helpers.watching import draw, watched
from torch import Tensor

from glassformer.inside.watching.beneath.lying import own_size, repeated_along
from glassformer.inside.watching.beneath.marks import Carried, WeightMark
from glassformer.inside.watching.beneath.windows import (
    GATED,
    LAID,
    are_shares,
    blended,
    faced,
    filtered,
    fits_kept,
    fitted_rows,
    layered,
    placed,
    summed_up,
    windows,
)


def new(kind: str, name: str, lengths: Iterable[int] = ()) -> WeightMark:
    return WeightMark(1, kind, name, frozenset(lengths))


def carried(tensor: Tensor, *kinds: str, fixed: bool = False, learned: bool = False) -> Carried:
    return Carried(tensor, frozenset(new(kind, "made") for kind in kinds), fixed=fixed, learned=learned)


def test_numbers_that_are_the_same_again_are_not_counted() -> None:
    assert own_size(torch.zeros(2, 1, 5).expand(2, 7, 5)) == 10
    assert repeated_along(torch.zeros(7, 1), torch.zeros(2, 7, 5)) == {-1, -3}
    assert repeated_along(torch.zeros(2, 1, 5).expand(2, 7, 5), torch.zeros(2, 7, 5)) == {-2}


def test_one_number_of_a_row_against_all_places_is_a_window() -> None:
    one, places, apart = torch.zeros(2, 7, 1), torch.arange(7.0), torch.zeros(2, 7, 7)
    single = carried(one, "single")
    assert {mark.kind for mark in placed(new, "sub", [carried(places, fixed=True), single], apart)} == {"fit"}
    assert not placed(new, "sub", [carried(places, fixed=True, learned=True), single], apart)  # a layer's own
    assert not placed(new, "sub", [carried(one, "columns"), carried(places, fixed=True)], apart)
    assert not placed(new, "mul", [carried(places, fixed=True), single], apart)  # frequencies of a time


def test_numbers_across_neighbours_may_weigh_them() -> None:
    sides, numbers = torch.zeros(2, 5, 3, 4), torch.zeros(2, 5, 1, 4)
    (begun,) = windows(new, "unfold", [carried(torch.zeros(2, 8, 3))], sides)
    assert (begun.kind, begun.lengths) == ("windows", {4})
    side = Carried(sides, frozenset((begun,)))
    (met,) = windows(new, "mul", [side, carried(numbers)], sides)
    assert (met.kind, met.lengths) == ("windowed", {4})
    assert not windows(new, "mul", [side, carried(numbers, fixed=True)], sides)
    assert not windows(new, "mul", [side, carried(numbers, "weights")], sides)  # followed as such
    assert are_shares(carried(numbers, "weights"))


def test_filters_that_were_scores() -> None:
    rows, scores = carried(torch.zeros(1, 7, 5)), carried(torch.zeros(7, 7, 1), "product")
    assert filtered([rows, scores]) == [("made", LAID)]
    assert filtered([rows, scores._replace(fixed=True)]) == []


def test_sums_of_logarithms_of_pairs_that_become_numbers_again() -> None:
    (blend,) = summed_up(new, "logsumexp", [carried(torch.zeros(3), "pair")])
    assert not summed_up(new, "logsumexp", [carried(torch.zeros(3), "product")])
    assert blended(frozenset((blend,))) == [("logsumexp", LAID)]


@pytest.mark.parametrize("n_texts", [1, 2])
@pytest.mark.parametrize("name", IN_A_LOOP)
def test_rows_added_one_by_one_by_how_well_they_fit_are_not_vouched_for(name: str, n_texts: int) -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        seen = watched(IN_A_LOOP[name]().eval(), draw(n_texts, 5, 16))
    assert seen.verdict in ("cannot tell", "some not seen"), seen.sentences
    assert not seen.honest


@pytest.mark.parametrize("name", NO_LOOP)
def test_norms_and_answers_to_the_same_row_raise_no_alarm(name: str) -> None:
    torch.manual_seed(0)
    with torch.no_grad():
        seen = watched(NO_LOOP[name]().eval(), draw(2, 5, 16))
    assert (seen.verdict, seen.calls) == ("all seen", []), seen.sentences


def test_rows_beside_one_row_are_said_to_fit_once_their_columns_are_gone() -> None:
    queries, key = torch.zeros(2, 7, 3), torch.zeros(2, 1, 3)
    lots = [Carried(queries, root=1), Carried(key, root=2)]
    (facing,) = faced(new, "mul", lots, queries)
    assert (facing.kind, facing.spread) == ("facing", {1, 2})
    assert not faced(new, "mul", [lots[0], Carried(queries[..., :1], root=2)], queries)  # a gate
    assert not faced(new, "add", [lots[0], Carried(queries, root=2)], queries)  # row by row
    (fitting,) = fits_kept("sum", facing, Carried(queries), [], queries[..., 0])
    assert fitting.kind == "fitting"
    assert not fits_kept("sum", facing, Carried(queries), [], queries[:, 0])  # along the rows
    assert {m.kind for m in layered(new, "mm", [Carried(queries, frozenset((facing,))), carried(key, fixed=True)],
                                    queries[..., :1])} == {"fitting"}  # fmt: skip


def test_rows_that_fit_are_doubted_where_several_of_one_loop_are_added_and_their_own_norm_is_not() -> None:
    fit, rows = WeightMark(1, "fitting", "mul", spread="loop"), torch.zeros(2, 7, 3)
    number = Carried(rows[..., :1])
    one, other = (fits_kept("mul", fit, number, [Carried(rows, source=place)], rows) for place in "ab")
    assert fitted_rows("add", [one, other], []) == [("mul", GATED)]
    assert fitted_rows("add", [one, one], []) == []
    assert fitted_rows("sum", [one | other], [rows, [0]]) == [("mul", GATED)]
    assert fitted_rows("sum", [one | other], [rows, [-1]]) == []
    assert not fits_kept("mul", fit, number, [Carried(rows, frozenset((fit,)))], rows)  # its own number
