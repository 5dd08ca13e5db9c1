"""What a tensor of a foreign model may be known as on its way to an attention: scores, weights, or lost sight of.

It holds facts only; `follower.py` says how one becomes the other.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from glassformer.inside.watching.following.score_steps import Shape, Step, step_turned


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
    sink: Tensor | None = None  # … Tq 1: one more score in every row, of a key that says nothing

    def then(self, step: Step) -> "Scores":
        """The scores after one more step."""
        return replace(self, steps=(*self.steps, step))

    def turned(self) -> "Scores":
        """The same with queries and keys in each other's place: keys ask."""
        axes = (*self.axes[:-2], self.axes[-1], self.axes[-2])
        shape, four = (_turned(each) for each in (self.shape, self.four))
        steps = tuple(step_turned(step) for step in self.steps)
        return replace(self, queries=self.keys, keys=self.queries, axes=axes, shape=shape, four=four, steps=steps)

    def moved(self, order: Shape) -> "Scores":
        """The same after the tensor's axes were put in this order."""
        return replace(self, axes=tuple(order.index(axis) for axis in self.axes))

    def ordered(self, numbers: Tensor) -> Tensor:
        """Numbers that were broadcast against the tensor, in the order … Tq Tk."""
        return numbers.reshape((1,) * (len(self.axes) - numbers.ndim) + tuple(numbers.shape)).permute(self.axes)


def _turned(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


@dataclass(frozen=True)
class AttentionWeights:
    """The softmax of scores, perhaps after dropout; `undropped` is then what it was before."""

    scores: Scores
    number: int
    dropout: float = 0.0
    undropped: Tensor | None = None
    weigher: str = "softmax"
    kind: torch.dtype = torch.float64  # the coarsest numbers that they were made of
    logarithm: bool = False  # of the weights
    powers: bool = False  # not yet divided by their sum
    summed: bool = False  # that sum


@dataclass(frozen=True)
class Lost:
    """Scores, or weights with a number, that went through a call which is not one of the steps of attention."""

    call: str
    number: int | None = None


Node = Stretched | Scores | AttentionWeights | Lost
