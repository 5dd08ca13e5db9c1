"""The margin shared out over places by integrated gradients, from a blank that has a name.

The way from the blank to the text is cut into panels, and a panel is halved until its parts add up to what the margin
gains across it: a fixed number of steps is wrong where a norm or a bend turns sharply. Where there are too many bends
for that, what a panel misses is shared among its parts, and how much that was is told. It knows no words.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from glassformer.inside.why.margins import Margin, Prompted, at_once

POINTS = 8  # of a panel
FIRST = 4  # panels
MOST_POINTS = 1024
WORK = 1.6e9  # places times weights, of all points: less than a second
EXACT = 1e-5  # what the panels may miss the margin by, all together
UNDECIDED = 1e-6  # a margin as small as that is none
GRID, ROUNDS = 9, 20
_PLACES, _WEIGHTS = (torch.from_numpy(each) for each in np.polynomial.legendre.leggauss(POINTS))


@dataclass(frozen=True)
class Neutral:
    """Ids that a blank may be made of: a space, an unknown word; `special` ids are no words."""

    space: int | None
    unknown: int | None
    special: tuple[int, ...]


@dataclass(frozen=True)
class Blank:
    """The row that stands at every place of a text that says nothing, what it is called, and the margin it has by
    itself."""

    row: Tensor
    name: str
    margin: float

    @property
    def undecided(self) -> bool:
        """Whether the model has no answer to it."""
        return abs(self.margin) <= UNDECIDED


@dataclass(frozen=True)
class Shared:
    """One part for each place; with the blank's own margin they add up to the margin, but for `error`.

    closed  what the panels had missed, all together: each was brought to its gain by a change in proportion
    points  where slopes were taken
    """

    parts: tuple[float, ...]
    blank: Blank
    error: float
    closed: float
    points: int


def shared_out(
    margin: Margin, given: Prompted, fixed: Sequence[int], neutral: Neutral, points: int | None = None
) -> Shared:
    """The margin of what is given, shared out over its places; those that are `fixed` stay as they are. `points` are
    those that may be taken at most, if not as many as about a second allows."""
    full = margin.table[torch.tensor(given.places)]  # S D
    path = _Path(margin, given, full, tuple(fixed))
    blank = _blank(path, neutral)
    panels, taken = _panels(path, path.blanked(blank.row), points or _affordable(margin, len(full)))
    parts = torch.stack([each.closed for each in panels]).sum(0)
    whole = float(path.margins(full[None])[0])
    missed = sum(abs(each.missed) for each in panels)
    return Shared(tuple(parts.tolist()), blank, whole - blank.margin - float(parts.sum()), missed, taken)


def _affordable(margin: Margin, length: int) -> int:
    weights = sum(each.numel() for each in margin.model.parameters()) - margin.table.numel()
    return int(min(max(WORK / (length * max(weights, 1)), FIRST * POINTS), MOST_POINTS))


@dataclass(frozen=True)
class _Path:
    """The margin along the straight way from any start to the rows of a text."""

    margin: Margin
    given: Prompted
    full: Tensor  # S D
    fixed: tuple[int, ...]

    def blanked(self, row: Tensor) -> Tensor:
        """The text with this row wherever a word stood, S D; or so many texts for as many rows, R S D."""
        rows = row[..., None, :].expand(*row.shape[:-1], *self.full.shape).clone()
        rows[..., list(self.fixed), :] = self.full[list(self.fixed)]
        return rows

    def margins(self, rows: Tensor) -> Tensor:
        """R S D → R."""
        with torch.no_grad():
            return torch.cat([self.margin.of_embedded(part, self.given) for part in torch.split(rows, self._step)])

    def slopes(self, start: Tensor, at: Tensor) -> Tensor:
        """How the margin grows along the way at these points, place by place: P → P S."""
        way = self.full - start
        found = []
        for part in torch.split(at, self._step):
            rows = (start + part[:, None, None] * way).requires_grad_()
            (slope,) = torch.autograd.grad(self.margin.of_embedded(rows, self.given).sum(), rows)
            found.append((slope * way).sum(-1))
        return torch.cat(found)

    @property
    def _step(self) -> int:
        return at_once(len(self.full))


# --- the blank ----------------------------------------------------------------------------------------------------


def _mean_row(table: Tensor, special: Sequence[int]) -> Tensor:
    words = torch.ones(len(table), dtype=torch.bool)
    words[list(special)] = False
    return table[words].mean(0) if bool(words.any()) else table.mean(0)


def _blank(path: _Path, neutral: Neutral) -> Blank:
    """A space; where there is none, a point between unknown and mean on which the model is undecided; where there is
    none, unknown; where nothing is unknown, the mean."""
    table = path.margin.table
    mean = _mean_row(table, neutral.special)
    if neutral.space is not None:
        return _named(path, table[neutral.space], "spaces")
    if neutral.unknown is None:
        return _named(path, mean, "the mean of all tokens")
    unknown = table[neutral.unknown]
    return _undecided(path, unknown, mean) or _named(path, unknown, "unknown words")


def _named(path: _Path, row: Tensor, name: str) -> Blank:
    return Blank(row, name, float(path.margins(path.blanked(row)[None])[0]))


def _undecided(path: _Path, unknown: Tensor, mean: Tensor) -> Blank | None:
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        at = torch.linspace(low, high, GRID, dtype=torch.float64)
        rows = torch.lerp(unknown, mean, at[:, None])
        found = path.margins(path.blanked(rows))
        best = int(found.abs().argmin())
        if abs(float(found[best])) <= UNDECIDED:
            return Blank(rows[best], "a word between unknown and the mean of all words", float(found[best]))
        turns = ((found[:-1] < 0) != (found[1:] < 0)).nonzero().flatten().tolist()
        if not turns:
            return None
        low, high = float(at[turns[0]]), float(at[turns[0] + 1])
    return None


# --- panels -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Panel:
    """A piece of the way: its parts (S), and by how much they miss what the margin gains across it."""

    begin: float
    end: float
    parts: Tensor
    missed: float

    @property
    def closed(self) -> Tensor:
        """The parts with what they missed, shared among them by their size."""
        size = self.parts.abs().sum()
        return self.parts + (self.missed * self.parts.abs() / size if size > 0 else 0.0)

    def halves(self) -> Iterator[tuple[float, float]]:
        middle = (self.begin + self.end) / 2
        yield self.begin, middle
        yield middle, self.end


def _panels(path: _Path, start: Tensor, most: int) -> tuple[list[_Panel], int]:
    """Panels from 0 to 1, the poorest halved again and again, and how many points they took."""
    done = _measured(path, start, [(i / FIRST, (i + 1) / FIRST) for i in range(FIRST)])
    points = len(done) * POINTS
    while sum(abs(each.missed) for each in done) > EXACT and points + 2 * POINTS <= most:
        done.sort(key=lambda each: -abs(each.missed))
        poor = sum(abs(each.missed) > EXACT / (2 * len(done)) for each in done)
        poor = min(poor, (most - points) // (2 * POINTS), max(1, len(done) // 2))
        halves = [half for each in done[:poor] for half in each.halves()]
        done = done[poor:] + _measured(path, start, halves)
        points += len(halves) * POINTS
    return done, points


def _measured(path: _Path, start: Tensor, spans: Sequence[tuple[float, float]]) -> list[_Panel]:
    """Each panel by Gauss' rule, and how far it misses the margin's gain."""
    edges = torch.tensor(spans, dtype=torch.float64)  # P 2
    half, middle = (edges[:, 1] - edges[:, 0]) / 2, edges.mean(1)
    at = middle[:, None] + half[:, None] * _PLACES  # P 8
    slopes = path.slopes(start, at.flatten()).view(len(spans), POINTS, -1)
    parts = (slopes * _WEIGHTS[:, None]).sum(1) * half[:, None]  # P S
    ends, which = np.unique(edges.flatten().numpy(), return_inverse=True)
    margins = path.margins(torch.lerp(start, path.full, torch.from_numpy(ends)[:, None, None]))[which].view(-1, 2)
    gains = margins[:, 1] - margins[:, 0]
    return [
        _Panel(begin, end, part, float(gain - part.sum()))
        for (begin, end), part, gain in zip(spans, parts, gains, strict=True)
    ]
