"""Numbers as they are printed: each stands for an interval, and intervals are carried through matrix arithmetic.

A `Value` holds a matrix under several readings at once, stacked on its first axis (see READINGS): the arithmetic is the
same for all of them. Every operation rounds outward, so that a bound is never crossed by floating point. Nothing here
knows of notes, names or formulas.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.errors import InputError

Floats = NDArray[np.float64]

# generous  every printed decimal may have been rounded: half a unit of its last digit either way
# face      the given numbers are exact as printed; results printed on the way may have been rounded
# local     every number exactly as printed
# deep      the given numbers exactly as printed, and everything else worked out from them in full
READINGS = ("generous", "face", "local", "deep")
GENEROUS, FACE, LOCAL, DEEP = range(4)

_TIE = 1e-9  # of a unit: half-way between two, a number may be rounded either way
_FEWEST_UNITS = 5  # of the last digit, that a result on the way has if it is rounded there
_THIRDS = 60  # each leaves two thirds of where the least value may lie
_EPS = float(np.finfo(np.float64).eps)


class ShapeError(InputError):
    """Two matrices that do not fit together."""


@dataclass(frozen=True)
class Value:
    """A matrix of intervals under every reading: `low` and `high` have axes reading, row, column."""

    low: Floats
    high: Floats

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.low.shape[1], self.low.shape[2]

    @property
    def is_scalar(self) -> bool:
        """A single number."""
        return self.shape == (1, 1)

    @property
    def is_vector(self) -> bool:
        """A single row or column."""
        return 1 in self.shape

    def middle(self, reading: int) -> Floats:
        """The middle of each interval under one reading: row, column."""
        low, high = self.low[reading], self.high[reading]
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(np.where(low == high, low, low / 2 + high / 2))

    def row(self, i: int) -> "Value":
        """One row."""
        return Value(self.low[:, i : i + 1], self.high[:, i : i + 1])

    def entry(self, i: int, j: int) -> "Value":
        """One number."""
        return Value(self.low[:, i : i + 1, j : j + 1], self.high[:, i : i + 1, j : j + 1])

    @property
    def transposed(self) -> "Value":
        """Rows and columns exchanged."""
        return Value(self.low.swapaxes(1, 2), self.high.swapaxes(1, 2))

    def fitted(self, shape: tuple[int, int]) -> "Value":
        """The same numbers in `shape`, where only a vector may change between row and column."""
        if self.shape == shape:
            return self
        if self.is_vector and 1 in shape and self.shape == (shape[1], shape[0]):
            return self.transposed
        raise ShapeError(f"{named_shape(self.shape)} was expected, {named_shape(shape)} is printed")


def named_shape(shape: tuple[int, int]) -> str:
    """A shape in words."""
    return "a single number" if shape == (1, 1) else f"{shape[0]}×{shape[1]}"


def exactly(numbers: Floats | float) -> Value:
    """The same exact numbers under every reading."""
    matrix = np.atleast_2d(np.asarray(numbers, dtype=np.float64))
    low = np.empty((len(READINGS), *matrix.shape))
    low[:] = matrix
    return Value(low, low.copy())


def printed(numbers: Floats, halves: Floats, *, given: bool) -> Value:
    """Printed numbers and half a unit of each one's last digit; `given` ones are exact at face value."""
    value = exactly(numbers)
    rounded = [GENEROUS] if given else [GENEROUS, FACE]
    value.low[rounded] -= halves
    value.high[rounded] += halves
    return value


def stack_rows(rows: list[Value]) -> Value:
    """Rows on top of each other."""
    if len({row.shape[1] for row in rows}) != 1:
        raise ShapeError("the rows have different lengths")
    return Value(np.concatenate([r.low for r in rows], axis=1), np.concatenate([r.high for r in rows], axis=1))


