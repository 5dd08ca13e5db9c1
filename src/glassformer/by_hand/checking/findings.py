"""What a check answers: findings in the order of the computation, counts, and what could not be read.

Plain facts that go to JSON as they are. Knows nothing of how they were found or how they are shown.
"""

from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import Any

from glassformer.by_hand.notes.documents import Document

# The verdicts, and what each says of a wrong number.
MEANINGS = MappingProxyType(
    {
        "slip": "later numbers follow from the right value",
        "carried": "later numbers follow from the wrong value",
        "wrong": "no later number shows whether it was used as it stands or as it should be",
        "formula": "the numbers are right, but for another formula than the one named",
        "cut-off": "digits cut off instead of rounded",
        "doubtful": "only possible if the given numbers were rounded before they were printed",
        "look again": "unequal as we read it, which may not be as it is meant",
    }
)
LOOK_AGAIN = "look again"
ROUNDING = frozenset({"cut-off", "doubtful"})
MILD = ROUNDING | {LOOK_AGAIN}

# The outcomes of a check, and what a command ends with for each.
EXIT_CODES = MappingProxyType({"fine": 0, "wrong": 1, "nothing checked": 4, "too little checked": 4})
FAULT = 3  # the checker itself broke down: no answer


@dataclass(frozen=True)
class Finding:
    """One number (or, for a formula, one word) that is not as it should be. Rows and columns count from 1."""

    file: str
    line: int
    column: int
    name: str
    row: int | None
    col: int | None
    printed: str
    right: str
    verdict: str
    cause: str | None
    arithmetic: str
    sure: str = "impossible"
    length: int = 0
    offset: int = 0
    quote: str = ""
    follows: tuple[int, ...] = ()  # lines that are consistent with this error
    ground: str = ""  # what shows that it was read as it is meant

    @property
    def is_certain(self) -> bool:
        """Whether it may be corrected unasked: a number, and no reading of the notes allows it."""
        return not self.is_mild and self.verdict != "formula" and self.sure == "impossible"

    @property
    def is_mild(self) -> bool:
        """Whether it counts only for a strict reader."""
        return self.verdict in MILD

    @property
    def level(self) -> str:
        """How much it says: `wrong` beyond doubt, `look again` where it may be meant otherwise, or `rounding`."""
        return self.verdict if self.verdict == LOOK_AGAIN else "rounding" if self.is_mild else "wrong"

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        whole = asdict(self) | {"level": self.level}
        for inner in ("length", "offset"):
            del whole[inner]
        return whole | {"follows": list(self.follows)}


@dataclass(frozen=True)
class Remark:
    """A claim that could not be read or not be checked, and why."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class Unchecked(Remark):
    """Numbers of one line that look like results and were not checked: the first few as printed, and how many."""

    printed: str
    count: int


@dataclass
class Coverage:
    """How much was checked, in printed numbers; coverage.py says what looks like a result."""

    checked: int = 0
    look_like_results: int = 0
    unchecked: list[Unchecked] = field(default_factory=list)

    @property
    def share(self) -> float:
        """From 0 to 1; 0 where nothing looks like a result."""
        return self.checked / self.look_like_results if self.look_like_results else 0.0

    def add(self, other: "Coverage") -> None:
        """Takes in another file's."""
        self.checked += other.checked
        self.look_like_results += other.look_like_results
        self.unchecked += other.unchecked

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        not_checked = [asdict(each) for each in self.unchecked]
        counts = {"checked": self.checked, "look_like_results": self.look_like_results}
        return counts | {"share": round(self.share, 4), "not_checked": not_checked}


@dataclass(frozen=True)
class Correction:
    """A stretch of a document, and what should stand there. `certain` if no reading of the notes allows what does."""

    offset: int
    length: int
    text: str
    certain: bool = True


