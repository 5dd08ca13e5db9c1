"""Worksheets: the givens of one layer, read from a file, a mapping or a sentence, and checked before any work.

A worksheet knows the catalogue's names and the shapes that must fit together. It computes nothing, and needs no torch.
"""

import json
import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from glassformer.by_hand.worksheets.layer_sheets import axes_of, check_layer, kind_of
from glassformer.by_hand.worksheets.values import (
    Matrix,
    brief,
    choice_of,
    count_of,
    layer_numbers_of,
    mask_of,
    number_of,
    numbers_of,
    words_of,
)
from glassformer.errors import InputError, asked_back, nearest
from glassformer.stages.catalogue import CATALOGUE, stage
from glassformer.stages.other_names import OTHER_NAMES, spelled

# What a worksheet may say. The givens go by the names of their stages.
GIVENS = (
    *("inputs", "context", "queries", "keys", "values", "scores", "synthesizer_weight", "synthesizer_bias"),
    *(f"{name}_{kind}" for name in ("query", "key", "value", "output") for kind in ("weight", "bias")),
)
SETTINGS = (
    *("title", "about", "tokens", "context_tokens", "heads", "scale", "key_width", "mask", "weigher", "scorer"),
    "projections",
)
_WITH_SYMBOLS = (*GIVENS, "scale", "key_width")  # what may be typed by its symbol: W_Q, β, d_k
PROJECTIONS = ("apart", "stacked")
LAYER_SETTINGS = ("title", "about", "tokens", "context_tokens", "vocabulary", "layer")
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
    vocabulary: tuple[str, ...] = ()  # the words that may be written, where some are
    heads: int = 1
    scale: float | None = None  # β; None is 1/√d_k
    key_width: int | None = None  # d_k, where neither queries nor keys are there to show it
    causal: bool = False
    mask: NDArray[np.bool_] | None = None
    weigher: str = "softmax"
    scorer: str = "dot product"
    projections: str = "apart"
    layer: str = "attention"
    words: Mapping[str, str] = field(default_factory=dict)  # the settings of another layer

    def __contains__(self, given: str) -> bool:
        return given in self.givens


# --- where a worksheet comes from -------------------------------------------------------------------------------


def example_names() -> list[str]:
    """The worked examples that come with the package."""
    return sorted(_example_files())


def _example_files() -> dict[str, Traversable]:
    """The files of the examples by name; they stand in folders, one for each family of layers."""
    folders = (resources.files("glassformer.by_hand.worksheets") / "examples").iterdir()
    files = (file for folder in folders if folder.is_dir() for file in folder.iterdir())
    return {file.name.removesuffix(".toml"): file for file in files if file.name.endswith(".toml")}


def example_text(name: str) -> str:
    """The worksheet of an example, as it is written."""
    files = _example_files()
    if name not in files:
        raise InputError(f"There is no example called '{name}'; {nearest(name, files)}")
    return files[name].read_text(encoding="utf-8")


def read_example(name: str) -> Worksheet:
    """One of the worked examples, by name."""
    return from_mapping(tomllib.loads(example_text(name)), name)


_BRACKETED_NAME = re.compile(r"^\s*\w+(?:\[[^\]\n]*\])+\s*=", re.M)


