"""Curves of a run: smoothed, forecast to their end, and drawn in characters. Knows numbers, not what they mean."""

import math
from collections.abc import Sequence

Point = tuple[float, float]  # when, and how much

_BARS = " ▁▂▃▄▅▆▇█"


def smoothed(points: Sequence[Point], weight: float = 0.9) -> list[Point]:
    """An average that follows the points, without the pull to the beginning that such averages have."""
    found: list[Point] = []
    total = mass = 0.0
    for when, value in points:
        total, mass = weight * total + (1 - weight) * value, weight * mass + (1 - weight)
        found.append((when, total / mass))
    return found


def forecast(points: Sequence[Point], when: float) -> float | None:
    """What the value will be, if it goes on falling by a power of the time, as losses do; None while that is unclear.

    The straight line through (log time, log value) of the later half of the points.
    """
    later = [(math.log(x), math.log(y)) for x, y in points[len(points) // 2 :] if x > 0 and y > 0]
    if len(later) < 5 or when <= 0:
        return None
    mean_x, mean_y = (math.fsum(each) / len(later) for each in zip(*later, strict=True))
    spread = math.fsum((x - mean_x) ** 2 for x, _ in later)
    if spread == 0:
        return None
    slope = min(0.0, math.fsum((x - mean_x) * (y - mean_y) for x, y in later) / spread)
    return math.exp(mean_y + slope * (math.log(when) - mean_x))


def drawn(points: Sequence[Point], width: int = 60, height: int = 8) -> list[str]:
    """A curve as lines of text: the highest value on top, the time from left to right."""
    if not points:
        return []
    columns = _columns(points, width)
    low, high = min(columns), max(columns)
    span = (high - low) or 1.0
    lines = []
    for row in range(height, 0, -1):
        filled = [(value - low) / span * (height - 0.1) + 0.1 - (row - 1) for value in columns]
        bars = "".join(_BARS[round(min(max(share, 0.0), 1.0) * 8)] for share in filled)
        name = f"{high:8.3f} " if row == height else f"{low:8.3f} " if row == 1 else " " * 9
        lines.append(name + bars)
    return lines


def _columns(points: Sequence[Point], width: int) -> list[float]:
    """The mean of the points that fall on each column; an empty column is as the one before it."""
    first, last = points[0][0], points[-1][0]
    sums: list[list[float]] = [[] for _ in range(min(width, len(points)))]
    for when, value in points:
        place = (when - first) / ((last - first) or 1.0)
        sums[min(int(place * len(sums)), len(sums) - 1)].append(value)
    columns: list[float] = []
    for each in sums:
        columns.append(math.fsum(each) / len(each) if each else columns[-1])
    return columns
