"""Works a worksheet of another layer than attention with the core. It adds no maths of its own, and shows nothing."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.blocks import FeedForward, LayerNorm, block
from glassformer.layers.positions import wave_rows, waves
from glassformer.layers.steps import gru_step, lstm_step, rnn_step
from glassformer.layers.windows import convolution, image_convolution, max_pooling
from glassformer.layers.writing import writing_step
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


def _load(module: nn.Module, names: tuple[str, ...], givens: Givens, scope: str = "") -> None:
    """Puts the given matrices into a layer; a bias that is not given is none."""
    for name in names:
        weight, bias = givens[f"{scope}{name}_weight"], givens.get(f"{scope}{name}_bias")
        linear = getattr(module, name)
        linear.weight = nn.Parameter(weight.T.contiguous())
        linear.bias = None if bias is None else nn.Parameter(bias)


def _norm(norm: nn.Module, givens: Givens, scope: str = "") -> None:
    for kind in ("weight", "bias"):
        if f"{scope}norm_{kind}" in givens:
            setattr(norm, kind, nn.Parameter(givens[f"{scope}norm_{kind}"]))


def _feed_forward(givens: Givens, words: Words, see: Watcher) -> None:
    rows, weight = givens["forward_inputs"], givens["expand_weight"]
    network = FeedForward(*weight.shape, activation=words["activation"])
    _load(network, ("expand", "contract"), givens)
    network.double()(rows[None], see=see)


def _add_and_norm(givens: Givens, words: Words, see: Watcher) -> None:
    rows, answer = see("skipped", givens["skipped"][None]), see("output", givens["output"][None], "given")
    norm = LayerNorm(rows.shape[-1]).double()
    _norm(norm, givens)
    norm(see("added", rows + answer), see=see)


def _block(givens: Givens, words: Words, see: Watcher) -> None:
    rows, heads = givens["inputs"], int(words["heads"])
    width, hidden = givens["feed_forward.expand_weight"].shape
    if width % heads:
        raise InputError(f"The model width is {width}, which {heads} heads cannot share evenly.")
    made = block(
        width, heads, hidden, causal="context" in givens, cross="context" in givens,
        norm_first=words["norm"] == "first", activation=words["activation"],
    ).double()  # fmt: skip
    for scope, part in (("self", made.attention), ("cross", made.cross), ("feed_forward", made.feed_forward)):
        if part is not None:
            names = ("expand", "contract") if scope == "feed_forward" else ("query", "key", "value", "output")
            _load(part.layer, names, givens, f"{scope}.")
            _norm(part.norm, givens, f"{scope}.norm.")
    context = see("context", givens["context"][None]) if "context" in givens else None
    made.eval()(see("inputs", rows[None]), context, see=see)


def _writing(givens: Givens, words: Words, see: Watcher) -> None:
    others = {name: values for name, values in givens.items() if name != "rows"}
    writing_step({**_seen(others, see), "rows": givens["rows"]}, see=see)


WORKERS: MappingProxyType[str, Callable[[Givens, Words, Watcher], object]] = MappingProxyType(
    {
        "rnn step": lambda givens, words, see: rnn_step(_seen(givens, see), activation=words["activation"], see=see),
        "lstm step": lambda givens, words, see: lstm_step(_seen(givens, see), see=see),
        "gru step": lambda givens, words, see: gru_step(_seen(givens, see), see=see),
        "positional encoding": _positions,
        "convolution": lambda givens, words, see: convolution(_seen(givens, see), pooling=words["pooling"], see=see),
        "image convolution": lambda givens, words, see: image_convolution(_seen(givens, see), see=see),
        "feed-forward": _feed_forward,
        "add and norm": _add_and_norm,
        "encoder block": _block,
        "decoder block": _block,
        "decoding step": _writing,
        "max pooling": lambda givens, words, see: max_pooling(_seen(givens, see), see=see),
    }
)