@dataclass
class Report:
    """The answer for one or several files."""

    files: list[str] = field(default_factory=list)
    claims: int = 0
    checked: int = 0
    numbers: int = 0  # printed numbers that were compared
    following: int = 0  # of these, consistent with an earlier error
    not_checkable: list[Remark] = field(default_factory=list)
    unreadable: list[Remark] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rounded_givens: int = 0  # numbers only possible if given ones were rounded; too many to be doubted one by one
    documents: list[Document] = field(default_factory=list)
    corrections: dict[str, list[Correction]] = field(default_factory=dict)  # by file
    coverage: Coverage = field(default_factory=Coverage)
    faults: list[Remark] = field(default_factory=list)  # files at which the checker itself broke down
    each: list["Report"] = field(default_factory=list)  # the answers for the single files, where there are several

    def __bool__(self) -> bool:
        """Neither: an answer without findings may also say that nothing could be checked."""
        raise TypeError("A report is neither true nor false; ask for report.outcome: fine, wrong or nothing checked.")

    @property
    def outcome(self) -> str:
        """Fine only if something was checked: `fine`, `wrong` or `nothing checked`."""
        return self.outcome_for()

    def outcome_for(self, *, strict: bool = False, least: float = 0.0) -> str:
        """The same for a `strict` reader, or one who asks that at least this share of the results is checked."""
        if any(strict or not finding.is_mild for finding in self.findings):
            return "wrong"
        if not self.coverage.checked:
            return "nothing checked"
        return "too little checked" if self.coverage.share < least else "fine"

    @property
    def first_wrong(self) -> Finding | None:
        """The first wrong number as the computation flows; mild findings do not count."""
        return next((finding for finding in self.findings if not finding.is_mild), None)

    @property
    def marks(self) -> dict[str, int]:
        """As a teacher counts: what is right from the student's own numbers is right, and said to be so."""
        wrong = sum(not finding.is_mild and finding.verdict != "formula" for finding in self.findings)
        return {"numbers": self.numbers, "right": self.numbers - wrong, "follow_through": self.following}

    def exit_code(self, *, strict: bool = False, least: float = 0.0) -> int:
        """0 fine, 1 something is wrong, 3 the checker broke down, 4 nothing (or less than `least`) could be checked."""
        return FAULT if self.faults else EXIT_CODES[self.outcome_for(strict=strict, least=least)]

    def add(self, other: "Report") -> None:
        """Takes in the answer for another file."""
        self.each += other.each or [other]
        self.coverage.add(other.coverage)
        self.faults += other.faults
        self.files += other.files
        self.claims += other.claims
        self.checked += other.checked
        self.numbers += other.numbers
        self.following += other.following
        self.not_checkable += other.not_checkable
        self.unreadable += other.unreadable
        self.findings += other.findings
        self.rounded_givens += other.rounded_givens
        self.documents += other.documents
        self.corrections |= other.corrections

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: claims = checked + not checkable + unreadable."""
        first = self.first_wrong
        whole = {
            "files": self.files,
            "outcome": self.outcome,
            "coverage": self.coverage.to_dict(),
            "claims": self.claims,
            "checked": self.checked,
            "not_checkable": [asdict(remark) for remark in self.not_checkable],
            "unreadable": [asdict(remark) for remark in self.unreadable],
            "findings": [finding.to_dict() for finding in self.findings],
            "first_wrong": first.to_dict() if first else None,
            "marks": self.marks,
            "faults": [asdict(remark) for remark in self.faults],
        }
        if len(self.each) > 1:
            whole["by_file"] = [each.in_brief() for each in self.each]
        return whole

    def in_brief(self) -> dict[str, Any]:
        """One line of a summary: the file, the outcome and how much was checked."""
        first = self.first_wrong
        return {
            "file": ", ".join(self.files),
            "outcome": "fault" if self.faults else self.outcome,
            "checked": self.coverage.checked,
            "look_like_results": self.coverage.look_like_results,
            "findings": len(self.findings),
            "look_again": sum(finding.verdict == LOOK_AGAIN for finding in self.findings),
            "first_wrong_line": first.line if first else None,
        }
