"""The KV cache of a decoder: keys and values of what was read so far. It does not know how they are made or used."""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
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

    def join(self, other: "Cache") -> None:
        """Takes in the texts of another cache, below its own. All end in the same column; a shorter one begins later,
        and what stands before it, nobody may look at."""
        length = max(self.length, other.length)
        self._keys = torch.cat([_pushed(self.keys, length), _pushed(other.keys, length)])
        self._values = torch.cat([_pushed(self.values, length), _pushed(other.values, length)])
        if self._positions.shape[1] > 0:  # where a bias asks for them
            n_others = other._keys.shape[0]
            mine = self._positions.expand(self._keys.shape[0] - n_others, -1)
            self._positions = torch.cat([_later(mine, length), _later(other._positions.expand(n_others, -1), length)])
        self.length = length

    def cut(self, columns: int) -> None:
        """Forgets the first columns, which nobody looks at any more."""
        self._keys, self._values = self._keys[:, :, columns:], self._values[:, :, columns:]
        self._positions = self._positions[:, columns:]
        self.length -= columns


def _pushed(kept: Float[Tensor, "B G Tk K"], length: int) -> Float[Tensor, "B G L K"]:
    """The same, ending in column `length`."""
    return F.pad(kept, (0, 0, length - kept.shape[2], 0))


def _later(positions: Int[Tensor, "B T"], length: int) -> Int[Tensor, "B L"]:
    return F.pad(positions, (length - positions.shape[1], 0))


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

    def join(self, other: "BlockCache") -> None:
        """Takes in the texts of another one."""
        self.own.join(other.own)

    def cut(self, columns: int) -> None:
        """Forgets the first columns of the texts being written."""
        self.own.cut(columns)
