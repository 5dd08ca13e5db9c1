"""The account of one document: the one place where printed numbers are compared with what is known, and called wrong.

Printed numbers are wrong only if no reading of the notation gives them, and something proves that they should follow:
evidence.py says when. Knows nothing of chains; chains.py and checker.py ask it to compare.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from glassformer.by_hand.checking.knowledge import Knowledge, Room, Understood, Worked, misses
from glassformer.by_hand.checking.proof.evidence import (
    UnsureError,
    is_meant,
    is_pinned,
    is_written,
    missing_proof,
    rests_on_scalars,
)
from glassformer.by_hand.checking.proof.readings import are_codes, in_other_digits, read_otherwise
from glassformer.by_hand.checking.proof.trust import Record
from glassformer.by_hand.grammar.expressions import (
    Matrix,
    Name,
    Node,
    Number,
    Span,
    Transpose,
    has_matrix,
    is_printed,
    is_symbolic,
    readable,
    walk,
)
from glassformer.by_hand.notes.statements import Reading
from glassformer.by_hand.numbers.comparison import units
from glassformer.by_hand.numbers.evaluator import printed_value
from glassformer.by_hand.numbers.intervals import GENEROUS, LOCAL, ShapeError
from glassformer.by_hand.numbers.scope import PAPER, RIGHT, Known, Mistake, World
from glassformer.by_hand.numbers.worlds import Flaw, Outcome
from glassformer.by_hand.slips.causes import scene_of
from glassformer.by_hand.slips.search import find_cause, other_function, said_otherwise
from glassformer.errors import InputError

# How sure a mild finding is: what would have to be so for the number to be right.
_POSSIBLE = {
    "cut-off": "only possible if its digits were cut off instead of rounded",
    "doubtful": "only possible if the given numbers were rounded before they were printed",
}


_JUST_BEFORE = 2  # statements
_PLAINLY_ROUNDED = 3  # decimals
_MANY_DIGITS = 4  # so many that a number is known by them
_NOTHING = 1e-9
_MOST_CLAIMS = 50  # that begin in a stretch of text before its last one


@dataclass
class Claim:
    """One relation sign, and what became of it: checked, not checkable or unreadable, and why."""

    span: Span
    status: str
    why: str = ""
    waits: bool = False  # for a name that nothing was said about yet


@dataclass(frozen=True)
class Topic:
    """What is being talked about: the name of the chain, and the side of it that is at hand."""

    name: str = ""
    side: Node | None = None


Doubt = Callable[[], str]  # why a number that does not follow may yet be no mistake; empty if there is no reason


def no_doubt() -> str:
    """Nothing speaks against it."""
    return ""


def constantly(doubt: str) -> Doubt:
    """A reason that is known beforehand."""
    return lambda: doubt


class Ledger(Knowledge):
    """What is known, what was compared with it, and what is wrong."""

    def __init__(
        self, reading: Reading, *, exact: bool = False, digits: int | None = None, room: Room | None = None
    ) -> None:
        super().__init__(reading, exact=exact, digits=digits, room=room)
        self.by_catalogue = reading.document.ways is not None  # a worksheet of a layer: its formulas have one meaning
        self.claims: list[Claim] = []
        self._by_start: list[Claim] = []  # the same in the order of the text
        self.flaws: list[Flaw] = []
        self.withdrawn: list[tuple[Node, str]] = []  # what does not follow and is not proved wrong, and why
        self.numbers = 0  # printed numbers that were compared
        self.following = 0  # of these, consistent with an earlier error
        self.compared: dict[int, bool] = {}  # where each of these stands, and if it was put in for a name
        self.record = Record()
        self.worked: list[Worked] = []  # results that were compared
        self.hangs_on_rounding = False  # one of them is far off, unless the given numbers were rounded
        self.mistaken: dict[str, Known] = {}  # wrong numbers of many digits
        self.said: list[dict[str, Node]] = [{}]  # statement by statement: names, and what is worked out for them
        self.values: set[tuple[str, str]] = set()  # names, and what was printed for them anywhere
        self.by_program = False
        self.guess = ""

    def go_on(self, *, by_program: bool, guess: str = "") -> None:
        """The next statement begins; what a program or a sheet gives is a proof by itself.

        Numbers that were read by a `guess` are right if they come out, and say nothing if they do not.
        """
        self.by_program, self.guess = by_program, guess
        self.said = [{}, *self.said[:_JUST_BEFORE]]

    def just_said(self, name: str) -> Node | None:
        """What a name was said to be a few statements before, in numbers that nobody has worked out yet."""
        return next((said[name] for said in self.said if name in said), None)

    # --- comparing ----------------------------------------------------------------------------------------------

    def recognise(self, node: Node) -> None:
        """A number of many digits that was wrong where it was printed is the same number wherever it is put in."""
        for each in walk(node):
            if isinstance(each, Number) and id(each) not in self.literals and each.key in self.mistaken:
                self.literals[id(each)] = self.mistaken[each.key]

    def compare(
        self, expected: Node, literal: Node, subject: Topic, doubted: Doubt = no_doubt, *, proven: bool | None = None
    ) -> None:
        """Compares printed numbers with an expression, and keeps what they stand for from now on.

        Raises `UnsureError` if they do not follow but nothing proves that they should; `doubted` is asked for a reason.
        `proven` says that the proof was found elsewhere; if False, that the numbers themselves must show what is meant.
        """
        if self._is_copy(expected, literal):
            return
        found = self.understood(expected, literal)
        outcome = found.outcome
        outcome.known.origin = expected
        if self.guess and not (outcome.fit.fine or outcome.fit.rounded.all()):
            raise UnsureError(self.guess)
        if not self.exact and _is_half_less(literal, outcome):
            raise UnsureError("half-way between two whole numbers: rounded to the even one, perhaps, or cut off")
        doubt = doubted() if outcome.wrong.any() or not outcome.fit.fine else ""
        if outcome.wrong.any():
            if not self.exact and self._are_other_digits(expected, literal):
                raise UnsureError("digits that may be read in another way")
            meant = None if self.by_catalogue else self._meant(expected, literal, int(outcome.wrong.sum()))
            if meant is not None:
                self.compare(meant, literal, subject, constantly(doubt), proven=proven)
                return
            is_list = isinstance(literal, Matrix)  # of one number alone any softmax is 1
            other = said_otherwise(expected, lambda node: self.fits(node, literal)) if is_list else None
            if other is not None and not doubt:
                self._add_flaw(expected, literal, found, subject, kind="formula", cause=other[0])
                self.compare(other[1], literal, subject)
                return
            cause, states = self._cause(expected, literal, outcome)
            why = doubt or self._why_not(expected, literal, found, cause, proven)
            if why:
                raise UnsureError(why)
            for mistake, state in states.items():
                mistake.state = state
            flaw = self._accuse(expected, literal, found, subject, cause)
            flaw.is_proven = bool(proven) or self.by_program
            flaw.is_pinned = is_pinned(literal, found.evaluator)
            flaw.by_scalars = rests_on_scalars(expected, found.evaluator)
        self.record.note(expected, is_right=not outcome.wrong.any(), is_near=not misses(found)[1])
        outcome.settle()
        self.worked.append(Worked(self.section, expected, literal, found.convention))
        self.hangs_on_rounding |= _is_far_off(literal, outcome)
        if not doubt and proven is None:
            self._mild(expected, literal, found, subject)
        self._keep(expected, literal, outcome)

    def _are_other_digits(self, expected: Node, literal: Node) -> bool:
        return are_codes(expected, literal) or any(self.agrees(*pair) for pair in in_other_digits(expected, literal))

    def _meant(self, expected: Node, literal: Node, n_wrong: int) -> Node | None:
        """The other meaning of an expression that leaves the fewest numbers wrong, if it is fewer than these."""
        best: Node | None = None
        for meant in read_otherwise(expected, literal, self.source):
            try:
                left = int(self.understood(meant, literal).outcome.wrong.sum())
            except InputError:
                continue
            if left < n_wrong:
                best, n_wrong = meant, left
            if not left:
                break
        return best

    def _why_not(self, expected: Node, literal: Node, found: Understood, cause: str | None, proven: bool | None) -> str:
        evaluator = found.evaluator
        if self.exact and proven is None and not evaluator.guesses and not evaluator.met.versions:
            return ""  # a worksheet says that its numbers are meant as they stand
        if proven is None and (self.by_program or not (is_printed(expected) and isinstance(expected, Matrix))):
            return missing_proof(expected, literal, found.outcome, evaluator, cause)
        meant = proven or is_meant(literal, found.outcome, strict=proven is False)
        return "" if meant else "it does not follow from what is said before, which may mean something else"

    def _accuse(self, expected: Node, literal: Node, found: Understood, subject: Topic, cause: str | None) -> Flaw:
        """Records wrong numbers."""
        flaw = self._add_flaw(expected, literal, found, subject, cause=cause)
        found.outcome.known.mistake = flaw
        found.outcome.known.sources |= {flaw}
        if isinstance(literal, Number) and len(literal.text.strip("0.")) >= _MANY_DIGITS:
            self.mistaken[literal.key] = found.outcome.known
        return flaw

    def _keep(self, expected: Node, literal: Node, outcome: Outcome) -> None:
        """Remembers what the printed numbers stand for from now on."""
        self.following += outcome.n_following
        if outcome.n_following:
            for mistake in outcome.known.sources:
                if isinstance(mistake, Flaw) and mistake.state == "carried":
                    mistake.followers.append(literal)
        self.numbers += outcome.wrong.size
        self._mark_compared(literal, copied=isinstance(expected, Name | Transpose) or is_printed(expected))
        self.literals[id(literal)] = outcome.known
        self.stacks.add(self.section, expected, outcome.known, self.evaluator)
        if isinstance(literal, Matrix):
            self.stacks.match(self.section, literal)

    def _is_copy(self, expected: Node, literal: Node) -> bool:
        """The very numbers that were printed before, put in for their name: with any mistake they had."""
        source = expected.of if isinstance(expected, Transpose) else expected
        if not (isinstance(source, Name) or is_printed(source)) or not is_printed(literal):
            return False
        known = self.literals.get(id(source)) or (self.scope.find(source.key) if isinstance(source, Name) else None)
        if known is None or (id(literal) in self.literals and self.literals[id(literal)].mistake is not known.mistake):
            return False
        turned = isinstance(expected, Transpose)
        views = [known.paper, known.right, known.mended or known.right]
        paper, right, mended = (view.transposed for view in views) if turned else views
        printed = printed_value(literal, given=False)
        try:
            same = np.array_equal(paper.fitted(printed.shape).middle(LOCAL), printed.middle(LOCAL))
            paper, right, mended = (view.fitted(printed.shape) for view in (paper, right, mended))
        except ShapeError:
            return False
        if same:
            copy = Known(paper, right, literal, known.mistake, known.sources, expected, mended, known.given)
            self.literals[id(literal)] = copy
            self.numbers += printed.low[0].size
            self._mark_compared(literal, copied=True)
        return bool(same)

    def _mark_compared(self, literal: Node, *, copied: bool) -> None:
        if is_printed(literal):
            for each in walk(literal):
                if isinstance(each, Number):
                    self.compared[each.span.start] = copied and self.compared.get(each.span.start, True)

    def claims_around(self, span: Span) -> list[Claim]:
        """The claims that a stretch of the text belongs to."""
        if len(self._by_start) != len(self.claims):
            self._by_start = sorted(self.claims, key=lambda claim: claim.span.start)
        last = bisect_right(self._by_start, span.start, key=lambda claim: claim.span.start)
        nearest = self._by_start[max(0, last - _MOST_CLAIMS) : last]
        return [claim for claim in nearest if span.end <= claim.span.end]

    # --- mistakes -----------------------------------------------------------------------------------------------

    def _add_flaw(
        self,
        expected: Node,
        literal: Node,
        found: Understood,
        subject: Topic,
        *,
        kind: str = "",
        cause: str | None = None,
    ) -> Flaw:
        itself = isinstance(expected, Name | Transpose)
        shape = found.outcome.fit.expected.shape
        on_page = is_written(expected) and not has_matrix(expected)
        world = PAPER if on_page else RIGHT
        right = self.evaluator(world, found.convention)(expected, itself=itself).fitted(shape)
        flaw = Flaw(
            literal,
            expected=expected,
            wrong=found.outcome.wrong,
            right=right,
            name=_title(expected, literal, subject),
            kind=kind,
            cause=cause,
            is_copy=itself or is_printed(expected),
            is_put_in=literal is not subject.side,
            after=found.outcome.known.sources,
            section=self.section,
            convention=found.convention,
            on_page=on_page,
        )
        self.flaws.append(flaw)
        return flaw

    def contradicted(self, said: Node, meant: Node, literal: Node, name: str) -> None:
        """Records that a formula given earlier names another function than the one its numbers come from."""
        cause = other_function(said, meant)
        if cause is not None:
            nothing = np.zeros((0, 0), dtype=np.bool_)
            flaw = Flaw(literal, "slip", expected=said, wrong=nothing, name=name, kind="formula", cause=cause)
            flaw.section = self.section
            self.flaws.append(flaw)

    def _cause(self, expected: Node, literal: Node, outcome: Outcome) -> tuple[str | None, dict[Mistake, str]]:
        """The slip that gives these numbers; and what it shows of open mistakes, if only one world explains them."""
        still_open = [m for m in {k.mistake for k in outcome.used} if m is not None and m.state == "open"]
        worlds = [outcome.own_world, *([World(frozenset(still_open))] if still_open else [])]
        causes = [self._cause_in(world, expected, literal, outcome) for world in worlds]
        if len(causes) == 1 or (causes[0] is None) == (causes[1] is None):
            return causes[0], {}
        return causes[0] or causes[1], dict.fromkeys(still_open, "slip" if causes[0] is None else "carried")

    def _cause_in(self, world: World, expected: Node, literal: Node, outcome: Outcome) -> str | None:
        right = self.evaluator(world)(expected, itself=isinstance(expected, Name | Transpose))
        try:
            right = right.fitted(outcome.fit.expected.shape)
        except ShapeError:
            return None  # the numbers are meant in another way than the plain one
        scene = scene_of(expected, literal, outcome.wrong, right, partial(self.evaluator, world), self.literals)
        return find_cause(scene)

    def _mild(self, expected: Node, literal: Node, found: Understood, subject: Topic) -> None:
        outcome = found.outcome
        for kind, where in (("cut-off", outcome.fit.cut), ("doubtful", outcome.fit.doubtful)):
            self.cuts |= kind == "cut-off" and bool((where & ~outcome.wrong).any())
            is_excused = _look_rounded(expected, outcome.used)
            is_excused &= not (is_written(expected) and _is_far_off(literal, outcome))
            excused = outcome.fit.rounded if is_excused else np.zeros_like(where)
            right_but_mild = where & ~outcome.wrong & ~excused
            if right_but_mild.any():
                flaw = self._add_flaw(expected, literal, found, subject, kind=kind)
                flaw.wrong, flaw.state = right_but_mild, "slip"
                flaw.sure = _POSSIBLE[kind]

    def cut_off(self, expected: Node, literal: Number, subject: Topic) -> None:
        """Records digits that were cut off, as the numbers beside them show."""
        flaw = self._add_flaw(expected, literal, self.understood(expected, literal), subject, kind="cut-off")
        flaw.wrong, flaw.state = np.ones_like(flaw.wrong), "slip"
        flaw.sure = "only possible if its digits were cut off, or what it comes from was rounded"
        self.cuts = True


def _title(expected: Node, literal: Node, subject: Topic) -> str:
    """What the numbers are called: the chain's name for its results, else what they were put in for."""
    if literal is subject.side or not is_symbolic(expected):
        return subject.name
    return readable(expected)


