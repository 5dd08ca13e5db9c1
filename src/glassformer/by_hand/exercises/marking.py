"""Marks what students hand in: each number asked for is right, wrong or not answered. Draws no table.

Two judges: the answer key, and the checker for what a student worked on with. The student's numbers are put into the
teacher's solution and checked there, so that a number that follows from the student's own earlier number is right, and
nothing that the teacher printed is ever marked. If a student changed what was printed, that is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from glassformer.by_hand.checking.checker import Checker
from glassformer.by_hand.checking.findings import Finding
from glassformer.by_hand.checking.judging import judge
from glassformer.by_hand.exercises.hand_ins import Cell, HandIn, printed_cells, read
from glassformer.by_hand.grammar.expressions import Name, Number
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import Reading
from glassformer.errors import InputError

LARGEST = 2_000_000  # bytes of one hand-in
_ROUNDING = 5  # units of the last digit: more does not come of rounding


@dataclass(frozen=True)
class Key:
    """A solution, the numbers in it, and which of them were left blank on the sheet."""

    solution: str
    suffix: str
    numbers: Mapping[Cell, Number]
    blanks: frozenset[Cell]


@dataclass
class Mark:
    """One hand-in: right, wrong, unfinished, not answered, changed sheet, another sheet or not readable."""

    name: str
    outcome: str = "not readable"
    points: int = 0
    blanks: int = 0
    not_answered: int = 0
    follow_through: int = 0  # of the points, for numbers that follow from an earlier wrong one
    first: Finding | None = None  # the first wrong number
    remarks: list[str] = field(default_factory=list)


def answer_key(sheet: str, solution: str, suffix: str = ".md") -> Key:
    """What the sheet asks for, and what is right."""
    numbers = printed_cells(read(solution.encode(), "solution", suffix))
    open_names = set(_blank_names(read(sheet.encode(), "sheet", suffix)))
    blanks = frozenset(cell for cell in numbers if cell[0] in open_names)
    if not blanks:
        raise InputError("This sheet has no blank that its solution fills; give the sheet and its own solution.")
    return Key(solution, suffix, MappingProxyType(numbers), blanks)


def mark_file(path: Path, name: str, key: Key) -> Mark:
    """One student's file; one that cannot be read gets a mark that says so."""
    try:
        data = path.read_bytes() if path.stat().st_size <= LARGEST else None
    except OSError as error:
        return Mark(name, blanks=len(key.blanks), remarks=[f"cannot be opened: {error.strerror}"])
    if data is None:
        return Mark(name, blanks=len(key.blanks), remarks=[f"larger than {LARGEST:,} bytes"])
    return mark(data, name, key, path.suffix.lower() or ".md")


def mark(data: bytes, name: str, key: Key, suffix: str = ".md") -> Mark:
    """One hand-in."""
    answer = Mark(name, blanks=len(key.blanks), not_answered=len(key.blanks))
    document = open_bytes(data, name, suffix)
    if document.unreadable and not document.passages:
        answer.remarks.append(document.unreadable[0][1])
        return answer
    try:
        _Marker(document, key, suffix, answer).run()
    except RecursionError:
        answer.remarks.append("brackets or formulas nested too deeply")
    return answer


