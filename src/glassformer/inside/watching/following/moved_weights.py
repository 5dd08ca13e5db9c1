"""Weights whose numbers were laid out otherwise, as windows are: which of the weights stands at each place now.

A model that looks at windows pads its rows of weights, cuts and shifts them until they fit chunks of values. The same
is done here to the numbers 0, 1, 2 … of the weights, with −1 for what padding brings in. It only moves numbers, and
knows neither values nor the core.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import torch
from torch import Tensor

from glassformer.inside.watching.following.axes import four_axes
from glassformer.inside.watching.following.nodes import AttentionWeights, Moved
from glassformer.inside.watching.following.products import Args, Kwargs, argument, restored
from glassformer.inside.watching.following.score_steps import Fill

_NONE = -1
_ROUGHLY = 1e-3  # whether all is equal is compared in any case


def begun(node: AttentionWeights, tensor: Tensor) -> Moved | None:
    """Each number at its own place; None where more than a softmax has been done."""
    scores = node.scores
    plain = node.complete and not (node.after or node.dropout or scores.folded) and node.part is None
    if not plain or node.weigher != "softmax" or not all(isinstance(step, Fill) for step in scores.steps):
        return None
    codes = torch.arange(math.prod(scores.shape), device=tensor.device).reshape(scores.shape)
    return Moved(node, restored(codes, scores.axes, tuple(tensor.shape)))


def moved_on(name: str, node: Moved, args: Args, kwargs: Kwargs, result: Tensor) -> Moved | None:
    """The numbers after a call that only moves them; None if it does more."""
    move = MOVES.get(name)
    codes = None if move is None else move(node.codes, args, kwargs)
    return replace(node, codes=codes) if codes is not None and codes.shape == result.shape else None


def as_weights(node: Moved, tensor: Tensor) -> AttentionWeights | None:
    """The same weights as rows along the last axis, what was brought in hidden; None if a row has lost some of its own.

    Their scores are as they came.
    """
    weights, codes = node.node, node.codes
    sums = tensor.detach().double().sum(-1)
    if tensor.ndim < 2 or not bool((((sums - 1.0).abs() < _ROUGHLY) | (sums == 0.0)).all()):
        return None
    numbers = weights.scores.queries
    for step in weights.scores.steps:
        if isinstance(step, Fill):
            numbers = numbers.masked_fill(step.where, step.value)
    numbers = numbers.flatten()[codes.clamp(min=0)].masked_fill(codes == _NONE, -math.inf)
    hidden, shape = numbers == -math.inf, tuple(codes.shape)
    nobody = numbers.new_zeros((1,) * (len(shape) - 2) + (shape[-1], 1))
    scores = replace(
        weights.scores, queries=numbers.masked_fill(hidden, 0.0), keys=nobody, axes=tuple(range(len(shape))),
        shape=shape, four=four_axes(shape), steps=(Fill(hidden, -math.inf, shape),), n_axes=0,
    )  # fmt: skip
    return replace(weights, scores=scores, unbent=None)


def _padded(codes: Tensor, args: Args, kwargs: Kwargs) -> Tensor | None:
    mode, value = argument(args, kwargs, 2, "mode"), argument(args, kwargs, 3, "value")
    if mode not in (None, "constant") or value not in (None, 0, 0.0):
        return None
    return torch.nn.functional.pad(codes, argument(args, kwargs, 1, "pad"), value=_NONE)


def _reshaped(codes: Tensor, args: Args, kwargs: Kwargs) -> Tensor | None:
    return codes.reshape(*args[1:]) if len(args) > 1 and not kwargs else None


def _same(codes: Tensor, args: Args, kwargs: Kwargs) -> Tensor:
    return codes


def _by_name(name: str) -> Callable[[Tensor, Args, Kwargs], Tensor | None]:
    return lambda codes, args, kwargs: getattr(codes, name)(*args[1:], **kwargs)


MOVES: Mapping[str, Callable[[Tensor, Args, Kwargs], Tensor | None]] = MappingProxyType({
    "pad": _padded,
    **dict.fromkeys(("view", "reshape"), _reshaped),
    **dict.fromkeys(("contiguous", "clone", "detach"), _same),
    **{name: _by_name(name) for name in ("transpose", "permute", "flatten", "unsqueeze", "squeeze", "__getitem__")},
})  # fmt: skip
