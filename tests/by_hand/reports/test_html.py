"""A report as one page: every finding is marked, and notes never pass as HTML."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.reports.html import to_html
from glassformer.commands.check_work.check import check


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
