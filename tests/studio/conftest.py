"""One studio for all tests of its pages, and a way to visit it that complains of whatever the page complains of."""

from collections.abc import Iterator

import pytest
from helpers.browsing import PATIENCE, close_all_but, listen
from helpers.fonts import Font, dressed
from helpers.small_runs import small_run
from helpers.studio_house import DESK, House, Open, open_house
from helpers.studio_visits import Visitor
from playwright.sync_api import Browser, Page


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


@pytest.fixture(scope="package")
def doorstep(browser: Browser, house: House) -> Iterator[Page]:
    """A picture of the studio that stays open: while it does, Chromium opens each visit in the process that it has,
    with the scripts compiled, in half of the time."""
    context = browser.new_context(reduced_motion="reduce")  # what moves is tried in its own test
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(f"{house.address}icon.svg")
    yield page
    context.close()


@pytest.fixture
def visit(doorstep: Page, house: House) -> Iterator[Open]:
    """Opens the studio, for the first time in each test. At the end: nothing was complained of, and nothing was asked
    for elsewhere."""
    complaints: list[str] = []

    def opened(hash_: str = "", *, size: dict[str, int] = DESK, toured: bool = True, font: Font | None = None) -> Page:
        page = doorstep.context.new_page()
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
    close_all_but(doorstep)
    assert not complaints
