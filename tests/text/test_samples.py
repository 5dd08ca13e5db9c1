"""Samples: no text on both sides, labels in proportion, the same split for the same seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.samples import (
    Labelled,
    Pair,
    Plain,
    contradicted,
    cut,
    overlap,
    repeated,
    seen_before,
    split_off,
    text_of,
    thinned,
)

REVIEWS = st.lists(st.builds(Labelled, st.sampled_from("abcdefghijklmnopqrst"), st.sampled_from("xyz")), min_size=2)


def test_what_is_shown_of_a_sample() -> None:
    assert [text_of(each) for each in (Labelled("a", "b"), Pair("c", "d"), Plain("e"))] == ["a", "c", "e"]


def test_the_same_text_twice_is_counted() -> None:
    some = [Labelled("a", "x"), Labelled("b", "x"), Labelled("a", "y"), Labelled("a", "y")]
    assert repeated(some) == 2
    assert repeated([Pair("a", "b"), Pair("a", "c"), Pair("A ", "b")]) == 1
    assert overlap(some, [Plain("a"), Plain("c"), Plain("a")]) == 1
    assert contradicted(some) == 1


@given(REVIEWS, st.integers(0, 5), st.sampled_from([0.1, 0.3, 0.5]))
def test_a_split_loses_nothing_and_shares_no_text(samples: list[Labelled], seed: int, share: float) -> None:
    if len({sample.text for sample in samples}) < 2:
        with pytest.raises(InputError, match="cannot be split"):
            split_off(samples, seed, share)
        return
    kept, held = split_off(samples, seed, share)
    assert Counter(kept) + Counter(held) == Counter(samples)
    assert kept
    assert held
    assert overlap(kept, held) == 0
    assert (kept, held) == split_off(samples, seed, share)


def test_case_and_spaces_make_no_other_text() -> None:
    samples = [Plain("One  text"), Plain("one text "), *(Plain(f"text {number}") for number in range(17))]
    for seed in range(20):
        kept, _ = split_off(samples, seed, 0.5)
        assert (samples[0] in kept) == (samples[1] in kept)


def test_labels_keep_their_shares() -> None:
    samples = [Labelled(f"text {number}", "rare" if number % 10 == 0 else "usual") for number in range(1000)]
    _, held = split_off(samples, seed=3)
    assert Counter(sample.label for sample in held) == {"usual": 90, "rare": 10}
    assert held != split_off(samples, seed=4)[1]
    assert len(split_off(samples, seed=3, most=29)[1]) == 29


def test_a_label_seen_once_is_learnt_from() -> None:
    samples = [Labelled(f"text {number}", "usual") for number in range(30)] + [Labelled("only one", "rare")]
    assert all(samples[-1] in split_off(samples, seed, 0.5)[0] for seed in range(20))


def test_one_document_is_cut() -> None:
    assert cut(Plain("0123456789abc")) == (Plain("0123456789a"), Plain("bc"))
    with pytest.raises(InputError, match="too short"):
        cut(Plain("a"))


def test_thinning_is_even_and_keeps_the_order() -> None:
    samples = [Plain(str(number)) for number in range(1009)]
    few = thinned(samples, 100, seed=1)
    numbers = [int(sample.text) for sample in few]
    assert len(set(numbers)) == 100
    assert numbers == sorted(numbers)
    assert 300 < sum(numbers) / 100 < 700
    assert thinned(samples[:7], 10, seed=1) == samples[:7]
    with pytest.raises(InputError, match="1 or more"):
        thinned(samples, 0, seed=1)


def test_what_was_seen_before_is_counted_whatever_its_case_and_spaces() -> None:
    train = [Labelled("so warm", "yes"), Labelled("dull", "no")]
    test = [Labelled("So  Warm ", "no"), Labelled("so warm", "yes"), Labelled("warm", "yes")]
    assert seen_before(test, train) == 2
    assert overlap(test, train) == 1
