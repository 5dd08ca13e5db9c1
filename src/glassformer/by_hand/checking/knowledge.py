"""What is known so far in one document, and what an expression gives from it, in any reading of its notation.

Compares, but calls nothing wrong and keeps no account: ledger.py does.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from glassformer.by_hand.checking.stacks import Stacks
from glassformer.by_hand.grammar.expressions import Name, Node, Number, Transpose, is_printed
from glassformer.by_hand.notes.statements import Reading
from glassformer.by_hand.numbers.comparison import are_near_misses, entries_of, units
from glassformer.by_hand.numbers.conventions import PLAIN, Convention, others
from glassformer.by_hand.numbers.evaluator import Evaluator, printed_value
from glassformer.by_hand.numbers.intervals import DEEP, LOCAL, ShapeError, Value, exactly
from glassformer.by_hand.numbers.scope import PAPER, Known, Scope, World
from glassformer.by_hand.numbers.worlds import Outcome, compare
from glassformer.errors import InputError

_LETTERS = re.compile(r"[\W_]|left|right")


Room = Mapping[Number, float]


@dataclass(frozen=True)
class Worked:
    """A printed result, and the expression that it was compared with."""

    section: int
    expected: Node
    literal: Node
    convention: Convention


@dataclass
class Understood:
    """Printed numbers under the reading that fits them best."""

    outcome: Outcome
    evaluator: Evaluator
    convention: Convention


class Knowledge:
    """What the notes have said so far, section by section, and what follows from it."""

    def __init__(
        self, reading: Reading, *, exact: bool = False, digits: int | None = None, room: Room | None = None
    ) -> None:
        self.exact = exact or reading.says_exact
        self.habits = reading.habits
        self.rounds_to = reading.rounds_to
        self.source = reading.document.text
        self.finest = 0.0 if digits is None else 10.0**-digits
        self.room = room or {}  # of given numbers that results show to be exact: the share of it that is left
        self.scopes: list[Scope] = []
        for section in reading.sections:
            self.scopes.append(Scope(None if section.parent is None else self.scopes[section.parent]))
        self.literals: dict[int, Known] = {}
        self.stacks = Stacks()
        self.cuts = False  # the writer was seen to cut digits off
        self.printed: list[Node] = []  # what was printed in this section, the latest at the end
        self.section, self.scope = 0, self.scopes[0]

    def enter(self, section: int) -> None:
        """From here on names are those of this section."""
        if section != self.section:
            self.printed = []
        self.section, self.scope = section, self.scopes[section]

    def spelling(self, name: Name) -> str:
        """A name as the author writes it, if that can be told from the page."""
        written = self.source[name.span.start : name.span.end].strip()
        same = sorted(_LETTERS.sub("", written.lower())) == sorted(_LETTERS.sub("", name.key.lower()))
        return written if "\n" not in written and (same or name.text.startswith("∂")) else name.key

    def evaluator(self, world: World = PAPER, convention: Convention = PLAIN) -> Evaluator:
        """An evaluator in this section."""
        return Evaluator(self.scope, self.literals, world, self._stack_of, convention)

    def can_work_out(self, node: Node) -> bool:
        """Whether everything in it is known and fits together."""
        try:
            self.evaluator()(node, itself=False)
        except InputError:
            return False
        return True

    def _stack_of(self, name: str) -> list[Known]:
        """The rows that were made with W_Q are the matrix Q, if Q itself was never printed."""
        weight = self.scope.find(f"W_{name}") if len(name) == 1 else None
        return [] if weight is None else self.stacks.made_with(self.section, weight)

    def given(self, literal: Node) -> Known:
        """Numbers that are simply given: as exact as the notes, or the results that rest on them, show them to be."""
        value = printed_value(literal, given=True)
        if self.exact:
            value = exactly(value.middle(LOCAL))
        elif self.room and is_printed(literal):
            left = np.array([[self.room.get(number, 1.0) for number in row] for row in entries_of(literal)])
            middle = value.middle(LOCAL)
            value = Value(middle + left * (value.low - middle), middle + left * (value.high - middle))
        return Known(value, value, literal, given=literal)

    def understood(self, expected: Node, literal: Node) -> Understood:
        """Under the first reading that leaves nothing wrong; else under the one that comes nearest."""
        plain = self.evaluator()
        best: Understood | None = None
        problem: ShapeError | None = None
        try:
            best = self._under(PLAIN, expected, literal, plain)
        except ShapeError as error:
            problem = error
        if best is not None and not best.outcome.wrong.any():
            return best
        half = float(units(literal).max()) / 2 if is_printed(literal) and _has_decimals(literal) else 0.0
        for convention in others(plain.met, self.habits, half):
            try:
                found = self._under(convention, expected, literal, self.evaluator(PAPER, convention))
            except InputError:
                continue
            if best is None or misses(found) < misses(best):
                best = found
            if not found.outcome.wrong.any():
                return found
        if best is None:
            raise problem or ShapeError("the shapes do not fit")
        return best

    def _under(self, convention: Convention, expected: Node, literal: Node, on_paper: Evaluator) -> Understood:
        itself = isinstance(expected, Name | Transpose)

        def evaluate(world: World) -> tuple[Value, list[Known]]:
            evaluator = on_paper if world is PAPER else self.evaluator(world, convention)
            value = evaluator(expected, itself=itself)
            return value, evaluator.used

        def printed() -> Value:
            return self.evaluator(PAPER, convention)(literal)

        outcome = compare(literal, evaluate, printed, cuts=self.cuts, finest=self.finest, decimals=self.rounds_to)
        return Understood(outcome, on_paper, convention)

    def agrees(self, expected: Node, literal: Node) -> bool:
        """Whether the printed numbers follow from an expression, in some reading and with some mistake mended."""
        try:
            return not self.understood(expected, literal).outcome.wrong.any()
        except InputError:
            return False

    def gives(self, expected: Node, literal: Node) -> bool:
        """Whether an expression gives the printed numbers to the last digit, its own numbers taken as they stand."""
        try:
            value = self.evaluator()(expected, itself=False)
            numbers = printed_value(literal, given=False).middle(LOCAL)
            room = units(literal) / 2 + 1e-9
            ways = (np.abs(value.fitted(numbers.shape).middle(way) - numbers) <= room for way in (LOCAL, DEEP))
            return any(bool(way.all()) for way in ways)
        except InputError:
            return False

    def hardly_fits(self, expected: Node, literal: Node) -> bool:
        """Whether printed numbers follow only if the given ones were rounded, as many do: 0.15 from 2 × 0.1."""
        return bool(self.understood(expected, literal).outcome.fit.doubtful.any())

    def fits(self, node: Node, literal: Node) -> bool:
        """Whether the printed numbers are what an expression, or a name, gives."""
        try:
            value = self.evaluator()(node, itself=isinstance(node, Name))
            return not compare(literal, lambda _: (value, []), lambda: value, decimals=self.rounds_to).wrong.any()
        except InputError:
            return False

    def stands(self, number: Number) -> int:
        """How often a number stands in the notes, digit by digit."""
        return len(re.findall(rf"(?<![\w.]){re.escape(number.text)}(?!\w|\.\d)", self.source))


def misses(found: Understood) -> tuple[int, bool]:
    """How many numbers are wrong, and if they are not even near."""
    outcome = found.outcome
    literal = outcome.known.literal
    is_near = (
        literal is not None and is_printed(literal) and are_near_misses(literal, outcome.wrong, outcome.fit.expected)
    )
    return int(outcome.wrong.sum()), not is_near


def _has_decimals(literal: Node) -> bool:
    return bool((units(literal) < 1).any())
