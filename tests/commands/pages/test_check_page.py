"""A report in the terminal: the line quoted, the number marked, and notes that cannot steer."""

import json
import re
from pathlib import Path

import pytest

from glassformer.commands.check_work.check import check


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


def test_notes_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "no\x1b[31mtes.md"
    path.write_text("1 + 1 = 3, \x1b]0;owned\x07 \x9b2J\u202e\n\nX\x1b[2J W = 4\n", encoding="utf-8")
    for how in ({}, {"quiet": True}, {"markdown": True}, {"fix": True}):
        check(str(path), **how)
        shown = capsys.readouterr().out
        assert not set(shown) & set("\x1b\x07\x9b\u202e")
    check(str(path))
    assert "1 + 1 = 3, ␛]0;owned␇" in capsys.readouterr().out
