"""The terminal: a page has its bounds, and the text of others cannot steer it."""

import io

import pytest
from rich.console import Console
from rich.text import Text

from glassformer.drawing.terminal import page_width, show, visible, width


@pytest.mark.parametrize(("window", "page"), [(20, 40), (83, 83), (500, 108)])
def test_a_page_is_neither_too_narrow_nor_too_wide(window: int, page: int) -> None:
    assert page_width(window) == page
    assert width(Console(width=window)) == page


def test_an_escape_sequence_is_seen_and_not_obeyed() -> None:
    assert visible("a\x1b[31mb\tc\nd\x7f") == "a␛[31mb\tc\nd␡"
    assert visible("\u202eab\u2066") == "�ab�"


def test_lines_are_shown_as_they_were_drawn() -> None:
    written = io.StringIO()
    show(Console(file=written, width=5), [Text("one two three"), Text("four")])
    assert written.getvalue() == "one two three\nfour\n"
