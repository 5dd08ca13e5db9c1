"""Batches: small ones by hand; for all: each index once, within the budget, every token counted once."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.batches import (
    answer_batch,
    blocks,
    bucketed,
    hidden_batch,
    labelled_batch,
    padded,
    padding_waste,
    pair_batch,
    rows_for,
    shifted,
    shifted_batch,
    shortened,
    stream_of,
    whole,
)
from glassformer.text.corruption import tokens_hidden
from glassformer.text.token_kinds import END, PAD, START

SEEDS = st.integers(0, 3)
LENGTHS = st.lists(st.integers(1, 31), min_size=1, max_size=97)


def row(*ids: int) -> Any:
    return np.array(ids, dtype=np.int64)


# --- which rows go together ---


@given(LENGTHS, st.integers(31, 131), SEEDS, SEEDS, st.booleans())
def test_each_index_once_within_the_budget(lengths: list[int], budget: int, seed: int, epoch: int, mix: bool) -> None:
    batches = bucketed(lengths, budget, seed, epoch, shuffle=mix)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[index] for index in batch) <= budget for batch in batches)
    assert 0 <= padding_waste(lengths, batches) < 1


@given(LENGTHS, SEEDS, SEEDS)
def test_the_order_follows_from_seed_and_epoch_alone(lengths: list[int], seed: int, epoch: int) -> None:
    np.random.seed(1)
    once = bucketed(lengths, 97, seed, epoch)
    np.random.seed(2)
    bucketed(lengths, 97, seed + 1, epoch + 1)
    assert bucketed(np.array(lengths), 97, seed, epoch) == once


def test_epochs_and_seeds_differ_in_order_and_neighbours() -> None:
    lengths = np.random.default_rng(5).integers(1, 101, size=1009)
    epochs = [bucketed(lengths, 1000, seed, epoch) for seed, epoch in ((0, 0), (0, 1), (1, 0))]
    members = [{frozenset(batch) for batch in batches} for batches in epochs]
    assert len(members[0] & members[1]) < 10
    assert len(members[0] & members[2]) < 10
    first = [max(lengths[batch]) for batch in epochs[0][:7]]
    assert first != sorted(first, reverse=True)


def test_like_lengths_waste_little() -> None:
    lengths = np.random.default_rng(5).integers(1, 501, size=5003)
    assert padding_waste(lengths, bucketed(lengths, 16_384)) < 0.08
    assert padding_waste([2, 3], [[0, 1]]) == pytest.approx(1 / 6)
    in_order = bucketed(lengths, 16_384, shuffle=False)
    assert [max(lengths[batch]) for batch in in_order] == sorted((max(lengths[b]) for b in in_order), reverse=True)


def test_no_rows_no_batches() -> None:
    assert bucketed([], 10) == []
    assert padding_waste([], []) == 0


def test_a_sample_longer_than_a_batch_is_named() -> None:
    with pytest.raises(InputError, match="Sample 2 has 11 tokens, more than the 10"):
        bucketed([3, 5, 11], 10)


# --- rows to arrays ---


def test_a_labelled_batch_by_hand() -> None:
    batch = labelled_batch([row(7, 8, 9), row(5)], [1, 0])
    assert batch.ids.tolist() == [[7, 8, 9], [5, PAD, PAD]]
    assert batch.real.tolist() == [[True, True, True], [True, False, False]]
    assert batch.labels.tolist() == [1, 0]


def test_targets_are_shifted_by_one() -> None:
    batch = pair_batch([row(7, 8), row(9)], [row(5), row(6, 7, 8)])
    assert batch.source.tolist() == [[7, 8], [9, PAD]]
    assert batch.source_real.tolist() == [[True, True], [True, False]]
    assert batch.target_in.tolist() == [[START, 5, PAD, PAD], [START, 6, 7, 8]]
    assert batch.target_out.tolist() == [[5, END, PAD, PAD], [6, 7, 8, END]]
    assert batch.target_real.tolist() == [[True, True, False, False], [True] * 4]


def test_only_the_answer_counts() -> None:
    batch = answer_batch([row(7, 8), row(9)], [row(5), row(6, 7)])
    assert batch.ids_in.tolist() == [[7, 8, START, 5], [9, START, 6, 7]]
    assert batch.ids_out.tolist() == [[8, START, 5, END], [START, 6, 7, END]]
    assert batch.counted.tolist() == [[False, False, True, True], [False, True, True, True]]
    assert batch.real.all()


def test_a_row_is_predicted_from_its_second_token_on() -> None:
    batch = shifted_batch([row(5, 6, 7), row(8, 9)])
    assert batch.ids_in.tolist() == [[5, 6], [8, PAD]]
    assert batch.ids_out.tolist() == [[6, 7], [9, PAD]]
    assert batch.counted.tolist() == batch.real.tolist() == [[True, True], [True, False]]


@given(st.lists(st.lists(st.integers(5, 99), min_size=1, max_size=13), min_size=1, max_size=7))
def test_padding_can_be_taken_off_again(rows: list[list[int]]) -> None:
    ids, real = padded([row(*each) for each in rows])
    assert [line[mask].tolist() for line, mask in zip(ids, real, strict=True)] == rows
    assert (ids[~real] == PAD).all()
    assert ids.shape[1] == max(map(len, rows))


def test_rows_without_tokens_are_named() -> None:
    with pytest.raises(InputError, match="Row 1 of the batch has no tokens"):
        labelled_batch([row(5), row()], [0, 1])
    with pytest.raises(InputError, match="at least one row"):
        padded([])


def test_what_is_cut_is_counted() -> None:
    short = shortened([row(1, 2, 3, 4, 5), row(6), row(7, 8, 9)], 2)
    assert [each.tolist() for each in short.rows] == [[1, 2], [6], [7, 8]]
    assert (short.rows_cut, short.tokens_lost) == (2, 4)
    with pytest.raises(InputError, match="1 token or more"):
        shortened([row(1)], 0)


# --- one long stream ---


def test_documents_end_with_the_end() -> None:
    assert stream_of([row(7, 8), row(9)]).tolist() == [7, 8, END, 9, END]
    assert stream_of([row(7, 8)]).tolist() == [7, 8]


def test_blocks_are_pieces_of_the_stream_and_follow_from_seed_and_step() -> None:
    stream = np.arange(5, 108)
    batch = blocks(stream, context=7, rows=500, seed=3, step=11)
    assert (batch.ids_in[:, 1:] == batch.ids_in[:, :-1] + 1).all()
    assert (batch.ids_out == batch.ids_in + 1).all()
    assert batch.ids_in.min() == 5
    assert batch.ids_out.max() == 107  # both ends of the stream are reached
    assert batch.counted.all()
    assert (blocks(stream, 7, 500, seed=3, step=11).ids_in == batch.ids_in).all()
    assert (blocks(stream, 7, 500, seed=3, step=12).ids_in != batch.ids_in).any()
    assert (blocks(stream, 7, 500, seed=4, step=11).ids_in != batch.ids_in).any()
    with pytest.raises(InputError, match="a text of 104 tokens or more; this one has 103"):
        blocks(stream, context=103, rows=1, seed=0, step=0)


@given(st.integers(2, 61), st.integers(1, 23), st.integers(1, 5), st.data())
def test_the_whole_stream_is_counted_exactly_once(length: int, context: int, rows: int, data: st.DataObject) -> None:
    fresh = data.draw(st.none() | st.integers(1, min(context, length - 1)))
    stream = np.arange(length)  # each token says where it stands
    batches = whole(stream, context, rows, fresh)
    counted = Counter(int(token) for batch in batches for token in batch.ids_out[batch.counted])
    assert counted == Counter(range(1, length))
    for batch in batches:
        assert batch.real.all()
        assert len(batch.ids_in) <= rows
        assert (batch.ids_out == batch.ids_in + 1).all()
        places = np.broadcast_to(np.arange(batch.ids_in.shape[1]), batch.ids_in.shape)
        later = batch.counted & (batch.ids_out > context)  # beyond the first window
        assert (places[later] >= context - (fresh or context)).all()


def test_a_stream_of_one_token_foretells_nothing() -> None:
    with pytest.raises(InputError, match="2 tokens or more; this one has 1"):
        whole(np.arange(1), 5, 1)
    with pytest.raises(InputError, match="counts 1 to 5 new ones; fresh is 0"):
        whole(np.arange(9), 5, 1, fresh=0)


# --- hidden tokens ---


def test_a_hidden_batch_counts_the_hidden_ones_only() -> None:
    rows = [np.arange(5, 5 + size) for size in (1, 17, 43)]
    pairs = [tokens_hidden(row, 53, seed=1, epoch=2, index=i) for row, i in zip(rows, (30, 10, 20), strict=True)]
    batch = hidden_batch(rows, *zip(*pairs, strict=True))
    ids, real = padded(rows)
    assert (batch.ids_out == ids).all()
    assert (batch.real == real).all()
    assert not (batch.counted & ~real).any()
    assert batch.counted.any(axis=1).all()  # even a row of one token hides one
    assert (batch.ids_in[~batch.counted] == ids[~batch.counted]).all()
    alone = hidden_batch(rows[1:2], *zip(*pairs[1:2], strict=True))
    assert (alone.ids_in[0] == batch.ids_in[1, :17]).all()  # neighbours do not matter
    with pytest.raises(InputError, match="nothing but special tokens"):
        tokens_hidden(rows[2], 5, seed=1, epoch=2, index=0)


# --- a batch that several share ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_each_row_of_a_batch_is_somebodys(size: int) -> None:
    batch = labelled_batch([np.arange(length) + 5 for length in (2, 3, 1)], [7, 8, 9])
    shares = [rows_for(batch, rank, size) for rank in range(size)]
    assert sorted(label for share, counts in shares if counts for label in share.labels) == [7, 8, 9]
    for rank, (share, counts) in enumerate(shares):
        assert counts == (rank < 3)
        assert share.ids.shape[1] == 3  # padded as the whole
        if not counts:
            assert share.labels.tolist() == [7]  # one to look at
    if size == 2:
        assert shares[0][0].labels.tolist() == [7, 9]


def test_windows_are_shifted_by_one() -> None:
    batch = shifted(np.array([[1, 2, 3], [4, 5, 6]]))
    assert batch.ids_in.tolist() == [[1, 2], [4, 5]]
    assert batch.ids_out.tolist() == [[2, 3], [5, 6]]
    assert batch.counted.all()
