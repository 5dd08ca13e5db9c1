"""Marking a class: points for right numbers, follow-through, blanks, and files that are something else."""

from pathlib import Path

import pytest

from glassformer.by_hand.exercises.exercise_sheets import SUFFIXES, Exercise, filled_in, make_exercise
from glassformer.by_hand.exercises.marking import Key, Mark, answer_key, mark, mark_file
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS
from glassformer.by_hand.reports.class_table import class_to_html, to_csv
from glassformer.errors import InputError

# By pencil: two tokens of width 1. X = [1; 2], W_Q = 1, W_K = 1, W_V = 2, W_O = 1, so Q = K = X and V = [2; 4].
SHEET = """X = [[1], [2]]

V = X [[2]] = [[?], [?]]

Y = V [[3]] = [[?], [?]]

T = Y [[10]] = [[60], [120]]
"""
SOLUTION = SHEET.replace("[[?], [?]]", "[[2], [4]]", 1).replace("[[?], [?]]", "[[6], [12]]")


def pencil(v: str, y: str) -> str:
    """The sheet with these answers."""
    return SHEET.replace("[[?], [?]]", v, 1).replace("[[?], [?]]", y, 1)


def marked(text: str) -> Mark:
    return mark(text.encode(), "ann", answer_key(SHEET, SOLUTION, ".txt"), ".txt")


def test_right_answers_get_all_points() -> None:
    answer = marked(SOLUTION)
    assert (answer.outcome, answer.points, answer.blanks, answer.first) == ("right", 4, 4, None)


def test_a_slip_costs_one_point_and_what_follows_from_it_none() -> None:
    answer = marked(pencil("[[2], [5]]", "[[6], [15]]"))  # 2 × 2 = 5, and 5 × 3 = 15
    assert (answer.outcome, answer.points, answer.follow_through) == ("wrong", 3, 1)
    first = answer.first
    assert first is not None
    assert (first.name, first.row, first.col, first.line, first.printed, first.right) == ("V", 2, 1, 3, "5", "4")
    assert first.verdict == "carried"


@pytest.mark.parametrize(
    ("right", "wrong", "place"),
    [
        ("2.45", "2.48", ("H", 2, 2)),
        ("2.45", "2.54", ("H", 2, 2)),
        ("0.00 & 0.33", "0.00 & 0.35", ("H", 3, 2)),  # −2·0.33 + 3·0.33
        ("0.33 & 0.33 & 0.33", "0.33 & 0.34 & 0.33", ("A", 3, 2)),  # a third
    ],
)
def test_a_sheet_that_goes_on_with_rounded_numbers_leaves_no_room(
    right: str, wrong: str, place: tuple[str, int, int]
) -> None:
    made = make_exercise(3, "masked", blank=("weights", "mixed"))
    answer = mark(made.solution.replace(right, wrong).encode(), "ann", answer_key(made.sheet, made.solution))
    assert (answer.outcome, answer.points) == ("wrong", 14)
    first = answer.first
    assert first is not None
    assert (first.name, first.row, first.col) == place
    assert first.right == right.split(" & ")[-1]  # as the solution has it: 2.46 comes of unrounded weights
    assert first.printed == (wrong.split(" & ")[-1] if place[0] == "H" else "0.34")


def test_who_goes_on_with_unrounded_numbers_is_right() -> None:
    made = make_exercise(3, "masked", blank=("weights", "mixed"))
    answers = made.solution.replace("2.45", "2.46").replace("-0.78", "-0.79")
    assert mark(answers.encode(), "ann", answer_key(made.sheet, made.solution)).outcome == "right"


