"""Recurrent classifiers: the names of their weights, their configs, and what they show."""

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.errors import InputError
from glassformer.models.registry import config_from, configure
from glassformer.stages.recorder import record


def test_weights_of_recurrent_models_are_called_what_they_always_were() -> None:
    of_one = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}
    ends = {"embedding.weight", "head.linear.weight", "head.linear.bias"}
    for name in ("rnn", "gru"):
        assert set(small(name).state_dict()) == ends | {f"recurrent.{part}_l0" for part in of_one}
    both = {f"recurrent.{part}_l{layer}{way}" for part in of_one for layer in (0, 1) for way in ("", "_reverse")}
    assert set(small("bilstm").state_dict()) == ends | both


def test_a_config_from_before_there_were_grus_is_still_read() -> None:
    before = {"vocabulary": 29, "classes": 3, "width": 5, "state": 7, "layers": 2, "lstm": True, "both_ways": True}
    assert config_from("bilstm", before) == configure("bilstm", vocabulary=29, classes=3, width=5, state=7)


def test_a_cell_is_of_one_kind() -> None:
    with pytest.raises(InputError, match="set lstm or gru to false"):
        configure("gru", lstm=True)


@pytest.mark.parametrize("name", ["rnn", "gru", "bilstm"])
def test_the_states_that_are_shown_end_with_each_text(name: str) -> None:
    _, trace = record(small(name), *inputs(name, (11, 7, 1), pads=2))
    states = torch.as_tensor(trace["states"])
    assert states.shape == (3, 13, 14 if name == "bilstm" else 7)
    for row, length in enumerate((11, 7, 1)):
        assert states[row, :length].all()
        assert not states[row, length:].any()
        answers = states[row, 0, 7:] if name == "bilstm" else states[row, length - 1]
        assert torch.equal(torch.as_tensor(trace["pooled"])[row], answers)
