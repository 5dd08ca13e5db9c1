"""Slips of the pen: a sign, a digit, a place, a term. Each changes numbers that were worked out rightly.

A slip is named only if it gives every wrong number of the matrix as printed.
"""

import re
from collections.abc import Iterator
from itertools import combinations, pairwise

import numpy as np

from glassformer.by_hand.grammar.expressions import Call, Matrix, Node, Number, Product, children
from glassformer.by_hand.numbers.comparison import units
from glassformer.by_hand.numbers.intervals import DEEP, FACE, LOCAL
from glassformer.by_hand.slips.causes import (
    COPIED,
    DIGITS,
    EXCHANGED,
    NEIGHBOUR,
    POINT,
    SIGN,
    TERM_LEFT_OUT,
    TERM_SIGN,
    TWO_EXCHANGED,
    Bounds,
    Scene,
)
from glassformer.errors import InputError


def pen_slips(scene: Scene) -> Iterator[str]:
    """All that give the wrong numbers, likelier ones first."""
    low, high = scene.right.low[FACE], scene.right.high[FACE]
    rows, columns = low.shape

    def at(i: int, j: int) -> Bounds:
        return float(low[i, j]), float(high[i, j])

    def neighbours(i: int, j: int) -> Iterator[Bounds]:
        for a, b in ((i, j - 1), (i, j + 1), (i - 1, j), (i + 1, j)):
            if 0 <= a < rows and 0 <= b < columns:
                yield at(a, b)

    if scene.entries_reproduced(lambda i, j: iter([(-high[i, j], -low[i, j])])):
        yield SIGN
    if scene.entries_reproduced(lambda i, j: _moved_points(scene, i, j)):
        yield POINT
    if scene.entries_reproduced(lambda i, j: _digit_swaps(scene, i, j)):
        yield DIGITS
    if rows == columns and rows > 1 and scene.entries_reproduced(lambda i, j: iter([at(j, i)] if i != j else [])):
        yield EXCHANGED
    if scene.wrong.sum() == 1 and scene.entries_reproduced(neighbours):
        yield NEIGHBOUR
    if scene.wrong.sum() == 2:
        one, other = np.argwhere(scene.wrong).tolist()
        if scene.entries_reproduced(lambda i, j: iter([at(*(other if [i, j] == one else one))])):
            yield TWO_EXCHANGED
    yield from _copies(scene)
    yield from _term_slips(scene)
    if scene.entries_reproduced(lambda i, j: _digit_swaps(scene, i, j, apart=True)):
        yield DIGITS


def _as_rounded(scene: Scene, i: int, j: int) -> set[str]:
    """The right number as it would be printed; its last digit may depend on who rounded where."""
    decimals = max(0, round(-np.log10(units(scene.literal)[i, j])))
    bounds = (scene.right.low[FACE], scene.right.high[FACE], scene.right.middle(LOCAL), scene.right.middle(DEEP))
    return {f"{each[i, j]:.{decimals}f}" for each in bounds if np.isfinite(each[i, j])}


def _moved_points(scene: Scene, i: int, j: int) -> Iterator[Bounds]:
    if scene.numbers[i, j] == 0:
        return  # a nought shows no digits
    for text in _as_rounded(scene, i, j):
        for factor in (10.0, 0.1, 100.0, 0.01):
            yield float(text) * factor, float(text) * factor
    for factor in (10.0, 100.0):  # digits that rounding would hide
        moved = float(scene.right.middle(LOCAL)[i, j]) * factor
        yield moved, moved


def _digit_swaps(scene: Scene, i: int, j: int, *, apart: bool = False) -> Iterator[Bounds]:
    """Two digits exchanged: next to each other, or any two of them."""
    for right in _as_rounded(scene, i, j):
        text = right.lstrip("-")
        places = [m.start() for m in re.finditer(r"\d", text)]
        for a, b in combinations(places, 2) if apart else pairwise(places):
            if text[a] != text[b]:
                signs = list(text)
                signs[a], signs[b] = signs[b], signs[a]
                swapped = float("".join(signs)) * (-1 if right.startswith("-") else 1)
                yield swapped, swapped


def _copies(scene: Scene) -> Iterator[str]:
    """The numbers of something that went in, at the same places; one number alone may be there by chance."""
    if isinstance(scene.literal, Number) or (isinstance(scene.expected, Call) and scene.expected.function == "relu"):
        return
    for operand in _operands(scene.expected):
        try:
            value = scene.evaluate(operand).fitted(scene.right.shape)
        except InputError:
            continue
        low, high = value.low[FACE], value.high[FACE]
        if scene.entries_reproduced(lambda i, j, low=low, high=high: iter([(low[i, j], high[i, j])])):  # type: ignore[misc]
            yield COPIED


def _operands(node: Node) -> Iterator[Node]:
    for child in children(node):
        yield child
        if not isinstance(child, Matrix):
            yield from _operands(child)


def _term_slips(scene: Scene) -> Iterator[str]:
    """In a product of two matrices each entry is a sum of products."""
    expected = scene.expected
    if not isinstance(expected, Product) or expected.entrywise or len(expected.factors) != 2:
        return
    try:
        first, second = (scene.evaluate(factor) for factor in expected.factors)
    except InputError:
        return
    if first.shape[1] != second.shape[0] or scene.right.shape != (first.shape[0], second.shape[1]):
        return
    a, b, right = first.middle(LOCAL), second.middle(LOCAL), scene.right.middle(LOCAL)

    def without(i: int, j: int, times: int) -> Iterator[Bounds]:
        with np.errstate(invalid="ignore", over="ignore"):
            rest = right[i, j] - times * a[i] * b[:, j]
        return ((each, each) for each in rest.tolist())

    if scene.entries_reproduced(lambda i, j: without(i, j, 1)):
        yield TERM_LEFT_OUT
    if scene.entries_reproduced(lambda i, j: without(i, j, 2)):
        yield TERM_SIGN
