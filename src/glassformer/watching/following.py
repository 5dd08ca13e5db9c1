"""Hand-written attention, recognised by following tensors: a product, what is done to it, a softmax, another product.

Every call of torch is told here, with what it gave. A tensor that may be scores or weights is remembered, weakly, as
long as it lives; when weights meet values, an attention was found. It computes nothing, and knows neither modules nor
the core. What it cannot follow it does not guess: it says which call it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.weak import WeakIdKeyDictionary

from glassformer.watching.rebuilding import Heart, four_axes
from glassformer.watching.steps import Add, Fill, Shape, Step, Stretch


@dataclass(frozen=True)
class Stretched:
    """A tensor that is another one times a number: queries are often scaled before they meet the keys."""

    base: Tensor
    factor: float


@dataclass(frozen=True)
class Scores:
    """Products of queries and keys, and what was done to them. `axes` brings the tensor to the order … Tq Tk."""

    queries: Tensor  # … Tq K
    keys: Tensor  # … Tk K
    axes: Shape
    shape: Shape  # of the scores in that order
    four: Shape
    steps: tuple[Step, ...] = ()

    def then(self, step: Step) -> "Scores":
        """The scores after one more step."""
        return replace(self, steps=(*self.steps, step))

    def ordered(self, numbers: Tensor) -> Tensor:
        """Numbers that were broadcast against the tensor, in the order … Tq Tk."""
        return numbers.reshape((1,) * (len(self.axes) - numbers.ndim) + tuple(numbers.shape)).permute(self.axes)


@dataclass(frozen=True)
class Weights:
    """The softmax of scores, perhaps after dropout; `undropped` is then what it was before."""

    scores: Scores
    number: int
    dropout: float = 0.0
    undropped: Tensor | None = None


@dataclass(frozen=True)
class Lost:
    """Scores, or weights with a number, that went through a call which is not one of the steps of attention."""

    call: str
    number: int | None = None


Node = Stretched | Scores | Weights | Lost


class Follower:
    """Follows the tensors of one watched pass."""

    def __init__(self, where: Callable[[], str | None]) -> None:
        self.where = where  # the module that is running
        self._nodes: WeakIdKeyDictionary = WeakIdKeyDictionary()
        self._count = 0
        self.open: dict[int, tuple[str | None, str]] = {}  # softmaxes that have met no values: where, and why

    def told(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Any) -> Heart | None:
        """Takes note of one call, and gives the attention that it completed, if any."""
        if name == "__setitem__" and isinstance(self.node(args[0]), Scores | Weights):
            self._nodes[args[0]] = self._lost(name, args, args[0])
        if not isinstance(result, Tensor) or not result.is_floating_point():
            return None
        if name in _PRODUCTS:
            return self._product(name, args, kwargs, result)
        rule = _RULES.get(name)
        if rule is None and not any(isinstance(arg, Tensor) and arg in self._nodes for arg in args):
            return None
        node = rule(self, args, kwargs, result) if rule else self._lost(name, args, result)
        if node is not None:
            self._nodes[result] = node
        elif name.endswith("_"):  # it was written over
            self._nodes.pop(result, None)
        return None

    def node(self, tensor: Any) -> Node | None:
        """What this tensor is known to be."""
        return self._nodes.get(tensor) if isinstance(tensor, Tensor) else None

    def _lost(self, name: str, args: tuple[Any, ...], result: Tensor) -> Lost | None:
        for arg in args:
            node = self.node(arg)
            alike = isinstance(arg, Tensor) and (result.numel() == arg.numel() or result.shape[:-1] == arg.shape[:-1])
            if alike and isinstance(node, Scores | Weights | Lost):
                number = node.number if isinstance(node, Weights | Lost) else None
                return self._astray(node.call if isinstance(node, Lost) else name, number)
        return None

    def _astray(self, call: str, number: int | None) -> Lost:
        if number is not None and number in self.open:
            self.open[number] = (self.open[number][0], f"`{call}` is not a step that can be followed")
        return Lost(call, number)

    # --- products: queries with keys, or weights with values ------------------------------------------------------

    def _product(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Heart | None:
        read = _PRODUCTS[name](args, kwargs)
        if read is None:
            return None
        left, right = read.left, read.right
        node = self.node(left)
        if isinstance(node, Weights):
            return self._mixed(node, left, read, result)
        if left.ndim < 2 or right.ndim < 2 or (right.ndim == 2 and left.ndim > 2) or isinstance(right, nn.Parameter):
            return None  # rows times a learned matrix
        pairing = _pairing(read, left.ndim, right.ndim, result.ndim)
        if pairing is None:
            return None
        queries, keys, axes = pairing
        steps: list[Step] = []
        sources = []
        for tensor in (left, right):
            source = self.node(tensor)
            if isinstance(source, Stretched):
                steps.append(Stretch(source.factor))
            sources.append(source.base if isinstance(source, Stretched) else tensor)
        shape = tuple(result.permute(axes).shape)
        scores = Scores(_arranged(sources[0], queries), _arranged(sources[1], keys), axes, shape, four_axes(shape))
        steps += [Stretch(read.alpha)] if read.alpha != 1.0 else []
        steps += [Add(scores.ordered(read.added), shape)] if read.added is not None else []
        self._nodes[result] = replace(scores, steps=tuple(steps))
        return None

    def _mixed(self, node: Weights, weights: Tensor, read: "_Read", result: Tensor) -> Heart | None:
        scores = node.scores
        arrangement = _mixing(read, scores.axes, read.right.ndim, result.ndim)
        if arrangement is None or read.added is not None or read.alpha != 1.0:
            self._astray("einsum" if read.labels else "baddbmm", node.number)
            return None
        self.open.pop(node.number, None)
        values, mixed = arrangement
        seen = weights if node.undropped is None else node.undropped
        return Heart(
            "softmax", scores.queries, scores.keys, _arranged(read.right, values), scores.steps,
            tuple(weights.permute(scores.axes).shape), scores.four, result.permute(mixed),
            seen.permute(scores.axes), node.dropout,
        )  # fmt: skip

    # --- what is done to scores and weights -----------------------------------------------------------------------

    def _scaled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor, divides: bool) -> Node | None:
        tensor, other = _two(args, kwargs)
        if not divides and (not isinstance(tensor, Tensor) or self.node(tensor) is None) and isinstance(other, Tensor):
            tensor, other = other, tensor
        node = self.node(tensor)
        if node is None and isinstance(other, Tensor):  # two tensors that nobody follows
            return None
        factor = _number(other)
        if factor is not None and divides:
            factor = 1.0 / factor if factor else None
        if kwargs.get("rounding_mode") is not None:
            factor = None
        if factor is None or isinstance(node, Weights | Lost):
            return self._lost("div" if divides else "mul", (tensor, other), result)
        if isinstance(node, Scores):
            return node.then(Stretch(factor))
        if result is tensor or not isinstance(tensor, Tensor):  # the base is gone
            return None
        if isinstance(node, Stretched):
            return Stretched(node.base, node.factor * factor)
        return Stretched(tensor, factor)

    def _added(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor, sign: int) -> Node | None:
        tensor, other = _two(args, kwargs)
        if not isinstance(self.node(tensor), Scores) and sign > 0:
            tensor, other = other, tensor
        node = self.node(tensor)
        if not isinstance(node, Scores) or kwargs.get("alpha", 1) != 1 or result.shape != tensor.shape:
            return self._lost("add" if sign > 0 else "sub", (tensor, other), result)
        numbers = other if isinstance(other, Tensor) else torch.full_like(result[..., :1], other)
        return node.then(Add(node.ordered(sign * numbers.detach()), node.shape))

    def _filled(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        tensor = args[0]
        where, value = _argument(args, kwargs, 1, "mask"), _number(_argument(args, kwargs, 2, "value"))
        return self._overwritten("masked_fill", tensor, where, value, result)

    def _chosen(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        where, kept, other = (_argument(args, kwargs, i, name) for i, name in enumerate(("condition", "input", "other")))
        if isinstance(self.node(other), Scores):
            return self._overwritten("where", other, where, _number(kept), result)
        return self._overwritten("where", kept, ~where, _number(other), result)

    def _overwritten(self, name: str, tensor: Any, where: Tensor, value: float | None, result: Tensor) -> Node | None:
        node = self.node(tensor)
        if not isinstance(node, Scores) or value is None or result.shape != tensor.shape:
            return self._lost(name, (tensor,), result)
        return node.then(Fill(node.ordered(where), value, node.shape))

    def _softmax(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        tensor = _argument(args, kwargs, 0, "input")
        node, dim = self.node(tensor), _argument(args, kwargs, 1, "dim")
        if not isinstance(node, Scores | Lost):
            return None
        self._count += 1
        self.open[self._count] = (self.where(), "no product with values followed")
        if isinstance(node, Lost):
            return self._astray(node.call, self._count)
        if dim is None or dim % result.ndim != node.axes[-1]:
            return self._astray("softmax along another axis than the keys", self._count)
        return Weights(node, self._count)

    def _dropped(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        tensor = args[0]
        node = self.node(tensor)
        rate = float(_argument(args, kwargs, 1, "p", 0.5))
        if rate == 0.0 or not _argument(args, kwargs, 2, "training", True):
            return node
        if not isinstance(node, Weights) or result is tensor:
            return self._lost("dropout", args, result)
        return replace(node, dropout=rate, undropped=tensor if node.undropped is None else node.undropped)

    def _kept(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        node = self.node(args[0])
        return None if isinstance(node, Stretched) else node

    def _reshaped(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], result: Tensor) -> Node | None:
        node = self.node(args[0])
        if node is None or isinstance(node, Stretched):
            return None
        scores = node.scores if isinstance(node, Weights) else node
        straight = isinstance(scores, Scores) and scores.axes == tuple(range(len(scores.axes)))
        if not isinstance(scores, Scores) or not straight or tuple(result.shape[-2:]) != scores.shape[-2:]:
            return self._lost("reshape", args, result)
        shape = tuple(result.shape)
        moved = _in_shape(scores, shape)
        return replace(node, scores=moved) if isinstance(node, Weights) else moved


def _in_shape(scores: Scores, shape: Shape) -> Scores:
    """The same scores with other leading axes: a head axis that appears is the one to show."""
    lead = scores.shape[:-2]
    queries, keys = (t.expand(*lead, *t.shape[-2:]).reshape(*shape[:-2], *t.shape[-2:]) for t in (scores.queries, scores.keys))
    four = four_axes(shape) if len(shape) >= len(scores.shape) else scores.four
    return replace(scores, queries=queries, keys=keys, shape=shape, axes=tuple(range(len(shape))), four=four)


# --- reading what a call was handed -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Read:
    """A product: its two factors, and the letters of an einsum."""

    left: Tensor
    right: Tensor
    labels: tuple[str, str, str] | None = None
    alpha: float = 1.0
    added: Tensor | None = None


def _argument(args: tuple[Any, ...], kwargs: Mapping[str, Any], place: int, name: str, default: Any = None) -> Any:
    return args[place] if place < len(args) else kwargs.get(name, default)


def _two(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, Any]:
    return _argument(args, kwargs, 0, "input"), _argument(args, kwargs, 1, "other")


def _number(value: Any) -> float | None:
    """A number, or a tensor that holds just one."""
    if isinstance(value, Tensor):
        return float(value) if value.numel() == 1 else None
    return float(value) if isinstance(value, int | float) else None


def _matmul(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Read | None:
    left = _argument(args, kwargs, 0, "input")
    right = args[1] if len(args) > 1 else next((kwargs[name] for name in ("other", "mat2") if name in kwargs), None)
    return _Read(left, right) if isinstance(left, Tensor) and isinstance(right, Tensor) else None


def _baddbmm(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Read | None:
    added, left, right = (_argument(args, kwargs, i, name) for i, name in enumerate(("input", "batch1", "batch2")))
    alpha, beta = float(kwargs.get("alpha", 1.0)), float(kwargs.get("beta", 1.0))
    return _Read(left, right, alpha=alpha, added=beta * added.detach() if beta else None)


def _einsum(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Read | None:
    operands = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
    if not isinstance(args[0], str) or len(operands) != 2 or "->" not in args[0] or "." in args[0]:
        return None
    inputs, _, output = args[0].replace(" ", "").partition("->")
    first, _, second = inputs.partition(",")
    if any(len(set(letters)) != len(letters) for letters in (first, second, output)):
        return None
    return _Read(operands[0], operands[1], (first, second, output))


_PRODUCTS: Mapping[str, Callable[[tuple[Any, ...], Mapping[str, Any]], _Read | None]] = MappingProxyType(
    {**dict.fromkeys(("matmul", "__matmul__", "bmm", "mm"), _matmul), "baddbmm": _baddbmm, "einsum": _einsum}
)

# Where each axis of an operand goes; None is an axis of size 1 that has to be made.
Arrangement = tuple[int | None, ...]


def _arranged(tensor: Tensor, places: Arrangement) -> Tensor:
    tensor = tensor.detach()
    made = [place for place in places if place is not None]
    tensor = tensor.permute(made)
    for axis, place in enumerate(places):
        if place is None:
            tensor = tensor.unsqueeze(axis)
    return tensor


def _swapped(n_axes: int) -> Shape:
    return (*range(n_axes - 2), n_axes - 1, n_axes - 2)


def _pairing(read: _Read, n_left: int, n_right: int, n_result: int) -> tuple[Arrangement, Arrangement, Shape] | None:
    """How to bring queries to … Tq K, keys to … Tk K and scores to … Tq Tk."""
    if read.labels is None:
        return tuple(range(n_left)), _swapped(n_right), tuple(range(n_result))
    first, second, output = read.labels
    width = set(first) & set(second) - set(output)
    queries, keys = [c for c in first if c not in second], [c for c in second if c not in first]
    if len(width) != 1 or not queries or len(keys) != 1 or set(output) != (set(first) | set(second)) - width:
        return None
    query, key = queries[-1], keys[0]
    lead = [c for c in output if c not in (query, key)]
    return (
        _places(first, [*lead, query, *width]),
        _places(second, [*lead, key, *width]),
        tuple(output.index(c) for c in [*lead, query, key]),
    )


def _mixing(read: _Read, axes: Shape, n_values: int, n_result: int) -> tuple[Arrangement, Shape] | None:
    """How to bring values to … Tk V and what was mixed to … Tq V."""
    if read.labels is None:
        straight = axes == tuple(range(len(axes)))
        return (tuple(range(n_values)), tuple(range(n_result))) if straight else None
    first, second, output = read.labels
    *lead, query, key = (first[axis] for axis in axes)
    value = [c for c in second if c not in first]
    if len(value) != 1 or key not in second or set(output) != {*lead, query, *value}:
        return None
    return _places(second, [*lead, key, *value]), tuple(output.index(c) for c in [*lead, query, *value])


def _places(letters: str, wanted: list[str]) -> Arrangement:
    return tuple(letters.index(c) if c in letters else None for c in wanted)


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
        **named("softmax", Follower._softmax),
        **named("dropout dropout_", Follower._dropped),
        **named("to float double half bfloat16 type type_as contiguous clone detach", Follower._kept),
        **named("view reshape flatten unflatten squeeze unsqueeze", Follower._reshaped),
    }


_RULES: Mapping[str, Callable[..., Node | None]] = MappingProxyType(_rules())
