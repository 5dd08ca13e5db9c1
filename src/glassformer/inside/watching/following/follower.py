"""Hand-written attention, recognised by following tensors: a product, what is done to it, a softmax, another product.

Every call of torch is told here, with what it gave. A tensor that may be scores or weights is remembered, weakly, as
long as it lives; when weights meet values, an attention was found. It computes nothing, and knows neither modules nor
the core. What it cannot follow it does not guess: it says which call it was.
"""

import math
from collections.abc import Callable, Collection, Mapping, MutableMapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from glassformer.inside.watching.following.nodes import AttentionWeights, Lost, Node, Scores, Stretched
from glassformer.inside.watching.following.products import (
    PRODUCTS,
    Args,
    Kwargs,
    ScaledProduct,
    argument,
    arranged,
    only_number,
    tensors_among,
)  # fmt: skip
from glassformer.inside.watching.following.rebuilding import Heart, four_axes
from glassformer.inside.watching.following.score_steps import Add, Bent, Bound, Fill, Shape, Step, Stretch, Times

_ROUGHLY = 1e-3  # what was hidden before weighs nothing; whether all is equal is compared in any case


class Follower:
    """Follows the tensors of one watched pass."""

    def __init__(self, where: Callable[[], str | None], learned: Collection[int]) -> None:
        self.where = where  # the module that is running
        self.learned = learned  # where the weights of the model lie in memory
        self._nodes: MutableMapping[Tensor, Node] = WeakIdKeyDictionary()
        self._count = 0
        self.spoke = False  # whether the last call that was told is one of the steps that are followed, or was named
        self.open: dict[int, tuple[str | None, str]] = {}  # begun and not completed: where, and why

    def told(self, name: str, args: Args, kwargs: Kwargs, result: Any) -> Heart | None:
        """Takes note of one call, and gives the attention that it completed, if any."""
        self.spoke = False
        name = name.partition(".")[0]  # what is called straight in aten, or by a script, has its overload behind a dot
        if name == "__setitem__" and isinstance(self.node(args[0]), Scores | AttentionWeights):
            self._nodes[args[0]] = self._written(*args) or self._lost(name, args, args[0]) or Lost(name)
        if not isinstance(result, Tensor) or not result.is_floating_point():
            return None
        if name in PRODUCTS:
            product = PRODUCTS[name](args, kwargs)
            return None if product is None else self._product(product, result)
        rule = _RULES.get(name)
        node = rule(self, args, kwargs, result) if rule else self._lost(name, args, result)
        if node is not None:
            self._nodes[result] = node
        elif name.endswith("_"):  # it was written over
            self._nodes.pop(result, None)
        return None

    def node(self, tensor: Any) -> Node | None:
        """What this tensor is known to be."""
        return self._nodes.get(tensor) if isinstance(tensor, Tensor) else None

    def _lost(self, name: str, args: Args, result: Tensor) -> Lost | None:
        for tensor in tensors_among(args):
            node = self.node(tensor)
            alike = result.numel() == tensor.numel() or result.shape[:-1] == tensor.shape[:-1]
            if alike and isinstance(node, Scores | AttentionWeights | Lost):
                number = node.number if isinstance(node, AttentionWeights | Lost) else None
                return self._astray(node.call if isinstance(node, Lost) else name, number)
        return None

    def _astray(self, call: str, number: int | None) -> Lost:
        self.spoke = self.spoke or number is not None
        if number is not None and number in self.open:
            self.open[number] = (self.open[number][0], f"`{call}` is not a step that can be followed")
        return Lost(call, number)

    def _begun(self) -> int:
        self._count += 1
        self.open[self._count] = (self.where(), "no product with values followed")
        return self._count

    # --- products: queries with keys, or weights with values ------------------------------------------------------

    def _product(self, product: ScaledProduct, result: Tensor) -> Heart | None:
        if isinstance(self.node(product.right), AttentionWeights):
            product = product.turned()
        node = self.node(product.left)
        if isinstance(node, AttentionWeights):
            return self._mixed(node, product, result)
        left, right = product.left, product.right
        pairing = product.pairing()
        is_matrix = (right.ndim == 2 and left.ndim > 2) or right.untyped_storage().data_ptr() in self.learned
        if pairing is None or is_matrix:
            return None  # no product of rows with rows, but of rows with one matrix
        if isinstance(node, Lost) and node.number is not None:
            self._astray(node.call, node.number)
            return None
        *factors, axes = pairing
        steps: list[Step] = []
        rows = []
        for tensor, places in zip((left, right), factors, strict=True):
            source = self.node(tensor)
            steps += [Stretch(source.factor)] if isinstance(source, Stretched) else []
            rows.append(arranged(source.base if isinstance(source, Stretched) else tensor, places))
        shape = tuple(result.permute(axes).shape)
        scores = Scores(rows[0], rows[1], axes, shape, four_axes(shape))
        steps += [Stretch(product.alpha)] if product.alpha != 1.0 else []
        steps += [Add(scores.ordered(product.added), shape)] if product.added is not None else []
        self._nodes[result] = replace(scores, steps=tuple(steps))
        return None

    def _mixed(self, node: AttentionWeights, product: ScaledProduct, result: Tensor) -> Heart | None:
        scores, weights = node.scores, product.left
        mixing = product.mixing(scores.axes)
        if node.logarithm or node.powers or node.summed or scores.sink is not None:
            self._astray("a product before the weights were complete", node.number)
            return None
        if mixing is None or product.added is not None or product.alpha != 1.0:
            self._astray("a product with more than values", node.number)
            return None
        self.open.pop(node.number, None)
        values, mixed = mixing
        undropped = weights if node.undropped is None else node.undropped
        return Heart(
            "softmax", scores.queries, scores.keys, arranged(product.right, values), scores.steps,
            scores.shape, scores.four, result.permute(mixed), undropped.permute(scores.axes), node.dropout,
            node.weigher, mixed, node.number, node.kind,
        )  # fmt: skip

    # --- what is done to scores and weights -----------------------------------------------------------------------

    def _scaled(self, args: Args, kwargs: Kwargs, result: Tensor, divides: bool) -> Node | None:
        tensor, other = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other")
        if not divides and (not isinstance(tensor, Tensor) or self.node(tensor) is None) and isinstance(other, Tensor):
            tensor, other = other, tensor
        node = self.node(tensor)
        if node is None and isinstance(other, Tensor):  # two tensors that nobody follows
            return None
        factor = only_number(other)
        if factor is not None and divides:
            factor = 1.0 / factor if factor else None
        if kwargs.get("rounding_mode") is not None:
            factor = None
        if divides and isinstance(node, AttentionWeights):
            return self._normalised(node, other) or self._lost("div", (tensor, other), result)
        if isinstance(node, AttentionWeights) and factor is None and result.shape == tensor.shape:
            covered = self._covered(node, other == 0, result) if bool(((other == 0) | (other == 1)).all()) else None
            return covered or self._lost("mul", (tensor, other), result)
        if factor is None and isinstance(node, Scores) and node.sink is None and result.shape == tensor.shape:
            numbers = other.detach().reciprocal() if divides else other.detach()
            return node.then(Times(node.ordered(numbers), node.shape))
        sinks = isinstance(node, Scores) and node.sink is not None
        if factor is None or isinstance(node, AttentionWeights | Lost) or sinks:
            return self._lost("div" if divides else "mul", (tensor, other), result)
        if isinstance(node, Scores):
            return node.then(Stretch(factor))
        if result is tensor or not isinstance(tensor, Tensor):  # the base is gone
            return None
        if isinstance(node, Stretched):
            return Stretched(node.base, node.factor * factor)
        return Stretched(tensor, factor)

    def _added(self, args: Args, kwargs: Kwargs, result: Tensor, sign: int) -> Node | None:
        tensor, other = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other")
        if not isinstance(self.node(tensor), Scores) and sign > 0:
            tensor, other = other, tensor
        node = self.node(tensor)
        if not isinstance(node, Scores) or kwargs.get("alpha", 1) != 1 or result.shape != tensor.shape:
            return self._lost("add" if sign > 0 else "sub", (tensor, other), result)
        numbers = other if isinstance(other, Tensor) else torch.full_like(result[..., :1], other)
        numbers = node.ordered(sign * numbers.detach())
        if node.sink is not None and numbers.shape[-1] != 1:
            return self._lost("add" if sign > 0 else "sub", (tensor, other), result)
        sink = None if node.sink is None else node.sink + numbers
        return replace(node.then(Add(numbers, node.shape)), sink=sink)

    def _filled(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        tensor = args[0]
        where, value = argument(args, kwargs, 1, "mask"), only_number(argument(args, kwargs, 2, "value"))
        return self._overwritten("masked_fill", tensor, where, value, result)

    def _written(self, tensor: Tensor, where: Any, value: Any) -> Node | None:
        """`scores[mask] = value`, with a mask as large as the scores or as their leading axes."""
        number = only_number(value)
        if not isinstance(where, Tensor) or where.dtype != torch.bool or number is None:
            return None
        whole = where.reshape(*where.shape, *(1,) * (tensor.ndim - where.ndim)).expand_as(tensor)
        return self._overwritten("__setitem__", tensor, whole, number, tensor)

    def _chosen(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        where, kept, other = (argument(args, kwargs, i, name) for i, name in enumerate(("condition", "input", "other")))
        if where.is_floating_point():  # as a method: scores.where(condition, other)
            where, kept = kept, where
        if isinstance(self.node(other), Scores | AttentionWeights):
            return self._overwritten("where", other, where, only_number(kept), result)
        return self._overwritten("where", kept, ~where, only_number(other), result)

    def _overwritten(self, name: str, tensor: Any, where: Tensor, value: float | None, result: Tensor) -> Node | None:
        node = self.node(tensor)
        if isinstance(node, AttentionWeights) and value == 0.0 and result.shape == tensor.shape:
            return self._covered(node, where, result) or self._lost(name, (tensor,), result)
        if not isinstance(node, Scores) or value is None or result.shape != tensor.shape or node.sink is not None:
            return self._lost(name, (tensor,), result)
        return node.then(Fill(node.ordered(where), value, node.shape))

    def _covered(self, node: AttentionWeights, where: Tensor, result: Tensor) -> Node | None:
        """Weights set to zero: if each row still adds up to one, or all of it is zero, their scores were hidden."""
        scores = node.scores
        if node.dropout or node.logarithm or node.powers or node.summed or scores.sink is not None:
            return None
        whole = where.expand_as(result).permute(scores.axes).all(-1)
        left = result.detach().permute(scores.axes).sum(-1)[~whole]
        if node.weigher == "softmax" and bool(((left - 1.0).abs() > _ROUGHLY).any()):
            return None
        return replace(node, scores=scores.then(Fill(scores.ordered(where), -math.inf, scores.shape)))

    def _softmax(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        tensor = argument(args, kwargs, 0, "input")
        node, dim = self.node(tensor), argument(args, kwargs, 1, "dim")
        if not isinstance(node, Scores | Lost):
            return None
        number = self._begun()
        if isinstance(node, Lost):
            return self._astray(node.call, number)
        if dim is not None and dim % result.ndim == node.axes[-2] and node.sink is None:
            node = node.turned()  # what we took for queries are the keys
        if dim is None or dim % result.ndim != node.axes[-1]:
            return self._astray("softmax along another axis than the keys", number)
        weigher = "softmax" if node.sink is None else "quiet softmax"
        return AttentionWeights(node, number, weigher=weigher, kind=result.dtype)

    def _log_softmax(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node = self._softmax(args, kwargs, result)
        return replace(node, logarithm=True) if isinstance(node, AttentionWeights) else node

    def _power(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        """Powers of scores are weights once divided by their sum; those of logarithms of weights are already."""
        node = self.node(args[0])
        if isinstance(node, AttentionWeights) and node.logarithm:
            return replace(node, logarithm=False)
        if not isinstance(node, Scores) or node.sink is not None:
            return self._lost("exp", args, result)
        return AttentionWeights(node, self._begun(), powers=True)

    def _sum(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node, axis = self.node(args[0]), argument(args, kwargs, 1, "dim", "axis")
        axis = axis[0] if isinstance(axis, list | tuple) and len(axis) == 1 else axis
        kept = argument(args, kwargs, 2, "keepdim")
        if not isinstance(node, AttentionWeights) or not node.powers or not isinstance(axis, int) or not kept:
            return self._lost("sum", args, result)
        return replace(node, powers=False, summed=True) if axis % args[0].ndim == node.scores.axes[-1] else None

    def _normalised(self, node: AttentionWeights, other: Any) -> AttentionWeights | None:
        below = self.node(other)
        same = isinstance(below, AttentionWeights) and below.summed and node.number == below.number
        return replace(node, powers=False) if same and node.powers else None

    def _sigmoid(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node = self.node(args[0])
        if not isinstance(node, Scores) or node.sink is not None:
            return self._lost("sigmoid", args, result)
        return AttentionWeights(node, self._begun(), weigher="sigmoid")

    def _bent(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node = self.node(args[0])
        straight = isinstance(node, Scores) and node.sink is None
        return node.then(Bent()) if isinstance(node, Scores) and straight else self._lost("tanh", args, result)

    def _bounded(self, args: Args, kwargs: Kwargs, result: Tensor, one_sided: bool) -> Node | None:
        """`clamp(scores, low, high)`, or `max(scores, low)` with one number in a tensor."""
        tensor, low = args[0], argument(args, kwargs, 1, "min", "other")
        high = None if one_sided else argument(args, kwargs, 2, "max")
        node = self.node(tensor)
        least = -math.inf if low is None else only_number(low)
        most = math.inf if high is None else only_number(high)
        if not isinstance(node, Scores) or least is None or most is None or node.sink is not None:
            return self._lost("clamp", args, result)
        return node.then(Bound(least, most)) if result.shape == tensor.shape else self._lost("clamp", args, result)

    def _joined(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        """One more score at the end of every row: a sink."""
        parts, axis = argument(args, kwargs, 0, "tensors"), argument(args, kwargs, 1, "dim")
        node = self.node(parts[0])
        fits = isinstance(node, Scores) and len(parts) == 2 and axis is not None and parts[1].shape[axis] == 1
        if not isinstance(node, Scores) or not fits or axis % result.ndim != node.axes[-1] or node.sink is not None:
            return self._lost("cat", args, result)
        return replace(node, sink=parts[1].detach().permute(node.axes))

    def _sliced(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        """All weights but the one of the sink."""
        tensor, places = args
        node = self.node(tensor)
        last = places[-1] if isinstance(places, tuple) and places else None
        others = places[:-1] if isinstance(places, tuple) else ()
        if not isinstance(node, AttentionWeights) or node.scores.sink is None or not isinstance(last, slice):
            return self._lost("__getitem__", (tensor,), result)
        scores, sink = node.scores, node.scores.sink
        whole = all(each is Ellipsis or each == slice(None) for each in others)
        if not whole or tuple(result.permute(scores.axes).shape) != scores.shape or last.start not in (None, 0):
            return self._lost("__getitem__", (tensor,), result)
        return replace(node, scores=replace(scores.then(Add(-sink, scores.shape)), sink=None))

    def _dropped(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        tensor = args[0]
        node = self.node(tensor)
        rate = float(0.5 if (p := argument(args, kwargs, 1, "p")) is None else p)
        if rate == 0.0 or argument(args, kwargs, 2, "training", "train") is False:
            return node
        if not isinstance(node, AttentionWeights) or result is tensor:
            return self._lost("dropout", args, result)
        return replace(node, dropout=rate, undropped=tensor if node.undropped is None else node.undropped)

    def _ended(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        """A layer makes new features of whatever it is given."""
        return None

    def _kept(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node = self.node(args[0])
        return None if isinstance(node, Stretched) else node

    def _moved(self, args: Args, kwargs: Kwargs, result: Tensor, how: str) -> Node | None:
        """Axes in another order: `transpose(a, b)`, `permute(…)` or `mT`."""
        node, tensor = self.node(args[0]), args[0]
        if not isinstance(node, Scores | AttentionWeights):
            return None if isinstance(node, Stretched) else node
        scores = node.scores if isinstance(node, AttentionWeights) else node
        order = torch.empty(tuple(range(1, tensor.ndim + 1)), device="meta")  # each axis has its number for a size
        if scores.sink is not None:
            return self._lost(how, args, result)
        moved = order.mT if how == "mT" else getattr(order, how)(*args[1:], **kwargs)
        found = scores.moved(tuple(size - 1 for size in moved.shape))
        return replace(node, scores=found) if isinstance(node, AttentionWeights) else found

    def _without_nan(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        """Rows that see nothing become zeros, as they are with us."""
        node = self.node(args[0])
        return node if isinstance(node, AttentionWeights) else self._lost("nan_to_num", args, result)

    def _reshaped(self, args: Args, kwargs: Kwargs, result: Tensor) -> Node | None:
        node = self.node(args[0])
        if node is None or isinstance(node, Stretched):
            return None
        scores = node.scores if isinstance(node, AttentionWeights) else node
        straight = isinstance(scores, Scores) and scores.axes == tuple(range(len(scores.axes)))
        if not isinstance(scores, Scores) or not straight or tuple(result.shape[-2:]) != scores.shape[-2:]:
            return self._lost("reshape", args, result)
        shape = tuple(result.shape)
        moved = _in_shape(scores, shape)
        return replace(node, scores=moved) if isinstance(node, AttentionWeights) else moved


def _in_shape(scores: Scores, shape: Shape) -> Scores:
    """The same scores with other leading axes: a head axis that appears is the one to show."""
    lead = scores.shape[:-2]
    queries, keys = (
        t.expand(*lead, *t.shape[-2:]).reshape(*shape[:-2], *t.shape[-2:]) for t in (scores.queries, scores.keys)
    )
    four = four_axes(shape) if len(shape) >= len(scores.shape) else scores.four
    return replace(scores, queries=queries, keys=keys, shape=shape, axes=tuple(range(len(shape))), four=four)


def _rules() -> dict[str, Callable[..., Node | None]]:
    def named(names: str, rule: Callable[..., Node | None], **options: Any) -> dict[str, Callable[..., Node | None]]:
        return dict.fromkeys(names.split(), lambda self, *call: rule(self, *call, **options))

    return {
        **named("mul mul_ multiply __mul__ __rmul__ __imul__", Follower._scaled, divides=False),
        **named("div div_ divide true_divide __truediv__ __itruediv__", Follower._scaled, divides=True),
        **named("add add_ __add__ __radd__ __iadd__", Follower._added, sign=1),
        **named("sub sub_ subtract __sub__ __isub__", Follower._added, sign=-1),
        **named("masked_fill masked_fill_", Follower._filled),
        **named("where", Follower._chosen),
        **named("softmax _softmax _safe_softmax", Follower._softmax),
        **named("log_softmax _log_softmax", Follower._log_softmax),
        **named("exp exp_", Follower._power),
        **named("sum", Follower._sum),
        **named("sigmoid sigmoid_", Follower._sigmoid),
        **named("tanh tanh_", Follower._bent),
        **named("clamp clip clamp_", Follower._bounded, one_sided=False),
        **named("clamp_min clamp_min_ maximum max", Follower._bounded, one_sided=True),
        **named("cat concat concatenate", Follower._joined),
        **named("__getitem__", Follower._sliced),
        **named("dropout dropout_", Follower._dropped),
        **named("linear layer_norm rms_norm group_norm batch_norm conv1d conv2d conv3d", Follower._ended),
        **named("to float double half bfloat16 type type_as contiguous clone detach", Follower._kept),
        **named("nan_to_num nan_to_num_", Follower._without_nan),
        **named("transpose", Follower._moved, how="transpose"),
        **named("permute", Follower._moved, how="permute"),
        **named("mT", Follower._moved, how="mT"),
        **named("view _unsafe_view expand reshape flatten unflatten squeeze unsqueeze", Follower._reshaped),
    }


_RULES: Mapping[str, Callable[..., Node | None]] = MappingProxyType(_rules())
