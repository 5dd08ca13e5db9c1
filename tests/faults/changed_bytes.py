"""A byte flipped, a file cut or made longer: in every file of a run, thousands of times.

What lies under a manifest must be noticed each time. The other files are for people to read and edit: there a change is
noticed, or makes no difference to anybody, but is never a traceback.
"""

import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from faults.small_training import trained

from glassformer.errors import GlassformerError
from glassformer.runs.folder import RunFolder
from glassformer.runs.report import report
from glassformer.runs.run import load
from glassformer.studio.rooms.train import Train
from glassformer.studio.shelf import Shelf

Found = dict[str, Any]


def main(times: int, part: int = 0) -> Found:
    """So many changes in all, spread over the files. Each part is another draw."""
    os.fsync = lambda _: None
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "runs" / "run"
        trained(run, steps=5)
        files = sorted(path for path in run.rglob("*") if path.is_file() and path.name != "report.html")
        loose, kept = ([path for path in files if (path.parent == run) == lies] for lies in (True, False))
        noticed, unnoticed, wrong = 0, 0, []
        draw = random.Random(f"bytes {part}")
        for number in range(times):
            path = draw.choice(loose if number % 10 == 0 else kept)  # loose ones have many readers
            whole = path.read_bytes()
            path.write_bytes(changed(whole, draw))
            told = [_told(each) for each in _readers(run, path)]
            path.write_bytes(whole)
            wrong += [f"{path.relative_to(run)}: {each}" for each in told if each.startswith("Traceback")]
            seen = any(told)
            noticed, unnoticed = noticed + seen, unnoticed + (not seen)
            if not seen and path.parent != run:
                wrong.append(f"{path.relative_to(run)}: a change was not noticed")
        return {"tried": times, "noticed": noticed, "harmless": unnoticed, "files": len(files), "wrong": wrong[:40]}


def changed(whole: bytes, draw: random.Random) -> bytes:
    """One bit the other way, the end cut off, or something added."""
    place, kind = draw.randrange(len(whole)), draw.randrange(3)
    if kind == 0:
        return whole[:place] + bytes([whole[place] ^ (1 << draw.randrange(8))]) + whole[place + 1 :]
    return whole[:place] if kind == 1 else whole + draw.choice([b"\n", b"{", b"\0", b"}\n{}", b"\xff"])


def _readers(run: Path, path: Path) -> list[Callable[[], Any]]:
    """Who reads this file."""
    folder = RunFolder(run)
    if path.parent == run / "model":
        return [folder.load_model]
    if path.parent != run:
        return [lambda: folder.checkpoint(int(path.parent.name.removeprefix("step-")))]
    room = Train(Shelf([]), run.parent)
    return [
        lambda: folder.settings, folder.metrics, folder.read_scores, folder.read_about,
        folder.read_certificate, folder.read_outcomes, lambda: room.start({}),
        lambda: room.state({"name": "run"}), lambda: load(run).learnt, lambda: report(folder, load(run).card),
    ]  # fmt: skip


def _told(read: Callable[[], Any]) -> str:
    try:
        read()
    except GlassformerError as error:
        return str(error)
    except Exception as error:
        return f"Traceback: {error!r}"
    return ""
