"""A class's marks as a table: rows of plain text, as CSV, as an HTML page. Marks nothing."""

import csv
import io
import re
from html import escape
from typing import Any

from glassformer.by_hand.exercises.marking import Mark
from glassformer.by_hand.reports.wording import minus, place
from glassformer.drawing.html_page import page, section, table

COLUMNS = (
    "name", "outcome", "points", "of", "not_answered", "follow_through",
    "first_wrong", "line", "printed", "right", "cause", "carried_on", "remarks",
)  # fmt: skip


def row(mark: Mark) -> dict[str, Any]:
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
        writer.writerow([_tame(str(cell)) for cell in row(mark).values()])
    return out.getvalue()


def _tame(cell: str) -> str:
    is_number = re.fullmatch(r"[-+]?\d*\.?\d+%?", cell) is not None
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not is_number else cell


def sentence(marks: list[Mark]) -> str:
    """The class in one sentence."""
    counts = {
        outcome: sum(mark.outcome == outcome for mark in marks) for outcome in dict.fromkeys(m.outcome for m in marks)
    }
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return f"{len(marks)} hand-in{'s' if len(marks) > 1 else ''}: {told}."


def to_html(title: str, marks: list[Mark]) -> str:
    """One page, in the order of the names."""
    head = ("student", "outcome", "points", "not answered", "first wrong number", "cause", "carried on", "remarks")
    rows = [_html_row(mark) for mark in marks]
    told = section(title, table(head, rows, ("", "", "number", "number")), sentence(marks))
    said = "Points are numbers, one for each blank. A number that follows from an earlier wrong one is right."
    return page(title, [f"<h1>{escape(title)}</h1>", told, f"<p>{said}</p>"])


def _html_row(mark: Mark) -> list[str]:
    cells, first = row(mark), mark.first
    wrong = ""
    if first:
        pair = f"<s>{escape(minus(first.printed))}</s> → <b>{escape(minus(first.right))}</b>"
        wrong = f"{escape(place(first))} (line {first.line}): {pair}"
    followed = f" ({mark.follow_through} by following through)" if mark.follow_through else ""
    return [
        escape(mark.name),
        escape(mark.outcome),
        f"{mark.points} of {mark.blanks}{followed}",
        str(mark.not_answered),
        wrong,
        escape(str(cells["cause"])),
        escape(str(cells["carried_on"])),
        escape(str(cells["remarks"])),
    ]
