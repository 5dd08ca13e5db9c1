"""The values of a worksheet, each by itself: numbers, masks, counts and words; and what is said of anything else.

Knows the catalogue's axes, and not which values go together.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.by_hand.worksheets.layer_sheets import axes_of
from glassformer.errors import InputError, nearest

Matrix = NDArray[np.float64]


def numbers_of(name: str, value: Any) -> Matrix:
    """A vector for a bias, a matrix for the rest (scores and synthesizer tables may have one matrix per head)."""
    _check_nested(name, value)
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} must be rows of numbers of equal length; it is {brief(value)}.") from error
    wanted = (1, 2) if name.endswith("_bias") else (2, 3)
    if array.ndim not in wanted or array.size == 0:
        kind = "a row of numbers" if name.endswith("_bias") else "a matrix such as [[1, 0], [0, 1]]"
        raise InputError(f"{name} must be {kind}; it is {brief(value)}.")
    return array


def layer_numbers_of(name: str, value: Any) -> Matrix:
    """A number, a row or a matrix, as the catalogue has it."""
    _check_nested(name, value)
    wanted = ("a single number", "a row such as [1, 0]", "a matrix such as [[1, 0], [0, 1]]")[len(axes_of(name))]
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} must be {wanted}, with rows of equal length; it is {brief(value)}.") from error
    if array.ndim != len(axes_of(name)) or array.size == 0:
        raise InputError(f"{name} must be {wanted}; it is {brief(value)}.")
    return array


def _check_nested(name: str, value: Any, place: tuple[int, ...] = ()) -> None:
    """Numbers only, all finite: names the place of the first that is not."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(place) < 3:
        for i, each in enumerate(value):
            _check_nested(name, each, (*place, i))
        return
    where = f"{name}[{','.join(map(str, place))}]" if place else name
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where} is {brief(value)}; expected a number.")
    if not math.isfinite(value):
        raise InputError(f"{where} is {value}; every given must be a finite number.")


def mask_of(value: Any) -> tuple[bool, NDArray[np.bool_] | None]:
    """A mask by its name, or as rows."""
    if isinstance(value, str):
        return choice_of("mask", value, ("none", "causal")) == "causal", None
    try:
        entries = np.array(value)
    except ValueError:
        entries = np.empty(0)
    if entries.ndim not in (2, 3) or entries.dtype.kind not in "biuf" or not np.isin(entries, (0, 1)).all():
        raise InputError(
            'mask must be "none", "causal", or rows of 1 (may look) and 0 (may not), one per query; '
            f"it is {brief(value)}."
        )
    return False, entries.astype(np.bool_)


def number_of(name: str, value: Any) -> float:
    """A single number."""
    _check_nested(name, value)
    if isinstance(value, list | tuple):
        raise InputError(f"{name} must be a single number; it is {brief(value)}.")
    return float(value)


def count_of(name: str, value: Any) -> int:
    """A whole number that counts something."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4096:
        raise InputError(f"{name} must be a whole number from 1 to 4096; it is {brief(value)}.")
    return value


def choice_of(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of several words."""
    if value not in choices:
        raise InputError(f"{name} cannot be {brief(value)}; {nearest(str(value), choices)}")
    return str(value)


def words_of(name: str, value: Any) -> tuple[str, ...]:
    """The words beside the rows."""
    if isinstance(value, str):
        return tuple(value.split())
    if not isinstance(value, Sequence):
        raise InputError(f'{name} must be a list of words, such as ["I", "love", "AI"]; it is {brief(value)}.')
    for word in value:
        if isinstance(word, bool) or word is None:
            raise InputError(f"{name} has {word!r}, not a word: put quotes around words such as yes, no, on and null.")
    return tuple(str(word) for word in value)


def brief(value: Any) -> str:
    """A value as it is named in an error."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