def stack_columns(parts: list[Value]) -> Value:
    """Blocks beside each other."""
    if len({part.shape[0] for part in parts}) != 1:
        raise ShapeError("the blocks have different heights")
    return Value(np.concatenate([p.low for p in parts], axis=2), np.concatenate([p.high for p in parts], axis=2))


# --- arithmetic -------------------------------------------------------------------------------------------------


def _outward(low: Floats, high: Floats, slack: Floats | float = 0.0) -> Value:
    """Rounds outward by a few units of the last place; an undefined bound (0 × ∞) allows everything."""
    with np.errstate(invalid="ignore", over="ignore"):
        room_low = np.where(np.isfinite(low), 4 * _EPS * np.abs(low) + slack, 0.0)
        room_high = np.where(np.isfinite(high), 4 * _EPS * np.abs(high) + slack, 0.0)
        low, high = low - room_low, high + room_high
    return Value(np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high))


def _same_shape(a: Value, b: Value, what: str) -> None:
    for first, second in zip(a.shape, b.shape, strict=True):
        if first != second and 1 not in (first, second):
            raise ShapeError(f"{named_shape(a.shape)} and {named_shape(b.shape)} cannot be {what}")


def add(a: Value, b: Value) -> Value:
    """Entry by entry; a single number, row or column serves every place."""
    _same_shape(a, b, "added")
    with np.errstate(invalid="ignore", over="ignore"):
        return _outward(a.low + b.low, a.high + b.high)


def maximum(a: Value, b: Value) -> Value:
    """The larger of the two, entry by entry."""
    _same_shape(a, b, "compared")
    return Value(np.maximum(a.low, b.low), np.maximum(a.high, b.high))


def negative(a: Value) -> Value:
    """With the sign turned."""
    return Value(-a.high, -a.low)


def times(a: Value, b: Value) -> Value:
    """Entry by entry."""
    _same_shape(a, b, "multiplied entry by entry")
    low, high = _products(a.low, a.high, b.low, b.high)
    return _outward(low, high)


def cross(a: Value, b: Value) -> Value:
    """The cross product of two vectors in space; in the plane, the one number of it that is not 0."""
    if min(a.shape) != 1 or a.shape != b.shape or max(a.shape) not in (2, 3):
        raise ShapeError(f"no cross product of {named_shape(a.shape)} and {named_shape(b.shape)}")
    axis = 1 + int(np.argmax(a.shape))

    def at(value: Value, order: list[int]) -> Value:
        return Value(np.take(value.low, order, axis), np.take(value.high, order, axis))

    one, other = ([1, 2, 0], [2, 0, 1]) if max(a.shape) == 3 else ([0], [1])
    return add(times(at(a, one), at(b, other)), negative(times(at(a, other), at(b, one))))


def _products(a_low: Floats, a_high: Floats, b_low: Floats, b_high: Floats) -> tuple[Floats, Floats]:
    with np.errstate(invalid="ignore", over="ignore"):
        corners = np.stack(np.broadcast_arrays(a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high))
    corners = np.where(np.isnan(corners), 0.0, corners)  # 0 × ∞: a masked entry times nothing is nothing
    return corners.min(axis=0), corners.max(axis=0)


def matmul(a: Value, b: Value) -> Value:
    """The matrix product; a single number scales, and two rows of one length give their dot product."""
    if a.is_scalar or b.is_scalar:
        return times(a, b)
    if a.shape[1] != b.shape[0]:
        if a.shape[1] == b.shape[1] and b.shape[0] == 1:  # row · row, or W x with x written as a row
            b = b.transposed
        elif a.shape[0] == b.shape[0] and a.shape[1] == 1:  # column · column
            a = a.transposed
        else:
            raise ShapeError(f"{named_shape(a.shape)} times {named_shape(b.shape)} does not fit")
    if a.shape[0] * a.shape[1] * b.shape[1] > 300_000:
        raise ShapeError(f"{named_shape(a.shape)} times {named_shape(b.shape)} is too large to be checked")
    low, high = _products(a.low[..., None], a.high[..., None], b.low[:, None], b.high[:, None])
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(np.abs(low), np.abs(high)).sum(axis=2)
        slack = np.where(np.isfinite(size), size * _EPS * a.shape[1], 0.0)
        return _outward(low.sum(axis=2), high.sum(axis=2), slack)


