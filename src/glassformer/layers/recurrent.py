"""Recurrent layers over rows of unlike length, padded on the right, each read up to its own end. They know no text.

Packing the rows (pack_padded_sequence) gives the same numbers, but on a processor it is several times slower. Padding
needs no packing: reading forwards, it comes after all that counts; reading backwards, each row is turned by its own
length first, so that it comes after all that counts there as well.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

_KERNELS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"RNN_TANH": torch.rnn_tanh, "GRU": torch.gru, "LSTM": torch.lstm}
)


def backwards(rows: Float[Tensor, "B T D"], lengths: Int[Tensor, " B"]) -> Float[Tensor, "B T D"]:
    """Each row backwards up to its length, padding where it was. Turned twice, a row is itself again."""
    n_rows, n_places, _ = rows.shape
    place = torch.arange(n_places, device=rows.device)
    mirrored = lengths[:, None] - 1 - place  # B T
    first = n_places * torch.arange(n_rows, device=rows.device)[:, None]
    source = first + torch.where(mirrored >= 0, mirrored, place)
    return rows.flatten(0, 1).index_select(0, source.flatten()).view_as(rows)


def read_rows(
    network: nn.RNNBase, rows: Float[Tensor, "B T D"], lengths: Int[Tensor, " B"]
) -> tuple[Float[Tensor, "B T W"], Float[Tensor, "B S"]]:
    """The states of the last layer at each place, both ways side by side, and its state when all of a row was read:
    that of the way back, where there are two. Behind the end of a row the states mean nothing."""
    for layer in range(network.num_layers):
        if network.bidirectional:
            there = _one_way(network, 2 * layer, rows)
            back = backwards(_one_way(network, 2 * layer + 1, backwards(rows, lengths)), lengths)
            rows = torch.cat([there, back], dim=-1)
        else:
            rows = _one_way(network, layer, rows)
    ends = torch.zeros_like(lengths) if network.bidirectional else lengths - 1  # the way back ends at the first token
    return rows, rows[torch.arange(len(rows), device=rows.device), ends, -network.hidden_size :]


def _one_way(network: nn.RNNBase, which: int, rows: Float[Tensor, "B T D"]) -> Float[Tensor, "B T S"]:
    """One layer in one direction, as torch's kernel does it, from a state of zeros."""
    weights, zeros = network.all_weights[which], rows.new_zeros(1, len(rows), network.hidden_size)
    begin = (zeros, zeros) if network.mode == "LSTM" else zeros
    states: Tensor = _KERNELS[network.mode](
        rows, begin, weights, has_biases=True, num_layers=1, dropout=0.0, train=network.training,
        bidirectional=False, batch_first=True,
    )[0]  # fmt: skip
    return states
