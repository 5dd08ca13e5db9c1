"""A checked page on a phone: in fonts that are not ours, with names and lines that have no end."""

from pathlib import Path

import pytest
from helpers.fonts import FONTS, PHONE, Font, dressed, on_every_phone
from playwright.sync_api import Browser

import glassformer as gf
from glassformer.by_hand.reports.html import to_html

pytestmark = pytest.mark.browser
NOTES = """# Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihungsurkunde

X = [[1, 0], [0, 1], [1, 1]]
W = [[1, 0], [1, 1]]
Q = X W = [[1, 0], [1, 1], [2, 4]]
"""


@pytest.mark.parametrize("font", FONTS, ids=str)
def test_nothing_sticks_out_of_a_phone(browser: Browser, tmp_path: Path, font: Font) -> None:
    notes, shown = tmp_path / f"{'long_name' * 11}.md", tmp_path / "page.html"
    notes.write_text(NOTES, encoding="utf-8")
    shown.write_text(to_html(gf.check(notes)), encoding="utf-8")
    page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
    dressed(page, font)
    page.goto(shown.as_uri())
    found = on_every_phone(page)
    page.close()
    assert found == {}
