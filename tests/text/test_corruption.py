"""Corruption: what is hidden can be put back, follows from its numbers alone, and has its shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.corruption import SHORTEST, Crop, span_hidden, tokens_hidden
from glassformer.text.token_kinds import END, MASK, START

SEEDS = st.integers(0, 3)
DOCUMENT = np.arange(5, 5 + 101)


@given(st.integers(6, 149), SEEDS, SEEDS, st.integers(0, 11))
def test_a_hidden_span_can_be_put_back(context: int, seed: int, epoch: int, index: int) -> None:
    ids = span_hidden(DOCUMENT, context, seed=seed, epoch=epoch, index=index).tolist()
    gap, start = ids.index(MASK), ids.index(START)
    assert ids[-1] == END
    span = ids[start + 1 : -1]
    text = ids[:gap] + span + ids[gap + 1 : start]
    assert text == DOCUMENT[: len(text)].tolist()
    assert 1 <= len(span) <= len(text) // 2
    assert max(4, min(101, context * 7 // 8, context - 2) // 2) <= len(text) <= max(4, context * 7 // 8)
    assert len(ids) - 1 <= context


def test_spans_hide_a_quarter_on_average_and_change_with_every_number() -> None:
    shares, seen = [], set()
    for index in range(2000):
        ids = span_hidden(DOCUMENT, 128, seed=1, epoch=2, index=index).tolist()
        shares.append((len(ids) - ids.index(START) - 2) / (len(ids) - 3))
        seen.add(tuple(ids))
    assert np.mean(shares) == pytest.approx(0.25, abs=0.02)
    assert len(seen) > 1800
    one = {
        tuple(span_hidden(DOCUMENT, 128, seed=s, epoch=e, index=i).tolist())
        for s, e, i in ((1, 2, 3), (2, 2, 3), (1, 3, 3), (1, 2, 4))
    }
    assert len(one) == 4


def test_a_document_too_short_to_hide_a_span_in_is_named() -> None:
    with pytest.raises(InputError, match="sample 7 has 3 tokens"):
        span_hidden(DOCUMENT[:3], 128, seed=0, epoch=0, index=7)
    with pytest.raises(InputError, match="context is 5"):
        span_hidden(DOCUMENT, 5, seed=0, epoch=0, index=7)


def test_hidden_tokens_keep_their_shares() -> None:
    ids = np.arange(100_000) % 97 + 5
    shown, hidden = tokens_hidden(ids, 102, seed=1, epoch=2, index=3)
    assert hidden.mean() == pytest.approx(0.15, abs=0.005)
    assert (shown[~hidden] == ids[~hidden]).all()
    assert (shown[hidden] == MASK).mean() == pytest.approx(0.8, abs=0.02)
    assert (shown[hidden] == ids[hidden]).mean() == pytest.approx(0.1, abs=0.01)
    others = shown[hidden & (shown != MASK) & (shown != ids)]
    assert others.min() >= 5
    assert others.max() == 101


# --- crops -------------------------------------------------------------------------------------------------------


@given(SEEDS, SEEDS, st.integers(0, 11))
def test_a_piece_is_read_from_one_place_to_another_between_its_marks(seed: int, epoch: int, index: int) -> None:
    text = np.concatenate([[2], DOCUMENT, [3]])
    piece = Crop(share=1.0, before=1, after=1).of(text, seed=seed, epoch=epoch, index=index).tolist()
    assert (piece[0], piece[-1]) == (2, 3)
    assert SHORTEST <= len(piece) - 2 <= 101
    assert piece[1:-1] == list(range(piece[1], piece[1] + len(piece) - 2))
    assert piece[1] >= 5
    assert piece[-2] <= 105


def test_a_share_of_the_texts_is_cut_and_short_pieces_are_as_likely_as_long_ones() -> None:
    text = np.arange(64)
    pieces = [Crop(share=0.5).of(text, seed=1, epoch=2, index=index) for index in range(4000)]
    lengths = np.array([len(each) for each in pieces])
    cut = lengths[lengths < 64]
    assert len(cut) / 4000 == pytest.approx(0.5, abs=0.04)
    assert np.mean(cut < 32) == pytest.approx(0.5, abs=0.04)  # 16 to 32 tokens, or 32 to 64
    assert {int(each[0]) for each in pieces} >= set(range(40))
    assert {int(each[-1]) for each in pieces} >= set(range(24, 64))  # pieces begin and end anywhere


def test_a_short_text_is_read_whole_and_so_is_every_text_without_a_share() -> None:
    short = np.arange(SHORTEST)
    assert Crop(share=1.0).of(short, seed=0, epoch=0, index=0) is short
    assert Crop().of(DOCUMENT, seed=0, epoch=0, index=0) is DOCUMENT
    with pytest.raises(InputError, match=r"`crop` is a share from 0 to 1; it is 1\.5"):
        Crop(share=1.5)
