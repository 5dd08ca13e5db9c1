"""A browser without a network, for pages that are opened from the disk."""

from collections.abc import Iterator

import pytest
from helpers.browsing import PATIENCE
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="package")
def blank_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Open all the time, so that Chromium need not begin a process for each page beside it."""
    context = browser.new_context(offline=True, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    path = tmp_path_factory.mktemp("blank") / "blank.html"
    path.write_text("<!doctype html>", encoding="utf-8")
    page = context.new_page()
    page.goto(path.as_uri())
    yield page
    context.close()
