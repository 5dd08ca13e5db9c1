"""Intervals and comparisons: against formulas and against drawing the samples one by one; seeded, and order-free."""

import math

import numpy as np
import pytest

from glassformer.errors import InputError
from glassformer.objectives.bootstrap import (
    Interval,
    Measure,
    PairedComparison,
    by_text,
    compare,
    interval,
    lead_by_luck,
)


def mean_of(values: list[float]) -> Measure:
    """The plainest measure: Σ value / Σ 1."""
    return Measure(np.array([[value, 1.0] for value in values]), lambda sums: sums[:, 0] / sums[:, 1])


def normal(count: int, seed: int, mean: float = 0.0) -> list[float]:
    drawn: list[float] = np.random.default_rng(seed).normal(mean, 1.0, count).tolist()
    return drawn


def test_the_interval_of_a_mean_is_the_textbooks() -> None:
    """±1.96 σ/√S around the mean."""
    values = normal(401, 1, mean=5.0)
    found = interval(mean_of(values), draws=20_000)
    margin = 1.96 * float(np.std(values)) / math.sqrt(401)
    assert found.value == pytest.approx(np.mean(values))
    assert found.low == pytest.approx(found.value - margin, abs=0.05 * margin)
    assert found.high == pytest.approx(found.value + margin, abs=0.05 * margin)


def test_the_interval_is_that_of_drawing_sample_by_sample() -> None:
    """On a ratio of sums that no formula covers."""
    rows = np.abs(np.random.default_rng(3).normal(size=(53, 3))) + 0.1

    def score(sums: np.ndarray) -> np.ndarray:
        return np.asarray(sums[:, 0] ** 2 / (sums[:, 1] * sums[:, 2]))

    found = interval(Measure(rows, score), draws=20_000)
    generator = np.random.default_rng(5)
    drawn = [score(rows[generator.integers(0, 53, 53)].sum(0, keepdims=True))[0] for _ in range(20_000)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.03 * (high - low))


def test_the_same_seed_gives_the_same_interval_in_any_order_of_samples() -> None:
    values = normal(97, 2)
    once = interval(mean_of(values), seed=7)
    again, other = interval(mean_of(values[::-1]), seed=7), interval(mean_of(values), seed=8)
    assert (once.low, once.high) == (again.low, again.high)
    assert once.value == pytest.approx(again.value, abs=1e-12)
    assert (once.low, once.high) != (other.low, other.high)


def test_drawing_in_parts_is_drawing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measure = mean_of(normal(31, 4))
    whole = interval(measure)
    monkeypatch.setattr("glassformer.objectives.bootstrap.MEMORY", 310)
    assert interval(measure) == whole


@pytest.mark.parametrize(("right", "low", "high"), [(1.0, 0.025 ** (1 / 6), 1.0), (0.0, 0.0, 1 - 0.025 ** (1 / 6))])
def test_six_of_six_leave_doubt(right: float, low: float, high: float) -> None:
    """At a share of 54.1 % six right ones in a row come by luck once in forty times."""
    alike = Measure(mean_of([right] * 6).rows, mean_of([right]).score, share=True)
    found = interval(alike)
    assert (found.low, found.value, found.high) == (pytest.approx(low), right, pytest.approx(high))


def test_samples_all_alike_leave_no_doubt() -> None:
    assert interval(mean_of([3.0] * 11)) == Interval(3.0, 3.0, 3.0)


def test_a_higher_level_is_wider() -> None:
    measure = mean_of(normal(53, 9))
    narrow, wide = interval(measure, level=0.5), interval(measure, level=0.99)
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high


def test_a_pair_shares_its_luck() -> None:
    """One system is 0.1 better on every sample: samples differ by far more, and still there is no doubt."""
    values = normal(101, 6)
    better = [value + 0.1 for value in values]
    found = compare(mean_of(better), mean_of(values))
    assert (found.difference, found.low, found.high) == pytest.approx((0.1, 0.1, 0.1))
    assert found.p_value == pytest.approx(1 / 1001)
    assert interval(mean_of(better)).low < interval(mean_of(values)).high  # apart they could not be told


def test_the_same_system_twice_is_no_better() -> None:
    measure = mean_of(normal(41, 8))
    assert compare(measure, measure) == PairedComparison(0.0, 0.0, 0.0, 1.0)


def test_the_p_value_is_the_textbooks() -> None:
    """Two-sided, of a mean difference that is about normal: P(|z| ≥ d √S / σ)."""
    gaps = np.array(normal(401, 11))
    gaps += 0.09 - gaps.mean()
    found = compare(mean_of(gaps.tolist()), mean_of([0.0] * 401), draws=20_000)
    z = 0.09 * math.sqrt(401) / float(gaps.std())
    assert found.p_value == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.01)


