"""What calls of torch do to weights, one rule for each: covered, multiplied, added to, made to add up, cut.

A rule is told of a call and what it gave, and says what that is known as; what it cannot follow it calls lost.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.watching.following.moving_rules import kept, unsqueezed
from glassformer.inside.watching.following.nodes import AttentionWeights, Lost, Node, Scores, Spread
from glassformer.inside.watching.following.products import Args, Kwargs, argument, arranged, only_number
from glassformer.inside.watching.following.score_steps import Add, Fill, Stretch, Talk
from glassformer.inside.watching.following.trail import Trail
from glassformer.inside.watching.following.weight_steps import (
    Addend,
    Factor,
    Renormal,
    WeightStep,
    weight_step_turned,
    with_step,
)

_ROUGHLY = 1e-3  # what was hidden before weighs nothing; whether all is equal is compared in any case
_ROUNDED = 1e-5
_SMALL = 1e-2  # what may be added to a sum so that nothing is divided by zero


def multiplied(
    trail: Trail, node: AttentionWeights, tensor: Tensor, other: Any, result: Tensor, divides: bool
) -> Node | None:
    """Weights times, or divided by, numbers; where values are laid across them, it is a product still to be summed."""
    name, number = "div" if divides else "mul", only_number(other)
    numbers = other.detach() if isinstance(other, Tensor) and number is None else None
    if node.dropout or node.logarithm or _weighs_too(trail.node(other)):
        return trail.lost(name, (tensor, other), result)
    if number is not None:
        number = 1.0 / number if divides and number else number
        numbers = torch.full((1,) * tensor.ndim, number, dtype=tensor.dtype, device=tensor.device)
        more = None if node.unbent is None else node.unbent.then(Stretch(number))
        return _further(node, numbers, more) or trail.lost(name, (tensor, other), result)
    if numbers is None or result.shape != tensor.shape:
        spread = numbers is not None and not divides and node.complete and node.part is None
        return Spread(node, tensor, other) if spread else trail.lost(name, (tensor, other), result)
    if divides or node.powers:
        below = numbers if divides else numbers.reciprocal()
        found = _normalised(node, tensor * below if result is tensor else tensor, below)  # it may be written over
        if divides or found is not None:
            return found or trail.lost(name, (tensor, other), result)
    if bool(((numbers == 0) | (numbers == 1)).all()):
        hidden = covered(node, numbers == 0, result)
        if hidden is not None:
            return hidden
    return _further(node, numbers) or trail.lost(name, (tensor, other), result)


def _weighs_too(node: Node | None) -> bool:
    """Whether it is, or was, weights of an attention of its own."""
    return isinstance(node, AttentionWeights) or (isinstance(node, Lost) and node.number is not None)


def zeroed(node: AttentionWeights, where: Tensor, result: Tensor) -> AttentionWeights | None:
    """Weights set to zero: hidden, or else times ones and zeros."""
    return covered(node, where, result) or _further(node, (~where).to(result.dtype))


def _further(node: AttentionWeights, numbers: Tensor, unbent: Scores | None = None) -> AttentionWeights | None:
    if node.powers or node.scores.sink is not None or node.part is not None:
        return None
    return _after(replace(node, unbent=unbent), Factor(node.scores.ordered(numbers), node.scores.shape))


def _after(node: AttentionWeights, step: WeightStep) -> AttentionWeights | None:
    steps = with_step(node.after, step)
    return None if steps is None or node.dropout else replace(node, after=steps)


def joined_weights(trail: Trail, pair: tuple[Any, Any], result: Tensor, sign: int) -> Node | None:
    """Weights and numbers that the model has whatever it reads, such as weights by place; None if it is not that."""
    for tensor, other in (pair, pair[::-1]) if sign > 0 else (pair,):
        node, numbers = trail.node(tensor), None
        if isinstance(other, int | float):
            numbers = result.new_full((1,) * result.ndim, other)
        elif isinstance(other, Tensor) and trail.node(other) is None and trail.given(other):
            numbers = other.detach()
        if (
            isinstance(node, AttentionWeights)
            and node.complete
            and numbers is not None
            and result.shape == tensor.shape
        ):
            plain = node.part is None and not node.scores.folded
            addend = Addend(node.scores.ordered(sign * numbers), node.scores.shape)
            return _after(replace(node, unbent=None), addend) if plain else None
    return None


def _normalised(node: AttentionWeights, tensor: Tensor, below: Tensor) -> AttentionWeights | None:
    """Powers over their sum are a softmax; other weights over theirs are made to add up again."""
    scores, numbers = node.scores, node.scores.ordered(below)
    if numbers.shape[-1] != 1 and numbers.shape[-2] == 1:
        return _over_queries(node, tensor, numbers) or _by_numbers(node, below)
    if numbers.shape[-1] != 1 or scores.sink is not None or node.part is not None:
        return None if node.powers or node.part is not None or scores.sink is not None else _by_numbers(node, below)
    sums = arranged(tensor, scores.axes).sum(-1, keepdim=True)
    more = (numbers - sums).double()
    small = float(more.mean()) if more.numel() else 0.0
    same = bool(((more - small).abs() <= _ROUNDED * sums.abs().clamp_min(1e-30)).all())
    if node.powers:
        whole = replace(node, powers=False)
        if same and abs(small) <= _ROUNDED * float(sums.abs().min()):
            return whole
        return _after(whole, Factor(sums / numbers, scores.shape))
    if same and abs(small) <= _SMALL:
        return _after(replace(node, unbent=None), Renormal(0.0 if abs(small) < _ROUNDED**2 else small))
    return _by_numbers(node, below)


def _over_queries(node: AttentionWeights, tensor: Tensor, below: Tensor) -> AttentionWeights | None:
    """Shares of the queries made to add up along the keys, as in slot attention: we took one for the other."""
    plain = node.weigher == "softmax" and node.complete and node.part is None and not node.scores.folded
    after = [weight_step_turned(step) for step in node.after]
    if not plain or node.dropout or None in after:
        return None
    sums = arranged(tensor, node.scores.axes).sum(-2, keepdim=True)
    more = (below - sums).double()
    small = float(more.mean()) if more.numel() else 0.0
    if abs(small) > _SMALL or bool(((more - small).abs() > _ROUNDED * sums.abs().clamp_min(1e-30)).any()):
        return None
    steps = tuple(step for step in after if step is not None)
    turned = replace(node, scores=node.scores.turned(), weigher="softmax over queries", after=steps, unbent=None)
    return _after(turned, Renormal(0.0 if abs(small) < _ROUNDED**2 else small))


def _by_numbers(node: AttentionWeights, below: Tensor) -> AttentionWeights | None:
    return _further(node, below.reciprocal())


def normalised(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """`F.normalize` with the sum of absolute values, along the keys, or what we took for queries."""
    tensor = argument(args, kwargs, 0, "input")
    node, norm, dim = trail.node(tensor), argument(args, kwargs, 1, "p"), argument(args, kwargs, 2, "dim")
    axis = (1 if dim is None else dim) % result.ndim
    found = None
    if isinstance(node, AttentionWeights) and norm == 1 and axis in node.scores.axes[-2:] and bool((tensor >= 0).all()):
        found = _normalised(node, tensor, tensor.detach().sum(axis, keepdim=True))
    return found or trail.lost("normalize", (tensor,), result)


def batch_normalised(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Each head times a number and plus another, by what a batch norm has learned of it."""
    names = ("input", "running_mean", "running_var", "weight", "bias", "training", "momentum", "eps")
    tensor, mean, variance, weight, bias, training, _, eps = (
        argument(args, kwargs, i, name) for i, name in enumerate(names)
    )
    node = trail.node(tensor)
    if not isinstance(node, AttentionWeights):
        return None
    heads_first = len(node.scores.axes) == 4 and node.scores.axes[1] == 1 and node.scores.shape == node.scores.four
    if training or mean is None or not heads_first or not node.complete or node.part is not None:
        return trail.lost("batch_norm", (tensor,), result)
    factor = (variance + (1e-5 if eps is None else eps)).rsqrt() * (1.0 if weight is None else weight)
    more = (0.0 if bias is None else bias) - mean * factor
    found = _after(replace(node, unbent=None), Talk(factor.diag().detach(), more.detach()))
    return found or trail.lost("batch_norm", (tensor,), result)


