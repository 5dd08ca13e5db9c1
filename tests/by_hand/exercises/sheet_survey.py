"""A survey of our own sheets: made, filled in as students do, checked. Prints counts as JSON; asserts nothing.

Run as `python tests/by_hand/exercises/sheet_survey.py FIRST COUNT`. Any variant, size, blanks, form and hand.
"""

import json
import re
import sys
from collections import Counter
from dataclasses import replace

import numpy as np

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.exercises.exercise_sheets import SUFFIXES, Exercise, filled_in, make_exercise
from glassformer.by_hand.exercises.planting import Slip, plant
from glassformer.by_hand.exercises.workings import VARIANTS, WorkedExercise, work_out

HANDS = ("as asked", "no idle zeros", "no leading zero")


def made(seed: int) -> tuple[Exercise, str]:
    """An exercise of any kind, and the hand in which it is filled in."""
    draw = np.random.default_rng(seed)
    variant, form = VARIANTS[int(draw.integers(len(VARIANTS)))], list(SUFFIXES)[int(draw.integers(len(SUFFIXES)))]
    tokens, width, decimals = (int(draw.integers(*ends)) for ends in ((2, 5), (1, 4), (1, 5)))
    steps = [step.symbol for step in make_exercise(seed, variant).working.steps]
    n_blanks = int(draw.integers(1, min(5, len(steps)) + 1)) if draw.integers(4) else len(steps)
    blank = tuple(str(symbol) for symbol in draw.choice(steps, size=n_blanks, replace=False))
    hand = HANDS[int(draw.integers(len(HANDS)))]
    exercise = make_exercise(seed, variant, tokens=tokens, width=width, decimals=decimals, blank=blank, form=form)
    return exercise, hand


def handed_in(exercise: Exercise, answers: WorkedExercise, hand: str) -> str:
    """The sheet filled in; numbers after the task are written in this hand."""
    head, _, work = filled_in(exercise, answers).partition("rounded numbers.")
    if hand == "no idle zeros":
        work = re.sub(r"(\.\d*?)0+(?!\d)", lambda match: "" if match[1] == "." else match[1], work)
    elif hand == "no leading zero":
        work = re.sub(r"(?<!\d)0(\.\d)", r"\1", work)
    return f"{head}rounded numbers.{work}"


def survey(first: int, count: int) -> dict[str, int]:
    """Filled in rightly, from unrounded numbers too, with one slip, one number a little off, and not at all."""
    counts: Counter[str] = Counter(sheets=0, false_alarms=0, not_fine=0, blank_alarms=0)
    counts |= Counter(unrounded_alarms=0, near=0, near_missed=0, near_elsewhere=0)
    counts |= Counter(slips=0, missed=0, elsewhere=0, not_credited=0)
    for seed in range(first, first + count):
        exercise, hand = made(seed)
        suffix = SUFFIXES[exercise.form]
        right = check_text(handed_in(exercise, exercise.working, hand), suffix=suffix)
        counts["sheets"] += 1
        counts["false_alarms"] += bool(right.findings)
        counts["not_fine"] += right.outcome != "fine" or right.coverage.share < 1
        counts["blank_alarms"] += bool(check_text(exercise.sheet, suffix=suffix).findings)
        unrounded = work_out(exercise.working, from_printed=False)
        counts["unrounded_alarms"] += bool(check_text(handed_in(exercise, unrounded, hand), suffix=suffix).findings)
        _count_near(counts, exercise, unrounded, hand, np.random.default_rng(seed))
        answers, slips = plant(exercise.working, seed, blanks=exercise.blanks)
        if slips:
            _count_slip(counts, check_text(handed_in(exercise, answers, hand), suffix=suffix), slips[0])
    return dict(counts)


def _count_near(
    counts: Counter[str], exercise: Exercise, unrounded: WorkedExercise, hand: str, draw: np.random.Generator
) -> None:
    """One number of a blank is one to five units of its last digit off, and has all its digits: fewer are coarser."""
    symbol = exercise.blanks[int(draw.integers(len(exercise.blanks)))]
    answers = exercise.working.answers
    places = np.argwhere(np.isfinite(answers[symbol]))
    i, j = places[int(draw.integers(len(places)))].tolist()
    unit = 10.0**-exercise.working.decimals
    wrong = answers[symbol].copy()
    wrong[i, j] += int(draw.integers(1, 6)) * unit * (1 if draw.integers(2) else -1)
    is_short = hand == "no idle zeros" and round(wrong[i, j] / unit) % 10 == 0
    if is_short or abs(wrong[i, j] - unrounded.answers[symbol][i, j]) < unit / 2:
        return  # right from unrounded numbers
    slipped = replace(exercise.working, answers={**answers, symbol: wrong})
    report = check_text(handed_in(exercise, slipped, hand), suffix=SUFFIXES[exercise.form])
    here = [f for f in report.findings if (f.name, f.row, f.col) == (symbol, i + 1, j + 1)]
    counts["near"] += 1
    counts["near_missed"] += not here
    counts["near_elsewhere"] += len(here) < len(report.findings)


def _count_slip(counts: Counter[str], report: Report, slip: Slip) -> None:
    serious = [finding for finding in report.findings if not finding.is_mild]
    here = [f for f in serious if f.name == slip.symbol and ((f.row or 0) - 1, (f.col or 0) - 1) in slip.places]
    counts["slips"] += 1
    counts["missed"] += not here
    counts["elsewhere"] += len(here) < len(serious)
    counts["mild"] += len(serious) < len(report.findings)


if __name__ == "__main__":
    print(json.dumps(survey(int(sys.argv[1]), int(sys.argv[2]))))
