"""JSON from strangers, read strictly: an object, finite numbers, each name once, not too deep. It knows no field."""

import json
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from glassformer.errors import InputError
from glassformer.storage import HALF

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
    """Refuses what is nested too deep, and what no answer could repeat: infinity, half a character."""
    if depth > DEEPEST:
        raise InputError(f"The request is nested more than {DEEPEST} deep.")
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("A number in the request is too large.")
    if isinstance(value, str) and HALF.search(value):
        raise InputError("A text in the request holds half a character (a lone surrogate); send it as whole UTF-8.")
    for each in [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ():
        _check_depth(each, depth + 1)
