"""Baselines beside a run: a coin-flip model is told so, a trained one too; nobody pays for one who does not need it."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from helpers.small_requests import TINY, counting, request

import glassformer as gf
from glassformer.errors import InputError
from glassformer.objectives import metrics
from glassformer.objectives.objective import Verdict
from glassformer.runs.learnt import LOOKUP, MAJORITY, PAIRS
from glassformer.training import baselines
from glassformer.training.course import Said, teach
from glassformer.training.forecasting.budget import budget
from glassformer.training.prepare import prepare

WORDS = ("red", "blue", "green", "film", "dog", "tree", "house")
NEGATION = {"width": 48, "hidden": 67, "layers": 2, "learning_rate": 0.01}  # enough to learn what "not" does


@pytest.fixture
def coins(tmp_path: Path) -> Path:
    """Texts whose labels were thrown with a coin."""
    draw = random.Random(3)
    rows = [f"{' '.join(draw.choices(WORDS, k=7))},{draw.choice(('yes', 'no'))}" for _ in range(401)]
    (tmp_path / "coins.csv").write_text("\n".join(["text,label", *rows]) + "\n", encoding="utf-8")
    return tmp_path / "coins.csv"


def test_a_coin_flip_model_is_told_that_it_is_no_better_than_chance(coins: Path, tmp_path: Path) -> None:
    run = gf.train("classify", coins, out=tmp_path / "run", steps=23, threads=1, settings={**TINY, "layers": 1})
    found = run.learnt
    assert found is not None
    assert found.verdict == "not shown to be better than the majority class"
    assert [each.baseline for each in found.against] == [MAJORITY, "ngrams"]
    assert run.certificate["passed"]  # it keeps every promise
    assert run.certificate["learnt"]["verdict"] == "not shown to be better than the majority class"
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "NOT SHOWN TO BE BETTER THAN THE MAJORITY CLASS" in page
    assert "✗ not shown to be better than the majority class" in page
    assert "✓ keeps its promises" in page


@pytest.mark.slow
def test_a_trained_model_of_negation_is_better_than_the_majority_class(tmp_path: Path) -> None:
    run = gf.train("classify", "negation:1000", out=tmp_path / "run", steps=149, threads=1, settings=NEGATION)
    found = run.learnt
    assert found is not None
    assert found.verdict == "better than the majority class"
    assert found.against[0].score == pytest.approx(0.5, abs=0.1)
    assert found.against[1].score > 0.8  # the linear model of n-grams knows "not good"
    assert found.advice == ()
    assert "✓ better than the majority class" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_model_that_knows_no_order_is_behind_the_linear_one(tmp_path: Path) -> None:
    run = gf.train("classify", "negation:1000", model="bare-attention", out=tmp_path / "run", steps=11, threads=1)
    found = run.learnt
    assert found is not None
    assert found.verdict == "no better than the majority class, behind a linear model (ngrams)"
    assert "Use the linear model: glassformer train classify negation:1000 --model ngrams" in found.advice
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "glassformer train classify negation:1000 --model ngrams" in page


def test_the_same_run_has_the_same_baseline(tmp_path: Path) -> None:
    one, two = (teach(request("classify", "negation:300"), tmp_path / name) for name in ("one", "two"))
    assert one.scores["baselines"] == two.scores["baselines"]
    assert json.dumps(one.scores)  # plain data


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (request("classify", "negation:300", baseline=False), [MAJORITY]),
        (counting(steps=3), [MAJORITY]),  # it is the linear model
        (request("generate", "sorting:300"), [MAJORITY]),  # the most frequent answer
        (request("translate", "dates:300"), [LOOKUP]),  # none is right to the letter yet
        (request("translate", "dates:300", baseline=False), []),
    ],
    ids=["not asked for", "linear itself", "answers", "translations", "translations alone"],
)
def test_who_is_compared_with_what(asked: Any, names: list[str], tmp_path: Path) -> None:
    heard: list[str] = []
    run = teach(asked, tmp_path / "run", lambda event: heard.append(event.text) if isinstance(event, Said) else None)
    assert [each["baseline"] for each in run.scores["baselines"]] == names
    assert (run.learnt is None) == (not names)
    assert not any("linear model" in each for each in heard)


def test_translations_that_are_right_to_the_letter_show_that_it_has_learnt() -> None:
    made = prepare(request("translate", "dates:300"))
    right = tuple(each.target for each in made.corpus.test)  # type: ignore[union-attr]
    bleu = metrics.bleu(right, right)
    found = baselines.baselines(made, Verdict({}, "bleu", bleu, right, right), made.corpus.test)
    assert [(each.baseline, each.better) for each in found] == [(MAJORITY, True), (LOOKUP, True)]
    wrong = tuple("?" for _ in right)
    (other,) = baselines.baselines(
        made, Verdict({}, "bleu", metrics.bleu(wrong, right), wrong, right), made.corpus.test
    )
    assert (other.baseline, other.worse) == (LOOKUP, True)


def test_a_text_that_goes_on_is_held_against_counted_pairs(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("tick tock " * 300, encoding="utf-8")
    run = teach(request("generate", str(tmp_path / "book.txt"), steps=1), tmp_path / "run")
    (found,) = run.scores["baselines"]
    assert (found["baseline"], found["ahead"] < 0) == (PAIRS, True)  # after one step
    assert 0 < found["score"] < 1  # most letters are certain after the one before
    assert run.learnt is not None
    assert run.learnt.verdict == "worse than pairs of tokens as they were counted in training"
    assert run.learnt.sentences[0].startswith("WORSE THAN pairs of tokens")
    assert f"; behind by {abs(found['ahead']):.4f} (95 % confidence interval −" in run.learnt.sentences[0]
    assert "Train longer" in run.learnt.advice[0]


def test_a_baseline_that_cannot_be_built_does_not_lose_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*a: Any, **k: Any) -> Any:
        raise InputError("Three words in a row need a vocabulary below 3.")

    monkeypatch.setattr(baselines, "prepare", refuse)
    run = teach(request("classify", "negation:300"), tmp_path / "run")
    assert [each["baseline"] for each in run.scores["baselines"]] == [MAJORITY]


def test_minutes_are_kept_back_for_it() -> None:
    plans = [
        budget(prepare(request("classify", "negation:300", steps=0, minutes=100.0, baseline=asked)), time.monotonic())[
            0
        ]
        for asked in (True, False)
    ]
    assert plans[1].seconds - plans[0].seconds == pytest.approx(600, abs=300)  # a tenth of a hundred minutes
    assert baselines.fits_model(prepare(request("classify", "negation:300")))
    assert not baselines.fits_model(prepare(request("classify", "negation:300", baseline=False)))


def test_with_too_few_minutes_for_so_much_text_it_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "SECONDS_PER_CHARACTER", 1.0)
    asked = request("classify", "negation:300", steps=0, minutes=0.02)
    heard: list[str] = []
    run = teach(asked, tmp_path / "run", lambda event: heard.append(event.text) if isinstance(event, Said) else None)
    assert [each["baseline"] for each in run.scores["baselines"]] == [MAJORITY]
    assert "To fit a linear model (ngrams) beside it would take too much of so few minutes; it is left out." in heard
    assert baselines.fits_model(prepare(request("classify", "negation:300", steps=5)))  # steps have no minutes


def test_no_time_left_means_what_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(request("classify", "negation:1000"))
    steps: list[int] = []
    monkeypatch.setattr(baselines.Loop, "step", lambda self: steps.append(1))
    measure = baselines._fitted(prepared, prepared.corpus.test, seconds=1e-9)
    assert not steps
    assert measure.value > 0.8  # naive Bayes alone


def test_a_linear_model_beside_a_class_that_is_nearly_all_has_learnt_nothing(tmp_path: Path) -> None:
    """Each text stands twice, and one class is nearly all: what says so always is no sign that labels can be learnt."""
    draw = random.Random(5)
    rows = [f"{' '.join(draw.choices(WORDS, k=9))},{'spam' if i % 29 == 0 else 'ham'}" for i in range(301)]
    (tmp_path / "ham.csv").write_text("\n".join(["text,label", *rows, *rows]) + "\n", encoding="utf-8")
    run = gf.train("classify", tmp_path / "ham.csv", out=tmp_path / "run", steps=1, threads=1, settings=TINY)
    assert run.scores["texts"] * 2 == run.scores["samples"]
    assert run.learnt is not None
    assert [each.learns for each in run.learnt.against] == [None, False]
    assert "can be learnt" not in " ".join(run.learnt.advice)
    assert f"Only {run.scores['texts']} different texts stand in these" in (tmp_path / "run" / "report.html").read_text(
        encoding="utf-8"
    )
