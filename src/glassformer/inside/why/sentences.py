"""Why a model answered so, in words: one sentence on the answer, then what must be known to trust it.

The sentences are fixed, and each rests on a figure that stands in it. Attention is never given as a reason.
"""

from collections.abc import Sequence

from glassformer.inside.why.reasons import HeadOff, Reasons, Twin, WordShare

NAMED = 3  # words in the first sentence, for and against each
PARTED = 4  # words that are named where the two ways disagree
WORTH = 0.1  # of the largest share, what a word needs to be named there
ALONE = 0.1  # of the margin: if no word is worth more, none carries it alone
APART = 0.5  # of the scale: two measures that differ by more part
LARGE, NOTABLE = 0.25, 0.05  # of the scale, what two measures of opposite signs need to part
ORDERED = 0.25  # of the orders tried: if the answer turns in as many, order carries it
TOLD = 1e-4  # an error that need not be told in more figures
BENT = 0.01  # of the margin: what is shared out in proportion and is less, is told as a part of the error
DISAGREE = "The two ways of asking disagree here; trust neither alone"
SEVERAL = "No single word carries it; several say the same."


def told(why: Reasons) -> list[str]:
    """All sentences, the answer first."""
    found = [headline(why)]
    if why.known:
        found.append(why.known)
    if order_counts(why):
        found.append(f"{_shares(why)}.")
    if doubt := doubted(why):
        found.append(doubt)
    if why.twin is not None:
        found += on_twin(why, why.twin)
    return [*found, measured_from(why)]


def headline(why: Reasons) -> str:
    """“Negative by 2.6 over positive. Shared out, for: *not* +3.9; … Left out …: without *not* it is 2.0 less.”"""
    verdict = _verdict(why, why.margin)
    if why.random.silent(why.margin):
        return (
            f"{verdict}, and nothing carries it: {why.random.count} texts of random words get nearly the same answer "
            f"({why.random.moved:.0%} of its probability moves), so the shares of the words say little."
        )
    if order_counts(why):
        assert why.orders is not None
        return (
            f"{verdict}, and order counts: with the same words in another order it turns in {why.orders.turned} of "
            f"{why.orders.count} tries, so no share per word is right; ask with a twin."
        )
    return (
        f"{verdict}. {_shares(why)}." if any(word.share for word in why.words) else f"{verdict}; no word has a share."
    )


def _shares(why: Reasons) -> str:
    """The largest for the answer and against it, the blank too, and by the other measure the first word."""
    blank = why.shared.blank
    all_parts = [(_name(why, word), word.share) for word in why.words]
    all_parts += [] if blank.undecided else [("the blank", blank.margin)]
    all_parts.sort(key=lambda part: -abs(part[1]))
    worth = WORTH * abs(all_parts[0][1])
    large = [part for part in all_parts if abs(part[1]) >= worth]
    sides = {"for": [part for part in large if part[1] > 0], "against": [part for part in large if part[1] < 0]}
    named = {side: parts[:NAMED] for side, parts in sides.items() if parts}
    said = [
        f"{side}: " + ", ".join(f"{name} {signed(share)}" for name, share in parts) for side, parts in named.items()
    ]
    rest = why.margin - sum(share for parts in named.values() for _, share in parts)
    said += [f"all others {signed(rest)}"] if abs(rest) >= worth else []
    first = max(why.words, key=lambda word: abs(word.share))
    return f"Shared out, {'; '.join(said)}. Left out (another measure): {_without(why, first)}"


def _name(why: Reasons, word: WordShare) -> str:
    """A word; where it was both read and written, which of the two."""
    same = any(each.text == word.text and each.written != word.written for each in why.words)
    return f"the {'written' if word.written else 'read'} *{word.text}*" if same else f"*{word.text}*"


def _without(why: Reasons, word: WordShare) -> str:
    if abs(word.without) < 0.005:
        return f"without {_name(why, word)} it is the same"
    return f"without {_name(why, word)} it is {plainly(abs(word.without))} {'less' if word.without > 0 else 'more'}"


def _verdict(why: Reasons, margin: float, *, turned: bool = False) -> str:
    one, other = (why.rival, why.answer) if turned else (why.answer, why.rival)
    answer, rival = named(why, one), named(why, other)
    answer = answer[:1].upper() + answer[1:]
    if margin < 0:
        return f"{answer} is behind {rival} by {plainly(-margin)}"
    return f"{answer} by {plainly(margin)} over {rival}"


def named(why: Reasons, answer: str) -> str:
    """A class by its name, a token in quotation marks."""
    return answer if why.family == "classifier" else f"“{answer}”"


def measured_from(why: Reasons) -> str:
    """The blank by its name, that the parts add up, and how well."""
    shared, blank = why.shared, why.shared.blank
    closed = shared.closed <= max(TOLD, BENT * abs(why.margin))
    error = max(abs(shared.error), shared.closed if closed else 0.0)
    adds = f"the parts add up to {plainly(why.margin)} (error {max(error, 1e-5):.5f})"
    if blank.undecided:
        said = f"Measured from a blank on which the model is undecided ({blank.name} at every place); {adds}."
    else:
        said = (
            f"Measured from a blank of {blank.name}, which has a margin of {signed(blank.margin)} by itself; "
            f"with it {adds}."
        )
    if abs(blank.margin) > sum(abs(word.share) for word in why.words):
        said += " Most of it stands there already; what is like the blank gets no share."
    if not closed:
        said += f" Of that, {shared.closed:.2g} could only be shared out in proportion: the way has many sharp bends."
    return said


