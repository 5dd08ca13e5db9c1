"""The race: equal terms, who is really ahead, what is kept, and that words without their order say nothing here."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.small_runs import small_run

import glassformer.training.race.race as race_room
from glassformer.commands import main as cli
from glassformer.commands.pages.race_table import bar, bars, sentences
from glassformer.errors import InputError
from glassformer.objectives.table import OBJECTIVES
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load
from glassformer.runs.trial_data import trial
from glassformer.text.made_sets import make
from glassformer.training.course import StoppedError
from glassformer.training.race.race import Race, as_plain
from glassformer.training.race.race_page import race_page, remark, verdict
from glassformer.training.request import Request

TINY = {"width": 24, "hidden": 17}
WORDS = ["--models", "bare-attention,transformer", "--steps", "2", "--threads", "1", "--set", "width=24"]


def request(**options: Any) -> Request:
    return Request(
        **{"task": "classify", "data": "negation:300", "steps": 2, "threads": 1, "settings": TINY, **options}
    )


def glassformer(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["glassformer", *words])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


# --- a race that was run ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Race:
    race = Race(request(), ["bare-attention", "transformer"], [0, 1], tmp_path_factory.mktemp("race"))
    assert len(race.missing) == 4
    for entry in race.missing:
        race.run(entry)
    return race


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


def test_the_page_tells_it(finished: Race) -> None:
    page = race_page(finished)
    standings = finished.standings()
    assert verdict(standings) in page
    assert page.count("<polyline") == 4
    assert page.count('class="whisker') == 2
    assert "a bag of words: it cannot know in which order they stand" in page
    assert "2 steps" in page
    assert "<script" not in page


# --- who is really ahead, by pencil -----------------------------------------------------------------------------


def placed(out: Path, right: dict[str, int], score: str = "accuracy", samples: int = 200, **options: Any) -> Race:
    """A race whose contenders had so many of the samples right: nobody was trained."""
    for name, count in right.items():
        folder = RunFolder.create(out / f"{name}-0", settings={"model": {}})
        rows = [[float(i < count), 1.0] for i in range(samples)]
        folder.write_outcomes({"part": "test", "score": score, "rows": rows})
        folder.write_scores({score: count / samples, "macro_f1": 0.5, "perplexity": 2.0})
        folder.write_about({"parameters": 7, "seconds": 61.0})
        folder.write_report("")
    return Race(request(**options), list(right), [0], out)


def test_a_clear_lead_is_told_from_luck(tmp_path: Path) -> None:
    standings = placed(tmp_path, {"rnn": 100, "conv": 160, "transformer": 159}).standings()
    assert [each.model for each in standings.models] == ["conv", "transformer", "rnn"]
    assert [each.level for each in standings.models] == [True, True, False]
    behind = standings.models[2].behind
    assert behind is not None
    assert behind.difference == pytest.approx(0.3)
    assert 0.2 < behind.low < 0.3 < behind.high < 0.4
    near, far = (each.behind.p_value for each in standings.models if each.behind)
    assert verdict(standings) == f"conv and transformer cannot be told apart (p = {near:.3f}, paired bootstrap)."
    said = ["first", f"level with the first, p = {near:.3f}", f"behind, p = {far:.3f}"]
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
    assert verdict(standings) == "modern is really ahead (p = 0.001, paired bootstrap)."


def test_one_alone_is_ahead_of_nobody(tmp_path: Path) -> None:
    assert verdict(placed(tmp_path, {"conv": 50}).standings()) == "conv ran alone."


def test_bars_are_as_long_as_the_shares(tmp_path: Path) -> None:
    standings = placed(tmp_path, {"conv": 200, "rnn": 100}).standings()
    assert [line.count("█") for line in bars(standings)] == [44, 22]
    assert bar(0.0) == "▏"
    assert bar(1 / 44) == "█"


def test_rows_that_were_kept_give_the_score_again() -> None:
    rows = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 1.0], [1.0, 1.0]])
    assert OBJECTIVES["classes"].measure(rows).value == OBJECTIVES["answers"].measure(rows).value == 0.75
    assert OBJECTIVES["stream"].measure(np.array([[6.0, 2.0], [3.0, 4.0]])).value == 1.5
    perfect = np.array([[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]], dtype=np.float64)  # lengths, n-grams found, n-grams written
    assert OBJECTIVES["pairs"].measure(perfect).value == pytest.approx(100)


# --- words without their order ----------------------------------------------------------------------------------


def test_a_bag_of_words_is_right_in_exactly_half_of_negation(tmp_path: Path) -> None:
    """Whatever its weights are: each text has a twin of the same words with the other label."""
    small_run(tmp_path / "bag", model="bare-attention")
    run = load(tmp_path / "bag")
    samples = make("negation", 600, 5)
    said = [each.label for each in run.predict([sample.text for sample in samples])]
    assert np.mean([one == sample.label for one, sample in zip(said, samples, strict=True)]) == 0.5


# --- the command ------------------------------------------------------------------------------------------------


def test_the_command_from_words_to_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", *WORDS, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["race"] == "runs/race-classify-negation-300"
    assert {each["model"] for each in told["models"]} == {"bare-attention", "transformer"}
    assert (tmp_path / told["race"] / "race.html").is_file()
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", *WORDS, "--quiet") == 0
    shown = capsys.readouterr().out
    for words in (
        "parameters",
        "95 % CI",
        "macro-F1",
        "bag of words",
        "race.html",
        "Majority baseline",
        "paired bootstrap",
    ):
        assert words in shown


def test_models_of_language_race_by_their_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("the cat sat on the mat, and the dog sat on the cat. " * 40, encoding="utf-8")
    sizes = [word for size in ("width=12", "heads=2", "layers=1", "longest=31") for word in ("--set", size)]
    options = ["--steps", "2", "--threads", "1", *sizes, "--json", "--quiet"]
    assert glassformer(monkeypatch, "compare", "generate", "book.txt", *options) == 0
    told = json.loads(capsys.readouterr().out)
    first, second = told["models"]
    assert {first["model"], second["model"]} == {"gpt", "modern"}
    assert first["loss"] <= second["loss"]


def test_stopped_it_keeps_what_is_done_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "race"
    words = ["compare", "classify", "negation:300", *WORDS, "--out", str(out), "--quiet"]
    teach = race_room.teach

    def stopped_at_the_second(asked: Request, folder: Path, *rest: Any, **more: Any) -> Any:
        if asked.model == "transformer":
            raise StoppedError(signal.SIGINT, folder)
        return teach(asked, folder, *rest, **more)

    monkeypatch.setattr(race_room, "teach", stopped_at_the_second)
    assert glassformer(monkeypatch, *words) == 130
    assert "1 of 2 done. The same command resumes." in capsys.readouterr().err
    assert (out / "race.html").is_file()
    before = (out / "bare-attention-0" / "model" / "model.safetensors").stat().st_mtime_ns
    monkeypatch.setattr(race_room, "teach", teach)
    assert glassformer(monkeypatch, *words) == 0
    assert (out / "bare-attention-0" / "model" / "model.safetensors").stat().st_mtime_ns == before
    assert (out / "transformer-0" / "report.html").is_file()


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


def test_seeds_are_numbers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", "--seeds", "0,one") == 2
    assert "such as 0,1,2; they are '0,one'" in capsys.readouterr().err
