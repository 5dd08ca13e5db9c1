"""Holds printed numbers against worked-out intervals, and says of each entry: right, cut off, doubtful or wrong.

A number is wrong only if no reading of the numbers it comes from allows it. Knows nothing of names or worlds.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glassformer.by_hand.grammar.expressions import Matrix, Node, Number
from glassformer.by_hand.numbers.evaluator import print_halves, printed_value
from glassformer.by_hand.numbers.intervals import (
    DEEP,
    FACE,
    GENEROUS,
    LOCAL,
    READINGS,
    Floats,
    Value,
    rounded_to,
    widened,
)

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
    rounded: Flags  # possible if they were

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


def fit(literal: Node, expected: Value, finest: float = 0.0, *, stepwise: bool = False) -> Fit:
    """Compares a printed matrix with what was expected in its place; a vector may stand or lie.

    Where each step was rounded and gone on with so (`stepwise`), every reading gives one number, and any may be meant.
    """
    value = printed_value(literal, given=False)
    expected = expected.fitted(value.shape)
    numbers, unit = value.middle(LOCAL), np.maximum(units(literal), finest)
    rounded = numbers - unit / 2, numbers + unit / 2
    away = np.where(numbers >= 0, 1.0, -1.0)
    ends = numbers, numbers + away * unit * (1 - 1e-6)  # 3 is not 2 cut off, 2.999 is
    shortened = np.where(numbers == 0, -ends[1], np.minimum(*ends)), np.maximum(*ends)
    ways = [range(len(READINGS))] * 2 if stepwise else [[GENEROUS], [FACE]]
    generous, face = (_meets_any(rounded, expected, each) for each in ways)
    cut_generous, cut_face = (_meets_any(shortened, expected, each) for each in ways)
    all_cut = bool((cut_face | cut_generous | ~(generous | cut_generous)).all())
    cut = (~face & cut_face) | (~generous & cut_generous) if all_cut else np.zeros_like(face)
    with np.errstate(invalid="ignore"):  # of infinities
        cut &= np.abs(expected.middle(LOCAL) - (numbers + away * unit)) > 1e-5 * unit  # 0.965 has no digit to cut off
    wrong = ~generous & ~cut
    return Fit(expected, wrong, cut, generous & ~face & ~cut, generous)


_ENDLESS = 1e4  # what stands for infinity in a program, as −1e9 does in a mask, is called so


def _meets_any(bounds: tuple[Floats, Floats], expected: Value, readings: Iterable[int]) -> Flags:
    return np.asarray(np.any([_meets(bounds, expected, reading) for reading in readings], axis=0))


def _meets(bounds: tuple[Floats, Floats], expected: Value, reading: int) -> Flags:
    low, high = expected.low[reading], expected.high[reading]
    with np.errstate(invalid="ignore", over="ignore"):
        tolerance = 1e-9 * np.maximum(1.0, np.abs(np.where(np.isfinite(low), low, 0.0)))
        same = (bounds[0] == low) & (bounds[1] == high)  # infinities
        same |= (bounds[1] == -np.inf) & (high <= -_ENDLESS) | (bounds[0] == np.inf) & (low >= _ENDLESS)
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
    rounded = widened(expected, np.where(whole & _is_whole(expected), 0.0, unit / 2))
    if unseen is not None:
        ends = slice(GENEROUS, FACE + 1)
        low[ends] = np.where(unseen, np.minimum(low[ends], rounded.low[ends]), low[ends])
        high[ends] = np.where(unseen, np.maximum(high[ends], rounded.high[ends]), high[ends])
    return Value(np.where(among, low, rounded.low), np.where(among, high, rounded.high))


def in_steps(literal: Node, found: Fit, decimals: int) -> Value:
    """A checked result as it is carried on where each step was asked to be rounded: four numbers, and nothing between.

    As it is printed; unrounded from the given numbers; unrounded from the numbers printed before it; and as the sheet's
    own solution has it, rounded from rounded numbers. Where it does not fit, the printed number gives way to that one.
    """
    expected = found.expected
    numbers = printed_value(literal, given=False).middle(LOCAL)
    solution, local = rounded_to(expected, FACE, decimals), rounded_to(expected, LOCAL, decimals)
    ends = []
    for side, (of_solution, of_page) in zip(
        (expected.low, expected.high), zip(solution, local, strict=True), strict=True
    ):
        end = side.copy()
        end[GENEROUS], end[FACE] = side[LOCAL], of_solution
        end[LOCAL] = np.where(found.wrong, of_page, numbers)
        ends.append(end)
    return Value(*ends)


def print_whole(literal: Node) -> bool:
    """Whether all its numbers are whole."""
    return all(number.decimals is None for row in entries_of(literal) for number in row)


def _is_whole(expected: Value) -> Flags:
    middle = expected.middle(DEEP)
    with np.errstate(invalid="ignore"):
        return np.abs(middle - np.round(middle)) < 1e-9


def as_printed(raw: Value, found: Fit, mended: Value) -> Value:
    """The numbers on the page as somebody goes on with them: `raw` where they are wrong, `mended` where right."""
    return Value(np.where(found.wrong, raw.low, mended.low), np.where(found.wrong, raw.high, mended.high))


def fit_values(value: Value, expected: Value) -> Fit:
    """Compares two worked-out values; whatever intervals have in common is right."""
    expected = expected.fitted(value.shape)
    generous = _meets((value.low[GENEROUS], value.high[GENEROUS]), expected, GENEROUS)
    nothing = np.zeros_like(generous)
    return Fit(expected, ~generous, nothing, nothing, generous)


def is_near_miss(printed: Number, right: float) -> bool:
    """Whether the printed number is so close to the right one that it was meant for it.

    One digit differs of three or more, two are exchanged, the sign or the point is elsewhere; or a fiftieth is missing.
    """
    if not np.isfinite(right) or not np.isfinite(printed.value):
        return False
    difference = abs(printed.value - right)
    if difference <= 0.02 * abs(right):
        return True
    decimals = max(0, printed.decimals or 0)
    ours, theirs = (re.sub(r"\D", "", f"{abs(number):.{decimals}f}").lstrip("0") for number in (right, printed.value))
    if len(ours) < 2 or not theirs:
        return False
    if ours == theirs or ours.rstrip("0") == theirs.rstrip("0"):
        return 1e-3 < abs(printed.value / right) < 1e3  # the sign, or the point
    if len(ours) != len(theirs) and decimals == 0:
        return False  # a digit is missing, or one too many
    length = max(len(ours), len(theirs))
    ours, theirs = ours.zfill(length), theirs.zfill(length)  # 6.223 for 0.223
    differ = sum(a != b for a, b in zip(ours, theirs, strict=True))
    return length > 2 and (differ == 1 or (differ == 2 and sorted(ours) == sorted(theirs)))


def are_near_misses(literal: Node, wrong: Flags, right: Value) -> bool:
    """Whether every wrong number is one, from the numbers on the page or from the given ones."""
    numbers = entries_of(literal)
    return all(
        any(is_near_miss(numbers[i][j], float(right.middle(reading)[i, j])) for reading in (LOCAL, DEEP))
        for i, j in np.argwhere(wrong).tolist()
    )