def inverse(a: Value) -> Value:
    """1 / a, entry by entry; an interval around zero allows everything."""
    around_zero = (a.low <= 0) & (a.high >= 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = 1 / a.high, 1 / a.low
    return _outward(np.where(around_zero, -np.inf, low), np.where(around_zero, np.inf, high))


def power(a: Value, exponent: int) -> Value:
    """A whole power, entry by entry."""
    if exponent < 0:
        return inverse(power(a, -exponent))
    with np.errstate(over="ignore"):
        ends = np.stack([a.low**exponent, a.high**exponent])
    low, high = ends.min(axis=0), ends.max(axis=0)
    if exponent % 2 == 0:
        low = np.where((a.low <= 0) & (a.high >= 0), 0.0, low)
    return _outward(low, high)


def rising(function: Callable[[Floats], Floats]) -> Callable[[Value], Value]:
    """A function that never falls, lifted to intervals."""

    def lifted(a: Value) -> Value:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return _outward(function(a.low), function(a.high))

    return lifted


exp = rising(np.exp)
sqrt = rising(lambda x: np.sqrt(np.maximum(x, 0.0)))
log = rising(lambda x: np.log(np.maximum(x, 0.0)))
relu = rising(lambda x: np.maximum(x, 0.0))
tanh = rising(np.tanh)
sigmoid = rising(lambda x: np.exp(-np.logaddexp(0.0, -x)))
softplus = rising(lambda x: np.logaddexp(0.0, x))


def dipping(function: Callable[[Floats], Floats], lowest: float) -> Callable[[Value], Value]:
    """A function that falls until `lowest` and rises from there, as GELU does, lifted to intervals."""

    def lifted(a: Value) -> Value:
        with np.errstate(over="ignore", invalid="ignore"):
            ends = np.stack([function(a.low), function(a.high)])
            bottom = function(np.full_like(a.low, lowest))
        holds_bottom = (a.low <= lowest) & (a.high >= lowest)
        return _outward(np.where(holds_bottom, bottom, ends.min(axis=0)), ends.max(axis=0))

    return lifted


_erf = np.vectorize(math.erf, otypes=[np.float64])
gelu = dipping(lambda x: x * 0.5 * (1 + _erf(x / math.sqrt(2))), -0.75179160867)
gelu_by_tanh = dipping(lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), -0.752461422)


def widened(a: Value, half: Floats | float) -> Value:
    """As if it had been rounded on the way: half a unit either way where results may be rounded."""
    low, high = a.low.copy(), a.high.copy()
    low[[GENEROUS, FACE]] -= half
    high[[GENEROUS, FACE]] += half
    return Value(low, high)


def shortened(a: Value, half: float) -> Value:
    """As if it had been written down on the way, rounded to the digit of which this is half a unit; 0.5 stays 0.5.

    Where hardly a digit would be left, nobody writes it down so: 0.0041 is not 0.00 in a sum that is divided by.
    """
    unit, ends = 2 * half, [GENEROUS, FACE]
    low, high = a.low.copy(), a.high.copy()
    is_long = np.minimum(np.abs(low[ends]), np.abs(high[ends])) >= _FEWEST_UNITS * unit
    low[ends] = np.where(is_long, np.minimum(low[ends], np.round(low[ends] / unit - _TIE) * unit), low[ends])
    high[ends] = np.where(is_long, np.maximum(high[ends], np.round(high[ends] / unit + _TIE) * unit), high[ends])
    return Value(low, high)


