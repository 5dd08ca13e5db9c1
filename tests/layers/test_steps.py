"""One step of a recurrent network, compared with torch's cells at prime sizes."""

import pytest
import torch
from torch import Tensor, nn

from glassformer.layers.steps import gru_step, lstm_step, rnn_step
from glassformer.stages.recorder import record

D, S = 5, 7


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(3)


def start() -> dict[str, Tensor]:
    return {"step_input": drawn(D), "previous_state": drawn(S)}


def parts(cell: nn.RNNCellBase, n: int) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Of each gate: the matrix of the word and of the state as they stand on paper, and the two biases."""
    cut = [weight.detach().chunk(n) for weight in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)]
    return [(word.T, state.T, b, c) for word, state, b, c in zip(*cut, strict=True)]


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_an_rnn_step_in_both_forms_is_what_torch_does(activation: str) -> None:
    cell = nn.RNNCell(D, S, nonlinearity=activation, dtype=torch.float64)
    of = start()
    wanted = cell(of["step_input"], of["previous_state"]).detach()
    [(word, state, b, c)] = parts(cell, 1)
    apart = {**of, "recurrent_weight": word, "state_weight": state, "step_bias": b + c}
    stacked = {**of, "step_weight": torch.cat([word, state]), "step_bias": b + c}
    for form in (apart, stacked):
        answer, trace = record(rnn_step, form, activation=activation)
        torch.testing.assert_close(answer, wanted, rtol=0, atol=1e-12)
        assert trace.entry("new_state").how == activation


def test_an_lstm_step_is_what_torch_does() -> None:
    cell = nn.LSTMCell(D, S, dtype=torch.float64)
    of = {**start(), "previous_cell": drawn(S)}
    wanted = cell(of["step_input"], (of["previous_state"], of["previous_cell"]))
    for name, (word, state, b, c) in zip(
        ("input_gate", "forget_gate", "cell", "output_gate"), parts(cell, 4), strict=True
    ):
        of |= {f"{name}_weight": torch.cat([word, state]), f"{name}_bias": b + c}
    for found, true in zip(lstm_step(of), wanted, strict=True):
        torch.testing.assert_close(found, true.detach(), rtol=0, atol=1e-12)


def test_a_gru_step_is_what_torch_does() -> None:
    cell = nn.GRUCell(D, S, dtype=torch.float64)
    of = start()
    wanted = cell(of["step_input"], of["previous_state"]).detach()
    reset, update, (word, state, b, c) = parts(cell, 3)
    for name, gate in (("reset_gate", reset), ("update_gate", update)):
        of |= {f"{name}_weight": torch.cat(gate[:2]), f"{name}_bias": gate[2] + gate[3]}
    of |= {"candidate_word_weight": word, "candidate_bias": b, "candidate_state_weight": state}
    of |= {"candidate_state_bias": c}
    torch.testing.assert_close(gru_step(of), wanted, rtol=0, atol=1e-12)


def test_with_the_reset_gate_open_both_forms_of_a_gru_are_one() -> None:
    of = start()
    of |= {f"{name}_gate_weight": drawn(D + S, S) for name in ("reset", "update")}
    of |= {"reset_gate_bias": torch.full((S,), 800.0, dtype=torch.float64)}
    word, state = drawn(D, S), drawn(S, S)
    before = gru_step({**of, "candidate_weight": torch.cat([word, state])})
    after = gru_step({**of, "candidate_word_weight": word, "candidate_state_weight": state})
    torch.testing.assert_close(before, after, rtol=0, atol=1e-12)
