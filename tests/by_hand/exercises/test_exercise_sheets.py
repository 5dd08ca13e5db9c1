"""Exercises: seeded sheets with blanks, whose solutions are right and whose answers are marked with follow-through."""

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.exercises.exercise_sheets import filled_in, make_exercise
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS
from glassformer.errors import InputError


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_solutions_are_right(variant: str, form: str) -> None:
    made = make_exercise(5, variant, form=form)
    report = check_text(made.solution, suffix=".tex" if form == "latex" else ".md")
    assert report.findings == []
    assert report.checked == len(made.working.steps)


def test_the_same_seed_gives_the_same_sheet() -> None:
    assert make_exercise(3).sheet == make_exercise(3).sheet
    assert make_exercise(3).sheet != make_exercise(4).sheet


def test_any_step_can_be_blank() -> None:
    made = make_exercise(1, blank=("weights", "H"))
    assert made.blanks == ("A", "H")
    assert made.sheet.count("?") == 9 + 6 + 1  # two matrices, and the word in the task
    assert "?" not in made.solution.partition("Given")[2]
    blanks = [remark.why for remark in check_text(made.sheet).unreadable]
    assert blanks == ["left blank", "left blank"]
    with pytest.raises(InputError, match="no step 'weihgts'; did you mean 'weights'"):
        make_exercise(1, blank=("weihgts",))


@pytest.mark.parametrize("seed", range(8))
def test_answers_are_marked_with_follow_through(seed: int) -> None:
    made = make_exercise(seed, VARIANTS[seed % len(VARIANTS)])
    answers, slips = plant(made.working, seed)
    report = check_text(filled_in(made, answers))
    first = report.first_wrong
    assert first is not None
    assert first.name == slips[0].symbol
    assert {f.name for f in report.findings} == {slips[0].symbol}  # what follows from it is not wrong again
    assert check_text(filled_in(made, made.working)).findings == []
