"""Samples as batches: every one once in order, drawn anew in each epoch, with what was cut or padded said."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from glassformer.objectives.lessons import Rows, Stream, Windows, always, language_loss, lessons_of
from glassformer.text.batches import Shortened, shifted_batch
from glassformer.text.files.token_files import write_tokens
from glassformer.text.tokens import Tokens

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


# --- a text that stays on the disk ------------------------------------------------------------------------------


@pytest.fixture
def windows(tmp_path: Path) -> Windows:
    (tmp_path / "text.txt").write_text("".join(f"Line {number} of many.\n" for number in range(300)))
    make = partial(Tokens.train, "character")
    return Windows(write_tokens([tmp_path / "text.txt"], tmp_path / "tokens", make), context=13, rows=7, seed=3)


def test_an_epoch_reads_every_window_of_a_kept_text_once(windows: Windows) -> None:
    whole = windows.kept.at(np.array([0]), len(windows.kept))[0]
    for epoch in (0, 1):
        some = [windows.batch(epoch, place) for place in range(windows.n_batches(epoch))]
        rows = np.concatenate([each.ids_in for each in some])
        assert len(rows) == windows.n_batches(epoch) * 7
        assert len(rows) * 13 > 0.95 * len(whole) - 7 * 13
        assert all((each.ids_in[:, 1:] == each.ids_out[:, :-1]).all() for each in some)
        in_text = np.lib.stride_tricks.sliding_window_view(whole, 13)
        begins = [{int(place) for place in np.flatnonzero((in_text == row).all(1))} for row in rows]
        firsts = {min(each) % 13 for each in begins if len(each) == 1}
        assert len(firsts) == 1  # side by side: all begin at one shift
        assert len({min(each) for each in begins if len(each) == 1}) == sum(len(each) == 1 for each in begins)


def test_the_order_of_a_kept_text_is_drawn_anew_and_known_beforehand(windows: Windows) -> None:
    first, second = windows.batch(0, 1), windows.batch(1, 1)
    assert (first.ids_in != second.ids_in).any()
    assert (windows.batch(0, 1).ids_in == first.ids_in).all()
    assert windows.waste() == 0.0


def test_a_kept_text_in_order_is_the_text(windows: Windows) -> None:
    read = np.concatenate([each.ids_in for each in windows.in_order()]).ravel()
    assert (read == windows.kept.at(np.array([0]), len(read))[0]).all()
