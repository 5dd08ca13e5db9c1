"""What a page asks: JSON read strictly, and its fields taken out one by one, each of the right kind and size.

Says what is wrong in words. It knows no room and does no work.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from glassformer.errors import InputError, nearest

Content = Mapping[str, Any]
DEEPEST = 12  # lists in lists


def read_json(body: bytes) -> dict[str, Any]:
    """The object in a body. NaN and Infinity are no JSON, and a name may stand only once."""
    try:
        found = json.loads(body.decode() or "{}", parse_constant=_no_number, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"The request is not JSON: {' '.join(str(error).split())[:200]}.") from error
    if not isinstance(found, dict):
        raise InputError("The request must be an object with names and values.")
    _check_depth(found, 0)
    return found


def _no_number(word: str) -> NoReturn:
    raise InputError(f"{word} is not a number that can be worked with; give a finite one.")


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InputError("A name stands twice in the request.")
    return found


def _check_depth(value: Any, depth: int) -> None:
    if depth > DEEPEST:
        raise InputError(f"The request is nested more than {DEEPEST} deep.")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("A number in the request is too large.")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_depth(each, depth + 1)


def text(content: Content, name: str, *, default: str | None = None, longest: int = 200) -> str:
    """A text of at most so many characters."""
    value = content.get(name, default)
    if not isinstance(value, str):
        raise InputError(f"'{name}' must be a text; it is {_short(value)}.")
    if len(value) > longest:
        raise InputError(f"'{name}' has {len(value):,} characters; {longest:,} are the most.")
    return value


def choice(content: Content, name: str, known: Sequence[str], default: str | None = None) -> str:
    """One of the known words."""
    value = text(content, name, default=default)
    if value not in known:
        raise InputError(f"There is no {name} called '{value}'; {nearest(value, known)}")
    return value


def whole(content: Content, name: str, *, least: int, most: int, default: int | None = None) -> int:
    """A whole number between two others."""
    value = content.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(f"'{name}' must be a whole number from {least} to {most:,}; it is {_short(value)}.")
    return value


def number(content: Content, name: str, *, least: float = -1e9, most: float = 1e9) -> float:
    """A number between two others."""
    value = content.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise InputError(f"'{name}' must be a number from {least:g} to {most:g}; it is {_short(value)}.")
    return float(value)


def places(content: Content, name: str) -> tuple[int, ...]:
    """Where a number stands: one whole number for each axis."""
    value = content.get(name)
    if not isinstance(value, list) or not all(type(each) is int and 0 <= each < 2**31 for each in value):
        raise InputError(f"'{name}' must be a list of whole numbers, one for each axis; it is {_short(value)}.")
    return tuple(value[:8])


def mapping(content: Content, name: str) -> dict[str, Any]:
    """Names and values."""
    value = content.get(name)
    if not isinstance(value, dict):
        raise InputError(f"'{name}' must hold names and values; it is {_short(value)}.")
    return value


def several(content: Content, name: str, *, most: int) -> list[dict[str, Any]]:
    """A list of objects; none if it is not there."""
    value = content.get(name, [])
    if not isinstance(value, list) or len(value) > most or not all(isinstance(each, dict) for each in value):
        raise InputError(f"'{name}' must be a list of at most {most} objects; it is {_short(value)}.")
    return value


def _short(value: Any) -> str:
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}…"
