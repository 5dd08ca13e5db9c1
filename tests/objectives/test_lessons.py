"""Samples as batches: every one once in order, drawn anew in each epoch, with what was cut or padded said."""

import numpy as np
import torch
from torch import Tensor, nn

from glassformer.objectives.lessons import Rows, Stream, always, language_loss, lessons_of
from glassformer.text.batches import Shortened, shifted_batch

LENGTHS = [3, 5, 2, 3, 7, 1, 2]


def rows(lengths: list[int] = LENGTHS, tokens_per_batch: int = 11) -> Rows:
    return Rows(always(lengths), lambda indices, epoch: (sorted(indices), epoch), tokens_per_batch, seed=3)


def test_every_sample_is_in_every_epoch_once() -> None:
    part = rows()
    for epoch in (0, 1):
        found = [part.batch(epoch, place) for place in range(part.n_batches(epoch))]
        assert sorted(i for indices, _ in found for i in indices) == list(range(7))
        assert {said for _, said in found} == {epoch}
    assert sorted(i for indices, _ in part.in_order() for i in indices) == list(range(7))


def test_the_share_of_padding_and_of_what_was_cut_is_said() -> None:
    part = rows([2, 4], tokens_per_batch=8)
    assert part.waste() == 0.25  # two rows of four, and two of eight are padding
    lessons = lessons_of(part, part, language_loss, Shortened([], rows_cut=1, tokens_lost=6))
    assert lessons.notes == ("25.0% of the batches is padding.", "1 of 2 texts were cut; 50.0% of all tokens are lost.")
    assert lessons_of(part, part, language_loss).notes == ("25.0% of the batches is padding.",)


def test_a_stream_read_in_order_counts_every_token_after_the_first_once() -> None:
    stream = Stream(np.arange(23), context=5, rows=2, seed=3)
    assert stream.n_batches(0) == 2
    counted = [int(each) for batch in stream.in_order() for each in batch.ids_out[batch.counted]]
    assert sorted(counted) == list(range(1, 23))
    one, again = stream.batch(1, 0), stream.batch(1, 0)
    assert np.array_equal(one.ids_in, again.ids_in)
    assert not np.array_equal(one.ids_in, stream.batch(0, 0).ids_in)


class Undecided(nn.Module):
    """Gives all of seven ids the same chance."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(7))

    def forward(self, ids: Tensor, counted: Tensor) -> Tensor:
        return self.weight.expand(int(counted.sum()), 7)


def test_the_loss_of_one_who_is_undecided_is_the_logarithm_of_the_choices() -> None:
    batch = shifted_batch([np.array([1, 2, 3]), np.array([4, 5])])
    loss, count = language_loss(Undecided(), batch)
    assert count == 3
    torch.testing.assert_close(loss, 3 * torch.tensor(7.0).log())
