"""Which axes of scores are texts, heads, queries and keys, as far as that shows; where it does not, that is said.

Nobody tells what an axis means. Keys are where the softmax runs; what is hidden from some queries and not from others
tells queries from heads. It knows scores, their steps and their shapes, and no values.
"""

import math
from dataclasses import replace

import torch
from torch import Tensor

from glassformer.inside.watching.following.nodes import Scores
from glassformer.inside.watching.following.score_steps import LOW, Add, Fill, Shape, Step, Talk, Times

ALONE = "Each row asks alone, among keys of its own, and is shown as a text or a head"
GUESSED = "Which axis is the heads and which the queries is a guess: they may stand otherwise"
TURNED = "What is called a head may be a text, and what is called a batch the heads"
_BATCH = "What is called a batch may be texts, heads or both"
_SEVERAL = "What are called heads are several axes in one"
_USUAL = 4


def four_axes(shape: Shape) -> Shape:
    """The shape of scores as B H Tq Tk: without a head axis there is one head, further axes are heads too."""
    if len(shape) < _USUAL:
        return (1,) * (3 - len(shape)) + (*shape[:-2], 1, *shape[-2:])
    return (shape[0], math.prod(shape[1:-2]), *shape[-2:])


def standing_of(shape: Shape) -> str:
    """What is not known of the leading axes, in words."""
    if len(shape) < _USUAL:
        return _BATCH if math.prod(shape[:-2]) > 1 else ""
    return _SEVERAL if sum(size > 1 for size in shape[1:-2]) > 1 else ""


def may_be_turned(shape: Shape, texts: frozenset[int]) -> bool:
    """Whether heads may stand first: the second of four axes is as long as a batch that was read, the first is not."""
    return len(shape) == _USUAL and shape[1] in texts and shape[0] not in texts


def settled(scores: Scores) -> Scores:
    """The scores with the right axis for queries, where several may ask and it shows; else with the likelier one."""
    while scores.rivals[0]:
        rival = scores.rivals[0][0]
        ours, theirs = (_hides_along(scores.steps, axis, scores.shape) for axis in (len(scores.shape) - 2, rival))
        n_keys = scores.shape[-1]
        likelier = ours == theirs and scores.shape[rival] == n_keys != scores.shape[-2]
        found = _swapped(scores, rival) if theirs > ours or likelier else scores
        if found is None or ours == theirs:
            return scores if found is None else found
        scores = replace(found, rivals=(scores.rivals[0][1:], scores.rivals[1]))
    return scores


def _hides_along(steps: tuple[Step, ...], axis: int, shape: Shape) -> bool:
    """Whether what is hidden changes along this axis."""
    for step in steps:
        if isinstance(step, Add | Fill) and tuple(step.at) == shape:
            hidden: Tensor | None = _hidden(step)
            if hidden is None or hidden.ndim != len(shape):
                continue
            first = hidden.narrow(axis, 0, 1)
            if not torch.equal(hidden, first.expand_as(hidden)):
                return True
    return False


def _hidden(step: Add | Fill) -> Tensor | None:
    if isinstance(step, Add):
        return step.numbers <= LOW
    return step.where if step.value <= LOW else None


def _swapped(scores: Scores, rival: int) -> Scores | None:
    """The same with another of its axes for the queries; None where something was done that knows of heads."""
    n_axes = len(scores.shape)
    if any(isinstance(step, Talk) or getattr(step, "at", scores.shape) != scores.shape for step in scores.steps):
        return None
    if any(each.ndim != n_axes for each in (scores.queries, scores.keys)) or scores.folded:
        return None
    order = list(range(n_axes))
    order[rival], order[-2] = order[-2], order[rival]
    shape = tuple(scores.shape[axis] for axis in order)
    steps = tuple(_step_swapped(step, rival, shape) for step in scores.steps)
    return replace(
        scores, queries=scores.queries.transpose(rival, -2), axes=tuple(scores.axes[axis] for axis in order),
        shape=shape, four=four_axes(shape), steps=steps,
        sink=None if scores.sink is None else scores.sink.transpose(rival, -2),
    )  # fmt: skip


def _step_swapped(step: Step, rival: int, shape: Shape) -> Step:
    if isinstance(step, Fill):
        return replace(step, where=step.where.transpose(rival, -2), at=shape)
    if isinstance(step, Add | Times):
        return replace(step, numbers=step.numbers.transpose(rival, -2), at=shape)
    return step
