"""When the share of a word may be read as a reason, and when two measures of one thing disagree: the rules, as numbers.

What is said of it stands in sentences.py; this file words nothing.
"""

from collections.abc import Sequence

from glassformer.inside.why.reasons import PartOff, Reasons, WordShare

APART = 0.5  # of the scale: two measures that differ by more part
LARGE = 0.25  # of the largest value, a measure of which the other may have lost a part
NOTABLE = 0.05  # of the scale: two measures of opposite signs part if neither is smaller
LEFT, COUNTS = (
    0.25,
    0.1,
)  # of the larger of two measures, the smaller: less is as good as lost; of the margin, the larger
ORDERED = 0.25  # of the orders tried: if the answer turns in as many, order carries it, or the margin is thin
MOVED = 1 / 3  # of the largest measure of a word, how far other orders must move the margin; less is thin
OUTWEIGHED = 2.0  # of the margin: a blank that has more by itself, and half of all shares, says more than the text
BALANCED = 0.1  # of all shares: a margin that is no more is what is left where words pull both ways


def measured(why: Reasons) -> list[WordShare]:
    """The words that both measures can tell of."""
    return [word for word in why.words if not word.asks_other and not word.is_blank]


def parted_words(why: Reasons) -> list[WordShare]:
    """Words whose share and whose leaving out differ by a lot, those that differ most first."""
    if why.random.silent(why.margin):
        return []
    words = measured(why)
    parts = Parting(why.margin, [value for word in words for value in (word.share, word.without)])
    found = [word for word in words if contradicts(word) or parts(word.share, word.without)]
    return sorted(found, key=lambda word: -abs(word.share - word.without))


def turned_words(why: Reasons) -> list[WordShare]:
    """Parted words that speak for the answer by one measure and against it by the other."""
    scale = word_scale(why)
    return [word for word in parted_words(why) if contradicts(word) or opposed(word.share, word.without, scale)]


def contradicts(word: WordShare) -> bool:
    """Whether a word speaks against the answer by its share, and yet the answer needs it."""
    return word.turns and word.share < 0.0 < word.without


def parted_parts(why: Reasons) -> list[PartOff]:
    """Heads and networks whose direct part and whose switching off differ by a lot, by the rule of words."""
    if why.direct is None or why.random.silent(why.margin):
        return []
    added = {(each.address, each.head): each.value for each in why.direct.parts}
    both = [(each, added[each.address, each.head]) for each in why.switched_off if (each.address, each.head) in added]
    parts = Parting(why.margin, [value for each, direct in both for value in (direct, each.less)])
    return [each for each, direct in both if parts(direct, each.less)]


class Parting:
    """Whether two measures of one thing disagree, among such measures of others: by more than half of the scale; in
    sign where neither is small; or if one is large, and the other has as good as lost it, however large the margin."""

    def __init__(self, margin: float, values: Sequence[float]) -> None:
        self.scale = _scale(margin, values)
        self.large = max(LARGE * _scale(0.0, values), COUNTS * abs(margin))

    def __call__(self, one: float, other: float) -> bool:
        """Whether these two do."""
        return abs(one - other) > APART * self.scale or opposed(one, other, self.scale) or self._lost(one, other)

    def _lost(self, one: float, other: float) -> bool:
        smaller, larger = sorted((one, other), key=abs)
        left = smaller if larger > 0 else -smaller
        return abs(larger) >= self.large and left < LEFT * abs(larger)


def opposed(one: float, other: float, scale: float) -> bool:
    """Whether two values have opposite signs, and neither is small."""
    return one * other < 0 and min(abs(one), abs(other)) >= NOTABLE * scale


def word_scale(why: Reasons) -> float:
    return _scale(why.margin, [value for word in measured(why) for value in (word.share, word.without)])


def _scale(margin: float, values: Sequence[float]) -> float:
    return max(abs(margin), *(abs(value) for value in values), 0.0)


def order_counts(why: Reasons) -> bool:
    """Whether another order of the same words turns the answer often, and moves it as words do: where single words
    move it far more, it turns because the margin is thin."""
    return turns_by_order(why) and not moved_little(why)


def turns_by_order(why: Reasons) -> bool:
    orders = why.orders
    return orders is not None and orders.turned >= ORDERED * orders.count and not why.random.silent(why.margin)


def moved_little(why: Reasons) -> bool:
    most = max((value for word in why.words for value in (abs(word.share), abs(word.without))), default=0.0)
    return why.orders is not None and why.orders.moved < MOVED * most


def balanced(why: Reasons) -> bool:
    """Whether what speaks for the answer and what speaks against it nearly cancel; the answer may lead clearly."""
    return abs(why.margin) < BALANCED * sum(abs(word.share) for word in why.words)


def outweighed(why: Reasons) -> bool:
    """Whether the blank has far more by itself than the text: then shares tell of the blank."""
    blank = abs(why.shared.blank.margin)
    all_shares = sum(abs(word.share) for word in why.words)
    return not why.shared.blank.undecided and blank > OUTWEIGHED * abs(why.margin) and blank > all_shares / 2


def nothing_known(why: Reasons) -> bool:
    """Whether the model knows no word of the text; signs that are no words do not count, nor does what it wrote."""
    read = [word for word in why.words if not word.written]
    words = [word for word in read if any(sign.isalnum() for sign in word.text)] or read
    return bool(words) and all(word.is_unknown for word in words)


def shares_mislead(why: Reasons) -> bool:
    """Whether no share per word should be read as a reason: nothing carries the answer, the model knows no word of it,
    the order of words carries it, or the blank outweighs it."""
    return why.random.silent(why.margin) or nothing_known(why) or order_counts(why) or outweighed(why)
