"""One small race, run once."""

import pytest
from helpers.small_races import request

from glassformer.training.race.race import Race


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Race:
    race = Race(request(), ["bare-attention", "transformer"], [0, 1], tmp_path_factory.mktemp("race"))
    assert len(race.missing) == 4
    for entry in race.missing:
        race.run(entry)
    return race
