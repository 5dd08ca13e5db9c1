"""The report of a run on a phone: in fonts that are not ours."""

from pathlib import Path

import pytest
from helpers.fonts import FONTS, PHONE, Font, dressed, on_every_phone
from helpers.small_runs import small_run
from playwright.sync_api import Browser

from glassformer.runs.folder import RunFolder
from glassformer.runs.report import report
from glassformer.runs.run import find, load

pytestmark = pytest.mark.browser


def guesser(path: Path) -> RunFolder:
    """A run that has learnt nothing, in a folder with a long name, with a label that is long too."""
    folder = small_run(path / ("a-folder-with-a-name-that-has-no-end" * 3))
    confusion = {"labels": ["a" * 67, "b"], "table": [[7, 6], [5, 4]]}
    classes = {name: {"precision": 0.5, "recall": 0.5, "f1": 0.5, "samples": 11} for name in confusion["labels"]}
    folder.write_scores({"accuracy": 0.5, "samples": 22, "confusion": confusion, "classes": classes})
    return folder


@pytest.mark.parametrize("which", ["sentiment", "guesser"])
@pytest.mark.parametrize("font", FONTS, ids=str)
def test_nothing_sticks_out_of_a_phone(browser: Browser, tmp_path: Path, font: Font, which: str) -> None:
    shown = tmp_path / "page.html"
    folder = guesser(tmp_path) if which == "guesser" else RunFolder.open(find(which))
    shown.write_text(report(folder, load(folder.path).card), encoding="utf-8")
    page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
    dressed(page, font)
    page.goto(shown.as_uri())
    found = on_every_phone(page)
    page.close()
    assert found == {}
