"""Why a model answered so, in words: one sentence on the answer, then what must be known to trust it.

The sentences are fixed, and each rests on a figure that stands in it. Attention is never given as a reason.
"""

from collections.abc import Sequence

from glassformer.inside.why.reasons import PartOff, Reasons, Twin, WordShare
from glassformer.inside.why.telling.when_to_trust import (
    NOTABLE,
    balanced,
    measured,
    moved_little,
    nothing_known,
    order_counts,
    outweighed,
    parted_words,
    turned_words,
    turns_by_order,
    word_scale,
)

TURNING = 4  # words that are named where each turns the answer
NAMED = 3  # words in the first sentence, for and against each
PARTED = 4  # words that are named where the two ways disagree
WORTH = 0.1  # of the largest share, what a word needs to be named there
ALONE = 0.1  # of the margin: if no word is worth more, none carries it alone
CARRIED = 1 / 3  # of the margin: words without which it is less by so much carry it together
UNKNOWN = 6  # unknown words that are named
LEAST = 0.005  # a lead that two decimals would call none
TOLD = 1e-4  # an error that need not be told in more figures
BENT = 0.01  # of the margin: what is shared out in proportion and is less, is told as a part of the error
DISAGREE = "The two ways of asking disagree here; trust neither alone"
SEVERAL = "several say the same"
NONE_ALONE = "leaving out any one of them changes little"
FOR, AGAINST = "for it", "against it"
UNCLEAR, MARK = "for it or against it, the two measures disagree", " ≠"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
OPPOSED = (
    "Of opposite signs: the share compares with a blank, leaving out with a shorter text, and whether the word speaks "
    "for or against depends on which."
)
REPEATED = "Less left out than its share: other words may say the same."
TOGETHER = "More left out than its share: it may work only together with others."
ONLY = "It is the only word: its share compares with a blank, leaving it out with an empty text."
_NO_SHARE = "is what the blank is made of, so it has no share"
_ANOTHER = "without it the model is asked another question, what comes after the text before it"


def told(why: Reasons) -> list[str]:
    """All sentences, the answer first."""
    found = [headline(why), *(on_twin(why, why.twin) if why.twin is not None else []), *why.asked, *why.taken]
    if why.known:
        found.append(why.known)
    found += [each for each in (on_unknown(why), thin(why)) if each]
    if order_counts(why) or outweighed(why):
        found.append(f"{_shares(why)}.")
    if not why.random.silent(why.margin):
        found += [each for each in (on_heads(why), doubted(why), *on_ends(why)) if each]
    return [*found, measured_from(why)]


def headline(why: Reasons) -> str:
    """“Negative by 2.6 over positive. Words for it: *not* +3.9; … Left out …: without *not* it is 2.0 less.”"""
    said = verdict(why, why.margin)
    if nothing_known(why):
        return f"{said}, and it is a guess: no word of this text is known to this model."
    if why.random.silent(why.margin) and not why.random.alike:
        return (
            f"{said}, and faintly, as a model that has learnt nothing: {why.random.count} texts of random words move "
            f"its margin by {plainly(why.random.deviation)} only, though {why.random.turned} of them are answered "
            "otherwise; the shares of the words tell what so faint an answer hangs on, and no more."
        )
    if why.random.silent(why.margin):
        return (
            f"{said}, and nothing carries it: {why.random.count} texts of random words get nearly the same answer "
            f"({round(100 * why.random.moved)} % of its probability moves), so the shares of the words say little."
        )
    if order_counts(why):
        assert why.orders is not None
        return (
            f"{said}, and order counts: with the same words in another order it turns in {why.orders.turned} of "
            f"{why.orders.count} tries, so no share per word is right; ask with a twin."
        )
    if outweighed(why):
        blank = why.shared.blank
        return (
            f"{said}. A text of nothing but {blank.name} has {signed(blank.margin)} already, much farther from 0: "
            f"the shares tell how this text differs from {blank.name}, not why it is answered so; ask with a twin."
        )
    if not any(word.share for word in why.words):
        return f"{said}; no word has a share."
    return f"{said}{_balance(why)}. {_shares(why)}."


