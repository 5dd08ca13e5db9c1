"""`glassformer check` and its reports: what a person sees, what a program reads, and what a gate ends with."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from glassformer.by_hand.check import check as check_files
from glassformer.by_hand.check import check_text
from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.by_hand.exercises.writing import STYLES, write
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.by_hand.reports.mending import mend
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
    without = [line for line in marked.splitlines() if not line.startswith(("> ", "<!--"))]
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
    check(str(notes), fix=True)
    copy = notes.with_name("notes.corrected.md")
    assert notes.read_text(encoding="utf-8") == NOTES
    assert "= [1, 2]$$" in copy.read_text(encoding="utf-8")
    assert "= 4$$" in copy.read_text(encoding="utf-8")  # what followed from it is corrected, too
    assert check_files(copy).first_wrong is None
    check(str(notes), fix=True, strict=True)
    assert "[0.67, 1.67]" in copy.read_text(encoding="utf-8")
    assert str(copy) in capsys.readouterr().err


def test_a_corrected_notebook_keeps_everything_else(tmp_path: Path) -> None:
    path = tmp_path / "notes.ipynb"
    cells = [{"cell_type": "code", "source": ["1"]}, {"cell_type": "markdown", "source": ["so\n", "1 + 1 = 3"]}]
    path.write_text(json.dumps({"cells": cells, "metadata": {"a": 1}}), encoding="utf-8")
    check(str(path), fix=True, quiet=True)
    mended = json.loads(path.with_name("notes.corrected.ipynb").read_text(encoding="utf-8"))
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
    assert check(str(path)) == 2
    assert "Nothing could be read" in capsys.readouterr().out
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
