"""Cells of a program with their outputs, as claims: an expression beside the numbers printed for it.

What was seen is worked out from the text alone, and never run. A number counts as wrong only if it is far from what
the program gives and all cells were run once, in order; where anything is unknown, nothing is claimed.
"""

import ast
from dataclasses import dataclass, field

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Node, Number, Span, Sum, is_printed
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.notes.programs.arithmetic_trees import tree_of
from glassformer.by_hand.notes.programs.array_functions import UnknownValueError
from glassformer.by_hand.notes.programs.printed_output import PrintedValue, lay_beside
from glassformer.by_hand.notes.programs.python_values import Gap, Hole, Program

NOISE = 1e-5  # of single precision, carried through a few steps
FAR = 1e-3  # beyond this, and three times the printed precision, no noise explains a difference


@dataclass(frozen=True)
class Output:
    """What a cell printed, or the value it shows: where in the document it begins, and its text."""

    text: str
    start: int
    is_value: bool = False


@dataclass
class Cells:
    """The cells of one document, in order."""

    document: Document
    program: Program = field(default_factory=Program)
    in_order: bool = True
    only_agreeing: bool = False  # what does not agree may come from lines that the notes do not show

    def add(self, code: str, outputs: list[Output]) -> None:
        """Goes through the next cell, and adds what its outputs claim."""
        self.program.events = []
        last = self.program.run(code)
        if last is not None and self.program.events[-1:] == [Gap()]:
            self.program.events.pop()  # the last line shows its value, which is looked at below
        events = self.program.events
        seen: list[PrintedValue] = []
        claimed = {passage.span for passage in self.document.passages if passage.kind == "given"}
        for output in outputs:
            if not output.is_value:
                seen += lay_beside(events, output.text, output.start)
            elif last is not None:
                seen += self._value_shown(last.value, output)
        for each in seen:
            if each.printed.span not in claimed:
                self._claim(each)

    def _value_shown(self, expression: ast.expr, output: Output) -> list[PrintedValue]:
        try:
            value = self.program.value(expression)
        except UnknownValueError:
            return []
        return list(lay_beside([Hole(value, expression)], output.text, output.start))

    def _claim(self, seen: PrintedValue) -> None:
        entries = [entry for row in _rows(seen.printed) for entry in row]
        values = seen.value.reshape(-1)
        scale = max(1.0, float(np.abs(values).max()))
        errors = [abs(entry.value - value) for entry, value in zip(entries, values, strict=True)]
        halves = [_half(entry, value) for entry, value in zip(entries, values, strict=True)]
        where, source = seen.printed.span, ast.unparse(seen.source)
        if all(error <= 1.02 * half + NOISE * scale for error, half in zip(errors, halves, strict=True)):
            self._add(where, _as_given(seen, noise=True), seen.printed, source)
        elif self.only_agreeing:
            return
        elif not any(error > 3 * half + FAR * scale for error, half in zip(errors, halves, strict=True)):
            self._unsure(where, "numbers that differ by no more than the noise of single precision")
        elif not (self.in_order and seen.sure):
            self._unsure(where, "an output of cells that were not run once each, in order")
        else:
            tree = tree_of(seen.source, self.program) if self._is_still(seen) else None
            if tree is None or is_printed(tree):  # nothing to be spelt out
                tree = _as_given(seen, noise=False)
                if isinstance(seen.printed, Number):  # a sum of one term: what is worked out, and not given
                    tree = Sum((tree.rows[0][0], Number("0", where)), where)
            self._add(where, tree, seen.printed, source)

    def _is_still(self, seen: PrintedValue) -> bool:
        """Whether the expression still gives what it gave when it was printed."""
        try:
            return bool(np.array_equal(np.ravel(self.program.value(seen.source)), np.ravel(seen.value)))
        except UnknownValueError:
            return False

    def _add(self, span: Span, expected: Node, printed: Node, source: str) -> None:
        caption = source if len(source) <= 60 and "\n" not in source else ""
        self.document.passages.append(Passage("given", span, sides=(expected, printed), caption=caption))

    def _unsure(self, span: Span, why: str) -> None:
        self.document.passed_over.append((span.start, why))


def _rows(printed: Matrix | Number) -> list[list[Number]]:
    if isinstance(printed, Number):
        return [[printed]]
    return [[entry for entry in row if isinstance(entry, Number)] for row in printed.rows]


def _half(number: Number, value: float) -> float:
    """Half a unit of the last printed digit; a whole number stands for itself, or for a fraction that was rounded."""
    decimals = number.decimals
    if decimals is None:
        return 0.0 if value == round(value) else 0.5
    return 0.5 * 10.0**-decimals


def _as_given(seen: PrintedValue, *, noise: bool) -> Matrix:
    """The numbers that the program gives; within the noise of a print they are those that were printed."""
    rows = []
    for printed, values in zip(_rows(seen.printed), seen.value, strict=True):
        row = []
        for entry, value in zip(printed, values, strict=True):
            meant = entry.value if noise else float(value)
            row.append(Number(repr(abs(meant)), entry.span, -1 if meant < 0 else 1))
        rows.append(tuple(row))
    return Matrix(tuple(rows), seen.printed.span)
