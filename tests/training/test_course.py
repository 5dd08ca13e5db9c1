"""From a request to a run folder: every objective, resumed, stopped by signals, begun from a parent."""

import time
from dataclasses import replace
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest
import torch
from helpers.small_requests import TINY, counting, request

import glassformer as gf
from glassformer.errors import InputError
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load
from glassformer.text.corpora import read
from glassformer.text.samples import text_of
from glassformer.training.course import Course, Event, Said, StoppedError, new_folder, resume, teach
from glassformer.training.forecasting.budget import Forecast, budget
from glassformer.training.forecasting.ending import Deadline
from glassformer.training.loop import EpochEnded, Loop, Stepped, Validated
from glassformer.training.optimizers import UnlikeError
from glassformer.training.prepare import prepare, settings_of
from glassformer.training.request import Request

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
    epochs = [line for line in RunFolder.open(tmp_path / "run").metrics() if line["event"] == "epoch"]
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert bool(epochs) == (task == "classify") == (">Accuracy<" in page)
    valid = read(data, task).valid
    assert (RunFolder.open(tmp_path / "run").read_about() or {})["first"] in [text_of(each) for each in valid]
    assert any(isinstance(event, Said) and "300 rows read" in event.text for event in events)
    ended = next(event.text for event in events if isinstance(event, Said) and event.text.startswith("Trained for"))
    assert ": 7 steps (" in ended
    assert "Kept are the" in ended
    assert (RunFolder.open(tmp_path / "run").read_about() or {})["kept_step"] <= 7
    warned = [isinstance(event, Said) and event.text.startswith("Too short: 7 steps are") for event in events]
    assert warned.index(True) < events.index(forecast)
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
    folder.log({"event": "judged", "step": 5, "loss": 77.0})  # as after a kill: logged, and not saved
    torch.manual_seed(99)  # whatever happens in between
    resumed = resume(tmp_path / "cut")
    assert 77.0 not in [each.get("loss") for each in folder.metrics()]
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, resumed.model.state_dict()[name]), name
    assert resumed.scores == whole.scores


@pytest.mark.parametrize("last", [Validated, EpochEnded])
def test_what_was_logged_and_not_saved_is_logged_once(last: type, tmp_path: Path) -> None:
    """Stopped at a step where something is due, gone on with, and killed when that was logged: it is due again."""
    asked = request("classify", "negation:300", steps=20, settings={"validate_every": 0.2})
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    teach(asked, whole)
    stop, at = Flag(), 8 if last is Validated else 0

    def told_to_stop(event: object) -> None:
        if isinstance(event, Stepped) and event.step == at:
            stop.set()

    def killed(event: object) -> None:
        if isinstance(event, Stepped) and seen:
            raise KeyboardInterrupt
        seen.extend([event] if isinstance(event, last) else [])

    seen: list[object] = []
    with pytest.raises((StoppedError, KeyboardInterrupt)):
        teach(asked, cut, told_to_stop if at else killed, stop=stop)
    if at:
        with pytest.raises(KeyboardInterrupt):
            resume(cut, killed)
    assert [type(each) for each in seen] == [last]
    resume(cut)
    assert told(cut) == told(whole)
    resume(cut)  # which is over: nothing is left to be done, and nothing is forgotten
    assert told(cut) == told(whole)


def told(path: Path) -> list[tuple[str, int]]:
    """What was logged beside single steps."""
    events = RunFolder.open(path).metrics()
    return [(each["event"], each["step"]) for each in events if each["event"] != "step"]


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


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("width = 12", "width = 24", "its model has other weights"),
        ('optimizer = "muon"', 'optimizer = "adamw"', "it is of another optimizer"),
        ("average = 0.0", "average = 0.9", "it has no average of weights"),
    ],
)
def test_settings_that_were_edited_do_not_fit_the_checkpoint(
    before: str, after: str, said: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    teach(request("classify", "negation:300", steps=3), folder)
    (folder / "report.html").unlink()  # as if it had been stopped before it was judged
    settings = (folder / "config.toml").read_text(encoding="utf-8")
    assert before in settings
    (folder / "config.toml").write_text(settings.replace(before, after), encoding="utf-8")
    with pytest.raises(UnlikeError, match=f"not one of the run that config.toml describes: {said}"):
        resume(folder)


def test_a_place_that_is_taken_is_told_before_any_work(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "run")
    with pytest.raises(InputError, match="holds a run already"):
        teach(request("classify", "no-such-file.csv", steps=1), tmp_path / "run")


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
                settings={"learning_rate": 1e-30, "weight_decay": 0.0}),  # too little to change a float
        tmp_path / "second", events.append,
    )  # fmt: skip
    assert child.tokens == pretrained.tokens
    assert child.card.parents == (str(tmp_path / "first"),)
    assert any(isinstance(event, Said) and "weights begin as those of" in event.text for event in events)
    for name, value in pretrained.model.state_dict().items():
        if not name.startswith("head") or task == "generate":
            assert torch.equal(value, child.model.state_dict()[name]), name


