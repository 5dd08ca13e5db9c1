"""Recurrent layers read a padded batch as if each row were alone: held against torch's own packing."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from glassformer.layers.recurrent import backwards, read_rows

CELLS = [nn.RNN, nn.GRU, nn.LSTM]
LENGTHS = st.lists(st.integers(1, 13), min_size=1, max_size=7)


def test_a_row_turns_by_its_own_length() -> None:
    rows = torch.tensor([[1.0, 2, 3], [4, 5, 0], [6, 0, 7]])[..., None]
    lengths = torch.tensor([3, 2, 1])
    assert backwards(rows, lengths).squeeze(-1).tolist() == [[3, 2, 1], [5, 4, 0], [6, 0, 7]]
    assert torch.equal(backwards(backwards(rows, lengths), lengths), rows)


def packed(network: nn.RNNBase, rows: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """What torch does with rows of unlike length."""
    bundle = pack_padded_sequence(rows, lengths, batch_first=True, enforce_sorted=False)
    states, last = network(bundle)
    hidden = last[0] if isinstance(last, tuple) else last
    return pad_packed_sequence(states, batch_first=True, total_length=rows.shape[1])[0], hidden[-1]


@pytest.mark.parametrize(("dtype", "error"), [(torch.float64, 1e-12), (torch.float32, 1e-6)])
@pytest.mark.parametrize("cell", CELLS)
@given(lengths=LENGTHS, layers=st.integers(1, 3), both_ways=st.booleans(), pads=st.sampled_from([0, 1, 5]))
def test_it_is_what_packing_gives_and_so_are_its_gradients(
    cell: type[nn.RNNBase],
    dtype: torch.dtype,
    error: float,
    lengths: list[int],
    layers: int,
    both_ways: bool,
    pads: int,
) -> None:
    torch.manual_seed(sum(lengths))
    network = cell(5, 7, layers, batch_first=True, bidirectional=both_ways).to(dtype)
    many, rows = torch.tensor(lengths), torch.randn(len(lengths), max(lengths) + pads, 5, dtype=dtype)
    real = (torch.arange(rows.shape[1]) < many[:, None])[..., None]
    wish, pull = torch.randn(len(lengths), rows.shape[1], 14 if both_ways else 7, dtype=dtype), torch.randn(7).to(dtype)
    found = []
    for read in (read_rows, packed):
        network.zero_grad()
        given_rows = rows.clone().requires_grad_()
        states, last = read(network, given_rows, many)
        states = states.masked_fill(~real, 0.0)
        ((states * wish).mean() + (last * pull).mean()).backward()
        assert given_rows.grad is not None
        found.append([states, last, given_rows.grad, *(weight.grad.clone() for weight in network.parameters())])
    for mine, theirs in zip(*found, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=error)


@pytest.mark.parametrize("cell", CELLS)
def test_every_weight_has_a_gradient_when_only_the_last_state_answers(cell: type[nn.RNNBase]) -> None:
    network = cell(3, 5, 2, batch_first=True, bidirectional=True)
    read_rows(network, torch.randn(2, 7, 3), torch.tensor([7, 1]))[1].sum().backward()
    assert all(weight.grad is not None for weight in network.parameters())  # as several machines need it
