"""The ledger of one document: what is known, what was compared, and which mistakes are open.

It compares printed numbers with an expression and keeps the result. How sides are laid over each other is decided in
alignment.py, the order of things in chains.py.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from glassformer.by_hand.grammar.expressions import (
    Matrix,
    Name,
    Node,
    Number,
    Span,
    Transpose,
    is_printed,
    is_symbolic,
    names_in,
    readable,
    walk,
)
from glassformer.by_hand.grammar.names import stage_of
from glassformer.by_hand.notes.statements import Reading
from glassformer.by_hand.numbers.evaluator import (
    PAPER,
    Evaluator,
    Known,
    Mistake,
    Scope,
    UnknownError,
    World,
    factors_of,
    printed_value,
    product_of,
)
from glassformer.by_hand.numbers.formulas import catalogue_formulas
from glassformer.by_hand.numbers.intervals import LOCAL, ShapeError, Value
from glassformer.by_hand.numbers.worlds import Flaw, Outcome, compare
from glassformer.by_hand.slips.causes import scene_of
from glassformer.by_hand.slips.search import find_cause, other_function, said_otherwise
from glassformer.errors import InputError

# How sure a mild finding is: what would have to be so for the number to be right.
_POSSIBLE = {
    "cut-off": "only possible if its digits were cut off instead of rounded",
    "doubtful": "only possible if the given numbers were rounded before they were printed",
}


@dataclass
class Claim:
    """One relation sign, and what became of it: checked, not checkable or unreadable, and why."""

    span: Span
    status: str
    why: str = ""


@dataclass
class Row:
    """The result of a row times a matrix: rows made with one matrix belong together."""

    left: Value
    known: Known


class Ledger:
    """Everything known so far, section by section."""

    def __init__(self, reading: Reading, *, exact: bool = False, digits: int | None = None) -> None:
        self.exact = exact or reading.says_exact
        self.finest = 0.0 if digits is None else 10.0**-digits
        self.claims: list[Claim] = []
        self.flaws: list[Flaw] = []
        self.numbers = 0  # printed numbers that were compared
        self.following = 0  # of these, consistent with an earlier error
        self.compared: dict[int, bool] = {}  # where each of these stands, and if it was put in for a name
        self.scopes: list[Scope] = []
        for section in reading.sections:
            self.scopes.append(Scope(None if section.parent is None else self.scopes[section.parent]))
        self.literals: dict[int, Known] = {}
        self.stacks: dict[tuple[int, bytes], list[Row]] = {}
        self.cuts = False  # the writer was seen to cut digits off
        self.chain_name = ""
        self.chain_side: Node | None = None  # the side being worked on
        self.enter(0)

    def enter(self, section: int) -> None:
        """From here on names are those of this section."""
        self.section, self.scope = section, self.scopes[section]

    # --- working out --------------------------------------------------------------------------------------------

    def evaluator(self, world: World = PAPER) -> Evaluator:
        """An evaluator in this section."""
        return Evaluator(self.scope, self.literals, world, self._stack_of)

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
        if weight is None:
            return []
        rows = self.stacks.get((self.section, _fingerprint(weight.paper)), [])
        return [row.known for row in rows] if len(rows) > 1 else []

    def given(self, literal: Node) -> Known:
        """Numbers that are simply given."""
        value = printed_value(literal, given=True)
        if self.exact:
            value = Value(np.repeat(value.low[LOCAL][None], 4, axis=0), np.repeat(value.high[LOCAL][None], 4, axis=0))
        return Known(value, value, literal)

    def compare(self, expected: Node, literal: Node, *, loose: bool = False) -> int:
        """Compares printed numbers with an expression; `loose` if the notes do not say that they come from it.

        Gives 1 if they could be compared, and keeps what the numbers stand for from now on.
        """
        if self._is_copy(expected, literal):
            return 1

        def evaluate(world: World) -> tuple[Value, list[Known]]:
            evaluator = self.evaluator(world)
            value = evaluator(expected, itself=isinstance(expected, Name | Transpose))
            return value, evaluator.used

        outcome = compare(literal, evaluate, lambda: self.evaluator()(literal), cuts=self.cuts, finest=self.finest)
        outcome.known.origin = expected
        if outcome.wrong.any():
            other = said_otherwise(expected, lambda node: self.fits(node, literal))
            if other is not None:
                self._add_flaw(expected, literal, outcome, kind="formula", cause=other[0])
                return self.compare(other[1], literal)
            if not self._flawed(expected, literal, outcome, loose):
                return 0
        self._mild(expected, literal, outcome)
        self._keep(expected, literal, outcome)
        return 1

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
        self._remember_row(expected, literal, outcome.known)
        if isinstance(literal, Matrix):
            self.match_stacks(literal)

    def _is_copy(self, expected: Node, literal: Node) -> bool:
        """The very numbers that were printed before, put in for their name: with any mistake they had."""
        source = expected.of if isinstance(expected, Transpose) else expected
        if not (isinstance(source, Name) or is_printed(source)) or not is_printed(literal):
            return False
        known = self.literals.get(id(source)) or self.scope.find(source.key)
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
            self.literals[id(literal)] = Known(paper, right, literal, known.mistake, known.sources, expected, mended)
            self.numbers += printed.low[0].size
            self._mark_compared(literal, copied=True)
        return bool(same)

    def _mark_compared(self, literal: Node, *, copied: bool) -> None:
        if is_printed(literal):
            for each in walk(literal):
                if isinstance(each, Number):
                    self.compared[each.span.start] = copied and self.compared.get(each.span.start, True)

    def _add_flaw(
        self, expected: Node, literal: Node, outcome: Outcome, *, kind: str = "", cause: str | None = None
    ) -> Flaw:
        itself = isinstance(expected, Name | Transpose)
        right = self.evaluator(World(right=True))(expected, itself=itself).fitted(outcome.fit.expected.shape)
        flaw = Flaw(
            literal,
            expected=expected,
            wrong=outcome.wrong,
            right=right,
            name=self._title(expected, literal),
            kind=kind,
            cause=cause,
            is_copy=itself or is_printed(expected),
            after=outcome.known.sources,
            section=self.section,
        )
        self.flaws.append(flaw)
        return flaw

    def contradicted(self, said: Node, meant: Node, literal: Node) -> None:
        """Records that a formula given earlier names another function than the one its numbers come from."""
        cause = other_function(said, meant)
        if cause is not None:
            nothing = np.zeros((0, 0), dtype=np.bool_)
            flaw = Flaw(
                literal, "slip", expected=said, wrong=nothing, name=self.chain_name, kind="formula", cause=cause
            )
            flaw.section = self.section
            self.flaws.append(flaw)

    def _title(self, expected: Node, literal: Node) -> str:
        """What the numbers are called: the chain's name for its results, else what they were put in for."""
        if literal is self.chain_side or not is_symbolic(expected):
            return self.chain_name
        return readable(expected)

    def _flawed(self, expected: Node, literal: Node, outcome: Outcome, loose: bool) -> bool:
        """Records wrong numbers; False if the expression was only a guess and does not seem to be meant."""
        cause = self._cause(expected, literal, outcome)
        if loose and (outcome.wrong.size == 1 or (cause is None and outcome.wrong.mean() > 0.5)):
            return False
        flaw = self._add_flaw(expected, literal, outcome, cause=cause)
        outcome.known.mistake = flaw
        outcome.known.sources |= {flaw}
        return True

    def _cause(self, expected: Node, literal: Node, outcome: Outcome) -> str | None:
        """The slip that gives these numbers; that it does so from right or wrong numbers settles open mistakes, too."""
        still_open = {k.mistake for k in outcome.used if k.mistake is not None and k.mistake.state == "open"}
        causes: list[str | None] = []
        for world in (outcome.own_world, World(frozenset(still_open))):
            right = self.evaluator(world)(expected, itself=isinstance(expected, Name | Transpose))
            right = right.fitted(outcome.fit.expected.shape)
            scene = scene_of(expected, literal, outcome.wrong, right, partial(self.evaluator, world), self.literals)
            causes.append(find_cause(scene))
            if not still_open:
                return causes[0]
        on_paper, mended = causes
        if (on_paper is None) != (mended is None):
            for mistake in still_open:
                mistake.state = "slip" if on_paper is None else "carried"
        return on_paper or mended

    def fits(self, node: Node, literal: Node) -> bool:
        """Whether the printed numbers are what an expression, or a name, gives."""
        try:
            value = self.evaluator()(node, itself=isinstance(node, Name))
            return not compare(literal, lambda _: (value, []), lambda: value).wrong.any()
        except InputError:
            return False

    def _mild(self, expected: Node, literal: Node, outcome: Outcome) -> None:
        for kind, where in (("cut-off", outcome.fit.cut), ("doubtful", outcome.fit.doubtful)):
            right_but_mild = where & ~outcome.wrong
            if right_but_mild.any():
                self.cuts |= kind == "cut-off"
                flaw = self._add_flaw(expected, literal, outcome, kind=kind)
                flaw.wrong, flaw.state = right_but_mild, "slip"
                flaw.sure = _POSSIBLE[kind]

    def by_formula(self, name: Name, literal: Node, claim: Claim) -> int | None:
        """Compares a printed result with the formula that the notes, or else the catalogue, give for its name."""
        formula = self.scope.formula(name.text)
        stage = stage_of(name.text)
        choices = [formula] if formula is not None else (catalogue_formulas(stage, self.scope) if stage else [])
        for choice in choices:
            if name.text in names_in(choice) or (stage is not None and stage in names_in(choice)):
                continue
            known_flaws = len(self.flaws)
            try:
                if self.compare(choice, literal, loose=True):
                    claim.status = "checked"
                    for flaw in self.flaws[known_flaws:] if formula is None else []:
                        if flaw.kind not in _POSSIBLE:
                            flaw.sure = f"wrong only if {name.text} means {readable(choice)}, as it mostly does"
                    return 1
                claim.why = "it does not follow from the formula of this name, which may mean something else here"
            except UnknownError as error:
                claim.why = str(error)
            except ShapeError as error:
                claim.why = f"the shapes do not fit: {error}"
        return None

    # --- rows that belong together ------------------------------------------------------------------------------

    def _remember_row(self, expected: Node, literal: Node, known: Known) -> None:
        factors = factors_of(expected)
        if len(factors) < 2:
            return
        left = self.evaluator()(product_of(factors[:-1]))
        right = self.evaluator()(factors[-1])
        if right.is_vector or left.is_scalar:
            return
        rows = self.stacks.setdefault((self.section, _fingerprint(right)), [])
        if left.shape[0] == 1 and known.paper.shape[0] == 1:
            rows.append(Row(left, known))
            return
        if not is_printed(literal):
            return
        for row in rows:  # the whole matrix that the row is part of
            for i in range(left.shape[0]):
                if row.known.mistake is not None and np.allclose(left.middle(LOCAL)[i], row.left.middle(LOCAL)[0]):
                    self._evidence(row.known, printed_value(literal, given=False).row(i))

    def match_stacks(self, literal: Matrix) -> None:
        """A matrix made of rows worked out before, in order, shows which of two readings was gone on with."""
        if not is_printed(literal) or len(literal.rows) < 2:
            return
        value = printed_value(literal, given=False)
        for (section, _), rows in self.stacks.items():
            if section != self.section or len(rows) != value.shape[0]:
                continue
            if rows[0].known.paper.shape[1] != value.shape[1]:
                continue
            pairs = [(row.known, value.row(i)) for i, row in enumerate(rows)]
            if all(_near(known.paper, row) or _near(known.right, row) for known, row in pairs):
                for known, row in pairs:
                    self._evidence(known, row)

    def _evidence(self, known: Known, row: Value) -> None:
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
