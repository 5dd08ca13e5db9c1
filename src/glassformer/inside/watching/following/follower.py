"""Hand-written attention, recognised by following tensors: a product, what is done to it, a softmax, another product.

Every call of torch is told here, with what it gave. A tensor that may be scores or weights is remembered, weakly, as
long as it lives; when weights meet values, an attention was found. It computes nothing, and knows neither modules nor
the core. What it cannot follow it does not guess: it says which call it was.
"""

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from torch import Tensor

from glassformer.inside.watching.following import moved_weights, moving_rules, score_rules, weight_rules
from glassformer.inside.watching.following.axes import ALONE, GUESSED, four_axes, settled, standing_of
from glassformer.inside.watching.following.joining import all_values, together
from glassformer.inside.watching.following.nodes import (
    AttentionWeights,
    Lost,
    Moved,
    Node,
    PartMixed,
    Scores,
    Spread,
    Stretched,
)  # fmt: skip
from glassformer.inside.watching.following.products import (
    LAYERS,
    PRODUCTS,
    Args,
    Kwargs,
    Places,
    ScaledProduct,
    argument,
    arranged,
    as_rows,
    summed_along,
    tensors_among,
)  # fmt: skip
from glassformer.inside.watching.following.rebuilding import SHARING, Heart
from glassformer.inside.watching.following.score_steps import LOW, Add, Fill, Step, Stretch, Talk
from glassformer.inside.watching.following.trail import Trail
from glassformer.inside.watching.following.weight_steps import with_step


