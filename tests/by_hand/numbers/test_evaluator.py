"""Expressions worked out from numbers on the page and names already known."""

import numpy as np
import pytest
from helpers.formulas import evaluator, middle, scope_of, tree

from glassformer.by_hand.check import check_text
from glassformer.by_hand.numbers.conventions import Convention
from glassformer.by_hand.numbers.evaluator import print_halves, printed_value
from glassformer.by_hand.numbers.intervals import GENEROUS
from glassformer.by_hand.numbers.scope import UnknownError, UnknownNameError

X = scope_of(Q=[[1, 2]], K=[[3, 5], [7, 11]], d=4)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2 · 3 + 5", [[11]]),
        ("Q K^T", [[13, 29]]),
        ("Q K^T / √d", [[6.5, 14.5]]),
        ("[1, 2] · [3, 5]", [[13]]),
        ("-(2^3)", [[-8]]),
        ("relu([1, -2])", [[1, 0]]),
    ],
)
def test_by_pencil(text: str, wanted: list[list[float]]) -> None:
    assert middle(evaluator(X)(tree(text))) == wanted


def test_what_went_in_is_noted() -> None:
    work = evaluator(X)
    work(tree("Q K^T"))
    assert work.looked_up == {"Q", "K"}
    assert len(work.used) == 2


def test_what_nothing_is_known_of_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'Z'"):
        evaluator(X)(tree("Q Z"))
    with pytest.raises(UnknownError, match="inverse of a matrix"):
        evaluator(X)(tree("K^{-1}", "math"))


def test_a_convention_is_followed() -> None:
    assert middle(evaluator()(tree("log(8)")))[0][0] == pytest.approx(np.log(8))
    assert middle(evaluator(convention=Convention(base=2.0))(tree("log(8)"))) == [[3]]


def test_a_printed_number_has_the_room_of_its_rounding() -> None:
    value = printed_value(tree("[0.25, 2]"), given=True)
    assert (value.low[GENEROUS].round(9).tolist(), value.high[GENEROUS].round(9).tolist()) == (
        [[0.245, 1.995]], [[0.255, 2.005]]
    )  # fmt: skip
    numbers = [entry for row in tree("[0.25, 2]").rows for entry in row]  # type: ignore[union-attr]
    assert print_halves(numbers) == [0.005, 0.005]
    assert print_halves(numbers[1:]) == [0.0]


def test_a_softmax_of_one_number_is_its_share_among_others() -> None:
    notes = "softmax(10) = 22026.5 / 22027.5 = 0.99995\n"
    assert [side.printed for side in check_text(notes).findings] == []
    report = check_text("softmax(10) = 0.7\n\nx = 2.1\n\nsoftmax(x) = 0.659\n")
    assert (report.findings, report.coverage.checked) == ([], 0)


@pytest.mark.parametrize(("root", "checked"), [("√(σ² + ε)", 6), ("√(σ²)", 6), ("√(σ² + τ)", 2)])
def test_next_to_nothing_under_a_root(root: str, checked: int) -> None:
    notes = "x = [2, 4, 6, 8]\n\nμ = (2 + 4 + 6 + 8)/4 = 5\n\nσ² = (9 + 1 + 1 + 9)/4 = 5\n\n"
    notes += f"y = (x - μ)/{root} = [-1.34, -0.45, 0.45, 1.34]\n"
    report = check_text(notes)
    assert (report.findings, report.coverage.checked) == ([], checked)
    assert len(check_text(notes.replace("0.45, 1.34", "0.45, 1.84")).findings) == (checked > 2)
