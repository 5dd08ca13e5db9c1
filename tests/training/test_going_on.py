"""Runs that were cut short: in a thread, by kill -9 before the first checkpoint, by a second one that comes too soon.

None of them leaves a folder that can neither be gone on with nor be begun again.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

import glassformer as gf
from glassformer.errors import GlassformerError, InputError
from glassformer.lock import held
from glassformer.runs.folder import RunFolder
from glassformer.training.course import Event, Said, StoppedError, resume
from glassformer.training.loop import Stepped

TINY = {"width": 12, "heads": 2, "hidden": 17, "layers": 1}


def trained(out: Path, **options: Any) -> gf.Run:
    asked = {"steps": 5, "threads": 1, "settings": TINY, **options}
    return gf.train("classify", "negation:300", out=out, **asked)


def sentences(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Said)]


def cut_short(out: Path, **options: Any) -> None:
    """A run that falls at its first step, where one that is killed would be: its folder has its settings, no more."""

    def fall(event: Event) -> None:
        if isinstance(event, Stepped):
            raise RuntimeError("cut short")

    with pytest.raises(RuntimeError, match="cut short"):
        trained(out, tell=fall, **options)
    assert [path.name for path in out.iterdir()] == ["config.toml"]


# --- in a thread ------------------------------------------------------------------------------------------------


def test_a_thread_trains_the_very_same_model(tmp_path: Path) -> None:
    here = trained(tmp_path / "here")
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(trained, tmp_path / "there").result(60)
    assert there.scores == here.scores
    for name, value in here.model.state_dict().items():
        assert torch.equal(value, there.model.state_dict()[name]), name


@pytest.mark.parametrize("at", [7, 8, 15, 20])
def test_a_thread_is_told_to_stop_and_goes_on_to_the_same_end(at: int, tmp_path: Path) -> None:
    """Also at the 8th and the last step, where a validation is due: it is the first thing done, and delivers."""
    whole, stop = trained(tmp_path / "whole", steps=20), threading.Event()

    def at_that_step(event: Event) -> None:
        if isinstance(event, Stepped) and event.step == at:
            stop.set()

    with ThreadPoolExecutor(1) as pool:
        cut = pool.submit(trained, tmp_path / "cut", steps=20, stop=stop, tell=at_that_step)
        error = cut.exception(60)
    assert isinstance(error, StoppedError)
    assert error.exit_code == 143
    assert RunFolder(tmp_path / "cut").newest_checkpoint().progress["step"] == at
    gone_on = resume(tmp_path / "cut")
    assert judged(tmp_path / "cut") == judged(tmp_path / "whole")
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, gone_on.model.state_dict()[name]), name


def judged(folder: Path) -> list[tuple[int, float, bool]]:
    """The validations that were logged."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [(line["step"], line["loss"], line["best"]) for line in lines if line["event"] == "judged"]


def test_signals_are_those_of_before_when_it_is_over(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    cut_short(tmp_path / "run")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_terminal_that_goes_away_is_heeded_but_not_under_nohup(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = trained(tmp_path / "run", tell=lambda event: signal.raise_signal(signal.SIGHUP))
        assert run.folder == tmp_path / "run"
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_the_step_at_hand_and_a_second_leaves_at_once(
    number: signal.Signals, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if number == signal.SIGHUP:  # whoever runs the tests under nohup ignores it
        request.addfinalizer(partial(signal.signal, number, signal.signal(number, signal.SIG_DFL)))

    def signalled(times: int) -> Callable[[Event], None]:
        def at_the_third_step(event: Event) -> None:
            if isinstance(event, Stepped) and event.step == 3:
                for _ in range(times):
                    signal.raise_signal(number)

        return at_the_third_step

    with pytest.raises(StoppedError) as once:
        trained(tmp_path / "once", tell=signalled(1))
    assert once.value.exit_code == 128 + number
    assert RunFolder(tmp_path / "once").newest_checkpoint().progress["step"] == 3
    with pytest.raises(SystemExit) as twice:
        trained(tmp_path / "twice", tell=signalled(2))
    assert twice.value.code == 128 + number
    assert 3 not in RunFolder(tmp_path / "twice").checkpoints()


@pytest.mark.parametrize("falls", [False, True])
def test_torch_has_as_many_threads_after_as_before(falls: bool, tmp_path: Path) -> None:
    during: list[int] = []

    def look(event: Event) -> None:
        if isinstance(event, Stepped):
            during.append(torch.get_num_threads())
            if falls:
                raise RuntimeError("cut short")

    before = torch.get_num_threads()
    try:
        trained(tmp_path / "run", threads=before + 1, steps=2, tell=look)
    except RuntimeError:
        assert falls
    assert during == [before + 1] * (1 if falls else 2)
    assert torch.get_num_threads() == before


# --- before the first checkpoint --------------------------------------------------------------------------------


def killed_at_once(words: list[str], folder: Path) -> None:
    """Runs a command, and kills it (-9) when the folder has its settings, long before there is anything to save."""
    process = subprocess.Popen(
        [sys.executable, "-m", "glassformer", *words], stderr=subprocess.DEVNULL, env=os.environ | ONE_THREAD
    )
    while not (folder / "config.toml").exists() and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    assert process.wait(60) == -signal.SIGKILL
    assert RunFolder(folder).unsaved


ONE_THREAD = {"OMP_NUM_THREADS": "1"}


@pytest.mark.slow
def test_killed_before_its_first_checkpoint_the_same_command_begins_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    sizes = [word for name, value in TINY.items() for word in ("--set", f"{name}={value}")]
    words = ["train", "classify", "negation:300", "--steps", "500", "--threads", "1", "--out", str(folder), *sizes]
    words += ["--set", "validate_every=1", "--json"]
    killed_at_once(words, folder)
    again = subprocess.Popen(
        [sys.executable, "-m", "glassformer", *words], env=os.environ | ONE_THREAD, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    said, answer = again.communicate(timeout=250)[::-1]
    assert again.returncode == 0, said
    assert "was stopped before its first checkpoint; it begins again." in " ".join(said.split())
    assert json.loads(answer)["run"] == str(folder)
    assert RunFolder(folder).finished


@pytest.mark.parametrize("way", ["the same command", "resume"])
def test_begun_again_it_is_the_run_that_was_never_cut(way: str, tmp_path: Path) -> None:
    whole = trained(tmp_path / "whole")
    cut_short(tmp_path / "cut")
    RunFolder(tmp_path / "cut").log({"event": "step", "step": 1, "seconds": 0.1, "loss": 9.0})
    events: list[Event] = []
    again = (
        trained(tmp_path / "cut", tell=events.append) if way != "resume" else resume(tmp_path / "cut", events.append)
    )
    assert sentences(events).count(f"{tmp_path / 'cut'} was stopped before its first checkpoint; it begins again.") == 1
    assert not [said for said in sentences(events) if "Resuming" in said]
    assert again.scores == whole.scores
    assert 9.0 not in [line.get("loss") for line in RunFolder(tmp_path / "cut").metrics()]
    for name, value in whole.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"seed": 5}, "its seed is 0, not 5"),
        ({"steps": 6}, "its steps is 5, not 6"),
        ({"settings": {**TINY, "width": 16}}, "its width is 12, not 16"),
        ({"model": "attention"}, "its model is transformer, not attention"),
        ({"limit": 90}, "its limit is as usual, not 90"),
    ],
)
def test_another_run_is_not_begun_in_its_place(other: dict[str, Any], said: str, tmp_path: Path) -> None:
    cut_short(tmp_path / "run")
    before = (tmp_path / "run" / "config.toml").read_bytes()
    path = re.escape(str(tmp_path / "run"))
    with pytest.raises(
        InputError, match=rf"{said}\. Begin that one again \(--resume {path}\), or choose another --out"
    ):
        trained(tmp_path / "run", **other)
    assert (tmp_path / "run" / "config.toml").read_bytes() == before


