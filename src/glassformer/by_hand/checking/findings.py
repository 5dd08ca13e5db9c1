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
        "wrong": "nothing later shows how it was gone on with",
        "formula": "the numbers are right, but for another formula than the one named",
        "cut-off": "digits cut off instead of rounded",
        "doubtful": "only possible if the given numbers were rounded before they were printed",
    }
)
MILD = frozenset({"cut-off", "doubtful"})


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

    @property
    def is_mild(self) -> bool:
        """Whether it counts only for a strict reader."""
        return self.verdict in MILD

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        whole = asdict(self)
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
class Correction:
    """A stretch of a document, and what should stand there."""

    offset: int
    length: int
    text: str
    mild: bool = False


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

    @property
    def first_wrong(self) -> Finding | None:
        """The first wrong number as the computation flows; mild findings do not count."""
        return next((finding for finding in self.findings if not finding.is_mild), None)

    @property
    def marks(self) -> dict[str, int]:
        """As a teacher counts: what is right from the student's own numbers is right, and said to be so."""
        wrong = sum(not finding.is_mild and finding.verdict != "formula" for finding in self.findings)
        return {"numbers": self.numbers, "right": self.numbers - wrong, "follow_through": self.following}

    def exit_code(self, *, strict: bool = False) -> int:
        """0 all right, 1 something wrong, 2 nothing could be read."""
        if any(strict or not finding.is_mild for finding in self.findings):
            return 1
        return 2 if self.claims == len(self.unreadable) else 0

    def add(self, other: "Report") -> None:
        """Takes in the answer for another file."""
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
        return {
            "files": self.files,
            "claims": self.claims,
            "checked": self.checked,
            "not_checkable": [asdict(remark) for remark in self.not_checkable],
            "unreadable": [asdict(remark) for remark in self.unreadable],
            "findings": [finding.to_dict() for finding in self.findings],
            "first_wrong": first.to_dict() if first else None,
            "marks": self.marks,
        }
