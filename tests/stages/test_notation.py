"""Numbers as they are written for a person."""

import math

import numpy as np
import pytest

from glassformer.stages import notation


@pytest.mark.parametrize(
    ("number", "text"),
    [(1.5, "1.5"), (-2.0, "−2"), (1 / 3, "0.333"), (-1e-17, "−1e-17".replace("-17", "−17")), (0.0, "0"),
     (12345678.0, "1.23e7"), (0.0004, "4e−4"), (-math.inf, "−∞"), (math.nan, "nan")],
)  # fmt: skip
def test_three_decimals_for_the_eye(number: float, text: str) -> None:
    assert notation.plain(3)(number) == text


def test_a_matrix_has_as_few_decimals_as_show_all_of_it() -> None:
    assert notation.decimals_needed(np.array([1.0, -2.0]), 4) == 0
    assert notation.decimals_needed(np.array([0.5, 0.25, math.inf]), 4) == 2
    assert notation.decimals_needed(np.array([1 / 3]), 4) == 4
    assert notation.decimals_needed(np.array([0.1 + 0.2]), 4) == 1  # 0.30000000000000004 is 0.3 on paper


def test_what_so_many_decimals_would_not_show_has_a_power_of_ten() -> None:
    assert notation.aligned(0.5, 2, 3) == "0.50"
    assert notation.aligned(0.004, 2, 3) == "4e−3"
    assert notation.aligned(0.0, 2, 3) == "0.00"
    assert notation.is_tiny(0.0049, 2)
    assert not notation.is_tiny(0.005, 2)
    assert (notation.below(3), notation.below(2, negative=True)) == ("<0.001", ">−0.01")


def test_noise_is_told_from_numbers() -> None:
    assert notation.without_noise(np.array([1e-13, -2.0, 1e-11])).tolist() == [0.0, -2.0, 1e-11]
    assert not notation.is_rounded(0.1 + 0.2, 1)
    assert notation.is_rounded(0.25, 1)


def test_a_shape() -> None:
    assert notation.shape((3, 2, 5)) == "3 × 2 × 5"
