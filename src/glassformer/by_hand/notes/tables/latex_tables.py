"""Finds tables in LaTeX and cuts them into cells. What a table says is told in table_claims.py.

A heading over several columns, or a cell over several rows, makes a table that is not read.
"""

import re
from collections.abc import Iterator

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.tables.table_claims import NumberTable, TableCell, put_in_place

_BEGIN = re.compile(r"\\begin\{(tabular\*?|tabularx|longtable)\}(?:\[[^\]\n]*\])?(?:\{(?:[^{}]|\{[^{}]*\})*\}){1,2}")
_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|(?:cline|cmidrule|rowcolor|addlinespace)"
    r"(?:\([lr]+\))?(?:\[[^\]\n]*\])?(?:\{[^{}\n]*\})?)"
)
_ROW_END = re.compile(r"\\\\(?:\[[^\]\n]*\])?")
_CELL_END = re.compile(r"(?<!\\)&")
_LONGEST = 20_000  # signs


def read_latex_tables(document: Document) -> None:
    """Puts what tables say in the place of the lines of text they were cut into."""
    text = document.read_as
    for begin in _BEGIN.finditer(text):
        end = text.find(f"\\end{{{begin[1]}}}", begin.end(), begin.end() + _LONGEST)
        inside = _RULE.sub(lambda rule: " " * len(rule[0]), text[begin.end() : max(begin.end(), end)])
        rows = [row for row in _rows(inside, begin.end(), document.decimal_mark) if any(cell.bare for cell in row)]
        if len(rows) > 1 and not re.search(r"\\multi(?:column|row)", inside):
            put_in_place(document, NumberTable(Span(begin.start(), end), rows[0], rows[1:]))


def _rows(inside: str, start: int, mark: str) -> Iterator[list[TableCell]]:
    for first, last in _cut(_ROW_END, inside, 0, len(inside)):
        yield [TableCell(inside[a:b], start + a, mark) for a, b in _cut(_CELL_END, inside, first, last)]


def _cut(sign: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches between the signs."""
    for match in sign.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end
