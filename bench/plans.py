"""How far `glassformer plan` is from real runs here: time and memory of six, each planned and run in its own child.

    python bench/plans.py [steps]

Time is processor time with one thread, of all steps and validations; memory is the most that the process held (VmHWM).
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

from glassformer.training import machine
from glassformer.training.course import Event, teach
from glassformer.training.forecasting.budget import Forecast
from glassformer.training.forecasting.planning import Where, plan_request
from glassformer.training.loop import Stepped, Validated
from glassformer.training.request import Request

RUNS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("classify", "negation:3000", "transformer", {}),
    ("classify", "negation:3000", "bilstm", {}),
    ("classify", "negation:3000", "transformer", {"width": 128, "layers": 3, "tokens_per_batch": 8192}),
    ("translate", "dates:3000", "translator", {}),
    ("generate", "TEXT", "gpt", {"longest": 128, "tokens_per_batch": 4096}),
    ("generate", "TEXT", "modern", {"width": 128, "longest": 256, "tokens_per_batch": 4096}),
]


def asked(number: int, text: str, steps: int) -> Any:
    """The request of a run."""
    task, data, model, settings = RUNS[number]
    return Request(
        task=task, data=data.replace("TEXT", text), model=model, steps=steps, threads=1, baseline=False,
        settings={**settings, "precision": "float32"},
    )  # fmt: skip


def planned(number: int, text: str, steps: int) -> dict[str, float]:
    """By `plan`, on the clock of the processor."""
    machine.time_threads = partial(machine.time_threads, clock=time.process_time)
    found = plan_request(asked(number, text, steps), Where())
    return {"seconds": found.seconds, "memory": found.memory}


def real(number: int, text: str, steps: int) -> dict[str, float]:
    """By training."""
    began: list[float] = []
    ended: list[float] = []

    def tell(event: Event) -> None:
        if isinstance(event, Forecast):
            began.append(time.process_time())
        elif isinstance(event, Stepped | Validated):
            ended.append(time.process_time())

    with tempfile.TemporaryDirectory() as folder:
        teach(asked(number, text, steps), Path(folder) / "run", tell)
    lines = Path("/proc/self/status").read_text().splitlines()
    most = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    return {"seconds": ended[-1] - began[0], "memory": most}


def apart(work: Callable[[], dict[str, float]]) -> dict[str, float]:
    """What some work gives in a child of this process, whose memory is its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found: dict[str, float] = json.loads(pipe.read())
    os.waitpid(child, 0)
    return found


def main() -> None:
    """Prints the table."""
    steps = int(sys.argv[1]) if len(sys.argv) == 2 else 60
    torch.set_num_threads(1)
    print("| run | planned | real | off | planned | real | off |\n|---|---:|---:|---:|---:|---:|---:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        lines = (f"Line {number} says {number * 7919 % 10_007} and no more.\n" for number in range(30_000))
        text.write_text("".join(lines))
        for number, (task, data, model, settings) in enumerate(RUNS):
            found = [apart(partial(work, number, str(text), steps)) for work in (planned, real)]
            cells = [f"{model}, {task} {data.lower()} {', '.join(f'{k}={v}' for k, v in settings.items())}".strip()]
            for name, unit, size in (("seconds", "s", 1.0), ("memory", "MB", 1e6)):
                before, after = found[0][name], found[1][name]
                cells += [f"{before / size:,.1f} {unit}", f"{after / size:,.1f} {unit}", f"{before / after - 1:+.0%}"]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
