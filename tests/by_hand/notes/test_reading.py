"""Notes as people write them: every style is read, every finding has its place, and nothing is dropped in silence."""

import os
from pathlib import Path

import pytest
from helpers.checked_notes import found

from glassformer.by_hand.notes.reading import files_in, open_document

# --- files of other kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".qmd", ".rmd"])
def test_quarto_and_r_markdown(suffix: str) -> None:
    text = "---\ntitle: 1 + 1 = 3\n---\n\n$3 \\cdot 4 = 13$\n\n```{r}\nx <- 1 + 1 == 3\n```\n"
    assert found(text, suffix) == [(5, "13", "12")]


def test_a_device_that_never_ends_is_not_read() -> None:
    document = open_document(Path("/dev/zero"))
    assert "more than" in document.unreadable[0][1]


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "notes.md")
    assert "a pipe, not a file" in open_document(tmp_path / "notes.md").unreadable[0][1]


def test_a_folder_may_be_named_by_any_path_and_hidden_files_in_it_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".course" / "notes" / ".git").mkdir(parents=True)
    notes = tmp_path / ".course" / "notes"
    for name in ("a.md", ".b.md", ".git/c.md"):
        (notes / name).write_text("1 + 1 = 2\n")
    (notes / "work").mkdir()
    monkeypatch.chdir(notes / "work")
    for named in (notes, Path("../../notes")):
        assert [path.name for path in files_in(named)] == ["a.md"]
