"""A survey of the checker over generated workings: how many are read rightly. Prints counts as JSON; asserts nothing.

Run as `python tests/by_hand/survey.py correct|rounded|one|two FIRST COUNT [STYLE]`, in one style of writing or in all.
The tests run it as a process of its own, free of the type-checking that tests put on calls: thousands take seconds.
"""

import json
import sys
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Finding, Report
from glassformer.by_hand.exercises.planting import Slip, plant
from glassformer.by_hand.exercises.workings import VARIANTS, WorkedExercise, make_working, rounded_on_paper
from glassformer.by_hand.exercises.writing import STYLES, write


def made(seed: int, styles: tuple[str, ...]) -> tuple[WorkedExercise, str, bool]:
    """A working of any variant, width, rounding and style."""
    draw = np.random.default_rng(seed)
    from_printed = bool(draw.integers(2))
    working = make_working(
        seed,
        VARIANTS[int(draw.integers(len(VARIANTS)))],
        tokens=int(draw.integers(2, 5)),
        width=int(draw.integers(2, 5)),
        decimals=int(draw.integers(2, 5)),
        whole=bool(draw.integers(2)),
        from_printed=from_printed,
    )
    return working, styles[int(draw.integers(len(styles)))], from_printed


def survey_correct(first: int, count: int, styles: tuple[str, ...]) -> dict[str, int]:
    """Right workings: how many are called wrong, or not read to the end."""
    counts: Counter[str] = Counter(workings=0, false_alarms=0, mild=0, unread=0)
    for seed in range(first, first + count):
        working, style, _ = made(seed, styles)
        report = check_text(write(working, style))
        counts["workings"] += 1
        counts["false_alarms"] += report.first_wrong is not None
        counts["mild"] += bool(report.findings) and report.first_wrong is None
        counts["unread"] += bool(report.unreadable) or report.checked < len(working.steps)
    return dict(counts)


def survey_rounded(first: int, count: int, styles: tuple[str, ...]) -> dict[str, int]:
    """Right workings whose given numbers had more digits than are printed, as the weights of a real layer do."""
    counts: Counter[str] = Counter(workings=0, false_alarms=0, mild=0)
    for seed in range(first, first + count):
        draw = np.random.default_rng(seed)
        decimals, variant = int(draw.integers(2, 5)), VARIANTS[seed % len(VARIANTS)]
        fine = make_working(seed, variant, width=int(draw.integers(2, 5)), decimals=8, whole=False, from_printed=False)
        given = {symbol: rounded_on_paper(numbers, decimals) for symbol, numbers in fine.given.items()}
        answers = {symbol: rounded_on_paper(numbers, decimals) for symbol, numbers in fine.answers.items()}
        shown = replace(fine, decimals=decimals, given=given, answers=answers)
        report = check_text(write(shown, styles[int(draw.integers(len(styles)))]))
        counts["workings"] += 1
        counts["false_alarms"] += report.first_wrong is not None
        counts["mild"] += bool(report.findings) and report.first_wrong is None
    return dict(counts)


def survey_slips(first: int, count: int, styles: tuple[str, ...], slips: int) -> dict[str, int]:
    """Workings with one or two slips: how many are found, with the right cause and verdict."""
    counts: Counter[str] = Counter(workings=0, first=0, all=0, found=0, placed=0, causes=0, verdicts=0)
    for seed in range(first, first + count):
        working, style, from_printed = made(seed, styles)
        slipped, planted = plant(working, seed, count=slips, from_printed=from_printed)
        if len(planted) < slips:
            continue
        notes = write(slipped, style)
        report = check_text(notes)
        counts["workings"] += 1
        counts["first"] += _is_first(report, planted[0])
        found = [(slip, _finding(report, slip)) for slip in planted]
        counts["all"] += all(finding is not None for _, finding in found)
        for slip, finding in found:
            if finding is not None:
                counts["found"] += 1
                counts["placed"] += _stands_there(notes, finding)
                counts["causes"] += finding.cause == slip.cause
                counts["verdicts"] += finding.verdict == _verdict(slip)
    return dict(counts)


def _is_first(report: Report, slip: Slip) -> bool:
    first = report.first_wrong
    return first is not None and first.name == slip.symbol and _place(first) in slip.places


def _finding(report: Report, slip: Slip) -> Finding | None:
    found = [f for f in report.findings if f.name == slip.symbol and not f.is_mild and _place(f) in slip.places]
    return found[0] if found else None


def _stands_there(notes: str, finding: Finding) -> bool:
    """Whether the printed number stands at the line and column of the finding."""
    return notes.splitlines()[finding.line - 1][finding.column - 1 :].startswith(finding.printed)


def _place(finding: Finding) -> tuple[int, int]:
    return (finding.row or 0) - 1, (finding.col or 0) - 1


def _verdict(slip: Slip) -> str:
    return "wrong" if slip.symbol == "Y" else "carried" if slip.carried else "slip"


if __name__ == "__main__":
    kind, start, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    surveys = {
        "correct": survey_correct,
        "rounded": survey_rounded,
        "one": partial(survey_slips, slips=1),
        "two": partial(survey_slips, slips=2),
    }
    print(json.dumps(surveys[kind](start, n, tuple(sys.argv[4:]) or STYLES)))
