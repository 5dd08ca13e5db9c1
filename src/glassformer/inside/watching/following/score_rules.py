"""What calls of torch do to scores, one rule for each: they are scaled, added to, hidden, bent, joined, made weights.

A rule is told of a call and what it gave, and says what that is known as; what it cannot follow it calls lost.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.watching.following.axes import four_axes
from glassformer.inside.watching.following.joining import joined_scores
from glassformer.inside.watching.following.nodes import AttentionWeights, Lost, Node, Scores, Stretched
from glassformer.inside.watching.following.products import Args, Kwargs, argument, arranged, only_number
from glassformer.inside.watching.following.score_steps import Add, Applied, Bent, Bound, Fill, Stretch, Times
from glassformer.inside.watching.following.trail import Trail
from glassformer.inside.watching.following.weight_rules import joined_weights, multiplied, zeroed

_BY_A_BEND = ("relu", "silu", "gelu")  # which may be weights by themselves, or one more step to a softmax
_SQUARE = 2.0
_ROUNDED = 1e-4


def scores_of(node: Node | None) -> Scores | None:
    """The node as scores: they are, or were bent and may still be."""
    return node if isinstance(node, Scores) else node.unbent if isinstance(node, AttentionWeights) else None


def scaled(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, divides: bool) -> Node | None:
    """Times, or divided by, a number or numbers."""
    tensor, other = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other")
    if not divides and (not isinstance(tensor, Tensor) or trail.node(tensor) is None) and isinstance(other, Tensor):
        tensor, other = other, tensor
    node, name = trail.node(tensor), "div" if divides else "mul"
    if node is None and isinstance(other, Tensor):  # two tensors that nobody follows
        return None
    if kwargs.get("rounding_mode") is not None:
        return trail.lost(name, (tensor, other), result)
    if isinstance(node, AttentionWeights):
        return multiplied(trail, node, tensor, other, result, divides)
    factor = only_number(other)
    if factor is not None and divides:
        factor = 1.0 / factor if factor else None
    if factor is None and isinstance(node, Scores) and node.sink is None and result.shape == tensor.shape:
        numbers, own = other.detach().reciprocal() if divides else other.detach(), trail.follows(other, node)
        alike = _one_number(numbers)
        return node.then(Times(node.ordered(numbers), node.shape, own) if alike is None else Stretch(alike, own))
    if factor is None or not isinstance(node, Scores | Stretched | None) or _sinks(node):
        return trail.lost(name, (tensor, other), result)
    if isinstance(node, Scores):
        return node.then(Stretch(factor, trail.follows(other, node)))
    if result is tensor or not isinstance(tensor, Tensor):  # the base is gone
        return None
    return Stretched(node.base, node.factor * factor) if isinstance(node, Stretched) else Stretched(tensor, factor)


def _sinks(node: Node | None) -> bool:
    return isinstance(node, Scores) and node.sink is not None


def negative(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Times minus one."""
    return scaled(trail, (args[0], -1.0), {}, result, divides=False)


def added(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, sign: int) -> Node | None:
    """Numbers added, or taken away."""
    tensor, other = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other")
    if scores_of(trail.node(tensor)) is None and sign > 0:
        tensor, other = other, tensor
    node, name = scores_of(trail.node(tensor)), "add" if sign > 0 else "sub"
    if node is None and kwargs.get("alpha", 1) == 1:
        more = joined_weights(trail, (tensor, other), result, sign)
        if more is not None:
            return more
    if node is None or kwargs.get("alpha", 1) != 1 or result.shape != tensor.shape:
        return trail.lost(name, (tensor, other), result)
    numbers = other if isinstance(other, Tensor) else torch.full_like(result[..., :1], other)
    numbers = node.ordered(sign * numbers.detach())
    if node.sink is not None:  # a softmax is all that can follow, and it does not notice what is added to whole rows
        return node if numbers.shape[-1] == 1 else trail.lost(name, (tensor, other), result)
    return node.then(Add(numbers, node.shape, trail.follows(other, node)))


# --- hidden -------------------------------------------------------------------------------------------------------


