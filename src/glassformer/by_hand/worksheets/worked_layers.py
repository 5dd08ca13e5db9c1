"""Works a worksheet of another layer than attention with the core. It adds no maths of its own, and shows nothing."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor

from glassformer.layers.positions import wave_rows, waves
from glassformer.layers.steps import gru_step, lstm_step, rnn_step
from glassformer.layers.windows import convolution, image_convolution, max_pooling
from glassformer.stages.watchers import Watcher

Givens = Mapping[str, Tensor]
Words = Mapping[str, str]


def _seen(givens: Givens, see: Watcher) -> dict[str, Tensor]:
    """What is given, shown before all else."""
    return {name: see(name, value, "given") for name, value in givens.items()}


def _positions(givens: Givens, words: Words, see: Watcher) -> None:
    rows = givens.get("unplaced")
    width = int(givens["wave_width"]) if rows is None else rows.shape[-1]
    places = givens.get("row_positions")
    if places is None:
        assert rows is not None  # the worksheet was checked
        places = torch.arange(len(rows), dtype=rows.dtype)
    base = float(givens["wave_base"]) if "wave_base" in givens else 10000.0
    table = see("position_rows", wave_rows(waves(places, width, base=base, see=see)), "waves")
    if rows is not None:
        see("positioned", see("unplaced", rows[None]) + table)


WORKERS: MappingProxyType[str, Callable[[Givens, Words, Watcher], object]] = MappingProxyType(
    {
        "rnn step": lambda givens, words, see: rnn_step(_seen(givens, see), activation=words["activation"], see=see),
        "lstm step": lambda givens, words, see: lstm_step(_seen(givens, see), see=see),
        "gru step": lambda givens, words, see: gru_step(_seen(givens, see), see=see),
        "positional encoding": _positions,
        "convolution": lambda givens, words, see: convolution(_seen(givens, see), pooling=words["pooling"], see=see),
        "image convolution": lambda givens, words, see: image_convolution(_seen(givens, see), see=see),
        "max pooling": lambda givens, words, see: max_pooling(_seen(givens, see), see=see),
    }
)
