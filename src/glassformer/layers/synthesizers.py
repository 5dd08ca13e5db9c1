"""Synthesizers: scorers that compare no query with any key. They are handed to attention and know nothing of it."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.stages.watchers import Watcher, nothing


class DenseSynthesizer(nn.Module):
    """Scores from the token alone: relu(X A + b) W_S + b_S, cut to length. X A + b are the queries; no keys."""

    uses = frozenset({"queries"})

    def __init__(self, n_heads: int, d_key: int, longest: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_heads, d_key, longest).uniform_(-1, 1) / math.sqrt(d_key))
        self.bias = nn.Parameter(torch.zeros(n_heads, longest))

    def forward(
        self, queries: Float[Tensor, "B H Tq K"], keys: Float[Tensor, "B H Tk 0"], see: Watcher = nothing
    ) -> Float[Tensor, "B H Tq Tk"]:
        """S = relu(Q) W_S + b_S."""
        n_keys = keys.shape[-2]
        _check_length(n_keys, self.bias.shape[-1])
        weight = see("synthesizer_weight", self.weight[..., :n_keys])  # H K Tk
        bias = see("synthesizer_bias", self.bias[:, :n_keys])  # H Tk
        return see("scores", queries.relu() @ weight + bias[:, None, :], "dense")


class RandomSynthesizer(nn.Module):
    """Scores that ask nobody: one learned table per head, the same for every text."""

    uses = frozenset[str]()

    def __init__(self, n_heads: int, longest: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_heads, longest, longest))

    def forward(
        self, queries: Float[Tensor, "B H Tq 0"], keys: Float[Tensor, "B H Tk 0"], see: Watcher = nothing
    ) -> Float[Tensor, "B H Tq Tk"]:
        """S is cut out of the table; with a cache, the queries are its last rows."""
        n_batch, _, n_queries, _ = queries.shape
        n_keys = keys.shape[-2]
        _check_length(n_keys, self.weight.shape[-1])
        if n_queries > n_keys:
            raise InputError(
                f"This table has a row per key, so {n_queries} queries cannot look at {n_keys} keys by it."
            )
        table = see("synthesizer_weight", self.weight[:, n_keys - n_queries : n_keys, :n_keys])  # H Tq Tk
        return see("scores", table.expand(n_batch, -1, -1, -1), "random")


def _check_length(n_keys: int, longest: int) -> None:
    if n_keys > longest:
        raise InputError(f"This synthesizer was made for at most {longest} tokens, but there are {n_keys}.")