def test_unrounded_numbers_may_end_nine_units_from_the_rounded_ones() -> None:
    made = make_exercise(16, "cross", width=2, decimals=3, blank=("mixed", "output"))
    answers = made.solution.replace("0.254", "0.249").replace("0.508", "0.499")  # 2 × 0.2494 = 0.4988
    assert mark(answers.encode(), "ann", answer_key(made.sheet, made.solution)).outcome == "right"
    answers = made.solution.replace("0.254", "0.249").replace("0.508", "0.497")
    assert mark(answers.encode(), "ann", answer_key(made.sheet, made.solution)).outcome == "wrong"


def test_whole_numbers_are_no_answers_where_decimals_are_asked_for() -> None:
    made = make_exercise(16, "cross", width=2, decimals=3, blank=("mixed", "output"))
    key = answer_key(made.sheet, made.solution)
    text = made.solution
    for cell in sorted(key.blanks, key=lambda each: -key.numbers[each].span.start):
        span = key.numbers[cell].span
        text = text[: span.start] + f"{key.numbers[cell].value:.0f}" + text[span.end :]
    assert text != made.solution
    assert mark(text.encode(), "ann", key).outcome == "wrong"


def test_digits_that_are_cut_off_are_not_rounded() -> None:
    made = make_exercise(3, "masked", blank=("weights", "mixed"))
    cut = made.solution.replace("0.11 & 0.89", "0.10 & 0.89")  # 0.1067 and 0.8933, from rounded or unrounded scores
    assert cut != made.solution
    answer = mark(cut.encode(), "ann", answer_key(made.sheet, made.solution))
    assert (answer.outcome, answer.points) == ("wrong", 14)
    assert answer.first is not None
    assert (answer.first.printed, answer.first.right, answer.first.verdict) == ("0.10", "0.11", "cut-off")


def test_a_slip_that_was_not_gone_on_with() -> None:
    answer = marked(pencil("[[2], [5]]", "[[6], [12]]"))
    assert (answer.points, answer.follow_through) == (3, 0)
    assert answer.first is not None
    assert answer.first.verdict == "slip"


def test_blanks_are_not_answered_and_not_wrong() -> None:
    answer = marked(pencil("[[?], [4]]", "[[6], [?]]"))
    assert (answer.outcome, answer.points, answer.not_answered) == ("unfinished", 2, 2)
    answer = marked(pencil("[[?], [5]]", "[[6], [?]]"))
    assert (answer.outcome, answer.points, answer.not_answered) == ("wrong", 1, 2)
    assert marked(SHEET).outcome == "not answered"


def test_a_changed_given_is_noticed() -> None:
    answer = marked(SOLUTION.replace("[[1], [2]]", "[[1], [3]]"))
    assert answer.outcome == "changed sheet"
    assert answer.remarks == ["X, row 2, column 1 is 3 in line 1, 2 on the sheet"]


def test_answers_alone_are_enough() -> None:
    answer = marked("My answers: \n\nV = [[2], [5]]\n\nY = [[6], [15]]\n")
    assert (answer.points, answer.follow_through, answer.outcome) == (3, 1, "wrong")
    assert answer.first is not None
    assert answer.first.line == 3


def test_another_sheet_and_another_shape_are_said() -> None:
    assert marked("X = [[7], [8]]\n\nV = X [[2]] = [[14], [16]]\n\nT = [[1], [1]]\n").outcome == "another sheet"
    assert marked("I was ill.").outcome == "another sheet"
    answer = marked(pencil("[[2, 4]]", "[[6], [12]]"))
    assert answer.remarks == ["V could not be read: 1×2 is written, 2×1 is asked for"]
    assert (answer.outcome, answer.points, answer.not_answered) == ("unfinished", 2, 2)


@pytest.mark.parametrize(
    ("v", "y"),
    [
        ("[[2.0], [4.00]]", "[[6.], [12]]"),
        ("[[4/2], [2·2]]", "[[6], [24/2]]"),
        ("[[2,0], [4,0]]", "[[6,0], [12,0]]"),  # decimal commas
        ("[[1 + 1], [4]] = [[2], [4]]", "[[6], [12]]"),
    ],
)
def test_students_write_as_they_like(v: str, y: str) -> None:
    answer = marked(pencil(v, y))
    assert (answer.outcome, answer.points) == ("right", 4)


