"""Worksheets: the givens of one attention, read from a file, a mapping or a sentence, and checked before any work.

A worksheet knows the catalogue's names and the shapes that must fit together. It computes nothing, and needs no torch.
"""

import json
import math
import random
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from glassformer.errors import InputError, nearest
from glassformer.stages import CATALOGUE

Matrix = NDArray[np.float64]

# What a worksheet may say. The givens go by the names of their stages.
GIVENS = (
    *("inputs", "context", "queries", "keys", "values", "scores", "synthesizer_weight", "synthesizer_bias"),
    *(f"{name}_{kind}" for name in ("query", "key", "value", "output") for kind in ("weight", "bias")),
)
SETTINGS = ("title", "about", "tokens", "context_tokens", "heads", "scale", "key_width", "mask", "weigher", "scorer")
SENTENCE_SETTINGS = ("sentence", "width", "seed")
WEIGHER_NAMES = tuple(way.how for way in CATALOGUE["weights"].ways)
# Each scorer, and what must be given to work it from inputs.
SCORERS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "dot product": ("query_weight", "key_weight", "value_weight"),
        "dense synthesizer": ("query_weight", "value_weight", "synthesizer_weight", "synthesizer_bias"),
        "random synthesizer": ("value_weight", "synthesizer_weight"),
    }
)
LARGEST_FILE = 1_000_000  # bytes: a worksheet is something a person can read
MOST_TOKENS = 64


@dataclass(frozen=True)
class Worksheet:
    """The givens, each under its stage's name, and the settings that say how to work on them."""

    givens: Mapping[str, Matrix]
    name: str = "worksheet"  # the example or file it came from
    title: str = "Attention"
    about: str = ""
    tokens: tuple[str, ...] = ()
    context_tokens: tuple[str, ...] = ()
    heads: int = 1
    scale: float | None = None  # β; None is 1/√(key width)
    causal: bool = False
    mask: NDArray[np.bool_] | None = None
    weigher: str = "softmax"
    scorer: str = "dot product"

    def __contains__(self, given: str) -> bool:
        return given in self.givens


# --- where a worksheet comes from -------------------------------------------------------------------------------


def example_names() -> list[str]:
    """The worked examples that come with the package."""
    folder = resources.files("glassformer") / "examples"
    return sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))


def read_example(name: str) -> Worksheet:
    """One of the worked examples, by name."""
    if name not in example_names():
        raise InputError(f"There is no example called '{name}'; {nearest(name, example_names())}")
    text = (resources.files("glassformer") / "examples" / f"{name}.toml").read_text(encoding="utf-8")
    return from_mapping(tomllib.loads(text), name)


def read_file(path: str | Path) -> Worksheet:
    """A worksheet from a TOML, YAML or JSON file."""
    path = Path(path)
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        raise InputError(f"{path} is not a worksheet: expected a file ending in {', '.join(sorted(_PARSERS))}.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path} has {path.stat().st_size:,} bytes; a worksheet has at most {LARGEST_FILE:,}.")
        content = parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not text: byte {error.start} is not UTF-8. Save the worksheet as UTF-8."
        ) from error
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        kind = path.suffix.lstrip(".").upper()
        raise InputError(f"{path} is not {kind}: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} must hold names and values, such as inputs = [[1, 0], [0, 1]].")
    try:
        return from_mapping(content, path.name)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


