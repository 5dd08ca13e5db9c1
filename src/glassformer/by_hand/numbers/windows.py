"""Functions that lay rows out anew, over intervals: windows, blocks, one row of several. Knows no names or formulas."""

from collections.abc import Callable, Sequence
from types import MappingProxyType

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from glassformer.by_hand.numbers.intervals import LOCAL, ShapeError, Value, matmul, stack_columns


def _whole(value: Value) -> int:
    number = float(value.middle(LOCAL)[0, 0])
    if not value.is_scalar or number != int(number) or number < 1:
        raise ShapeError("a window is counted in whole steps")
    return int(number)


def _laid_out(value: Value, layout: Callable[[np.ndarray], np.ndarray]) -> Value:
    return Value(layout(value.low), layout(value.high))


def _windows(value: Value, height: int, width: int, down: int, across: int) -> Value:
    """Every window as one row; windows from left to right, then down."""
    if height > value.shape[0] or width > value.shape[1]:
        raise ShapeError("the window is larger than what it slides over")

    def layout(numbers: np.ndarray) -> np.ndarray:
        found = sliding_window_view(numbers, (height, width), axis=(1, 2))[:, ::down, ::across]
        return found.reshape(len(numbers), -1, height * width)

    return _laid_out(value, layout)


def interleave(parts: Sequence[Value]) -> Value:
    """A column of each in turn."""
    beside = stack_columns(list(parts))
    order = np.arange(beside.shape[1]).reshape(len(parts), -1).T.ravel()
    return _laid_out(beside, lambda numbers: numbers[:, :, order])


def unroll(parts: Sequence[Value]) -> Value:
    """The rows of every window of a sequence, side by side: of rows, a size and a stride."""
    rows, size, stride = parts
    return _windows(rows, _whole(size), rows.shape[1], _whole(stride), 1)


def slide(parts: Sequence[Value]) -> Value:
    """A kernel at every place of an image: of an image, a kernel and a stride."""
    image, kernel, stride = parts
    step = _whole(stride)
    windows = _windows(image, *kernel.shape, step, step)
    column = _laid_out(kernel, lambda numbers: numbers.reshape(len(numbers), -1, 1))
    across = (image.shape[1] - kernel.shape[1]) // step + 1
    return _laid_out(matmul(windows, column), lambda numbers: numbers.reshape(len(numbers), -1, across))


def block_max(parts: Sequence[Value]) -> Value:
    """The largest number of each block: of a map and a size."""
    size = _whole(parts[1])
    windows = _windows(parts[0], size, size, size, size)
    across = parts[0].shape[1] // size
    return _laid_out(windows, lambda numbers: numbers.max(axis=2).reshape(len(numbers), -1, across))


def column_max(parts: Sequence[Value]) -> Value:
    """The largest number of each column."""
    return _laid_out(parts[0], lambda numbers: numbers.max(axis=1, keepdims=True))


def whole_max(parts: Sequence[Value]) -> Value:
    """The largest number of all."""
    return _laid_out(parts[0], lambda numbers: numbers.max(axis=(1, 2), keepdims=True))


def last_row(parts: Sequence[Value]) -> Value:
    """The last row of several."""
    return parts[0].row(parts[0].shape[0] - 1)


def place_of_largest(parts: Sequence[Value]) -> Value:
    """Where the largest number of a row stands, counted from 0: any place whose number may be the largest."""
    may = parts[0].high >= parts[0].low.max(axis=2, keepdims=True)
    places = np.arange(parts[0].shape[1], dtype=np.float64)
    first, last = np.where(may, places, np.inf).min(axis=2), np.where(may, places, -np.inf).max(axis=2)
    return Value(first[:, :, None], last[:, :, None])


def delay(parts: Sequence[Value]) -> Value:
    """The first number of one row, then another row without its last: each is read one place later."""
    start, row = parts
    return stack_columns(
        [_laid_out(start, lambda numbers: numbers[:, :, :1]), _laid_out(row, lambda numbers: numbers[:, :, :-1])]
    )


def pick(parts: Sequence[Value]) -> Value:
    """Of a row, the number at the place that a row of places names, as far along it as a third row is long."""
    shares, places, before = parts
    place = float(places.middle(LOCAL)[0, before.shape[1] - 1])
    return shares.entry(0, int(place))


LAID_OUT: MappingProxyType[str, Callable[[Sequence[Value]], Value]] = MappingProxyType(
    {
        "interleave": interleave,
        "unroll": unroll,
        "slide": slide,
        "blockmax": block_max,
        "columnmax": column_max,
        "wholemax": whole_max,
        "lastrow": last_row,
        "largestplace": place_of_largest,
        "unitdelay": delay,
        "pickedfrom": pick,
    }
)
