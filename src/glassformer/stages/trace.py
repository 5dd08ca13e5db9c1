"""A trace: the stages one forward pass went through, each under its address, as plain arrays that can be kept.

It goes to JSON and safetensors and back without loss, and it can say how any of its numbers came about. It knows the
catalogue and numpy; it knows nothing of torch, nor of how the pass was watched.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.errors import InputError, nearest
from glassformer.stages.arithmetic import OPERATIONS, Array, Cell, Formatter, Index, Operand, Term, Working
from glassformer.stages.catalogue import stage
from glassformer.stages.notation import plain
from glassformer.stages.other_names import goes_by
from glassformer.stages.stage import Stage, Way, fill
from glassformer.stages.written_places import from_runs, runs

FORMAT = "glassformer-trace/1"


@dataclass(frozen=True)
class Entry:
    """One stage as it was seen."""

    address: str
    values: Array
    how: str = ""  # which of the catalogue's ways made it
    same_as: str = ""  # the earlier address whose very tensor this is
    written: bool = False  # somebody put this in place of what was computed
    unlike: Array | None = None  # of what was written, where it is another number; None: nobody knows, so everywhere

    @property
    def stage(self) -> Stage:
        """What the catalogue says of it."""
        return stage(self.address)

    @property
    def scope(self) -> str:
        """The address without the stage's name, ending in a dot unless empty: `encoder.0.self.`"""
        return self.address[: -len(self.stage.name)]

    @property
    def axes(self) -> tuple[str, ...]:
        """One name per axis; the catalogue's `…` is written out as numbered extra axes."""
        named = self.stage.axes
        if "…" not in named:
            return named
        extra = self.values.ndim - (len(named) - 1)
        return tuple(f"…{i}" for i in range(extra)) + named[1:]

    def written_at(self, index: Index) -> bool:
        """Whether somebody put this very number here; the others of a stage are as they were computed."""
        return self.written and (self.unlike is None or bool(self.unlike[index]))


@dataclass(frozen=True)
class Explanation:
    """Where one number comes from: operation, operands, terms, and the result, which must reproduce the number."""

    address: str
    index: Index
    number: float
    operation: str
    formula: str  # plain
    latex: str
    working: Working

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the working, in order."""
        return self.working.terms

    @property
    def result(self) -> float:
        """What the arithmetic gives, in float64."""
        return self.working.result

    @property
    def operands(self) -> tuple[Cell, ...]:
        """Every cell that went in."""
        return tuple(cell for term in self.terms for cell in term.cells)

    def spell(self, number: Formatter = repr) -> str:
        """The arithmetic as on paper: `e^0.71 / (e^0 + e^0.71 + e^0.71) = 0.401`."""
        result = number(self.result)
        return " = ".join([*(side for side in self.working.sides(number) if side != result), result])

    def __repr__(self) -> str:
        place = ",".join(str(i) for i in self.index)
        return f"{self.address}[{place}] = {self.spell(plain(4))}"

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-ready data, numbers in full precision."""
        return {
            "address": self.address,
            "index": list(self.index),
            "number": _json_number(self.number),
            "operation": self.operation,
            "formula": self.latex,
            "terms": [
                {
                    "value": _json_number(term.value),
                    "text": term.spell(repr),
                    "pattern": term.pattern,
                    "cells": [
                        {
                            "address": cell.address,
                            "index": list(cell.index),
                            "value": _json_number(cell.value),
                        }
                        for cell in term.cells
                    ],
                }
                for term in self.terms
            ],
            "result": _json_number(self.result),
            "text": self.spell(),
            "pattern": self.working.pattern,
        }


