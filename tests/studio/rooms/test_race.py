"""The room *Race*: how all stand, and what each says of a text."""

import json
from pathlib import Path

import pytest
from helpers.small_runs import small_run
from helpers.studio_visits import Visitor, asked

TEXT = "the film was not good"


def test_a_race_is_shown_and_every_model_asked(tmp_path: Path) -> None:
    for model in ("transformer", "conv-pool"):
        folder = small_run(tmp_path / "race" / f"{model}-0", "classes", model)
        folder.log({"event": "judged", "step": 1, "seconds": 2.0, "loss": 0.7, "best": True})
    facts = {
        "terms": {"data": "negation"}, "score": "accuracy", "samples": 11, "guess": 0.5,
        "models": [
            {"model": model, "parameters": 7, "seconds": 2.0, "accuracy": 0.5, "runs": [f"{model}-0"]}
            for model in ("transformer", "conv-pool")
        ],
    }  # fmt: skip
    (tmp_path / "race" / "race.json").write_text(json.dumps(facts))
    visitor = Visitor(tmp_path / "runs", tmp_path / "race")
    assert asked(visitor, "race/start") == {"races": ["race", "negation-race"]}
    table = asked(visitor, "race/table", race="race")
    assert table["first"] == "this film is not good but dull"
    assert [each["curves"] for each in table["models"]] == [[[[2.0, 0.7]]]] * 2
    answers = asked(visitor, "race/ask", race="race", text=TEXT)["answers"]
    assert [bool(each["looked"]) for each in answers] == [True, False]
    assert sum(each["share"] for each in answers[0]["looked"]) == pytest.approx(1, abs=1e-5)
    assert all(each["says"] in each["scores"] for each in answers)
