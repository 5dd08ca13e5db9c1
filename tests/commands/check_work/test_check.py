"""`glassformer check`: what a person sees, what a program reads, and what a gate ends with."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.wrong_notes import NOTES

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.commands.check_work.check import check
from glassformer.errors import InputError


def test_json_is_one_document_of_the_promised_shape(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(str(notes), json=True) == 1
    document = json.loads(capsys.readouterr().out)
    assert set(document) >= {"files", "claims", "checked", "unreadable", "findings", "first_wrong"}
    wanted = {"file", "line", "column", "name", "row", "col", "printed", "right", "verdict", "cause", "arithmetic"}
    assert all(set(finding) >= wanted for finding in document["findings"])
    assert document["first_wrong"]["arithmetic"] == "1×0 + 2×1 = 2"
    assert document["claims"] == document["checked"] + len(document["not_checkable"]) + len(document["unreadable"])


def test_a_corrected_copy_stands_beside_the_notes(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = notes.with_name("mended.md")
    check(str(notes), fix=True, out=copy)
    assert notes.read_text(encoding="utf-8") == NOTES
    assert "= [1, 2]$$" in copy.read_text(encoding="utf-8")
    assert "= 4$$" in copy.read_text(encoding="utf-8")  # what followed from it is corrected, too
    assert check_files(copy).first_wrong is None
    assert "[0.66, 1.66]" in copy.read_text(encoding="utf-8")  # a habit, not a certain error
    shown = capsys.readouterr()
    assert "\n-$$S = Q \\begin{bmatrix} 2 \\\\ 1 \\end{bmatrix} = 5$$\n+" in shown.out  # the diff
    assert f"Wrote {copy}" in shown.err
    for place in (notes, copy):
        with pytest.raises(InputError, match="is there already and is not written over"):
            check(str(notes), fix=True, quiet=True, out=place)
    assert notes.read_text(encoding="utf-8") == NOTES


def test_a_correction_is_shown_and_written_only_where_it_is_told(
    notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check(str(notes), fix=True, json=True)
    shown = capsys.readouterr()
    (fix,) = json.loads(shown.out)["fix"]
    assert fix["file"] == str(notes)
    assert "+$$S = " in fix["diff"]
    assert "Nothing was written" in shown.err
    assert [path.name for path in tmp_path.iterdir()] == ["notes.md"]
    with pytest.raises(InputError, match="give --fix, too"):
        check(str(notes), out=tmp_path / "x.md")
    (tmp_path / "right.md").write_text("1 + 1 = 2")
    check(str(tmp_path / "right.md"), fix=True)
    assert "nothing certain to correct" in capsys.readouterr().err


def test_several_corrected_copies_go_into_a_folder(notes: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("1 + 1 = 3")
    check(str(notes), str(other), fix=True, quiet=True, out=tmp_path / "mended")
    assert (tmp_path / "mended" / "other.md").read_text() == "1 + 1 = 2"
    assert "= 4$$" in (tmp_path / "mended" / "notes.md").read_text(encoding="utf-8")


def test_a_gate_is_quiet_when_all_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "right.md").write_text("1 + 1 = 2")
    assert check(str(tmp_path), quiet=True) == 0
    assert capsys.readouterr().out == ""
    (tmp_path / "wrong.md").write_text("1 + 1 = 3")
    assert check(str(tmp_path), quiet=True) == 1
    assert re.match(r".*wrong\.md:1:9: .*3 is printed, 2 is right; wrong", capsys.readouterr().out)


def test_exit_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.md"
    path.write_text("Nothing but words.")
    assert check(str(path)) == 4
    shown = capsys.readouterr().out
    assert "Nothing could be checked" in shown
    assert "✓" not in shown
    path.write_text("[2, 5] / 3 = [0.66, 1.66]")
    assert (check(str(path), quiet=True), check(str(path), quiet=True, strict=True)) == (0, 1)


def test_usage_errors_say_what_to_do() -> None:
    with pytest.raises(InputError, match="Which notes"):
        check()
    with pytest.raises(InputError, match="--digits 99"):
        check("-", digits=99)


def run(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from glassformer.commands.main import main; main()", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_the_command_reads_standard_input_and_answers_with_its_exit_code() -> None:
    done = run("check", "-", "--json", text="1 + 1 = 3")
    assert done.returncode == 1
    assert json.loads(done.stdout)["first_wrong"]["right"] == "2"
    assert done.stderr == ""
    assert run("check", "-", text="1 + 1 = 2").returncode == 0
    missing = run("check", "no-such-file.md")
    assert missing.returncode == 2
    assert missing.stderr.startswith("glassformer: There is no file no-such-file.md")


def test_checking_notes_needs_no_torch() -> None:
    commands = "glassformer.commands.check_work.check, glassformer.commands.check_work.exercise"
    code = f"import sys, {commands}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_tick_needs_something_that_was_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.md"
    path.write_text("X W = [[1, 2]]\n\nlr = 0.01\n")
    assert check(str(path)) == 4
    shown = capsys.readouterr().out
    assert "Checked 0 of 2 numbers that look like results (0 %)" in shown
    assert "2 not checked\n      line 1: 1, 2: nothing is known of 'X'" in shown
    assert check(str(path), quiet=True) == 4
    assert "Nothing could be checked" in capsys.readouterr().out
    assert check(str(path), json=True) == 4
    document = json.loads(capsys.readouterr().out)
    assert document["outcome"] == "nothing checked"
    assert document["coverage"] == {
        "checked": 0,
        "look_like_results": 2,
        "share": 0.0,
        "not_checked": [
            {"file": str(path), "line": 1, "why": "nothing is known of 'X'", "printed": "1, 2", "count": 2}
        ],
    }
    assert "Nothing could be checked" in to_markdown(check_files(path))
    assert "Nothing could be checked" in to_html(check_files(path))


def test_less_than_the_asked_coverage_is_no_tick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "notes.md"
    path.write_text("1 + 1 = 2\n\nX W = 5\n\n2 × 3 = 6\n")
    assert (check(str(path)), check(str(path), coverage=60), check(str(path), coverage=70)) == (0, 0, 4)
    shown = capsys.readouterr().out
    assert "✓ The 2 checked numbers are right; the others may be right or wrong." in shown
    assert "Too little could be checked: 67 %, and 70 % were asked for." in shown
    path.write_text("1 + 1 = 3\n\nX W = 5\n")
    assert check(str(path), coverage=70) == 1  # a wrong number says more
    with pytest.raises(InputError, match="--coverage 170 is not a percentage"):
        check(str(path), coverage=170)


def test_a_file_that_cannot_be_opened_is_said_so(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path, *how: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    assert check(str(notes), json=True) == 4
    document = json.loads(capsys.readouterr().out)
    assert document["unreadable"][0]["why"] == "cannot be opened: Permission denied"