def test_what_was_measured_makes_no_other_run(tmp_path: Path) -> None:
    """The seconds that are left of the minutes, and the threads, are never the same twice."""
    cut_short(tmp_path / "run", steps=0, minutes=30.0)
    with pytest.raises(RuntimeError, match="again"):
        trained(tmp_path / "run", steps=0, minutes=30.0, threads=2, tell=_raise_when_begun_again)


def _raise_when_begun_again(event: Event) -> None:
    if isinstance(event, Said) and "it begins again" in event.text:
        raise RuntimeError("again")


def test_data_that_changed_in_between_are_learnt_as_they_are(tmp_path: Path) -> None:
    """Nothing was learnt of the old ones. --resume names them, and the same command begins with the new ones."""
    notes = tmp_path / "notes.csv"
    options: dict[str, Any] = {"steps": 2, "threads": 1, "settings": TINY, "out": tmp_path / "run"}
    rows = "".join(f"word{i} good,a\nbad word{i},b\n" for i in range(30))
    notes.write_text(f"text,label\n{rows}", encoding="utf-8")

    def fall(event: Event) -> None:
        if isinstance(event, Stepped):
            raise RuntimeError("cut short")

    with pytest.raises(RuntimeError, match="cut short"):
        gf.train("classify", notes, tell=fall, **options)
    notes.write_text(f"text,label\n{rows.replace('word', 'other')}", encoding="utf-8")
    with pytest.raises(InputError, match="no longer what they were"):
        resume(tmp_path / "run")
    tokens = gf.train("classify", notes, **options).tokens
    assert tokens.decode(tokens.encode("other good").ids) == "other good"


# --- one at a time, and nothing in a circle ---------------------------------------------------------------------


def test_a_run_that_is_being_trained_is_neither_begun_nor_gone_on_with(tmp_path: Path) -> None:
    cut_short(tmp_path / "run")
    before = (tmp_path / "run" / "config.toml").read_bytes()
    with held(tmp_path / "run", "trained"):
        for begin in (trained, resume):
            with pytest.raises(InputError, match="is being trained just now"):
                begin(tmp_path / "run")
    assert (tmp_path / "run" / "config.toml").read_bytes() == before
    assert trained(tmp_path / "run").scores  # the hold is over


def test_finished_without_its_checkpoints_there_is_nothing_left(tmp_path: Path) -> None:
    run = trained(tmp_path / "run", steps=2)
    for path in sorted((tmp_path / "run" / "checkpoints").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    events: list[Event] = []
    assert resume(tmp_path / "run", events.append).scores == run.scores
    assert sentences(events) == [f"{tmp_path / 'run'} has finished: there is nothing left to resume."]
    (tmp_path / "run" / "report.html").unlink()
    with pytest.raises(GlassformerError, match=r"no checkpoint to resume from\. Train anew, with another --out"):
        resume(tmp_path / "run")


def test_what_has_a_checkpoint_is_not_begun_again(tmp_path: Path) -> None:
    trained(tmp_path / "run", steps=2)
    with pytest.raises(InputError, match="checkpoint to resume from"):
        RunFolder(tmp_path / "run").begin_again({})
