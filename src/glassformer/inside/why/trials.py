"""Trials of a margin on other rows: of random ids, and of the same words in another order. They tell whether the text
carries the answer at all, and whether order does. It knows no text.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from glassformer.inside.why.margins import Margin, Prompted

TEXTS, ORDERS = 32, 16
# Below these an answer is faint. Models with fresh weights stay below, trained ones far above.
STILL, CALM = 0.25, 0.35  # of the probability, the share that moves; and if also the margin is quiet:
QUIET, NEAR = 1.0, 1.5  # its standard deviation over random texts, and how far from them it stands itself, in logits
TURNED = 1 / 8  # of the random texts: if more are answered otherwise, the answer is not nearly the same


@dataclass(frozen=True)
class RandomTexts:
    """The answers to texts of random tokens, as long as the one that is asked about: their margins, the share of the
    probability that goes elsewhere, in the mean, and how many are answered otherwise."""

    count: int
    mean: float
    deviation: float
    moved: float
    turned: int = 0

    @property
    def alike(self) -> bool:
        """Whether nearly all of them are answered as the text is; a faint answer may turn with every word."""
        return self.turned <= TURNED * self.count

    def silent(self, margin: float) -> bool:
        """Whether little is said, whatever is read: the answer is about the same, or each one is faint."""
        if self.deviation < QUIET and abs(margin - self.mean) < NEAR:
            return self.moved < CALM
        return self.moved < STILL and self.alike


@dataclass(frozen=True)
class OtherOrders:
    """How many orders of the same words were tried, in how many of them the answer turned (the likeliest of all was
    another one), and how far the margin moved: the root of the mean square."""

    count: int
    turned: int
    moved: float


def random_texts(margin: Margin, given: Prompted, words: Sequence[int], special: Sequence[int]) -> RandomTexts:
    """Random tokens at the places of words; the rest stays, and so does what was written."""
    draw = torch.Generator().manual_seed(0)
    usual = torch.tensor([each for each in range(len(margin.table)) if each not in set(special)])
    rows = []
    for _ in range(TEXTS):
        drawn = usual[torch.randint(len(usual), (len(given.ids),), generator=draw)].tolist()
        ids = tuple(new if i in set(words) else old for i, (old, new) in enumerate(zip(given.ids, drawn, strict=True)))
        rows.append(Prompted(ids, given.written))
    logits = margin.logits([given, *rows])
    shares, found = logits.softmax(-1), margin.of(logits)[1:].tolist()
    moved = float((shares[1:] - shares[0]).abs().sum(-1).mean() / 2)
    tops = logits.argmax(-1)
    turned = int((tops[1:] != tops[0]).sum())
    return RandomTexts(TEXTS, statistics.fmean(found), statistics.pstdev(found), moved, turned)


def other_orders(margin: Margin, given: Prompted, words: Sequence[tuple[int, ...]]) -> OtherOrders | None:
    """The same words in random orders; None where there are too few to be ordered."""
    if len(words) < 3:
        return None
    draw = torch.Generator().manual_seed(0)
    places = [place for word in words for place in word]
    rows = []
    for _ in range(ORDERS):
        order = torch.randperm(len(words), generator=draw).tolist()
        ids = list(given.ids)
        for place, each in zip(places, [given.ids[p] for i in order for p in words[i]], strict=True):
            ids[place] = each
        rows.append(Prompted(tuple(ids), given.written))
    logits = margin.logits([given, *rows])
    tops, margins = logits.argmax(-1), margin.of(logits)
    moved = float((margins[1:] - margins[0]).square().mean().sqrt())
    return OtherOrders(ORDERS, int((tops[1:] != tops[0]).sum()), moved)