def _balance(why: Reasons) -> str:
    """Where what speaks for the answer and what speaks against it nearly cancel."""
    if not balanced(why):
        return ""
    sides = [sum(word.share for word in why.words if word.share * sign > 0) for sign in (1, -1)]
    blank = "" if why.shared.blank.undecided else f", the blank has {signed(why.shared.blank.margin)}"
    totals = f"all for it come to {signed(sides[0])}, all against it to {signed(sides[1])}"
    return f", and words pull both ways: {totals}{blank}"


def _shares(why: Reasons) -> str:
    """The largest for the answer and against it, what a blank has already, and by the other measure the first word."""
    parts = sorted(_alike(why), key=lambda part: -abs(part[1]))
    worth = WORTH * abs(parts[0][1])
    large = [part for part in parts if abs(part[1]) >= worth]
    named = {side: [part for part in large if part[2] == side][:NAMED] for side in (FOR, AGAINST, UNCLEAR)}
    said = [
        f"{side}: " + ", ".join(f"{name} {signed(share)}{MARK if side == UNCLEAR else ''}" for name, share, _ in some)
        for side, some in named.items()
        if some
    ]
    blank = why.shared.blank
    rest = why.margin - blank.margin - sum(share for some in named.values() for _, share, _ in some)
    said += [f"all others {signed(rest)}"] if abs(rest) >= worth else []
    own = ""
    if not blank.undecided:
        added = signed(why.margin - blank.margin)
        already = f"A text of nothing but {blank.name} has {signed(blank.margin)} already; all"
        own = f" {'All' if outweighed(why) else already} words together add {added}."
    return f"Words {'; '.join(said)}.{own} Left out one at a time (another measure): {_left_out(why)}"


def _alike(why: Reasons) -> list[tuple[str, float, str]]:
    """Names of words with their shares and what they speak for; where a word stands several times and speaks for the
    same, together. Of a word that the two measures have on opposite sides it is not said for which it speaks."""
    found: dict[tuple[str, str], list[float]] = {}
    unclear = [id(word) for word in turned_words(why)]
    for word in why.words:
        side = UNCLEAR if id(word) in unclear else FOR if word.share > 0 else AGAINST
        found.setdefault((_name(why, word), side), []).append(word.share)
    times = {key: f" ({len(shares)} times)" if len(shares) > 1 else "" for key, shares in found.items()}
    return [(f"{key[0]}{times[key]}", sum(shares), key[1]) for key, shares in found.items()]


def _left_out(why: Reasons) -> str:
    """The word without which the margin moves most, and all without which the answer is another one."""
    comparable = [word for word in why.words if not word.asks_other]
    first = max(comparable or why.words, key=lambda word: abs(word.without))
    turning = sorted((word for word in comparable if word.turns), key=lambda word: -abs(word.without))
    third = _third(why, turning)
    said = _without(why, first) + ("" if comparable else ", but then another question is asked")
    if turning == [first]:
        said = f"{said}, and it would say {named(why, first.says)}{third}"
    elif first.turns and len({word.says for word in turning}) > 1:
        rest = [word for word in turning if word is not first]
        said = f"{said}, and it would say {named(why, first.says)}; {_turned_without(why, rest)}{third}"
    elif turning:
        said = f"{said}; {_turned_without(why, turning)}{third}"
    return said + ("; what was written so far stays as it is" if turning and _leads(why) else "")


def _third(why: Reasons, turning: Sequence[WordShare]) -> str:
    """Where a word is left out and what comes first is neither the answer nor its rival, whose margin may even grow."""
    says = dict.fromkeys(word.says for word in turning if word.says not in (why.answer, why.rival))
    if not says:
        return ""
    if len({word.says for word in turning}) == 1:
        return ", a third answer, ahead of the two compared here"
    names = " and ".join(named(why, each) for each in says) if len(says) < 3 else "most of these"
    return f" ({names} {'is' if len(says) == 1 else 'are'} then ahead of the two compared here)"


def _leads(why: Reasons) -> bool:
    """Whether the answer is a token that stands behind others that were written."""
    return any(word.written for word in why.words)


