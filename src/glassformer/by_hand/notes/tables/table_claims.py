"""What a table says: a matrix with labels around it, or columns of numbers under formulas of other columns.

`| QKᵀ | tea | milk |` names a matrix in its corner. `| pos | sin(pos/100) |` makes a claim in every row, and so do
`| x | y | z = x + y |` and `| x | x − x̄ |`, where x̄ is the mean of its column. Finds no tables, and works nothing out.
"""

import math
import re
from collections.abc import Iterator, Mapping
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

_AXES = re.compile(r"\s*\w*\s*[/\\→↓]\s*\w*\s*|\s*")  # `query / key` says what rows and columns are, not what is inside
_FORMULA = re.compile(r"[(√^²³+*/·×−–-]|[^\W\d]{2,}\s*\(|\\(?:frac|sqrt|times|cdot)")
# What only a formula says: `lr × grad (grad = 0.5)`; a bar or a dash stands between words, too.
_OPERATION = re.compile(r"[×·⋅*√²³]|\\(?:times|cdot|frac|sqrt)")
_WORD = re.compile(r"[^\W\d_]\w*")
_INDEXED = re.compile(r"_[ijknt]$")  # x_i is a number of the column x
# A row of sums or means under the others: a formula of the columns is none of these.
_SUMMED_UP = re.compile(r"[Σ∑]\W*\w{0,3}|sums?|totals?|means?|averages?|avg\.?|summe|mittelwert", re.I)
_LONGEST_HEADING = 200  # signs; it is worked out in every row
_FEWEST_ROWS = 3  # of which a last one may be the sum, and whose mean tells one column from another
# What may be worked out in every row by itself; other functions are of the whole column.
_ENTRYWISE = frozenset(
    {"sqrt", "exp", "sin", "cos", "log", "log2", "log10", "sigmoid", "relu", "tanh", "absolute value", "mean"}
)


@dataclass(frozen=True)
class TableCell:
    """What stands in one field, and where."""

    text: str
    start: int
    mark: str = "."  # before decimals

    @property
    def bare(self) -> str:
        """Without the signs that only set it in type."""
        bare = self.text.strip(" \t\n$*`")
        return bare[1:-1].strip(" $") if bare.startswith("{") and bare.endswith("}") and "}" not in bare[:-1] else bare

    def read(self, after: int = 0) -> Node:
        """The tree of what it says after so many signs, or `UnreadableError`."""
        bare = re.sub(r"(?<=\d),(?=\d)", ".", self.bare) if self.mark == "," else self.bare
        return parse(lex(Ground(bare[after:], self.start + self.text.find(self.bare) + after, "text")))

    def parsed(self) -> Node | None:
        """The same, or nothing."""
        try:
            return self.read() if self.bare else None
        except UnreadableError:
            return None


@dataclass(frozen=True)
class NumberTable:
    """A heading for each column, and the rows under them."""

    span: Span
    header: list[TableCell]
    body: list[list[TableCell]]


def put_in_place(document: Document, table: NumberTable) -> None:
    """Puts what a table says in the place of the lines of text it was cut into."""
    inside = [p for p in document.passages if table.span.start <= p.span.start < table.span.end]
    if any(passage.kind != "text" for passage in inside):
        return
    _note_unread(document, table)
    matrix = _matrix(table)
    claims = [matrix] if matrix else list(_columns(document, table))
    if not claims:
        if _is_numeric(table):
            document.passed_over.append((table.span.start, "a table of numbers without a name or a formula"))
        return
    rest = [p for p in document.passages if p not in inside]
    found = [Passage("given", table.span, sides=sides) for sides in claims]
    document.passages = sorted([*rest, *found], key=lambda p: p.span.start)


def _note_unread(document: Document, table: NumberTable) -> None:
    """Numbers under a heading that works with another column look like results, whether it is read or not."""
    for j, cell in enumerate(table.header):
        others = [word for k, other in enumerate(table.header) if k != j for word in _WORD.findall(other.bare)]
        words = set(_WORD.findall(cell.bare))
        if not (_OPERATION.search(cell.bare) and words & set(others)) or len(cell.bare) > _LONGEST_HEADING:
            continue
        numbers = [node for row in table.body if j < len(row) and isinstance(node := row[j].parsed(), Number)]
        if numbers:
            why = f"the heading '{cell.bare}' was not read as a formula of other columns"
            document.results_unread.append((tuple(number.span.start for number in numbers), why))


def _is_numeric(table: NumberTable) -> bool:
    return all(isinstance(cell.parsed(), Number) for row in table.body for cell in row[1:]) and len(table.header) > 1


# --- a matrix with labels ---------------------------------------------------------------------------------------------


def _matrix(table: NumberTable) -> tuple[Node, ...]:
    """The name or formula in the corner, if there is one, and the numbers; nothing if it is no matrix with labels."""
    header, body = table.header, table.body
    numbers = [[cell.parsed() for cell in row[1:]] for row in body]
    rows = tuple(tuple(node for node in row if isinstance(node, Number)) for row in numbers)
    width = len(header) - 1
    if width < 1 or any(len(row) != width or len(rows[i]) != width for i, row in enumerate(numbers)):
        return ()
    if not _are_labels(table) or any(_formulas(table)):
        return ()
    matrix = Matrix(rows, Span(rows[0][0].span.start, rows[-1][-1].span.end))
    has_values = all(
        isinstance(cell.parsed(), Number) for cell in header[1:]
    )  # | Y | 0 | 1 |: the corner names the top
    is_named = not _AXES.fullmatch(header[0].text) and not (has_values and _has_words_beside(table))
    name = header[0].parsed() if is_named else None
    return (matrix,) if name is None else (name, matrix)


