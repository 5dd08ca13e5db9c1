"""Places where nothing can be written, and machines with too little memory: a sentence, and nothing lost.

Disks that are small or read-only are tmpfs mounts, which only root may make; without root they are left out, loudly.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faults.apart import FAULT, Outcome, apart, command
from faults.bad_data import SMALL
from faults.small_training import same, trained, went_on

FULL = "The disk is full"
Found = dict[str, Any]
WIDE = ("--set", "width=512", "--set", "heads=4", "--set", "hidden=8192", "--set", "layers=8")


def main(kind: str, times: int) -> Found:
    """Does it so many times; how often it was tried, and what went wrong."""
    with tempfile.TemporaryDirectory() as name:
        return KINDS[kind](Path(name), times)


@contextmanager
def disk(place: Path, size: int) -> Iterator[Path]:
    """A disk of so many bytes."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


def can_mount(folder: Path) -> bool:
    try:
        with disk(folder / "mounted", 2**20):
            return True
    except subprocess.CalledProcessError:
        return False
    finally:
        (folder / "mounted").rmdir()


def full_disk(folder: Path, times: int) -> Found:
    """A disk that fills up in the middle of a training; once there is room, it goes on to the same end."""
    if not can_mount(folder):
        return {"tried": 0, "wrong": [], "left out": "no small disk can be mounted here: that takes root"}
    trained(folder / "whole")
    draw, wrong, full = random.Random(3), [], 0
    for number in range(times):
        with disk(folder / f"disk-{number}", 8 * 2**20) as place:
            ballast, out = place / "ballast", place / "run"
            ballast.write_bytes(b"\0" * (8 * 2**20 - draw.randrange(4096, 250_000)))
            found = apart(lambda out=out: _told(lambda: trained(out)))
            full += FULL in found.said
            if not (found.code == 0 or FULL in found.said) or "Traceback" in found.said:
                wrong.append(f"exit {found.code}: {found.said[-300:]}")
            wrong += [f"left behind: {path.name}" for path in out.rglob(".*")] if out.exists() else []
            ballast.unlink()
            went_on(out)
            wrong += [] if same(folder / "whole", out) else [f"disk {number}: came to another end"]
    return {"tried": times, "full": full, "wrong": wrong}


def _told(work: Callable[[], Any]) -> int:
    """Work as the command line does it: an error is a sentence."""
    from glassformer.errors import GlassformerError

    try:
        work()
    except GlassformerError as error:
        print(error)
        return error.exit_code
    return 0


def _sentence(found: Outcome) -> str:
    """What is wrong with how it was told that something cannot be written."""
    told = (
        "cannot be" in found.said
        or "disk is full" in found.said
        or "is there already" in found.said
        or "is a file" in found.said
        or "not a directory" in found.said
    )
    sound = found.code not in (0, 1 << 8) and told and FAULT not in found.said and "Traceback" not in found.said
    return "" if sound else f"exit {found.code}: {found.said[-300:]}"


def _writers(run: Path, notes: Path, place: Path) -> list[Callable[[], Any]]:
    """Every command that writes where it is told to."""
    asked: list[tuple[str | Path, ...]] = [
        ("train", "classify", "negation:300", "--steps", "2", "--quiet", *SMALL, "--out", place),
        ("compare", "classify", "negation:300", "--models", "mlp", "--steps", "2", "--out", place, "--threads", "1"),
        ("look", run, "a good film", "--out", place),
        ("check", notes, "--html", place),
        ("check", notes, "--fix", "--out", place),
        ("exercise", "--out", place),
        ("export", run, "--to", "torch", "--out", place),
    ]
    return [command(*words) for words in asked]


def no_place(folder: Path, times: int) -> Found:
    """A pipe, a read-only disk and a path through a file, for every command that writes; and /dev/full for all that is
    printed."""
    run, notes = folder / "run", folder / "notes.md"
    trained(run, steps=2)
    notes.write_text("1 + 1 = 3\n")
    (folder / "file").write_text("")
    os.mkfifo(folder / "pipe")
    places = [folder / "pipe", folder / "file" / "below", Path("/proc/nowhere/x")]
    printed = (("explain",), ("predict", run, "a good film"), ("describe", run), ("tokenize", "a b"))
    told = [_sentence(_printing_nowhere(*words)) for words in printed]
    found = _tried_read_only(folder, run, notes, places) if can_mount(folder) else _tried(run, notes, places)
    return {"tried": found["tried"] + len(told), "wrong": found["wrong"] + [why for why in told if why]}


def _printing_nowhere(*words: str | Path) -> Outcome:
    """A command whose output finds no room, as a process of its own."""
    with open("/dev/full", "w") as full:
        found = subprocess.run(
            [sys.executable, "-m", "glassformer", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    return Outcome(found.returncode, found.stderr, 0.0)


def _tried_read_only(folder: Path, run: Path, notes: Path, places: list[Path]) -> Found:
    with disk(folder / "disk", 2**20) as place:
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        return _tried(run, notes, [*places, place / "x"])


def _tried(run: Path, notes: Path, places: list[Path]) -> Found:
    tried, wrong = 0, []
    for place in places:
        for number, work in enumerate(_writers(run, notes, place)):
            tried += 1
            if why := _sentence(apart(work)):
                wrong.append(f"{place}, writer {number}: {why}")
    return {"tried": tried, "wrong": wrong}


def little_memory(folder: Path, times: int) -> Found:
    """A process that may hold only so many megabytes more than it does: it refuses in words, or it does its work."""
    rows = "".join(f"some text number {number},{'pos' if number % 2 else 'neg'}\n" for number in range(200_000))
    (folder / "large.csv").write_text("text,label\n" + rows)
    tried, wrong, refused = 0, [], 0
    for number in range(times):
        room = 40 + 20 * number
        for words in (("classify", folder / "large.csv", *SMALL), ("classify", "negation:300", *WIDE)):
            out = folder / f"run-{number}-{len(words)}"
            work = command("train", *words, "--steps", "1", "--quiet", "--out", out)
            found = apart(lambda work=work, room=room: _within(room * 2**20, work), patience=120)
            tried += 1
            refused += "memory" in found.said
            if not found.sound or (found.code and "memory" not in found.said):
                wrong.append(f"{room} MB more: exit {found.code}: {found.said[-300:]}")
    return {"tried": tried, "refused": refused, "wrong": wrong}


def _within(room: int, work: Callable[[], Any]) -> Any:
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + room, held + room))
    return work()


KINDS: dict[str, Callable[[Path, int], Found]] = {
    "full disk": full_disk,
    "no place": no_place,
    "little memory": little_memory,
}
