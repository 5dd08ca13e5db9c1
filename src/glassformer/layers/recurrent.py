"""Recurrent layers over rows of unlike length, padded on the right, each read up to its own end. They know no text.

Packing the rows (pack_padded_sequence) gives the same numbers, but on a processor it is several times slower. Padding
needs no packing: reading forwards, it comes after all that counts; reading backwards, each row is turned by its own
length first, so that it comes after all that counts there as well.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from glassformer.stages.watchers import Watcher, nothing, within

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
    network: nn.RNNBase, rows: Float[Tensor, "B T D"], lengths: Int[Tensor, " B"], see: Watcher = nothing
) -> tuple[Float[Tensor, "B T W"], Float[Tensor, "B S"]]:
    """The states of the last layer at each place, both ways side by side, and its state when all of a row was read:
    that of the way back, where there are two. Behind the end of a row the states mean nothing."""
    for layer in range(network.num_layers):
        inside = within(see, f"recurrent.{layer}")
        if network.bidirectional:
            there = _one_way(network, 2 * layer, rows, within(inside, "there"))
            turned = _one_way(network, 2 * layer + 1, backwards(rows, lengths), within(inside, "back"))
            rows = torch.cat([there, backwards(turned, lengths)], dim=-1)
        else:
            there = turned = rows = _one_way(network, layer, rows, inside)
    if see is not nothing:
        see("states_there", there)
        if network.bidirectional:
            see("states_back", turned)
    ends = torch.zeros_like(lengths) if network.bidirectional else lengths - 1  # the way back ends at the first token
    return rows, rows[torch.arange(len(rows), device=rows.device), ends, -network.hidden_size :]


class _ReadsRows(nn.RNNBase):
    """A network of torch's that is told how long its rows are."""

    def forward(
        self, rows: Float[Tensor, "B T D"], lengths: Int[Tensor, " B"], see: Watcher = nothing
    ) -> tuple[Float[Tensor, "B T W"], Float[Tensor, "B S"]]:
        """As `read_rows` has it."""
        return read_rows(self, rows, lengths, see)


class RNN(_ReadsRows, nn.RNN):  # type: ignore[misc]
    """hₜ = tanh(W x + U hₜ₋₁ + b)."""


class GRU(_ReadsRows, nn.GRU):  # type: ignore[misc]
    """With two gates, which say what is kept of the state."""


class LSTM(_ReadsRows, nn.LSTM):  # type: ignore[misc]
    """With three gates, and a cell beside the state."""


def _one_way(network: nn.RNNBase, which: int, rows: Float[Tensor, "B T D"], see: Watcher) -> Float[Tensor, "B T S"]:
    """One layer in one direction, as torch's kernel does it, from a state of zeros."""
    weights, zeros = network.all_weights[which], rows.new_zeros(1, len(rows), network.hidden_size)
    begin = (zeros, zeros) if network.mode == "LSTM" else zeros
    states: Tensor = _KERNELS[network.mode](
        rows, begin, weights, has_biases=True, num_layers=1, dropout=0.0, train=network.training,
        bidirectional=False, batch_first=True,
    )[0]  # fmt: skip
    if see is not nothing:
        _show_step_by_step(network.mode, rows, states, weights, see)
    return states


_HOW = MappingProxyType({"RNN_TANH": "rnn", "GRU": "gru", "LSTM": "lstm"})
_WEIGHTS = ("gates_word_weight", "gates_state_weight", "gates_word_bias", "gates_state_bias")  # in torch's order


def _show_step_by_step(mode: str, rows: Tensor, states: Tensor, weights: Sequence[Tensor], see: Watcher) -> None:
    """What the kernel keeps to itself, worked again from the states it gave: for the eye only, nothing goes on."""
    see("step_rows", rows)
    for name, weight in zip(_WEIGHTS, weights, strict=True):
        see(name, weight.T if weight.ndim == 2 else weight)
    word_weight, state_weight, word_bias, state_bias = weights
    before = torch.cat([torch.zeros_like(states[:, :1]), states[:, :-1]], dim=1)  # hₜ₋₁
    word = see("word_sums", F.linear(rows, word_weight, word_bias))
    state = see("state_sums", F.linear(before, state_weight, state_bias))
    if mode != "RNN_TANH":
        gates = see("gates", _gates(mode, word, state), _HOW[mode])
        if mode == "LSTM":
            see("cells", _cells(gates))
    see("layer_states", states, _HOW[mode])


def _gates(mode: str, word: Tensor, state: Tensor) -> Float[Tensor, "B T GS"]:
    """LSTM: i, f, g, o. GRU: r, z, n, where the reset gate stands before what the state adds to the candidate."""
    if mode == "LSTM":
        i, f, g, o = (word + state).chunk(4, dim=-1)
        return torch.cat([i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()], dim=-1)
    (r, z), n = (word + state).sigmoid().chunk(3, dim=-1)[:2], word.chunk(3, dim=-1)[2]
    return torch.cat([r, z, (n + r * state.chunk(3, dim=-1)[2]).tanh()], dim=-1)


def _cells(gates: Float[Tensor, "B T GS"]) -> Float[Tensor, "B T S"]:
    i, f, g, _ = gates.chunk(4, dim=-1)
    kept, cells = torch.zeros_like(i[:, 0]), []
    for t in range(gates.shape[1]):
        kept = f[:, t] * kept + i[:, t] * g[:, t]
        cells.append(kept)
    return torch.stack(cells, dim=1)
