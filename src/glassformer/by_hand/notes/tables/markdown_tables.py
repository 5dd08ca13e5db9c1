"""Finds tables in Markdown and cuts them into cells. What a table says is told in table_claims.py."""

import re

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.tables.table_claims import NumberTable, TableCell, put_in_place

_TABLE = re.compile(r"^[ \t]*\|.*\|[ \t]*\n[ \t]*\|[-:|\s]*-[-:|\s]*\|[ \t]*\n(?:[ \t]*\|.*\|[ \t]*(?:\n|$))+", re.M)
_CELL = re.compile(r"(?<=\|)([^|\n]*)(?=\|)")


def read_tables(document: Document) -> None:
    """Puts what tables say in the place of the lines of text they were cut into."""
    for match in _TABLE.finditer(document.read_as):
        put_in_place(document, _table(document, Span(match.start(), match.end())))


def _table(document: Document, span: Span) -> NumberTable:
    text, mark = document.read_as, document.decimal_mark
    lines = [
        [TableCell(m[1], m.start(1), mark) for m in _CELL.finditer(text, line.start(), line.end())]
        for line in re.compile(r"[^\n]+").finditer(text, span.start, span.end)
    ]
    return NumberTable(span, lines[0], lines[2:])
