"""Notes checked, and what was found in them: line, printed number and right one."""

from glassformer.by_hand.check import check_document
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.notes.reading import open_bytes


def checked(data: bytes | str, suffix: str = ".md") -> Report:
    return check_document(open_bytes(data.encode() if isinstance(data, str) else data, f"notes{suffix}", suffix))


def found(data: bytes | str, suffix: str = ".md") -> list[tuple[int, str, str]]:
    """Line, printed number and right one of every finding."""
    return [(each.line, each.printed, each.right) for each in checked(data, suffix).findings]


def told(notes: str, suffix: str = ".md") -> list[tuple[int, str, str]]:
    """The findings of a note, and a proof that all of it was read."""
    report = check_document(open_bytes(notes.encode(), "notes", suffix))
    assert not report.unreadable
    return [(finding.line, finding.printed, finding.right) for finding in report.findings]
