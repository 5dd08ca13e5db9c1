"""The KV cache of a decoder: keys and values of what was read so far. It does not know how they are made or used."""

from dataclasses import dataclass, field

import torch
from jaxtyping import Float, Int
from torch import Tensor

from glassformer.errors import InputError


class Cache:
    """Keys and values of earlier tokens, owned by the caller: one cache per attention and per text being written."""

    def __init__(self) -> None:
        self.length = 0
        self._keys = self._values = torch.empty(0)
        self._positions = torch.empty(1, 0, dtype=torch.int64)

    @property
    def keys(self) -> Float[Tensor, "B G Tk K"]:
        """All keys so far."""
        return self._keys[:, :, : self.length]

    @property
    def values(self) -> Float[Tensor, "B G Tk V"]:
        """All values so far."""
        return self._values[:, :, : self.length]

    def append(self, keys: Float[Tensor, "B G T K"], values: Float[Tensor, "B G T V"]) -> None:
        """Remembers some more. Room grows by doubling, so that each token is copied only a few times."""
        if self.length == 0:
            self._keys, self._values = keys[:, :, :0], values[:, :, :0]
        elif keys.shape[0] != self._keys.shape[0]:
            raise InputError(
                f"This cache remembers a batch of {self._keys.shape[0]} texts, but was handed one of {keys.shape[0]}; "
                "begin other texts with a new cache."
            )
        end = self.length + keys.shape[2]
        if torch.is_grad_enabled():  # the backward pass may still need what was there: join, do not overwrite
            self._keys, self._values = torch.cat([self.keys, keys], 2), torch.cat([self.values, values], 2)
        else:
            if end > self._keys.shape[2]:
                self._keys, self._values = _with_room(self.keys, 2 * end), _with_room(self.values, 2 * end)
            self._keys[:, :, self.length : end] = keys
            self._values[:, :, self.length : end] = values
        self.length = end

    def placed(self, positions: Int[Tensor, "#B T"]) -> Int[Tensor, "#B Tk"]:
        """Where all tokens stand: those it remembers, and the next ones, which are about to be appended."""
        n_batch = max(len(positions), len(self._positions))
        earlier = self._positions.to(positions)[:, : self.length]
        self._positions = torch.cat([earlier.expand(n_batch, -1), positions.expand(n_batch, -1)], dim=1)
        return self._positions

    def keep(self, rows: Int[Tensor, "R"]) -> None:
        """Goes on with these texts only, in this order; one that is named twice goes on twice."""
        if self.length > 0:  # the room beyond comes along, so that the next token needs no new one
            self._keys, self._values = self._keys.index_select(0, rows), self._values.index_select(0, rows)
        if len(self._positions) > 1:  # else all texts stand alike
            self._positions = self._positions.index_select(0, rows)


def _with_room(kept: Tensor, length: int) -> Tensor:
    roomy = kept.new_empty(*kept.shape[:2], length, kept.shape[3])
    roomy[:, :, : kept.shape[2]] = kept
    return roomy


@dataclass
class BlockCache:
    """The two memories of a block: of the text being written, and of the context, which is read once."""

    own: Cache = field(default_factory=Cache)
    cross: Cache = field(default_factory=Cache)

    def keep(self, rows: Int[Tensor, "R"]) -> None:
        """Goes on with these texts only, in this order."""
        self.reorder(rows)
        self.cross.keep(rows)

    def reorder(self, rows: Int[Tensor, "R"]) -> None:
        """The same where each row keeps its context, as the beams of one sentence do: what was read stays in place."""
        self.own.keep(rows)
