"""Beam search: follows several ways to write each text at once and keeps the best. It knows no text and no model class.

The score of a way is log P / length^α, its ending counted in the length. At each step a text's ways are continued by
every id, and the best `width` of them go on; one that comes to its end is put aside and its place is not filled again.
So a width of 1 is greedy writing, and a width that holds every way finds the best there is. The greedy way always
keeps its place: a search never answers worse than no search.

A text is settled, and its other ways dropped, once none of them can come among the `n_best` any more. That is certain,
not a guess: log P only falls as a way grows, so log P now, divided by the kindest length still ahead, bounds its score.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from jaxtyping import Float, Int
from torch import Tensor

from glassformer.errors import InputError, must_count
from glassformer.models.sampling import Answer, Stop, Writer, first_logprobs, next_logprobs


@dataclass(frozen=True)
class Hypothesis:
    """One way to write a text, so far. `row` is where in the batch the way stands that it continues."""

    text: int
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    total: float
    row: int
    greedy: bool


@dataclass(frozen=True, kw_only=True)
class Beam:
    """How widely to search: `width` ways for each text, `n_best` answers, lengths weighed by `alpha`.

    α = 0 compares log P itself, which favours short texts; α = 1 the mean per id; α above 1 favours long ones.
    """

    width: int = 4
    n_best: int = 1
    alpha: float = 1.0

    def __post_init__(self) -> None:
        must_count("width", self.width)
        must_count("n_best", self.n_best)
        if self.n_best > self.width:
            raise InputError(
                f"A search of width {self.width} has no {self.n_best} best; `n_best` is at most the width."
            )
        if not -10.0 <= self.alpha <= 10.0:
            raise InputError(f"`alpha` must be between −10 and 10, such as 0, 0.6 or 1; it is {self.alpha}.")

    def settled(self, finished: Sequence[Answer], going: Sequence[Hypothesis], longest: int) -> bool:
        """Whether no way that is still going can come among the best."""
        if not going or len(finished) < self.n_best:
            return not going
        kindest = max(math.pow(len(going[0].ids) + 1, self.alpha), math.pow(longest, self.alpha))
        bar = sorted((answer.score(self.alpha) for answer in finished), reverse=True)[self.n_best - 1]
        return bar >= max(way.total for way in going) / kindest


def search(writer: Writer, stop: Stop, beam: Beam) -> list[list[Answer]]:
    """The `n_best` answers for each text, best first; fewer if there are no more ways to write it."""
    logprobs = first_logprobs(writer)
    room = writer.room
    finished: list[list[Answer]] = [[] for _ in room]
    ways = [Hypothesis(text, (), (), 0.0, text, greedy=True) for text in range(len(room))]
    while ways:
        grown = []
        for text, candidates in _continued(ways, logprobs, beam.width):
            going = []
            for way in (longer.grown() for longer in candidates[: beam.width - len(finished[text])]):
                finish = stop.finish(way.ids, room[text])
                if finish is None:
                    going.append(way)
                else:
                    finished[text].append(Answer(way.ids, way.logprobs, finish))
            if not beam.settled(finished[text], going, min(stop.longest, room[text])):
                grown += going
        ways = grown
        if ways:
            logprobs = next_logprobs(writer, [way.ids[-1] for way in ways], [way.row for way in ways], len(logprobs))
    return [sorted(answers, key=lambda a: -a.score(beam.alpha))[: beam.n_best] for answers in finished]


class Longer(NamedTuple):
    """A way and one id more, in the order in which they are chosen: the greedy one first, then the best; of equals the
    one whose ids are lowest. It is no way of its own yet: most of them go no further."""

    behind: bool
    against: float
    ids: tuple[int, ...]
    id: int
    chance: float
    row: int
    way: Hypothesis

    def grown(self) -> Hypothesis:
        """The way that it becomes."""
        way = self.way
        return Hypothesis(
            way.text, (*self.ids, self.id), (*way.logprobs, self.chance), -self.against, self.row, not self.behind
        )


def _continued(
    ways: Sequence[Hypothesis], logprobs: Float[Tensor, "B N"], width: int
) -> Iterator[tuple[int, list[Longer]]]:
    """By text every way with each id that can be among its best `width`, in order: those are among the best of their
    own row."""
    ids = best(logprobs, min(width, logprobs.shape[1]))
    rows = zip(ways, ids.tolist(), logprobs.gather(1, ids).tolist(), strict=True)
    for text, group in groupby(enumerate(rows), key=lambda row: row[1][0].text):
        found = []
        for row, (way, row_ids, chances) in group:
            likeliest = min(zip(chances, row_ids, strict=True), key=_first)[1] if way.greedy else None
            for id_, chance in zip(row_ids, chances, strict=True):
                if chance > -math.inf:
                    found.append(Longer(id_ != likeliest, -(way.total + chance), way.ids, id_, chance, row, way))
        if found:
            yield text, sorted(found)


def _first(pair: tuple[float, int]) -> tuple[float, int]:
    """The likeliest id stands first; of equals the lowest."""
    return -pair[0], pair[1]


def best(scores: Float[Tensor, "B N"], count: int) -> Int[Tensor, "B count"]:
    """The best ids of each row, in any order; where equals stand on both sides of the line, the lowest ids."""
    values, ids = scores.topk(min(count + 1, scores.shape[1]))
    if values.shape[1] == count or not bool((values[:, -1] == values[:, -2]).any()):
        return ids[:, :count]
    return scores.sort(dim=-1, descending=True, stable=True).indices[:, :count]
