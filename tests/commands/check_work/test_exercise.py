"""`glassformer exercise`: prints or writes a sheet, and marks a folder of hand-ins."""

import csv
import io
import json
from pathlib import Path

import pytest

from glassformer.by_hand.exercises.exercise_sheets import filled_in, make_exercise
from glassformer.by_hand.exercises.planting import plant
from glassformer.commands.check_work.exercise import exercise
from glassformer.errors import InputError


def test_the_command_prints_or_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exercise(seed=2, variant="masked")
    assert capsys.readouterr().out == make_exercise(2, "masked").sheet
    exercise(seed=2, json=True)
    assert json.loads(capsys.readouterr().out)["solution"] == make_exercise(2).solution
    exercise(out=tmp_path / "sheet.md")
    assert (tmp_path / "sheet.solution.md").read_text(encoding="utf-8") == make_exercise().solution
    with pytest.raises(InputError, match="no variant 'maskd'; did you mean 'masked'"):
        exercise(variant="maskd")
    with pytest.raises(InputError, match="choose 1 to 8 tokens"):
        exercise(tokens=99)


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
