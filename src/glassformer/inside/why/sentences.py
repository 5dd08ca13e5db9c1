"""Why a model answered so, in words: one sentence on the answer, then what must be known to trust it.

The sentences are fixed, and each rests on a figure that stands in it. Attention is never given as a reason.
"""

from collections.abc import Sequence

from glassformer.inside.why.reasons import Reasons, Twin, WordShare

NAMED = 3  # words in the first sentence
WORTH = 0.1  # of the largest share, what a word needs to be named there
ALONE = 0.1  # of the margin: if no word is worth more, none carries it alone
ORDERED = 0.25  # of the orders tried: if the answer turns in as many, order carries it
TOLD = 1e-4  # an error that need not be told in more figures
DISAGREE = "The two ways of asking disagree here; trust neither alone."
SEVERAL = "No single word carries it; several say the same."


def told(why: Reasons) -> list[str]:
    """All sentences, the answer first."""
    found = [headline(why)]
    if why.known:
        found.append(why.known)
    if order_counts(why):
        found.append(f"By shares alone, {_shares(why)}.")
    if doubt := doubted(why):
        found.append(doubt)
    found.append(measured_from(why))
    if why.twin is not None:
        found += on_twin(why, why.twin)
    return found


def headline(why: Reasons) -> str:
    """“Negative by 2.6 over positive: *not* gives +3.9 …; without *not* it is 2.0 less.”"""
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
        f"{verdict}: {_shares(why)}." if any(word.share for word in why.words) else f"{verdict}; no word has a share."
    )


def _shares(why: Reasons) -> str:
    """The largest of them, and what the text is without the first."""
    largest = sorted(why.words, key=lambda word: -abs(word.share))[:NAMED]
    first, *rest = [word for word in largest if abs(word.share) >= WORTH * abs(largest[0].share)]
    shares = ", ".join([f"*{first.text}* gives {signed(first.share)}", *(_given(word) for word in rest)])
    return f"{shares}; {_without(first)}"


def _given(word: WordShare) -> str:
    return f"*{word.text}* {signed(word.share)}"


def _without(word: WordShare) -> str:
    if abs(word.without) < 0.005:
        return f"without *{word.text}* it is the same"
    return f"without *{word.text}* it is {plainly(abs(word.without))} {'less' if word.without > 0 else 'more'}"


def _verdict(why: Reasons, margin: float, *, turned: bool = False) -> str:
    one, other = (why.rival, why.answer) if turned else (why.answer, why.rival)
    quoted = why.family != "classifier"
    answer = f"“{one}”" if quoted else one[:1].upper() + one[1:]
    rival = f"“{other}”" if quoted else other
    if margin < 0:
        return f"{answer} is behind {rival} by {plainly(-margin)}"
    return f"{answer} by {plainly(margin)} over {rival}"


def measured_from(why: Reasons) -> str:
    """The blank by its name, that the parts add up, and how well."""
    shared, blank = why.shared, why.shared.blank
    exact = shared.closed <= TOLD
    error = max(abs(shared.error), shared.closed if exact else 0.0)
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
    if not exact:
        said += f" Of that, {shared.closed:.2g} could only be shared out in proportion: the way has many sharp bends."
    return said


def doubted(why: Reasons) -> str:
    """Where no word carries it alone, or the two ways disagree: in sign, or in the first word."""
    if not why.words or why.random.silent(why.margin):
        return ""
    if len(why.words) > 1 and all(abs(word.without) < ALONE * abs(why.margin) for word in why.words):
        return SEVERAL
    first = max(why.words, key=lambda word: abs(word.share))
    other = max(why.words, key=lambda word: abs(word.without))
    if first is not other or first.share * first.without < 0:
        return DISAGREE
    return ""


def order_counts(why: Reasons) -> bool:
    """Whether another order of the same words turns the answer often enough."""
    orders = why.orders
    return orders is not None and orders.turned >= ORDERED * orders.count and not why.random.silent(why.margin)


def on_twin(why: Reasons, twin: Twin) -> list[str]:
    """What the twin's answer is, whether the answer turns, and where."""
    swaps = ", ".join(_change(old, new) for old, new in twin.changed[:4]) or "the same words"
    turned = (twin.margin < 0) != (why.margin < 0)
    ends = "the answer turns" if turned else f"{_moved(twin.margin - why.margin)}, and it does not turn"
    verdict = _verdict(why, -twin.margin if turned else twin.margin, turned=turned)
    found = [f"Instead, with {swaps}: {verdict}; {ends}."]
    if not twin.stages:
        return [*found, "The twin has another number of tokens, so its stages cannot be put into this pass."]
    if turned:
        found.append(where_it_turns(why.margin, twin))
    return found


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
    return f"{value:.1f}" if abs(value) >= 0.995 else f"{value:.2f}"


def signed(value: float) -> str:
    """With its sign."""
    return f"{'+' if value >= 0 else '−'}{plainly(abs(value))}"
