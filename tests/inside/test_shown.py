"""A look to be read, kept and shown: in a line, as a document, as a file."""

from pathlib import Path

import pytest
from helpers.looks import small_look

from glassformer.errors import InputError
from glassformer.inside.looks import Look
from glassformer.inside.shown import Shown
from glassformer.stages.trace import Trace


def test_a_look_says_what_it_is_in_a_line() -> None:
    shown = Shown(small_look("transformer"))
    assert str(shown) == f"{shown.look.title or 'A look inside'}: 7 tokens, {len(shown.trace)} stages" + (
        f"; {shown.words}." if shown.words else "."
    )
    assert repr(shown) == f"<{str(shown)[:-1]}>"
    nothing = Shown(Look(Trace()))
    assert str(nothing) == "A look inside: 0 stages."
    assert nothing.answer == {}


def test_a_page_is_written_whole_or_small_and_says_which(tmp_path: Path) -> None:
    shown = Shown(small_look("transformer"))
    saved = shown.save(tmp_path / "page.html")
    assert saved.bytes == (tmp_path / "page.html").stat().st_size
    assert (saved.rounded, saved.left_out) == (False, ())
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == shown.html()


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    shown = Shown(small_look("transformer"))
    with pytest.raises(InputError, match="A page of 0 megabytes"):
        shown.document(megabytes=0)
    with pytest.raises(InputError, match=r"is a folder; .*look\.html"):
        shown.save(tmp_path)