def read_file(path: str | Path) -> Worksheet:
    """A worksheet from a TOML, YAML or JSON file."""
    path = Path(path)
    parse = _PARSERS.get(path.suffix.lower())
    if parse is None:
        raise InputError(f"{path} is not a worksheet: expected a file ending in {', '.join(sorted(_PARSERS))}.")
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path} has {path.stat().st_size:,} bytes; a worksheet has at most {LARGEST_FILE:,}.")
        text = path.read_text(encoding="utf-8")
        content = parse(text)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not text: byte {error.start} is not UTF-8. Save the worksheet as UTF-8."
        ) from error
    except InputError:
        raise
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        kind = path.suffix.lstrip(".").upper()
        quoted = ' A name with brackets stands in quotes: "x[t]" = [1, 0].' if _BRACKETED_NAME.search(text) else ""
        raise InputError(f"{path} is not {kind}: {' '.join(str(error).split())}.{quoted}") from error
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
    """A worksheet for a sentence: random inputs and weights of one decimal, the same for the same word and seed."""
    tokens = sentence.split()
    if not tokens:
        raise InputError("The sentence is empty; write at least one word.")
    if len(tokens) > MOST_TOKENS:
        raise InputError(f"The sentence has {len(tokens)} words; by hand, {MOST_TOKENS} are the most.")
    if count_of("width", width) % count_of("heads", heads) or width > MOST_TOKENS:
        raise InputError(
            f"A width of {width} does not fit {heads} heads: choose a multiple of them, {MOST_TOKENS} at most."
        )
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InputError(f"seed must be a whole number; it is {brief(seed)}.")
    draw = random.Random(seed)

    def row() -> list[float]:
        return [round(draw.uniform(-1, 1), 1) for _ in range(width)]

    words = {word: row() for word in dict.fromkeys(tokens)}
    weights = {f"{name}_weight": [row() for _ in range(width)] for name in ("query", "key", "value", "output")}
    about = f"Random inputs and weights, seed {seed}."
    inputs = [words[token] for token in tokens]
    given = {"title": sentence, "about": about, "tokens": tokens, "heads": heads, "inputs": inputs}
    return from_mapping({**given, **weights, **settings}, "sentence")


def from_mapping(content: Mapping[str, Any], name: str = "worksheet") -> Worksheet:
    """A worksheet from names and values; a given may go by its stage's name or its symbol (`query_weight`, `W_Q`)."""
    layer = str(content.get("layer", "attention"))
    if layer != "attention":
        return _layer_sheet(layer, content, name)
    named = _by_name(content, _WITH_SYMBOLS)
    if "sentence" in named:
        words = {key: named.pop(key) for key in SENTENCE_SETTINGS if key in named}
        return from_sentence(str(words.pop("sentence")), **words, **named)
    for key in named.keys() - {*GIVENS, *SETTINGS, "layer"}:
        if key in SENTENCE_SETTINGS:
            raise InputError(f"'{key}' goes with a sentence; this worksheet has none.")
        raise InputError(f"A worksheet has no '{key}'; {_nearest(key, _WITH_SYMBOLS, (*SETTINGS, *SENTENCE_SETTINGS))}")
    givens = {each: numbers_of(each, named[each]) for each in GIVENS if each in named}
    causal, mask = mask_of(named.get("mask", "none"))
    if causal and "context" in givens:
        raise InputError(
            "mask = 'causal' looks back within one sequence, and this worksheet has a context. Write the mask out: for "
            "each row of inputs a row of 1 (it may look) and 0 (it may not), one for each row of context."
        )
    sheet = Worksheet(
        givens=MappingProxyType(givens),
        name=name,
        title=str(named.get("title", "Attention")),
        about=str(named.get("about", "")),
        tokens=words_of("tokens", named.get("tokens", ())),
        context_tokens=words_of("context_tokens", named.get("context_tokens", ())),
        heads=count_of("heads", named.get("heads", 1)),
        scale=None if "scale" not in named else number_of("scale", named["scale"]),
        key_width=None if "key_width" not in named else count_of("key_width", named["key_width"]),
        causal=causal,
        mask=mask,
        weigher=choice_of("weigher", named.get("weigher", "softmax"), WEIGHER_NAMES),
        scorer=choice_of("scorer", named.get("scorer", "dot product"), tuple(SCORERS)),
        projections=choice_of("projections", named.get("projections", "apart"), PROJECTIONS),
    )
    _check_givens(sheet)
    _check_shapes(sheet)
    return sheet


def _flat(content: Mapping[str, Any], scope: str = "") -> dict[str, Any]:
    """Tables within tables as addresses: `[self]` with `query_weight` is `self.query_weight`."""
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= _flat(value, f"{scope}{key}.") if isinstance(value, dict) else {f"{scope}{key}": value}
    return found


def _symbols(given: str) -> tuple[str, str]:
    """Its symbol here, and as it can be typed: hₜ₋₁ and h_t-1."""
    return stage(given).symbol, spelled(stage(given).symbol)


