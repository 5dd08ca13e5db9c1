"""The mask laboratory: four ways in which a future token is hidden, side by side, and what still leaks through each.

Only the last of them is right, and only that one is used by the models. It knows scores and masks, not where they are
from, and shows nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor
from torch.func import jacrev

from glassformer.arithmetic import Array
from glassformer.attention import hide, softmax

FINITE = -1e4  # the large negative number some code adds instead of −∞


@dataclass(frozen=True)
class Trial:
    """One way to mask, tried on one matrix of scores."""

    style: str
    formula: str
    weights: Array  # Tq Tk
    row_sums: Array  # Tq
    leaked: float  # the largest share of a row that goes to keys it may not look at
    felt: float  # how much the allowed weights move when a hidden score moves: the largest derivative
    whole: bool  # every row that may look at something still sums to 1, and every other to 0

    @property
    def right(self) -> bool:
        """Nothing leaks, nothing is felt, and the shares are still shares."""
        return self.leaked == 0.0 and self.felt == 0.0 and self.whole


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
        "add −10,000": ("softmax(Z − 10⁴ (1−M))", _add_finite),
        "add −∞": ("softmax(Z or −∞)", _add_infinite),
    }
)


def try_masks(scores: Array, mask: Array, times: float = 1.0) -> list[Trial]:
    """Each style on the same scores (Tq Tk), which may first be made larger, as training can make them."""
    given = torch.tensor(scores, dtype=torch.float64)[None, None] * times
    allowed = torch.tensor(mask, dtype=torch.bool)[None, None]
    return [_try(style, formula, apply, given, allowed) for style, (formula, apply) in STYLES.items()]


def _try(style: str, formula: str, apply: Callable[[Tensor, Tensor], Tensor], scores: Tensor, mask: Tensor) -> Trial:
    weights = apply(scores, mask)  # 1 1 Tq Tk
    leaked = weights.masked_fill(mask, 0.0).sum(-1).max()
    slopes = jacrev(lambda each: apply(each, mask).masked_fill(~mask, 0.0))(scores)
    felt = slopes.abs().masked_fill(mask, 0.0).max()  # derivatives by the hidden scores only
    sums = weights.sum(-1)
    whole = torch.allclose(sums, mask.any(-1).to(sums.dtype))
    return Trial(style, formula, weights[0, 0].numpy(), sums[0, 0].numpy(), float(leaked), float(felt), whole)
