"""What calls of torch that only move numbers do to scores and weights: other axes, other shapes, the same numbers.

A rule is told of a call and what it gave, and says what that is known as; what it cannot follow it calls lost.
"""

import math
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.watching.following.axes import four_axes
from glassformer.inside.watching.following.nodes import AttentionWeights, Node, PartMixed, Scores, Spread, Stretched
from glassformer.inside.watching.following.products import Args, Kwargs, argument
from glassformer.inside.watching.following.score_steps import Shape
from glassformer.inside.watching.following.trail import Trail


def kept(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """The same numbers."""
    node = trail.node(args[0])
    return None if isinstance(node, Stretched) else node


def moved(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, how: str) -> Node | None:
    """Axes in another order: `transpose(a, b)`, `permute(…)`, `t()` or `mT`."""
    node, tensor = trail.node(args[0]), args[0]
    if not isinstance(node, Scores | AttentionWeights):
        return trail.lost(how, args, result) if isinstance(node, Spread | PartMixed) else _unless_stretched(node)
    order = torch.empty(tuple(range(1, tensor.ndim + 1)), device="meta")  # each axis has its number for a size
    if _scores(node).sink is not None:
        return trail.lost(how, args, result)
    turned = order.mT if how == "mT" else getattr(order, how)(*args[1:], **kwargs)
    return _changed(node, lambda scores: scores.moved(tuple(size - 1 for size in turned.shape)))


def squeezed(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Without axes of size 1."""
    node, tensor = trail.node(args[0]), args[0]
    if not isinstance(node, Scores | AttentionWeights):
        return reshaped(trail, args, kwargs, result)
    dims = argument(args, kwargs, 1, "dim")
    if _scores(node).sink is not None:
        return trail.lost("squeeze", args, result)
    asked = range(tensor.ndim) if dims is None else dims if isinstance(dims, tuple | list) else (dims,)
    gone = tuple(dim % tensor.ndim for dim in asked if tensor.shape[dim] == 1)
    return node if not gone else _changed(node, lambda scores: scores.without_axes(gone))


def unsqueezed(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """With one more axis of size 1: one that was missing, or a new one in front."""
    node, dim = trail.node(args[0]), argument(args, kwargs, 1, "dim")
    if isinstance(node, Scores | AttentionWeights) and isinstance(dim, int) and _scores(node).sink is None:
        in_front = dim % result.ndim < result.ndim - 2 and None not in _scores(node).axes  # it may come to be the heads
        if not in_front:
            return _changed(node, lambda scores: scores.with_axis(dim % result.ndim))
    return reshaped(trail, args, kwargs, result)


def reshaped(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Other leading axes; queries and keys as they are."""
    node = trail.node(args[0])
    if isinstance(node, PartMixed) and result.numel() == args[0].numel():
        return node
    if not isinstance(node, Scores | AttentionWeights):
        return trail.lost("reshape", args, result) if isinstance(node, Spread) else _unless_stretched(node)
    scores, part = _scores(node), node.part if isinstance(node, AttentionWeights) else None
    regrouped = _regrouped(scores, args[0], result) if part is None else None
    if regrouped is not None:
        return regrouped if isinstance(node, Scores) else replace(node, scores=regrouped, unbent=None)
    straight = scores.axes == tuple(range(len(scores.axes)))
    last = scores.shape[-2:] if part is None else (scores.shape[-2], part[1] - part[0])
    if not straight or result.numel() != args[0].numel() or scores.sink is not None:
        return trail.lost("reshape", args, result)
    if tuple(result.shape[-2:]) != last:
        folds = tuple(result.shape) == (math.prod(scores.shape[:-1]), scores.shape[-1]) and part is None
        return (
            _changed(node, lambda scores: replace(scores, folded=True))
            if folds
            else trail.lost("reshape", args, result)
        )
    shape = (*result.shape[:-1], scores.shape[-1])
    return _changed(node, lambda scores: _in_shape(scores, shape))


def _unless_stretched(node: Node | None) -> Node | None:
    return None if isinstance(node, Stretched) else node


def _scores(node: Scores | AttentionWeights) -> Scores:
    return node.scores if isinstance(node, AttentionWeights) else node


def _changed(node: Scores | AttentionWeights, change: Any) -> Node:
    """The node with its scores changed, and with what they may still be."""
    if isinstance(node, Scores):
        return change(node)  # type: ignore[no-any-return]
    return replace(node, scores=change(node.scores), unbent=None if node.unbent is None else change(node.unbent))


def _in_shape(scores: Scores, shape: Shape) -> Scores:
    """The same scores with other leading axes: a head axis that appears is the one to show."""
    lead = scores.shape[:-2]
    queries, keys = (
        t.expand(*lead, *t.shape[-2:]).reshape(*shape[:-2], *t.shape[-2:]) for t in (scores.queries, scores.keys)
    )
    four = four_axes(shape) if len(shape) >= len(scores.shape) else scores.four
    axes = tuple(range(len(shape)))
    return replace(scores, queries=queries, keys=keys, shape=shape, axes=axes, four=four, folded=False)


def _regrouped(scores: Scores, tensor: Tensor, result: Tensor) -> Scores | None:
    """Scores with one set of keys for all rows, after their rows were laid out otherwise: flattened, or in a grid."""
    *rows, key = scores.axes
    n_keys, sizes = scores.shape[-1], tuple(tensor.shape)
    known = [axis for axis in rows if axis is not None]
    plain = scores.sink is None and not scores.n_axes and not scores.folded
    one_set = plain and all(size == 1 for size in scores.keys.shape[:-2])
    if not one_set or known != sorted(known) or (key is None and n_keys > 1) or result.numel() != tensor.numel():
        return None
    place = _kept_place(sizes, key, tuple(result.shape)) if n_keys > 1 else None
    if n_keys > 1 and place is None:
        return None
    if n_keys == 1 and result.ndim == tensor.ndim and result.shape[-1] == 1:  # an axis for the one key, as before
        place = result.ndim - 1 if key == tensor.ndim - 1 else None
    axes = [axis for axis in range(result.ndim) if axis != place]
    shape = (*(int(result.shape[axis]) for axis in axes), n_keys)
    queries = scores.queries.expand(*scores.shape[:-1], scores.queries.shape[-1]).reshape(*shape[:-1], -1)
    keys = scores.keys.reshape((1,) * (len(shape) - 2) + tuple(scores.keys.shape[-2:]))
    return replace(scores, queries=queries, keys=keys, shape=shape, axes=(*axes, place), four=four_axes(shape))


def _kept_place(before: Shape, axis: int | None, after: Shape) -> int | None:
    """Where an axis is in another shape of the same numbers, if it has been left as it was."""
    if axis is None:
        return None
    ahead = math.prod(before[:axis])
    places = (i for i in range(len(after)) if math.prod(after[:i]) == ahead and after[i] == before[axis])
    return next(places, None)
