"""Every test runs on one thread, from a seed, and with the same examples each time."""

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers import shapes
from helpers.wrong_notes import NOTES
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser, sync_playwright

from glassformer.choices import Choices

torch.set_num_threads(1)
# The examples are always the same: if drawing them is slow, the machine is busy, and nothing is wrong.
BUSY = [HealthCheck.too_slow]
settings.register_profile("glassformer", derandomize=True, deadline=None, max_examples=200, suppress_health_check=BUSY)
settings.load_profile("glassformer")


CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)


ROOT = Path(__file__).parent
AXE = ROOT.parent / "node_modules" / "axe-core" / "axe.min.js"


def pytest_configure() -> None:
    """The gate sets GLASSFORMER_BROWSER, and stops here without one."""
    if os.environ.get("GLASSFORMER_BROWSER") != "required":
        return
    if not CHROMIUM:
        raise pytest.UsageError("No Chromium was found, and GLASSFORMER_BROWSER=required; apt-get install chromium.")
    if not AXE.is_file():
        raise pytest.UsageError("axe-core was not found, and GLASSFORMER_BROWSER=required; run scripts/check first.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without a browser, what needs one is left out, and so is what needs axe-core; the summary says so. What stands
    at the root comes first: it runs whole pages and processes, for which all would wait in the end."""
    missing = [name for name, there in (("browser", CHROMIUM), ("axe", AXE.is_file())) if not there]
    needing = [item for item in items if any(item.get_closest_marker(name) for name in missing)]
    items[:] = sorted((item for item in items if item not in needing), key=lambda item: item.path.parent != ROOT)
    config.hook.pytest_deselected(items=needing)


def pytest_collection_finish() -> None:
    """What was collected stays to the end, and is no longer gone through: neither for what may be thrown away, nor for
    the tensors that are there when a watch begins. It took four of eleven minutes."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Before its fixtures, which call layers as well."""
    shapes.begin_test(item.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """What must end by itself is stopped after so many seconds of the processor, however busy the machine is."""
    most = item.get_closest_marker("processor_seconds")
    if most is None:
        return (yield)

    def stop(*_: object) -> None:
        pytest.fail(f"It has taken more than {most.args[0]} seconds of the processor.")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most.args[0])
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says plainly what was left out."""
    if not CHROMIUM:
        terminalreporter.write_line(
            "LEFT OUT: all tests of the page in a real browser, since no Chromium was found on this machine "
            "(Debian: apt-get install chromium)."
        )
    elif not AXE.is_file():
        terminalreporter.write_line("LEFT OUT: the page's accessibility, since axe-core is not there (scripts/check).")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a page."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test is a failed promise."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(17)


@cache
def tables() -> list[Choices[Any]]:
    """The tables of choices that go by a public name; found once, since to ask for each name in every test adds up."""
    import glassformer as gf  # not before shapes are checked in what is imported

    return [found for name in gf.__all__ if isinstance(found := getattr(gf, name), Choices)]


@pytest.fixture(autouse=True)
def _tables_as_they_were() -> Iterator[None]:
    """What a test, or a snippet of the docs, adds to a table of choices is gone after it."""
    before = [dict(table) for table in tables()]
    yield
    for table, rows in zip(tables(), before, strict=True):
        table.clear()
        table.update(rows)


@pytest.fixture
def classifier(tmp_path: Path) -> Any:
    """A small classifier on the disk, which nobody has taught."""
    from helpers.small_runs import small_run  # not before shapes are checked in what is imported

    from glassformer.runs.run import load

    return load(small_run(tmp_path / "run").path)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Small notes with a wrong number, as a file."""
    path = tmp_path / "notes.md"
    path.write_text(NOTES, encoding="utf-8")
    return path
