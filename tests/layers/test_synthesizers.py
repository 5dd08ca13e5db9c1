"""Synthesizers: scores that ask no key, by hand, and how far their tables reach."""

import pytest
import torch

from glassformer.errors import InputError
from glassformer.layers.attention import (
    Attention,
    Scorer,
)
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer


@pytest.mark.parametrize("scorer", [DenseSynthesizer(2, 3, 4), RandomSynthesizer(2, 4)])
def test_a_synthesizer_has_a_longest_text(scorer: Scorer) -> None:
    with pytest.raises(InputError, match="at most 4 tokens, but there are 5"):
        Attention(6, 2, scorer=scorer)(torch.randn(2, 5, 6))


def test_a_table_of_scores_needs_a_row_per_query() -> None:
    with pytest.raises(InputError, match="5 queries cannot look at 3 keys"):
        Attention(6, 2, scorer=RandomSynthesizer(2, 11))(torch.randn(2, 5, 6), torch.randn(2, 3, 6))


def test_a_dense_synthesizer_by_hand() -> None:
    """One head, width 2, three columns: relu((1, −5)) = (1, 0), so the first row of W_S and the bias remain."""
    scorer = DenseSynthesizer(1, 2, 3)
    scorer.weight.data = torch.tensor([[[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]])
    scorer.bias.data = torch.tensor([[0.5, 0.0, 9.0]])
    scores = scorer(torch.tensor([[[[1.0, -5.0]]]]), torch.empty(1, 1, 2, 0))
    assert scores.tolist() == [[[[1.5, 2.0]]]]


def test_a_random_synthesizer_is_its_table_and_with_a_cache_its_last_rows() -> None:
    scorer = RandomSynthesizer(2, 5)
    rows = torch.empty(3, 2, 4, 0)
    assert torch.equal(scorer(rows, rows), scorer.weight[:, :4, :4].expand(3, -1, -1, -1))
    assert torch.equal(scorer(rows[:, :, :1], rows), scorer.weight[:, 3:4, :4].expand(3, -1, -1, -1))
