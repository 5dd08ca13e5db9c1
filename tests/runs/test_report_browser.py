"""The report of a run on a phone: in fonts that are not ours."""

from pathlib import Path

import pytest
from helpers.fonts import FONTS, PHONE, Font, dressed, on_every_phone
from playwright.sync_api import Browser

from glassformer.runs.folder import RunFolder
from glassformer.runs.report import report
from glassformer.runs.run import find, load

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("font", FONTS, ids=str)
def test_nothing_sticks_out_of_a_phone(browser: Browser, tmp_path: Path, font: Font) -> None:
    shown = tmp_path / "page.html"
    shown.write_text(report(RunFolder.open(find("sentiment")), load("sentiment").card), encoding="utf-8")
    page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
    dressed(page, font)
    page.goto(shown.as_uri())
    found = on_every_phone(page)
    page.close()
    assert found == {}
