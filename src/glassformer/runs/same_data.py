"""The words of `glassformer train` that name the data of a run again, so that a command read from it can be pasted. It
knows no training; what came from standard input cannot be named again."""

from collections.abc import Iterator, Mapping
from typing import Any

from glassformer.models.card import Card

_SAID = ("valid", "test", "encoding", "limit", "without", "more")  # as `config.toml` and the options call them


def same_data(settings: Mapping[str, Any], card: Card) -> list[str]:
    """The source, its columns and all else that was said of it; of a model without settings only its card is known."""
    data = settings.get("data", {})
    return [str(data.get("source", card.data)), *_options(data)]


def _options(data: Mapping[str, Any]) -> Iterator[str]:
    said = {**data.get("columns", {}), **{name: data[name] for name in _SAID if data.get(name)}}
    if data.get("seed"):
        said["seed"] = data["seed"]  # what is made, split off or thinned is then the same
    for name, value in said.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            # A value that begins like an option must stand in one word with its own.
            yield from [f"--{name}={each}"] if str(each).startswith("-") else [f"--{name}", str(each)]
