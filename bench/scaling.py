"""Time and peak memory against length, batch, width, corpus and processes: one table, each row in a child of its own.

    python bench/scaling.py                 the table
    python bench/scaling.py --corpus 5      the corpus rows with texts up to so many GB, made for it and removed after
    python bench/scaling.py --only width    one group of rows: length, batch, width, processes, tokens or corpus

Tokens are files as `tokenize --out` makes them; the large ones are the same small file under many names, which takes no
room and no time to cut, and is read like any other.

Time is processor time of a step (of all processes together), so that a busy machine changes it little; memory is the
most that one process held (VmHWM). The text is made: lines of words drawn by their frequency in no language.
"""

import argparse
import json
import os
import resource
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from glassformer.objectives.objective import TokenPlan
from glassformer.text.files.token_files import write_tokens
from glassformer.training.loop import Loop
from glassformer.training.prepare import prepare
from glassformer.training.processes.team import joined
from glassformer.training.request import Request, trained_tokens

BASE = {"width": 64, "longest": 128, "tokens_per_batch": 2048, "layers": 2, "heads": 4}
STEPS = 4
GROUPS: dict[str, list[dict[str, int]]] = {
    "length": [{"longest": length} for length in (64, 256, 1024)],
    "batch": [{"tokens_per_batch": tokens} for tokens in (1024, 4096, 16384)],
    "width": [{"width": width} for width in (32, 64, 128, 256)],
    "processes": [{"processes": number} for number in (1, 2)],
}


def made_text(path: Path, size: int) -> None:
    """A text of so many bytes, written bit by bit."""
    draw = np.random.default_rng(7)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = np.array(["".join(draw.choice(letters, size=draw.integers(2, 9))) for _ in range(20_000)])
    shares = 1 / np.arange(1, len(words) + 1)
    with path.open("w") as file:
        while file.tell() < size:
            drawn = draw.choice(words, size=200_000, p=shares / shares.sum())
            file.write("\n".join(" ".join(line) for line in drawn.reshape(-1, 20)) + "\n")


# --- what a process of its own does -----------------------------------------------------------------------------


def learns(folder: str, settings: dict[str, int]) -> dict[str, float]:
    """Steps from token files, in a team if there is one."""
    with joined() as team:
        asked = {name: value for name, value in settings.items() if name != "processes"}
        prepared = prepare(Request(task="generate", data=folder, steps=100, settings={**asked, "precision": "float32"}))
        loop = Loop(prepared.model, prepared.lessons, replace(prepared.recipe.plan, steps=100), team)
        loop.step()
        cpu, clock, items = time.process_time(), time.monotonic(), 0
        for _ in range(STEPS):
            items += loop.step().items
        cpu, clock = (time.process_time() - cpu) / STEPS, (time.monotonic() - clock) / STEPS
        cpu = team.sums(cpu)[0]
    return {"seconds": cpu, "clock": clock, "tokens": items / STEPS, **peak()}


def cuts(text: str, out: str, processes: int) -> dict[str, float]:
    """Cuts a text into tokens."""
    began = time.monotonic()
    plan = TokenPlan(kind="byte-bpe", vocabulary=2000)
    write_tokens([Path(text)], Path(out), lambda texts: trained_tokens(plan, texts), processes=processes)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = time.process_time() + children.ru_utime + children.ru_stime
    return {"seconds": used, "clock": time.monotonic() - began, **peak(), "children": children.ru_maxrss / 1024}