def _nearest(key: str, givens: Sequence[str], others: Sequence[str]) -> str:
    """What was meant, by name or by symbol; else all the names, each with its symbol."""
    known = [f"{each} ({stage(each).symbol})" for each in givens] + [each for each in others if each not in givens]
    near = asked_back(key, [*givens, *others, *(stage(each).symbol for each in givens)])
    return near or f"known: {', '.join(known)}."


def _by_name(content: Mapping[str, Any], givens: Sequence[str]) -> dict[str, Any]:
    """What is known by its symbol, or by what notes call it, by its name."""
    scopes = {each: each.removesuffix(stage(each).name) for each in givens}
    by_symbol = {scopes[each] + other: each for each in givens for other in OTHER_NAMES.get(stage(each).name, ())}
    by_symbol |= {scopes[each] + way: each for each in givens for way in _symbols(each)}
    named: dict[str, Any] = {}
    for key, value in content.items():
        known_as = by_symbol.get(str(key)) or by_symbol.get(spelled(str(key)), str(key))
        if known_as in named:
            raise InputError(f"'{known_as}' is given twice, by its name and by its symbol; keep one.")
        named[known_as] = value
    return named


# The words beside rows and above columns: on which axes they stand, and what their places are called.
_WORDS_ON = MappingProxyType(
    {
        "tokens": (("T", "Tq"), "rows"),
        "context_tokens": (("Tk",), "rows"),
        "vocabulary": (("N",), "columns"),
    }
)


def _layer_sheet(layer: str, content: Mapping[str, Any], name: str) -> Worksheet:
    """A worksheet of another layer than attention."""
    kind = kind_of(layer)
    named = _by_name(_flat(content), kind.givens)
    allowed = {*kind.givens, *kind.settings, *LAYER_SETTINGS}
    for key in named.keys() - allowed:
        near = _nearest(key, kind.givens, (*kind.settings, *LAYER_SETTINGS))
        raise InputError(f"A worksheet of the layer '{layer}' has no '{key}'; {near}")
    givens = {each: layer_numbers_of(each, named[each]) for each in kind.givens if each in named}
    check_layer(layer, givens)
    words = {kind: words_of(kind, named.get(kind, ())) for kind in _WORDS_ON}
    for kind_, (axes, called) in _WORDS_ON.items():
        sizes = (dict(zip(axes_of(each), values.shape, strict=True)) for each, values in givens.items())
        places = next((size for each in sizes for axis, size in each.items() if axis in axes), 0)
        if words[kind_] and places != len(words[kind_]):
            raise InputError(f"{kind_} has {len(words[kind_])} words, but there are {places} {called} for them.")
    if words["vocabulary"] and not words["tokens"]:
        words["tokens"] = tuple(words["vocabulary"][int(id_)] for id_ in givens.get("written_ids", ()))
    return Worksheet(
        givens=MappingProxyType(givens),
        name=name,
        title=str(named.get("title", layer.capitalize())),
        about=str(named.get("about", "")),
        tokens=words["tokens"],
        context_tokens=words["context_tokens"],
        vocabulary=words["vocabulary"],
        layer=layer,
        words={each: choice_of(each, str(named.get(each, known[0])), known) for each, known in kind.settings.items()},
    )


# --- all of them together ---------------------------------------------------------------------------------------


