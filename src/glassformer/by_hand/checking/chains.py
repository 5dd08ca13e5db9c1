"""Works through one chain A = B = C: each side is compared with the last one before it that can be worked out.

An arrow says "then", unless an operation stands before it and a matrix after it. What does not follow and may yet be
no mistake is told by proof/doubts.py: such a chain is never called wrong.
"""

from functools import partial

from glassformer.by_hand.checking.alignment import Alignment, with_blocks_joined
from glassformer.by_hand.checking.ledger import Claim, Ledger, Topic, constantly
from glassformer.by_hand.checking.named_steps import steps
from glassformer.by_hand.checking.proof.doubts import Doubts
from glassformer.by_hand.checking.proof.evidence import UnsureError, is_written
from glassformer.by_hand.checking.proof.readings import (
    in_hundredths,
)
from glassformer.by_hand.checking.proof.surroundings import (
    dash_read_otherwise,
    is_asked,
    is_set_by_program,
    says_less,
)
from glassformer.by_hand.grammar.expressions import (
    Call,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Sum,
    has_matrix,
    is_printed,
    is_symbolic,
    names_in,
    readable,
    walk,
)
from glassformer.by_hand.grammar.names import is_plain_word, stage_of
from glassformer.by_hand.notes.statements import Side, Statement
from glassformer.by_hand.numbers.formulas import Ways, catalogue_formulas
from glassformer.by_hand.numbers.intervals import ShapeError
from glassformer.by_hand.numbers.scope import RIGHT, Known, UnknownNameError
from glassformer.errors import InputError

_MOST_PRINTED = 5
_MOST_BETWEEN = 3  # printed results between a list and what a name says of it
_LONGEST_NAME = 3  # words
LONGEST_TITLE = 4  # words; a longer caption is a sentence
_FORMULA = "a formula"
_STANDARD = "what standardised numbers have, perhaps: a mean of 0, a variance of 1"


