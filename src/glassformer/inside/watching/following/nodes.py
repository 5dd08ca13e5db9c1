"""What a tensor of a foreign model may be known as on its way to an attention: scores, weights, or lost sight of.

It holds facts only; `follower.py` says how one becomes the other.
"""

from dataclasses import dataclass, replace

from torch import Tensor

from glassformer.inside.watching.following.score_steps import Shape, Step


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

    def ordered(self, numbers: Tensor) -> Tensor:
        """Numbers that were broadcast against the tensor, in the order … Tq Tk."""
        return numbers.reshape((1,) * (len(self.axes) - numbers.ndim) + tuple(numbers.shape)).permute(self.axes)


@dataclass(frozen=True)
class AttentionWeights:
    """The softmax of scores, perhaps after dropout; `undropped` is then what it was before."""

    scores: Scores
    number: int
    dropout: float = 0.0
    undropped: Tensor | None = None
    weigher: str = "softmax"
    logarithm: bool = False  # of the weights
    powers: bool = False  # not yet divided by their sum
    summed: bool = False  # that sum


@dataclass(frozen=True)
class Lost:
    """Scores, or weights with a number, that went through a call which is not one of the steps of attention."""

    call: str
    number: int | None = None


Node = Stretched | Scores | AttentionWeights | Lost