def doubted(why: Reasons) -> str:
    """Where no word carries it alone, or the two ways disagree: in a word's value or sign, or in the first word."""
    if not why.words or why.random.silent(why.margin):
        return ""
    if len(why.words) > 1 and all(abs(word.without) < ALONE * abs(why.margin) for word in why.words):
        return SEVERAL
    first = max(why.words, key=lambda word: abs(word.share))
    other = max(why.words, key=lambda word: abs(word.without))
    if parted := parted_words(why):
        values = [
            f"{_name(why, word)} {signed(word.share)} shared out, {signed(word.without)} left out"
            for word in parted[:PARTED]
        ]
        values += [f"{len(parted) - PARTED} more"] if len(parted) > PARTED else []
        return f"{DISAGREE}: {'; '.join(values)}. Another word says the same, or several work together."
    if first is not other:
        return f"{DISAGREE}: {_name(why, first)} comes first shared out, {_name(why, other)} left out."
    return ""


def parted_words(why: Reasons) -> list[WordShare]:
    """Words whose share and whose leaving out differ by a lot, those that differ most first."""
    if why.random.silent(why.margin):
        return []
    scale = _scale(why.margin, [value for word in why.words for value in (word.share, word.without)])
    found = [
        word
        for word in why.words
        if abs(word.share - word.without) > APART * scale or opposed(word.share, word.without, scale)
    ]
    return sorted(found, key=lambda word: -abs(word.share - word.without))


def opposed_heads(why: Reasons) -> list[HeadOff]:
    """Heads that add to the margin directly and take from it when all they do is counted, or the other way round."""
    if why.direct is None:
        return []
    added = {(part.address, part.head): part.value for part in why.direct.parts if part.head is not None}
    scale = _scale(why.margin, [*added.values(), *(each.less for each in why.heads)])
    return [each for each in why.heads if opposed(added.get((each.address, each.head), 0.0), each.less, scale)]


def opposed(one: float, other: float, scale: float) -> bool:
    """Whether two values have opposite signs, and neither is small."""
    smaller, larger = sorted((abs(one), abs(other)))
    return one * other < 0 and larger >= LARGE * scale and smaller >= NOTABLE * scale


def _scale(margin: float, values: Sequence[float]) -> float:
    return max(abs(margin), *(abs(value) for value in values), 0.0)


def order_counts(why: Reasons) -> bool:
    """Whether another order of the same words turns the answer often enough."""
    orders = why.orders
    return orders is not None and orders.turned >= ORDERED * orders.count and not why.random.silent(why.margin)


def on_twin(why: Reasons, twin: Twin) -> list[str]:
    """What the twin's answer is, whether the answer turns, and where."""
    swaps = ", ".join(_change(old, new) for old, new in twin.changed[:4]) or "the same words"
    swaps += f" and {len(twin.changed) - 4} more changes" if len(twin.changed) > 4 else ""
    turned = (twin.margin < 0) != (why.margin < 0)
    ends = "the answer turns" if turned else f"{_moved(twin.margin - why.margin)}, and it does not turn"
    verdict = _verdict(why, -twin.margin if turned else twin.margin, turned=turned)
    held = " What was written so far is held fixed." if any(word.written for word in why.words) else ""
    found = [f"The twin, your other text, with {swaps}: {verdict}; {ends}.{held}"]
    if not twin.stages:
        return [*found, _not_compared(twin)]
    if turned:
        found.append(where_it_turns(why.margin, twin))
    return found


def _not_compared(twin: Twin) -> str:
    """Rows can trade places only where both texts have as many."""
    many = "more" if twin.longer > 0 else "fewer"
    if len(twin.changed) == 1 and all(each and " " not in each for each in twin.changed[0]):
        old, new = twin.changed[0]
        return f"*{new}* is cut into {many} tokens than *{old}*, so the stages cannot be compared."
    tokens = f"{abs(twin.longer)} {many} {'token' if abs(twin.longer) == 1 else 'tokens'}"
    return f"The twin has {tokens} than this text, so the stages cannot be compared."


def _change(old: str, new: str) -> str:
    if not old:
        return f"*{new}* added"
    return f"*{new}* for *{old}*" if new else f"*{old}* left out"


def _moved(by: float) -> str:
    return "it is the same" if abs(by) < 0.005 else f"it is {plainly(abs(by))} {'more' if by > 0 else 'less'}"


def where_it_turns(margin: float, twin: Twin) -> str:
    """Stage by stage, the words whose row alone, taken from the twin, turns the answer; then heads and networks."""
    stages = []
    for stage in twin.stages:
        words = [word for word, value in stage.margins if (value < 0) != (margin < 0)]
        if words:
            stages.append(f"{stage.title}, {_listed(words)}")
    parts = [part.title for part in twin.parts if (part.margin < 0) != (margin < 0)]
    said = f"The twin's row alone turns it: {'; '.join(stages)}." if stages else "No single place of the twin turns it."
    return said + (f" So does the whole of {', '.join(parts[:4])}." if parts else "")


def _listed(words: Sequence[str]) -> str:
    many = f" and {len(words) - 4} more" if len(words) > 4 else ""
    return "at " + ", ".join(f"*{word}*" for word in words[:4]) + many


def plainly(value: float) -> str:
    """One decimal, or two where the number is small."""
    said = f"{value:.1f}" if abs(value) >= 0.995 else f"{value:.2f}"
    return "0.00" if said == "-0.00" else said.replace("-", "−")


def signed(value: float) -> str:
    """With its sign, unless it is as good as nothing."""
    said = plainly(value)
    return said if said.startswith(("−", "0.00")) else f"+{said}"
