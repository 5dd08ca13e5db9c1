"""The terminal: a page has its bounds, and the text of others cannot steer it."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from glassformer.drawing.terminal import page_width, show, terminal, width


@pytest.mark.parametrize(("window", "page"), [(20, 40), (83, 83), (500, 108)])
def test_a_page_is_neither_too_narrow_nor_too_wide(window: int, page: int) -> None:
    assert page_width(window) == page
    assert width(Console(width=window)) == page


def test_a_page_shows_what_would_steer_it_and_keeps_its_own_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    page = terminal()
    with page.capture() as captured:
        page.print(Text("a\x1b[31mb", style="bold"), soft_wrap=True)
        page.print("c\x1b]0;title\x07d", markup=False)
    assert captured.get() == "\x1b[1ma␛[31mb\x1b[0m\nc␛]0;titled\n"  # rich drops a bell


def test_lines_are_shown_as_they_were_drawn() -> None:
    written = io.StringIO()
    show(Console(file=written, width=5), [Text("one two three"), Text("four")])
    assert written.getvalue() == "one two three\nfour\n"


@pytest.mark.parametrize("columns", ["0", "5"])
def test_a_window_that_is_said_to_have_no_room_is_written_to(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    page = terminal()
    with page.capture() as written:
        page.print("a sentence")
    assert written.get() == "a sentence\n"
