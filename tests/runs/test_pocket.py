"""The models that come with the package: small, whole, described, and what their cards say of them is so."""

import json
from pathlib import Path

import pytest

import glassformer as gf
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import pocket_folders, pocket_races
from glassformer.runs.texts_to_try import LECTURE_REVIEWS, LECTURE_SENTENCES, READ_BEFORE

POCKET = Path(gf.__file__).parent / "runs" / "pocket"
NAMES = ("english-german", "sentiment", "shakespeare")


def test_three_came_along() -> None:
    assert tuple(path.name for path in pocket_folders()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_is_small_and_keeps_its_promises(name: str) -> None:
    files = [path for path in (POCKET / name).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 3_000_000
    run = gf.load(POCKET / name)
    assert run.certificate["passed"]
    assert run.certify().passed
    assert {"config.toml", "certificate.json", "scores.json", "README.md"} <= {path.name for path in files}


@pytest.mark.parametrize("name", NAMES)
def test_a_card_says_data_licence_command_score_and_certificate(name: str) -> None:
    card = (POCKET / name / "README.md").read_text(encoding="utf-8")
    run = gf.load(POCKET / name)
    for heading in ("**Data**", "**Score**", "**Certificate**", "**Command**"):
        assert heading in card
    assert f"`{run.card.command}`" in card
    assert RunFolder(POCKET / name).settings["run"]["command"] == run.card.command
    assert f"{sum(weight.numel() for weight in run.model.parameters()):,} parameters" in card
    assert "/" not in run.card.command


def test_the_translator_translates() -> None:
    run = gf.load(POCKET / "english-german")
    said = [each.translation for each in run.predict(["Where is the station?", "I don't know what to do."])]  # type: ignore[union-attr]
    assert said == ["Wo ist der Bahnhof?", "Ich weiß nicht, was ich tun soll."]


def test_the_translator_copies_what_it_has_never_read() -> None:
    run = gf.load(POCKET / "english-german")
    said = [each.translation for each in run.predict(list(LECTURE_SENTENCES))]  # type: ignore[union-attr]
    assert said == ["Ich liebe AI.", "Wir lernen AI."]


def test_the_critic_knows_praise_from_blame() -> None:
    run = gf.load(POCKET / "sentiment")
    texts = ["a warm, clever and moving film, one of the best of the year", "a dull, badly acted waste of time"]
    assert [each.label for each in run.predict(texts)] == ["positive", "negative"]  # type: ignore[union-attr]


def test_the_critic_is_right_on_the_four_reviews_and_its_card_says_that_it_has_read_them() -> None:
    run = gf.load(POCKET / "sentiment")
    said = [each.label for each in run.predict([each.text for each in LECTURE_REVIEWS])]  # type: ignore[union-attr]
    assert said == [each.label for each in LECTURE_REVIEWS]
    card = (POCKET / "sentiment" / "README.md").read_text(encoding="utf-8")
    assert "has read the four reviews" in card
    assert READ_BEFORE["sentiment"][1] == tuple(each.text for each in LECTURE_REVIEWS)


def test_the_critic_is_less_sure_of_a_word_that_says_nothing() -> None:
    run = gf.load(POCKET / "sentiment")
    assert max(run.predict(["a"])[0].scores.values()) < 0.9  # type: ignore[union-attr]


def test_the_poet_writes_lines_with_speakers() -> None:
    run = gf.load(POCKET / "shakespeare")
    text = run.predict(["ROMEO:\n"], seed=1, longest=100)[0].text  # type: ignore[union-attr]
    assert len(text.split()) > 10


def test_the_race_is_small_and_its_runs_are_as_they_stand_in_it() -> None:
    (race,) = pocket_races()
    assert sum(path.stat().st_size for path in race.rglob("*") if path.is_file()) <= 3_000_000
    standings = json.loads((race / "race.json").read_text(encoding="utf-8"))
    scores = {each["model"]: each["accuracy"] for each in standings["models"]}
    for each in standings["models"]:
        run = gf.load(race / each["runs"][0])
        assert run.certificate["passed"]
        assert run.evaluate(limit=400)["accuracy"] == pytest.approx(each["accuracy"], abs=0.06)
    assert scores["transformer"] > 0.98
    assert scores["bare-attention"] < 0.6  # a bag of words: it cannot know what a "not" belongs to
