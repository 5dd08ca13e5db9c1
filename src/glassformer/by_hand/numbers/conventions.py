"""The choices behind one and the same writing: A B entry by entry or as matrices, log to base e or 2, a list upright.

An evaluator works under one convention and notes which choices made a difference; `others` then gives the further ones
to try, few changes first and never more than MOST. Knows nothing of notes.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product
from typing import Any

MOST = 48  # conventions tried for one claim
MOST_WAYS = 8  # of a loss or a pooling
_MOST_CHANGES = 3  # of the choices at once


@dataclass(frozen=True)
class Convention:
    """One way to mean what is written."""

    entrywise: bool = False  # A B of one shape: entry by entry
    cross: bool = False  # a × b of two or three numbers each: the cross product
    upright: bool = False  # a list of numbers is a column
    base: float = math.e  # of log
    degrees: bool = False  # of sin and cos
    spread: tuple[int, float] = (0, 0.0)  # variance: divided by n − this; and what is added under the root
    e: float = math.e  # as the writer takes it
    diagonal: bool = False  # a number added to a square matrix: so many times the identity
    down: bool = False  # softmax over columns
    whole: bool = False  # mean, sum or largest of all numbers, not of each row
    from_zero: bool = False  # x_1 is the second row of X
    smooth: bool = False  # GELU by its tanh formula
    way: int = 0  # which of the usual ways of a loss or a pooling
    slid: int = 0  # of * and conv: 1 slides the kernel as it is, 2 flipped
    versions: tuple[tuple[str, int], ...] = ()  # names that stand for something they stood for before
    rounding: float = 0.0  # half a unit of the digit to which every result on the way was rounded


PLAIN = Convention()


@dataclass(frozen=True)
class Habits:
    """What the notes themselves say about their conventions."""

    e: tuple[float, ...] = ()  # announced values of e
    by_columns: bool = False  # tokens stand in columns


@dataclass
class Ambiguities:
    """What an evaluation met that could have been meant otherwise."""

    features: set[str] = field(default_factory=set)
    versions: dict[str, int] = field(default_factory=dict)  # names and how many meanings they have had


_OPTIONS: dict[str, list[Any]] = {
    "entrywise": [True],
    "cross": [True],
    "diagonal": [True],
    "upright": [True],
    "base": [2.0, 10.0],
    "degrees": [True],
    "spread": [(1, 0.0), (0, 1e-5), (0, 1e-6), (0, 1e-8), (1, 1e-5)],
    "whole": [True],
    "from_zero": [True],
    "smooth": [True],
    "way": list(range(1, MOST_WAYS)),
    "slid": [1, 2],
}


def others(met: Ambiguities, habits: Habits, half: float) -> Iterator[Convention]:
    """The other conventions that what was met allows: with rounding on the way, then those with few changes first."""
    return islice(_others(met, habits, half), MOST)


def _others(met: Ambiguities, habits: Habits, half: float) -> Iterator[Convention]:
    options = {name: values for name, values in _OPTIONS.items() if name in met.features}
    if habits.e and "e" in met.features:
        options["e"] = list(habits.e)
    if habits.by_columns and "down" in met.features:
        options["down"] = [True]
    if met.versions:
        options["versions"] = list(_versions(met.versions))
    if half:
        yield replace(PLAIN, rounding=half)
    for size in range(1, _MOST_CHANGES + 1):
        for names in combinations(options, size):
            for values in product(*(options[name] for name in names)):
                yield replace(PLAIN, **dict(zip(names, values, strict=True)))


def _versions(counts: dict[str, int]) -> Iterable[tuple[tuple[str, int], ...]]:
    """One name in an earlier meaning, then all of them."""
    for name, count in counts.items():
        for version in range(1, count):
            yield ((name, version),)
    for version in range(1, max(counts.values())):
        yield tuple((name, min(version, count - 1)) for name, count in counts.items())