def _turned_without(why: Reasons, turning: Sequence[WordShare]) -> str:
    """“without any one of *not*, *never* it would say positive”, or what it would say without each."""
    some, rest = turning[:TURNING], len(turning) - TURNING
    if len({word.says for word in turning}) > 1:
        said = ", ".join(f"without {_which(why, word)} it would say {named(why, word.says)}" for word in some)
        return said + (f", and something else without {rest} more" if rest > 0 else "")
    names = ", ".join(_which(why, word) for word in some) + (f" or {rest} more" if rest > 0 else "")
    return f"without {'any one of ' if len(turning) > 1 else ''}{names} it would say {named(why, turning[0].says)}"


def _would_say(why: Reasons, turning: Sequence[WordShare | PartOff]) -> str:
    """One answer where it is the same each time."""
    says = list(dict.fromkeys(named(why, each.says) for each in turning))
    if len(says) == 1:
        return f"it would say {says[0]}"
    return f"it would say something else ({', '.join(says[:TURNING])}{' …' if len(says) > TURNING else ''})"


def on_heads(why: Reasons) -> str:
    """Heads without which the answer is another one. Without a whole network many answers are others: that stands in
    the table, and is no news."""
    heads = [each for each in why.switched_off if each.turns and each.head is not None]
    turning = sorted(heads, key=lambda each: -abs(each.less))
    if not turning:
        return ""
    names = [each.title for each in turning]
    some = ", ".join(names[:NAMED]) + (f" or {len(names) - NAMED} more" if len(names) > NAMED else "")
    return f"With {'any one of ' if len(names) > 1 else ''}{some} switched off {_would_say(why, turning)}."


def on_ends(why: Reasons) -> list[str]:
    """Words that a measure cannot tell of: the last before the answer, and what the blank is made of."""
    found = []
    for word in why.words:
        name, left = _name(why, word), f"(it is then {less_or_more(word.without)})"
        if word.is_blank and word.asks_other:
            found.append(f"{name} at the end {_NO_SHARE}, and {_ANOTHER} {left}: neither measure tells of it.")
        elif word.is_blank:
            found.append(f"{name} {_NO_SHARE}; only leaving it out tells of it {left}.")
        elif word.asks_other:
            found.append(f"{name} is the last word before the answer: {_ANOTHER} {left}.")
    return [each[0].upper() + each[1:] for each in dict.fromkeys(found)]


def _name(why: Reasons, word: WordShare) -> str:
    """A word; where it was both read and written, which of the two."""
    same = any(each.text == word.text and each.written != word.written for each in why.words)
    name = f"the {'written' if word.written else 'read'} *{word.text}*" if same else f"*{word.text}*"
    if word.is_unknown:
        return f"{name} (unknown)"
    return f"{name} ({', '.join(word.unknown)} unknown)" if word.unknown else name


def _which(why: Reasons, word: WordShare) -> str:
    """A word; where it stands several times, which of them."""
    alike = [each for each in why.words if (each.text, each.written) == (word.text, word.written)]
    if len(alike) == 1:
        return _name(why, word)
    place = next(i for i, each in enumerate(alike) if each is word)
    nth = ORDINALS[place] if place < len(ORDINALS) else f"{place + 1}th"
    return f"the {nth} {_name(why, word).removeprefix('the ')}"


def _without(why: Reasons, word: WordShare) -> str:
    left = ", of an empty text," if len(why.words) == 1 and not word.asks_other else ""
    return f"without {_which(why, word)}{left} it is {less_or_more(word.without)}"


