"""A server with four small models, which nobody has taught."""

from collections.abc import Iterator

import pytest
from helpers.server_visits import Caller, small_models


@pytest.fixture(scope="session")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    found = Caller(small_models(tmp_path_factory.mktemp("runs")))
    yield found
    found.server.close()
