"""Every bad file through every reader and command: a sentence or a counted skip, never a traceback or a hang, and
memory that is a small multiple of the file."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from faults.apart import Outcome, apart, command
from faults.bad_files import bad_files

from glassformer.errors import GlassformerError
from glassformer.text.corpora import read
from glassformer.text.tasks import TASKS

SMALL = ("--set", "width=12", "--set", "heads=2", "--set", "hidden=16", "--set", "layers=1", "--threads", "1")


def main(every: int, part: int = 0) -> dict[str, Any]:
    """Every so many of the files, each to all readers; how many were tried, and what went wrong. A part is one of so
    many: the files whose number leaves it over."""
    import glassformer.commands.see_inside.tokenize  # before a child is made, once for all
    import glassformer.runs.run
    import glassformer.training.course  # noqa: F401

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = _run(folder)
        (folder / "files").mkdir()
        files = list(bad_files(folder / "files"))
        tried, wrong, slowest, held = 0, [], (0.0, ""), apart(lambda: 0).peak
        for number, path in enumerate(files[part::every]):
            for what, work in _readers(path, run, folder, trains=number % 7 == 0):
                found = apart(work)
                tried += 1
                slowest = max(slowest, (found.seconds, f"{what} {path.name[:60]}"))
                if why := _wrong(found) or _too_much(found.peak - held, path):
                    wrong.append(f"{what} {path.name[:60]}: {why}")
    return {"files": len(files), "tried": tried, "wrong": wrong, "slowest": slowest}


def _run(folder: Path) -> Path:
    words = ("train", "classify", "negation:300", "--steps", "2", "--quiet", *SMALL)
    found = apart(command(*words, "--out", folder / "run"))
    assert found.code == 0, found.said
    return folder / "run"


def _readers(path: Path, run: Path, folder: Path, *, trains: bool) -> Iterator[tuple[str, Callable[[], Any]]]:
    for task in TASKS:
        yield f"read to {task}", lambda task=task: counted(path, task)
    yield "evaluate", command("evaluate", run, path)
    yield "predict", command("predict", run, path)
    yield "tokenize", command("tokenize", path)
    yield "check", command("check", path)
    yield (
        "settings",
        command("train", "classify", "negation:300", "--steps", "1", "--config", path, "--out", folder / "no"),
    )
    yield "look", command("look", run, path, "--out", folder / "look.html")
    if trains:
        out = folder / f"trained-{path.name[:20]}"
        yield "train", command("train", "classify", path, "--steps", "1", "--quiet", "--out", out, *SMALL)


def counted(path: Path, task: str) -> int:
    """Reads a file for a task: 0, or 2 if it was refused; what was read is what was kept and what was skipped."""
    try:
        report = read(path, task).report
    except GlassformerError as error:
        print(error)
        return error.exit_code
    assert report.read == report.kept + report.skipped, report
    assert sum(report.reasons.values()) == report.skipped, report
    return 0


def _too_much(memory: int, path: Path) -> str:
    """Where work takes more memory than 20 times the file and 200 MB."""
    size = path.stat().st_size if len(path.name) < 255 and path.is_file() else 0
    return f"{memory / 2**20:.0f} MB for {size:,} bytes" if memory > 20 * size + 200 * 2**20 else ""


def _wrong(found: Outcome) -> str:
    if not found.sound:
        return f"exit {found.code} after {found.seconds:.0f} s: {found.said[-300:]}"
    return "" if found.code == 0 or found.said or found.code == 2 else f"exit {found.code} without a word"
