"""Notes with remarks in their margins."""

from pathlib import Path

from helpers.wrong_notes import NOTES

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.reports.margins import to_markdown


def test_margins_keep_the_notes_and_stand_outside_formulas(notes: Path) -> None:
    marked = to_markdown(check_files(notes))
    without = [line for line in marked.splitlines() if not line.startswith(">")]
    assert [line for line in without if line] == [line for line in NOTES.splitlines() if line]
    assert "> ✗ **First wrong number.** Q, row 1, column 2: 3 is printed, 2 is right; carried" in marked
