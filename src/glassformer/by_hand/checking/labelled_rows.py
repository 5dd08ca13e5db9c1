"""The same words with new rows: `tea [1, 0]`, `milk [0, 1]` … above, `tea [0.9, 0.1]`, `milk [0.4, 0.6]` … below.

If one known matrix takes the rows above to most of the numbers below, the rows below are the product. Says which rows
belong together under which labels, and what they would come from; works nothing out, and judges nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from glassformer.by_hand.grammar.expressions import Matrix, Name, Number, Product, Span, is_printed
from glassformer.by_hand.notes.statements import Statement
from glassformer.by_hand.numbers.scope import Scope

_LEAST = 3  # rows of a table
_LONGEST_LABEL = 2  # words


@dataclass
class LabelledRows:
    """Rows one under the other, each with a label of its own."""

    section: int
    rows: dict[str, Matrix] = field(default_factory=dict)

    @property
    def matrix(self) -> Matrix:
        """All of them as one."""
        rows = list(self.rows.values())
        return Matrix(tuple(row.rows[0] for row in rows), Span(rows[0].span.start, rows[-1].span.end))

    @property
    def is_even(self) -> bool:
        """Whether all rows are of one length."""
        return len({len(row.rows[0]) for row in self.rows.values()}) == 1


def find_rows(statements: list[Statement]) -> list[LabelledRows]:
    """The tables of a document, in order; a number alone between two rows only counts them."""
    found: list[LabelledRows] = []
    is_open = False
    for statement in statements:
        node = statement.sides[0].node
        if len(statement.sides) == 1 and isinstance(node, Number):
            continue
        label = statement.caption
        is_row = len(statement.sides) == 1 and isinstance(node, Matrix) and is_printed(node) and len(node.rows) == 1
        if not is_row or not isinstance(node, Matrix) or not 0 < len(label.split()) <= _LONGEST_LABEL:
            is_open = False
            continue
        if not is_open or label in found[-1].rows or found[-1].section != statement.section:
            found.append(LabelledRows(statement.section))
        found[-1].rows[label] = node
        is_open = True
    return [table for table in found if len(table.rows) >= _LEAST and table.is_even]


def products(tables: list[LabelledRows], scope: Scope) -> Iterator[tuple[str, Product, Matrix]]:
    """What the rows of a table may come from: the rows of the same labels above, times a matrix that is known."""
    for i, below in enumerate(tables):
        for above in tables[:i]:
            if list(above.rows) == list(below.rows):
                yield from _by_known_matrices(above.matrix, below.matrix, scope)


def _by_known_matrices(above: Matrix, below: Matrix, scope: Scope) -> Iterator[tuple[str, Product, Matrix]]:
    shape = len(above.rows[0]), len(below.rows[0])
    for each in scope.scopes():
        for name, known in each.known.items():
            if known.paper.shape == shape and name.isidentifier():
                factor = Name(name, above.span)
                yield name.removeprefix("W_"), Product((above, factor), above.span), below