class Follower(Trail):
    """Follows the tensors of one watched pass.

    learned    where the weights of the model lie in memory
    given      whether a tensor depends on the model alone
    layers     whether to follow products of rows with a matrix of the model, which asks or can be asked; else of rows
               with rows. Nearly every layer is such a product, so they are followed apart
    """

    def __init__(
        self, where: Callable[[], str | None], numbers: Iterator[int], learned: Collection[int],
        given: Callable[[Tensor], bool] = lambda _: False, layers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(where, numbers, given)
        self.learned = learned
        self.layers = layers

    def told(self, name: str, args: Args, kwargs: Kwargs, result: Any) -> Heart | None:
        """Takes note of one call, and gives the attention that it completed, if any."""
        self.spoke, self.spoke_of, self.part_of = False, None, None
        if not args and "input" in kwargs and "condition" not in kwargs:  # rules look for it in the first place
            args, kwargs = (kwargs["input"],), {name: each for name, each in kwargs.items() if name != "input"}
        name = name.partition(".")[0]  # what is called straight in aten, or by a script, has its overload behind a dot
        self.traced(name, args, kwargs, result)
        if name == "__setitem__" and isinstance(self.node(args[0]), Scores | AttentionWeights):
            self.nodes[args[0]] = score_rules.written(self, *args) or self.lost(name, args, args[0]) or Lost(name)
        if name in _SPLITTING and isinstance(result, list | tuple) and isinstance(args[0], Tensor):
            weight_rules.split(self, args[0], result)
        if not isinstance(result, Tensor) or not result.is_floating_point():
            return None
        if name not in _ROW_BY_ROW and any(map(self._is_folded, tensors_among(args))):
            self.nodes[result] = self.lost(name, args, result) or Lost(name)
            return None
        layer = LAYERS[name](args, kwargs) if name in LAYERS else None
        if layer is not None and (self.layers or self.node(layer.left) is not None):
            return self._product(layer, result)
        if name in PRODUCTS:
            product = PRODUCTS[name](args, kwargs)
            return None if product is None else self._product(product, result)
        if name == "sum" and isinstance(node := self.node(args[0]), Spread):
            return self._summed(node, args, kwargs, result)
        if name in _ADDING and isinstance(self.node(args[0]), PartMixed):
            return self._further_part(args, result)
        rule = _RULES.get(name)
        node = rule(self, args, kwargs, result) if rule else self.lost(name, args, result)
        if node is not None:
            self.nodes[result] = node
        elif name.endswith("_"):  # it was written over
            self.nodes.pop(result, None)
        return None

    def _is_folded(self, tensor: Tensor) -> bool:
        node = self.node(tensor)
        scores = node.scores if isinstance(node, AttentionWeights) else node
        return isinstance(scores, Scores) and scores.folded

    # --- products: queries with keys, or weights with values ------------------------------------------------------

    def _product(self, product: ScaledProduct, result: Tensor) -> Heart | None:
        if isinstance(self.node(product.right), AttentionWeights):
            product = product.turned()
        node = self.node(product.left)
        talked = self._talked(node, product) if isinstance(node, Scores | AttentionWeights) else None
        if talked is not None:
            self.spoke = True
            self.nodes[result] = talked
            return None
        if isinstance(node, AttentionWeights):
            return self._mixed(node, product, result)
        if isinstance(node, Lost) and node.number is not None and not self._is_matrix(product):
            self.astray(node.call, node.number, weighs=True)
        elif self._is_matrix(product) == self.layers:
            self._scored(product, result)
        return None

    def _is_matrix(self, product: ScaledProduct) -> bool:
        """Whether it is no product of rows with rows, but of rows with one matrix."""
        left, right = product.left, product.right
        return self._is_the_models(left, right) or self._is_the_models(right, left)

    def _is_the_models(self, matrix: Tensor, beside: Tensor) -> bool:
        """Whether it is one matrix for all rows beside it."""
        return matrix.ndim == 2 < beside.ndim or matrix.untyped_storage().data_ptr() in self.learned

    def _scored(self, product: ScaledProduct, result: Tensor) -> None:
        pairing = product.pairing()
        if pairing is None:
            return
        *factors, axes = pairing
        steps: list[Step] = []
        rows = []
        for tensor, places in zip((product.left, product.right), factors, strict=True):
            source = self.node(tensor)
            steps += [Stretch(source.factor)] if isinstance(source, Stretched) else []
            rows.append(as_rows(source.base if isinstance(source, Stretched) else tensor, places, len(axes)))
        shape = tuple(arranged(result, axes).shape)
        scores = Scores(
            rows[0], rows[1], axes, shape, four_axes(shape), rivals=product.rivals(axes), products=self.product(result)
        )
        steps += [Stretch(product.alpha)] if product.alpha != 1.0 else []
        steps += [Add(scores.ordered(product.added.detach()), shape)] if product.added is not None else []
        self.nodes[result] = replace(scores, steps=tuple(steps))

    def _talked(self, node: Scores | AttentionWeights, product: ScaledProduct) -> Scores | AttentionWeights | None:
        """Heads that talk to each other, by a matrix of as many rows as heads."""
        scores = node.scores if isinstance(node, AttentionWeights) else node
        found = product.talking(scores.axes) if len(scores.shape) == len(scores.four) else None
        if found is None or product.alpha != 1.0 or scores.sink is not None:
            return None
        matrix, axes = found
        if self.follows(product.right, scores):
            return None
        heads = scores.shape[1]
        if tuple(matrix.shape) != (heads, heads) or scores.axes[1] == axes[0]:
            return None
        talk = Talk(matrix, None if product.added is None else product.added.detach().flatten())
        if isinstance(node, Scores):
            return replace(node.then(talk), axes=axes)
        steps = with_step(node.after, talk)
        if steps is None or node.dropout or not node.complete or node.part is not None:
            return None
        return replace(node, scores=replace(scores, axes=axes), after=steps, unbent=None)

    def _mixed(self, node: AttentionWeights, product: ScaledProduct, result: Tensor) -> Heart | None:
        if self.layers and (self._is_the_models(product.right, product.left) or node.weigher not in SHARING):
            return None  # learned values, or a plain layer: nobody can tell; a bend in a layer is no weight
        if node.weigher not in SHARING and product.right.untyped_storage().data_ptr() in self.learned:
            self.open.pop(node.number, None)  # a bend in a layer is no weight
            return None
        node = node if node.after or node.part is not None else replace(node, scores=settled(node.scores))
        mixing = product.mixing(node.scores.axes)
        if not node.complete:
            plain = node.powers and self._is_the_models(product.right, product.left)  # bells in a layer
            self.astray("a product before the weights were complete", node.number, weighs=not plain)
            return None
        if mixing is None or product.added is not None or product.alpha != 1.0:
            self.astray("a product with more than values", node.number, weighs=True)
            return None
        places, mixed = mixing
        values = as_rows(product.right, places, len(node.scores.axes))
        if node.part is not None:
            self._one_part(node, values, mixed, result)
            return None
        weights = product.left if node.undropped is None else node.undropped
        return self._heart(node, values, result, mixed, arranged(weights, node.scores.axes))

    def _heart(self, node: AttentionWeights, values: Tensor, result: Tensor, mixed: Places, weights: Tensor) -> Heart:
        self.open.pop(node.number, None)
        scores = node.scores
        standing = ALONE if scores.alone else GUESSED if scores.rivals[0] else standing_of(scores.shape)
        return Heart(
            "softmax", scores.queries, scores.keys, values, scores.steps, scores.shape, scores.four,
            result, weights, node.dropout, node.weigher, mixed, node.number, node.kind, scores.scorer, node.after,
            standing,
        )  # fmt: skip

    def _summed(self, node: Spread, args: Args, kwargs: Kwargs, result: Tensor) -> Heart | None:
        """Weights times values place by place, added up along the keys: a product after all."""
        axis = argument(args, kwargs, 1, "dim", "axis")
        axis = axis[0] if isinstance(axis, list | tuple) and len(axis) == 1 else axis
        found = summed_along(node.weights, node.node.scores.axes, node.values, axis) if isinstance(axis, int) else None
        if found is None:
            self.lost("sum", args, result)
            return None
        product, axes = found
        weights = replace(node.node, scores=replace(node.node.scores, axes=axes, n_axes=0))
        return self._mixed(weights, product, result.reshape(product.shape_of_result()))

    # --- parts: weights cut into lots of keys, each with its values, and added up again ----------------------------

    def _one_part(self, node: AttentionWeights, values: Tensor, mixed: Places, result: Tensor) -> None:
        lead = node.scores.shape[:-2]
        if mixed != tuple(range(len(mixed))) or node.part is None:
            self.astray("a part of the weights in another order", node.number, weighs=True)
            return
        rows = values.expand(*lead, *values.shape[-2:]).reshape(-1, *values.shape[-2:])
        self.weighed.add(node.number)
        self.part_of = node.number
        self.nodes[result] = PartMixed(node, {node.part: rows})

    def _further_part(self, args: Args, result: Tensor) -> Heart | None:
        one, other = (self.node(each) for each in args[:2])
        both = together(one, other) if isinstance(one, PartMixed) and isinstance(other, PartMixed) else None
        if both is None or both.node.whole is None:
            self.lost("add", args, result)
            return None
        values = all_values(both)
        if values is None:
            self.nodes[result] = both
            return None
        return self._heart(both.node, values, result, (), both.node.whole)


class FollowerOfWeights(Follower):
    """Follows weights alone from a softmax on, also where they are laid out otherwise; scores are as they came."""

    def told(self, name: str, args: Args, kwargs: Kwargs, result: Any) -> Heart | None:
        """Takes note of one call, and gives the attention that it completed, if any."""
        before = self.node(args[0]) if args else None
        found = super().told(name, args, kwargs, result)
        if not isinstance(result, Tensor) or not isinstance(before, AttentionWeights | Moved):
            return found
        if isinstance(before, AttentionWeights):
            lost = isinstance(self.node(result), Lost)
            start = moved_weights.begun(before, args[0]) if lost and name in moved_weights.MOVES else None
        else:
            start = before
        if start is not None:
            after = moved_weights.moved_on(name, start, args, kwargs, result)
            self.nodes[result] = after or Lost(name, start.node.number)
        return found

    def scores_as_they_came(self, tensor: Tensor, dim: int | None) -> Scores | None:
        """The scores that a softmax was handed, along the last axis, or down the one column that there is."""
        if dim is None or tensor.ndim < 2 or not tensor.is_floating_point():
            return None
        order = list(range(tensor.ndim))
        if dim % tensor.ndim == tensor.ndim - 2 and tensor.shape[-1] == 1:
            order[-2:] = order[:-3:-1]
        elif dim % tensor.ndim != tensor.ndim - 1:
            return None
        numbers = tensor.detach().permute(order)
        beside = numbers.amax(-1, keepdim=True) > LOW + _FAR  # what stands so far below it weighs exactly nothing
        shape, hidden = tuple(numbers.shape), (numbers == -math.inf) | ((numbers <= LOW) & beside)
        nobody = numbers.new_zeros((1,) * (tensor.ndim - 2) + (shape[-1], 1))  # no keys are known
        steps: tuple[Step, ...] = (Fill(hidden, -math.inf, shape),) if bool(hidden.any()) else ()
        numbers = numbers.masked_fill(hidden, 0.0) if steps else numbers
        return Scores(numbers, nobody, tuple(order), shape, four_axes(shape), steps, scorer="given")

    def _scored(self, product: ScaledProduct, result: Tensor) -> None:
        """Products are not followed."""

    def _product(self, product: ScaledProduct, result: Tensor) -> Heart | None:
        """Weights that lie otherwise are taken as rows along the axis that is added up."""
        node = self.node(product.left)
        if not isinstance(node, Moved):
            return super()._product(product, result)
        weights = moved_weights.as_weights(node, product.left)
        return None if weights is None else self._mixed(weights, product, result)

    def _mixed(self, node: AttentionWeights, product: ScaledProduct, result: Tensor) -> Heart | None:
        """Rows of weights that have values of their own are as many questions, each alone."""
        alone = product.mixing(node.scores.axes) is None and node.part is None
        return super()._mixed(replace(node, scores=_alone(node.scores)) if alone else node, product, result)


def _alone(scores: Scores) -> Scores:
    """The same with one question for each row."""
    shape = (*scores.shape[:-1], 1, scores.shape[-1])
    axes = (*scores.axes[:-1], scores.blank(), scores.axes[-1])
    steps = tuple(Fill(s.where.unsqueeze(-2), s.value, shape) if isinstance(s, Fill) else s for s in scores.steps)
    rows, nobody = scores.queries.unsqueeze(-2), scores.keys.unsqueeze(0)
    return replace(
        scores, queries=rows, keys=nobody, axes=axes, shape=shape, four=four_axes(shape), steps=steps, alone=True
    )


_FAR = 1e3
_ROW_BY_ROW = frozenset((
    "softmax", "_softmax", "dropout", "view", "reshape", "_unsafe_view", "contiguous", "clone", "detach",
))  # fmt: skip
_SPLITTING = frozenset(("split", "chunk", "tensor_split", "split_with_sizes"))
_ADDING = frozenset(("add", "add_", "__add__", "__radd__", "__iadd__"))


def _rules() -> dict[str, Callable[..., Node | None]]:
    def named(names: str, rule: Callable[..., Node | None], **options: Any) -> dict[str, Callable[..., Node | None]]:
        return dict.fromkeys(names.split(), lambda *call: rule(*call, **options))

    bends = "relu silu gelu abs leaky_relu elu softplus"
    layers = "linear layer_norm rms_norm group_norm conv1d conv2d conv3d"
    return {
        **named("mul mul_ multiply __mul__ __rmul__ __imul__", score_rules.scaled, divides=False),
        **named("div div_ divide true_divide __truediv__ __itruediv__", score_rules.scaled, divides=True),
        **named("neg negative __neg__", score_rules.negative),
        **named("add add_ __add__ __radd__ __iadd__", score_rules.added, sign=1),
        **named("sub sub_ subtract __sub__ __isub__", score_rules.added, sign=-1),
        **named("masked_fill masked_fill_", score_rules.filled),
        **named("where", score_rules.chosen),
        **named("softmax _softmax _safe_softmax", score_rules.softmax),
        **named("log_softmax _log_softmax", score_rules.log_softmax),
        **named("exp exp_", score_rules.power),
        **named("sigmoid sigmoid_", score_rules.sigmoid),
        **named("tanh tanh_", score_rules.bent),
        **{name: rule for each in bends.split() for name, rule in named(each, score_rules.applied, name=each).items()},
        **named("pow __pow__ square", score_rules.squared),
        **named("clamp clip clamp_", score_rules.bounded, one_sided=False),
        **named("clamp_min clamp_min_ maximum max", score_rules.bounded, one_sided=True),
        **named("cdist", score_rules.distances),
        **named("cat concat concatenate", score_rules.extended),
        **named("sum", weight_rules.summed),
        **named("normalize", weight_rules.normalised),
        **named("__getitem__", weight_rules.sliced),
        **named("dropout dropout_", weight_rules.dropped),
        **named("nan_to_num nan_to_num_", weight_rules.without_nan),
        **named("batch_norm", weight_rules.batch_normalised),
        **{name: rule for each in layers.split() for name, rule in named(each, weight_rules.ended, name=each).items()},
        **named("to float double half bfloat16 type type_as contiguous clone detach", moving_rules.kept),
        **named("transpose", moving_rules.moved, how="transpose"),
        **named("permute", moving_rules.moved, how="permute"),
        **named("t", moving_rules.moved, how="t"),
        **named("mT", moving_rules.moved, how="mT"),
        **named("squeeze", moving_rules.squeezed),
        **named("unsqueeze", moving_rules.unsqueezed),
        **named("view _unsafe_view expand reshape flatten unflatten", moving_rules.reshaped),
    }  # fmt: skip


_RULES: Mapping[str, Callable[..., Node | None]] = MappingProxyType(_rules())
