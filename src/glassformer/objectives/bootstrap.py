"""Confidence intervals of scores, and p-values of one system's lead over another, by bootstrap. It knows no metric.

Every score of metrics.py follows from sums over the samples: accuracy from how many were right and how many there were,
BLEU from counts of n-grams, loss from nats and tokens. Drawing the samples again, with replacement, only asks how often
each of them is drawn; so a thousand draws are one product of matrices. The order of the samples does not matter.

Shapes: S samples · K numbers kept of each · R draws.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from glassformer.errors import InputError

SIGNIFICANT = 0.05  # a lead is real if its p-value is below this
MEMORY = 4_000_000  # how often each sample is drawn, in at most this many numbers at once


@dataclass(frozen=True)
class Measure:
    """A row of numbers for each sample, and the score that follows from the sums of such rows."""

    rows: Float[np.ndarray, "S K"]
    score: Callable[[np.ndarray], np.ndarray]  # sums (R K) → scores (R)
    share: bool = False  # of samples that are right

    def __post_init__(self) -> None:
        if len(self.rows) == 0:
            raise InputError("There are no samples to be scored.")
        if not np.isfinite(self.rows).all():
            first = int(np.flatnonzero(~np.isfinite(self.rows).all(axis=1))[0])
            raise InputError(f"Sample {first} cannot be scored: its numbers are {self.rows[first].tolist()}.")

    @property
    def value(self) -> float:
        """The score of all samples together."""
        return float(self.score(self.rows.sum(axis=0, keepdims=True))[0])


@dataclass(frozen=True)
class Interval:
    """A score, and its confidence interval: what the middle draws fall into."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairedComparison:
    """How much better one system is than another on the same samples, with its confidence interval and p-value."""

    difference: float
    low: float
    high: float
    p_value: float


def by_text(measure: Measure, texts: Sequence[str]) -> Measure:
    """The same score, with one row for each text that differs from the others: samples that show the same text are one
    witness, not several, and are drawn together."""
    places = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    rows = np.zeros((len(places), measure.rows.shape[1]))
    np.add.at(rows, [places[text] for text in texts], measure.rows)
    return replace(measure, rows=rows)


def interval(measure: Measure, *, seed: int = 0, draws: int = 1000, level: float = 0.95) -> Interval:
    """The score with its confidence interval: percentiles of the bootstrap.

    Where all samples are right, or all wrong, every draw is the same. There the other end is the share at which so many
    alike would come by chance only as often as the level leaves: for 6 of 6, from 54 % on.
    """
    scores = measure.score(_sums(measure.rows, seed, draws))
    value, (low, high) = measure.value, _middle(scores, level)
    unlike = 1 - ((1 - level) / 2) ** (1 / len(measure.rows))
    if measure.share and value == 1:
        low = 1 - unlike
    elif measure.share and value == 0:
        high = unlike
    return Interval(value, low, high)


def compare(one: Measure, other: Measure, *, seed: int = 0, draws: int = 1000, level: float = 0.95) -> PairedComparison:
    """Paired: every draw takes the same samples of both systems, so what is hard for both does not count.

    The p-value is two-sided: how often a draw is at least as far from the mean draw as the difference is from 0.
    """
    if len(one.rows) != len(other.rows):
        raise InputError(
            f"Two systems are compared on the same samples; there are {len(one.rows)} and {len(other.rows)} answers."
        )
    sums = _sums(np.hstack([one.rows, other.rows]), seed, draws)
    width = one.rows.shape[1]
    gaps = one.score(sums[:, :width]) - other.score(sums[:, width:])
    difference = one.value - other.value
    as_far = int((np.abs(gaps - gaps.mean()) >= abs(difference)).sum())
    return PairedComparison(difference, *_middle(gaps, level), p_value=(as_far + 1) / (draws + 1))


def lead_by_luck(one: Measure, other: Measure) -> float:
    """The exact two-sided p-value of a lead, where rows count what is right: how often it would be as large, to either
    side, if a coin decided for each row whose lead it is. Of rows that are each right or wrong that is the sign test,
    seven of seven: 2 · (1/2)⁷. A row of several samples stays together, and weighs as much as it does in the lead.
    """
    leads = np.rint(one.rows[:, 0] - other.rows[:, 0]).astype(int)
    ways = np.ones(1)  # how likely each lead is, from −reach to +reach in steps of 2
    for size, count in zip(*np.unique(np.abs(leads[leads != 0]), return_counts=True), strict=True):
        longer = np.zeros(len(ways) + int(size * count))
        for heads, chance in enumerate(_tosses(int(count))):
            longer[size * heads : size * heads + len(ways)] += chance * ways
        ways = longer
    as_large = abs(2 * np.arange(len(ways)) - (len(ways) - 1)) >= abs(leads.sum())
    return min(1.0, float(ways[as_large].sum()))


def _tosses(count: int) -> Float[np.ndarray, "N"]:
    """How likely each number of heads is among so many tosses."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, count + 1)))])  # of factorials
    return np.exp(logs[count] - logs - logs[::-1] - count * np.log(2))  # type: ignore[no-any-return]


def _sums(rows: Float[np.ndarray, "S K"], seed: int, draws: int) -> Float[np.ndarray, "R K"]:
    """What the rows add up to in each draw. Equal rows are drawn together: most samples of a classifier are equal."""
    if draws < 1:
        raise InputError(f"`draws` must be at least 1; it is {draws}.")
    generator = np.random.default_rng(seed)
    distinct, counts = np.unique(rows, axis=0, return_counts=True)
    n_samples, at_once = len(rows), max(1, MEMORY // len(distinct))
    parts = []
    for done in range(0, draws, at_once):
        drawn = generator.multinomial(n_samples, counts / n_samples, size=min(at_once, draws - done))
        parts.append(drawn.astype(np.float64) @ distinct)
    return np.concatenate(parts)


def _middle(scores: Float[np.ndarray, "R"], level: float) -> tuple[float, float]:
    if not 0.0 < level < 1.0:
        raise InputError(f"`level` is a share between 0 and 1, such as 0.95; it is {level}.")
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
