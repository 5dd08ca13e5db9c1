"""One small training of each task, cut short and gone on with: what every fault is measured on."""

import threading
from pathlib import Path
from typing import Any

import torch

import glassformer as gf
from glassformer.runs.folder import RunFolder
from glassformer.training.course import Event, StoppedError, resume
from glassformer.training.loop import Stepped

SETTINGS = {"width": 12, "heads": 2, "hidden": 16, "dropout": 0.1, "validate_every": 0.1}
LAYERS = {"translate": {"encoder_layers": 1, "decoder_layers": 1}}
SOURCES = {"classify": "negation:300", "translate": "dates:120", "generate": "sorting:120"}
STEPS = 40


def trained(out: Path, task: str = "classify", *, steps: int = STEPS, **options: Any) -> gf.Run:
    """A run from its beginning to its end, unless it is stopped."""
    settings = SETTINGS | LAYERS.get(task, {"layers": 1})
    return gf.train(task, SOURCES[task], out=out, steps=steps, threads=1, settings=settings, baseline=False, **options)


def went_on(out: Path, **options: Any) -> gf.Run:
    """The same run, begun or gone on with, whichever its folder asks for."""
    return resume(out) if RunFolder(out).begun else trained(out, **options)


def stopped_at(out: Path, step: int, task: str, steps: int) -> None:
    """A run that is told to stop at a step, and does."""
    stop = threading.Event()

    def listen(event: Event) -> None:
        if isinstance(event, Stepped) and event.step == step:
            stop.set()

    try:
        trained(out, task, steps=steps, stop=stop, tell=listen)
    except StoppedError:
        return
    raise AssertionError(f"It was not stopped at step {step}.")


def same(one: Path, other: Path) -> bool:
    """Whether two runs came to the same model, validations and epochs, to the bit."""
    weights, others = (RunFolder(path).load_model()[1] for path in (one, other))
    return told(one) == told(other) and all(torch.equal(value, others[name]) for name, value in weights.items())


def told(path: Path) -> list[tuple[str, int, float]]:
    """The validations of a run and its epochs, each with its step, and its loss or its accuracy."""
    events = [each for each in RunFolder(path).metrics() if each.get("event") in ("judged", "epoch")]
    return [(each["event"], each["step"], each.get("loss", each.get("training"))) for each in events]
