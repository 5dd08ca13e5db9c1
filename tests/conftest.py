"""Every test runs on one thread, from a seed, and with the same examples each time."""

import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
settings.register_profile("glassformer", derandomize=True, deadline=None, max_examples=200)
settings.load_profile("glassformer")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skipped test is a failed promise."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(17)
