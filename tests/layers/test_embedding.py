"""The two ends of a model: rows of ids, logits of rows, and the mean over what is real."""

import pytest
import torch
from helpers.small_models import small

from glassformer.errors import InputError
from glassformer.layers.embedding import Embedding, Head, Pooler, first_row, mean_of_real


def test_an_id_outside_the_vocabulary_is_named() -> None:
    with pytest.raises(InputError, match=r"An id of 29 .* is outside the vocabulary of 29"):
        small("rnn")(torch.full((1, 3), 29), torch.ones(1, 3, dtype=torch.bool))


def test_an_id_gets_its_row_stretched_by_the_root_of_the_width() -> None:
    plain, scaled = Embedding(3, 4), Embedding(3, 4, scaled=True)
    scaled.weight.data = plain.weight.data
    ids = torch.tensor([[2, 0]])
    assert torch.equal(plain(ids), plain.weight[[2, 0]][None])
    assert torch.equal(scaled(ids), 2 * plain(ids))


def test_a_tied_head_scores_a_row_by_its_fit_to_every_word() -> None:
    embedding = Embedding(3, 4)
    head = Head(4, 3, bias=False, tied=embedding)
    rows = torch.randn(2, 5, 4)
    torch.testing.assert_close(head(rows), rows @ embedding.weight.T)
    counted = torch.tensor([[True, False, False, True, False], [False] * 4 + [True]])
    torch.testing.assert_close(head(rows, counted), head(rows)[counted])


def test_padding_does_not_count_in_a_mean() -> None:
    rows = torch.tensor([[[1.0], [3.0], [float("nan")]], [[7.0], [7.0], [7.0]]])
    real = torch.tensor([[True, True, False], [False, False, False]])
    assert mean_of_real(rows, real).tolist() == [[2.0], [0.0]]


def test_the_first_row_answers_for_its_text() -> None:
    rows = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    assert first_row(rows, torch.ones(2, 2, dtype=torch.bool)).tolist() == [[1.0, 2.0], [5.0, 6.0]]


def test_a_pooler_by_hand() -> None:
    pooler = Pooler(2)
    pooler.linear.weight.data = torch.tensor([[1.0, 0.0], [2.0, -1.0]])
    pooler.linear.bias.data = torch.tensor([0.5, 0.0])
    wanted = torch.tensor([[1.5, 2.0 - 3.0]]).tanh()
    torch.testing.assert_close(pooler(torch.tensor([[1.0, 3.0]])), wanted)