# --- bad requests -----------------------------------------------------------------------------------------------


def test_a_folder_that_holds_a_run_is_not_written_over(tmp_path: Path) -> None:
    teach(request("classify", "negation:300", steps=1), tmp_path / "run")
    with pytest.raises(InputError, match="--resume"):
        teach(request("classify", "negation:300", steps=1), tmp_path / "run")


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(InputError, match="no option called 'minuts'; did you mean 'minutes'"):
        gf.train("classify", "negation:300", minuts=1)


def test_a_run_without_a_name_gets_a_folder_that_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    events: list[object] = []
    options: dict[str, Any] = {"steps": 1, "threads": 1, "settings": {**TINY, "layers": 1}}
    first = gf.train("classify", "negation:100", tell=events.append, **options)
    second = gf.train("classify", "negation:100", **options)
    assert (first.folder, second.folder) == (Path("runs/classify-negation-100"), Path("runs/classify-negation-100-2"))
    assert any(isinstance(event, Stepped) for event in events)


def test_a_run_whose_time_is_up_leaves_the_rest_of_its_work(tmp_path: Path) -> None:
    """Ten minutes were planned, and are over: two steps show how slow the machine is, and the end begins."""
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=10.0))
    plan = replace(prepared.recipe.plan, seconds=600.0, precision="float32")
    folder = RunFolder.create(tmp_path / "run", settings=settings_of(prepared, plan, 1))
    over = Deadline(at=time.monotonic(), ending=1.0, step=1.0)
    course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan), over)
    course.learn(lambda event: None)
    assert course.loop.progress.step == 2
    assert course.loop.progress.validations == 1
    assert folder.checkpoints() == [2]


def test_a_run_whose_time_is_up_before_it_began_still_learns_for_a_while(tmp_path: Path) -> None:
    """The end was due a minute ago; what every run may spend on training is spent."""
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=0.5))
    plan = replace(prepared.recipe.plan, seconds=3.0, precision="float32")
    folder = RunFolder.create(tmp_path / "run", settings=settings_of(prepared, plan, 1))
    over = Deadline(at=time.monotonic() - 60, ending=30.0, step=0.01, least=3.0)
    course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan), over)
    course.learn(lambda event: None)
    assert course.loop.progress.seconds >= 3.0


def test_where_the_minutes_allow_no_more_a_draw_of_the_test_part_is_evaluated_and_that_is_said(tmp_path: Path) -> None:
    prepared = prepare(request("classify", "negation:6000", steps=0, minutes=1.0, baseline=False))
    assert len(prepared.corpus.test) > 503
    plan = replace(prepared.recipe.plan, seconds=0.1, precision="float32")
    folder = RunFolder.create(tmp_path / "run", settings=settings_of(prepared, plan, 1))
    over = Deadline(at=time.monotonic() - 60, ending=30.0, step=0.01, least=0.1, evaluating=10.0)
    said: list[str] = []
    run = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan), over).run(
        1, lambda event: said.append(event.text) if isinstance(event, Said) else None
    )
    whole = len(prepared.corpus.test)
    assert (run.scores["samples"], run.scores["drawn_from"]) == (500, whole)
    assert (
        f"Evaluating on the test part, 500 samples of {whole:,}, drawn at random: the minutes allow no more …" in said
    )
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert f"500 of {whole:,} samples, drawn at random: the minutes allowed no more." in page
    assert run.evaluate()["samples"] == whole


def test_what_stands_in_training_and_in_test_is_told_beside_the_score(tmp_path: Path) -> None:
    """Two of the three test texts, though one is written otherwise."""
    rows = "".join(f"film {i},{'good' if i % 2 else 'bad'}\n" for i in range(60))
    (tmp_path / "all.csv").write_text("text,label\n" + rows)
    (tmp_path / "test.csv").write_text("text,label\nfilm 3,good\nFILM  4,bad\nanother,good\n")
    asked = request("classify", str(tmp_path / "all.csv"), test=str(tmp_path / "test.csv"), steps=1)
    run = teach(asked, tmp_path / "run")
    valid = {text_of(each) for each in read(tmp_path / "all.csv", "classify", test=tmp_path / "test.csv").valid}
    known = len({"film 3", "film 4"} - valid)
    assert run.scores.get("in_training", 0) == known
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert f"{known} of the 3 samples stand" in page
    assert "which it did not learn from" not in page


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


def test_a_new_folder_has_no_name_that_must_be_quoted() -> None:
    assert str(new_folder("translate", "a/t o.en,a/t ö.fr")) == "runs/translate-t-ö"
    assert str(new_folder("classify", "negation:300")) == "runs/classify-negation-300"
