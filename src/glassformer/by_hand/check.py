"""Checks notes: files, folders or a text, from reading to report. `glassformer check` and `gf.check` start here."""

from collections.abc import Iterable
from pathlib import Path

from glassformer.by_hand.checking.checker import checked
from glassformer.by_hand.checking.findings import Remark, Report
from glassformer.by_hand.checking.judging import judge
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import files_in, open_bytes, open_document
from glassformer.by_hand.notes.statements import read_statements


def check(*paths: str | Path, exact: bool = False, digits: int | None = None) -> Report:
    """Reads notes, reworks them, and reports what is wrong, first things first.

    `exact` takes the given numbers as exact, not as rounded; `digits` judges results to so many decimals only.
    """
    report = Report()
    for path in _files(paths):
        report.add(check_document(_opened(path), exact=exact, digits=digits))
    return report


def _opened(path: Path) -> Document:
    """A file that cannot be opened is an answer, too: others may be waiting."""
    try:
        return open_document(path)
    except OSError as error:
        return Document(str(path), "", unreadable=[(0, f"cannot be opened: {error.strerror}")])


def check_text(
    text: str, file: str = "text", suffix: str = ".md", *, exact: bool = False, digits: int | None = None
) -> Report:
    """The same for a text in hand: `file` is what it is called in the report, `suffix` says how it is to be read."""
    return check_document(open_bytes(text.encode(), file, suffix), exact=exact, digits=digits)


def check_document(document: Document, *, exact: bool = False, digits: int | None = None) -> Report:
    """The same for a document that was opened already."""
    try:
        return judge(checked(read_statements(document), exact=exact, digits=digits))
    except RecursionError:
        why = "brackets or formulas nested too deeply"
        return Report([document.file], claims=1, unreadable=[Remark(document.file, 1, why)])


def _files(paths: Iterable[str | Path]) -> list[Path]:
    return [file for path in paths for file in files_in(Path(path))]
