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


@pytest.mark.parametrize(
    "facts",
    [
        "", "[]", '{"models": 3}', '{"models": [1]}', '{"terms": []}', '{"models": [{"runs": "abc"}]}',
        '{"models": [{"model": []}]}', '{"score": "f1", "models": [{"f1": "high"}]}', '{"samples": NaN}',
        '{"score": ["f1"]}', r'{"models": [{"model": "\ud800"}]}', '{"models": [{"behind_first": 3}]}',
        '{"score": "f1", "models": [{"f1_interval": [0.5]}]}',
    ],
)  # fmt: skip
def test_a_race_that_somebody_has_edited_is_refused_in_words(facts: str, tmp_path: Path) -> None:
    (tmp_path / "race").mkdir()
    (tmp_path / "race" / "race.json").write_text(facts)
    visitor = Visitor(tmp_path / "runs", tmp_path / "race")
    for action in ("race/table", "race/ask"):
        answer = visitor.ask(action, {"race": "race", "text": TEXT})
        assert answer.status == 409
        assert "race.json is damaged" in answer.json["error"]
    visitor.studio.close()


def test_a_race_that_is_taken_away_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "race").mkdir()
    (tmp_path / "race" / "race.json").write_text("{}")
    visitor = Visitor(tmp_path / "runs", tmp_path / "race")
    assert asked(visitor, "race/table", race="race")["models"] == []
    (tmp_path / "race" / "race.json").unlink()
    assert "cannot be read" in visitor.ask("race/table", {"race": "race"}).json["error"]
    visitor.studio.close()
