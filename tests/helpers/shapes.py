"""How many calls of a test have the shapes of what they are given and give back checked. It knows no shape itself.

To check a small layer's shapes takes several times as long as the layer. So every call is checked in the tests of the
folders that say shapes, and elsewhere the first few hundred of each test: a trained model calls the same layers tens of
thousands of times.
"""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from beartype import beartype
from jaxtyping import config

SAYING_SHAPES = ("layers", "models", "objectives", "text")  # as --jaxtyping-packages in pyproject.toml
FIRST_CALLS = 500
_left = {"calls": 0}


def begin_test(path: Path) -> None:
    """From here on calls are checked: all of them, or so many."""
    _left["calls"] = 0 if any(each in path.parts for each in SAYING_SHAPES) else FIRST_CALLS
    config.update("jaxtyping_disable", False)


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """What jaxtyping puts around a function that only has its types: beartype, until the last call that is checked."""
    typed = beartype(function)

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        if _left["calls"]:
            _left["calls"] -= 1
            config.update("jaxtyping_disable", _left["calls"] == 0)
        return typed(*args, **kwargs)

    return counted