def _look_rounded(expected: Node, used: list[Known]) -> bool:
    """Whether numbers that went in have so many decimals that they were plainly rounded, as 0.5403 was."""
    nodes = [expected, *(known.literal for known in used if known.literal is not None)]
    numbers = (each for node in nodes for each in walk(node) if isinstance(each, Number))
    return any((number.decimals or 0) >= _PLAINLY_ROUNDED for number in numbers)


def _is_half_less(literal: Node, outcome: Outcome) -> bool:
    """`5 / 2 = 2`, by itself: a whole number for one and a half of which nothing was rounded before."""
    if not isinstance(literal, Number) or literal.decimals is not None or literal.percent:
        return False
    expected = outcome.fit.expected
    low, high, right = (
        float(each[0, 0]) for each in (expected.low[GENEROUS], expected.high[GENEROUS], expected.middle(LOCAL))
    )
    is_exact = math.isfinite(right) and math.isclose(low, high, rel_tol=0, abs_tol=_NOTHING)
    is_half_more = abs(abs(right) - abs(literal.value) - 0.5) < _NOTHING
    return is_exact and is_half_more and right * literal.value >= 0


def _is_far_off(literal: Node, outcome: Outcome) -> bool:
    """Whether a number is possible only if the given ones were rounded, and is off by more than its last digit."""
    doubtful = outcome.fit.doubtful & ~outcome.wrong
    if not doubtful.any():
        return False
    numbers = printed_value(literal, given=False).middle(LOCAL)
    with np.errstate(invalid="ignore"):  # −∞ where −∞ is printed
        return bool((doubtful & (np.abs(outcome.fit.expected.middle(LOCAL) - numbers) > units(literal))).any())
