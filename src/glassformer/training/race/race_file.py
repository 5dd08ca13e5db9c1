"""What `race.json` says, each figure of the kind it was written as: a file that somebody has edited, or half a copy of
one, is refused with the name of the figure. It knows no race, and reads no run."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from glassformer.storage import DamagedError, parse_json

JSON = dict[str, Any]
Test = Callable[[Any], bool]


def read_race(folder: Path) -> JSON:
    """The terms, and how all stand; before anyone has finished there are only the terms."""
    path = folder / "race.json"
    try:
        facts = parse_json(path.read_bytes(), path)
    except OSError as error:
        raise DamagedError(f"{path} cannot be read: {error.strerror}.") from error
    _check(facts, _RACE, path, "")
    for number, model in enumerate(facts.get("models", [])):
        figures = {facts.get("score"): _number, f"{facts.get('score')}_interval": _interval}
        _check(model, {**_MODEL, **figures}, path, f"models[{number}].")
    return facts


def _check(values: Mapping[str, Any], tests: Mapping[Any, Test], path: Path, where: str) -> None:
    for name, test in tests.items():
        if values.get(name) is not None and not test(values[name]):
            raise DamagedError(
                f"{path} is damaged: {where}{name} is {repr(values[name])[:60]}. Take it from a copy, or race again."
            )


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _interval(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_number, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _lead(value: Any) -> bool:
    return isinstance(value, dict) and (value.get("p_value") is None or _number(value["p_value"]))


def _list_of(test: Test) -> Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


_RACE = MappingProxyType(
    {"terms": _mapping, "score": _text, "samples": _number, "guess": _number, "models": _list_of(_mapping)}
)
_MODEL = MappingProxyType(
    {"model": _text, "parameters": _number, "seconds": _number, "reads_order": _flag, "level_with_first": _flag,
     "behind_first": _lead, "runs": _list_of(_text)}
)  # fmt: skip
