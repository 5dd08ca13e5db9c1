"""The column convention: tokens stand in columns, a matrix before what it works on: q = W x, S = Kᵀ Q, H = V A.

A trace in this form holds the same numbers, each matrix turned over, with formulas and arithmetic to match. It works
nothing out: whatever is asked of it, the trace in rows answers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from glassformer.stages.arithmetic import Array, Cell, Index, Term, Working
from glassformer.stages.stage import Way
from glassformer.stages.trace import Entry, Explanation, Trace

# What an operation is called where tokens stand in columns: (plain, LaTeX). Others are written as they are in rows.
_FORMS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "project": ("@1 @0< + @2>", "@1 @0< + @2>"),
        "project to heads": ("@1 @0< + @2>", "@1 @0< + @2>"),
        "project both": ("@1 @0 + @3 @2< + @4>", "@1 @0 + @3 @2< + @4>"),
        "project and let in": ("@1 @0< + @2> + @3 · @4", r"@1 @0< + @2> + @3 \odot @4"),
        "dot": ("@1ᵀ @0", r"@1^{\top} @0"),
        "synthesize": ("@1 relu(@0) + @2", r"@1 \operatorname{relu}(@0) + @2"),
        "softmax": ("soft(arg)max(@0), column by column", r"\operatorname{softargmax}(@0)"),
        "softmax over queries": ("soft(arg)max(@0), row by row", r"\operatorname{softargmax}_{q}(@0)"),
        "quiet softmax": ("exp(@0) / (1 + Σ exp(@0)), column by column", r"\frac{e^{@0}}{1 + \sum e^{@0}}"),
        "mix": ("@1 @0", "@1 @0"),
        "join heads": (
            "the heads of @0, one below the other",
            r"\begin{bmatrix} @0_0 \\ @0_1 \\ \vdots \end{bmatrix}",
        ),
        "three side by side": ("[@0; @1; @2]", r"\begin{bmatrix} @0 \\ @1 \\ @2 \end{bmatrix}"),
        "stack": ("@0 above @1", r"\begin{bmatrix} @0 \\ @1 \end{bmatrix}"),
        "divide": ("@0 / @1", r"\frac{@0}{@1}"),
        "last row": ("the last column of @0", r"\operatorname{lastcolumn}(@0)"),
        "largest of column": ("max of each row of @0", r"\operatorname{rowmax}(@0)"),
    }
)
_TURNED_WORDS = MappingProxyType({"row": "column", "column": "row", "side by side": "one below the other"})
_ALONG_TOKENS = ("T", "Tq", "Tk", "TN", "E", "P")  # a row of one number per token is a row in both conventions
_UPRIGHT = "…0"  # the axis that a column has besides its own: it has one place


@dataclass(frozen=True)
class ColumnEntry(Entry):
    """One stage, turned over."""

    @property
    def axes(self) -> tuple[str, ...]:
        """One name per axis, of the turned numbers."""
        named = self.stage.axes
        if _stands_still(named, self.values.ndim):
            return super().axes
        if _is_stood_up(named, self.values):
            return (named[-1], _UPRIGHT)
        axes = super().axes
        return (*axes[:-2], axes[-1], axes[-2])


@dataclass
class ColumnTrace(Trace):
    """A trace with tokens in columns; `in_rows` is the one that it was made from."""

    in_rows: Trace = field(default_factory=Trace)

    def patterns(self, way: Way) -> tuple[str, str]:
        """How the operation is written where tokens stand in columns."""
        return _FORMS.get(way.operation, (way.plain, way.latex))

    def worded(self, sentence: str) -> str:
        """The same with rows for columns and columns for rows."""
        return re.sub("|".join(_TURNED_WORDS), lambda match: _TURNED_WORDS[match[0]], sentence)

    def turned(self, address: str, index: Index) -> Index:
        """A place of this trace, in the trace in rows; or the other way round."""
        ndim = self.in_rows.entry(address).values.ndim
        if _stands_still(self.entry(address).stage.axes, ndim):
            return index
        if ndim == 1:
            return index[:1] if len(index) == 2 else (*index, 0)
        return (*index[:-2], index[-1], index[-2])

    def explain(self, address: str, index: Index) -> Explanation:
        """How the number at `index` (counted from 0) came about, with the matrix first in every product."""
        index = self._whole(self.entry(address), index)
        found = self.in_rows.explain(address, self.turned(address, index))
        plain, latex = self.formula(address)
        terms = tuple(self._turned_term(term, found.operation) for term in found.terms)
        working = Working(terms, found.working.result, found.working.pattern)
        return replace(found, index=index, formula=plain, latex=latex, working=working)

    def _turned_term(self, term: Term, operation: str) -> Term:
        cells = tuple(Cell(cell.address, self.turned(cell.address, cell.index), cell.value) for cell in term.cells)
        is_product = len(cells) == 2 and term.pattern.count(" × ") == 1
        if is_product and (operation in ("dot", "mix") or cells[1].address.endswith("_weight")):
            first, second = term.pattern.split(" × ")
            return Term(term.value, cells[::-1], f"{second} × {first}")
        return Term(term.value, cells, term.pattern)

    def place(self, address: str, index: Index) -> str:
        """`weights[2,1]`; a column goes by one number, as it does in rows."""
        is_column = self.entry(address).axes[-1:] == (_UPRIGHT,)
        return f"{address}[{index[0]}]" if is_column else super().place(address, index)

    def _whole(self, entry: Entry, index: Index) -> Index:
        is_column = entry.axes[-1:] == (_UPRIGHT,)
        return super()._whole(entry, (*index, 0) if is_column and len(index) == 1 else index)


def in_columns(trace: Trace) -> ColumnTrace:
    """The same trace, with tokens in columns."""
    return ColumnTrace({address: _turned(entry) for address, entry in trace.entries.items()}, trace.about, trace)


def _turned(entry: Entry) -> ColumnEntry:
    values, unlike = entry.values, entry.unlike
    if not _stands_still(entry.stage.axes, values.ndim):
        values, unlike = _upright(values), None if unlike is None else _upright(unlike)
    return ColumnEntry(entry.address, values, entry.how, entry.same_as, entry.written, unlike)


def _upright(values: Array) -> Array:
    return values[:, None] if values.ndim == 1 else np.swapaxes(values, -1, -2)


def _stands_still(named: tuple[str, ...], ndim: int) -> bool:
    """A single number; one number for each token; what a norm finds of each."""
    return ndim == 0 or named == ("…",) or (ndim == 1 and named[-1] in _ALONG_TOKENS)


def _is_stood_up(named: tuple[str, ...], values: np.ndarray) -> bool:
    """A row of one number per column of a matrix has become a column itself."""
    return len([axis for axis in named if axis != "…"]) == 1 and values.ndim == 2 and values.shape[1] == 1