def verdict(why: Reasons, margin: float, *, begin: bool = True) -> str:
    """“Negative by 2.6 over positive”; within a sentence, “negative is ahead of positive by 2.6”."""
    answer, rival = named(why, why.answer), named(why, why.rival)
    if begin:
        answer = answer[:1].upper() + answer[1:] + (f" ({why.within})" if why.within else "")
    by = plainly(abs(margin)) if abs(margin) >= LEAST else f"less than {LEAST}"
    if margin < 0:
        return f"{answer} is behind {rival} by {by}"
    return f"{answer} by {by} over {rival}" if begin else f"{answer} is ahead of {rival} by {by}"


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
            f"Measured from a blank, a text of {blank.name}, which has a margin of {signed(blank.margin)} by itself; "
            f"with it {adds}."
        )
    if abs(blank.margin) > sum(abs(word.share) for word in why.words):
        said += " Most of it stands there already; what is like the blank gets no share."
    if not closed:
        part = shared.closed / sum(abs(word.share) for word in why.words)
        said += (
            f" Of all shares, {100 * part:.2g} % ({shared.closed:.2g}) could only be shared out in proportion: "
            f"the margin turns too sharply on the way from the blank for {shared.points:,} points."
        )
    return said


def doubted(why: Reasons) -> str:
    """Where no word carries it alone, or the two ways disagree: in a word's value or sign, or in the first word."""
    words = measured(why)
    if not words or why.random.silent(why.margin):
        return ""
    if len(words) > 1 and all(abs(word.without) < ALONE * abs(why.margin) and not word.turns for word in words):
        last = next((f" before {_name(why, word)}" for word in why.words if word.asks_other), "")
        own = abs(why.shared.blank.margin) < ALONE * abs(why.margin)
        return _none_alone(why, f"No single word{last} carries it", f"; {SEVERAL}" if own else f": {NONE_ALONE}")
    first = max(words, key=lambda word: abs(word.share))
    other = max(words, key=lambda word: abs(word.without))
    if parted := parted_words(why):
        values = [
            f"{_which(why, word)} share {signed(word.share)}, without it {less_or_more(word.without)}"
            for word in parted[:PARTED]
        ]
        values += [f"{len(parted) - PARTED} more"] if len(parted) > PARTED else []
        return f"{DISAGREE}: {'; '.join(values)}. {parted_because(why)}"
    ahead = min(abs(first.share) - abs(other.share), abs(other.without) - abs(first.without))
    if ahead >= NOTABLE * word_scale(why):  # less is a tie
        rest = "of the other words, " if len(words) < len(why.words) else ""
        return (
            f"{DISAGREE}: {rest}{_which(why, first)} has the largest share, {_which(why, other)} counts most left out."
        )
    return ""


def _none_alone(why: Reasons, none: str, because: str) -> str:
    """That no word carries it alone; whether several do together was tried."""
    if why.together is None:  # nobody tried
        return f"{none}: {NONE_ALONE}."
    words = [why.words[i] for i in why.together.words]
    names = list(dict.fromkeys(_name(why, word) for word in words))
    times = [sum(_name(why, word) == name for word in words) for name in names]
    *before, last = [f"{name} ({n} times)" if n > 1 else name for name, n in zip(names, times, strict=True)]
    listed = f"{', '.join(before)} and {last}" if before else last
    less = why.together.less
    found = f"it is {less_or_more(less)}"
    says = f", and it would say {named(why, why.together.says)}" if why.together.turns else ""
    if abs(less) < ALONE * abs(why.margin) and not why.together.turns:
        return f"{none}, nor {listed} together: without these {found}."
    if less < CARRIED * abs(why.margin) and not why.together.turns:
        because = f": {NONE_ALONE}"
    return f"{none}{because}{':' if SEVERAL in because else ';'} without {listed} together {found}{says}."


def parted_because(why: Reasons) -> str:
    """What it means that the measures of some words disagree, for each way in which they do."""
    parted = parted_words(why)
    if parted and len(why.words) == 1:
        return ONLY
    turned = [id(word) for word in turned_words(why)]
    rest = [word for word in parted if id(word) not in turned]
    found = [OPPOSED] if turned else []
    found += [REPEATED] if any(abs(word.without) < abs(word.share) for word in rest) else []
    found += [TOGETHER] if any(abs(word.without) > abs(word.share) for word in rest) else []
    return " ".join(found)


def thin(why: Reasons) -> str:
    """Where other orders turn the answer without moving it far."""
    if not turns_by_order(why) or not moved_little(why):
        return ""
    assert why.orders is not None
    return (
        f"The margin is thin: with the same words in another order, which moves it by {plainly(why.orders.moved)} or "
        f"so, it turns in {why.orders.turned} of {why.orders.count} tries."
    )


