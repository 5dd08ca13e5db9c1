"""What text alone can do: counts by pencil, probabilities that sum to 1, and the nearest sentence by its rare words."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.text.plain_baselines import CountedPairs, NearestSentence
from glassformer.text.samples import Pair


def chance(pairs: CountedPairs, before: int, after: int) -> float:
    return math.exp(-pairs.nats(np.array([before]), np.array([after])))


def test_pairs_by_pencil() -> None:
    """0 1 0 1 0 2, of 4 tokens: after 0 come 1, 1, 2. Two kinds leave 2/5 to all, by their frequency."""
    pairs = CountedPairs(np.array([0, 1, 0, 1, 0, 2]), 4)
    single = [4 / 10, 3 / 10, 2 / 10, 1 / 10]  # one more than they stand there
    assert chance(pairs, 0, 1) == pytest.approx((2 + 2 * single[1]) / 5)
    assert chance(pairs, 0, 3) == pytest.approx(2 * single[3] / 5)
    assert chance(pairs, 3, 1) == pytest.approx(single[1])  # nothing is known of what comes after 3


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60), st.integers(0, 6))
def test_what_may_come_after_a_token_sums_to_1(ids: list[int], before: int) -> None:
    pairs = CountedPairs(np.array(ids), 7)
    assert sum(chance(pairs, before, after) for after in range(7)) == pytest.approx(1)


def test_the_nearest_sentence_is_the_one_that_shares_rare_words() -> None:
    said = {"the dog sleeps": "1", "the old cat": "2", "the cat sleeps on the mat": "3", "a bird": "4"}
    nearest = NearestSentence([Pair(source, target) for source, target in said.items()])
    assert [nearest.target(source) for source in said] == list(said.values())  # each is nearest to itself
    assert nearest.target("The DOG barks") == "1"
    assert nearest.target("entirely other words") == "1"  # nothing in common: the first
