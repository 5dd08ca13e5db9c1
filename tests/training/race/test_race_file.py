"""What race.json says: as it was written, or refused with the name of the figure."""

import json
from pathlib import Path

import pytest

from glassformer.runs.run import pocket_races
from glassformer.storage import DamagedError
from glassformer.training.race.race_file import read_race


def test_a_race_that_came_with_the_package_is_read_as_it_is() -> None:
    for folder in pocket_races():
        assert read_race(folder) == json.loads((folder / "race.json").read_text(encoding="utf-8"))


def test_the_figure_that_is_wrong_is_named(tmp_path: Path) -> None:
    models = [{"model": "gru", "accuracy": 0.5, "runs": ["gru-0"]}, {"model": "rnn", "accuracy": "good"}]
    (tmp_path / "race.json").write_text(json.dumps({"score": "accuracy", "models": models}))
    with pytest.raises(DamagedError, match=r"race\.json is damaged: models\[1\]\.accuracy is 'good'\."):
        read_race(tmp_path)
    models[1]["accuracy"] = 0.25
    (tmp_path / "race.json").write_text(json.dumps({"score": "accuracy", "models": models}))
    assert read_race(tmp_path)["models"] == models
