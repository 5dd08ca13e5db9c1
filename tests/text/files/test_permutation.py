"""A shuffled order: each thing once, another order for each seed, and no trace of the old one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.text.files.permutation import permuted


@given(st.integers(1, 3000), st.integers(0, 2**31), st.integers(0, 99))
def test_each_thing_stands_once(size: int, seed: int, epoch: int) -> None:
    found = permuted(np.arange(size), size, seed, epoch)
    assert sorted(found.tolist()) == list(range(size))


def test_a_place_can_be_asked_for_alone() -> None:
    all_at_once = permuted(np.arange(1009), 1009, 3, 1)
    assert [int(permuted(np.array([place]), 1009, 3, 1)[0]) for place in range(1009)] == all_at_once.tolist()


def test_every_epoch_has_an_order_of_its_own() -> None:
    orders = {tuple(permuted(np.arange(101), 101, 3, epoch).tolist()) for epoch in range(50)}
    assert len(orders) == 50


@pytest.mark.parametrize("size", [10_007, 1 << 14])
def test_neighbours_are_far_apart_and_the_old_order_is_gone(size: int) -> None:
    """Of a random order the ranks correlate by about 1/√n, and neighbours are a third of it apart on average."""
    order = permuted(np.arange(size), size, 7, 0).astype(float)
    assert abs(np.corrcoef(order, np.arange(size))[0, 1]) < 4 / size**0.5
    assert abs(np.corrcoef(order[1:], order[:-1])[0, 1]) < 4 / size**0.5
    assert np.abs(np.diff(order)).mean() / size == pytest.approx(1 / 3, abs=0.01)


def test_far_more_than_fits_in_memory_costs_nothing() -> None:
    size = 10**15 + 37
    some = permuted(np.arange(size - 1000, size), size, 1, 0)
    assert len(set(some.tolist())) == 1000
    assert some.min() >= 0
    assert some.max() < size