def _are_labels(table: NumberTable) -> bool:
    """Words in the first column; or 1, 2, 3 (0, 1, 2) down the side and along the top."""
    side = [row[0].bare if row else "" for row in table.body]
    if not all(table.body):
        return False
    if _has_words_beside(table):
        return True
    top = [cell.bare for cell in table.header[1:]]
    return all(labels in _counted(len(labels)) for labels in (side, top))


def _has_words_beside(table: NumberTable) -> bool:
    return not any(isinstance(row[0].parsed(), Number) for row in table.body)


def _counted(n: int) -> tuple[list[str], list[str]]:
    return [str(i) for i in range(n)], [str(i + 1) for i in range(n)]


# --- a formula for each column ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Heading:
    """A heading that is worked out from the numbers of other columns, and the column it stands over."""

    cell: TableCell
    column: int
    formula: Node | UnreadableError


def _named(table: NumberTable) -> dict[str, int]:
    """The columns that go by a name: `x`, `z = x + y`."""
    named: dict[str, int] = {}
    for j, cell in enumerate(table.header):
        own, _, _ = cell.bare.partition("=")
        name = TableCell(own, cell.start).parsed()
        if isinstance(name, Name) and not name.index:
            named.setdefault(_column_name(name.text), j)
    return named


def _column_name(name: str) -> str:
    return _INDEXED.sub("", name)


def _source(name: str, named: Mapping[str, int]) -> str:
    """The column whose numbers a name stands for, or whose mean; empty if none."""
    plain = _column_name(name)
    return plain if plain in named else plain[:-3] if plain.endswith("bar") and plain[:-3] in named else ""


def _formulas(table: NumberTable) -> Iterator[_Heading]:
    """The headings that are formulas of other columns, also those that cannot be read."""
    named = _named(table)
    for j, cell in enumerate(table.header):
        start = cell.bare.find("=") + 1
        text = cell.bare[start:]
        words = [
            other.bare for k, other in enumerate(table.header) if k != j and re.fullmatch(r"[^\W\d]\w*", other.bare)
        ]
        mentions = any(re.search(rf"(?<!\w){re.escape(word)}(?![A-Za-z0-9_])", text) for word in words)
        if not _FORMULA.search(text) or "=" in text or len(text) > _LONGEST_HEADING:
            continue
        try:
            formula = cell.read(start)
            formula = _with_own_e(formula) if "e" in named else formula
            if any(_source(name, named) and named[_source(name, named)] != j for name in names_in(formula)):
                yield _Heading(cell, j, formula)
        except UnreadableError as error:
            if mentions:
                yield _Heading(cell, j, error)


def _columns(document: Document, table: NumberTable) -> Iterator[tuple[Node, Node]]:
    """Every printed number of a column beside its formula, the numbers of its row put in; or the whole column."""
    named, body = _named(table), _rows(table)
    for heading in _formulas(table):
        try:
            yield from _worked(heading, named, body)
        except UnreadableError as error:
            document.unreadable.append((heading.cell.start, f"the column '{heading.cell.bare}': {error}"))


def _rows(table: NumberTable) -> list[list[Node | None]]:
    """What stands in each row, without one of sums or means at the end."""
    rows = [[cell.parsed() for cell in row] for row in table.body if row and not _SUMMED_UP.fullmatch(row[0].bare)]
    return rows[:-1] if len(rows) > _FEWEST_ROWS and _sums_up(rows[-1], rows[:-1]) else rows


def _sums_up(last: list[Node | None], above: list[list[Node | None]]) -> bool:
    """Whether every number of the last row is the sum of its column; `5 | 10` under 3, 2 and 4, 6."""
    sums = []
    for k, node in enumerate(last):
        column = [row[k] if k < len(row) else None for row in above]
        numbers = [each.value for each in column if isinstance(each, Number)]
        if isinstance(node, Number) and len(numbers) == len(column):
            sums.append(math.isclose(node.value, sum(numbers), rel_tol=1e-3, abs_tol=0.02 * max(map(abs, numbers))))
    return len(sums) > 1 and all(sums)


def _worked(heading: _Heading, named: Mapping[str, int], body: list[list[Node | None]]) -> Iterator[tuple[Node, Node]]:
    formula, j = heading.formula, heading.column
    if isinstance(formula, UnreadableError):
        raise formula
    used = {name: named[_source(name, named)] for name in names_in(formula) if _source(name, named)}
    means = {name for name in used if _column_name(name) not in named}
    width = 1 + max([j, *used.values()])
    numbers = [[node if isinstance(node, Number) else None for node in row] for row in body]
    if any(len(row) < width for row in body):
        raise UnreadableError("a row is too short")
    rows = [row for row in numbers if row[j] is not None and all(row[k] is not None for k in used.values())]
    if not rows or len(rows) < len(body):
        raise UnreadableError("it does not stand on numbers alone")
    if "e" in names_in(formula) - used.keys() or (means and len(rows) < _FEWEST_ROWS):
        raise UnreadableError("a letter in it may mean this or that")
    whole = {name: _column(rows, k) for name, k in used.items()}
    if all(call.function in _ENTRYWISE for call in walk(formula) if isinstance(call, Call)):
        for row in rows:
            put: dict[str, Node] = {name: number for name, k in used.items() if (number := row[k]) is not None}
            put |= {name: Call("mean", whole[name], formula.span) for name in means}
            printed = row[j]
            if printed is not None:
                yield _put_in(formula, put), printed
    elif isinstance(formula, Call) and isinstance(formula.of, Name):
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


def _put_in(node: Node, numbers: Mapping[str, Node]) -> Node:
    if isinstance(node, Name):
        return numbers.get(node.text, node)
    return with_children(node, tuple(_put_in(child, numbers) for child in children(node)))
