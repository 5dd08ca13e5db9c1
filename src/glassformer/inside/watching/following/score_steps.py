"""What a foreign model does to its scores before the softmax, in our terms: factors, a cap, talk, a bias, a mask.

A foreign mask has many spellings: add −∞, add a very large negative number, write one in, keep where a boolean is
True. Here each becomes a step with the numbers it used. Steps that are nothing of this kind are worked and not told:
the scores are then taken as they came from them. It knows neither who took the steps nor where.

`own`, in a step, says whether its numbers were made of these very scores: then they are none that the model adds, or
multiplies by, whatever the scores are.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

# A score this low weighs exactly 0 beside any ordinary one, in every float: e^−10000 is below the smallest of them.
LOW = -1e4
_FAR = 1e3
_FAINT = 100.0  # e^−100 of a share is below the smallest float
_NEAR = 1e-4

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Stretch:
    """Every score times one number."""

    factor: float
    own: bool = False


@dataclass(frozen=True)
class Add:
    """Numbers added to the scores, which had the shape `at`."""

    numbers: Tensor
    at: Shape
    own: bool = False


@dataclass(frozen=True)
class Fill:
    """One value written over the scores, of the shape `at`, wherever `where` is True."""

    where: Tensor
    value: float
    at: Shape
    own: bool = False


@dataclass(frozen=True)
class Times:
    """The scores, which had the shape `at`, times numbers that are not all the same."""

    numbers: Tensor
    at: Shape
    own: bool = False


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
        return replace(step, where=step.where.mT, at=at)
    return replace(step, numbers=step.numbers.mT, at=at)


@dataclass(frozen=True)
class InOurTerms:
    """The steps as attention.py takes them: β, factors, a cap, heads that talk, what is added, who may look at whom."""

    scale: float = 1.0
    factor: Tensor | None = None
    cap: float | None = None
    talk: Talk | None = None
    bias: Tensor | None = None
    mask: Tensor | None = None

    def __call__(self, scores: Tensor) -> Tensor:
        """What these `scores` become, but for what is hidden."""
        now = self.scale * scores if self.factor is None else self.scale * scores * self.factor
        now = now if self.cap is None else self.cap * (now / self.cap).tanh()
        now = now if self.talk is None else self.talk(now)
        return now if self.bias is None else now + self.bias


def told_of(steps: Sequence[Step], scores: Tensor, shares: bool = True) -> tuple[Tensor | None, InOurTerms]:
    """The steps in our terms; and where some are nothing of the kind, what `scores` were after the last of these.

    shares    whether a softmax follows, to which it is all one what is added to a whole row
    """
    steps = [step for i, step in enumerate(steps) if not (shares and _shifts_rows(step, steps[i + 1 :]))]
    told = in_our_terms(steps, scores)
    if told is not None:
        return None, told
    came = scores
    for i, step in enumerate(steps, start=1):
        came = _worked(step, came)
        beside = came.amax(-1, keepdim=True) > LOW + _FAR  # what stands so far below it weighs exactly nothing
        hidden = (came == -math.inf) | ((came <= LOW) & beside)
        shown = came.masked_fill(hidden, 0.0)
        told = in_our_terms([Fill(hidden, -math.inf, tuple(came.shape)), *steps[i:]], shown)
        if told is not None:
            return shown, told
    raise AssertionError("No step is left, and what is none can be told")


def in_our_terms(steps: Sequence[Step], scores: Tensor) -> InOurTerms | None:
    """What the steps do to these `scores`, B H Tq Tk, and would do to others; None if that cannot be told in our terms.

    A score that is pushed below `LOW` is hidden. But where a row is hidden as a whole, a finite number is no mask:
    such a row weighs what is left of its scores. Then the numbers are taken as they are.
    """
    hidden = _in_order(steps, scores, hides=True)
    if hidden is not None and hidden.mask is not None and not hidden.mask.any(-1).all() and _finite(steps):
        hidden = None
    for told in (hidden, _in_order(steps, scores, hides=False)):
        if told is not None and _holds(told, steps, scores):
            return told
    return None


def _finite(steps: Sequence[Step]) -> bool:
    """Whether a finite number hides some score."""
    adds = (step.numbers for step in steps if isinstance(step, Add))
    fills = (step.value for step in steps if isinstance(step, Fill))
    return any(bool(((a <= LOW) & (a > -math.inf)).any()) for a in adds) or any(-math.inf < f <= LOW for f in fills)


def _in_order(steps: Sequence[Step], scores: Tensor, hides: bool) -> InOurTerms | None:
    """The steps one by one; None at one that has no place, or whose numbers are made of the scores."""
    four = tuple(scores.shape)
    told, steps = _capped(steps, scores)
    blocked = torch.zeros(1, dtype=torch.bool, device=scores.device).expand(four)
    for step in steps:
        if getattr(step, "own", False):
            return None
        if isinstance(step, Fill) and (step.value == -math.inf or (hides and step.value <= LOW)):
            blocked = blocked | as_four(step.where, step.at, four)
            continue
        if isinstance(step, Bound) and hides and step.low <= LOW and step.high == math.inf:
            continue  # it lifts what is hidden, and not so far that it is seen
        if isinstance(step, Add) and hides:
            numbers = as_four(step.numbers, step.at, four)
            blocked = blocked | (numbers <= LOW)
            further = _with(told, Add(numbers.masked_fill(numbers <= LOW, 0.0), four), scores)
        else:
            further = _with(told, step, scores)
        if further is None:
            return None
        told = further
    # what is hidden has no number: a mask by a product and a sum is no factor
    factor = None if told.factor is None else told.factor.masked_fill(blocked, 1.0)
    factor = None if factor is None or bool((factor == 1.0).all()) else factor
    bias = told.bias if told.bias is not None and told.bias.any() else None
    return replace(told, factor=factor, bias=bias, mask=~blocked if blocked.any() else None)


def _with(told: InOurTerms, step: Step, scores: Tensor) -> InOurTerms | None:
    """One more step on scores of which so much is told; what was added before it is added after it, in its measure."""
    four, bias = tuple(scores.shape), told.bias
    if isinstance(step, Add):
        numbers = as_four(step.numbers, step.at, four).to(scores.dtype)
        return replace(told, bias=numbers if bias is None else bias + numbers)
    if isinstance(step, Talk):  # what was added before is talked about too
        plain, more = Talk(step.matrix), None if step.bias is None else step.bias.to(scores.dtype)[:, None, None]
        bias = None if bias is None else plain(bias.expand(four))
        if told.talk is not None:
            return replace(told, talk=step.after(told.talk), bias=bias)
        return replace(told, talk=replace(step, bias=None if more is None else step.bias), bias=bias)
    if isinstance(step, Stretch) and told.talk is not None:
        matrix, more = told.talk.matrix, told.talk.bias
        talk = Talk(matrix * step.factor, None if more is None else more * step.factor)
        return replace(told, talk=talk, bias=None if bias is None else bias * step.factor)
    if told.cap is not None or told.talk is not None or not isinstance(step, Stretch | Times | Fill):
        return None
    if isinstance(step, Stretch):
        return replace(told, scale=told.scale * step.factor, bias=None if bias is None else bias * step.factor)
    if isinstance(step, Times):
        numbers = as_four(step.numbers, step.at, four).to(scores.dtype)
        factor = numbers if told.factor is None else told.factor * numbers
        return replace(told, factor=factor, bias=None if bias is None else bias * numbers)
    where, none = as_four(step.where, step.at, four).expand(four), scores.new_zeros(1)
    factor = (none + 1.0 if told.factor is None else told.factor).expand(four).masked_fill(where, 0.0)
    return replace(
        told, factor=factor, bias=(none if bias is None else bias).expand(four).masked_fill(where, step.value)
    )


def _capped(steps: Sequence[Step], scores: Tensor) -> tuple[InOurTerms, Sequence[Step]]:
    """β, its factors and the cap c of c·tanh(β s / c), if the steps begin so, and the steps after it."""
    told, begin = InOurTerms(), 0
    while begin < len(steps) and isinstance(step := steps[begin], Stretch | Times) and not step.own:
        told = _with(told, step, scores) or told
        begin += 1
    if begin == len(steps) or not isinstance(steps[begin], Bent):
        return told, steps[begin:]
    after = steps[begin + 1 :]
    if after and isinstance(step := after[0], Stretch) and step.factor > 0 and not step.own:
        return replace(told, scale=told.scale * step.factor, cap=step.factor), after[1:]
    return replace(told, cap=1.0), after


def _holds(told: InOurTerms, steps: Sequence[Step], scores: Tensor) -> bool:
    """Whether it comes to the same as the steps: for these scores, and for others, which may be written in their place.

    The second is what a sum that was only worked out afterwards, as a difference, cannot meet.
    """
    visible = torch.ones_like(scores, dtype=torch.bool) if told.mask is None else told.mask
    for numbers in (scores, 0.25 - 1.25 * scores.roll(1, -1)):
        real = numbers
        for step in steps:
            real = _worked(step, real)
        ours, reach = told(numbers), 1.0 + numbers.abs().amax()
        near = (real - ours).abs() <= _NEAR * (reach + real.abs())
        same = near | (real == ours) | (real.isnan() & ours.isnan())
        faint = real <= torch.where(visible, real, -math.inf).amax(-1, keepdim=True).clamp_max(0.0) - _FAINT
        if not bool(torch.where(visible, same, faint | (real == -math.inf)).all()):
            return False
    return True


def _worked(step: Step, now: Tensor) -> Tensor:
    """The scores after a step."""
    four = tuple(now.shape)
    if isinstance(step, Stretch):
        return now * step.factor
    if isinstance(step, Add):
        return now + as_four(step.numbers, step.at, four).to(now.dtype)
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
    return alike and all(_keeps_shifts(step) for step in later)


def _keeps_shifts(step: Step) -> bool:
    """Whether rows that were moved as a whole still differ by no more than that after it."""
    if isinstance(step, Times):
        return step.numbers.shape[-1] == 1
    return isinstance(step, Add | Stretch) or (isinstance(step, Fill) and step.value <= LOW)


def as_four(numbers: Tensor, at: Shape, four: Shape) -> Tensor:
    """Numbers that fit scores of the shape `at`, so that they fit the same scores as B H Tq Tk."""
    if tuple(at) == four:
        return numbers.reshape((1,) * (4 - numbers.ndim) + tuple(numbers.shape))
    return numbers.expand(at).reshape(four)
