"""What text alone can do, without a model: pairs of tokens counted, and the nearest sentence looked up. No torch.

Whoever writes or translates no better than these has not learnt to.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from glassformer.text.samples import Pair
from glassformer.text.tokens import Ids

MOST_IDS, MOST_PAIRS = 5_000_000, 20_000  # of the training part that are counted, or looked through


class CountedPairs:
    """How likely each token is after the one before it, as counted.

    What was seen after v in c(v) places, d(v) different tokens among them, leaves a share d / (c + d) to all others, by
    their frequency; that is Witten and Bell's smoothing, in which nothing is to be chosen. A token that was never seen
    counts as one that was seen once.
    """

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        ids = np.asarray(ids[:MOST_IDS], dtype=np.int64)
        self.vocabulary = vocabulary
        self.single = (np.bincount(ids, minlength=vocabulary) + 1.0) / (len(ids) + vocabulary)
        self.codes, self.counts = np.unique(ids[:-1] * vocabulary + ids[1:], return_counts=True)
        self.followed = np.bincount(ids[:-1], minlength=vocabulary)
        self.followers = np.bincount(self.codes // vocabulary, minlength=vocabulary)

    def nats(self, before: Ids, after: Ids) -> float:
        """−log of how likely each is after the one before it, summed."""
        wanted = before * self.vocabulary + after
        place = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        seen = np.where(self.codes[place] == wanted, self.counts[place], 0)
        followed, followers = self.followed[before], self.followers[before]
        rest = np.where(followed + followers > 0, followers, 1)  # after what was never seen, all by their frequency
        return float(-np.log((seen + rest * self.single[after]) / (followed + rest)).sum())


class NearestSentence:
    """The target of that training pair whose source has most in common with a text: the cosine of their words, each as
    weighty as it is rare."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self.targets = [each.target for each in pairs[:MOST_PAIRS]]
        words = [_words(each.source) for each in pairs[:MOST_PAIRS]]
        places: dict[str, list[int]] = defaultdict(list)
        for i, each in enumerate(words):
            for word in each:
                places[word].append(i)
        self.places = {word: np.array(each) for word, each in places.items()}
        self.weights = {word: math.log(1 + len(words) / len(each)) ** 2 for word, each in places.items()}
        self.lengths = np.sqrt([max(sum(self.weights[word] for word in each), 1e-9) for each in words])

    def target(self, text: str) -> str:
        """Of equally near ones the first."""
        alike = np.zeros(len(self.targets))
        for word in _words(text) & self.places.keys():
            alike[self.places[word]] += self.weights[word]
        return self.targets[int(np.argmax(alike / self.lengths))]


def _words(text: str) -> set[str]:
    return set(text.lower().split())
