"""The mask laboratory: four ways in which a token is hidden, side by side, and what still leaks through each.

Only the last of them is right, and only that one is used by the models. It knows scores and masks, not where they are
from, and shows nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import jacrev

from glassformer.layers.attention import hide, softmax
from glassformer.stages.arithmetic import Array

FINITE = -1e4  # the large negative number some code adds instead of −∞
LARGER = 1e6  # times the scores of the second experiment: enough to outbid 10,000


@dataclass(frozen=True)
class Trial:
    """One way to mask, tried on one matrix of scores. What is wrong is told row by row."""

    style: str
    formula: str
    weights: NDArray[np.float64]  # Tq Tk
    row_sums: NDArray[np.float64]  # Tq
    leaks: NDArray[np.float64]  # Tq: the share of each row that goes to keys it may not look at
    slopes: NDArray[np.float64]  # Tq: how much a row's allowed weights move when a hidden score moves, at most
    whole: NDArray[np.bool_]  # Tq: the row sums to 1 if it may look at something, and to 0 if not

    @property
    def leaked(self) -> float:
        """The largest share of a row that goes to keys it may not look at."""
        return float(self.leaks.max())

    @property
    def felt(self) -> float:
        """How much the allowed weights move when a hidden score moves: the largest derivative."""
        return float(self.slopes.max())

    @property
    def right(self) -> bool:
        """Nothing leaks, nothing is felt, and the shares are still shares."""
        return self.leaked == 0.0 and self.felt == 0.0 and bool(self.whole.all())


@dataclass(frozen=True)
class Experiment:
    """One question put to all four."""

    title: str
    note: str
    mask: NDArray[np.bool_]  # Tq Tk
    trials: tuple[Trial, ...]


def _zero_after(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores) * mask


def _multiply_before(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores * mask)


def _add_finite(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores + FINITE * ~mask)


def _add_infinite(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(hide(scores, mask))


STYLES: MappingProxyType[str, tuple[str, Callable[[Tensor, Tensor], Tensor]]] = MappingProxyType(
    {
        "zero after softmax": ("softmax(Z) · M", _zero_after),
        "multiply before softmax": ("softmax(Z · M)", _multiply_before),
        "add −10,000": ("softmax(Z − 10,000 (1 − M))", _add_finite),
        "add −∞": ("softmax(Z or −∞)", _add_infinite),
    }
)


def experiments(scores: Array, mask: Array) -> list[Experiment]:
    """The scores as they are; the same made larger; and a first query that may look at nothing."""
    allowed = np.asarray(mask, dtype=np.bool_)
    empty = allowed.copy()
    empty[0] = False
    return [
        Experiment("the scores as they are", "", allowed, try_masks(scores, allowed)),
        Experiment(
            "the scores, times a million",
            "Nothing bounds a score, and scores can grow in training. A hidden one that leads by more than 10,000 "
            "outbids the finite mask.",
            allowed,
            try_masks(scores, allowed, LARGER),
        ),
        Experiment(
            "a query that may look at nothing",
            "The first row of the mask is empty, as padding can leave it. −10,000 takes the same from every score, "
            "so the row goes to hidden tokens as if there were no mask. Ours gives zeros, where a bare "
            "softmax of −∞ gives NaN.",
            empty,
            try_masks(scores, empty),
        ),
    ]


def try_masks(scores: Array, mask: Array, times: float = 1.0) -> tuple[Trial, ...]:
    """Each style on the same scores (Tq Tk), which may first be made larger."""
    given = torch.tensor(scores, dtype=torch.float64)[None, None] * times
    allowed = torch.tensor(mask, dtype=torch.bool)[None, None]
    return tuple(_try(style, formula, apply, given, allowed) for style, (formula, apply) in STYLES.items())


def _try(style: str, formula: str, apply: Callable[[Tensor, Tensor], Tensor], scores: Tensor, mask: Tensor) -> Trial:
    def allowed_weights(each: Tensor) -> Tensor:
        return (
            apply(each, mask).masked_fill(~mask, 0.0)[0, 0].sum(0)
        )  # Tk: rows do not touch, so one sum keeps them all

    weights = apply(scores, mask)[0, 0]  # Tq Tk
    slopes = jacrev(allowed_weights)(scores)[:, 0, 0]  # Tk Tq Tk: of each weight, by each score
    sums = weights.sum(-1)
    return Trial(
        style,
        formula,
        weights.numpy(),
        sums.numpy(),
        leaks=weights.masked_fill(mask[0, 0], 0.0).sum(-1).numpy(),
        slopes=slopes.abs().masked_fill(mask[0, 0], 0.0).amax((0, 2)).numpy(),  # by the hidden scores only
        whole=torch.isclose(sums, mask[0, 0].any(-1).to(sums.dtype)).numpy(),
    )
