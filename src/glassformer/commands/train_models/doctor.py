"""`glassformer doctor`: what the machine is, how fast it is, how many threads suit it. It measures a few seconds."""

import json as json_format
from collections.abc import Callable

import torch

from glassformer.commands.pages.machine_page import print_machine
from glassformer.drawing.terminal import terminal
from glassformer.engines.choosing import at_hand
from glassformer.models.registry import build, configure
from glassformer.training import machine


def doctor(*, json: bool = False) -> None:
    """Look at the machine: cores, memory, versions, the speed of a matrix product, and the threads that suit it.

    Parameters
    ----------
    json
        Print one JSON document.
    """
    facts = machine.facts()
    speeds = {count: machine.matmul_speed(count) for count in machine.thread_counts(facts.usable_cores)}
    steps = machine.time_threads(_step())
    best = machine.quickest(steps)
    if json:
        content = facts.to_dict() | {
            "matmul_gflops": speeds, "step_seconds": steps, "best_threads": best, "engine_packages": at_hand(),
        }  # fmt: skip
        print(json_format.dumps(content, indent=2))
    else:
        print_machine(facts, speeds, steps, best, terminal())
        terminal().print(f"  {engine_line()}\n", highlight=False, markup=False)


def engine_line() -> str:
    """Which engine `auto` means here."""
    packages = at_hand()
    if not all(packages.values()):
        return "Engine: PyTorch. ONNX Runtime writes several times as fast: pip install 'glassformer[engines]'."
    versions = ", ".join(f"{name} {version}" for name, version in packages.items())
    return (
        f"Engine: ONNX Runtime writes, where it is proved to give the same ({versions}); PyTorch reads, looks, and "
        "writes for `predict`, until a model was converted or there are many texts."
    )


def _step() -> Callable[[], object]:
    """A step of training, forward and back, of a small language model: 8 texts of 128 ids."""
    model = build("modern", configure("modern", layers=2))
    ids = torch.randint(256, (8, 128))

    def step() -> None:
        model.zero_grad()
        model(ids).logsumexp(-1).sum().backward()

    return step
