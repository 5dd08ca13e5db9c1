"""What a foreign model does to its scores before the softmax, in our terms: β, a cap, heads that talk, a bias, a mask.

A foreign mask has many spellings: add −∞, add a very large negative number, write one in, keep where a boolean is
True. Here each becomes a step with the numbers it used. It knows neither who took the steps nor where.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

# A score this low weighs exactly 0 beside any ordinary one, in every float: e^−10000 is below the smallest of them.
LOW = -1e4

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Stretch:
    """Every score times one number."""

    factor: float


@dataclass(frozen=True)
class Add:
    """Numbers added to the scores, which had the shape `at`."""

    numbers: Tensor
    at: Shape


@dataclass(frozen=True)
class Fill:
    """One value written over the scores, of the shape `at`, wherever `where` is True."""

    where: Tensor
    value: float
    at: Shape


@dataclass(frozen=True)
class Times:
    """The scores, which had the shape `at`, times numbers that are not all the same."""

    numbers: Tensor
    at: Shape


@dataclass(frozen=True)
class Bound:
    """No score below `low` or above `high`."""

    low: float
    high: float


@dataclass(frozen=True)
class Bent:
    """The hyperbolic tangent of every score."""


@dataclass(frozen=True)
class Applied:
    """Every score through the same function, such as an absolute value."""

    function: Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Talk:
    """Heads that talk: each becomes a sum of all of them, times the numbers of its row of the matrix."""

    matrix: Tensor  # H H
    bias: Tensor | None = None  # H

    def __call__(self, heads: Tensor) -> Tensor:
        """What B H Tq Tk become."""
        mixed = torch.einsum("gh,bhqk->bgqk", self.matrix.to(heads.dtype), heads)
        return mixed if self.bias is None else mixed + self.bias.to(heads.dtype)[:, None, None]

    def after(self, other: "Talk") -> "Talk":
        """Both in one, the other first."""
        bias = None if other.bias is None else self.matrix @ other.bias
        both = [each for each in (bias, self.bias) if each is not None]
        return Talk(self.matrix @ other.matrix, sum(both[1:], both[0]) if both else None)


Step = Stretch | Add | Fill | Times | Bound | Bent | Applied | Talk


def step_turned(step: Step) -> Step:
    """The same step on scores whose queries and keys have changed places."""
    if isinstance(step, Stretch | Bound | Bent | Applied | Talk):
        return step
    at = (*step.at[:-2], step.at[-1], step.at[-2])
    if isinstance(step, Fill):
        return Fill(step.where.mT, step.value, at)
    return type(step)(step.numbers.mT, at)


@dataclass(frozen=True)
class InOurTerms:
    """The steps as attention.py takes them: β, perhaps a cap, heads that talk, numbers to add, who may look at whom."""

    scale: float
    cap: float | None
    talk: Talk | None
    bias: Tensor | None
    mask: Tensor | None


def in_our_terms(steps: Sequence[Step], scores: Tensor, shares: bool = True) -> InOurTerms:
    """What the steps do to these `scores`, B H Tq Tk.

    A score that is pushed below `LOW` is hidden. But where a row is hidden as a whole, a finite number is no mask:
    such a row weighs what is left of its scores. Then the numbers are taken as they are.

    shares    whether a softmax follows, to which it is all one what is added to a whole row
    """
    steps = [step for i, step in enumerate(steps) if not (shares and _shifts_rows(step, steps[i + 1 :]))]
    hidden = _worked(steps, scores, hides=True)
    if hidden.mask is None or hidden.mask.any(-1).all() or not _finite(steps):
        return hidden
    return _worked(steps, scores, hides=False)


def _finite(steps: Sequence[Step]) -> bool:
    """Whether a finite number hides some score."""
    adds = (step.numbers for step in steps if isinstance(step, Add))
    fills = (step.value for step in steps if isinstance(step, Fill))
    return any(bool(((a <= LOW) & (a > -math.inf)).any()) for a in adds) or any(-math.inf < f <= LOW for f in fills)


def _worked(steps: Sequence[Step], scores: Tensor, hides: bool) -> InOurTerms:
    scale, cap, steps = _capped(steps)
    first = scale * scores if cap is None else cap * (scale * scores / cap).tanh()
    four, now = tuple(scores.shape), first
    blocked = torch.zeros(1, dtype=torch.bool, device=scores.device).expand(four)
    usual = True  # whether all numbers that were added are known as they are
    bias: Tensor | None = None
    talk: Talk | None = None
    for step in steps:
        if isinstance(step, Stretch) and usual and cap is None and talk is None:
            scale, now = scale * step.factor, now * step.factor
            first, bias = first * step.factor, None if bias is None else bias * step.factor
        elif isinstance(step, Add):
            numbers = as_four(step.numbers, step.at, four).to(scores.dtype)
            low = numbers <= LOW if hides else torch.zeros_like(numbers, dtype=torch.bool)
            numbers, blocked = numbers.masked_fill(low, 0.0), blocked | low
            now, bias = now + numbers, numbers if bias is None else bias + numbers
        elif isinstance(step, Fill) and (step.value == -math.inf or (hides and step.value <= LOW)):
            blocked = blocked | as_four(step.where, step.at, four)
        elif isinstance(step, Talk) and usual and talk is None:  # what was added before is talked about too
            talk, first, now = step, step(first), step(now)
            bias = None if bias is None else now - first
        else:  # whatever stands there now: what has to be added to come to it
            now, usual = _elementwise(step, now, four), False
    if not usual:
        bias = (now - first).masked_fill(blocked, 0.0)
    if bias is not None and not bias.any():
        bias = None
    return InOurTerms(scale, cap, talk, bias, ~blocked if blocked.any() else None)


def _capped(steps: Sequence[Step]) -> tuple[float, float | None, Sequence[Step]]:
    """β and the cap c of c·tanh(β s / c), if the steps begin so, and the steps after it."""
    scale, begin = 1.0, 0
    while begin < len(steps) and isinstance(step := steps[begin], Stretch):
        scale, begin = scale * step.factor, begin + 1
    if begin == len(steps) or not isinstance(steps[begin], Bent):
        return scale, None, steps[begin:]
    after = steps[begin + 1 :]
    if after and isinstance(step := after[0], Stretch) and step.factor > 0:
        return scale * step.factor, step.factor, after[1:]
    return scale, 1.0, after


def _elementwise(step: Step, now: Tensor, four: Shape) -> Tensor:
    if isinstance(step, Stretch):
        return now * step.factor
    if isinstance(step, Times):
        return now * as_four(step.numbers, step.at, four).to(now.dtype)
    if isinstance(step, Bound):
        return now.clamp(step.low, step.high)
    if isinstance(step, Fill):
        return now.masked_fill(as_four(step.where, step.at, four), step.value)
    return step(now) if isinstance(step, Talk) else step.function(now) if isinstance(step, Applied) else now.tanh()


def _shifts_rows(step: Step, later: Sequence[Step]) -> bool:
    """Whether a step moves whole rows alike, which no softmax notices, and no step after it does either."""
    alike = isinstance(step, Add) and step.numbers.shape[-1] == 1 and bool((step.numbers > LOW).all())
    return alike and all(isinstance(step, Add) or (isinstance(step, Fill) and step.value <= LOW) for step in later)


def as_four(numbers: Tensor, at: Shape, four: Shape) -> Tensor:
    """Numbers that fit scores of the shape `at`, so that they fit the same scores as B H Tq Tk."""
    if tuple(at) == four:
        return numbers.reshape((1,) * (4 - numbers.ndim) + tuple(numbers.shape))
    return numbers.expand(at).reshape(four)
