"""Curves of a run: smoothed, forecast to their end, and drawn in characters. Knows numbers, not what they mean."""

import math
from collections.abc import Sequence

Point = tuple[float, float]  # when, and how much

PAST = 0.9  # the weight of what came before in an average
LEAST_FALL, MOST_FALL = 0.25, 2.0  # of the fall that the slope of a curve foretells; bench/forecast.py measures it
_BARS = " ▁▂▃▄▅▆▇█"


def smoothed(points: Sequence[Point], weight: float = PAST) -> list[Point]:
    """An average that follows the points, without the pull to the beginning that such averages have."""
    found: list[Point] = []
    total = mass = 0.0
    for when, value in points:
        total, mass = weight * total + (1 - weight) * value, weight * mass + (1 - weight)
        found.append((when, total / mass))
    return found


def forecast(points: Sequence[Point], when: float) -> tuple[float, float] | None:
    """From what to what the average of the points will have come by then; None while that is unclear.

    A loss falls by a power of the time: a straight line through (log time, log value) of the later half says how much
    further. Learning rates come down, and steps of understanding come unforeseen, so that it may be a quarter of that
    or twice as much, give or take what the points scatter. It is never above the lowest that was reached.
    """
    average = smoothed([point for point in points if point[0] > 0 and point[1] > 0])
    later = [(math.log(x), math.log(y)) for x, y in average[len(average) // 2 :]]
    if len(later) < 5 or when <= 0:
        return None
    mean_x, mean_y = (math.fsum(each) / len(later) for each in zip(*later, strict=True))
    spread = math.fsum((x - mean_x) ** 2 for x, _ in later)
    if spread == 0:
        return None
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in later) / spread
    falls = max(0.0, -slope) * max(0.0, math.log(when) - later[-1][0])
    scatter, now = _scatter(points, average), average[-1][1]
    high = min(now * math.exp(scatter - LEAST_FALL * falls), *(value for _, value in average))
    return min(now * math.exp(-scatter - MOST_FALL * falls), high), high


def _scatter(points: Sequence[Point], average: Sequence[Point]) -> float:
    """How far the average of the points strays by chance: two standard deviations, as a share of it."""
    values = [value for when, value in points if when > 0 and value > 0]
    strays = [math.log(value / mean) for value, (_, mean) in zip(values, average, strict=True)][len(values) // 2 :]
    middle = math.fsum(strays) / len(strays)
    return 2 * math.sqrt(math.fsum((each - middle) ** 2 for each in strays) / len(strays) * (1 - PAST) / (1 + PAST))


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


BOTH = "◉"


def dotted(curves: Sequence[Sequence[Point]], marks: str, width: int = 60, height: int = 8) -> list[str]:
    """Several curves of shares in one frame, each by its own mark; where two meet stands BOTH."""
    points = [point for curve in curves for point in curve]
    if not points:
        return []
    last = max(when for when, _ in points) or 1.0
    low, high = min(value for _, value in points), max(value for _, value in points)
    span = (high - low) or 1.0
    cells = [[" "] * (width + 1) for _ in range(height)]
    for curve, mark in zip(curves, marks, strict=True):
        for when, value in curve:
            row, column = round((height - 1) * (high - value) / span), round(width * when / last)
            cells[row][column] = mark if cells[row][column] in (" ", mark) else BOTH
    names = {0: f"{100 * high:6.1f} % ", height - 1: f"{100 * low:6.1f} % "}
    return [names.get(row, " " * 9) + "".join(line).rstrip() for row, line in enumerate(cells)]


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
