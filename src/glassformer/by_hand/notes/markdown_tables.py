"""Tables in Markdown: a matrix with labels around it, or columns of numbers under formulas of other columns.

`| QKᵀ | tea | milk |` names a matrix in its corner. `| pos | sin(pos/100) |` makes a claim in every row. A table of
words is left as text. Knows nothing of values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from glassformer.by_hand.grammar.expressions import (
    Call,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    Span,
    children,
    names_in,
    walk,
    with_children,
)
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.notes.documents import Document, Passage

_TABLE = re.compile(r"^[ \t]*\|.*\|[ \t]*\n[ \t]*\|[-:|\s]*-[-:|\s]*\|[ \t]*\n(?:[ \t]*\|.*\|[ \t]*(?:\n|$))+", re.M)
_CELL = re.compile(r"(?<=\|)([^|\n]*)(?=\|)")
_AXES = re.compile(r"\s*\w*\s*[/\\→↓]\s*\w*\s*|\s*")  # `query / key` says what rows and columns are, not what is inside
_FORMULA = re.compile(r"[(√^²³+*/·×]|[^\W\d]{2,}\s*\(")
# A row of sums or means under the others: a formula of the columns is none of these.
_SUMMED_UP = re.compile(r"[Σ∑]\W*\w{0,3}|sums?|totals?|means?|averages?|avg\.?|summe|mittelwert", re.I)
# What may be worked out in every row by itself; other functions are of the whole column.
_ENTRYWISE = frozenset({"sqrt", "exp", "sin", "cos", "log", "log2", "log10", "sigmoid", "relu", "absolute value"})


@dataclass(frozen=True)
class _Cell:
    text: str
    start: int
    mark: str = "."  # before decimals

    @property
    def bare(self) -> str:
        return self.text.strip(" \t$*`")

    def read(self) -> Node:
        """The tree of what it says, or `UnreadableError`."""
        bare = re.sub(r"(?<=\d),(?=\d)", ".", self.bare) if self.mark == "," else self.bare
        return parse(lex(Ground(bare, self.start + self.text.find(self.bare), "text")))

    def parsed(self) -> Node | None:
        try:
            return self.read() if self.bare else None
        except UnreadableError:
            return None


@dataclass(frozen=True)
class _Table:
    span: Span
    header: list[_Cell]
    body: list[list[_Cell]]


def read_tables(document: Document) -> None:
    """Puts what tables say in the place of the lines of text they were cut into."""
    for match in _TABLE.finditer(document.read_as):
        span = Span(match.start(), match.end())
        inside = [p for p in document.passages if span.start <= p.span.start < span.end]
        if any(passage.kind != "text" for passage in inside):
            continue
        table = _table(document, span)
        matrix = _matrix(table)
        claims = [matrix] if matrix else list(_columns(document, table))
        if not claims:
            if _is_numeric(table):
                document.passed_over.append((span.start, "a table of numbers without a name or a formula"))
            continue
        rest = [p for p in document.passages if p not in inside]
        found = [Passage("given", span, sides=sides) for sides in claims]
        document.passages = sorted([*rest, *found], key=lambda p: p.span.start)


def _table(document: Document, span: Span) -> _Table:
    text, mark = document.read_as, document.decimal_mark
    lines = [
        [_Cell(m[1], m.start(1), mark) for m in _CELL.finditer(text, line.start(), line.end())]
        for line in re.compile(r"[^\n]+").finditer(text, span.start, span.end)
    ]
    return _Table(span, lines[0], lines[2:])


def _is_numeric(table: _Table) -> bool:
    return all(isinstance(cell.parsed(), Number) for row in table.body for cell in row[1:]) and len(table.header) > 1


# --- a matrix with labels ---------------------------------------------------------------------------------------------


def _matrix(table: _Table) -> tuple[Node, ...]:
    """The name or formula in the corner, if there is one, and the numbers; nothing if it is no matrix with labels."""
    header, body = table.header, table.body
    numbers = [[cell.parsed() for cell in row[1:]] for row in body]
    rows = tuple(tuple(node for node in row if isinstance(node, Number)) for row in numbers)
    width = len(header) - 1
    if width < 1 or any(len(row) != width or len(rows[i]) != width for i, row in enumerate(numbers)):
        return ()
    if not _are_labels(table) or any(_formula_of(cell, table) for cell in header[1:]):
        return ()
    matrix = Matrix(rows, Span(rows[0][0].span.start, rows[-1][-1].span.end))
    has_values = all(
        isinstance(cell.parsed(), Number) for cell in header[1:]
    )  # | Y | 0 | 1 |: the corner names the top
    is_named = not _AXES.fullmatch(header[0].text) and not (has_values and _has_words_beside(table))
    name = header[0].parsed() if is_named else None
    return (matrix,) if name is None else (name, matrix)


def _are_labels(table: _Table) -> bool:
    """Words in the first column; or 1, 2, 3 (0, 1, 2) down the side and along the top."""
    side = [row[0].bare if row else "" for row in table.body]
    if not all(table.body):
        return False
    if _has_words_beside(table):
        return True
    top = [cell.bare for cell in table.header[1:]]
    return all(labels in _counted(len(labels)) for labels in (side, top))


def _has_words_beside(table: _Table) -> bool:
    return not any(isinstance(row[0].parsed(), Number) for row in table.body)


def _counted(n: int) -> tuple[list[str], list[str]]:
    return [str(i) for i in range(n)], [str(i + 1) for i in range(n)]


# --- a formula for each column ----------------------------------------------------------------------------------------


def _formula_of(cell: _Cell, table: _Table) -> bool:
    """Whether a heading is worked out from the numbers of another column."""
    names = [other.bare for other in table.header if other is not cell and re.fullmatch(r"[^\W\d]\w*", other.bare)]
    return bool(_FORMULA.search(cell.bare)) and any(
        re.search(rf"(?<!\w){re.escape(n)}(?![A-Za-z0-9_])", cell.bare) for n in names
    )


def _columns(document: Document, table: _Table) -> Iterator[tuple[Node, Node]]:
    """Every printed number of a column beside its formula, the numbers of its row put in; or the whole column."""
    named = {
        name.text: j
        for j, cell in enumerate(table.header)
        if isinstance(name := cell.parsed(), Name) and not name.index
    }
    if (errors := [j for j, cell in enumerate(table.header) if cell.bare == "e"]) and "e" not in named:
        named["e"] = errors[0]
    body = [[cell.parsed() for cell in row] for row in table.body if row and not _SUMMED_UP.fullmatch(row[0].bare)]
    for j, heading in enumerate(table.header):
        if not _formula_of(heading, table):
            continue
        try:
            formula = _with_own_e(heading.read()) if errors else heading.read()
            yield from _worked(formula, named, body, j)
        except UnreadableError as error:
            document.unreadable.append((heading.start, f"the column '{heading.bare}': {error}"))


def _worked(formula: Node, named: dict[str, int], body: list[list[Node | None]], j: int) -> Iterator[tuple[Node, Node]]:
    used = {name: named[name] for name in names_in(formula) if name in named}
    width = 1 + max([j, *used.values()])
    numbers = [[node if isinstance(node, Number) else None for node in row] for row in body]
    if any(len(row) < width for row in body):
        raise UnreadableError("a row is too short")
    rows = [row for row in numbers if row[j] is not None and all(row[k] is not None for k in used.values())]
    if not rows or len(rows) < len(body):
        raise UnreadableError("it does not stand on numbers alone")
    if all(call.function in _ENTRYWISE for call in walk(formula) if isinstance(call, Call)):
        for row in rows:
            put = {name: number for name, k in used.items() if (number := row[k]) is not None}
            printed = row[j]
            if printed is not None:
                yield _put_in(formula, put), printed
    elif isinstance(formula, Call) and isinstance(formula.of, Name):
        whole = {name: _column(rows, k) for name, k in used.items()}
        yield _put_in(formula, whole), _column(rows, j)
    else:
        raise UnreadableError("a function of whole columns within a formula is not read")


def _with_own_e(formula: Node) -> Node:
    """Where a column is called e, that is an error, and e² is its square: no power of Euler's number."""
    inner = tuple(_with_own_e(child) for child in children(formula))
    if isinstance(formula, Call) and formula.function == "exp":
        return Power(Name("e", formula.span), inner[0], formula.span)
    return with_children(formula, inner) if inner else formula


def _column(rows: list[list[Number | None]], k: int) -> Matrix:
    numbers = tuple(number for row in rows if (number := row[k]) is not None)
    return Matrix((numbers,), Span(numbers[0].span.start, numbers[-1].span.end))


def _put_in(node: Node, numbers: dict[str, Node] | dict[str, Number] | dict[str, Matrix]) -> Node:
    if isinstance(node, Name):
        return numbers.get(node.text, node)
    return with_children(node, tuple(_put_in(child, numbers) for child in children(node)))
