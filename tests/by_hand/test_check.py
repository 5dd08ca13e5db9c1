"""Notes to a report: files, folders, and paths that lead nowhere."""

from pathlib import Path

import pytest

from glassformer.by_hand.check import check, check_text
from glassformer.errors import InputError


def test_findings_have_file_line_and_column() -> None:
    report = check_text("First words.\n\nHere $2 + 2 = 5$ stands.\n", "notes.md")
    first = report.first_wrong
    assert first is not None
    assert (first.file, first.line, first.column, first.printed, first.right) == ("notes.md", 3, 15, "5", "4")
    assert first.quote == "Here $2 + 2 = 5$ stands."


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("1 + 1 = 2")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("1 + 1 = 3")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    report = check(tmp_path)
    assert [Path(file).name for file in report.files] == ["a.md", "b.txt"]
    assert [Path(f.file).name for f in report.findings] == ["b.txt"]


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("1 + 1 = 2")
    with pytest.raises(InputError, match=r"There is no file .*note\.md; did you mean 'notes\.md'\?"):
        check(tmp_path / "note.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no notes"):
        check(tmp_path / "empty")