def filled(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """`masked_fill`."""
    where, value = argument(args, kwargs, 1, "mask"), only_number(argument(args, kwargs, 2, "value"))
    own = (where, argument(args, kwargs, 2, "value"))
    return _overwritten(trail, "masked_fill", args[0], where, value, result, own)


def written(trail: Trail, tensor: Tensor, where: Any, value: Any) -> Node | None:
    """`scores[mask] = value`, with a mask as large as the scores or as their leading axes."""
    number = only_number(value)
    if not isinstance(where, Tensor) or where.dtype != torch.bool or number is None:
        return None
    whole = where.reshape(*where.shape, *(1,) * (tensor.ndim - where.ndim)).expand_as(tensor)
    return _overwritten(trail, "__setitem__", tensor, whole, number, tensor, (where, value))


def chosen(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """`where`."""
    where, kept, other = (argument(args, kwargs, i, name) for i, name in enumerate(("condition", "input", "other")))
    if where.is_floating_point():  # as a method: scores.where(condition, other)
        where, kept = kept, where
    if isinstance(trail.node(other), Scores | AttentionWeights):
        return _overwritten(trail, "where", other, where, _one_number(kept), result, (where, kept))
    return _overwritten(trail, "where", kept, ~where, _one_number(other), result, (where, other))


def _one_number(value: Any) -> float | None:
    """A number, or a tensor that holds the same one everywhere."""
    alike = isinstance(value, Tensor) and value.numel() > 1 and bool((value == value.flatten()[0]).all())
    return float(value.flatten()[0]) if alike else only_number(value)


def _overwritten(
    trail: Trail, name: str, tensor: Any, where: Tensor, value: float | None, result: Tensor, by: tuple[Any, Any]
) -> Node | None:
    """`value` written `where`; `by` are the two as the call had them."""
    node = trail.node(tensor)
    if isinstance(node, AttentionWeights) and value == 0.0 and result.shape == tensor.shape:
        return zeroed(node, where, result) or trail.lost(name, (tensor,), result)
    scores = scores_of(node)
    if scores is None or value is None or result.shape != tensor.shape or scores.sink is not None:
        return trail.lost(name, (tensor,), result)
    own = any(trail.follows(each, scores) for each in by)
    return scores.then(Fill(scores.ordered(where), value, scores.shape, own))


# --- bent ---------------------------------------------------------------------------------------------------------


def bent(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """The hyperbolic tangent."""
    node = scores_of(trail.node(args[0]))
    return trail.lost("tanh", args, result) if node is None or node.sink is not None else node.then(Bent())


def applied(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, name: str) -> Node | None:
    """One function for every score; some make weights of them."""
    tensor = argument(args, kwargs, 0, "input")
    node = scores_of(trail.node(tensor))
    if node is None or node.sink is not None or result is tensor or result.shape != tensor.shape:
        return trail.lost(name, args, result)
    more = args[1:]
    options = {key: value for key, value in kwargs.items() if key not in ("input", "inplace")}
    function: Callable[..., Tensor] = getattr(torch.nn.functional, name, None) or getattr(torch, name)
    unbent = node.then(Applied(lambda scores: function(scores, *more, **options)))
    plain = not options.get("approximate") or options["approximate"] == "none"
    if name not in _BY_A_BEND or not plain:
        return unbent
    return AttentionWeights(node, trail.begun(), weigher=name, kind=result.dtype, unbent=unbent)


def squared(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """A square: of distances, or of weights by a ReLU."""
    node, exponent = trail.node(args[0]), argument(args, kwargs, 1, "exponent")
    two = exponent is None or only_number(exponent) == _SQUARE
    if two and isinstance(node, Scores) and node.scorer == "euclidean" and not node.steps:
        return replace(node, scorer="squared euclidean")
    if two and isinstance(node, AttentionWeights) and node.weigher == "relu" and not node.after and not node.dropout:
        return replace(node, weigher="squared relu", unbent=None)
    return trail.lost("pow", args, result)


def bounded(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor, one_sided: bool) -> Node | None:
    """`clamp(scores, low, high)`, or `max(scores, low)` with one number in a tensor."""
    tensor, low = args[0], argument(args, kwargs, 1, "min", "other")
    high = None if one_sided else argument(args, kwargs, 2, "max")
    node = scores_of(trail.node(tensor))
    least = -math.inf if low is None else only_number(low)
    most = math.inf if high is None else only_number(high)
    if node is None or least is None or most is None or node.sink is not None or result.shape != tensor.shape:
        return trail.lost("clamp", args, result)
    bound = node.then(Bound(least, most))
    if (least, most) != (0.0, math.inf):
        return bound
    return AttentionWeights(node, trail.begun(), weigher="relu", kind=result.dtype, unbent=bound)


# --- made otherwise, or joined ------------------------------------------------------------------------------------


def distances(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """How far each query is from each key, by `cdist`."""
    queries, keys, norm = (argument(args, kwargs, i, name) for i, name in enumerate(("x1", "x2", "p")))
    if norm not in (None, 2, 2.0):
        return None
    shape = tuple(result.shape)
    axes = tuple(range(len(shape)))
    products = trail.product(result)
    return Scores(queries.detach(), keys.detach(), axes, shape, four_axes(shape), scorer="euclidean", products=products)


def extended(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Scores of the same queries with further keys; or one more score in every row: a sink."""
    parts, axis = argument(args, kwargs, 0, "tensors"), argument(args, kwargs, 1, "dim", "axis")
    nodes = [trail.node(part) for part in parts]
    axis = (0 if axis is None else axis) % result.ndim
    scores = [node for node in nodes if isinstance(node, Scores)]
    if not scores or any(node.sink is not None or node.axes[-1] != axis for node in scores):
        return trail.lost("cat", args, result)
    if len(scores) == len(parts):
        return joined_scores(scores) or trail.lost("cat", args, result)
    other = next(part for part, node in zip(parts, nodes, strict=True) if not isinstance(node, Scores))
    if len(parts) != 2 or other.shape[axis] != 1 or isinstance(trail.node(other), AttentionWeights | Lost):
        return trail.lost("cat", args, result)
    (node,) = scores
    if trail.follows(other, node):  # a write would have to change it too
        return trail.lost("cat", args, result)
    return replace(node, sink=node.ordered(other.detach()), sink_first=other is parts[0])


# --- made weights -------------------------------------------------------------------------------------------------


def softmax(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Shares along the keys."""
    tensor = argument(args, kwargs, 0, "input")
    before, dim = trail.node(tensor), argument(args, kwargs, 1, "dim")
    node = before if isinstance(before, Lost) else scores_of(before) or trail.scores_as_they_came(tensor, dim)
    if node is None:
        return None
    if isinstance(before, AttentionWeights):  # the bend was one more step
        trail.open.pop(before.number, None)
    number = trail.begun()
    if isinstance(node, Lost):
        return trail.astray(node.call, number)
    if dim is not None and dim % result.ndim == node.axes[-2] and node.sink is None and not node.folded:
        node = node.turned()  # what we took for queries are the keys
    along = 1 if node.folded else node.axes[-1]
    if dim is None or dim % result.ndim != along:
        return trail.astray("softmax along another axis than the keys", number)
    weigher = "softmax" if node.sink is None else "quiet softmax"
    return AttentionWeights(node, number, weigher=weigher, kind=result.dtype)


def log_softmax(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """The logarithms of shares."""
    node = softmax(trail, args, kwargs, result)
    return replace(node, logarithm=True) if isinstance(node, AttentionWeights) else node


def power(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Powers of scores are weights once divided by their sum; those of logarithms of weights are already."""
    node = trail.node(args[0])
    if isinstance(node, AttentionWeights) and node.logarithm:
        return replace(node, logarithm=False)
    if not isinstance(node, Scores) or node.sink is not None:
        return trail.lost("exp", args, result)
    sums = arranged(result.detach(), node.axes).sum(-1)  # already one where their logarithm was taken off before
    return AttentionWeights(node, trail.begun(), powers=bool(((sums - 1.0).abs() > _ROUNDED).any()))


def sigmoid(trail: Trail, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
    """Each weight for itself."""
    node = trail.node(args[0])
    if not isinstance(node, Scores) or node.sink is not None:
        return trail.lost("sigmoid", args, result)
    return AttentionWeights(node, trail.begun(), weigher="sigmoid", unbent=node.then(Applied(torch.sigmoid)))
