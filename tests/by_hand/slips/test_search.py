"""Why a number is wrong: the first slip that reproduces it, or none."""

import numpy as np
import pytest
from helpers.formulas import scene, scope_of, tree

from glassformer.by_hand.check import check_text
from glassformer.by_hand.grammar.expressions import Matrix
from glassformer.by_hand.slips import causes
from glassformer.by_hand.slips.search import by_rows, find_cause, other_function, said_otherwise, same_rows


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("relu([1, -2] + [3, 1]) = [4, -1]", "ReLU left out"),
        ("[[1, 2], [3, 4]] · [[1, 0], [0, 2]] = [[4, 1], [3, 8]]", "two entries exchanged"),
        ("[1, 2] · [[100, 21], [1, 2.5]] = [102, 62]", "digits swapped"),
        ("2.04 + 2.19 = 3.24", "digits swapped"),
        ("0.04 × 0.8 = 0.32", "decimal point moved"),
        ("(9 + 1 + 1 + 9) / 4 = 4", None),
        ("2 × 0.5 + 3 = 5", None),
    ],
)
def test_causes(line: str, cause: str | None) -> None:
    first = check_text(line).findings[0]
    assert first.cause == cause


def test_of_one_wrong_number_the_pen_is_asked_first_and_of_many_the_method() -> None:
    given = scope_of(Q=[[1, 2], [3, 5]], K=[[2, 0], [1, 1]], d=4)
    assert find_cause(scene("5 · 7", "53")) == causes.DIGITS
    assert find_cause(scene("Q K^T / √d", "[[2, 3], [6, 8]]", given)) == causes.NOT_SCALED
    assert find_cause(scene("5 · 7", "48")) is None


def test_a_function_that_is_named_and_another_that_is_meant() -> None:
    said = tree("sigmoid(Q) V")
    found = said_otherwise(said, lambda node: node.key == "softmax(Q) · V")
    assert found is not None
    assert found[0] == "sigmoid is named, but the numbers are those of softmax"
    assert other_function(said, found[1]) == found[0]
    assert other_function(said, tree("softmax(K) V")) is None


def test_a_row_that_stands_elsewhere_number_for_number() -> None:
    literal, other = tree("[[1, 2, 3], [5, 7, 11]]"), tree("[5, 7, 11]")
    wrong = np.array([[False] * 3, [True, True, False]])
    assert isinstance(other, Matrix)
    assert list(same_rows(literal, wrong, by_rows([other]))) == [other]
    assert list(same_rows(literal, wrong & [True, False, False], by_rows([other]))) == []  # one entry proves nothing
