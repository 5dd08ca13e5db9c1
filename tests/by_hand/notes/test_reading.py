"""Notes as people write them: every style is read, every finding has its place, and nothing is dropped in silence."""

from pathlib import Path

import pytest
from helpers.checked_notes import found

from glassformer.by_hand.notes.reading import open_document

# --- files of other kinds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".qmd", ".rmd"])
def test_quarto_and_r_markdown(suffix: str) -> None:
    text = "---\ntitle: 1 + 1 = 3\n---\n\n$3 \\cdot 4 = 13$\n\n```{r}\nx <- 1 + 1 == 3\n```\n"
    assert found(text, suffix) == [(5, "13", "12")]


def test_a_device_that_never_ends_is_not_read() -> None:
    document = open_document(Path("/dev/zero"))
    assert "more than" in document.unreadable[0][1]
