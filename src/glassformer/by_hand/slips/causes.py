"""The causes that slips have by name, and the scene to try them in: what is printed, and what should be there.

The names of all slips stand here; pen_slips.py and method_slips.py try them. Knows nothing of documents.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Transpose
from glassformer.by_hand.numbers.comparison import Flags, units
from glassformer.by_hand.numbers.evaluator import Evaluator, printed_value
from glassformer.by_hand.numbers.intervals import DEEP, FACE, LOCAL, Floats, Value
from glassformer.by_hand.numbers.scope import Known
from glassformer.errors import InputError

SIGN = "sign lost"
DIGITS = "digits swapped"
POINT = "decimal point moved"
EXCHANGED = "row and column exchanged"
NEIGHBOUR = "a neighbour's entry"
COPIED = "copied the previous line"
NOT_SCALED = "forgot to scale"
SCALED_BY_D = "scaled by d instead of √d"
SCALED_UP = "multiplied by √d instead of dividing"
TURNED = "transposed operand"
WRONG_AXIS = "softmax over the wrong axis"
NO_EXP = "softmax without exp"
NO_SUM = "exponentials not divided by their sum"
NO_SOFTMAX = "softmax left out"
UNSCALED = "used the unscaled matrix"
UNMASKED = "used the unmasked matrix"
MASK_AFTER = "mask applied after softmax"
MASK_TIMES = "mask multiplied instead of added"
Q_Q = "q·q for q·k"
K_K = "k·k for q·k"
SWAPPED_ORDER = "operands in the wrong order"
NO_RELU = "ReLU left out"
TWO_EXCHANGED = "two entries exchanged"
TERM_LEFT_OUT = "one term left out"
TERM_SIGN = "sign of one term lost"
KEYS_VALUES = "keys and values swapped"

# These give many numbers, so that one of them may be the printed one by chance: no proof that the formula was meant.
CHANCE = frozenset({NEIGHBOUR, TERM_LEFT_OUT, TERM_SIGN, TWO_EXCHANGED})

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Scene:
    """A wrong result: what is printed, what should have been, and how to work out something else instead."""

    literal: Node
    expected: Node
    wrong: Flags
    right: Value
    evaluate: Callable[[Node], Value]
    origin: Callable[[Node], Node | None]  # the expression that a name or a printed matrix came from

    @property
    def numbers(self) -> Floats:
        """The printed numbers."""
        return printed_value(self.literal, given=False).middle(LOCAL)

    def reproduced(self, value: Value) -> bool:
        """Whether `value` gives every number as printed, the wrong ones and the right ones."""
        try:
            value = value.fitted(self.right.shape)
        except InputError:
            return False
        room = units(self.literal) / 2 + 1e-9
        inside = (value.low[FACE] <= self.numbers + room) & (value.high[FACE] >= self.numbers - room)
        with np.errstate(invalid="ignore"):
            apart = np.fmin(*(np.abs(value.middle(reading) - self.numbers) for reading in (LOCAL, DEEP)))
        return bool(inside.all() and (apart <= 3 * room)[self.wrong].all())

    def entries_reproduced(self, candidates: Callable[[int, int], Iterator[Bounds]]) -> bool:
        """Whether each wrong number is among the candidates for its place."""
        numbers, room = self.numbers, units(self.literal) * 0.5001 + 1e-12

        def fits(i: int, j: int) -> bool:
            printed, slack = numbers[i, j], room[i, j]
            return any(low - slack <= printed <= high + slack for low, high in candidates(i, j))

        return all(fits(int(i), int(j)) for i, j in zip(*np.nonzero(self.wrong), strict=True))


def scene_of(
    expected: Node,
    literal: Node,
    wrong: Flags,
    right: Value,
    evaluator: Callable[[], Evaluator],
    literals: dict[int, Known],
) -> Scene:
    """Sets the scene for a search."""

    def evaluate(node: Node) -> Value:
        return evaluator()(node, itself=isinstance(node, Name | Matrix | Transpose))

    def origin(node: Node) -> Node | None:
        known = literals.get(id(node)) or evaluator().scope.find(node.key)
        return known.origin if known is not None else None

    return Scene(literal, expected, wrong, right, evaluate, origin)