class Chain:
    """One chain A = B = C: what each side is compared with is the last one before it that can be worked out."""

    def __init__(self, ledger: Ledger, statement: Statement, *, by_name: bool = False, ways: Ways = None) -> None:
        self.ledger, self.statement = ledger, statement
        self.by_name, self.ways = by_name, ways  # names have the meaning of the catalogue, as in a worksheet
        self.claims: list[Claim] = []
        self.title = ""
        self._begin(0)

    def _begin(self, at: int) -> None:
        """Forgets what stood before: from here on the chain is about something else."""
        self.names: list[Name] = []
        self.formulas: list[Node] = []
        self.current: Node | None = None
        self.others: tuple[Node, ...] = ()  # other ways to read what stands in `current`
        self.earlier: list[Node] = []  # expressions before it, since the last printed numbers
        self.result: Known | None = None
        self.has_gap = False  # something before could not be read, and may have begun anew
        self.is_unsure = False  # a number does not follow, though nothing proves that it should
        first = next((side.node for side in self.statement.sides[at:] if side.node is not None), None)
        self.title = self.statement.caption if first is None else self._title(first)
        self.start = at

    def run(self) -> list[Claim]:
        """The claims of the chain, one for each relation."""
        sides = self.statement.sides
        for i, side in enumerate(sides):
            claim = Claim(side.span, "not checkable", _FORMULA) if i else None
            if i and side.relation == "ARROW" and self._begins_anew(i):
                self._bind()
                self._begin(i)
                if claim is not None:
                    claim.why = "an arrow may say 'then'"
            if side.node is None:
                self._unread(side, claim)
            else:
                self._side(side, side.node, claim)
            if claim is not None:
                self.claims.append(claim)
        self._bind()
        return self.claims

    def _begins_anew(self, i: int) -> bool:
        """Whether the arrow before side i says "then": it gives a result only from an operation to a matrix."""
        after = next((side.node for side in self.statement.sides[i:] if not isinstance(side.node, Name)), None)
        if self.current is None or is_printed(self.current):
            return not (self.formulas and isinstance(after, Matrix))  # QKᵀ → [[1, 0], [0, 1]], Q and K not known
        is_operation = any(isinstance(each, Sum | Product | Call) for each in walk(self.current))
        return not (is_operation and isinstance(after, Matrix) and is_printed(after))

    def _unread(self, side: Side, claim: Claim | None) -> None:
        self.has_gap = True
        if self.statement.way == "text":
            self.current = None  # in prose, what follows may be about something else
        if claim is not None:
            claim.status, claim.why = "unreadable", side.why
        elif len(self.statement.sides) > 1:
            self.claims.append(Claim(side.span, "unreadable", side.why))

    def _title(self, first: Node) -> str:
        caption = self.statement.caption
        if isinstance(first, Name):
            return self.ledger.spelling(first)
        return readable(first) if is_symbolic(first) else caption if len(caption.split()) <= LONGEST_TITLE else ""

    def _side(self, side: Side, node: Node, claim: Claim | None) -> None:
        try:
            if isinstance(node, Name) and not node.index:
                self.names.append(node)
            elif is_printed(node):
                self._printed(side, node, claim)
            else:
                self._expression(side, node, claim)
        except InputError as error:
            self._explain(claim, error)
        if isinstance(node, Name) and claim is not None and self.current is not None:
            claim.why = "it names the result"

    # --- printed numbers ----------------------------------------------------------------------------------------

    def _printed(self, side: Side, node: Node, claim: Claim | None) -> None:
        ledger = self.ledger
        try:
            if claim is not None:
                self._result(side, node, claim)
        except InputError as error:
            self._explain(claim, error)
        if id(node) not in ledger.literals:
            ledger.literals[id(node)] = ledger.given(node)
            if isinstance(node, Matrix):
                ledger.stacks.match(ledger.section, node)
        self.current, self.others, self.result = node, (), ledger.literals[id(node)]
        self.earlier, self.has_gap = [], False
        ledger.printed = [*ledger.printed[-_MOST_PRINTED:], node]

    def _result(self, side: Side, node: Node, claim: Claim) -> None:
        if self.current is not None and self._is_claim(side, node, self.current):
            self._compare(self.current, side, node, claim)
        elif self.current is None and self._is_said(node, claim):
            claim.why = ""
        elif self.formulas:
            claim.why, claim.waits = self._unknown(self.formulas[-1])
        else:
            claim.why = claim.why if claim.why != _FORMULA else "a given"

    def _is_said(self, node: Node, claim: Claim) -> bool:
        """Whether a formula of its name, or words before it, say what the printed numbers are."""
        if is_set_by_program(node.span, self.ledger.source):
            return False
        if self.names and self._by_formula(self.names[-1], node, claim):
            return True
        own_name = self._own_name() if not self.formulas else ""
        prose = self.statement.prose if not self.formulas else ""
        return self._by_words(node, claim, (own_name, prose, self._words_of_line(node)))

    def _compare(self, expected: Node, side: Side, node: Node, claim: Claim) -> None:
        """In any way that what stands before can be read."""
        ledger = self.ledger
        likely = [other for other, is_likely in in_hundredths(expected, node) if is_likely]
        expected = meant = likely[0] if likely and not ledger.agrees(expected, node) else expected
        dashed = dash_read_otherwise(expected, ledger.source) if expected is self._first() else None
        less = Negative(expected, expected.span) if says_less(node.span, ledger.source) else None
        others = [each for each in (dashed, less, *self.others) if each is not None]
        if (others or self.earlier) and not ledger.agrees(expected, node):
            fitting = [each for each in others if ledger.agrees(each, node)]
            fitting += [each for each in reversed(self.earlier) if ledger.gives(each, node)]  # rounded only on the way
            meant = (*fitting, expected)[0]
        is_dash = dashed is not None and meant is expected and ledger.source[expected.span.start] in "-−–"
        dash = "it begins with a dash or a minus" if is_dash else ""
        is_about = side.relation == "ABOUT"
        doubt = constantly(dash) if dash else partial(self._doubts.of_result, expected, node, is_about=is_about)
        ledger.compare(meant, node, Topic(self.title, node), doubt)
        claim.status, claim.why = "checked", ""

    def _is_claim(self, side: Side, node: Node, before: Node) -> bool:
        """A bare number after another says nothing about how one comes from the other; nor does `|e| = 2` of e."""
        if names_in(before) == {"e"} and not any(isinstance(each, Number) for each in walk(before)):
            return False
        if side.relation == "ARROW" or self.statement.way == "code":
            return not is_printed(before) and (side.relation != "ARROW" or not isinstance(node, Number))
        if isinstance(node, Number) and isinstance(before, Number) and self.statement.way != "given":
            if before.percent != node.percent:
                return self.ledger.agrees(before, node)  # 0.645 = 64.5 %; else it is another share, perhaps
            if before.span.start in self.ledger.compared and self.ledger.gives(before, node):
                return True  # 3.846 ≈ 3.85
            return ("e" in before.text) != ("e" in node.text)  # 3 × 10⁻³ = 0.003
        return True

    @property
    def _doubts(self) -> Doubts:
        """What may be said for the chain as far as it has been read."""
        ledger, others = self.ledger, bool(self.others)
        return Doubts(
            self.statement, ledger.source, ledger.evaluator, self.start, bool(self.names), self.has_gap, others
        )

    def _first(self) -> Node | None:
        return self.statement.sides[self.start].node

    def _by_formula(self, name: Name, literal: Node, claim: Claim) -> bool:
        """Compares a printed result with the formula that the notes, or else the catalogue, give for its name."""
        ledger, subject = self.ledger, Topic(self.title, literal)
        worked = ledger.just_said(name.key)
        formula = worked if worked is not None else ledger.scope.formula(name.text)
        stage = stage_of(name.text)
        choices = [formula] if formula is not None else []
        if formula is None and stage is not None:
            choices = catalogue_formulas(stage, ledger.scope, self.ways)
            choices = [choice for choice in choices if self.by_name or ledger.fits(choice, literal)]
        for choice in choices:
            if name.text in names_in(choice) or (stage is not None and stage in names_in(choice)):
                continue
            try:
                is_anew = isinstance(literal, Number) or (name.key, literal.key) in ledger.values
                is_anew |= self._begins_again(name, choice)
                anew = "the name may be given anew" if worked is None and is_anew else ""
                if anew and ledger.hardly_fits(choice, literal):
                    claim.why = anew
                    return False
                doubt = partial(self._doubts.of_side, choice, literal)
                ledger.compare(choice, literal, subject, constantly(anew) if anew else doubt)
                claim.status = "checked"
                return True
            except InputError as error:
                self._explain(claim, error)
        return False

    def _begins_again(self, name: Name, formula: Node) -> bool:
        """Y = 3 X had its numbers, then X was given others: with numbers of its own, Y may be another Y as well."""
        versions = self.ledger.scope.versions
        return bool(versions(name.key)) and any(len(versions(each)) > 1 for each in names_in(formula))

    def _own_name(self) -> str:
        """The names before the result, if they are all that stands there: `std = 0.82`."""
        own = " ".join(name.text for name in self.names)
        is_name = len(own.split()) <= _LONGEST_NAME and not self.statement.caption
        return own if is_name and not self.statement.lead.rpartition("\n")[2].strip() else ""

    def _words_of_line(self, literal: Node) -> str:
        """What stands in the line above rows that begin with their =, where it is no formula: `Step 3: softmax`."""
        source, first = self.ledger.source, self.statement.sides[self.start].span
        if self.statement.way == "math" or self.names or not isinstance(literal, Matrix):
            return ""
        line = source[source.rfind("\n", 0, first.start) + 1 : literal.span.start]
        words, relation, _ = line.rpartition("\n")
        return words if relation and "\n" not in words else ""

    def _by_words(self, literal: Node, claim: Claim, said: tuple[str, str, str]) -> bool:
        """Compares a printed result with the step that its own name, a heading, a sentence or its line says."""
        ledger, subject = self.ledger, Topic(self.title, literal)
        lists = [node for node in ledger.printed if isinstance(node, Matrix)]
        own, prose, line = said
        pinned_by_name = bool(own) and len(lists) == 1 and lists[0] in ledger.printed[-_MOST_BETWEEN:]
        for words, pinned in ((own, pinned_by_name), (prose, False), (line, False)):
            if not words or (isinstance(literal, Number) and not pinned):
                continue
            choices = list(steps(words, ledger.scope, ledger.printed))
            fitting = [choice for choice in choices if ledger.fits(choice, literal)]
            for choice in fitting or choices[:1]:
                try:
                    doubt = _STANDARD if literal.key in ("0", "1") else self._doubts.unreal
                    ledger.compare(choice, literal, subject, constantly(doubt), proven=pinned)
                    claim.status = "checked"
                    return True
                except InputError:
                    continue
        return False

    def _unknown(self, formula: Node) -> tuple[str, bool]:
        try:
            self.ledger.evaluator()(formula, itself=False)
        except InputError as error:
            return str(error), isinstance(error, UnknownNameError)
        return _FORMULA, False

    # --- expressions --------------------------------------------------------------------------------------------

    def _expression(self, side: Side, node: Node, claim: Claim | None) -> None:
        ledger = self.ledger
        if is_symbolic(node) or any(isinstance(each, Name) for each in walk(node)):
            self.formulas.append(node)
        ledger.recognise(node)
        before = self.current or (self.formulas[-2] if len(self.formulas) > 1 else None)
        if before is not None and claim is not None:
            node = with_blocks_joined(before, node)
            self._align(before, node, claim, side)
        if not ledger.can_work_out(node):
            readable_other = next((each for each in side.others if ledger.can_work_out(each)), None)
            if readable_other is None:
                self._stays_unknown(node, claim)
                return
            node = readable_other
        self.earlier += [] if self.current is None or is_printed(self.current) else [self.current]
        self.has_gap = False
        self.current, self.others = node, side.others if node is side.node or _is_algebra(node) else ()
        if not is_symbolic(node) or isinstance(node, Name):
            self.result = None

    def _stays_unknown(self, node: Node, claim: Claim | None) -> None:
        if claim is not None and claim.status != "checked":
            claim.why, claim.waits = self._unknown(node)
        if self.statement.way == "text" and any(is_plain_word(name) for name in names_in(node)):
            self.current = None  # `4 entries × 2 bytes`: what follows is no longer about the same numbers

    def _align(self, before: Node, node: Node, claim: Claim, side: Side) -> None:
        """Numbers put in for a formula that they do not fit are of something else; they are gone on with."""
        doubt = self._doubts.of_side(before, node) or ("it can be read in more than one way" if side.others else "")
        is_asked_before = self.statement.prose.rstrip().endswith("?") or is_asked(before.span, self.ledger.source)
        if not doubt and is_asked_before:
            doubt = "it is asked, and not said"
        if doubt:
            claim.why = doubt
            return
        try:
            alignment = Alignment(self.ledger, Topic(self.title, node), about=side.relation == "ABOUT")
            if alignment.begin(before, node):
                claim.status, claim.why = "checked", ""
        except InputError as error:
            self._explain(claim, error)

    def _explain(self, claim: Claim | None, error: InputError) -> None:
        """Why a claim could not be checked."""
        self.is_unsure |= isinstance(error, UnsureError)
        if claim is None:
            return
        claim.why = f"the shapes do not fit: {error}" if isinstance(error, ShapeError) else str(error)
        claim.waits = isinstance(error, UnknownNameError)

    # --- what the chain leaves behind ---------------------------------------------------------------------------

    def _is_confirmed(self) -> bool:
        """Whether the chain ends in numbers that were compared and found right."""
        last = self.claims[-1] if self.claims else None
        return last is not None and last.status == "checked" and (self.result is None or self.result.mistake is None)

    def _bind(self) -> None:
        """From here on the names and formulas of the chain stand for its result."""
        if self.statement.guess and not any(claim.status == "checked" for claim in self.claims):
            return
        scope, ledger = self.ledger.scope, self.ledger
        symbolic = [formula for formula in self.formulas if is_symbolic(formula) and not isinstance(formula, Name)]
        if any(side.is_blank for side in self.statement.sides):
            scope.blanks |= {name.text for name in self.names}
        for name in self.names:
            own = [formula for formula in symbolic if name.text not in names_in(formula)]
            before = scope.formulas.get(name.text)
            if own and before is not None and self._is_confirmed():
                last = self.statement.sides[-1].node or own[0]
                ledger.contradicted(before, own[0], last, self.title)
            if own:
                scope.formulas[name.text] = own[0]
        first = self._first()
        if self.statement.way == "code" and isinstance(first, Name) and first.index:
            scope.known.clear()  # an entry is set anew, and nobody can see which names share it
            return
        known = self.result
        if known is None and self.current is not None and self.names and not is_symbolic(self.current):
            known = self._worked_out(self.current)
        if known is None:
            self._bind_alike()
            return
        for name in self.names:
            scope.bind(name, known)
            ledger.values |= {(name.key, known.literal.key)} if known.literal is not None else set()
            formula = scope.formula(name.text)
            if formula is not None and formula not in self.formulas and name.text not in names_in(formula):
                self._bind_formula(formula, known)
        for formula in self.formulas:
            self._bind_formula(formula, known)

    def _bind_alike(self) -> None:
        """`Q = K = V = X`: the names of which nothing is known yet stand for the matrix that the last one is."""
        if self.formulas or len(self.names) < 2 or any(side.relation == "ARROW" for side in self.statement.sides):
            return
        known = self.ledger.scope.find(self.names[-1].key)
        if known is not None and not known.paper.is_scalar:
            for name in self.names[:-1]:
                if self.ledger.scope.find(name.key) is None:
                    self.ledger.scope.bind(name, known)

    def _bind_formula(self, formula: Node, known: Known) -> None:
        """A formula stands for its result, unless it may have been an equation or have been worked out otherwise."""
        is_equation = not self.names and known.paper.is_scalar and not _is_variance(formula)
        if not (self.is_unsure or is_equation or has_matrix(formula) or is_written(formula)):
            self.ledger.scope.bind(formula, known)

    def _worked_out(self, node: Node) -> Known | None:
        """The value of an expression for which no result is printed here; one may follow in the next display."""
        ledger = self.ledger
        try:
            paper = ledger.evaluator()(node, itself=False)
            right = ledger.evaluator(RIGHT)(node, itself=False)
        except InputError:
            return None
        for name in self.names:
            ledger.said[0][name.key] = node
        return Known(paper, right, origin=node)


def _is_variance(node: Node) -> bool:
    """`σ² = 5` names the variance, and is no equation to be solved."""
    is_square = isinstance(node, Power) and isinstance(node.exponent, Number) and node.exponent.text == "2"
    return is_square and isinstance(node, Power) and isinstance(node.base, Name) and node.base.text.startswith("σ")


def _is_algebra(node: Node) -> bool:
    """`0.42x1 + 0.15x2` may speak of x₁ and x₂, unless the same would stand there twice: then x is a times sign."""
    terms = node.terms if isinstance(node, Sum) else (node,)
    seconds = [term.factors[1].key for term in terms if isinstance(term, Product) and len(term.factors) == 2]
    return len(set(seconds)) == len(seconds)
