"""Pairs as people type them: with names never seen before, without the last full stop. Knows no tokens, no language.

Who has read "Tom" ten thousand times learns to write "Tom", not to copy a word that was never seen. With other names in
other epochs, what is learnt is to copy; and who has never read a sentence without its full stop does not know how to
end one:

    Tom lives in Boston. → Tom lebt in Boston.      Bosry lives in KT → Bosry lebt in KT.

A name is a word with a capital letter that stands on both sides of some pair, and nowhere in small letters. What is
drawn follows from (seed, epoch, index) alone, so that a run that was stopped sees the same again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glassformer.errors import InputError
from glassformer.text.samples import Pair

_WORD = re.compile(r"[^\W\d_]{2,}")
ABBREVIATED = 1 / 3  # of the made-up names: two to four capitals, such as AI
FULL_STOP = "."


@dataclass(frozen=True, kw_only=True)
class Variety:
    """How often pairs are varied in training.

    new_names   in this share of the pairs that have names, others are put in their place, on both sides
    lost_stops  this share of the sources that end with a full stop loses it; the target keeps its own
    """

    new_names: float = 0.0
    lost_stops: float = 0.0

    def __post_init__(self) -> None:
        for name, share in vars(self).items():
            if not 0.0 <= share <= 1.0:
                raise InputError(f"`{name}` is a share from 0 to 1; it is {share}.")


def names_of(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The names in some pairs, each once, in the order of the alphabet."""
    shared: set[str] = set()
    small: set[str] = set()
    for pair in pairs:
        source, target = (set(_WORD.findall(text)) for text in (pair.source, pair.target))
        shared |= {word for word in source & target if word[0].isupper()}
        small |= {word for word in source | target if word[0].islower()}
    return tuple(sorted(name for name in shared if name.lower() not in small))


class VariedPairs:
    """Varies pairs; `names` are those that may be exchanged, and new ones are put together from them."""

    def __init__(self, names: Sequence[str], variety: Variety, seed: int) -> None:
        self.names, self.variety, self.seed = tuple(names), variety, seed
        self._known = frozenset(names)

    def may_change(self, pair: Pair) -> bool:
        """Whether there is anything to vary in a pair."""
        stop = self.variety.lost_stops > 0 and _ends_with_stop(pair)
        return stop or bool(self.variety.new_names and self._copied(pair))

    def in_place(self, pair: Pair, *, epoch: int, index: int) -> Pair:
        """The pair as it is read in an epoch."""
        draw = np.random.default_rng([6, self.seed, epoch, index])
        renamed, stopped = draw.random(2) < (self.variety.new_names, self.variety.lost_stops)
        source, target = pair.source, pair.target
        for name in self._copied(pair) if renamed else ():
            new = self._made_up(draw)
            source, target = (re.sub(_place_of(name), new, text) for text in (source, target))
        return Pair(source.removesuffix(FULL_STOP) if stopped and _ends_with_stop(pair) else source, target)

    def _copied(self, pair: Pair) -> list[str]:
        """The names that stand on both sides, as often on the one as on the other."""
        found = sorted(self._known.intersection(_WORD.findall(pair.source)))
        texts = (pair.source, pair.target)
        counts = {name: {len(re.findall(_place_of(name), text)) for text in texts} for name in found}
        return [name for name, different in counts.items() if len(different) == 1]

    def _made_up(self, draw: np.random.Generator) -> str:
        """The beginning of one name and the end of another; or some first letters."""
        if draw.random() < ABBREVIATED:
            return "".join(self._one(draw)[0] for _ in range(int(draw.integers(2, 5))))
        one, other = self._one(draw), self._one(draw)
        return one[: (len(one) + 1) // 2] + other[len(other) // 2 :].lower()

    def _one(self, draw: np.random.Generator) -> str:
        return self.names[int(draw.integers(len(self.names)))]


def _ends_with_stop(pair: Pair) -> bool:
    """A full stop on both sides, and words before it."""
    return len(pair.source) > 1 and all(text.endswith(FULL_STOP) for text in (pair.source, pair.target))


def _place_of(name: str) -> str:
    """Where a name stands, also with an s behind it that says whose: Tom's, Toms."""
    return rf"\b{name}(?=s?\b)"
