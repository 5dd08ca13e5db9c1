"""Training that is killed, interrupted or stopped, again and again: nothing whole is lost, and what goes on comes to
the same end, to the bit."""

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from itertools import count, cycle
from pathlib import Path
from typing import Any

from faults.apart import apart
from faults.small_training import SOURCES, same, stopped_at, trained, went_on

from glassformer import storage
from glassformer.runs.folder import RunFolder
from glassformer.training.course import resume

KILLED = -signal.SIGKILL
Found = dict[str, Any]


def main(kind: str, times: int, part: int = 0) -> Found:
    """Does it so many times; how often it was tried, and what went wrong. Each part is another draw."""
    os.fsync = lambda _: None  # a kill is no power cut: what was written stays, and the work is many times quicker
    with tempfile.TemporaryDirectory() as name:
        return KINDS[kind](Path(name), times, part)


def kills(folder: Path, times: int, part: int) -> Found:
    """kill -9 at any moment of a training, which begins again or goes on each time until it has come to its end. The
    tasks take turns."""
    longest = {task: _seconds(lambda task=task: trained(folder / task, task)) for task in SOURCES}
    draw, wrong, killed = random.Random(f"kills {part}"), [], 0
    for number, task in enumerate(cycle(SOURCES)):
        out = folder / f"run-{number}"
        while killed < times:
            found = apart(
                lambda out=out, task=task: bool(went_on(out, task=task)) - 1,
                patience=draw.uniform(0.0, longest[task]),
            )
            if found.code == 0:
                break
            killed += found.code == KILLED
            wrong += [] if found.code == KILLED else [f"exit {found.code}: {found.said[-300:]}"]
            wrong += _unreadable(out)
        if killed >= times or wrong:
            went_on(out, task=task)
        wrong += [] if same(folder / task, out) else [f"{out.name} came to another end"]
        wrong += [f"left behind: {path.name}" for path in out.rglob(".*")]
        if killed >= times or wrong:
            return {"tried": killed, "wrong": wrong, "ended": number + 1}
    raise AssertionError


def _seconds(work: Callable[[], Any]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _unreadable(out: Path) -> list[str]:
    """What a kill has left that cannot be read: the newest checkpoint, and the log."""
    run = RunFolder(out)
    run.metrics()
    return run.newest_checkpoint().skipped if run.checkpoints() else []


def between_files(folder: Path, times: int, part: int) -> Found:
    """kill -9 at each step of saving: before each file is written, synced or renamed, one after the other."""
    trained(folder / "whole", steps=20)
    wrong, done = [], 0
    for moment in range(part * times, (part + 1) * times):
        out = folder / f"run-{moment}"
        found = apart(lambda out=out, moment=moment: _killed_at(moment, lambda: trained(out, steps=20)))
        if found.code != KILLED:
            break  # it has not so many steps
        done += 1
        wrong += [f"moment {moment}: {each}" for each in _unreadable(out)]
        went_on(out, steps=20)
        wrong += [] if same(folder / "whole", out) else [f"moment {moment}: came to another end"]
    return {"tried": done, "wrong": wrong}


def _killed_at(moment: int, work: Callable[[], Any]) -> None:
    """Has the process die at so many-th step of writing."""
    steps = count()

    def dying(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*given: Any) -> Any:
            if next(steps) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*given)

        return called

    for name in ("_put", "_sync_folder", "_remove"):
        setattr(storage, name, dying(name, getattr(storage, name)))
    os.replace = dying("replace", os.replace)
    Path.rename = dying("rename", Path.rename)  # type: ignore[method-assign]
    work()


def resumes(folder: Path, times: int, part: int) -> Found:
    """Stopped at so many steps of each task, and gone on with. There are 20 steps, which are one part."""
    wrong, done = [], 0
    for task in SOURCES:
        trained(folder / task, task, steps=20)
        for step in random.Random(f"{task} {part}").sample(range(1, 21), min(times, 20)):
            out = folder / f"{task}-{step}"
            stopped_at(out, step, task, 20)
            resume(out)
            done += 1
            wrong += [] if same(folder / task, out) else [f"{task}, stopped at {step}: came to another end"]
    return {"tried": done, "wrong": wrong}


def signals(folder: Path, times: int, part: int) -> Found:
    """Ctrl-C and SIGTERM, once and twice, at any moment of a training; the process must be gone in 5 seconds."""
    trained(folder / "whole")
    draw, wrong, done = random.Random(f"signals {part}"), [], 0
    while done < times:
        number = draw.choice([signal.SIGINT, signal.SIGTERM])
        out, twice = folder / f"run-{done}", draw.random() < 0.5
        child = os.fork()
        if child == 0:
            _quiet_training(out)
        while not (out / "metrics.jsonl").exists():
            time.sleep(0.001)
        os.kill(child, number)
        if twice:
            time.sleep(draw.uniform(0.0, 0.01))
            os.kill(child, number)
        began = time.monotonic()
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in (128 + number, 0) or time.monotonic() - began > 5:
            wrong.append(f"exit {code} after {time.monotonic() - began:.1f} s, {number.name}{' twice' * twice}")
        wrong += _unreadable(out)
        went_on(out)
        wrong += [] if same(folder / "whole", out) else [f"{number.name}{' twice' * twice}: came to another end"]
        done += 1
    return {"tried": done, "wrong": wrong}


def _quiet_training(out: Path) -> None:
    """As a process of its own would end: by the code of the error."""
    code = 1
    try:
        trained(out)
        code = 0
    except BaseException as error:
        code = getattr(error, "exit_code", getattr(error, "code", 1))
    finally:
        os._exit(code)


KINDS: dict[str, Callable[[Path, int, int], Found]] = {
    "kills": kills,
    "between files": between_files,
    "resumes": resumes,
    "signals": signals,
}