def rounded_to(a: Value, reading: int, decimals: int) -> tuple[Floats, Floats]:
    """The bounds of one reading rounded to so many decimals; what lies half-way between two, to both."""
    unit = 10.0**-decimals
    return np.round(a.low[reading] / unit - _TIE) * unit, np.round(a.high[reading] / unit + _TIE) * unit


def turning(function: Callable[[Floats], Floats], peak: float) -> Callable[[Value], Value]:
    """Sine or cosine: 1 wherever the interval holds peak + 2πk, −1 half a turn later."""

    def lifted(a: Value) -> Value:
        with np.errstate(invalid="ignore"):  # of what is without end
            ends = np.stack([function(a.low), function(a.high)])
        turns = 2 * np.pi
        holds_peak = np.floor((a.high - peak) / turns) >= np.ceil((a.low - peak) / turns)
        holds_low = np.floor((a.high - peak - np.pi) / turns) >= np.ceil((a.low - peak - np.pi) / turns)
        return _outward(np.where(holds_low, -1.0, ends.min(axis=0)), np.where(holds_peak, 1.0, ends.max(axis=0)))

    return lifted


sine = turning(np.sin, np.pi / 2)
cosine = turning(np.cos, 0.0)


def interval_softmax(a: Value) -> Value:
    """Row by row. An entry is largest when it is high and all others are low: that bound is reached."""
    return _outward(_shares(a.low, a.high), _shares(a.high, a.low), 1e-15)


def _shares(own: Floats, others: Floats) -> Floats:
    """e^own / (e^own + Σ e^others), leaving each entry itself out of the others; a row of −∞ gets zeros."""
    top = np.maximum(own, others).max(axis=2, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        mine, theirs = np.exp(own - top), np.exp(others - top)
        shares = mine / (mine + (theirs.sum(axis=2, keepdims=True) - theirs).clip(min=0.0))
    return np.where(mine == 0, 0.0, shares)


def total(a: Value, axes: tuple[int, ...] = (2,)) -> Value:
    """The sum of each row, or over other axes; of ∞ and −∞ it may be anything."""
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(np.abs(a.low), np.abs(a.high)).sum(axis=axes, keepdims=True)
        slack = np.where(np.isfinite(size), size * _EPS * max(a.shape), 0.0)
        return _outward(a.low.sum(axis=axes, keepdims=True), a.high.sum(axis=axes, keepdims=True), slack)


def mean(a: Value) -> Value:
    """The mean of each row."""
    return times(total(a), exactly(1 / a.shape[1]))


def variance(a: Value) -> Value:
    """The mean squared distance of each row from its mean.

    From any other middle it is more. So the best middle bounds it from above with every number at its far end, and from
    below with every number as near as it may be: that bound is reached.
    """
    if not (np.isfinite(a.low).all() and np.isfinite(a.high).all()):
        return mean(power(add(a, negative(mean(a))), 2))

    def near(middle: Floats) -> Floats:
        return np.asarray(((np.clip(middle, a.low, a.high) - middle) ** 2).mean(axis=2, keepdims=True))

    def far(middle: Floats) -> Floats:
        return np.asarray(np.maximum((a.low - middle) ** 2, (a.high - middle) ** 2).mean(axis=2, keepdims=True))

    first, last = a.low.min(axis=2, keepdims=True), a.high.max(axis=2, keepdims=True)
    slack = 1e-13 * (last - first) ** 2
    return _outward(np.maximum(0.0, _lowest(near, first, last) - slack), _lowest(far, first, last), 1e-15)


def _lowest(function: Callable[[Floats], Floats], first: Floats, last: Floats) -> Floats:
    """The least value of a function that falls, and then rises, between two places: row by row."""
    for _ in range(_THIRDS):
        third = (last - first) / 3
        falls = function(first + third) > function(last - third)
        first, last = np.where(falls, first + third, first), np.where(falls, last, last - third)
    return function((first + last) / 2)
