"""Settings as written on a command line or in a file, `width=64`, as values. Knows no setting by its name."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from glassformer.errors import InputError

LARGEST = 1_000_000  # bytes of a settings file


def from_words(words: Sequence[str]) -> dict[str, Any]:
    """`["width=64", "norm=rms"]` as names and values: numbers, true or false, lists with commas, else text."""
    found: dict[str, Any] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign or not name.strip():
            raise InputError(f"A setting is written name=value, such as width=64; this one is '{word}'.")
        found[name.strip().replace("-", "_")] = _value(value.strip())
    return found


def said(**words: str) -> dict[str, str]:
    """Those options that were given at all."""
    return {name: word for name, word in words.items() if word}


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "," in text:
        return [_value(part.strip()) for part in text.split(",") if part.strip()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def from_file(path: Path) -> dict[str, Any]:
    """Names and values from a TOML or YAML file."""
    text = _text_of(path)
    try:
        content = tomllib.loads(text) if path.suffix == ".toml" else yaml.safe_load(text)
    except (ValueError, yaml.YAMLError) as error:  # of TOML, or a number with thousands of digits
        raise InputError(f"{path} is no sound TOML or YAML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{path} is nested too deeply; write names and values, such as `width = 64`.") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} must hold names and values, such as `width = 64`.")
    return {str(name).replace("-", "_"): value for name, value in content.items()}


def _text_of(path: Path) -> str:
    """All of a small file; a device that never ends is none, nor is a pipe that nobody may ever write to."""
    try:
        if path.is_fifo():
            raise InputError(f"{path} is a pipe, not a file; settings are a few lines of TOML or YAML in one.")
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise InputError(f"{path} is larger than {LARGEST:,} bytes; settings are a few lines of TOML or YAML.")
        return content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
