"""What a tensor of a foreign model may be known as on its way to an attention: scores, weights, or lost sight of.

It holds facts only; the rules beside it say how one becomes the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from glassformer.inside.watching.following.products import Places, arranged
from glassformer.inside.watching.following.score_steps import Shape, Step, step_turned
from glassformer.inside.watching.following.weight_steps import WeightStep


@dataclass(frozen=True)
class Stretched:
    """A tensor that is another one times a number: queries are often scaled before they meet the keys."""

    base: Tensor
    factor: float


@dataclass(frozen=True)
class Scores:
    """Numbers for pairs of queries and keys, and what was done to them.

    axes      where the tensor has each axis of … Tq Tk; None for one of size 1 that it lacks
    shape     of the scores in that order; `four` the same as B H Tq Tk
    sink      … Tq 1: one more score in every row, of a key that says nothing; at the row's end, or its beginning
    scorer    how they were made, by the catalogue's name for that way
    folded    whether the tensor is, for a while, one long list of rows: all but the keys in one axis
    rivals    leading axes that may be the queries in Tq's place, and the keys in Tk's: heads that share the other side
    alone     whether every row asks alone, among keys of its own
    products  the numbers of the products that they were made by
    """

    queries: Tensor  # … Tq K
    keys: Tensor  # … Tk K
    axes: Places
    shape: Shape
    four: Shape
    steps: tuple[Step, ...] = ()
    sink: Tensor | None = None
    sink_first: bool = False
    scorer: str = ""
    n_axes: int = 0  # of the tensor, where it has more of size 1 than are named
    folded: bool = False
    rivals: tuple[Shape, Shape] = ((), ())
    alone: bool = False
    products: frozenset[int] = frozenset()

    def then(self, step: Step) -> "Scores":
        """The scores after one more step."""
        return replace(self, steps=(*self.steps, step))

    def turned(self) -> "Scores":
        """The same with queries and keys in each other's place: keys ask."""
        axes = (*self.axes[:-2], self.axes[-1], self.axes[-2])
        shape, four = (_turned(each) for each in (self.shape, self.four))
        steps = tuple(step_turned(step) for step in self.steps)
        return replace(
            self, queries=self.keys, keys=self.queries, axes=axes, shape=shape, four=four, steps=steps,
            rivals=self.rivals[::-1],
        )  # fmt: skip

    def moved(self, order: Shape) -> "Scores":
        """The same after the tensor's axes were put in this order."""
        return replace(self, axes=tuple(None if axis is None else order.index(axis) for axis in self.axes))

    def without_axes(self, gone: Shape) -> "Scores":
        """The same after axes of size 1 were taken from the tensor."""
        kept = [axis for axis in range(self._axes_of_tensor()) if axis not in gone]
        axes = tuple(kept.index(axis) if axis is not None and axis in kept else None for axis in self.axes)
        return replace(self, axes=axes, n_axes=len(kept))

    def with_axis(self, place: int) -> "Scores":
        """The same after an axis of size 1 came to the tensor: one that was missing, or one that means nothing."""
        axes = [None if axis is None else axis + (axis >= place) for axis in self.axes]
        missing = [i for i, axis in enumerate(axes) if axis is None]
        if missing:
            axes[missing[-1]] = place
        return replace(self, axes=tuple(axes), n_axes=self._axes_of_tensor() + 1)

    def blank(self) -> int | None:
        """An axis of the tensor that means nothing, if it has one."""
        return next((axis for axis in range(self._axes_of_tensor()) if axis not in self.axes), None)

    def _axes_of_tensor(self) -> int:
        return self.n_axes or sum(axis is not None for axis in self.axes)

    def ordered(self, numbers: Tensor) -> Tensor:
        """Numbers that were broadcast against the tensor, in the order … Tq Tk."""
        return arranged(
            numbers.reshape((1,) * (self._axes_of_tensor() - numbers.ndim) + tuple(numbers.shape)), self.axes
        )


def _turned(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


@dataclass(frozen=True)
class AttentionWeights:
    """Scores made weights, perhaps after dropout; `undropped` is then what they were before.

    after     what was done to them since
    unbent    the same numbers as scores, where a bend may have been one more step to a softmax
    powers    whether they are not yet divided by their sum; `logarithm` whether they are logarithms of weights
    part      the keys from here to there, if only they are left of it; `whole` is then all of it, as … Tq Tk
    """

    scores: Scores
    number: int
    dropout: float = 0.0
    undropped: Tensor | None = None
    weigher: str = "softmax"
    kind: torch.dtype = torch.float64  # the coarsest numbers that they were made of
    logarithm: bool = False
    powers: bool = False
    after: tuple[WeightStep, ...] = ()
    unbent: Scores | None = None
    part: tuple[int, int] | None = None
    whole: Tensor | None = None

    @property
    def complete(self) -> bool:
        """Whether they may meet values."""
        return not (self.logarithm or self.powers) and self.scores.sink is None


@dataclass(frozen=True)
class Spread:
    """Weights times values place by place, still to be added up along the keys."""

    node: AttentionWeights
    weights: Tensor
    values: Tensor


@dataclass(frozen=True)
class Moved:
    """Weights that lie otherwise now: at each place the number of the weight that stands there, or −1."""

    node: AttentionWeights
    codes: Tensor


@dataclass(frozen=True)
class PartMixed:
    """What some of the keys came to: the values, rows × keys × width, by the part of the weights that met them."""

    node: AttentionWeights
    values: Mapping[tuple[int, int], Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Lost:
    """Scores, or weights with a number, that went through a call which is not one of the steps of attention."""

    call: str
    number: int | None = None


Node = Stretched | Scores | AttentionWeights | Spread | Moved | PartMixed | Lost
