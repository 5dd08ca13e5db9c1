"""How one number comes about, spelled out."""

import pytest
from helpers.formulas import evaluator, scope_of, tree

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.spelling import Spelling, decimals_of, number


def test_no_arithmetic_is_shown_with_a_name_that_was_given_anew() -> None:
    report = check_text("w = [0.50, 0.20]\n\ng = [0.40, 0.80]\n\nw = w - 0.25 g = [0.45, 0.00]\n")
    (finding,) = report.findings
    assert (finding.printed, finding.right) == ("0.45", "0.40")
    assert "0.3" not in finding.arithmetic


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("[[0, 1], [2, 3]] [[1, 5], [0, 7]]", (0, 0), "0×1 + 1×0 = 0"),
        ("[[0, 1], [2, 3]] [[1, 5], [0, 7]]", (1, 1), "2×5 + 3×7 = 31"),
        ("softmax([0, 1])", (0, 1), "e^1 / (e^0 + e^1) = 0.7311"),
        ("[3, 4] [[1], [1]] / √4", (0, 0), "(3×1 + 4×1) / √4 = 3.5"),
        ("2 + (-5)", (0, 0), "2 + (-5) = -3"),
        ("√9", (0, 0), "√9 = 3"),
    ],
)
def test_one_number_as_on_paper(text: str, place: tuple[int, int], said: str) -> None:
    assert Spelling(evaluator()).at(tree(text), *place) == said


def test_a_name_says_where_its_number_stands_and_a_number_has_no_idle_zeros() -> None:
    assert Spelling(evaluator(scope_of(Q=[[1, 2]]))).at(tree("Q"), 0, 1, "line 3") == "line 3 has 2"
    assert [number(value) for value in (2.5, -0.0, 1e-9, float("-inf"))] == ["2.5", "0", "1e-09", "−∞"]
    assert decimals_of(tree("0.123456 + 1.5")) == 6
