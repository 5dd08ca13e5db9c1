"""Classifiers: what each has beyond the contract that all models share."""

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.errors import InputError
from glassformer.models.classifiers import words_left_out
from glassformer.models.registry import config_from, configure
from glassformer.stages.recorder import record


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_a_thinned_text_has_some_of_its_words_in_their_order(share: float) -> None:
    lengths = torch.tensor([97, 89, 1])
    ids = torch.arange(3 * 97).reshape(3, 97)
    real = torch.arange(97) < lengths[:, None]
    kept = torch.zeros(3)
    for _ in range(101):
        some, standing = words_left_out(ids, real, share)
        kept += standing.sum(1)
        for row in range(3):
            left = some[row][standing[row]]
            assert (left.diff() > 0).all()
            assert set(left.tolist()) <= set(ids[row][real[row]].tolist())
            assert standing[row].int().diff().le(0).all()  # the words stand before the padding
        assert standing.sum(1).max() == some.shape[1]
    assert kept[2] == 101  # a text of one word keeps it
    assert torch.allclose(kept[:2] / 101 / lengths[:2], torch.tensor(1 - share), atol=0.02)


def test_words_are_dropped_only_while_training() -> None:
    model = small("transformer", word_dropout=0.5, dropout=0.0)
    ids, real = inputs("transformer")
    assert torch.equal(model(ids, real), model(ids, real))
    assert not torch.equal(model.train()(ids, real), model(ids, real))


@pytest.mark.parametrize("name", ["bare-attention", "attention", "transformer"])
def test_alibi_tells_one_order_of_words_from_another_and_none_does_not(name: str) -> None:
    ids, real = inputs(name, (7,))
    other = ids[:, torch.tensor([3, 0, 4, 1, 6, 2, 5])]
    blind, sees = small(name, positions="none"), small(name, positions="alibi")
    torch.testing.assert_close(blind(ids, real), blind(other, real), rtol=0, atol=5e-6)
    assert not torch.allclose(sees(ids, real), sees(other, real), atol=1e-4)


def test_a_longer_length_needs_no_other_weights_where_distances_are_counted() -> None:
    for kind in ("alibi", "t5"):
        short, long = small("transformer", positions=kind), small("transformer", positions=kind, length=61)
        long.load_state_dict(short.state_dict())
        ids, real = inputs("transformer", (53, 11))
        assert torch.isfinite(long(ids, real)).all()
        torch.testing.assert_close(long(ids[1:, :11], real[1:, :11]), short(ids[1:, :11], real[1:, :11]))


# --- recurrent ones ----------------------------------------------------------------------------------------------


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
