"""A run, loaded onto the device that was asked for; one that is not the processor is named. It computes nothing."""

import sys
from pathlib import Path

import torch

from glassformer.errors import MOST_THREADS, must_count
from glassformer.layers.devices import in_words
from glassformer.runs.run import Run, load


def load_on(run: str | Path, device: str) -> Run:
    """The run where it shall compute; standard error is told of it."""
    loaded = load(run, device)
    if loaded.device.type != "cpu":
        print(f"It computes on {in_words(loaded.device)}.", file=sys.stderr)
    return loaded


def take_threads(count: int | None) -> None:
    """Computes with so many threads, if a number is given."""
    if count is not None:
        must_count("--threads", count, MOST_THREADS)
        torch.set_num_threads(count)