def _check_givens(sheet: Worksheet) -> None:
    """Are the givens a beginning from which the rest can be worked, and is each of them used?"""
    if "scores" in sheet:
        wanted: tuple[str, ...] = ("scores",)
        also: tuple[str, ...] = ("values", "output_weight", "output_bias")
        why = "to work from scores"
    elif "queries" in sheet or "keys" in sheet:
        wanted, why = ("queries", "keys"), "to work from queries and keys"
        also = ("values", "output_weight", "output_bias")
    elif "inputs" in sheet:
        has_weights = any(name.endswith(("_weight", "_bias")) for name in sheet.givens)
        wanted = SCORERS[sheet.scorer] if has_weights or sheet.scorer != "dot product" else ()
        biases = tuple(name.replace("_weight", "_bias") for name in (*wanted, "output_weight"))
        also, why = ("inputs", "context", "output_weight", *biases), f"for a {sheet.scorer}"
    else:
        raise InputError("Nothing to work from: give inputs (and weights), or queries and keys, or scores.")
    missing = [name for name in wanted if name not in sheet]
    if missing:
        raise InputError(f"{' and '.join(missing)} must be given {why}; the worksheet has {', '.join(sheet.givens)}.")
    for name in sheet.givens.keys() - {*wanted, *also}:
        raise InputError(f"{name} is not used {why}: take it out, or take out what makes it superfluous.")
    if sheet.key_width is not None and sheet.scale is not None:
        raise InputError("Give either scale or key_width (the scale is then 1/√key_width), not both.")
    three = SCORERS["dot product"]
    if sheet.projections == "stacked" and set(sheet.givens) - {"output_weight", "output_bias"} != {"inputs", *three}:
        raise InputError(f"Projections are stacked of inputs, {', '.join(three)} alone; take the rest out.")
    if "output_bias" in sheet and "output_weight" not in sheet:
        raise InputError("output_bias is added to what output_weight makes; give output_weight as well.")


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
    for name in ("query_weight", "key_weight", "value_weight", "queries", "keys", "values", "inputs", "context"):
        bare = name in ("inputs", "context") and "value_weight" in sheet
        if name in sheet and not bare and sheet.givens[name].shape[-1] % sheet.heads:
            columns = sheet.givens[name].shape[-1]
            raise InputError(f"{name} has {columns} columns, which {sheet.heads} heads cannot share evenly.")
    _check_lengths(sheet)
    if sheet.scorer != "dot product":
        _check_synthesizer(sheet)


def _check_lengths(sheet: Worksheet) -> None:
    """As many words as rows, as many values as keys, and a mask for each pair of them."""
    n_queries, n_keys = _lengths(sheet)
    words = sheet.context_tokens or (sheet.tokens if n_queries == n_keys else ())
    for name, found, wanted in (("tokens", sheet.tokens, n_queries), ("context_tokens", words, n_keys)):
        if found and len(found) != wanted:
            raise InputError(f"{name} has {len(found)} words, but there are {wanted} rows for them.")
    if sheet.tokens and n_queries != n_keys and not sheet.context_tokens:
        raise InputError(f"There are {n_queries} queries and {n_keys} keys; name the keys with context_tokens.")
    if "values" in sheet and sheet.givens["values"].shape[-2] != n_keys:
        raise InputError(f"values has {sheet.givens['values'].shape[-2]} rows, but there are {n_keys} keys.")
    wanted_shapes = [(n_queries, n_keys), (sheet.heads, n_queries, n_keys)]
    if sheet.mask is not None and sheet.mask.shape not in wanted_shapes:
        rows = " × ".join(map(str, sheet.mask.shape))
        raise InputError(f"mask is {rows}, but there are {n_queries} queries and {n_keys} keys: one row per query.")


def _lengths(sheet: Worksheet) -> tuple[int, int]:
    if "scores" in sheet:
        n_queries, n_keys = sheet.givens["scores"].shape[-2:]
        return n_queries, n_keys
    if "queries" in sheet:
        return sheet.givens["queries"].shape[-2], sheet.givens["keys"].shape[-2]
    inputs = sheet.givens["inputs"]
    return inputs.shape[-2], sheet.givens.get("context", inputs).shape[-2]


def _check_synthesizer(sheet: Worksheet) -> None:
    """The table must be as wide as there are keys, and its rows must be those that it is read by."""
    table = sheet.givens["synthesizer_weight"]
    n_queries, n_keys = _lengths(sheet)
    by_query = sheet.scorer == "random synthesizer"
    rows = n_queries if by_query else sheet.givens["query_weight"].shape[-1] // sheet.heads
    if table.shape[-2:] != (rows, n_keys):
        raise InputError(
            f"synthesizer_weight is {table.shape[-2]} × {table.shape[-1]}; a {sheet.scorer} needs {rows} rows "
            f"and a column for each of the {n_keys} keys, and no more: of a wider table write what is used."
        )
    if not by_query and sheet.givens["synthesizer_bias"].shape[-1] != table.shape[-1]:
        raise InputError("synthesizer_bias must have as many columns as synthesizer_weight.")


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
