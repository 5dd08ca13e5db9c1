"""A visitor to a studio with three small models on its shelf."""

from collections.abc import Iterator

import pytest
from helpers.small_runs import small_run
from helpers.studio_visits import Visitor


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    root = tmp_path_factory.mktemp("studio")
    for objective in ("classes", "pairs", "answers"):
        small_run(root / objective, objective)
    found = Visitor(root / "runs", *(root / name for name in ("classes", "pairs", "answers")))
    yield found
    found.studio.close()
