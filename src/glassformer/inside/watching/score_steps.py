"""What a foreign model does to its scores before the softmax, and what that is in our terms: β, a bias and a mask.

A foreign mask has many spellings: add −∞, add a very large negative number, write one in, keep where a boolean is
True. Here each becomes a step with the numbers it used. It knows neither who took the steps nor where.
"""

import math
from collections.abc import Sequence
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


Step = Stretch | Add | Fill


@dataclass(frozen=True)
class InOurTerms:
    """The steps as attention.py takes them: β, numbers to add, and who may look at whom."""

    scale: float
    bias: Tensor | None
    mask: Tensor | None


def in_our_terms(steps: Sequence[Step], scores: Tensor) -> InOurTerms:
    """What the steps do to these `scores`, B H Tq Tk.

    A score that is pushed below `LOW` is hidden. But where a row is hidden as a whole, a finite number is no mask:
    such a row weighs what is left of its scores. Then the numbers are taken as they are.
    """
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
    scale, four = 1.0, tuple(scores.shape)
    bias: Tensor | None = None
    blocked: Tensor | None = None
    for step in steps:
        if isinstance(step, Stretch):
            scale *= step.factor
            bias = None if bias is None else bias * step.factor
            continue
        low: Tensor | None = None
        if isinstance(step, Add):
            numbers = as_four(step.numbers, step.at, four).to(scores.dtype)
            if hides:
                low = numbers <= LOW
                numbers = numbers.masked_fill(low, 0.0)
            bias = numbers if bias is None else bias + numbers
        elif hides and step.value <= LOW:
            low = as_four(step.where, step.at, four)
        else:  # whatever stood there: what has to be added to come to the value
            over = as_four(step.where, step.at, four)
            bias = torch.where(over, step.value - scale * scores, torch.zeros_like(scores) if bias is None else bias)
        if low is not None:
            blocked = low if blocked is None else blocked | low
    if bias is not None and not bias.any():
        bias = None
    return InOurTerms(scale, bias, None if blocked is None or not blocked.any() else ~blocked)


def as_four(numbers: Tensor, at: Shape, four: Shape) -> Tensor:
    """Numbers that fit scores of the shape `at`, so that they fit the same scores as B H Tq Tk."""
    if tuple(at) == four:
        return numbers.reshape((1,) * (4 - numbers.ndim) + tuple(numbers.shape))
    return numbers.expand(at).reshape(four)
