"""Rows that belong together: the results of several rows times one matrix are the rows of one matrix.

Knows nothing of names; is told what was worked out, and says which rows were made with the same matrix.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Node, is_printed
from glassformer.by_hand.numbers.evaluator import Evaluator, factors_of, printed_value, product_of
from glassformer.by_hand.numbers.intervals import LOCAL, Value
from glassformer.by_hand.numbers.scope import Known, Mistake


@dataclass
class StackedRow:
    """The result of a row times a matrix: rows made with one matrix belong together."""

    left: Value
    known: Known


class Stacks:
    """The rows of a document, by section and by the matrix they were made with."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[bytes, list[StackedRow]]] = {}

    def made_with(self, section: int, weight: Known) -> list[Known]:
        """The rows that were made with a matrix, when there are several."""
        rows = self.rows.get(section, {}).get(_fingerprint(weight.paper), [])
        return [row.known for row in rows] if len(rows) > 1 else []

    def add(self, section: int, expected: Node, known: Known, evaluator: Callable[[], Evaluator]) -> None:
        """Remembers a result if it is that of a row times a matrix."""
        factors = factors_of(expected)
        if len(factors) < 2:
            return
        left, right = evaluator()(product_of(factors[:-1])), evaluator()(factors[-1])
        if right.is_vector or left.is_scalar:
            return
        rows = self.rows.setdefault(section, {}).setdefault(_fingerprint(right), [])
        if left.shape[0] == 1 and known.paper.shape[0] == 1:
            rows.append(StackedRow(left, known))
            return
        literal = known.literal
        if literal is None or not is_printed(literal):
            return
        for row in rows:  # the whole matrix that the row is part of
            for i in range(left.shape[0]):
                if row.known.mistake is not None and np.allclose(left.middle(LOCAL)[i], row.left.middle(LOCAL)[0]):
                    _weigh(row.known, printed_value(literal, given=False).row(i))

    def match(self, section: int, literal: Matrix) -> None:
        """A matrix made of rows worked out before, in order, shows which of two readings was gone on with."""
        if not is_printed(literal) or len(literal.rows) < 2:
            return
        value = printed_value(literal, given=False)
        for rows in self.rows.get(section, {}).values():
            if len(rows) != value.shape[0] or rows[0].known.paper.shape[1] != value.shape[1]:
                continue
            pairs = [(row.known, value.row(i)) for i, row in enumerate(rows)]
            if all(_near(known.paper, row) or _near(known.right, row) for known, row in pairs):
                for known, row in pairs:
                    _weigh(known, row)


def _weigh(known: Known, row: Value) -> None:
    """Settles an open mistake by a row that repeats the right numbers, or the wrong ones."""
    mistake: Mistake | None = known.mistake
    if mistake is None or mistake.state != "open" or known.paper.shape != row.shape:
        return
    as_right, as_paper = _near(known.right, row), _near(known.paper, row)
    if as_right != as_paper:
        mistake.state = "slip" if as_right else "carried"


def _near(a: Value, b: Value) -> bool:
    low, high = np.maximum(a.low[0], b.low[0]), np.minimum(a.high[0], b.high[0])
    return bool((low <= high + 1e-9).all())


def _fingerprint(value: Value) -> bytes:
    return repr((value.shape, np.round(value.middle(LOCAL), 9).tolist())).encode()
