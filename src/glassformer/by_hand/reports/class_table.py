"""A class's marks as a table: rows of plain text, as CSV, as an HTML page. Marks nothing."""

import csv
import io
import re
from html import escape
from typing import Any

from glassformer.by_hand.exercises.marking import Mark
from glassformer.by_hand.reports.wording import minus, place
from glassformer.drawing.html_page import page, section, table
from glassformer.errors import counted

COLUMNS = (
    "name", "outcome", "points", "of", "not_answered", "follow_through",
    "first_wrong", "line", "printed", "right", "cause", "carried_on", "remarks",
)  # fmt: skip


def student_row(mark: Mark) -> dict[str, Any]:
    """One student's row; what does not apply is empty."""
    first = mark.first
    carried = {"carried": "yes", "slip": "no"}.get(first.verdict, "nothing shows it") if first else ""
    return {
        "name": mark.name,
        "outcome": mark.outcome,
        "points": mark.points,
        "of": mark.blanks,
        "not_answered": mark.not_answered,
        "follow_through": mark.follow_through,
        "first_wrong": place(first) if first else "",
        "line": first.line if first else "",
        "printed": first.printed if first else "",
        "right": first.right if first else "",
        "cause": (first.cause or "") if first else "",
        "carried_on": carried,
        "remarks": "; ".join(mark.remarks),
    }


def to_csv(marks: list[Mark]) -> str:
    """For a spreadsheet: no cell can be taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for mark in marks:
        writer.writerow([_tame(str(cell)) for cell in student_row(mark).values()])
    return out.getvalue()


def _tame(cell: str) -> str:
    is_number = re.fullmatch(r"[-+]?\d*\.?\d+%?", cell) is not None
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not is_number else cell


def class_sentence(marks: list[Mark]) -> str:
    """The class in one sentence."""
    counts = {
        outcome: sum(mark.outcome == outcome for mark in marks) for outcome in dict.fromkeys(m.outcome for m in marks)
    }
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return f"{counted(len(marks), 'hand-in')}: {told}."


def told(mark: Mark) -> str:
    """What a teacher looks at: the first wrong number, its cause, whether it was carried on, and what is odd."""
    first = mark.first
    if first is None:
        return "; ".join(mark.remarks)
    carried = {"carried": "carried on", "slip": "not carried on"}.get(first.verdict, "")
    words = [word for word in (first.cause, carried) if word]
    pair = f"{minus(first.printed)} → {minus(first.right)}"
    return "; ".join([f"line {first.line}: {place(first)}: {pair}", *words, *mark.remarks])


def class_to_html(title: str, marks: list[Mark]) -> str:
    """One page, in the order of the names."""
    head = ("student", "outcome", "points", "followed through", "not answered", "first wrong number, or what is odd")
    rows = [[escape(cell) for cell in _shown(mark)] for mark in marks]
    listed = table(head, rows, ("", "", "number", "number", "number", "wide"))
    listed = f"<div class='stacked'>{listed}</div>"
    said = "A point for each number asked for; one that follows from an earlier wrong number is right."
    return page(title, [f"<h1>{escape(title)}</h1>", section("Marks", listed, class_sentence(marks)), f"<p>{said}</p>"])


def _shown(mark: Mark) -> list[str]:
    counts = (mark.follow_through, mark.not_answered)
    numbers = [str(count) if count else "" for count in counts]
    return [mark.name, mark.outcome, f"{mark.points} of {mark.blanks}", *numbers, told(mark)]
