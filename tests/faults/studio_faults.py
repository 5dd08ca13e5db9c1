"""The studio while it trains from its page: killed, ended, on a disk that fills up, among damaged runs.

Each is a real studio, a process of its own, asked over HTTP as its page asks. A full disk is a tmpfs mount, which only
root may make; without root that is left out, loudly.
"""

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.hard_places import FULL, can_mount, disk
from faults.small_training import trained

from glassformer.errors import InputError
from glassformer.lock import held
from glassformer.runs.folder import RunFolder

Found = dict[str, Any]
ADDRESS = re.compile(r"http://127\.0\.0\.1:(?P<port>\d+)/(?P<token>[\w-]+)/")
MINE = {"name": "mine"}
NEW = {"task": "classify", "data": "negation", "minutes": 5, **MINE}
ROOM = 8 * 2**20


@dataclass
class Visited:
    """A studio, and the way in."""

    process: "subprocess.Popen[str]"
    port: int
    token: str

    def ask(self, action: str, **content: Any) -> Any:
        """As its page does; a fault of the studio is an error here."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        own = f"http://127.0.0.1:{self.port}"
        headers = {"Origin": own, "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", f"/{self.token}/do/{action}", json.dumps(content), headers)
            answer = connection.getresponse()
            said = answer.read().decode()
        finally:
            connection.close()
        if answer.status >= 500:
            raise AssertionError(f"{action}: {answer.status} {said}")
        return json.loads(said)

    def until(self, true: Callable[[Any], bool]) -> Any:
        """The state of the run as soon as this is true of it."""
        while not true(state := self.ask("train/state", **MINE)):
            time.sleep(0.1)
        return state


@contextmanager
def studio(place: Path, *runs: Path) -> Iterator[Visited]:
    """A studio whose runs are kept there; it is ended afterwards, if it is still there."""
    command = [sys.executable, "-m", "glassformer", "studio", *runs, "--no-browser"]
    with subprocess.Popen(command, cwd=place, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            found = next(found for line in process.stderr if (found := ADDRESS.search(line)))
            yield Visited(process, int(found["port"]), found["token"])
        finally:
            process.kill()


def main(kind: str, times: int, part: int = 0) -> Found:
    """Does it so many times; how often it was tried, and what went wrong. Each part is another draw."""
    with tempfile.TemporaryDirectory() as name:
        draw, wrong, done = random.Random(f"{kind} {part}"), [], 0
        if kind == "full disk" and not can_mount(Path(name)):
            return {"tried": 0, "wrong": [], "left out": "no small disk can be mounted here: that takes root"}
        for number in range(times):
            place = Path(name) / str(number)
            place.mkdir()
            wrong += [f"{kind} {number}: {each}" for each in KINDS[kind](place, draw)]
            done += 1
        return {"tried": done, "wrong": wrong}


def gone(place: Path, draw: random.Random) -> Iterator[str]:
    """The studio is gone: its training saves and ends by itself; the next studio has the run, and goes on with it."""
    number = draw.choice((signal.SIGKILL, signal.SIGTERM))
    with studio(place) as first:
        first.ask("train/begin", **NEW)
        first.until(lambda state: bool(state["checkpoints"]))
        time.sleep(draw.uniform(0.0, 1.0))
        first.process.send_signal(number)
        code = first.process.wait(20)
        if code != (0 if number == signal.SIGTERM else -number):
            yield f"the studio ended with {code}"
    _let_go(place / "runs" / "mine")
    step = RunFolder(place / "runs" / "mine").newest_checkpoint().progress["step"]
    with studio(place) as second:
        (brief,) = second.ask("train/start")["runs"]
        if brief["running"] or brief["finished"] or brief["name"] != "mine":
            yield f"the next studio says {brief}"
        second.ask("train/resume", **MINE)
        state = second.until(lambda state: not state["running"] or state["checkpoints"][-1] > step)
        if not state["running"]:
            yield f"it did not go on: {state['said']}"
        second.process.terminate()
        second.process.wait(20)
    _let_go(place / "runs" / "mine")


def _let_go(folder: Path) -> None:
    """Waits until nobody holds a run."""
    while True:
        try:
            with held(folder, "trained"):
                return
        except InputError:
            time.sleep(0.05)


def full_disk(place: Path, draw: random.Random) -> Iterator[str]:
    """There is no room for a checkpoint: the page is told so, the studio goes on, and so does the run once there is."""
    with disk(place / "disk", ROOM) as small:
        ballast = small / "ballast"
        with studio(small) as open_:
            open_.ask("train/begin", **NEW)
            open_.until(lambda state: bool(state["checkpoints"]))
            ballast.write_bytes(b"\0" * (_free(small) - draw.randrange(0, 20_000)))
            state = open_.until(lambda state: not state["running"])
            if FULL not in state["said"]:
                yield f"it said {state['said']!r}"
            ballast.unlink()
            step = RunFolder(small / "runs" / "mine").newest_checkpoint().progress["step"]
            open_.ask("train/resume", **MINE)
            state = open_.until(lambda state: not state["running"] or state["checkpoints"][-1] > step)
            if not state["running"]:
                yield f"it did not go on: {state['said']}"
            open_.process.terminate()
            open_.process.wait(20)


def _free(place: Path) -> int:
    about = os.statvfs(place)
    return about.f_bavail * about.f_frsize


def damaged(place: Path, draw: random.Random) -> Iterator[str]:
    """Runs with a file cut or gone, on the shelf and in the room: each says so, all others are as they were."""
    sound, harmed = place / "runs" / "sound", place / "runs" / "harmed"
    for folder in (sound, harmed):
        trained(folder, steps=3)
    spoilt = draw.choice(sorted(path for path in harmed.rglob("*") if path.is_file() and path.name != "report.html"))
    whole = spoilt.read_bytes()
    if whole and draw.random() < 0.7:
        spoilt.write_bytes(whole[: draw.randrange(len(whole))])
    else:
        spoilt.unlink()
    with studio(place, *([harmed] if (harmed / "config.toml").exists() else [])) as open_:
        for name in ("sound", "harmed"):
            for action in ("train/state", "train/resume", "inside/look"):
                open_.ask(action, name=name, model=name, text="a good film")
                open_.ask("train/stop", name=name)
        names = [each["name"] for each in open_.ask("train/start")["runs"]]
        if "sound" not in names:
            yield f"with {spoilt.relative_to(harmed)} spoilt, the room has {names}"
        open_.process.terminate()
        open_.process.wait(20)


KINDS: dict[str, Callable[[Path, random.Random], Iterator[str]]] = {
    "gone": gone,
    "full disk": full_disk,
    "damaged": damaged,
}
