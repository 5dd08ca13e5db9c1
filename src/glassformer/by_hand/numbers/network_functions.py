"""Losses, pooling and convolution over intervals, each in the several ways in which people mean them.

A way is a number, counted from 0, the usual one first; one that does not exist, or does not fit, is an error.
Knows no names or formulas.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from types import MappingProxyType

import numpy as np

from glassformer.by_hand.numbers import intervals
from glassformer.by_hand.numbers.conventions import Ambiguities, Convention
from glassformer.by_hand.numbers.intervals import ShapeError, Value, exactly
from glassformer.by_hand.numbers.scope import UnknownError

LARGEST_KERNEL = 150  # numbers
_POOLS = ((2, 2), (2, 1), (3, 1), (3, 3), (3, 2), (4, 4))  # window and stride, each of which is somebody's default


OF_ONE = frozenset({"max pooling", "global max pooling"})
OF_TWO = frozenset({"cross entropy", "binary cross entropy", "mean squared error", "convolution"})


def apply_network(function: str, operands: Sequence[Value], convention: Convention, met: Ambiguities) -> Value:
    """The function of its operands under a convention; what could be meant otherwise is noted in `met`."""
    if len(operands) != (1 if function in OF_ONE else 2):
        raise UnknownError(f"the {function} of two things, with a comma between them, is worked out")
    met.features |= {"slid"} if function == "convolution" else {"way", "base"}
    match function:
        case "convolution":
            return convolved(*operands, flipped=convention.slid == 2)
        case "max pooling":
            return pooled(operands[0], convention.way)
        case "global max pooling":
            return pooled(operands[0], 1)
        case _:
            return losses(function, operands[0], operands[1], convention.way, convention.base)


def losses(function: str, a: Value, b: Value, way: int, base: float) -> Value:
    """The loss of two lists, of which either may be the target; over logarithms to `base`."""
    if a.shape != b.shape:
        b = b.fitted(a.shape)
    swapped, kind = way % 2, way // 2
    target, guess = (b, a) if swapped else (a, b)
    per_entry = _ENTRIES[function](target, guess)
    scale = _SCALES[function](per_entry.shape)
    if kind >= len(scale):
        raise UnknownError("there is no further way to mean this loss")
    total = intervals.total(per_entry, (1, 2))
    if function != "mean squared error":
        total = intervals.times(total, exactly(1 / np.log(base)))
    return intervals.times(total, exactly(scale[kind]))


def _surprise(target: Value, guess: Value) -> Value:
    """−y log p; where y is exactly 0, nothing, whatever p is."""
    worked = intervals.negative(intervals.times(target, intervals.log(guess)))
    nothing = (target.low == 0) & (target.high == 0)
    return Value(np.where(nothing, 0.0, worked.low), np.where(nothing, 0.0, worked.high))


def _rest(a: Value) -> Value:
    return intervals.add(exactly(1.0), intervals.negative(a))


_ENTRIES: MappingProxyType[str, Callable[[Value, Value], Value]] = MappingProxyType(
    {
        "cross entropy": _surprise,
        "binary cross entropy": lambda y, p: intervals.add(_surprise(y, p), _surprise(_rest(y), _rest(p))),
        "mean squared error": lambda y, p: intervals.power(intervals.add(y, intervals.negative(p)), 2),
    }
)
# What the sum over all entries is multiplied with: the usual one first.
_SCALES: MappingProxyType[str, Callable[[tuple[int, int]], Sequence[float]]] = MappingProxyType(
    {
        "cross entropy": lambda shape: (1.0 / shape[0] if shape[1] > 1 else 1.0, 1.0, 1.0 / (shape[0] * shape[1])),
        "binary cross entropy": lambda shape: (1.0 / (shape[0] * shape[1]), 1.0, 1.0 / shape[0]),
        "mean squared error": lambda shape: (
            1.0 / (shape[0] * shape[1]),
            1.0,
            0.5,
            0.5 / (shape[0] * shape[1]),
        ),
    }
)


def pooled(a: Value, way: int) -> Value:
    """The largest number of each window: 2×2 with a stride of 2; of all; or by another usual window."""
    if way == 1 or (way == 0 and min(a.shape) == 1):
        return _largest(a, a.shape, 1)
    choice = way - (way > 0)
    if choice >= len(_POOLS):
        raise UnknownError("there is no further way to mean this pooling")
    size, stride = _POOLS[choice]
    if min(a.shape) < size:
        raise ShapeError(f"a window of {size}×{size} does not fit into {intervals.named_shape(a.shape)}")
    return _largest(a, (size, size), stride)


def _largest(a: Value, window: tuple[int, int], stride: int) -> Value:
    rows = range(0, a.shape[0] - window[0] + 1, stride)
    columns = range(0, a.shape[1] - window[1] + 1, stride)
    low, high = (
        np.array(
            [[end[:, i : i + window[0], j : j + window[1]].max(axis=(1, 2)) for j in columns] for i in rows]
        ).transpose(2, 0, 1)
        for end in (a.low, a.high)
    )
    return Value(low, high)


def fits_inside(a: Value, kernel: Value) -> bool:
    """Whether the kernel can be slid over `a`."""
    is_small = kernel.shape[0] * kernel.shape[1] <= LARGEST_KERNEL
    return is_small and kernel.shape[0] <= a.shape[0] and kernel.shape[1] <= a.shape[1] and not kernel.is_scalar


def multiply(a: Value, b: Value) -> bool:
    """Whether the two can be multiplied as matrices, in some way."""
    try:
        intervals.matmul(a, b)
    except ShapeError:
        return False
    return True


def convolved(a: Value, kernel: Value, *, flipped: bool) -> Value:
    """The kernel slid over `a`, wherever it fits, one step at a time; networks do not flip it, mathematicians do."""
    if not fits_inside(a, kernel):
        raise ShapeError(f"a kernel of {intervals.named_shape(kernel.shape)} does not fit into it")
    if flipped:
        kernel = Value(kernel.low[:, ::-1, ::-1], kernel.high[:, ::-1, ::-1])
    rows, columns = a.shape[0] - kernel.shape[0] + 1, a.shape[1] - kernel.shape[1] + 1
    terms = [
        intervals.times(Value(*(end[:, i : i + rows, j : j + columns] for end in (a.low, a.high))), kernel.entry(i, j))
        for i in range(kernel.shape[0])
        for j in range(kernel.shape[1])
    ]
    return reduce(intervals.add, terms)
