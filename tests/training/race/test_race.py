"""The race: equal terms, who is really ahead, what is kept, and that words without their order say nothing here."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.small_races import placed, request
from helpers.small_runs import small_run

import glassformer.training.race.race as race_room
from glassformer.commands.pages.race_table import sentences
from glassformer.errors import InputError
from glassformer.runs.run import load
from glassformer.runs.trial_data import trial
from glassformer.text.made_sets import make
from glassformer.training.race.race import Race, as_plain
from glassformer.training.race.race_page import remark, verdict

# --- a race that was run ----------------------------------------------------------------------------------------


def test_everybody_runs_on_the_same_samples_from_a_seed_of_its_own(finished: Race) -> None:
    assert finished.missing == []
    runs = [load(finished.out / entry.name) for entry in finished.entries]
    assert [run.card.seed for run in runs] == [0, 0, 1, 1]
    assert [run.card.model for run in runs] == ["bare-attention", "transformer"] * 2
    for run in runs:
        assert (
            trial(run.card, run.folder, None, "test")[2] == finished.corpus.test
        )  # as somebody would find who evaluates it later
    (first, again) = (dict(run.model.state_dict()) for run in runs[1::2])
    assert any(not np.array_equal(first[name], again[name]) for name in first)


def test_what_is_kept_says_how_all_stand(finished: Race) -> None:
    kept = json.loads((finished.out / "race.json").read_text(encoding="utf-8"))
    assert kept == {"terms": finished.terms, **as_plain(finished.standings())}
    assert {each["model"] for each in kept["models"]} == {"bare-attention", "transformer"}
    for each in kept["models"]:
        scores = [load(finished.out / run).scores["accuracy"] for run in each["runs"]]
        assert each["accuracy_of_each_seed"] == scores
        assert each["accuracy"] == pytest.approx(np.mean(scores))
        assert each["accuracy_interval"][0] <= each["accuracy"] <= each["accuracy_interval"][1]
        assert each["spread"] == pytest.approx(np.std(scores, ddof=1))
    assert [each["reads_order"] for each in kept["models"] if each["model"] == "bare-attention"] == [False]


def test_who_has_finished_is_not_trained_again(finished: Race, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_room, "teach", None)
    again = Race(request(), ["transformer", "bare-attention"], [1], finished.out)
    assert again.missing == []
    assert len(again.standings().models) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"steps": 3}, "with steps 2, not 3"),
        ({"settings": {"width": 40}}, "with settings"),
        ({"settings": {}}, "with settings {.*}, not as usual"),
        ({"data": "negation:200"}, "with data negation:300, not negation:200"),
        ({"seed": 5}, "with other samples"),
    ],
)
def test_other_terms_are_another_race(finished: Race, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Race(request(**options), ["transformer"], [0], finished.out)


# --- who is really ahead, by pencil -----------------------------------------------------------------------------


def test_a_clear_lead_is_told_from_luck(tmp_path: Path) -> None:
    standings = placed(tmp_path, {"rnn": 100, "conv": 160, "transformer": 159}).standings()
    assert [each.model for each in standings.models] == ["conv", "transformer", "rnn"]
    assert [each.level for each in standings.models] == [True, True, False]
    behind = standings.models[2].behind
    assert behind is not None
    assert behind.difference == pytest.approx(0.3)
    assert 0.2 < behind.low < 0.3 < behind.high < 0.4
    near, far = (each.behind.p_value for each in standings.models if each.behind)
    assert far <= 0.001  # a thousand draws can tell no less
    assert verdict(standings) == f"conv and transformer cannot be told apart (p = {near:.3f}, paired bootstrap)."
    said = ["first", f"level with the first, p = {near:.3f}", "behind, p ≤ 0.001"]
    assert [remark(each) for each in standings.models] == said
    assert sentences(standings)[1].startswith("conv leads transformer by 0.5 points (")


def test_of_losses_the_lowest_is_first(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("the cat sat on the mat. " * 40, encoding="utf-8")
    counts = {"gpt": 150, "modern": 50}
    standings = placed(tmp_path, counts, score="loss", task="generate", data=str(book)).standings()
    assert [each.model for each in standings.models] == ["modern", "gpt"]
    behind = standings.models[1].behind
    assert behind is not None
    assert behind.difference == pytest.approx(0.5)
    assert verdict(standings) == "modern is really ahead (p ≤ 0.001, paired bootstrap)."


# --- words without their order ----------------------------------------------------------------------------------


def test_a_bag_of_words_is_right_in_exactly_half_of_negation(tmp_path: Path) -> None:
    """Whatever its weights are: each text has a twin of the same words with the other label."""
    small_run(tmp_path / "bag", model="bare-attention")
    run = load(tmp_path / "bag")
    samples = make("negation", 600, 5)
    said = [each.label for each in run.predict([sample.text for sample in samples])]
    assert np.mean([one == sample.label for one, sample in zip(said, samples, strict=True)]) == 0.5


# --- the command ------------------------------------------------------------------------------------------------


def test_one_that_was_begun_goes_on_where_it_was(tmp_path: Path) -> None:
    race = Race(request(), ["transformer"], [0], tmp_path)
    whole = race.run(race.entries[0])
    (tmp_path / "transformer-0" / "report.html").unlink()
    assert race.missing == list(race.entries)
    events: list[Any] = []
    again = race.run(race.entries[0], events.append)
    assert any("Resuming from step" in getattr(event, "text", "") for event in events)
    assert again.scores == whole.scores


@pytest.mark.parametrize(
    ("models", "seeds", "options", "said"),
    [
        (["transformer", "transformer"], [0], {}, "each named once; transformer"),
        (["transformer"], [], {}, "needs a seed"),
        (["gpt"], [0], {}, "'gpt' is a language model, which cannot classify"),
        (["transfromer"], [0], {}, "did you mean 'transformer'"),
        (["transformer"], [0], {"steps": 0}, "an equal budget"),
    ],
)
def test_a_race_that_cannot_be_is_named(
    models: list[str], seeds: list[int], options: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        Race(request(**options), models, seeds, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_setting_is_for_those_who_have_it(tmp_path: Path) -> None:
    race = Race(request(settings={"width": 24, "longest": 31, "ngrams": 101}), ["ngrams", "attention"], [0], tmp_path)
    assert race.notes == [
        "Raced without width, for want of such a setting: ngrams.",
        "Raced without ngrams, for want of such a setting: attention.",
    ]
    for entry in race.missing:
        run = race.run(entry)
        config = run.card.config
        assert (config.get("width"), config.get("ngrams")) == ((None, 101) if entry.model == "ngrams" else (24, None))
        assert run.card.longest == 31
    assert len(race.standings().models) == 2


def test_a_setting_that_nobody_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="None of these models has a setting called 'widht'; did you mean 'width'"):
        Race(request(settings={"widht": 24}), ["ngrams", "attention"], [0], tmp_path)
