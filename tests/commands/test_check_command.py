"""`glassformer check` and its reports: what a person sees, what a program reads, and what a gate ends with."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.check import check_document, check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.by_hand.exercises.writing import STYLES, write
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.by_hand.reports.mending import mend, mended_text
from glassformer.commands import main
from glassformer.commands.check_work.check import check
from glassformer.errors import InputError

NOTES = """# A small one

$$Q = \\begin{bmatrix} 1 & 2 \\end{bmatrix} \\begin{bmatrix} 1 & 0 \\\\ 0 & 1 \\end{bmatrix} = [1, 3]$$

$$S = Q \\begin{bmatrix} 2 \\\\ 1 \\end{bmatrix} = 5$$

Half of it: 5 / 2 = 2.5, and [2, 5] / 3 = [0.66, 1.66]
"""


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    return path


def test_the_terminal_quotes_the_line_and_marks_the_number(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(str(notes)) == 1
    shown = capsys.readouterr().out
    assert "First wrong number  Q, row 1, column 2   line 3" in shown
    number, mark = next(
        pair for pair in zip(shown.splitlines(), shown.splitlines()[1:], strict=False) if "‾" in pair[1]
    )
    assert number[mark.index("‾")] == "3"
    assert mark.split() == ["‾", "2"]
    assert "carried: later numbers follow from the wrong value (line 5)" in shown
    assert "~ 2 numbers cut-off" in shown


def test_json_is_one_document_of_the_promised_shape(notes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(str(notes), json=True) == 1
    document = json.loads(capsys.readouterr().out)
    assert set(document) >= {"files", "claims", "checked", "unreadable", "findings", "first_wrong"}
    wanted = {"file", "line", "column", "name", "row", "col", "printed", "right", "verdict", "cause", "arithmetic"}
    assert all(set(finding) >= wanted for finding in document["findings"])
    assert document["first_wrong"]["arithmetic"] == "1×0 + 2×1 = 2"
    assert document["claims"] == document["checked"] + len(document["not_checkable"]) + len(document["unreadable"])


def test_margins_keep_the_notes_and_stand_outside_formulas(notes: Path) -> None:
    marked = to_markdown(check_files(notes))
    without = [line for line in marked.splitlines() if not line.startswith(">")]
    assert [line for line in without if line] == [line for line in NOTES.splitlines() if line]
    assert "> ✗ **First wrong number.** Q, row 1, column 2: 3 is printed, 2 is right; carried" in marked


def test_the_page_is_one_file_without_network(notes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "report.html"
    check(str(notes), html=page)
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)\s*=|https?://|@import|url\(", text)
    parser = _Counter()
    parser.feed(text)
    assert parser.marks == 3 * 2  # each finding is a mark in the notes and a card beside them
    assert parser.open == []
    assert f"Wrote {page}" in capsys.readouterr().err


class _Counter(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.marks, self.open = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.marks += "data-mark" in dict(attrs)
        if tag not in ("meta", "mspace"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_a_page_never_lets_notes_through_as_html() -> None:
    page = to_html(check_text("<script>alert(1)</script> 1 + 1 = 3\n\n$$\\text{<img>} = 1 + 1 = 3$$\n"))
    assert "<script>alert" not in page
    assert "<img>" not in page


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


def test_what_is_only_probable_is_not_corrected() -> None:
    document = open_bytes(b"1 + 1 = 3", "notes")
    (correction,) = check_document(document).corrections["notes"]
    assert mended_text(document, [correction]) == "1 + 1 = 2"
    assert mended_text(document, [replace(correction, certain=False)]) == "1 + 1 = 3"


def test_a_corrected_notebook_keeps_everything_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.ipynb"
    cells = [{"cell_type": "code", "source": ["1"]}, {"cell_type": "markdown", "source": ["so\n", "1 + 1 = 3"]}]
    path.write_text(json.dumps({"cells": cells, "metadata": {"a": 1}}), encoding="utf-8")
    check(str(path), fix=True, quiet=True, out=tmp_path / "mended.ipynb")
    mended = json.loads((tmp_path / "mended.ipynb").read_text(encoding="utf-8"))
    assert mended["cells"][1]["source"] == ["so\n", "1 + 1 = 2"]
    assert (mended["cells"][0], mended["metadata"]) == (cells[0], {"a": 1})


@pytest.mark.parametrize("seed", range(15))
def test_what_was_corrected_is_right(seed: int) -> None:
    working = make_working(seed, VARIANTS[seed % len(VARIANTS)], width=2 + seed % 3)
    slipped, planted = plant(working, seed, count=1 + seed % 2)
    assert planted
    report = check_text(write(slipped, STYLES[seed % len(STYLES)]))
    assert report.first_wrong is not None
    mended = mend(report.documents[0], report.corrections["text"])
    assert check_text(mended).first_wrong is None


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


def test_several_files_have_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("a.md", "1 + 1 = 2"), ("b.md", "\n1 + 1 = 3"), ("c.md", "Words.")):
        (tmp_path / name).write_text(text)
    assert check(str(tmp_path)) == 1
    shown = capsys.readouterr().out
    assert re.search(r"✓ +1 of 1 +\S*a\.md", shown)
    assert re.search(r"✗ +1 of 1 +\S*b\.md  first wrong number in line 2", shown)
    assert re.search(r"– +0 of 0 +\S*c\.md  nothing could be checked", shown)
    check(str(tmp_path), json=True)
    briefs = json.loads(capsys.readouterr().out)["by_file"]
    assert [brief["outcome"] for brief in briefs] == ["fine", "wrong", "nothing checked"]


def test_a_report_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match=r"report\.outcome"):
        assert check_text("1 + 1 = 2")
    assert check_text("1 + 1 = 2").outcome == "fine"
    assert check_text("[2, 5] / 3 = [0.66, 1.66]").outcome_for(strict=True) == "wrong"


def test_notes_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no\x1b[31mtes.md"
    path.write_text("1 + 1 = 3, \x1b]0;owned\x07 \x9b2J\u202e\n\nX\x1b[2J W = 4\n", encoding="utf-8")
    for how in ({}, {"quiet": True}, {"markdown": True}, {"fix": True}):
        check(str(path), **how)
        shown = capsys.readouterr().out
        assert not set(shown) & set("\x1b\x07\x9b\u202e")
    check(str(path))
    assert "1 + 1 = 3, ␛]0;owned␇" in capsys.readouterr().out


def test_a_fault_is_never_the_code_for_a_wrong_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(document: Document, **how: object) -> Report:
        if "bad" in document.file:
            raise KeyError("gone")
        return check_document(document)

    (tmp_path / "bad.md").write_text("1 + 1 = 2")
    monkeypatch.setattr("glassformer.by_hand.check.check_document", broken)
    monkeypatch.setattr(sys, "argv", ["glassformer", "check", str(tmp_path / "bad.md")])
    with pytest.raises(SystemExit) as stop:
        main.main()
    assert stop.value.code == 3
    assert "a fault of Glassformer, not of yours (KeyError: 'gone')" in capsys.readouterr().err
    (tmp_path / "other.md").write_text("1 + 1 = 3")
    assert check(str(tmp_path)) == 3  # the others are told all the same
    shown = capsys.readouterr().out
    assert "First wrong number" in shown
    assert "bad.md: the checker broke down (KeyError)" in " ".join(shown.split())


def test_a_file_that_cannot_be_opened_is_said_so(
    notes: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refused)
    assert check(str(notes), json=True) == 4
    document = json.loads(capsys.readouterr().out)
    assert document["unreadable"][0]["why"] == "cannot be opened: Permission denied"
