"""Checks one document from the first statement to the last.

Reading is done in statements.py, comparing in ledger.py, the words for what was found in judging.py.
"""

from glassformer.by_hand.checking.chains import Chain
from glassformer.by_hand.checking.columns import ColumnGroup, equations, find_columns
from glassformer.by_hand.checking.knowledge import Room
from glassformer.by_hand.checking.labelled_rows import find_rows, products
from glassformer.by_hand.checking.ledger import Claim, Ledger, Topic
from glassformer.by_hand.checking.proof.exactness import room_left
from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Product, is_printed, names_in, walk
from glassformer.by_hand.grammar.names import stage_of
from glassformer.by_hand.notes.statements import Reading, Side, Statement
from glassformer.by_hand.numbers.comparison import fit
from glassformer.by_hand.numbers.worlds import Flaw
from glassformer.by_hand.slips.search import by_rows, same_rows
from glassformer.errors import InputError

_HALF = 0.5
_NO_CHANCE = 6  # numbers that come out
_PARTS = frozenset({"row", "column", "entry", "element", "component", "part", "first", "second", "third", "last"})


def checked(reading: Reading, *, exact: bool = False, digits: int | None = None) -> "Checker":
    """Checks a document; once more if its own results show that given numbers are exact, and one hangs on that."""
    checker = Checker(reading, exact=exact, digits=digits)
    checker.run()
    room = room_left(checker.ledger, checker.ledger.worked) if checker.ledger.hangs_on_rounding else {}
    if room:
        checker = Checker(reading, digits=digits, room=room)
        checker.run()
    return checker


class Checker:
    """Goes through the statements in order; what cannot be checked yet is tried again at the end."""

    def __init__(
        self, reading: Reading, *, exact: bool = False, digits: int | None = None, room: Room | None = None
    ) -> None:
        self.reading = reading
        self.ledger = Ledger(reading, exact=exact, digits=digits, room=room)

    def run(self) -> Ledger:
        """Checks everything."""
        for statement in self.reading.statements:
            self.ledger.go_on(by_program=statement.way == "given", guess=statement.guess)
            self.ledger.claims += self._statement(statement)
        self.ledger.go_on(by_program=False)
        for group in find_columns([each for each in self.reading.statements if not each.guess]):
            self._columns(group)
        self._labelled_rows()
        self._look_for_copies()
        return self.ledger

    def _statement(self, statement: Statement) -> list[Claim]:
        self.ledger.enter(statement.section)
        sides = statement.sides
        for side in sides:
            self._note_origins(side)
        if len(sides) > 1:
            document = self.reading.document
            return Chain(self.ledger, statement, by_name=document.exact, ways=document.ways).run()
        if sides[0].relation:
            return [Claim(sides[0].span, "not checkable", "nothing stands before it")]
        if sides[0].node is None:
            return [Claim(sides[0].span, "unreadable", sides[0].why)]
        return self._alone(statement)

    def _note_origins(self, side: Side) -> None:
        """A name such as x_0 shows that the rows of X are counted from 0."""
        if side.node is not None:
            for name in names_in(side.node):
                if name.endswith("_0") and name[0].islower():
                    self.ledger.scope.origins.add(name[0])

    def _alone(self, statement: Statement) -> list[Claim]:
        """Numbers without a relation: a matrix under a caption is the result that the caption names."""
        side = statement.sides[0]
        if not isinstance(side.node, Matrix) or not is_printed(side.node):
            return []
        name = Name(self._formula_name(statement.caption), side.span)
        said = Statement(
            [Side("", name.span, name), Side("EQUALS", side.span, side.node)],
            statement.caption,
            statement.section,
            statement.way,
            statement.lead,
            statement.prose,
        )
        claims = Chain(self.ledger, said).run()
        return [claim for claim in claims if claim.status == "checked"]

    def _formula_name(self, caption: str) -> str:
        """The name with a formula that a caption speaks of: raw attention scores are the scores. A letter within a
        sentence is none, for `first row of Z` is not z; nor is a caption that speaks of a part."""
        words = set(caption.split())
        formulas = [name for scope in self.ledger.scope.scopes() for name in scope.formulas if len(name) > 1]
        named = [] if words & _PARTS else [name for name in formulas if set(name.split()) <= words]
        return named[-1] if named and stage_of(caption) is None else caption

    def _columns(self, group: ColumnGroup) -> None:
        self.ledger.enter(group.section)
        for name, expression, numbers in equations(group):
            claim = Claim(numbers.span, "checked")
            try:
                self.ledger.compare(expression, numbers, Topic(name, numbers))
            except InputError as error:
                claim.status, claim.why = "not checkable", str(error)
            self.ledger.claims.append(claim)

    def _labelled_rows(self) -> None:
        """Rows of the same labels, where one matrix alone gives at least half of the numbers."""
        tables = find_rows(self.reading.statements)
        for section in {table.section for table in tables}:
            self.ledger.enter(section)
            here = [table for table in tables if table.section == section]
            fitting = [each for each in products(here, self.ledger.scope) if self._is_shown(each[1], each[2])]
            for name, expected, printed in fitting if len(fitting) == 1 else []:
                self._product(name, expected, printed)

    def _product(self, name: str, expected: Product, printed: Matrix) -> None:
        above, claim = expected.factors[0], Claim(printed.span, "checked")
        self.ledger.literals[id(above)] = self.ledger.given(above)
        try:
            self.ledger.compare(expected, printed, Topic(name, printed), proven=True)
        except InputError as error:
            claim.status, claim.why = "not checkable", str(error)
        self.ledger.claims.append(claim)

    def _is_shown(self, expected: Node, printed: Matrix) -> bool:
        """Whether so many numbers come out that no chance gives them."""
        try:
            wrong = fit(printed, self.ledger.evaluator()(expected)).wrong
        except InputError:
            return False
        return bool(wrong.mean() <= _HALF) and int((~wrong).sum()) >= _NO_CHANCE

    def _look_for_copies(self) -> None:
        """A wrong row that stands elsewhere in the notes, number for number, was copied from there."""
        nodes = [
            side.node for statement in self.reading.statements for side in statement.sides if side.node is not None
        ]
        rows = by_rows(each for node in nodes for each in walk(node) if isinstance(each, Matrix))
        for flaw in self.ledger.flaws:
            if flaw.cause is None and not flaw.kind and is_printed(flaw.literal):
                others = same_rows(flaw.literal, flaw.wrong, rows)
                other = next((matrix for matrix in others if not self._is_same(matrix, flaw)), None)
                if other is not None:
                    line = self.reading.document.place(other.span.start).line
                    flaw.cause = f"the same row stands in line {line}"

    def _is_same(self, matrix: Matrix, flaw: Flaw) -> bool:
        known = self.ledger.literals.get(id(matrix))
        own = flaw.literal.span
        is_part = own.start <= matrix.span.start and matrix.span.end <= own.end
        return is_part or matrix.key == flaw.literal.key or (known is not None and known.mistake is flaw)
