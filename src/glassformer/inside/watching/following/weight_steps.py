"""What a foreign model does to its weights after the softmax: heads that talk, factors, numbers, rows made to add up.

They are worked and shown in this one order; other orders are not followed. It knows neither scores nor modules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from glassformer.inside.watching.following.score_steps import Shape, Talk, as_four
from glassformer.stages.watchers import Watcher


@dataclass(frozen=True)
class Factor:
    """Numbers that the weights, which had the shape `at`, are multiplied by."""

    numbers: Tensor
    at: Shape


@dataclass(frozen=True)
class Addend:
    """Numbers that are added to the weights, which had the shape `at`."""

    numbers: Tensor
    at: Shape


@dataclass(frozen=True)
class Renormal:
    """Every row divided by its sum, to which a small number may be added."""

    epsilon: float


def weight_step_turned(step: "WeightStep") -> "WeightStep | None":
    """The same step on weights whose queries and keys have changed places; None where it has none there."""
    if not isinstance(step, Factor | Addend):
        return step if isinstance(step, Talk) else None
    return type(step)(step.numbers.mT, (*step.at[:-2], step.at[-1], step.at[-2]))


WeightStep = Talk | Factor | Addend | Renormal
_ORDER = (Talk, Factor, Addend, Renormal)


def with_step(steps: Sequence[WeightStep], step: WeightStep) -> tuple[WeightStep, ...] | None:
    """One more step; None where it does not come after the others in the order above."""
    last = steps[-1] if steps else None
    if isinstance(last, Factor) and isinstance(step, Factor) and last.at == step.at:
        return (*steps[:-1], Factor(last.numbers * step.numbers, step.at))
    if isinstance(last, Talk) and isinstance(step, Talk):
        return (*steps[:-1], step.after(last))
    if last is not None and _ORDER.index(type(last)) >= _ORDER.index(type(step)):
        return None
    return (*steps, step)


def rework(weights: Tensor, steps: Sequence[WeightStep], see: Watcher) -> Tensor:
    """The weights, B H Tq Tk, after the steps, each shown."""
    four = tuple(weights.shape)
    for step in steps:
        if isinstance(step, Talk):
            weights = see("talked_weights", shown_talk(step, "post_talk", weights, see)(weights))
        elif isinstance(step, Factor):
            numbers = see("weight_factor", as_four(step.numbers, step.at, four).to(weights.dtype))
            weights = see("reweighted", weights * numbers)
        elif isinstance(step, Addend):
            numbers = see("weight_addend", as_four(step.numbers, step.at, four).to(weights.dtype))
            weights = see("joined_weights", weights + numbers)
        else:
            below = see("weight_epsilon", weights.new_tensor(step.epsilon))
            weights = see("renormalised", weights / (weights.sum(-1, keepdim=True) + below))
    return weights


def shown_talk(talk: Talk, name: str, like: Tensor, see: Watcher) -> Talk:
    """The same, with its numbers shown."""
    matrix = see(name, talk.matrix.to(like.dtype))
    return Talk(matrix, None if talk.bias is None else see(f"{name}_bias", talk.bias.to(like.dtype)))
