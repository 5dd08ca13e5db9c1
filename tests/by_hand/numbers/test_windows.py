"""Rows laid out anew, with a pencil."""

import numpy as np
import pytest

from glassformer.by_hand.numbers.intervals import LOCAL, ShapeError, Value, exactly, printed
from glassformer.by_hand.numbers.windows import (
    block_max,
    column_max,
    delay,
    interleave,
    last_row,
    pick,
    place_of_largest,
    slide,
    unroll,
    whole_max,
)

GRID = exactly(np.arange(1.0, 13.0).reshape(3, 4))


def rows(value: Value) -> list[list[float]]:
    return value.middle(LOCAL).tolist()  # type: ignore[no-any-return]


def test_columns_in_turn() -> None:
    assert rows(interleave([exactly(np.array([[1.0, 2.0]])), exactly(np.array([[3.0, 4.0]]))])) == [[1, 3, 2, 4]]


def test_windows_of_rows() -> None:
    assert rows(unroll([GRID, exactly(2.0), exactly(1.0)])) == [[*range(1, 9)], [*range(5, 13)]]
    assert rows(unroll([GRID, exactly(1.0), exactly(2.0)])) == [[1, 2, 3, 4], [9, 10, 11, 12]]
    with pytest.raises(ShapeError, match="larger than what it slides over"):
        unroll([GRID, exactly(4.0), exactly(1.0)])
    with pytest.raises(ShapeError, match="whole steps"):
        unroll([GRID, exactly(1.5), exactly(1.0)])


def test_a_kernel_slid_over_an_image() -> None:
    kernel = exactly(np.array([[1.0, 0.0], [0.0, -1.0]]))
    assert rows(slide([GRID, kernel, exactly(1.0)])) == [[-5, -5, -5], [-5, -5, -5]]
    assert rows(slide([GRID, kernel, exactly(2.0)])) == [[-5, -5]]


def test_largest_numbers() -> None:
    assert rows(block_max([GRID, exactly(2.0)])) == [[6, 8]]
    assert rows(column_max([GRID])) == [[9, 10, 11, 12]]
    assert rows(whole_max([GRID])) == [[12]]


def test_one_row_of_several_and_one_number_of_a_row() -> None:
    words, before = exactly(np.array([[1.0, 2.0, 0.0]])), exactly(np.array([[3.0, 1.0]]))
    assert rows(last_row([GRID])) == [[9, 10, 11, 12]]
    assert rows(delay([before, words])) == [[3, 1, 2]]
    assert rows(pick([exactly(np.array([[0.5, 0.3, 0.2]])), words, before])) == [[0.2]]


def test_any_place_that_may_be_the_largest_may_be_chosen() -> None:
    assert rows(place_of_largest([exactly(np.array([[0.2, 0.5, 0.3]]))])) == [[1]]
    close = printed(np.array([[0.2, 0.4, 0.4]]), np.full((1, 3), 0.05), given=False)
    found = place_of_largest([close])
    assert (found.low[LOCAL].item(), found.high[LOCAL].item()) == (1, 2)
