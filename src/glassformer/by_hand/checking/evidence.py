"""Whether numbers that do not follow prove a mistake, or only that something else is meant.

What stands in plain numbers on the page proves it at once. What was looked up by name proves it only if the printed
numbers were plainly meant for this formula: most of them are right, one is right but for a digit, or a known slip gives
them all. Knows nothing of documents.
"""

import numpy as np

from glassformer.by_hand.grammar.expressions import Name, Node, is_printed, walk
from glassformer.by_hand.numbers.comparison import entries_of, is_near_miss
from glassformer.by_hand.numbers.evaluator import Evaluator
from glassformer.by_hand.numbers.intervals import DEEP, LOCAL
from glassformer.by_hand.numbers.worlds import Outcome
from glassformer.by_hand.slips.causes import CHANCE
from glassformer.errors import InputError


class UnsureError(InputError):
    """Numbers that do not follow, though nothing proves that they should; the message says what is not certain."""


def is_written(expected: Node) -> bool:
    """Whether everything that goes in stands on the page in numbers."""
    return not any(isinstance(each, Name) and each.text not in ("e", "π") for each in walk(expected))


def missing_proof(expected: Node, literal: Node, outcome: Outcome, evaluator: Evaluator, cause: str | None) -> str:
    """Why wrong numbers prove nothing; empty if they do."""
    if is_written(expected) and not evaluator.guesses:
        return ""
    if is_meant(literal, outcome) or (cause is not None and cause not in CHANCE):
        return ""
    if evaluator.guesses:
        return evaluator.guesses[0]
    names = ", ".join(sorted(evaluator.looked_up)[:3]) or "the formula"
    return f"it does not follow from {names} as given before, which may mean something else here"


def is_meant(literal: Node, outcome: Outcome) -> bool:
    """Whether the printed numbers are plainly meant for the formula, though some of them are wrong."""
    if not is_printed(literal):
        return False
    wrong, numbers = outcome.wrong, entries_of(literal)
    right = outcome.fit.expected
    if wrong.size > 1:
        telling = np.array([[number.value not in (0, 1) for number in row] for row in numbers])
        n_right = int((~wrong & telling).sum())
        if wrong.mean() <= 0.5 and (n_right or wrong.size > 3):
            return True
    return all(
        any(is_near_miss(numbers[i][j], float(right.middle(reading)[i, j])) for reading in (LOCAL, DEEP))
        for i, j in np.argwhere(wrong).tolist()
    )