def test_answers_may_stand_under_small_letters_and_labels() -> None:
    assert marked("v = [[2], [4]]\n\ny = [[6], [12]]\n").outcome == "right"
    assert marked("V: [[2], [4]]\n\nY: [[6], [12]]\n").outcome == "right"


def test_what_cannot_be_read_is_said_and_not_guessed() -> None:
    answer = marked(pencil("[[2], [no idea]]", "[[?], [?]]"))
    assert (answer.outcome, answer.points, answer.first) == ("not readable", 0, None)
    assert answer.remarks[0].startswith("V could not be read: ")


def test_rounding_on_the_way_is_no_slip() -> None:
    sheet = "Z = [[1], [2]] / 3 = [[?], [?]]\n\nY = Z [[4]] = [[?], [?]]\n"
    solution = "Z = [[1], [2]] / 3 = [[0.33], [0.67]]\n\nY = Z [[4]] = [[1.32], [2.68]]\n"
    key = answer_key(sheet, solution, ".txt")
    finer = "Z = [[1], [2]] / 3 = [[0.33], [0.67]]\n\nY = Z [[4]] = [[1.33], [2.67]]\n"
    assert mark(finer.encode(), "ann", key, ".txt").outcome == "right"
    assert mark(finer.replace("1.33", "1.39").encode(), "ann", key, ".txt").points == 3


def test_before_anything_is_wrong_nothing_is_followed() -> None:
    sheet = "X = [[1, 0]]\n\nW = [[1, 2], [3, 4]]\n\nQ = X W = [[?, ?]]\n"
    key = answer_key(sheet, sheet.replace("?, ?", "1, 2"), ".txt")
    answer = mark(sheet.replace("?, ?", "1, 3").encode(), "ann", key, ".txt")  # X Wᵀ
    assert (answer.outcome, answer.points, answer.follow_through) == ("wrong", 1, 0)


def test_a_sheet_without_blanks_is_no_key() -> None:
    with pytest.raises(InputError, match="no blank"):
        answer_key(SOLUTION, SOLUTION, ".txt")


def key_of(made: Exercise) -> Key:
    return answer_key(made.sheet, made.solution, SUFFIXES[made.form])


@pytest.mark.parametrize("seed", range(30))
def test_any_sheet_with_one_slip_loses_what_the_slip_touched(seed: int) -> None:
    form, variant = list(SUFFIXES)[seed % 3], VARIANTS[seed % 5]
    made = make_exercise(seed, variant, form=form, blank=("weights", "mixed", "output"), decimals=1 + seed % 3)
    key, suffix = key_of(made), SUFFIXES[form]
    assert mark(filled_in(made, made.working).encode(), "a", key, suffix).outcome == "right"
    slipped, (slip,) = plant(made.working, seed, blanks=made.blanks)
    answer = mark(filled_in(made, slipped).encode(), "a", key, suffix)
    assert answer.first is not None
    assert answer.first.name == slip.symbol
    assert ((answer.first.row or 0) - 1, (answer.first.col or 0) - 1) in slip.places
    assert 0 < answer.blanks - answer.points <= len(slip.places)


def test_files_that_cannot_be_read_get_a_row(tmp_path: Path) -> None:
    key = answer_key(SHEET, SOLUTION, ".txt")
    gone = mark_file(tmp_path / "gone.md", "gone", key)
    assert (gone.outcome, gone.remarks) == ("not readable", ["cannot be opened: No such file or directory"])
    (tmp_path / "deep.md").write_text("[" * 5000)
    assert mark_file(tmp_path / "deep.md", "deep", key).points == 0
    assert "gone" in to_csv([gone])
    assert "gone" in class_to_html("t", [gone])
