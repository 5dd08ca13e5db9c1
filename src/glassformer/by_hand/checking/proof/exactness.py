"""Which given numbers are exact, as the results show that rest on them, and how much room rounding leaves the others.

Had 0.6 been rounded from anything between 0.55 and 0.65, its product with 0.9 would hardly be 0.540 to the last digit.
Where so many results agree that chance gives it less than once in a million, those numbers were printed in full; each
keeps only the room in which the results that rest on it stay as they are printed. Judges no number.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from glassformer.by_hand.checking.knowledge import Knowledge, Room, Worked
from glassformer.by_hand.grammar.expressions import Name, Number, Transpose, is_printed
from glassformer.by_hand.numbers.comparison import Flags, entries_of, units
from glassformer.by_hand.numbers.evaluator import Evaluator, print_halves, printed_value
from glassformer.by_hand.numbers.intervals import GENEROUS, LOCAL, Floats, Value, exactly
from glassformer.by_hand.numbers.scope import PAPER, Known
from glassformer.errors import InputError

CHANCE = 1e-6  # that so many results agree though the numbers they come from were rounded
_MOST_WORKED_OUT = 4000  # expressions
_NOTHING = 1e-6  # of the last digit


@dataclass(frozen=True)
class Agreement:
    """One printed result: the unit of its last digit, if it agrees, and how far each given number alone moves it."""

    unit: float
    agrees: bool
    moves: dict[Number, float]


def room_left(knowledge: Knowledge, worked: Iterable[Worked]) -> Room:
    """The share of its room that rounding leaves each given number that results show to be exact."""
    return shares(agreements(knowledge, worked))


def shares(results: list[Agreement]) -> Room:
    """The same from the results themselves; numbers that no result joins are judged apart."""
    left: dict[Number, float] = {}
    for group in _joined(results):
        agreeing = [result for result in group if result.agrees]
        if len(agreeing) > len(group) / 2 and chance(agreeing) < CHANCE:
            for result in agreeing:
                for number, move in result.moves.items():
                    left[number] = min(left.get(number, 1.0), 2 * result.unit / move)
    return left


def chance(agreeing: list[Agreement]) -> float:
    """An upper bound on the chance that all of them agree, if every given number was rounded from any other.

    Each result counts that rests on a number no earlier one did: whatever the others were, that one alone moves it
    evenly over so much, and one unit of its last digit is right.
    """
    logarithm, seen = 0.0, set[Number]()
    for result in agreeing:
        own = [move for number, move in result.moves.items() if number not in seen]
        if own and max(own) > result.unit:
            logarithm += math.log(result.unit / max(own))
            seen |= result.moves.keys()
    return math.exp(logarithm)


def _joined(results: list[Agreement]) -> list[list[Agreement]]:
    """Results that rest on the same given numbers, directly or by way of others."""
    groups: list[tuple[set[Number], list[Agreement]]] = []
    for result in results:
        numbers, together = set(result.moves), [result]
        apart = []
        for group in groups:
            if numbers.isdisjoint(group[0]):
                apart.append(group)
            else:
                numbers |= group[0]
                together = group[1] + together
        groups = [*apart, (numbers, together)]
    return [together for _, together in groups]


def agreements(knowledge: Knowledge, worked: Iterable[Worked]) -> list[Agreement]:
    """The results that rest on given numbers and on nothing else that may have been rounded."""
    budget, found = _MOST_WORKED_OUT, list[Agreement]()
    for each in worked:
        if not is_printed(each.literal):
            continue  # its entries are worked out themselves
        knowledge.enter(each.section)
        rounding = _Rounding(knowledge, each)
        try:
            exact = rounding.worked_out(None)
            numbers = rounding.given_numbers()
            budget -= len(numbers)
            if budget < 0:
                break
            found += _entries(each, exact, {number: rounding.worked_out(number) for number in numbers})
        except InputError:
            continue  # a name in it has been given anew since, in another shape
    return found


def _entries(worked: Worked, exact: Value, moved: dict[Number, Value]) -> list[Agreement]:
    printed, unit = printed_value(worked.literal, given=False).middle(LOCAL), units(worked.literal)
    exact = exact.fitted(printed.shape)
    rooms = {number: _width(value.fitted(printed.shape)) for number, value in moved.items()}
    is_exact = _width(exact) <= _NOTHING * unit
    with np.errstate(invalid="ignore"):  # of infinities
        agrees: Flags = np.abs(exact.middle(LOCAL) - printed) <= unit / 2 * (1 + _NOTHING)
    answer = []
    for i, j in np.argwhere(is_exact).tolist():
        moves = {number: float(room[i, j]) for number, room in rooms.items() if room[i, j] > _NOTHING * unit[i, j]}
        if moves and all(map(math.isfinite, moves.values())):
            answer.append(Agreement(float(unit[i, j]), bool(agrees[i, j]), moves))
    return answer


def _width(value: Value) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(value.high[GENEROUS] - value.low[GENEROUS])


class _Rounding(Evaluator):
    """Works one expression out with all given numbers as they are printed, but for one, which may have been rounded."""

    def __init__(self, knowledge: Knowledge, worked: Worked) -> None:
        plain = knowledge.evaluator(PAPER, worked.convention)
        super().__init__(plain.scope, plain.literals, plain.world, plain.stacks, plain.convention)
        self.worked = worked
        self.rounded: Number | None = None

    def worked_out(self, rounded: Number | None) -> Value:
        """With this number rounded."""
        self.rounded = rounded
        expected = self.worked.expected
        return self(expected, itself=isinstance(expected, Name | Transpose))

    def given_numbers(self) -> list[Number]:
        """The given numbers that went in and may have been rounded."""
        givens = {id(known.given): known.given for known in self.used if known.given is not None}
        numbers = []
        for given in givens.values():
            flat = [number for row in entries_of(given) for number in row]
            numbers += [number for number, half in zip(flat, print_halves(flat), strict=True) if half]
        return numbers

    def take(self, known: Known) -> Value:
        value = super().take(known)
        if known.given is None:
            return value
        exact = exactly(value.middle(LOCAL))
        flat = [number for row in entries_of(known.given) for number in row]
        if self.rounded is None or self.rounded not in flat:
            return exact
        half = print_halves(flat)[flat.index(self.rounded)]
        i, j = divmod(flat.index(self.rounded), len(entries_of(known.given)[0]))
        if not self._stands_upright(known, exact):
            i, j = j, i
        exact.low[GENEROUS, i, j] -= half
        exact.high[GENEROUS, i, j] += half
        return exact

    def _stands_upright(self, known: Known, value: Value) -> bool:
        """Whether the numbers stand as they were given, and not transposed."""
        assert known.given is not None
        return np.array_equal(printed_value(known.given, given=True).middle(LOCAL), value.middle(LOCAL))