class _PlainYaml(yaml.SafeLoader):
    """YAML without aliases: a short file must not unfold into a huge one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases (*name) are not used in worksheets; write the values out")
        return super().compose_node(parent, index)


def _parse_yaml(text: str) -> Any:
    return yaml.load(text, Loader=_PlainYaml)


_PARSERS: MappingProxyType[str, Callable[[str], Any]] = MappingProxyType(
    {".toml": tomllib.loads, ".yaml": _parse_yaml, ".yml": _parse_yaml, ".json": json.loads}
)


def from_sentence(sentence: str, *, width: int = 4, heads: int = 1, seed: int = 0, **settings: Any) -> Worksheet:
    """A worksheet for a sentence: random inputs and weights of one decimal, the same for the same seed."""
    tokens = sentence.split()
    if not tokens:
        raise InputError("The sentence is empty; write at least one word.")
    if len(tokens) > MOST_TOKENS:
        raise InputError(f"The sentence has {len(tokens)} words; by hand, {MOST_TOKENS} are the most.")
    if not isinstance(width, int) or width < 1 or width > MOST_TOKENS or width % max(int(heads), 1):
        raise InputError(
            f"A width of {width} does not fit {heads} heads: choose a multiple of them, {MOST_TOKENS} at most."
        )
    draw = random.Random(seed)

    def matrix(rows: int) -> list[list[float]]:
        return [[round(draw.uniform(-1, 1), 1) for _ in range(width)] for _ in range(rows)]

    weights = {f"{name}_weight": matrix(width) for name in ("query", "key", "value", "output")}
    about = f"Random inputs and weights, seed {seed}."
    given = {"title": sentence, "about": about, "tokens": tokens, "heads": heads, "inputs": matrix(len(tokens))}
    return from_mapping({**given, **weights, **settings}, "sentence")


def from_mapping(content: Mapping[str, Any], name: str = "worksheet") -> Worksheet:
    """A worksheet from names and values; a given may go by its stage's name or its symbol (`query_weight`, `W_Q`)."""
    by_symbol = {CATALOGUE[name].symbol: name for name in GIVENS}
    named = {by_symbol.get(key, key): value for key, value in content.items()}
    if "sentence" in named:
        words = {key: named.pop(key) for key in SENTENCE_SETTINGS if key in named}
        return from_sentence(str(words.pop("sentence")), **words, **named)
    known = {*GIVENS, *SETTINGS, *SENTENCE_SETTINGS}
    for key in named.keys() - known:
        raise InputError(f"A worksheet has no '{key}'; {nearest(key, known)}")
    givens = {each: _numbers(each, named[each]) for each in GIVENS if each in named}
    causal, mask = _mask(named.get("mask", "none"))
    sheet = Worksheet(
        givens=MappingProxyType(givens),
        name=name,
        title=str(named.get("title", "Attention")),
        about=str(named.get("about", "")),
        tokens=_words("tokens", named.get("tokens", ())),
        context_tokens=_words("context_tokens", named.get("context_tokens", ())),
        heads=_count("heads", named.get("heads", 1)),
        scale=_scale(named),
        causal=causal,
        mask=mask,
        weigher=_choice("weigher", named.get("weigher", "softmax"), WEIGHER_NAMES),
        scorer=_choice("scorer", named.get("scorer", "dot product"), tuple(SCORERS)),
    )
    _check_givens(sheet)
    _check_shapes(sheet)
    return sheet


# --- each value by itself ---------------------------------------------------------------------------------------


def _numbers(name: str, value: Any) -> Matrix:
    """A vector for a bias, a matrix for the rest (scores and synthesizer tables may have one matrix per head)."""
    _check_nested(name, value)
    try:
        array = np.array(value, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} must be rows of numbers of equal length; it is {_short(value)}.") from error
    wanted = (1, 2) if name.endswith("_bias") else (2, 3)
    if array.ndim not in wanted or array.size == 0:
        kind = "a row of numbers" if name.endswith("_bias") else "a matrix such as [[1, 0], [0, 1]]"
        raise InputError(f"{name} must be {kind}; it is {_short(value)}.")
    return array


