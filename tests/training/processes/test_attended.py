"""A command that somebody attends ends when nobody does. That its training is saved is tried among the faults."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from glassformer.training.processes.attended import stop_at_the_end_of

ATTENDED = (sys.executable, "-m", "glassformer.training.processes.attended")


def test_it_waits_for_the_end_and_then_asks_for_a_stop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda process, number: asked.append((process, number)))
    reading, writing = os.pipe()
    os.write(writing, b"still here")
    os.close(writing)
    stop_at_the_end_of(reading)
    os.close(reading)
    assert asked == [(os.getpid(), signal.SIGTERM)]


def test_it_ends_as_the_command_does_while_somebody_attends_it() -> None:
    attended = subprocess.Popen(
        [*ATTENDED, "train", "nothing", "nowhere"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with attended:
        assert attended.stderr is not None
        assert b"'nothing'" in attended.stderr.read()
    assert attended.returncode == 2


@pytest.mark.slow
def test_a_training_that_nobody_attends_any_more_saves_and_leaves(tmp_path: Path) -> None:
    words = ("train", "classify", "negation:300", "--steps", "100000", "--threads", "1", "--quiet")
    with subprocess.Popen([*ATTENDED, *words, "--out", tmp_path / "run"], stdin=subprocess.PIPE) as attended:
        while not (tmp_path / "run" / "metrics.jsonl").exists():
            time.sleep(0.05)
            assert attended.poll() is None
        assert attended.stdin is not None
        attended.stdin.close()
        assert attended.wait() == 143
    assert list((tmp_path / "run" / "checkpoints").iterdir())
