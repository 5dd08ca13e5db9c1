"""Works through one chain A = B = C: each side is compared with the last one before it that can be worked out."""

from glassformer.by_hand.checking.alignment import align, with_blocks_joined
from glassformer.by_hand.checking.ledger import Claim, Ledger
from glassformer.by_hand.grammar.expressions import (
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Sum,
    has_matrix,
    is_printed,
    is_symbolic,
    names_in,
    readable,
    walk,
)
from glassformer.by_hand.grammar.names import is_plain_word
from glassformer.by_hand.notes.statements import Side, Statement
from glassformer.by_hand.numbers.evaluator import Known, UnknownError, World
from glassformer.by_hand.numbers.intervals import ShapeError
from glassformer.errors import InputError

LONGEST_TITLE = 4  # words; a longer caption is a sentence


class Chain:
    """One chain A = B = C: what each side is compared with is the last one before it that can be worked out."""

    def __init__(self, ledger: Ledger, statement: Statement) -> None:
        self.ledger, self.statement = ledger, statement
        self.names: list[Name] = []
        self.formulas: list[Node] = []
        self.current: Node | None = None
        self.result: Known | None = None
        self.claims: list[Claim] = []

    def run(self) -> list[Claim]:
        sides = self.statement.sides
        first = next((side.node for side in sides if side.node is not None), None)
        self.ledger.chain_name = self.statement.caption if first is None else self._title(first)
        for i, side in enumerate(sides):
            claim = Claim(side.span, "not checkable", "a formula") if i else None
            if side.node is None:
                if self.statement.way == "text":
                    self.current = None  # in prose, what follows may be about something else
                if claim is not None:
                    claim.status, claim.why = "unreadable", side.why
                elif len(sides) > 1:
                    self.claims.append(Claim(side.span, "unreadable", side.why))
            else:
                self._side(side, side.node, claim)
            if claim is not None:
                self.claims.append(claim)
        self._bind()
        return self.claims

    def _title(self, first: Node) -> str:
        caption = self.statement.caption
        return readable(first) if is_symbolic(first) else caption if len(caption.split()) <= LONGEST_TITLE else ""

    def _side(self, side: Side, node: Node, claim: Claim | None) -> None:
        self.ledger.chain_side = node
        try:
            if isinstance(node, Name) and not node.index:
                self.names.append(node)
            elif is_printed(node):
                self._printed(side, node, claim)
            else:
                self._expression(node, claim)
        except UnknownError as error:
            if claim is not None:
                claim.why = str(error)
        except ShapeError as error:
            if claim is not None:
                claim.why = f"the shapes do not fit: {error}"
        if isinstance(node, Name) and claim is not None and self.current is not None:
            claim.why = "it names the result"

    def _printed(self, side: Side, node: Node, claim: Claim | None) -> None:
        ledger = self.ledger
        if self.current is not None and self._is_claim(side, node, self.current):
            if ledger.compare(self.current, node) and claim is not None:
                claim.status, claim.why = "checked", ""
        elif claim is not None and self.names and ledger.by_formula(self.names[-1], node, claim):
            claim.why = ""
        elif claim is not None and self.formulas:
            claim.why = self._unknown(self.formulas[-1])
        elif claim is not None:
            claim.why = claim.why if claim.why != "a formula" else "a given"
        if id(node) not in ledger.literals:
            ledger.literals[id(node)] = ledger.given(node)
            if isinstance(node, Matrix):
                ledger.match_stacks(node)
        self.current, self.result = node, ledger.literals[id(node)]

    def _is_claim(self, side: Side, node: Node, before: Node) -> bool:
        """An arrow to a number, or a bare number after another, says nothing about how one comes from the other."""
        if side.relation == "ARROW":
            is_list = isinstance(before, Matrix) and not any(isinstance(e, Sum | Product) for e in walk(before))
            return not isinstance(node, Number) and not is_list and not is_printed(before)
        return not (isinstance(node, Number) and isinstance(before, Number))

    def _unknown(self, formula: Node) -> str:
        try:
            self.ledger.evaluator()(formula, itself=False)
        except InputError as error:
            return str(error)
        return "a formula"

    def _expression(self, node: Node, claim: Claim | None) -> None:
        ledger = self.ledger
        if is_symbolic(node) or any(isinstance(each, Name) for each in walk(node)):
            self.formulas.append(node)
        before = self.current or (self.formulas[-2] if len(self.formulas) > 1 else None)
        if before is not None and claim is not None:
            node = with_blocks_joined(before, node)
            self._align(before, node, claim)
        if not ledger.can_work_out(node):
            if claim is not None and claim.status != "checked":
                claim.why = self._unknown(node)
            if self.statement.way == "text" and any(is_plain_word(name) for name in names_in(node)):
                self.current = None  # `4 entries × 2 bytes`: what follows is no longer about the same numbers
            return
        self.current = node
        if not is_symbolic(node) or isinstance(node, Name):
            self.result = None

    def _align(self, before: Node, node: Node, claim: Claim) -> None:
        """Numbers put in for a formula that they do not fit are of something else; they are gone on with."""
        try:
            if align(self.ledger, before, node):
                claim.status, claim.why = "checked", ""
        except ShapeError as error:
            claim.why = f"the shapes do not fit: {error}"

    def _is_confirmed(self) -> bool:
        """Whether the chain ends in numbers that were compared and found right."""
        last = self.claims[-1] if self.claims else None
        return last is not None and last.status == "checked" and (self.result is None or self.result.mistake is None)

    def _bind(self) -> None:
        """From here on the names and formulas of the chain stand for its result."""
        scope = self.ledger.scope
        symbolic = [formula for formula in self.formulas if is_symbolic(formula) and not isinstance(formula, Name)]
        if any(side.is_blank for side in self.statement.sides):
            scope.blanks |= {name.text for name in self.names}
        for name in self.names:
            own = [formula for formula in symbolic if name.text not in names_in(formula)]
            before = scope.formulas.get(name.text)
            if own and before is not None and self._is_confirmed():
                self.ledger.contradicted(before, own[0], self.statement.sides[-1].node or own[0])
            if own:
                scope.formulas[name.text] = own[0]
        known = self.result
        if known is None and self.current is not None and self.names and not is_symbolic(self.current):
            paper = self.ledger.evaluator()(self.current, itself=False)
            right = self.ledger.evaluator(World(right=True))(self.current, itself=False)
            known = Known(paper, right)
        if known is None:
            return
        for name in self.names:
            scope.bind(name, known)
            formula = scope.formula(name.text)
            if formula is not None and formula not in self.formulas and name.text not in names_in(formula):
                scope.bind(formula, known)
        for formula in self.formulas:
            if not has_matrix(formula):
                scope.bind(formula, known)
