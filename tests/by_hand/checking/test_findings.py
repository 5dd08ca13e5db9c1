"""What a check found: an outcome, never a mere yes or no."""

import pytest

from glassformer.by_hand.check import check_text


def test_a_report_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"report\.outcome"):
        assert check_text("1 + 1 = 2")
    assert check_text("1 + 1 = 2").outcome == "fine"
    assert check_text("[2, 5] / 3 = [0.66, 1.66]").outcome_for(strict=True) == "wrong"
