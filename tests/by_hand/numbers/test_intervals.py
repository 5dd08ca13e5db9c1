"""Intervals keep what they promise: whatever the printed numbers stand for, the result lies within the bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glassformer.by_hand.numbers import intervals
from glassformer.by_hand.numbers.intervals import (
    FACE,
    GENEROUS,
    LOCAL,
    ShapeError,
    Value,
    exactly,
    printed,
    shortened,
)

shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
seeds = st.integers(0, 10_000)
laws = settings(derandomize=True, deadline=None, max_examples=60)


def drawn(seed: int, rows: int, columns: int) -> tuple[Value, np.ndarray]:
    """Numbers rounded to two decimals, and what they were before."""
    true = np.random.default_rng(seed).normal(size=(rows, columns))
    return printed(np.round(true, 2), np.full((rows, columns), 0.005), given=False), true


def holds(value: Value, true: np.ndarray) -> bool:
    return bool(((value.low[GENEROUS] <= true) & (true <= value.high[GENEROUS])).all())


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@laws
@given(seeds, st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 5)))
def test_products_hold_the_truth(seed: int, sizes: tuple[int, int, int]) -> None:
    n, m, k = sizes
    (a, true_a), (b, true_b) = drawn(seed, n, m), drawn(seed + 1, m, k)
    assert holds(intervals.matmul(a, b), true_a @ true_b if (n, m, k) != (1, 1, 1) else true_a * true_b)
    assert holds(intervals.add(a, intervals.negative(a)), np.zeros((n, m)))


@laws
@given(seeds, shapes)
def test_functions_hold_the_truth(seed: int, shape: tuple[int, int]) -> None:
    value, true = drawn(seed, *shape)
    assert holds(intervals.interval_softmax(value), softmax(true))
    assert holds(intervals.sigmoid(value), 1 / (1 + np.exp(-true)))
    assert holds(intervals.exp(value), np.exp(true))
    assert holds(intervals.relu(value), np.maximum(true, 0))
    assert holds(intervals.sine(value), np.sin(true))
    assert holds(intervals.cosine(value), np.cos(true))
    assert holds(intervals.power(value, 2), true**2)
    assert holds(intervals.mean(value), true.mean(axis=1, keepdims=True))
    assert holds(intervals.variance(value), true.var(axis=1, keepdims=True))
    assert holds(intervals.inverse(value), 1 / true)


def test_softmax_bounds_are_reached() -> None:
    value = printed(np.array([[1.0, 2.0]]), np.array([[0.5, 0.5]]), given=False)
    bounds = intervals.interval_softmax(value)
    assert bounds.high[GENEROUS, 0, 0] == pytest.approx(1 / (1 + np.exp(0.0)))  # 1.5 against 1.5
    assert bounds.low[GENEROUS, 0, 0] == pytest.approx(1 / (1 + np.exp(2.0)))  # 0.5 against 2.5


def test_bounds_round_outward() -> None:
    tenth = exactly(0.1)
    third = intervals.add(intervals.add(tenth, tenth), tenth)
    assert third.low[0, 0, 0] < 0.3 < third.high[0, 0, 0]  # 0.1 + 0.1 + 0.1 is not 0.3 in floating point


def test_given_numbers_are_exact_at_face_value_only() -> None:
    value = printed(np.array([[0.5]]), np.array([[0.05]]), given=True)
    assert value.high[GENEROUS, 0, 0] == 0.55
    assert value.low[FACE, 0, 0] == value.high[FACE, 0, 0] == 0.5


def test_a_masked_row_weighs_nothing() -> None:
    hidden = exactly(np.array([[1.0, -np.inf], [-np.inf, -np.inf]]))
    np.testing.assert_allclose(intervals.interval_softmax(hidden).middle(FACE), [[1, 0], [0, 0]], atol=1e-12)


def test_dividing_by_zero_allows_everything() -> None:
    assert intervals.inverse(exactly(0.0)).low[0, 0, 0] == -np.inf


def test_shapes_that_do_not_fit_say_so() -> None:
    with pytest.raises(ShapeError, match="2×3 times 2×3 does not fit"):
        intervals.matmul(exactly(np.ones((2, 3))), exactly(np.ones((2, 3))))
    with pytest.raises(ShapeError, match="2×3 and 3×2 cannot be added"):
        intervals.add(exactly(np.ones((2, 3))), exactly(np.ones((3, 2))))


def test_a_sum_holds_what_it_should_and_of_both_infinities_it_is_anything() -> None:
    rows = exactly(np.array([[0.1] * 7, [np.inf, -np.inf, 1.0, 2.0, 3.0, 4.0, 5.0]]))
    sums = intervals.total(rows)
    assert (sums.low[:, 0] <= 0.7).all()
    assert (sums.high[:, 0] >= 0.7).all()
    assert np.ptp([sums.low[:, 0], sums.high[:, 0]]) < 1e-14
    assert (sums.low[:, 1] == -np.inf).all()
    assert (sums.high[:, 1] == np.inf).all()
    means = intervals.mean(rows)
    assert means.low[0, 0, 0] <= 0.1 <= means.high[0, 0, 0]


def test_what_is_written_down_on_the_way_is_rounded_and_no_more() -> None:
    two_thirds, half, tie = (shortened(exactly(number), 0.0005) for number in (2 / 3, 0.5, 0.1665))
    assert (two_thirds.low[GENEROUS, 0, 0], two_thirds.high[GENEROUS, 0, 0]) == pytest.approx((2 / 3, 0.667))
    assert half.low[GENEROUS, 0, 0] == half.high[GENEROUS, 0, 0] == pytest.approx(0.5)
    assert (tie.low[GENEROUS, 0, 0], tie.high[GENEROUS, 0, 0]) == pytest.approx((0.166, 0.167))
    assert two_thirds.low[LOCAL, 0, 0] == two_thirds.high[LOCAL, 0, 0] == 2 / 3


@given(seeds, shapes)
@laws
def test_a_variance_holds_the_truth_and_its_lower_bound_is_reached(seed: int, shape: tuple[int, int]) -> None:
    value, true = drawn(seed, *shape)
    spread = intervals.variance(value)
    assert holds(spread, true.var(axis=1, keepdims=True))
    draw = np.random.default_rng(seed)
    ends = (np.where(draw.random(shape) < 0.5, value.low[GENEROUS], value.high[GENEROUS]) for _ in range(30))
    assert all(holds(spread, end.var(axis=1, keepdims=True)) for end in ends)


def test_a_variance_leaves_no_more_room_than_its_numbers_have() -> None:
    spread = intervals.variance(printed(np.array([[0.0, 0.24, 0.11]]), np.full((1, 3), 0.005), given=False))
    assert (spread.low[GENEROUS, 0, 0], spread.high[GENEROUS, 0, 0]) == pytest.approx((0.00883, 0.01047), abs=3e-5)
    same = intervals.variance(printed(np.array([[2.0, 2.0]]), np.full((1, 2), 0.5), given=False))
    assert (same.low[GENEROUS, 0, 0], same.high[GENEROUS, 0, 0]) == pytest.approx((0, 0.25))