def peak() -> dict[str, float]:
    """The most memory that this process held, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    return {"peak": int(told["VmHWM"].split()[0]) / 1024}


# --- rows -------------------------------------------------------------------------------------------------------


def apart(work: Callable[..., dict[str, float]], *given: Any, processes: int = 1) -> dict[str, float]:
    """What a function gives in a child of this process, whose memory is its own; or in the first of several."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        port = str(some.getsockname()[1])
    reading, writing = os.pipe()
    children = []
    for rank in range(processes):
        children.append(os.fork())
        if children[-1] == 0:
            numbers = {"RANK": rank, "WORLD_SIZE": processes, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": processes}
            own = {name: str(number) for name, number in numbers.items()} if processes > 1 else {}
            os.environ.update({**own, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
            found = work(*given)
            if rank == 0:
                os.write(writing, json.dumps(found).encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer: dict[str, float] = json.loads(pipe.read())
    for child in children:
        os.waitpid(child, 0)
    return answer


def row(name: str, found: dict[str, float]) -> str:
    """One line of the table."""
    return (
        f"| {name} | {found['tokens']:,.0f} | {1000 * found['seconds']:,.0f} ms | {1000 * found['clock']:,.0f} ms | "
        f"{found['peak']:,.0f} MB |"
    )


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--corpus", type=float, default=0.064)
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    place = Path(tempfile.mkdtemp(dir=os.environ.get("TMPDIR", ".")))
    try:
        made_text(place / "small.txt", 6_000_000)
        apart(cuts, str(place / "small.txt"), str(place / "small"), 1)
        _steps(place, chosen.only)
        if chosen.only in ("", "tokens"):
            _kept(place)
        if chosen.only in ("", "corpus"):
            _corpora(place, chosen.corpus)
    finally:
        shutil.rmtree(place)


def _steps(place: Path, only: str) -> None:
    if only in ("tokens", "corpus"):
        return
    print("| what | tokens in a step | processor time | on the clock | peak memory |\n|---|---:|---:|---:|---:|")
    for group, rows in GROUPS.items():
        for settings in rows if only in ("", group) else ():
            name, value = next(iter(settings.items()))
            number = settings.get("processes", 1)
            found = apart(learns, str(place / "small"), {**BASE, **settings}, processes=number)
            print(row(f"{name} {value:,}", found), flush=True)


def linked(small: Path, out: Path, gigabytes: float) -> None:
    """Token files of so much text: those of a small text, again and again under other names."""
    facts = json.loads((small / "manifest.json").read_text())
    times = max(1, round(gigabytes * 1e9 / facts["bytes"]))
    out.mkdir()
    for name in ("tokenizer.json", "valid.txt"):
        shutil.copy(small / name, out / name)
    files = sorted(small.glob("tokens-*.bin"))
    for number in range(times * len(files)):
        os.link(files[number % len(files)], out / f"tokens-{number:05d}.bin")
    more = {"tokens": times * facts["tokens"], "bytes": times * facts["bytes"]}
    (out / "manifest.json").write_text(json.dumps({**facts, **more}))


def _kept(place: Path) -> None:
    print("| token files of | tokens | a step | peak, training |\n|---|---:|---:|---:|")
    for gigabytes in (0.1, 1.0, 5.0, 50.0):
        linked(place / "small", place / f"linked-{gigabytes}", gigabytes)
        found = apart(learns, str(place / f"linked-{gigabytes}"), BASE)
        tokens = sum(json.loads((place / f"linked-{gigabytes}" / "manifest.json").read_text())["tokens"])
        print(
            f"| {gigabytes:g} GB | {tokens:,} | {1000 * found['seconds']:,.0f} ms | {found['peak']:,.0f} MB |",
            flush=True,
        )


def _corpora(place: Path, largest: float) -> None:
    print("| text | cut by | processor time | on the clock | MB/s | peak, cutting | a step | peak, training |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for share in (1 / 16, 1 / 4, 1):
        size = int(share * largest * 1e9)
        made_text(place / "text.txt", size)
        for processes in (1, 2) if share < 1 else (2,):
            shutil.rmtree(place / "tokens", ignore_errors=True)
            cut = apart(cuts, str(place / "text.txt"), str(place / "tokens"), processes)
            found = apart(learns, str(place / "tokens"), BASE)
            held = max(cut["peak"], cut["children"])
            print(
                f"| {size / 1e6:,.0f} MB | {processes} | {cut['seconds']:,.0f} s | {cut['clock']:,.0f} s | "
                f"{size / 1e6 / cut['clock']:.1f} | {held:,.0f} MB | {1000 * found['seconds']:,.0f} ms | "
                f"{found['peak']:,.0f} MB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
