"""What a page asks: its fields taken out one by one, each of the right kind and size.

Says what is wrong in words. It knows no room and does no work.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from glassformer.errors import InputError, nearest

Content = Mapping[str, Any]


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


def texts(content: Content, name: str, count: int) -> list[str]:
    """So many texts."""
    value = content.get(name)
    if not isinstance(value, list) or len(value) != count or not all(isinstance(each, str) for each in value):
        raise InputError(f"'{name}' must be a list of {count} texts; it is {_short(value)}.")
    return [text({name: each}, name) for each in value]


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
