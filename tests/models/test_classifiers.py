"""Classifiers: what each has beyond the contract that all models share."""

import pytest
import torch
from helpers.small_models import inputs, small

from glassformer.models.classifiers import words_left_out


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
