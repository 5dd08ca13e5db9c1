"""The functions that notes name, over intervals."""

import math

import numpy as np
import pytest
from helpers.formulas import middle

from glassformer.by_hand.numbers.conventions import PLAIN, Ambiguities, Convention
from glassformer.by_hand.numbers.functions import apply
from glassformer.by_hand.numbers.intervals import exactly
from glassformer.by_hand.numbers.scope import UnknownError


def of(function: str, numbers: list[list[float]], **convention: object) -> list[list[float]]:
    return middle(apply(function, exactly(np.array(numbers)), Convention(**convention), Ambiguities()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "numbers", "wanted"),
    [
        ("sqrt", [[4, 9]], [[2, 3]]),
        ("shares", [[1, 3]], [[0.25, 0.75]]),
        ("norm", [[3, 4]], [[5]]),
        ("softmax", [[0, math.log(3)]], [[0.25, 0.75]]),
        ("softmax", [[0], [math.log(3)]], [[0.25], [0.75]]),  # a column of scores
        ("column softmax", [[0, 0], [math.log(3), 0]], [[0.25, 0.5], [0.75, 0.5]]),
        ("mean", [[1, 2, 6]], [[3]]),
        ("sum", [[1, 2], [3, 5]], [[3], [8]]),
        ("min", [[2, -7]], [[-7]]),
        ("variance", [[1, 3]], [[1]]),
        ("layernorm", [[1, 3]], [[-1, 1]]),
        ("log2", [[8]], [[3]]),
        ("leaky relu", [[2, -2]], [[2, -0.02]]),
    ],
)
def test_by_pencil(function: str, numbers: list[list[float]], wanted: list[list[float]]) -> None:
    for found, true in zip(of(function, numbers), wanted, strict=True):
        assert found == pytest.approx(true, abs=1e-8)


def test_what_may_be_meant_otherwise_is_noted() -> None:
    met = Ambiguities()
    apply("log", exactly(2.0), PLAIN, met)
    apply("variance", exactly(np.array([[1.0, 3.0]])), PLAIN, met)
    assert met.features == {"base", "spread"}
    assert of("variance", [[1, 3]], spread=(1, 0.0)) == [[2]]
    assert of("sum", [[1, 2], [3, 5]], whole=True) == [[11]]
    assert of("sin", [[90]], degrees=True) == [[1]]


def test_what_is_not_known_is_said() -> None:
    with pytest.raises(UnknownError, match="'frobnicate' is not known"):
        of("frobnicate", [[1]])
    with pytest.raises(UnknownError, match="may mean several things"):
        of("norm", [[1, 2], [3, 5]])
