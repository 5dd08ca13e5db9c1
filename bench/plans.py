"""How far `glassformer plan` is from real runs here: time and memory, each planned and run in children of its own.

    python bench/plans.py                  the table, about ten minutes of one core
    python bench/plans.py --long           runs of a minute and more, about seven minutes
    python bench/plans.py --only bilstm    the rows that have this word
    python bench/plans.py --row 7          the seventh row

Time is processor time with one thread, of all steps, validations and checkpoints: with two processes that of the first.
Memory is the most that a process held from its beginning to the report (VmHWM): with two the larger. The sets imdb,
multi30k and shakespeare are looked for as by `train`.
"""

import argparse
import json
import os
import socket
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import torch

from glassformer.training.course import Event, teach
from glassformer.training.forecasting.budget import Forecast
from glassformer.training.forecasting.planning import Where, plan_request
from glassformer.training.loop import Stepped, Validated
from glassformer.training.processes.team import joined
from glassformer.training.request import Request


@dataclass(frozen=True)
class Row:
    """One run."""

    task: str
    data: str
    model: str
    steps: int
    settings: dict[str, Any] = field(default_factory=dict)
    processes: int = 1

    @property
    def told(self) -> str:
        """In words."""
        named = [f"{name}={value}" for name, value in self.settings.items()]
        many = [] if self.processes == 1 else [f"{self.processes} processes"]
        return ", ".join([f"{self.model}, {self.data.lower()}", *named, f"{self.steps} steps", *many])


LARGE = {"width": 128, "layers": 3, "tokens_per_batch": 8192}
ROWS = (
    Row("classify", "negation:3000", "transformer", 200),
    Row("classify", "negation:3000", "transformer", 40, LARGE),
    Row("classify", "negation:3000", "bilstm", 30),
    Row("classify", "imdb", "transformer", 20),
    Row("classify", "imdb", "conv", 20),
    Row("translate", "dates:3000", "translator", 150),
    Row("translate", "dates:3000", "translator", 30, {"width": 256, "hidden": 1024, "tokens_per_batch": 4096}),
    Row("translate", "multi30k", "translator", 20),
    Row("generate", "TEXT", "gpt", 20, {"longest": 128, "tokens_per_batch": 4096}),
    Row("generate", "TEXT", "modern", 30, {"width": 128, "longest": 256, "tokens_per_batch": 4096}),
    Row("generate", "shakespeare", "modern", 20),
    Row("generate", "sorting:3000", "modern", 200),
    Row("classify", "negation:3000", "transformer", 200, processes=2),
    Row("classify", "negation:3000", "transformer", 40, LARGE, processes=2),
    Row("translate", "dates:3000", "translator", 60, {"tokens_per_batch": 8192}, processes=2),
    Row("generate", "TEXT", "modern", 30, {"width": 128, "longest": 256, "tokens_per_batch": 4096}, processes=2),
    Row("generate", "TEXT", "gpt", 10, {"width": 512, "hidden": 2048, "heads": 8, "longest": 128}, processes=2),
)
LONG = (
    Row("classify", "negation:3000", "transformer", 5000),
    Row("classify", "negation:3000", "bilstm", 500),
    Row("translate", "dates:3000", "translator", 2000),
    Row("generate", "sorting:3000", "modern", 3000),
    Row("generate", "TEXT", "gpt", 150, {"longest": 128, "tokens_per_batch": 4096}),
)


def asked(row: Row, text: str) -> Request:
    """The request of a run."""
    return Request(
        task=row.task, data=row.data.replace("TEXT", text), model=row.model, steps=row.steps, threads=1, baseline=False,
        settings={**row.settings, "precision": "float32"},
    )  # fmt: skip


def planned(row: Row, text: str) -> dict[str, float]:
    """By `plan`, on the clock of the processor."""
    found = plan_request(asked(row, text), Where(row.processes), clock=time.process_time)
    return {"seconds": found.seconds, "memory": found.memory}


def real(row: Row, text: str) -> dict[str, float]:
    """By training, in a team if there is one."""
    began: list[float] = []
    ended: list[float] = []

    def tell(event: Event) -> None:
        if isinstance(event, Forecast):
            began.append(time.process_time())
        elif isinstance(event, Stepped | Validated):
            ended.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder, joined() as team:
        teach(asked(row, text), Path(folder) / "run", tell, team=team)
    lines = Path("/proc/self/status").read_text().splitlines()
    most = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return {"seconds": ended[-1] - began[0] if began else 0.0, "memory": most}


def apart(work: Callable[[], dict[str, float]], processes: int = 1) -> dict[str, float]:
    """What some work gives in children of this process, whose memory is their own: of each figure the largest."""
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
            os.write(writing, (json.dumps(work()) + "\n").encode())
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = [json.loads(line) for line in pipe]
    for child in children:
        os.waitpid(child, 0)
    return {name: max(each[name] for each in found) for name in found[0]}


def main() -> None:
    """Prints the table."""
    options = argparse.ArgumentParser()
    options.add_argument("--only", default="")
    options.add_argument("--row", type=int)
    options.add_argument("--long", action="store_true")
    chosen = options.parse_args()
    torch.set_num_threads(1)
    print("| run | planned | real | off | planned | real | off |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        lines = (f"Line {number} says {number * 7919 % 10_007} and no more.\n" for number in range(30_000))
        text.write_text("".join(lines))
        rows = LONG if chosen.long else ROWS
        rows = rows[chosen.row - 1 : chosen.row] if chosen.row else rows
        for row in [row for row in rows if chosen.only in row.told]:
            before = apart(partial(planned, row, str(text)))
            after = apart(partial(real, row, str(text)), row.processes)
            cells = [row.told]
            for name, unit, size in (("seconds", "s", 1.0), ("memory", "MB", 1e6)):
                cells += [f"{before[name] / size:,.1f} {unit}", f"{after[name] / size:,.1f} {unit}"]
                cells += [f"{before[name] / after[name] - 1:+.0%}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
