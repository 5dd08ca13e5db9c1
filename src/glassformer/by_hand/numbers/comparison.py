"""Holds printed numbers against worked-out intervals, and says of each entry: right, cut off, doubtful or wrong.

A number is wrong only if no reading of the numbers it comes from allows it. Knows nothing of names or worlds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.by_hand.grammar.expressions import Matrix, Node, Number
from glassformer.by_hand.numbers.evaluator import print_halves, printed_value
from glassformer.by_hand.numbers.intervals import DEEP, FACE, GENEROUS, LOCAL, Floats, Value

Flags = NDArray[np.bool_]


def entries_of(literal: Node) -> tuple[tuple[Number, ...], ...]:
    """The printed numbers, row by row."""
    if isinstance(literal, Number):
        return ((literal,),)
    assert isinstance(literal, Matrix)
    return tuple(tuple(entry for entry in row if isinstance(entry, Number)) for row in literal.rows)


@dataclass(frozen=True)
class Fit:
    """How a printed matrix fits what was expected, entry by entry."""

    expected: Value
    wrong: Flags  # impossible
    cut: Flags  # what comes of cutting the digits off instead of rounding
    doubtful: Flags  # only possible if the given numbers were themselves rounded

    @property
    def fine(self) -> bool:
        """Nothing to say."""
        return not (self.wrong.any() or self.cut.any() or self.doubtful.any())


def units(literal: Node) -> Floats:
    """The unit of the last digit of each entry; 1 for whole numbers among whole numbers."""
    rows = entries_of(literal)
    numbers = [number for row in rows for number in row]
    halves = [half or 0.5 for half in print_halves(numbers)]
    return 2 * np.array(halves, dtype=np.float64).reshape(len(rows), len(rows[0]))


def fit(literal: Node, expected: Value, finest: float = 0.0) -> Fit:
    """Compares a printed matrix with what was expected in its place; a vector may stand or lie."""
    value = printed_value(literal, given=False)
    expected = expected.fitted(value.shape)
    numbers, unit = value.middle(LOCAL), np.maximum(units(literal), finest)
    rounded = numbers - unit / 2, numbers + unit / 2
    away = np.where(numbers >= 0, 1.0, -1.0)
    ends = numbers, numbers + away * unit * (1 - 1e-6)  # 3 is not 2 cut off, 2.999 is
    shortened = np.where(numbers == 0, -ends[1], np.minimum(*ends)), np.maximum(*ends)
    generous = _meets(rounded, expected, GENEROUS)
    face = _meets(rounded, expected, FACE)
    cut_face, cut_generous = _meets(shortened, expected, FACE), _meets(shortened, expected, GENEROUS)
    all_cut = bool((cut_face | cut_generous | ~(generous | cut_generous)).all())
    cut = (~face & cut_face) | (~generous & cut_generous) if all_cut else np.zeros_like(face)
    wrong = ~generous & ~cut
    return Fit(expected, wrong, cut, generous & ~face & ~cut)


def _meets(bounds: tuple[Floats, Floats], expected: Value, reading: int) -> Flags:
    low, high = expected.low[reading], expected.high[reading]
    with np.errstate(invalid="ignore", over="ignore"):
        tolerance = 1e-9 * np.maximum(1.0, np.abs(np.where(np.isfinite(low), low, 0.0)))
        same = (bounds[0] == low) & (bounds[1] == high)  # infinities
        return np.asarray(same | ((bounds[0] - tolerance <= high) & (low <= bounds[1] + tolerance)))


def settled(literal: Node, found: Fit, *, among: Flags, cuts: bool, unseen: Flags | None = None) -> Value:
    """A checked result as it is carried on: the printed interval where it fits (`among`), else the expected one.

    At face value it also holds what the given numbers lead to. A writer who `cuts` digits off leaves more room. What is
    expected would have been printed with as many digits: whoever goes on with the right number has it rounded, too.
    Where `unseen`, the printed numbers come from other ones than the right ones, and may fit by chance: both may be.
    """
    value = printed_value(literal, given=False)
    expected, unit = found.expected, units(literal)
    low, high = value.low.copy(), value.high.copy()
    whole = np.array([[number.decimals is None for number in row] for row in entries_of(literal)])
    rough = whole & (print_whole(literal)) & ~_is_whole(expected)
    low[: FACE + 1] = np.where(rough, low[: FACE + 1] - 0.5, low[: FACE + 1])
    high[: FACE + 1] = np.where(rough, high[: FACE + 1] + 0.5, high[: FACE + 1])
    if cuts or found.cut.any():
        middle = value.middle(LOCAL)
        low[GENEROUS] = np.where(middle <= 0, np.minimum(low[GENEROUS], middle - unit), low[GENEROUS])
        high[GENEROUS] = np.where(middle >= 0, np.maximum(high[GENEROUS], middle + unit), high[GENEROUS])
    low[FACE] = np.minimum(low[FACE], expected.low[DEEP])
    high[FACE] = np.maximum(high[FACE], expected.high[DEEP])
    low[DEEP], high[DEEP] = expected.low[DEEP], expected.high[DEEP]
    room = np.zeros_like(low)
    room[: FACE + 1] = np.where(whole & _is_whole(expected), 0.0, unit / 2)
    below, above = expected.low - room, expected.high + room
    if unseen is not None:
        ends = slice(GENEROUS, FACE + 1)
        low[ends] = np.where(unseen, np.minimum(low[ends], below[ends]), low[ends])
        high[ends] = np.where(unseen, np.maximum(high[ends], above[ends]), high[ends])
    return Value(np.where(among, low, below), np.where(among, high, above))


def print_whole(literal: Node) -> bool:
    """Whether all its numbers are whole."""
    return all(number.decimals is None for row in entries_of(literal) for number in row)


def _is_whole(expected: Value) -> Flags:
    middle = expected.middle(DEEP)
    with np.errstate(invalid="ignore"):
        return np.abs(middle - np.round(middle)) < 1e-9


def as_printed(literal: Node, found: Fit, *, cuts: bool) -> Value:
    """The numbers on the page as somebody goes on with them, right or wrong; where right, with the room they leave."""
    raw, mended = printed_value(literal, given=False), settled(literal, found, among=~found.wrong, cuts=cuts)
    return Value(np.where(found.wrong, raw.low, mended.low), np.where(found.wrong, raw.high, mended.high))


def fit_values(value: Value, expected: Value) -> Fit:
    """Compares two worked-out values; whatever intervals have in common is right."""
    expected = expected.fitted(value.shape)
    generous = _meets((value.low[GENEROUS], value.high[GENEROUS]), expected, GENEROUS)
    nothing = np.zeros_like(generous)
    return Fit(expected, ~generous, nothing, nothing)
