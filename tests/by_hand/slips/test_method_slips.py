"""Slips of method: another expression was worked out than the one meant."""

import pytest
from helpers.formulas import scene, scope_of

from glassformer.by_hand.slips import causes
from glassformer.by_hand.slips.method_slips import method_slips

GIVEN = {"Q": [[1, 2], [3, 5]], "K": [[2, 0], [1, 1]], "V": [[7, 1], [2, 3]], "d": 4}


@pytest.mark.parametrize(
    ("expected", "printed", "cause"),
    [
        ("Q K^T / √d", "[[2, 3], [6, 8]]", causes.NOT_SCALED),
        ("Q K^T / √d", "[[0.50, 0.75], [1.50, 2.00]]", causes.SCALED_BY_D),
        ("Q K^T / √d", "[[4, 6], [12, 16]]", causes.SCALED_UP),
        ("Q K^T", "[[5, 13], [13, 34]]", causes.Q_Q),
        ("Q K^T", "[[4, 2], [2, 2]]", causes.K_K),
        ("Q K^T", "[[4, 2], [11, 5]]", causes.TURNED),
        ("relu(Q − 2)", "[[-1, 0], [1, 3]]", causes.NO_RELU),
        ("softmax([1, 3])", "[1, 3]", causes.NO_SOFTMAX),
        ("softmax([0, 1])", "[1.00, 2.72]", causes.NO_SUM),
        ("softmax([1, 3])", "[0.25, 0.75]", causes.NO_EXP),
    ],
)
def test_a_slip_is_named_that_gives_every_number(expected: str, printed: str, cause: str) -> None:
    assert next(method_slips(scene(expected, printed, scope_of(**GIVEN)))) == cause


def test_one_number_that_it_does_not_give_clears_a_slip() -> None:
    assert causes.NOT_SCALED not in list(method_slips(scene("Q K^T / √d", "[[2, 3], [6, 9]]", scope_of(**GIVEN))))