def on_unknown(why: Reasons) -> str:
    """The words that the model does not know, and of other words what it does not know of them."""
    names = list(dict.fromkeys(f"*{each}*" for word in why.words for each in word.unknown))
    if not names:
        return ""
    some = ", ".join(names[:UNKNOWN]) + (f" and {len(names) - UNKNOWN} more" if len(names) > UNKNOWN else "")
    return f"Not known to this model, which reads one and the same sign for each: {some}."


def on_twin(why: Reasons, twin: Twin) -> list[str]:
    """What the model would answer to the twin, whether that is another answer, and where it turns; then the margin of
    the two that are compared."""
    swaps = ", ".join(_change(old, new) for old, new in twin.changed[:4]) or "the same words"
    swaps += f" and {len(twin.changed) - 4} more changes" if len(twin.changed) > 4 else ""
    lead = f"(by {plainly(twin.lead)} over {named(why, twin.over)})"
    still = "" if twin.turns else "still "
    ends = "the answer turns" if twin.turns else "the answer does not turn"
    held = " What was written so far is held fixed." if any(word.written for word in why.words) else ""
    found = [f"The twin, your other text, with {swaps}: it would {still}say {named(why, twin.answer)} {lead}; {ends}."]
    if not (twin.turns and (twin.answer, twin.over) == (why.rival, why.answer)):
        found[0] += f" Of the two compared, {verdict(why, twin.margin, begin=False)}: {_moved(why, twin)}."
    found[0] += held
    if not twin.stages:
        return [*found, _not_compared(twin)]
    if twin.turns:
        found.append(where_it_turns(twin))
    return found


def _not_compared(twin: Twin) -> str:
    """Rows can trade places only where each stands for the same word in both texts."""
    if twin.longer == 0:
        return "Its words are cut into other numbers of tokens, so they have moved and the stages cannot be compared."
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


def _moved(why: Reasons, twin: Twin) -> str:
    by = twin.margin - why.margin
    if abs(by) < 0.005:
        return "as in this text"
    return f"{plainly(abs(by))} {'more' if by > 0 else 'less'} than in this text"


def where_it_turns(twin: Twin) -> str:
    """Stage by stage, the words whose row alone, taken from the twin, makes the model answer something else; then heads
    and networks."""
    stages = []
    for stage in twin.stages:
        words = [word for (word, _), turns in zip(stage.margins, stage.turns, strict=True) if turns]
        if words:
            stages.append(f"{stage.title}, {_listed(words)}")
    parts = [part.title for part in twin.parts if part.turns]
    row, output = "word's row, taken from the twin,", f"the whole output of {_either(parts[:4])}" if parts else ""
    if stages:
        said = f"A single {row} is enough to turn the answer: {'; '.join(stages)}."
        return f"{said} So is {output}." if output else said
    return f"No single {row} turns the answer{f'; {output} does' if output else ''}."


def _listed(words: Sequence[str]) -> str:
    many = [f"{len(words) - 4} more"] if len(words) > 4 else []
    return f"at {_either([*(f'*{word}*' for word in words[:4]), *many])}"


def _either(names: Sequence[str]) -> str:
    """“a”, “a or b”, “a, b or c”: each by itself."""
    *before, last = names
    return f"{', '.join(before)} or {last}" if before else last


def plainly(value: float) -> str:
    """One decimal, or two where the number is small."""
    said = f"{value:.1f}" if abs(value) >= 0.995 else f"{value:.2f}"
    return "0.00" if said == "-0.00" else said.replace("-", "−")


def less_or_more(less: float) -> str:
    """By how much a margin is less without a thing, in words that need no sign."""
    if abs(less) < LEAST:
        return "the same"
    return f"{plainly(abs(less))} {'less' if less > 0 else 'more'}"


def signed(value: float) -> str:
    """With its sign, unless it is as good as nothing."""
    said = plainly(value)
    return said if said.startswith(("−", "0.00")) else f"+{said}"
