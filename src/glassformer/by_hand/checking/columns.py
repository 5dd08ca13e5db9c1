"""Notes in columns: a dot product per key, and under each the same steps, one number to a line.

    q₁·k₁ = 112      divided by √d: 14      softmax: 0.88
    q₁·k₂ = 96                      12               0.12

Finds such columns among the statements and gives their steps as equations. Works nothing out.
"""

import re
from dataclasses import dataclass, field

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Span,
    Transpose,
    walk,
)
from glassformer.by_hand.notes.statements import Statement


@dataclass
class ColumnGroup:
    """The numbers of each column from top to bottom, and what each step is called."""

    section: int
    columns: list[list[Number]] = field(default_factory=list)
    captions: list[str] = field(default_factory=list)


def find_columns(statements: list[Statement]) -> list[ColumnGroup]:
    """All groups of columns; a group ends where something else is stated."""
    groups: list[ColumnGroup] = []
    current: ColumnGroup | None = None
    for statement in statements:
        nodes = [side.node for side in statement.sides]
        last = nodes[-1]
        if len(nodes) == 2 and _is_dot_product(nodes[0]) and isinstance(last, Number):
            if current is None or current.section != statement.section:
                current = ColumnGroup(statement.section)
                groups.append(current)
            current.columns.append([last])
        elif len(nodes) == 1 and isinstance(last, Number) and current is not None:
            current.columns[-1].append(last)
            if len(current.columns) == 1:
                current.captions.append(statement.caption)
        else:
            current = None
    return [group for group in groups if len(group.columns) > 1 and len({len(c) for c in group.columns}) == 1]


def _is_dot_product(node: Node | None) -> bool:
    if not isinstance(node, Product) or len(node.factors) != 2:
        return False
    return all(isinstance(each, Name | Transpose) for each in walk(node) if each is not node)


def equations(group: ColumnGroup) -> list[tuple[str, Node, Matrix]]:
    """Each step as a name, an expression and the numbers printed for it."""
    rows = [_row([column[step] for column in group.columns]) for step in range(len(group.columns[0]))]
    answer: list[tuple[str, Node, Matrix]] = []
    for before, after, caption in zip(rows, rows[1:], group.captions, strict=False):
        if re.search(r"softmax|softargmax", caption):
            answer.append(("softmax", Call("softmax", before, before.span), after))
        elif re.search(r"divi|scal|sqrt|√|root|/", caption):
            first, second = before.rows[0][0], after.rows[0][0]
            ratio = (before, second, Inverse(first, first.span))  # the first column shows what all are divided by
            answer.append(("scaled", Product(ratio, before.span), after))
    return answer


def _row(numbers: list[Number]) -> Matrix:
    return Matrix((tuple(numbers),), Span(numbers[0].span.start, numbers[-1].span.end))