def ended(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, name: str) -> Node | None:
    """A layer makes new features of whatever it is given; of weights it may make other weights."""
    tensor = argument(args, kwargs, 0, "input")
    known = isinstance(node := trail.node(tensor), AttentionWeights | Lost) and node.number is not None
    return trail.lost(name, (tensor,), result) if known else None


def covered(node: AttentionWeights, where: Tensor, result: Tensor) -> AttentionWeights | None:
    """Weights set to zero: if each row still adds up to one, or all of it is zero, their scores were hidden."""
    scores = node.scores
    if node.dropout or node.logarithm or scores.sink is not None or node.after or node.part is not None:
        return None
    whole = arranged(where.expand_as(result), scores.axes).all(-1)
    left = arranged(result, scores.axes).sum(-1)[~whole]
    if node.weigher == "softmax" and not node.powers and bool(((left - 1.0).abs() > _ROUGHLY).any()):
        return None
    return replace(node, scores=scores.then(Fill(scores.ordered(where), -math.inf, scores.shape)), unbent=None)


def summed(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """The sum of weights is no attention, and does not lose them."""
    if not isinstance(trail.node(args[0]), AttentionWeights):
        return trail.lost("sum", args, result)
    trail.spoke = True
    return None


def sliced(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """All weights but the one of the sink; or those of some neighbouring keys."""
    tensor, places = args
    node = trail.node(tensor)
    if result.shape == tensor.shape and result.data_ptr() == tensor.data_ptr():  # all of it
        return kept(trail, args, kwargs, result)
    if not isinstance(node, AttentionWeights) or node.part is not None:
        return trail.lost("__getitem__", (tensor,), result)
    places = places if isinstance(places, tuple) else (places,)
    new_axis = _only_new_axis(places, result.ndim)
    if new_axis is not None:
        return unsqueezed(trail, (tensor, new_axis), {}, result)
    last = places[-1]
    short = len(places) < tensor.ndim and Ellipsis not in places
    whole = all(map(_is_all, places[:-1])) and not short and node.scores.axes[-1] == tensor.ndim - 1
    if not whole or not isinstance(last, slice) or last.step not in (None, 1):
        return trail.lost("__getitem__", (tensor,), result)
    start, stop, _ = last.indices(tensor.shape[-1])
    if node.scores.sink is not None:
        return _without_sink(node, start, stop) or trail.lost("__getitem__", (tensor,), result)
    return _part(node, tensor, start, stop) or trail.lost("__getitem__", (tensor,), result)


def _is_all(place: Any) -> bool:
    return place is Ellipsis or (isinstance(place, slice) and place == slice(None))


def _only_new_axis(places: tuple[Any, ...], n_axes: int) -> int | None:
    """Where the new axis is, if `[..., None]` or the like does nothing else."""
    new = [i for i, each in enumerate(places) if each is None]
    if len(new) != 1 or not all(each is None or _is_all(each) for each in places):
        return None
    behind = Ellipsis in places[: new[0]]
    return n_axes - (len(places) - new[0]) if behind else new[0]


def _part(node: AttentionWeights, tensor: Tensor, start: int, stop: int) -> AttentionWeights | None:
    if node.after or node.dropout or not node.complete:
        return None
    return replace(node, part=(start, stop), whole=arranged(tensor, node.scores.axes), unbent=None)


def split(trail: Trail, tensor: Tensor, parts: Sequence[Tensor]) -> None:
    """Weights cut into lots of neighbouring keys."""
    node, start = trail.node(tensor), 0
    if not isinstance(node, AttentionWeights) or node.scores.axes[-1] != tensor.ndim - 1 or node.part is not None:
        return
    for part in parts:
        stop = start + part.shape[-1]
        found = _part(node, tensor, start, stop) if part.shape[:-1] == tensor.shape[:-1] else None
        trail.nodes[part] = found or trail.lost("split", (tensor,), part) or Lost("split", node.number)
        start = stop


def _without_sink(node: AttentionWeights, start: int, stop: int) -> AttentionWeights | None:
    scores, sink, length = node.scores, node.scores.sink, node.scores.shape[-1]
    if sink is None or (start, stop) != ((1, length + 1) if scores.sink_first else (0, length)):
        return None
    return replace(node, scores=replace(scores.then(Add(-sink, scores.shape)), sink=None))


def dropped(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Dropout; with nobody training it is nothing."""
    tensor = args[0]
    node = trail.node(tensor)
    rate = float(0.5 if (p := argument(args, kwargs, 1, "p")) is None else p)
    if rate == 0.0 or argument(args, kwargs, 2, "training", "train") is False:
        return node
    if not isinstance(node, AttentionWeights) or result is tensor or node.part is not None:
        return trail.lost("dropout", args, result)
    return replace(node, dropout=rate, undropped=tensor if node.undropped is None else node.undropped)


def without_nan(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Rows that see nothing become zeros, as they are with us."""
    node = trail.node(args[0])
    return node if isinstance(node, AttentionWeights) else trail.lost("nan_to_num", args, result)
