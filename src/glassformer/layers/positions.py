"""How a model is told the order of its tokens: by rows that are added, by turning queries and keys, or not at all."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from glassformer.errors import InputError, nearest
from glassformer.layers.attention import Angles
from glassformer.layers.blocks import NoPositions, Positions, Rotary
from glassformer.stages.watchers import Watcher, nothing

KINDS = ("sinusoidal", "learned", "rotary", "none")


class Order(nn.Module):
    """One of the kinds, chosen by name. Its answer is the rows to go on with, and angles if attention is to turn."""

    def __init__(self, kind: str, longest: int, d_model: int, d_key: int, *, interleaved: bool = True) -> None:
        super().__init__()
        if kind not in KINDS:
            raise InputError(f"There are no positions called '{kind}'; {nearest(kind, KINDS)}")
        self.longest = longest
        self.rotary = Rotary(d_key) if kind == "rotary" else None
        self.rows: nn.Module = NoPositions()
        if kind == "sinusoidal":
            self.rows = Positions.sinusoidal(longest, d_model, interleaved=interleaved)
        elif kind == "learned":
            self.rows = Positions.trained(longest, d_model)

    def forward(
        self,
        embedded: Float[Tensor, "B T D"],
        positions: Int[Tensor, "#B T"] | None = None,
        *,
        start: int = 0,
        see: Watcher = nothing,
    ) -> tuple[Float[Tensor, "B T D"], Angles | None]:
        """`start` is where the first row stands when the earlier ones are in a cache."""
        if positions is None:
            end = start + embedded.shape[1]
            if end > self.longest:
                raise InputError(f"This model looks back on {self.longest} tokens at most; there are {end}.")
            positions = torch.arange(start, end, device=embedded.device)[None]
        angles = None if self.rotary is None else self.rotary(positions, embedded.dtype)
        return self.rows(embedded, positions, see=see), angles
