"""Marking a class: points for right numbers, follow-through, blanks, and files that are something else."""

import csv
import io
import json
from pathlib import Path

import pytest

from glassformer.by_hand.exercises.exercise_sheets import SUFFIXES, Exercise, filled_in, make_exercise
from glassformer.by_hand.exercises.hand_ins import hand_ins
from glassformer.by_hand.exercises.marking import Key, Mark, answer_key, mark, mark_file
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS
from glassformer.by_hand.reports.class_table import class_to_html, to_csv
from glassformer.commands.check_work.exercise import exercise
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


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_exercise(3, "masked", blank=("A", "H"))
    slipped, _ = plant(made.working, 1, blanks=made.blanks)
    hand_in = tmp_path / "class"
    (hand_in / "group").mkdir(parents=True)
    (hand_in / "anna.md").write_text(made.solution)
    (hand_in / "=ben.md").write_text(filled_in(made, slipped))
    (hand_in / "group" / "cleo\x1b[2J.md").write_text(made.sheet)
    (hand_in / "dan.png").write_bytes(b"\x89PNG\x00\x00")
    (hand_in / "eve<b>.txt").write_text(make_exercise(3, "masked", blank=("A", "H"), form="text").solution)
    (hand_in / ".hidden").write_text("not a student")
    return hand_in


def test_the_command_marks_a_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, page = folder / "marks.csv", tmp_path / "marks.html"
    for _ in range(2):  # the table in the folder is no hand-in
        code = exercise(seed=3, variant="masked", blank=("A", "H"), mark=folder, csv=table, html=page)
        assert code == 0
    shown = capsys.readouterr()
    assert "5 hand-ins: 1 wrong, 2 right, 1 not readable, 1 not answered." in " ".join(shown.out.split())
    assert "\x1b" not in shown.out
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table.read_text(encoding="utf-8")))}
    assert set(rows) == {"'=ben", "anna", "dan", "eve<b>", "group/cleo\x1b[2J"}
    assert (rows["anna"]["points"], rows["anna"]["of"], rows["anna"]["outcome"]) == ("15", "15", "right")
    assert rows["eve<b>"]["outcome"] == "right"  # from a sheet in plain text, by the key of one in Markdown
    assert rows["dan"]["remarks"] == "this is not text (it has zero bytes)"
    assert rows["'=ben"]["first_wrong"]
    assert "eve&lt;b&gt;" in page.read_text(encoding="utf-8")
    exercise(seed=3, variant="masked", blank=("A", "H"), mark=folder, json=True)
    document = json.loads(capsys.readouterr().out)
    assert [row["outcome"] for row in document["marks"]].count("right") == 2


def test_a_written_sheet_is_its_own_key(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "sheet.md"
    exercise(seed=3, variant="masked", blank=("A", "H"), out=sheet)
    assert exercise(mark=folder, key=sheet) == 0
    assert "15 of 15" in capsys.readouterr().out
    (tmp_path / "sheet.solution.md").unlink()
    with pytest.raises(InputError, match=r"no file .*sheet\.solution\.md"):
        exercise(mark=folder, key=sheet)


def test_usage(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        exercise(mark=tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is empty"):
        exercise(mark=tmp_path / "empty")
    with pytest.raises(InputError, match="goes with --mark"):
        exercise(csv=tmp_path / "x.csv")
    with pytest.raises(InputError, match="choose one"):
        exercise(latex=True, text=True)


def test_nobody_marked_is_said_by_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Sorry.")
    assert exercise(mark=tmp_path) == 4


def test_two_files_of_one_student_keep_their_endings(tmp_path: Path) -> None:
    for name in ("a.md", "a.tex", "b.md"):
        (tmp_path / name).write_text("")
    assert [name for _, name in hand_ins(tmp_path)] == ["a.md", "a.tex", "b"]


def test_files_that_cannot_be_read_get_a_row(tmp_path: Path) -> None:
    key = answer_key(SHEET, SOLUTION, ".txt")
    gone = mark_file(tmp_path / "gone.md", "gone", key)
    assert (gone.outcome, gone.remarks) == ("not readable", ["cannot be opened: No such file or directory"])
    (tmp_path / "deep.md").write_text("[" * 5000)
    assert mark_file(tmp_path / "deep.md", "deep", key).points == 0
    assert "gone" in to_csv([gone])
    assert "gone" in class_to_html("t", [gone])
