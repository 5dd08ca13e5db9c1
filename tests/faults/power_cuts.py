"""Power cuts: a disk as it is at one moment, without what the system had not brought to it yet. What was said to be
saved is there, and what goes on comes to the same end.

The disk is an ext4 in a file. A training that writes to it is stopped where it stands, and the file copied: what was
only in the system's memory is not in the copy, and names may be older than what they stand for. The copy is then
mounted as after a power cut. That takes root; without it, it is left out, loudly.
"""

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faults.small_training import SOURCES, same, trained, went_on

from glassformer.runs.folder import RunFolder

SIZE = 16 * 2**20  # bytes of a disk
Found = dict[str, Any]


def main(times: int, part: int = 0) -> Found:
    """Cuts the power so many times; each part is another draw."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            fresh_disk(folder / "tried.img")
            with mounted(folder / "tried.img"):
                pass
        except (OSError, subprocess.CalledProcessError) as error:
            return {"tried": 0, "wrong": [], "left out": f"no disk in a file can be mounted here ({error})"}
        return power_cuts(folder, times, part)


def power_cuts(folder: Path, times: int, part: int) -> Found:
    """At any moment of a training; the tasks take turns."""
    longest = {}
    for task in SOURCES:
        began = time.monotonic()
        trained(folder / task, task)
        longest[task] = time.monotonic() - began
    draw, wrong, saved, earlier = random.Random(f"power {part}"), [], 0, 0
    for number in range(times):
        task = list(SOURCES)[number % len(SOURCES)]
        disk, cut = folder / f"{number}.img", folder / f"{number}-cut.img"
        fresh_disk(disk)
        promised = cut_off(disk, cut, task, draw.uniform(0.1, longest[task]))
        with mounted(cut) as place:
            out = place / "run"
            found = RunFolder(out).checkpoints()
            saved, earlier = saved + bool(promised), earlier + (not promised)
            if promised and max(found, default=0) < promised:
                wrong.append(f"{task}, cut {number}: step {promised} was saved, and {found} are there")
            wrong += [f"{task}, cut {number}: {each}" for each in unreadable(out)]
            went_on(out, task=task)
            wrong += [] if same(folder / task, out) else [f"{task}, cut {number}: came to another end"]
            wrong += [f"{task}, cut {number}: left behind: {path.name}" for path in out.rglob(".*")]
        disk.unlink()
        cut.unlink()
    return {"tried": times, "after a checkpoint": saved, "before the first": earlier, "wrong": wrong}


def unreadable(out: Path) -> list[str]:
    """Checkpoints that have a name and are not whole. An older disk may have the name of what is not in it yet; then it
    must not be the newest that was promised, which is asked elsewhere."""
    run = RunFolder(out)
    run.metrics()
    return run.newest_checkpoint().skipped if run.checkpoints() else []


def cut_off(disk: Path, cut: Path, task: str, seconds: float) -> int:
    """Trains on a disk, and copies the disk as it is after so many seconds; the step that was last said to be saved."""
    told = disk.with_suffix(".told")
    told.write_text("0")
    with mounted(disk) as place:
        child = os.fork()
        if child == 0:
            _train(place / "run", task, told)
        time.sleep(seconds)
        ended = os.waitpid(child, os.WNOHANG)[0] == child
        if not ended:
            os.kill(child, signal.SIGSTOP)
            os.waitpid(child, os.WUNTRACED)  # it may be in the middle of a sync, which is waited for
        shutil.copyfile(disk, cut)
        promised = int(told.read_text())
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return promised


def _train(out: Path, task: str, told: Path) -> None:
    """In the child. A step is told once its checkpoint is saved, in a place that has its power."""
    save = RunFolder.save_checkpoint

    def saved(run: RunFolder, step: int, *given: Any, **how: Any) -> None:
        save(run, step, *given, **how)
        part = told.with_suffix(".new")
        part.write_text(str(step))
        part.rename(told)

    RunFolder.save_checkpoint = saved  # type: ignore[assignment]
    try:
        trained(out, task)
    finally:
        os._exit(0)


def fresh_disk(image: Path) -> None:
    """An empty disk in a file."""
    with image.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True, stderr=subprocess.PIPE)


@contextmanager
def mounted(image: Path) -> Iterator[Path]:
    """The disk, for a while."""
    place = image.with_suffix(".place")
    place.mkdir()
    subprocess.run(["mount", "-o", "loop", image, place], check=True, stderr=subprocess.PIPE)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)
        place.rmdir()
