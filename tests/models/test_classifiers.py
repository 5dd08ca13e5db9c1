"""Classifiers: what each has beyond the contract that all models share."""

import numpy as np
import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.models import classifiers
from glassformer.models.classifiers import words_left_out
from glassformer.stages.recorder import record
from glassformer.stages.trace import Trace


@pytest.mark.parametrize("most", [0.3, 0.7])
def test_a_thinned_text_has_some_of_its_words_in_their_order(most: float) -> None:
    lengths = torch.tensor([97, 89, 1])
    ids = torch.arange(3 * 97).reshape(3, 97)
    real = torch.arange(97) < lengths[:, None]
    kept = torch.zeros(3)
    for _ in range(101):
        some, standing = words_left_out(ids, real, most)
        kept += standing.sum(1)
        for row in range(3):
            left = some[row][standing[row]]
            assert (left.diff() > 0).all()
            assert set(left.tolist()) <= set(ids[row][real[row]].tolist())
            assert standing[row].int().diff().le(0).all()  # the words stand before the padding
        assert standing.sum(1).max() == some.shape[1]
    assert kept[2] == 101  # a text of one word keeps it
    assert torch.allclose(kept[:2] / 101 / lengths[:2], torch.tensor(1 - most / 2), atol=0.08)  # from none to `most`


@pytest.mark.parametrize(
    ("name", "more"), [("transformer", {"dropout": 0.0}), ("rnn", {}), ("gru", {}), ("bilstm", {})]
)
def test_words_are_dropped_only_while_training(name: str, more: dict[str, float]) -> None:
    model = small(name, word_dropout=0.9, **more)
    ids, real = inputs(name)
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


# --- dense layers and convolutions, number by number --------------------------------------------------------------


@pytest.mark.parametrize("name", ["mlp", "conv", "conv-pool", "rnn", "gru", "bilstm"])
def test_every_number_of_every_layer_explains_itself(name: str) -> None:
    model = small(name)
    answer, trace = record(model, *inputs(name))
    assert torch.equal(answer, model(*inputs(name)))  # looking changes nothing
    unexplained = {trace.entry(address).stage.name for address in trace if not explains(trace, address)}
    assert unexplained <= GIVEN


GIVEN = {
    *("ids", "real", "embedding_weight", "dense_weight", "dense_bias", "window_stride", "filter_weight", "filter_bias"),
    *("logit_weight", "logit_bias", "recurrent_weight", "recurrent_bias", "state_weight", "state_bias"),
    *("gates_word_weight", "gates_word_bias", "gates_state_weight", "gates_state_bias", "step_rows"),
}


def explains(trace: Trace, address: str) -> bool:
    """Whether the numbers of a stage are worked from others; each must come out as it is."""
    for index in list(np.ndindex(trace[address].shape))[::5]:
        found = trace.explain(address, index)
        assert found.result == pytest.approx(found.number, rel=0, abs=1e-5), trace.place(address, index)
        if found.operation == "given":
            return False
    return True


def test_what_is_written_into_a_convolution_is_worked_with() -> None:
    model = small("conv-pool")
    before, trace = record(model, *inputs("conv-pool"))
    same, _ = record(model, *inputs("conv-pool"), write={"convolutions.0.filter_weight": lambda weight: weight.clone()})
    torch.testing.assert_close(same, before, rtol=0, atol=1e-5)
    address = "convolutions.0.filter_bias"
    changed, after = record(model, *inputs("conv-pool"), write={address: lambda bias: bias + 1})
    np.testing.assert_allclose(
        after["convolutions.0.filtered"].astype(float),
        trace["convolutions.0.filtered"].astype(float) + 1,
        rtol=0,
        atol=1e-5,
    )
    assert not torch.equal(changed, before)


def test_a_matrix_of_millions_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifiers, "MOST_SHOWN", 10)
    _, trace = record(small("mlp"), *inputs("mlp"))
    assert "dense.0.dense_weight" not in trace
    assert trace.explain("dense.0.dense_sum", (0, 0)).operation == "given"
    assert trace.explain("dense.0.dense_rows", (0, 0)).operation == "relu"