def test_what_cannot_be_scored_says_so() -> None:
    with pytest.raises(InputError, match="no samples"):
        Measure(np.zeros((0, 2)), lambda sums: sums[:, 0])
    with pytest.raises(InputError, match=r"Sample 1 cannot be scored: its numbers are \[nan, 1.0\]"):
        mean_of([0.0, math.nan])
    with pytest.raises(InputError, match="there are 2 and 3 answers"):
        compare(mean_of([0.0] * 2), mean_of([0.0] * 3))
    with pytest.raises(InputError, match="`draws` must be at least 1; it is 0"):
        interval(mean_of([0.0]), draws=0)
    with pytest.raises(InputError, match=r"`level` is a share between 0 and 1, such as 0\.95; it is 95"):
        interval(mean_of([0.0]), level=95.0)


# --- the exact test of right and wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ahead", "behind", "p_value"),
    [
        (7, 0, 2 / 2**7),
        (0, 7, 2 / 2**7),  # two-sided
        (6, 1, 2 * (7 + 1) / 2**7),
        (3, 3, 1.0),
        (0, 0, 1.0),  # alike on every sample
    ],
)
def test_the_sign_test_by_pencil(ahead: int, behind: int, p_value: float) -> None:
    one = mean_of([1.0] * ahead + [0.0] * behind + [1.0, 0.0, 1.0])
    other = mean_of([0.0] * ahead + [1.0] * behind + [1.0, 0.0, 1.0])
    assert lead_by_luck(one, other) == pytest.approx(p_value, rel=1e-12)


def test_the_sign_test_of_many_samples_is_the_normal_curves() -> None:
    """5,100 of 10,000 heads lie 1.99 standard deviations from the middle, half a step taken off."""
    one, other = mean_of([1.0] * 5100 + [0.0] * 4900), mean_of([0.0] * 5100 + [1.0] * 4900)
    assert lead_by_luck(one, other) == pytest.approx(math.erfc(1.99 / math.sqrt(2)), rel=1e-3)


def test_what_repeats_a_text_makes_no_interval_narrower() -> None:
    """Twenty texts, each of them five times: the interval is that of twenty."""
    once = mean_of([1.0, 0.0] * 10)
    often = mean_of([1.0, 0.0] * 50)
    texts = [str(i % 20) for i in range(100)]
    assert by_text(often, texts).value == often.value
    assert by_text(mean_of([1.0, 0.0, 1.0]), ["a", "b", "a"]).rows.tolist() == [[2.0, 2.0], [0.0, 1.0]]
    assert by_text(mean_of([1.0, 0.0, 0.0]), ["a", "b", "a"]).rows.tolist() == [[1.0, 2.0], [0.0, 1.0]]
    assert interval(by_text(often, texts)) == interval(once)
    assert interval(often).high < interval(once).high
    assert lead_by_luck(by_text(often, texts), by_text(mean_of([0.0] * 100), texts)) == lead_by_luck(
        once, mean_of([0.0] * 20)
    )


def of_texts(*leads: int) -> tuple[Measure, Measure]:
    """Two systems, and how many more of each text's samples the one has right."""
    rows = [[max(lead, 0), abs(lead) or 1] for lead in leads]
    others = [[max(-lead, 0), abs(lead) or 1] for lead in leads]
    score = mean_of([0.0]).score
    return Measure(np.array(rows, float), score), Measure(np.array(others, float), score)


def test_a_text_that_stands_often_weighs_in_the_p_value_as_it_does_in_the_lead() -> None:
    """Leads of 3, 1, 1: of the eight ways that coins can fall, ±5 are two, and ±3 four more."""
    assert lead_by_luck(*of_texts(3, 1, 1)) == pytest.approx(2 / 8)
    assert lead_by_luck(*of_texts(3, 1, -1, 0)) == pytest.approx(6 / 8)
    assert lead_by_luck(*of_texts(3, -2, -1)) == 1.0  # ahead by nothing


def test_many_texts_to_one_side_are_no_lead_if_a_few_that_stand_often_make_up_for_it() -> None:
    """80 samples are won and 94 lost, but over texts 10 and 94: a lead of 14, which no count of texts may judge."""
    one, other = of_texts(*[8] * 10, *[-1] * 94)
    found = compare(one, other)
    assert found.low < 0 < found.high
    assert lead_by_luck(one, other) > 0.3


@pytest.mark.parametrize("seed", range(23))
def test_the_p_value_is_that_of_tossing_each_text(seed: int) -> None:
    draw = np.random.default_rng(seed)
    leads = draw.integers(-3, 5, 31)
    tossed = (draw.choice([-1, 1], (20_000, 31)) * leads).sum(1)
    often = (np.abs(tossed) >= abs(leads.sum())).mean()
    assert lead_by_luck(*of_texts(*leads.tolist())) == pytest.approx(often, abs=0.02)
