"""Tables in Markdown: rows and columns with labels around a matrix of numbers, which the corner or a caption names.

A table that holds words, or has no labels, is no matrix and is left as text. Knows nothing of values.
"""

import re
from dataclasses import dataclass

from glassformer.handwork.documents import Document, Passage
from glassformer.handwork.expressions import Matrix, Node, Number, Span
from glassformer.handwork.lexing import Ground, lex
from glassformer.handwork.parsing import UnreadableError, parse

_TABLE = re.compile(r"^[ \t]*\|.*\|[ \t]*\n[ \t]*\|[-:|\s]*-[-:|\s]*\|[ \t]*\n(?:[ \t]*\|.*\|[ \t]*(?:\n|$))+", re.M)
_CELL = re.compile(r"(?<=\|)([^|\n]*)(?=\|)")
_AXES = re.compile(r"\s*\w*\s*[/\\→↓]\s*\w*\s*|\s*")  # `query / key` says what rows and columns are, not what is inside


@dataclass(frozen=True)
class _Cell:
    text: str
    start: int

    def parsed(self) -> Node | None:
        bare = self.text.strip(" \t$*`")
        try:
            return parse(lex(Ground(bare, self.start + self.text.find(bare), "text"))) if bare else None
        except UnreadableError:
            return None


def read_tables(document: Document) -> None:
    """Puts the matrices of tables in the place of the lines of text they were cut into."""
    for match in _TABLE.finditer(document.read_as):
        span = Span(match.start(), match.end())
        inside = [p for p in document.passages if span.start <= p.span.start < span.end]
        sides = _sides(document.read_as, span) if all(p.kind == "text" for p in inside) else ()
        if sides:
            rest = [p for p in document.passages if p not in inside]
            document.passages = sorted([*rest, Passage("given", span, sides=sides)], key=lambda p: p.span.start)


def _sides(text: str, span: Span) -> tuple[Node, ...]:
    """The name or formula in the corner, if there is one, and the numbers; nothing if it is no table of numbers."""
    lines = [_cells(text, m.start() + span.start, m.end() + span.start) for m in _lines(text[span.start : span.end])]
    header, body = lines[0], lines[2:]
    numbers = [[cell.parsed() for cell in row[1:]] for row in body]
    labelled = all(row and not isinstance(row[0].parsed(), Number) for row in body)
    rows = tuple(tuple(node for node in row if isinstance(node, Number)) for row in numbers)
    width = len(header) - 1
    if not labelled or width < 1 or any(len(row) != width or len(rows[i]) != width for i, row in enumerate(numbers)):
        return ()
    matrix = Matrix(rows, Span(rows[0][0].span.start, rows[-1][-1].span.end))
    name = None if _AXES.fullmatch(header[0].text) else header[0].parsed()
    return (matrix,) if name is None else (name, matrix)


def _lines(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"[^\n]+", text))


def _cells(text: str, start: int, end: int) -> list[_Cell]:
    return [_Cell(m[1], start + m.start(1)) for m in _CELL.finditer(text[start:end])]