class _Marker:
    """Marks one document that can be read."""

    def __init__(self, document: Document, key: Key, suffix: str, answer: Mark) -> None:
        self.document, self.key, self.answer = document, key, answer
        hand_in = HandIn(document.text, suffix, key.numbers)
        self.written, self.unread = hand_in.cells, hand_in.unread

    def run(self) -> None:
        answer, key = self.answer, self.key
        printed = [cell for cell in self.written if cell not in key.blanks]
        changed = [cell for cell in printed if self.written[cell].value != key.numbers[cell].value]
        if not (self.written or self.unread) or 2 * len(changed) > len(printed) > 0:
            answer.outcome = "another sheet"
            found = "its printed numbers are not those of this sheet"
            answer.remarks.append(found if self.written else "none of the sheet's numbers are in it")
            return
        answer.remarks += self._remarks(changed)
        answered = [cell for cell in key.numbers if cell in key.blanks and self._is_answered(cell)]
        answer.not_answered = len(key.blanks) - len(answered)
        wrong = self._judge(answered)
        answer.points = len(answered) - wrong
        if changed:
            answer.outcome = "changed sheet"
        elif not answered:
            answer.outcome = "not readable" if self.unread else "not answered"
        else:
            answer.outcome = "wrong" if wrong else "unfinished" if answer.not_answered else "right"

    def _judge(self, answered: list[Cell]) -> int:
        """Counts wrong answers, and keeps the first."""
        checker = Checker(read(self._completed(answered).encode(), self.answer.name, self.key.suffix))
        ledger = checker.run()
        is_stepwise = ledger.rounds_to is not None  # each number is rounded as it was asked, and not cut off
        findings = judge(checker).findings
        found = {each.offset: each for each in findings if is_stepwise or each.level != "rounding"}
        places = printed_cells(checker.reading)
        wrong, first_wrong = 0, ""  # before anything is wrong there is nothing to follow
        for cell in answered:
            start = places[cell].span.start
            if self._is_key(cell):
                continue
            follows = start in ledger.compared and start not in found
            if follows and first_wrong not in ("", cell[0]):
                self.answer.follow_through += 1
                continue
            is_rounded = is_stepwise and self._is_rounded(cell)  # however far from the key the way there has led
            if follows and (is_rounded or self._is_near(cell)):
                continue
            wrong, first_wrong = wrong + 1, first_wrong or cell[0]
            self.answer.first = self.answer.first or self._finding(cell, found.get(start))
        return wrong

    def _completed(self, answered: list[Cell]) -> str:
        """The solution with the student's numbers in the place of the teacher's."""
        text = self.key.solution
        for cell in sorted(answered, key=lambda cell: -self.key.numbers[cell].span.start):
            span, number = self.key.numbers[cell].span, self.written[cell]
            text = text[: span.start] + _as_written(number, self.key.suffix) + text[span.end :]
        return text

    def _is_answered(self, cell: Cell) -> bool:
        return cell in self.written and "?" not in self._text(cell)

    def _text(self, cell: Cell) -> str:
        span = self.written[cell].span
        return self.document.text[span.start : span.end]

    def _is_key(self, cell: Cell) -> bool:
        """Whether it says what the key says, to the digits that both have."""
        number, right = self.written[cell], self.key.numbers[cell]
        if number.value == right.value:
            return True
        if "inf" in (number.text, right.text) or number.decimals is None:
            return False
        return self._distance(cell) <= 0.5 + 1e-9

    def _is_near(self, cell: Cell) -> bool:
        """Whether rounding on the way may explain the difference, if the checker agrees."""
        return self._is_rounded(cell) and self._distance(cell) <= _ROUNDING

    def _is_rounded(self, cell: Cell) -> bool:
        """Whether the answer has decimals, and the key is a number to be rounded."""
        return self.written[cell].decimals is not None and self.key.numbers[cell].text != "inf"

    def _distance(self, cell: Cell) -> float:
        """From the key, in units of the last digit that both have."""
        number, right = self.written[cell], self.key.numbers[cell]
        decimals = [each.decimals for each in (number, right) if each.decimals is not None]
        return abs(number.value - right.value) * 10.0 ** min(decimals, default=0)

    def _remarks(self, changed: list[Cell]) -> list[str]:
        """What a teacher wants to know of the sheet itself."""
        told = []
        for symbol, i, j in changed[:3]:
            cell = (symbol, i, j)
            line = self.document.place(self.written[cell].span.start).line
            right = self.key.numbers[cell].key
            told.append(
                f"{symbol}, row {i + 1}, column {j + 1} is {self._text(cell)} in line {line}, {right} on the sheet"
            )
        told += [f"{len(changed) - 3} more printed numbers changed"] if len(changed) > 3 else []
        return told + [f"{symbol} could not be read: {why}" for symbol, why in self.unread.items()]

    def _finding(self, cell: Cell, found: Finding | None) -> Finding:
        """What is wrong with an answer, told of the student's own page."""
        symbol, i, j = cell
        place = self.document.place(self.written[cell].span.start)
        right = self.key.numbers[cell].key
        told = found or Finding(
            place.file, place.line, place.column, symbol, i + 1, j + 1, "", right, "wrong", None, ""
        )
        return replace(
            told,
            file=place.file,
            line=place.line,
            column=place.column,
            printed=self._text(cell),
            right=right,
            arithmetic=told.arithmetic if told.right == right else "",  # of another number than the key's
        )


def _as_written(number: Number, suffix: str) -> str:
    """The number as it would stand in the solution."""
    if number.text == "inf":
        return ("-" if number.sign < 0 else "") + ("inf" if suffix == ".txt" else r"\infty")
    if number.percent:  # which begins a comment in LaTeX
        return f"{number.value:.{max(0, number.decimals or 0)}f}"
    return number.key


def _blank_names(reading: Reading) -> Iterator[str]:
    for statement in reading.statements:
        first = statement.sides[0].node
        if isinstance(first, Name) and any(side.is_blank for side in statement.sides):
            yield first.text
