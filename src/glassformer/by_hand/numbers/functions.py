"""The functions that notes name, each over intervals: softmax, GELU, the mean of a row. Knows no names or formulas."""

import math
from collections.abc import Callable
from types import MappingProxyType

import numpy as np

from glassformer.by_hand.numbers import intervals
from glassformer.by_hand.numbers.conventions import Ambiguities, Convention
from glassformer.by_hand.numbers.intervals import LOCAL, Value, exactly
from glassformer.by_hand.numbers.scope import UnknownError

MOST = 150  # things counted; the factorial of more is beyond a computer's numbers
_PLAIN: MappingProxyType[str, Callable[[Value], Value]] = MappingProxyType(
    {
        "sqrt": intervals.sqrt,
        "relu": intervals.relu,
        "leaky relu": lambda a: intervals.maximum(a, intervals.times(exactly(0.01), a)),
        "absolute value": lambda a: intervals.maximum(a, intervals.negative(a)),
        "norm": lambda a: _length(a.transposed if a.shape[1] == 1 else a),
        "tanh": intervals.tanh,
        "shares": lambda a: intervals.times(a, intervals.inverse(intervals.total(a))),
        "column softmax": lambda a: intervals.interval_softmax(a.transposed).transposed,
        "silu": lambda a: intervals.times(a, intervals.sigmoid(a)),
        "softplus": intervals.softplus,
        "floor": intervals.rising(np.floor),
        "ceil": intervals.rising(np.ceil),
        "factorial": lambda a: exactly(float(math.factorial(_counts(a, 1)[0]))),
        "binomial": lambda a: exactly(float(math.comb(*_counts(a, 2)))),
    }
)
# Functions that are meant in more than one way, and the choice that each depends on.
_CHOICES = MappingProxyType(
    {
        **dict.fromkeys(["exp", "sigmoid"], "e"),
        **dict.fromkeys(["log"], "base"),
        **dict.fromkeys(["sin", "cos"], "degrees"),
        **dict.fromkeys(["variance", "standard deviation", "layernorm"], "spread"),
        **dict.fromkeys(["mean", "sum", "max", "min"], "whole"),
        "gelu": "smooth",
    }
)


def apply(function: str, a: Value, convention: Convention, met: Ambiguities) -> Value:
    """The function of `a` under a convention; what could be meant otherwise is noted in `met`."""
    if function in _PLAIN:
        return _PLAIN[function](a)
    if function in _CHOICES:
        met.features.add(_CHOICES[function])
        return _CHOSEN[function](a, convention)
    if function == "softmax":
        met.features |= {"e", "down"}
        return _softmax(a, convention)
    if function.startswith("log") and function[3:].replace(".", "", 1).isdigit():
        return _log(a, float(function[3:]))
    raise UnknownError(f"the function '{function}' is not known")


def sum_over(a: Value, lower: str, upper: str, convention: Convention, met: Ambiguities) -> Value:
    """The sum of a list from its first entry to its last; where the bounds say otherwise, it is not worked out."""
    if a.is_scalar or not a.is_vector:
        raise UnknownError("a sum over an index is worked out for lists of numbers")
    n = max(a.shape)
    is_said = upper.replace(".", "", 1).isdigit()
    if lower not in ("", "0", "1") or (is_said and upper != str(n - (lower == "0"))):
        raise UnknownError(f"a sum over another number of terms than the {n} of the list")
    return apply("sum", _in_one_row(a), convention, met)


def _several(a: Value) -> Value:
    if a.is_scalar:
        raise UnknownError("a sum of which nobody says how many terms it has")
    return a


def _softmax(a: Value, convention: Convention) -> Value:
    """Of each row; a column of scores is weighed as one row."""
    scaled = intervals.times(a, exactly(np.log(convention.e)))
    if convention.down or (a.shape[1] == 1 and a.shape[0] > 1):
        return intervals.interval_softmax(scaled.transposed).transposed
    return intervals.interval_softmax(scaled)


def _log(a: Value, base: float) -> Value:
    if (a.high[LOCAL] < 0).any():
        raise UnknownError("the logarithm of a negative number")
    return intervals.times(intervals.log(a), intervals.inverse(intervals.log(exactly(base))))


def _angle(a: Value, convention: Convention) -> Value:
    return intervals.times(a, exactly(np.pi / 180)) if convention.degrees else a


def _variance(a: Value, convention: Convention) -> Value:
    a = _in_one_row(a)
    less, extra = convention.spread
    n = a.shape[1]
    if n <= less:
        raise UnknownError("a variance needs several numbers")
    return intervals.add(intervals.times(intervals.variance(a), exactly(n / (n - less))), exactly(extra))


def _layernorm(a: Value, convention: Convention) -> Value:
    distances = intervals.add(a, intervals.negative(intervals.mean(a)))
    return intervals.times(distances, intervals.inverse(intervals.sqrt(_variance(a, convention))))


def _in_one_row(a: Value) -> Value:
    return a.transposed if a.shape[1] == 1 else a


def _flat(a: Value, convention: Convention) -> Value:
    """Of each row; of all numbers where there is one row or column, or where the convention says so."""
    if convention.whole:
        shape = (a.low.shape[0], 1, a.low.shape[1] * a.low.shape[2])
        return Value(a.low.reshape(shape), a.high.reshape(shape))
    return _in_one_row(a)


def _largest(a: Value) -> Value:
    return Value(a.low.max(axis=2, keepdims=True), a.high.max(axis=2, keepdims=True))


def _power_of(e: float, a: Value) -> Value:
    return intervals.exp(intervals.times(a, exactly(np.log(e))))


def _sigmoid(a: Value, convention: Convention) -> Value:
    return intervals.sigmoid(intervals.times(a, exactly(np.log(convention.e))))


_CHOSEN: MappingProxyType[str, Callable[[Value, Convention], Value]] = MappingProxyType(
    {
        "exp": lambda a, c: _power_of(c.e, a),
        "sigmoid": _sigmoid,
        "log": lambda a, c: _log(a, c.base),
        "sin": lambda a, c: intervals.sine(_angle(a, c)),
        "cos": lambda a, c: intervals.cosine(_angle(a, c)),
        "variance": _variance,
        "standard deviation": lambda a, c: intervals.sqrt(_variance(a, c)),
        "layernorm": _layernorm,
        "mean": lambda a, c: intervals.mean(_flat(a, c)),
        "sum": lambda a, c: intervals.total(_flat(_several(a), c)),
        "max": lambda a, c: _largest(_flat(a, c)),
        "min": lambda a, c: intervals.negative(_largest(intervals.negative(_flat(a, c)))),
        "gelu": lambda a, c: intervals.gelu_by_tanh(a) if c.smooth else intervals.gelu(a),
    }
)


def _length(a: Value) -> Value:
    if a.shape[0] != 1:
        raise UnknownError("‖…‖ of a matrix may mean several things")
    return intervals.sqrt(intervals.total(intervals.power(a, 2)))


def _counts(a: Value, n: int) -> list[int]:
    """Whole numbers that are known exactly, as those of things that are counted."""
    numbers = np.round(a.middle(intervals.LOCAL)).ravel().tolist()
    is_whole = a.shape == (1, n) and all(np.allclose(end, numbers, rtol=0, atol=1e-9) for end in (a.low, a.high))
    if not is_whole or not all(0 <= number <= MOST for number in numbers):
        raise UnknownError(f"only whole numbers from 0 to {MOST} are counted with")
    return [int(number) for number in numbers]
