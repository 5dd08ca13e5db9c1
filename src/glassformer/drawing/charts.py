"""Charts as SVG that fits any width: lines over time, and a value with its interval. They know numbers and names only.

Nothing is scaled as a picture: lines are stretched, but strokes, points and letters keep their size, so that a chart is
as readable on a phone as on a wall. Colours are classes, which the page's style turns into light or dark ones.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from glassformer.drawing.curves import Point

COLOURS = 8  # classes c0 … c7; a ninth line begins again, and its name beside it tells it apart
_HIGHEST = 12.0  # names at the ends of lines need so much of the height each, in hundredths
_MOST_POINTS = 400  # of a line; more cannot be seen
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Line:
    """A curve with its name. `colour` is a number from 0; a faint one is drawn thin and without its name."""

    name: str
    points: Sequence[Point]
    colour: int = 0
    faint: bool = False
    dotted: bool = False  # with a dot at each point: where there are few, and each was measured


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` as hundredths of a length."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Where a value stands, from 0 to 100; what is beyond the ends stands at them."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return 100.0 * min(max(share, 0.0), 1.0)

    @property
    def ticks(self) -> list[float]:
        """A few round numbers within."""
        return round_numbers(self.low, self.high)


def round_numbers(low: float, high: float, about: int = 4) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 times a power of ten from low to high: about so many."""
    span = high - low
    if span <= 0:
        return [low]
    power = 10 ** math.floor(math.log10(span / about))
    step = next(each * power for each in _STEPS if each * power >= span / about)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


# --- lines ------------------------------------------------------------------------------------------------------


def line_chart(curves: Sequence[Line], across: Callable[[float], str], up: Callable[[float], str], said: str) -> str:
    """Curves over one time. `across` and `up` write the numbers at the axes; `said` tells the chart to who cannot see.

    What is far above all the rest, such as the first few losses, is cut off.
    """
    curves = [Line(each.name, thinned_points(each.points), each.colour, each.faint, each.dotted) for each in curves]
    points = [point for each in curves for point in each.points]
    if not points:
        return ""
    times = Scale(0.0, max(when for when, _ in points))
    values = Scale(*_room([value for _, value in points]))
    paths = "".join(_path(each, times, values) for each in curves)
    dots = "".join(_dots(each, times, values, across, up) for each in curves if each.dotted and not each.faint)
    return (
        f'<svg class="plot" role="img" aria-label="{escape(said)}">{_axes(times, across, values, up)}'
        f'<svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">{paths}</svg>'
        f"{dots}{_names(curves, values)}</svg>{_legend(curves)}"
    )


def _axes(times: Scale, across: Callable[[float], str], values: Scale, up: Callable[[float], str]) -> str:
    beside = "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{place:.2f}%" y2="{place:.2f}%"/>'
        f'<text class="tick" x="-8" y="{place:.2f}%" dy=".32em" text-anchor="end">{escape(up(each))}</text>'
        for each, place in ((each, 100 - values.place(each)) for each in values.ticks)
    )
    below = "".join(
        f'<text class="tick" x="{times.place(each):.2f}%" y="100%" dy="1.6em" text-anchor="middle">'
        f"{escape(across(each))}</text>"
        for each in times.ticks
    )
    return beside + below


def thinned_points(points: Sequence[Point]) -> list[Point]:
    """Every so many of the points, the last one always."""
    every = math.ceil(len(points) / _MOST_POINTS)
    return [*points[:-1:every], *points[-1:]] if every > 1 else list(points)


def _room(values: Sequence[float]) -> tuple[float, float]:
    """From the lowest to the highest that matters, with a little air, and from 0 if that is not far away."""
    ordered = sorted(value for value in values if math.isfinite(value)) or [0.0]
    low, high = ordered[0], ordered[min(len(ordered) - 1, int(0.985 * len(ordered)))]
    span = (high - low) or abs(high) or 1.0
    return (0.0 if 0 <= low < 0.5 * span else low - 0.05 * span), high + 0.05 * span


def _path(curve: Line, times: Scale, values: Scale) -> str:
    places = " ".join(f"{times.place(x):.2f},{100 - values.place(y):.2f}" for x, y in curve.points)
    kind = f"curve c{curve.colour % COLOURS}{' faint' if curve.faint else ''}"
    return f'<polyline class="{kind}" points="{places}"><title>{escape(curve.name)}</title></polyline>'


def _dots(
    curve: Line, times: Scale, values: Scale, across: Callable[[float], str], up: Callable[[float], str]
) -> str:  # fmt: skip
    return "".join(
        f'<circle class="dot c{curve.colour % COLOURS}" cx="{times.place(x):.2f}%" cy="{100 - values.place(y):.2f}%" '
        f'r="2.5"><title>{escape(f"{curve.name}, {across(x)}: {up(y)}")}</title></circle>'
        for x, y in curve.points
    )


def _names(curves: Sequence[Line], values: Scale) -> str:
    """Each name beside the end of its line; names that would stand on one another are moved apart."""
    named = sorted((each for each in curves if each.points and not each.faint), key=lambda each: -each.points[-1][1])
    places = apart([100 - values.place(each.points[-1][1]) for each in named], min(_HIGHEST, 100 / max(len(named), 1)))
    return "".join(
        f'<text class="name c{each.colour % COLOURS}" x="100%" dx="10" y="{place:.2f}%" dy=".32em">'
        f"{escape(each.name)}</text>"
        for each, place in zip(named, places, strict=True)
    )


def _legend(curves: Sequence[Line]) -> str:
    """The names once more, for pages too narrow to write them beside the lines."""
    marks = "".join(
        f'<span class="c{each.colour % COLOURS}">{escape(each.name)}</span>' for each in curves if not each.faint
    )
    return f'<p class="legend" aria-hidden="true">{marks}</p>'


def apart(places: Sequence[float], least: float) -> list[float]:
    """Ascending places from 0 to 100, moved as little as need be until each is `least` below the one before."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + least) if moved else place)
    end = 100.0
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], end)
        end = moved[i] - least
    return moved


# --- a value and its interval -----------------------------------------------------------------------------------


def whisker(value: float, interval: tuple[float, float], others: Sequence[float], scale: Scale, colour: int) -> str:
    """A dot with its interval as a bar, and small ticks for single values, such as those of each seed."""
    low, high = (scale.place(each) for each in interval)
    ticks = "".join(
        f'<line class="each" x1="{scale.place(each):.2f}%" x2="{scale.place(each):.2f}%" y1="3" y2="8"/>'
        for each in others
    )
    return (
        f'<svg class="whisker c{colour % COLOURS}" aria-hidden="true">'
        f'<line class="grid" x1="0" x2="100%" y1="50%" y2="50%"/>{ticks}'
        f'<line class="range" x1="{low:.2f}%" x2="{high:.2f}%" y1="50%" y2="50%"/>'
        f'<circle cx="{scale.place(value):.2f}%" cy="50%" r="3.5"/></svg>'
    )