@dataclass
class Trace:
    """Addresses and what was seen there, in the order of the computation; `about` is whatever else should be kept."""

    entries: dict[str, Entry] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        names = list(self.entries)
        shown = names if len(names) < 4 else [names[0], "…", names[-1]]
        return f"Trace({len(names)} stages: {', '.join(shown)})" if names else "Trace(0 stages)"

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, address: object) -> bool:
        return address in self.entries

    def __getitem__(self, address: str) -> Array:
        return self.entry(address).values

    def entry(self, address: str) -> Entry:
        """The entry at `address`, or an error that names the nearest one."""
        if address not in self.entries:
            raise InputError(f"The trace has no stage at '{address}'; {nearest(address, self.entries)}")
        return self.entries[address]

    def add(self, entry: Entry) -> None:
        """Keeps one more stage. An address is seen once in a pass."""
        if entry.address in self.entries:
            raise InputError(f"The stage '{entry.address}' was seen twice in one pass; give each part its own scope.")
        named = entry.stage.axes
        fixed = len(named) - ("…" in named)
        if entry.values.ndim < fixed or ("…" not in named and entry.values.ndim != fixed):
            raise InputError(
                f"The stage '{entry.address}' has axes {' '.join(named) or '(a single number)'}, "
                f"but was handed an array of shape {tuple(entry.values.shape)}."
            )
        self.entries[entry.address] = entry

    # --- where a number comes from ------------------------------------------------------------------------------

    def operands(self, address: str) -> list[str | None]:
        """The addresses of a stage's operands in this trace; None where an optional one is absent."""
        entry = self.entry(address)
        way = entry.stage.way(entry.how)
        return [self._resolve(entry.scope, operand) for operand in way.operands] if way else []

    def _resolve(self, scope: str, operand: str) -> str | None:
        choices = operand.removesuffix("?").split("|")
        return next((scope + choice for choice in choices if scope + choice in self.entries), None)

    def patterns(self, way: Way) -> tuple[str, str]:
        """How a way is written: (plain, LaTeX)."""
        return way.plain, way.latex

    def worded(self, sentence: str) -> str:
        """What the catalogue says of a stage, as it is true here."""
        return sentence

    def formula(self, address: str) -> tuple[str, str]:
        """The stage's formula with the symbols of the operands it really had: (plain, LaTeX)."""
        entry = self.entry(address)
        way = entry.stage.way(entry.how)
        if way is None:
            return entry.stage.symbol, entry.stage.latex
        found = [stage(operand) if operand else None for operand in self.operands(address)]
        pattern, latex_pattern = self.patterns(way)
        plain = fill(pattern, [each.symbol if each else None for each in found])
        latex = fill(latex_pattern, [each.latex if each else None for each in found])
        return f"{entry.stage.symbol} = {plain}", f"{entry.stage.latex} = {latex}"

    def explain(self, address: str, index: Index) -> Explanation:
        """How the number at `index` (counted from 0) came about."""
        entry = self.entry(address)
        index = self._whole(entry, index)
        number = float(entry.values[index])
        plain, latex = self.formula(address)
        working, operation = self._working(entry, index, entry.stage.way(entry.how))
        return Explanation(address, index, number, operation, plain, latex, working)

    def _working(self, entry: Entry, index: Index, way: Way | None) -> tuple[Working, str]:
        written = entry.written_at(index)
        if entry.same_as and not written:
            source = Operand(entry.same_as, self[entry.same_as])
            return OPERATIONS["same"](index, source, source), "same"
        operands = self.operands(entry.address)
        missing = way is None or any(
            found is None and not wanted.endswith("?") for found, wanted in zip(operands, way.operands, strict=True)
        )
        if written or way is None or missing:
            return _as_given(entry, index), "written" if written else "given"
        handed = [Operand(found, self[found]) if found else None for found in operands]
        return OPERATIONS[way.operation](index, Operand(entry.address, entry.values), *handed), way.operation

    def find(self, text: str) -> tuple[str, Index]:
        """Reads `weights[1,2]`, `A[1,2]` or `encoder.0.self.weights[0,1,2]`: an address, and a place counted from 0."""
        match = re.fullmatch(
            r"\s*([^\s\[\]](?:[^\[\]]*[^\s\[\]])?(?:\[t(?:\s*[-−]\s*1)?\])?)\s*(?:\[\s*(\d+(?:\s*,\s*\d+)*|)\s*\])?\s*",
            text,
        )
        if match is None:
            raise InputError(
                f"'{text}' is not a number's address; write it as stage[row,column], for example weights[1,2]."
            )
        entry = self.entry(self.named(match[1]))
        return entry.address, self._whole(entry, tuple(int(part) for part in (match[2] or "").split(",") if part))

    def named(self, name: str) -> str:
        """The address that goes by this name; or by this symbol, or what notes call it, in place of its last word."""
        scope, dot, last = name.rpartition(".")
        here = [entry for entry in self.entries.values() if entry.scope == scope + dot]
        by_symbol = (entry.address for entry in here if entry.stage.symbol == last)
        by_other_name = (entry.address for entry in here if goes_by(entry.stage, last))
        return name if name in self.entries else next(by_symbol, next(by_other_name, name))

    def place(self, address: str, index: Index) -> str:
        """The inverse of `find`: `weights[1,2]`, without the leading axes of size 1."""
        shape = self.entry(address).values.shape
        return f"{address}[{','.join(str(i) for i in index[_first_axis(shape) :])}]" if shape else address

    def _whole(self, entry: Entry, index: Index) -> Index:
        """Leading axes of size 1 (one batch, one head) may be left out."""
        shape = entry.values.shape
        missing = len(shape) - len(index)
        short = missing >= 0 and all(size == 1 for size in shape[:missing]) and (index or not shape)
        whole = (0,) * missing + index if short else index
        if len(whole) != len(shape) or any(i >= size or i < 0 for i, size in zip(whole, shape, strict=True)):
            asked = f" {entry.address}[{','.join(str(i) for i in index)}] is not one of its numbers." if index else ""
            raise InputError(_places(entry) + asked)
        return whole

    # --- keeping it ---------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """One JSON document, every digit kept; numbers that JSON lacks are the words -Infinity, Infinity and NaN."""
        stages = [
            {
                "address": entry.address,
                "how": entry.how,
                "same_as": entry.same_as,
                "written": entry.written,
                "unlike": runs(entry.unlike),
                "axes": list(entry.axes),
                "dtype": str(entry.values.dtype),
                "shape": list(entry.values.shape),
                "values": json_values(entry.values),
            }
            for entry in self.entries.values()
        ]
        return json.dumps(
            {"format": FORMAT, "about": self.about, "stages": stages}, ensure_ascii=False, allow_nan=False
        )

    @classmethod
    def from_json(cls, text: str) -> "Trace":
        """Reads what `to_json` wrote."""
        document = _read_json(text)
        try:
            trace = cls(about=document["about"])
            for item in document["stages"]:
                values = np.array(item["values"], dtype=_number_type(item["dtype"])).reshape(item["shape"])
                unlike = from_runs(item.get("unlike"), values.shape)  # older traces say nothing
                trace.add(Entry(item["address"], values, item["how"], item["same_as"], item["written"], unlike))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"This trace is damaged ({type(error).__name__}: {error}).") from error
        return trace

    def save(self, path: str | Path) -> None:
        """Writes a safetensors file."""
        from safetensors.numpy import save_file  # a trace that stays in memory needs no file format

        arrays = {address: np.asarray(entry.values, order="C") for address, entry in self.entries.items()}
        marks = [[e.address, e.how, e.same_as, e.written, runs(e.unlike)] for e in self.entries.values()]
        head = {"format": FORMAT, "about": self.about, "stages": marks}
        save_file(arrays, str(path), metadata={"glassformer": json.dumps(head)})

    @classmethod
    def load(cls, path: str | Path) -> "Trace":
        """Reads what `save` wrote."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(str(path), framework="numpy") as file:
                document = _read_json((file.metadata() or {}).get("glassformer", "null"))
                trace = cls(about=document["about"])
                for address, how, same_as, written, *more in document["stages"]:
                    values = file.get_tensor(address)
                    unlike = from_runs(more[0] if more else None, values.shape)  # older traces say nothing
                    trace.add(Entry(address, values, how, same_as, written, unlike))
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path} is not a whole trace ({type(error).__name__}: {error}).") from error
        return trace


# What a place on an axis is called; on any other axis it is a row or a column.
_ON_AXIS = MappingProxyType(
    {"B": "batch", "H": "head", "G": "key/value head", "T": "position", "Tq": "query", "Tk": "key"}
)


def _first_axis(shape: Sequence[int]) -> int:
    """Where a short index starts: at the first axis with a choice, and at a matrix at the latest."""
    return next((i for i, size in enumerate(shape) if size > 1 or i >= len(shape) - 2), 0)


def _places(entry: Entry) -> str:
    """`weights has 3 places here: head 0–1, query 0–2, key 0–2 (weights[1,2,2] is the last).`"""
    shape = entry.values.shape
    if not shape:
        return f"{entry.address} is a single number; write {entry.address} alone."
    start = _first_axis(shape)
    words = []
    for axis in range(start, len(shape)):
        name = _ON_AXIS.get(entry.axes[axis], "column" if axis == len(shape) - 1 else "row")
        words.append(f"{name} 0–{shape[axis] - 1}" if shape[axis] > 1 else f"{name} 0")
    last = ",".join(str(size - 1) for size in shape[start:])
    plural = "places" if len(words) > 1 else "place"
    return f"{entry.address} has {len(words)} {plural} here: {', '.join(words)} (the last is {entry.address}[{last}])."


def _as_given(entry: Entry, index: Index) -> Working:
    cell = Operand(entry.address, entry.values).cell(*index)
    return Working((Term(cell.value, (cell,), "{}"),), cell.value)


def json_values(values: Array) -> Any:
    """Nested lists of numbers; what JSON cannot say is a word that Python and JavaScript both read as a number."""
    if values.dtype.kind != "f" or bool(np.isfinite(values).all()):
        return values.tolist()
    return _map_nested(_json_number, values.tolist())


def _map_nested(change: Callable[[float], Any], values: Any) -> Any:
    return [_map_nested(change, each) for each in values] if isinstance(values, list) else change(values)


def _json_number(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _number_type(name: str) -> np.dtype[Any]:
    dtype = np.dtype(name)
    if dtype.kind not in "biuf":
        raise InputError(f"a stage holds numbers, not {name!r}")
    return dtype


def _read_json(text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"This is not a trace: {error}.") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else type(document).__name__
        raise InputError(f"This is not a trace: its format is {found!r}, expected {FORMAT!r}.")
    return document