def _check_nested(name: str, value: Any, place: tuple[int, ...] = ()) -> None:
    """Numbers only, all finite: names the place of the first that is not."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(place) < 3:
        for i, each in enumerate(value):
            _check_nested(name, each, (*place, i))
        return
    where = f"{name}[{','.join(map(str, place))}]" if place else name
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where} is {_short(value)}; expected a number.")
    if not math.isfinite(value):
        raise InputError(f"{where} is {value}; every given must be a finite number.")


def _mask(value: Any) -> tuple[bool, NDArray[np.bool_] | None]:
    if isinstance(value, str):
        return _choice("mask", value, ("none", "causal")) == "causal", None
    try:
        entries = np.array(value)
    except ValueError:
        entries = np.empty(0)
    if entries.ndim not in (2, 3) or entries.dtype.kind not in "biuf" or not np.isin(entries, (0, 1)).all():
        raise InputError(
            'mask must be "none", "causal", or rows of 1 (may look) and 0 (may not), one per query; '
            f"it is {_short(value)}."
        )
    return False, entries.astype(np.bool_)


def _scale(named: Mapping[str, Any]) -> float | None:
    if "key_width" in named:
        if "scale" in named:
            raise InputError("Give either scale or key_width (the scale is then 1/√key_width), not both.")
        return 1.0 / math.sqrt(_count("key_width", named["key_width"]))
    if "scale" not in named:
        return None
    _check_nested("scale", named["scale"])
    return float(named["scale"])


def _count(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4096:
        raise InputError(f"{name} must be a whole number from 1 to 4096; it is {_short(value)}.")
    return value


def _choice(name: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise InputError(f"{name} cannot be {_short(value)}; {nearest(str(value), choices)}")
    return str(value)


def _words(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(value.split())
    if not isinstance(value, Sequence):
        raise InputError(f'{name} must be a list of words, such as ["I", "love", "AI"]; it is {_short(value)}.')
    return tuple(str(word) for word in value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


# --- all of them together ---------------------------------------------------------------------------------------


def _check_givens(sheet: Worksheet) -> None:
    """Are the givens a beginning from which the rest can be worked?"""
    if "scores" in sheet:
        return
    if "queries" in sheet or "keys" in sheet:
        _require(sheet, ("queries", "keys"), "to work from queries and keys")
        return
    if "inputs" not in sheet:
        raise InputError("Nothing to work from: give inputs (and weights), or queries and keys, or scores.")
    if sheet.scorer != "dot product" or any(name.endswith(("_weight", "_bias")) for name in sheet.givens):
        _require(sheet, SCORERS[sheet.scorer], f"for a {sheet.scorer}")


def _require(sheet: Worksheet, wanted: Sequence[str], why: str) -> None:
    missing = [name for name in wanted if name not in sheet]
    if missing:
        found = ", ".join(sheet.givens) or "nothing"
        raise InputError(f"{' and '.join(missing)} must be given {why}; the worksheet has {found}.")


def _check_shapes(sheet: Worksheet) -> None:
    """Do rows and columns meet?"""
    source = "context" if "context" in sheet else "inputs"
    for left, right in (
        ("inputs", "query_weight"),
        (source, "key_weight"),
        (source, "value_weight"),
        ("value_weight", "output_weight"),
        ("values", "output_weight"),
    ):
        _meet(sheet, left, right)
    _equal_columns(sheet, "query_weight", "key_weight")
    _equal_columns(sheet, "queries", "keys")
    for name in ("query", "key", "value", "output"):
        _equal_columns(sheet, f"{name}_weight", f"{name}_bias")
    for name in ("query_weight", "key_weight", "value_weight", "queries", "keys", "values"):
        if name in sheet and sheet.givens[name].shape[-1] % sheet.heads:
            columns = sheet.givens[name].shape[-1]
            raise InputError(f"{name} has {columns} columns, which {sheet.heads} heads cannot share evenly.")
    _check_length(sheet, "tokens", sheet.tokens, ("inputs", "queries", "scores"), axis=-2)
    _check_length(sheet, "context_tokens", sheet.context_tokens, ("context", "keys"), axis=-2)


def _meet(sheet: Worksheet, left: str, right: str) -> None:
    if left in sheet and right in sheet:
        columns, rows = sheet.givens[left].shape[-1], sheet.givens[right].shape[0]
        if columns != rows:
            product = f"{CATALOGUE[left].symbol} {CATALOGUE[right].symbol}"
            raise InputError(
                f"{product} needs as many columns left as rows right: {left} has {columns}, {right} {rows}."
            )


def _equal_columns(sheet: Worksheet, one: str, other: str) -> None:
    if one in sheet and other in sheet:
        left, right = sheet.givens[one].shape[-1], sheet.givens[other].shape[-1]
        if left != right:
            raise InputError(f"{one} and {other} must have the same number of columns: {left} and {right}.")


def _check_length(sheet: Worksheet, name: str, words: Sequence[str], rows_of: Sequence[str], axis: int) -> None:
    found = next((given for given in rows_of if given in sheet), None)
    if words and found and sheet.givens[found].shape[axis] != len(words):
        raise InputError(f"{name} has {len(words)} words, but {found} has {sheet.givens[found].shape[axis]} rows.")
