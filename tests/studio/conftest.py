"""One studio for all tests of its pages, and a way to visit it that complains of whatever the page complains of."""

from collections.abc import Iterator

import pytest
from helpers.browsing import listen
from helpers.fonts import Font, dressed
from helpers.small_runs import small_run
from helpers.studio_house import DESK, House, Open, open_house
from helpers.studio_visits import Visitor
from playwright.sync_api import Browser, Page, expect

expect.set_options(timeout=30_000)  # on a machine that has other work as well


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A visitor to a studio with three small models on its shelf, without a browser."""
    root = tmp_path_factory.mktemp("studio")
    for objective in ("classes", "pairs", "answers"):
        small_run(root / objective, objective)
    found = Visitor(root / "runs", *(root / name for name in ("classes", "pairs", "answers")))
    yield found
    found.studio.close()


@pytest.fixture(scope="package")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A studio that listens, with three small models and a race."""
    with open_house(tmp_path_factory.mktemp("house")) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, house: House) -> Iterator[Open]:
    """Opens the studio. At the end: nothing was complained of, and nothing was asked for elsewhere."""
    complaints: list[str] = []
    context = browser.new_context(reduced_motion="reduce")  # what moves is tried in its own test

    def opened(hash_: str = "", *, size: dict[str, int] = DESK, toured: bool = True, font: Font | None = None) -> Page:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.set_viewport_size(size)  # type: ignore[arg-type]
        listen(page, complaints, (house.address, "blob:", "data:"))
        if font:
            dressed(page, font)
        if toured:
            page.add_init_script("localStorage.setItem('glassformer-toured', 'yes')")
        page.goto(house.address + hash_)
        page.wait_for_selector("#studio[data-ready]")
        return page

    yield opened
    context.close()
    assert not complaints
