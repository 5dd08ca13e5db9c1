"""Whether numbers that do not follow prove a mistake, or only that something else is meant.

What stands in plain numbers on the page proves it at once. What was looked up by name proves it only if the printed
numbers were plainly meant for this formula: most of them are right, one is right but for a digit, or a known slip gives
them all. Knows nothing of documents.
"""

from itertools import pairwise

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, Product, Sum, is_printed, walk
from glassformer.by_hand.numbers.comparison import are_near_misses, entries_of
from glassformer.by_hand.numbers.evaluator import Evaluator
from glassformer.by_hand.numbers.worlds import Outcome
from glassformer.by_hand.slips.causes import CHANCE
from glassformer.errors import InputError

_SMALL = 3  # numbers in a vector of which one right one tells something
_FEW = 2  # numbers: too few of them are right to tell what was meant


class UnsureError(InputError):
    """Numbers that do not follow, though nothing proves that they should; the message says what is not certain."""


def is_written(expected: Node) -> bool:
    """Whether everything that goes in stands on the page in numbers."""
    return not any(isinstance(each, Name) and each.text not in ("e", "π") for each in walk(expected))


def missing_proof(expected: Node, literal: Node, outcome: Outcome, evaluator: Evaluator, cause: str | None) -> str:
    """Why wrong numbers prove nothing; empty if they do."""
    if not is_printed(literal) and not is_written(literal):
        return "it stands for itself in names"
    if may_be_shapes(expected, literal):
        return "shapes, perhaps, and not numbers"
    if is_written(expected) and not evaluator.guesses:
        return ""
    if is_meant(literal, outcome) or (cause is not None and cause not in CHANCE and outcome.wrong.sum() > 1):
        return ""
    if not evaluator.guesses and outcome.wrong.size <= _FEW and is_pinned(literal, evaluator):
        return ""
    if evaluator.guesses:
        return evaluator.guesses[0]
    names = ", ".join(sorted(evaluator.looked_up)[:3]) or "the formula"
    return f"it does not follow from {names} as given before, which may mean something else here"


def is_pinned(literal: Node, evaluator: Evaluator) -> bool:
    """Whether every name that went in was given once and no more, and vectors or matrices are spoken of."""
    has_vectors = isinstance(literal, Matrix) or any(not known.paper.is_scalar for known in evaluator.used)
    return has_vectors and not evaluator.met.versions


def rests_on_scalars(expected: Node, evaluator: Evaluator) -> bool:
    """Whether names went in and all of them are single numbers: such letters mean one thing here and another there."""
    has_names = any(isinstance(each, Name) and each.text != "π" for each in walk(expected))
    single = (known.paper.is_scalar and not isinstance(known.literal, Matrix) for known in evaluator.used)
    return has_names and all(single)


def may_be_shapes(expected: Node, literal: Node) -> bool:
    """`[5 × 35] · [35 × 1] = [5 × 1]` and `[2, 2] × [2, 128] = [2, 128]`: sizes that fit together."""
    result = _shape(literal)
    parts = expected.factors if isinstance(expected, Product) else expected.terms if isinstance(expected, Sum) else ()
    shapes: list[tuple[int, ...]] = [shape for part in parts if (shape := _shape(part)) is not None]
    sizes = _sizes(parts)
    if result is not None and isinstance(expected, Product) and len(sizes) == len(parts) and len(sizes) % 2 == 0:
        shapes = [(rows, columns) for rows, columns in zip(sizes[::2], sizes[1::2], strict=True)]
    elif result is None or not parts or len(shapes) != len(parts):
        return False
    if isinstance(expected, Sum):
        return all(shape == result for shape in shapes)
    fit = all(first[-1] == second[-2] for first, second in pairwise(shapes))
    return fit and result == (*shapes[0][:-1], shapes[-1][-1])


def _shape(node: Node) -> tuple[int, ...] | None:
    if isinstance(node, Matrix) and len(node.rows) == 1 and len(node.rows[0]) == 1:
        return _shape(node.rows[0][0])
    parts = node.factors if isinstance(node, Product) else node.rows[0] if isinstance(node, Matrix) else ()
    sizes = _sizes(parts)
    return tuple(sizes) if len(sizes) == len(parts) > 1 else None


def _sizes(parts: tuple[Node, ...]) -> list[int]:
    return [int(part.text) for part in parts if isinstance(part, Number) and part.text.isdigit() and part.sign > 0]


def is_meant(literal: Node, outcome: Outcome, *, strict: bool = False) -> bool:
    """Whether the printed numbers are plainly meant for the formula, though some of them are wrong.

    A `strict` judge wants twice as many right numbers as wrong ones, and noughts and ones count for nothing.
    """
    if not is_printed(literal):
        return False
    wrong, numbers = outcome.wrong, entries_of(literal)
    telling = np.array([[number.value not in (0, 1) for number in row] for row in numbers])
    n_right = int((~wrong & telling).sum())
    if strict and n_right >= (1 if wrong.size <= _SMALL else 2) * max(1, int(wrong.sum())):
        return True
    few = n_right >= wrong.sum() or (wrong.sum() == 1 and wrong.size > 3)
    if not strict and wrong.size > 1 and wrong.mean() <= 0.5 and few:
        return True
    if strict and wrong.size == 1:
        return False
    return are_near_misses(literal, wrong, outcome.fit.expected)
