"""From a request to a run folder: every objective, resumed, stopped by signals, begun from a parent."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from glassformer.commands.train_models.train import train
from glassformer.errors import InputError
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load
from glassformer.training.budget import Forecast, budget
from glassformer.training.course import Course, Event, Said, resume, teach
from glassformer.training.loop import Loop, Stepped, Validated
from glassformer.training.prepare import prepare, prepare_again, settings_of
from glassformer.training.request import Request

TINY = {"width": 12, "heads": 2, "hidden": 17}
TINY_PAIR = {**TINY, "encoder_layers": 1, "decoder_layers": 1}


def request(task: str, data: str, **options: Any) -> Request:
    settings = {**(TINY_PAIR if task == "translate" else {**TINY, "layers": 1}), **options.pop("settings", {})}
    return Request(task=task, data=data, **{"steps": 7, "threads": 1, "settings": settings, **options})


CASES = [
    ("classify", "negation:300", "classes", "accuracy"),
    ("translate", "dates:300", "pairs", "bleu"),
    ("generate", "sorting:300", "answers", "exact"),
]


@pytest.mark.parametrize(("task", "data", "objective", "score"), CASES)
def test_a_request_becomes_a_run(task: str, data: str, objective: str, score: str, tmp_path: Path) -> None:
    events: list[Event] = []
    run = teach(request(task, data), tmp_path / "run", events.append)
    assert run.card.objective == objective
    assert 0 <= run.scores[score] <= 100
    assert run.scores["part"] == "test"
    assert run.certificate["passed"]
    forecast = next(event for event in events if isinstance(event, Forecast))
    assert forecast.steps == 7
    assert [event.step for event in events if isinstance(event, Stepped)] == list(range(1, 8))
    judged = [event.loss for event in events if isinstance(event, Validated)]
    logged = [line["loss"] for line in RunFolder.open(tmp_path / "run").metrics() if line["event"] == "judged"]
    assert logged == judged
    assert any(isinstance(event, Said) and "300 rows read" in event.text for event in events)
    again = load(tmp_path / "run")
    for name, value in run.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name])


def test_a_text_is_a_stream_and_its_end_is_the_trial(tmp_path: Path) -> None:
    book = tmp_path / "book.txt"
    book.write_text("the cat sat on the mat, and the dog sat on the cat. " * 40, encoding="utf-8")
    run = teach(request("generate", str(book), settings={"longest": 31, "tokens_per_batch": 93}), tmp_path / "run")
    assert run.card.objective == "stream"
    assert run.scores["part"] == "valid"
    assert run.scores["loss"] > 0
    assert run.card.longest == 31


@pytest.mark.parametrize("keep_last", [False, True])
def test_the_best_weights_are_kept_or_the_last(keep_last: bool, tmp_path: Path) -> None:
    """With an absurd learning rate the last weights are not the best."""
    settings = {"keep_last": keep_last, "learning_rate": 3, "schedule": "inverse-root", "validate_every": 0.2}
    events: list[Event] = []
    run = teach(request("classify", "negation:300", settings=settings), tmp_path / "run", events.append)
    losses = [event.loss for event in events if isinstance(event, Validated)]
    assert losses[-1] > min(losses)
    folder = RunFolder.open(tmp_path / "run")
    kept = folder.newest_checkpoint() if keep_last else folder.best_checkpoint()
    for name, value in run.model.state_dict().items():
        assert torch.equal(value, kept.tensors[f"model.{name}"])


def test_two_parallel_files_are_one_corpus(tmp_path: Path) -> None:
    for name in ("en", "de"):
        (tmp_path / f"talk.{name}").write_text("".join(f"{name} line {i}\n" for i in range(40)), encoding="utf-8")
    asked = request("translate", f"{tmp_path}/talk.en,{tmp_path}/talk.de")
    assert len(prepare(asked).corpus.train) + len(prepare(asked).corpus.valid) + len(prepare(asked).corpus.test) == 40


# --- stopped and resumed ----------------------------------------------------------------------------------------


def test_resumed_is_never_stopped(tmp_path: Path) -> None:
    """The same weights, bit for bit, whether the run went through or was cut after its fourth step."""
    asked = request("classify", "negation:300", steps=9, settings={"dropout": 0.1, "average": 0.9})
    whole = teach(asked, tmp_path / "whole")

    prepared = prepare(asked)
    plan, forecast = budget(prepared, time.monotonic())
    folder = RunFolder.create(tmp_path / "cut", settings=settings_of(prepared, plan, forecast.threads))
    loop = Loop(prepared.model, prepared.lessons, plan)
    for event in loop.run():
        if isinstance(event, Validated) and event.step == 4:
            break
    assert loop.progress.step == 4
    Course(folder, prepared, loop)._save(event)
    torch.manual_seed(99)  # whatever happens in between
    resumed = resume(tmp_path / "cut")
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, resumed.model.state_dict()[name]), name
    assert resumed.scores == whole.scores


def test_a_run_that_has_finished_is_left_as_it_is(tmp_path: Path) -> None:
    run = teach(request("classify", "negation:300", steps=3), tmp_path / "run")
    events: list[Event] = []
    again = resume(tmp_path / "run", events.append)
    assert events == [Said(f"{tmp_path / 'run'} has finished: there is nothing left to resume.")]
    assert again.scores == run.scores


def test_a_resumed_run_says_how_far_it_will_go(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    teach(request("classify", "negation:300", steps=4), folder)
    (folder / "report.html").unlink()  # as if it had been stopped before it was judged
    events: list[Event] = []
    resume(folder, events.append)
    (forecast,) = [event for event in events if isinstance(event, Forecast)]
    assert forecast.steps == 4


def test_a_place_that_is_taken_is_told_before_any_work(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "run")
    with pytest.raises(InputError, match="holds a run already"):
        teach(request("classify", "no-such-file.csv", steps=1), tmp_path / "run")


def test_settings_give_the_same_run_again() -> None:
    asked = request("translate", "dates:300", settings={"learning_rate": 0.007, "tokens_per_batch": 512})
    prepared = prepare(asked)
    plan, _ = budget(prepared, time.monotonic())
    again, plan_again, threads = prepare_again(settings_of(prepared, plan, 1))
    assert (plan_again, threads) == (plan, 1)
    assert again.card == prepared.card
    assert again.tokens == prepared.tokens


def test_data_that_changed_are_noticed(tmp_path: Path) -> None:
    notes = tmp_path / "notes.csv"
    notes.write_text("text,label\n" + "".join(f"word{i} good,a\nbad word{i},b\n" for i in range(30)), encoding="utf-8")
    prepared = prepare(request("classify", str(notes)))
    settings = settings_of(prepared, replace(prepared.recipe.plan, steps=3), 1)
    notes.write_text(
        "text,label\n" + "".join(f"other{i} good,a\nbad thing{i},b\n" for i in range(30)), encoding="utf-8"
    )
    with pytest.raises(InputError, match="no longer what they were"):
        prepare_again(settings)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_saves_and_leaves(number: int, code: int, tmp_path: Path) -> None:
    words = ["train", "classify", "negation:300", "--steps", "100000", "--threads", "1", "--out", str(tmp_path / "run")]
    words += ["--set", "width=16", "--set", "heads=2", "--set", "layers=1"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "glassformer", *words], stderr=subprocess.PIPE, text=True, env=environment
    )
    log = tmp_path / "run" / "metrics.jsonl"
    while not log.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == code, said
    assert f"glassformer train --resume {tmp_path / 'run'}" in said
    assert RunFolder.open(tmp_path / "run").newest_checkpoint().skipped == []


# --- from a parent ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("classify", "negation:300", "masked"), ("classify", "negation:300")),
        (("generate", "negation:300", "spans"), ("generate", "sorting:300")),
    ],
)
def test_pretrain_then_finetune(first: tuple[str, str, str], second: tuple[str, str], tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("".join(f"{i} 3 5 7 and a good film, not a bad one\n" for i in range(60)), encoding="utf-8")
    sizes = {"tokens": "character", "longest": 61}
    task, _, objective = first
    pretrained = teach(request(task, str(texts), objective=objective, settings=sizes), tmp_path / "first")
    assert pretrained.card.objective == objective
    assert set(pretrained.scores) == {"part", "loss"}
    events: list[Event] = []
    child = teach(
        Request(task=second[0], data=second[1], parent=str(tmp_path / "first"), steps=1, threads=1,
                settings={"learning_rate": 0.0}),
        tmp_path / "second", events.append,
    )  # fmt: skip
    assert child.tokens == pretrained.tokens
    assert child.card.parents == (str(tmp_path / "first"),)
    assert any(isinstance(event, Said) and "weights begin as those of" in event.text for event in events)
    for name, value in pretrained.model.state_dict().items():
        if not name.startswith("head") or task == "generate":
            assert torch.equal(value, child.model.state_dict()[name]), name


def test_a_parent_of_another_kind_is_refused(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "first")
    with pytest.raises(InputError, match="is a 'transformer'"):
        prepare(Request(task="classify", data="negation:300", model="rnn", parent=str(tmp_path / "first")))


# --- a model that counts before it learns ------------------------------------------------------------------------


def counting(**options: Any) -> Request:
    settings = {"ngrams": 997, "tokens_per_batch": 499, "longest": 97}
    return Request(**{"task": "classify", "data": "negation:300", "model": "ngrams", "threads": 1,
                      "settings": settings, **options})  # fmt: skip


def test_n_grams_are_counted_in_the_training_part_alone() -> None:
    prepared = prepare(counting(steps=3))
    texts = [sample.text.lower().split() for sample in prepared.corpus.train]
    pairs = {(one, two) for words in texts for one, two in pairwise(words)}
    model: Any = prepared.model
    base = len(prepared.tokens) + 1
    known = [divmod(key, base) for key in model.keys.tolist() if base <= key < base**2]
    names = {tuple(prepared.tokens.strings([one - 1, two - 1])) for one, two in known}
    assert names == pairs


def test_a_model_that_counts_resumes_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    whole = teach(counting(steps=23), tmp_path / "whole")
    prepared = prepare(counting(steps=23))
    plan, forecast = budget(prepared, time.monotonic())
    folder = RunFolder.create(tmp_path / "parts", settings=settings_of(prepared, plan, forecast.threads))
    course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan))
    events = course.loop.run()
    for event in events:
        if event.step == 7:
            course._save(event)
            break
    parts = resume(tmp_path / "parts")
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, parts.model.state_dict()[name]), name
    assert parts.scores == whole.scores
    assert parts.certificate["passed"]


def test_a_model_that_counts_takes_no_parent(tmp_path: Path) -> None:
    teach(counting(steps=1), tmp_path / "first")
    with pytest.raises(InputError, match="leave --from out"):
        prepare(counting(steps=1, parent=str(tmp_path / "first")))


# --- bad requests -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"minutes": 1.0}, "minutes and steps were given"),
        ({"limit": -1}, "limit cannot be below 0"),
        ({"model": "gpt"}, "'gpt' is a language model, which cannot classify"),
        ({"objective": "pairs"}, "the objective is classes or masked"),
    ],
)
def test_a_bad_request_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        prepare(Request(**{"task": "classify", "data": "negation:300", "steps": 3, **options}))


def test_a_folder_that_holds_a_run_is_not_written_over(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "run")
    with pytest.raises(InputError, match="--resume"):
        teach(request("classify", "negation:300", steps=1), tmp_path / "run")


# --- the budget of minutes --------------------------------------------------------------------------------------


def test_minutes_leave_room_for_the_end() -> None:
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=2.0))
    began = time.monotonic() - 30.0  # half a minute went by before
    plan, forecast = budget(prepared, began)
    assert plan.steps == 0
    assert 60.0 < plan.seconds < 90.0
    assert forecast.seconds == plan.seconds
    assert forecast.steps > 1


def test_json_is_one_document(tmp_path: Path) -> None:
    words = ["train", "classify", "negation:300", "--steps", "2", "--threads", "1", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-m", "glassformer", *words, "--json", "--set", "width=16"],
        capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["run"] == str(tmp_path / "run")
    assert 0 <= answer["accuracy"] <= 1


@pytest.mark.parametrize(("timed", "share"), [(True, 0.25), (False, 0.5)])
def test_how_much_is_spent_is_told_by_the_clock_or_by_the_steps(timed: bool, share: float) -> None:
    """After 5 of 20 seconds, when steps came twice as quickly as forecast."""
    forecast = Forecast(10, 1.0, 20.0, 1.0, "tokens", threads=1, parameters=1, timed=timed)
    assert forecast.share(step=5, seconds=5.0) == share
    assert forecast.share(step=11, seconds=21.0) == 1


@pytest.mark.parametrize("budget", ["minutes", "epochs", "steps"])
def test_a_budget_of_nothing_is_refused(budget: str) -> None:
    with pytest.raises(InputError, match=f"--{budget} must be above 0; it is 0"):
        train("classify", "negation:300", **{budget: 0}, quiet=True)
