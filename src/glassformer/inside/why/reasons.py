"""Why a model answered so: the margin shared out, tried without each word, by blocks and heads, against a twin.

The one way that every face takes. It draws nothing, and knows no files.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.inside.why import asked_token
from glassformer.inside.why.direct_parts import Directly, direct_parts, part_title, switched_off
from glassformer.inside.why.leaving_out import all_left_out, left_out
from glassformer.inside.why.logit_lens import WARNING, logit_lens
from glassformer.inside.why.margins import Prompted, Tried
from glassformer.inside.why.patching import patched_parts, patched_stages
from glassformer.inside.why.question import CANDIDATES, Question, Which, question
from glassformer.inside.why.shared_out import Shared, shared_out
from glassformer.inside.why.trials import OtherOrders, RandomTexts, other_orders, random_texts
from glassformer.inside.why.twins import changed_words
from glassformer.inside.why.whole_words import Word, readable
from glassformer.models.card import Card
from glassformer.objectives import pairs
from glassformer.objectives.table import objective_of
from glassformer.text.tokens import Tokens

TRUSTED = 1e-6  # what direct parts may miss the margin by; where they miss more, this way does not fit the model
WHOLE = ("character", "word")  # kinds of tokens that are no pieces of words
MOSTLY, MOST_TOGETHER = (
    0.8,
    4,
)  # of what speaks for the answer, the part that is left out at once; in so many words at most


@dataclass(frozen=True)
class WordShare:
    """One word: its part of the margin, and by how much the margin is less without it.

    pieces      its tokens, each with its part
    says        what the model would answer without it
    turns       whether that is another answer
    asks_other  whether without it another question is asked: it is the last before the answer
    is_blank    whether it is what the blank is made of, so that no share can be measured
    is_unknown  whether the model's vocabulary has nothing of it: to the model all such words are one
    unknown     what of it is not in the vocabulary, token by token
    """

    text: str
    share: float
    without: float
    written: bool
    pieces: tuple[tuple[str, float], ...]
    says: str = ""
    turns: bool = False
    asks_other: bool = False
    is_blank: bool = False
    is_unknown: bool = False
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Together:
    """The words that have most of what speaks for the answer, by their places among all words; by how much the margin
    is less without all of them at once, what the model would then answer, and whether that is another answer."""

    words: tuple[int, ...]
    less: float
    says: str = ""
    turns: bool = False


@dataclass(frozen=True)
class PartOff:
    """By how much the margin is less when a head (or a feed-forward network, whose `head` is None) gives zeros, what
    the model would then answer, and whether that is another answer."""

    address: str
    head: int | None
    title: str
    less: float
    says: str = ""
    turns: bool = False


@dataclass(frozen=True)
class TwinStage:
    """After one stage: the margin with the twin's row in place of each word's, what the model would then answer, and
    whether that is another answer."""

    title: str
    margins: tuple[tuple[str, float], ...]
    says: tuple[str, ...]
    turns: tuple[bool, ...]


@dataclass(frozen=True)
class TwinPart:
    """The margin with all that a head or a feed-forward network hands on from the twin, and the answer then."""

    title: str
    margin: float
    says: str
    turns: bool


@dataclass(frozen=True)
class Twin:
    """Another text: what the model would answer to it, and its margin of the same answer over the same rival.

    turns       whether the model's own answer is another one there
    over, lead  by how much that answer is ahead of another: of the answer to the text itself where it turns, else of
                the next best
    changed     what stands there in place of what
    stages      patched stage by stage; none where the twins' words are not at the same places of the row
    longer      by how many tokens it is longer
    """

    text: str
    answer: str
    turns: bool
    over: str
    lead: float
    margin: float
    changed: tuple[tuple[str, str], ...]
    stages: tuple[TwinStage, ...]
    parts: tuple[TwinPart, ...]
    longer: int = 0


@dataclass(frozen=True)
class LensToken:
    """What the model would write after each block."""

    title: str
    token: str
    share: float
    margin: float


@dataclass(frozen=True)
class Rival:
    """A class or token that could be the rival.

    id      by which it is meant and no other
    piece   of tokens that are pieces of words: whether it begins one or goes on with one
    """

    id: int
    name: str
    piece: str
    logit: float
    share: float


@dataclass(frozen=True)
class Reasons:
    """All that was found; `sentences.py` says it in words.

    says        what the model answers by itself; another answer may be asked about
    taken       for each name that several tokens have, which of them was taken
    asked       what must be known of the token that is asked about
    within      where it is a piece, the word: `of “rannt”`, `after “kin”`
    writing     all that a translator writes, as a text
    search      how that was written
    row         where it is decided: which row of a translator's target, or of all that a language model has read
    known       what is known of the model's learning, in a sentence; nothing if it has learnt, or nobody knows
    """

    text: str
    family: str
    answer: str
    answer_id: int
    rival: str
    rival_id: int
    says: str
    margin: float
    words: tuple[WordShare, ...]
    shared: Shared
    direct: Directly | None
    switched_off: tuple[PartOff, ...]
    candidates: tuple[Rival, ...]
    written: tuple[str, ...]
    at: int
    random: RandomTexts
    orders: OtherOrders | None
    together: Together | None = None
    lens: tuple[LensToken, ...] = ()
    twin: Twin | None = None
    writing: str = ""
    search: str = ""
    row: int | None = None
    taken: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    within: str = ""
    known: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data."""
        shared, blank = self.shared, self.shared.blank
        direct = self.direct
        return {
            "text": self.text,
            "family": self.family,
            "answer": self.answer,
            "answer_id": self.answer_id,
            "rival": self.rival,
            "rival_id": self.rival_id,
            "says": self.says,
            "margin": self.margin,
            "at": self.at,
            "written": list(self.written),
            "writing": self.writing,
            "search": self.search,
            "row": self.row,
            "within": self.within,
            "blank": {"name": blank.name, "margin": blank.margin, "undecided": blank.undecided},
            "words": [asdict(word) for word in self.words],
            "together": None if self.together is None else asdict(self.together),
            "error": shared.error,
            "closed": shared.closed,
            "points": shared.points,
            "direct": None if direct is None else [asdict(part) for part in direct.parts],
            "blocks": None if direct is None else direct.blocks,
            "direct_error": None if direct is None else direct.error,
            "switched_off": [asdict(each) for each in self.switched_off],
            "random_texts": asdict(self.random),
            "other_orders": None if self.orders is None else asdict(self.orders),
            "lens": [asdict(row) for row in self.lens],
            "lens_warning": WARNING if self.lens else "",
            "twin": None if self.twin is None else asdict(self.twin),
            "candidates": [asdict(each) for each in self.candidates],
        }


def reasons(
    model: Any,
    card: Card,
    tokens: Tokens,
    text: str,
    asking: Which | None = None,
    *,
    instead: str | None = None,
    points: int | None = None,
    known: str = "",
) -> Reasons:
    """Why the model answers so to a text. `instead` is a twin; `points` those that a share may take at most."""
    asked = question(model, card, tokens, text, asking or Which())
    margin, given, words = asked.margin, asked.given, asked.words
    neutral = asked.neutral
    shared = shared_out(margin, given, asked.fixed, neutral, points)
    without = left_out(margin, text, given, words, asked.read)
    own = int(asked.logits().argmax())
    answer, rival = asked.names((margin.answer, margin.rival))
    read = [word.places for word in words if not word.written]
    places = [place for group in read for place in group]
    direct = direct_parts(margin, given)
    off = switched_off(margin, given)
    whole = float(margin.of_ids([given])[0])
    found = _word_shares(asked, shared, without, own)
    return Reasons(
        text=text,
        family=margin.family,
        answer=answer,
        answer_id=margin.answer,
        rival=rival,
        rival_id=margin.rival,
        says=asked.name(own),
        margin=whole,
        words=tuple(found),
        shared=shared,
        direct=direct if direct is not None and abs(direct.error) <= TRUSTED else None,
        switched_off=tuple(
            PartOff(address, head, part_title(address, head), less, asked.name(top), top != own)
            for (address, head), (less, top) in off.items()
        ),
        candidates=_candidates(asked),
        written=tuple(readable(each) for each in tokens.strings(asked.written)),
        at=asked.at,
        random=random_texts(margin, given, places, neutral.special),
        orders=other_orders(margin, given, read) if margin.family == "classifier" else None,
        together=_together(asked, found, whole, own),
        lens=tuple(
            LensToken(row.title, asked.name(row.token), row.share, row.margin) for row in logit_lens(margin, given)
        ),
        twin=None if instead is None else _twin(asked, instead, own),
        writing=tokens.decode(asked.written) if margin.family == "translator" else "",
        search=_search(asked, asking or Which()),
        row=_row(asked),
        taken=asked.taken,
        asked=_about_token(asked, asking or Which()),
        within=_within(asked),
        known=known,
    )  # fmt: skip


def _row(asked: Question) -> int | None:
    """The last row of the stream that the answer is read from; a classifier reads none of its own."""
    given = asked.given
    rows = {"translator": len(given.written), "language model": len(given.places)}
    return rows[asked.margin.family] - 1 if asked.margin.family in rows else None


def _about_token(asked: Question, asking: Which) -> tuple[str, ...]:
    """How the token was chosen, and what cannot be seen of it."""
    if asked.margin.family == "classifier":
        return ()
    chosen = asked.margin.family == "translator" and asking.at is None and len(asked.written) > 2
    names = asked.names((asked.margin.answer, asked.margin.rival))
    one = asked_token.ONE_BY_ONE if asked.tokens.kind == "character" else ""
    found = (asked_token.LEAST_SURE if chosen else "", one, asked_token.signs(names))
    return tuple(each for each in found if each)


def _within(asked: Question) -> str:
    """The word that the answer is a piece of, if it is one that was written; or that it goes on with."""
    if asked.margin.family == "classifier":
        return ""
    strings, answer = asked.tokens.strings(asked.written), asked.margin.answer
    if asked.margin.family == "translator":
        own = asked.at <= len(asked.written) and asked.written[asked.at - 1] == answer
        word = asked_token.part_of(strings, asked.at) if own else ""
        return f"of “{word}”" if word else ""
    before = asked.text + "".join(strings[: asked.at - 1])
    word = asked_token.unfinished(before, asked.spelling(answer))
    return f"after “{word}”" if word else ""


def _search(asked: Question, asking: Which) -> str:
    """How a translator wrote what is asked about: a search changes its mind about earlier tokens, which would make the
    likeliest token at a place another one than the written."""
    if asked.margin.family != "translator":
        return ""
    if asking.target is not None:
        return "along your translation (teacher forcing)"
    greedily = "written greedily, the likeliest token each time"
    if asked.written[-1:] != (asked.tokens.end,):
        greedily += f", and cut off after {len(asked.written)} tokens: it had not come to its end"
    searches = objective_of(asked.card).predict is pairs.predict
    return f"{greedily}; glassformer predict searches with {pairs.USUAL_BEAM} beams" if searches else greedily


def _word_shares(asked: Question, shared: Shared, without: Sequence[Tried], own: int) -> list[WordShare]:
    strings = asked.tokens.strings(asked.given.places)
    names = [readable(each) for each in strings]
    table, ids, ends = asked.margin.table, asked.given.places, asked.asks_other
    found = []
    for word, (less, top) in zip(asked.words, without, strict=True):
        pieces = tuple((names[place], shared.parts[place]) for place in word.places)
        blank = all(torch.equal(table[ids[place]], shared.blank.row) for place in word.places)
        found.append(
            WordShare(
                word.text,
                sum(part for _, part in pieces),
                less,
                word.written,
                pieces,
                says=asked.name(top),
                turns=top != own,
                asks_other=word in ends,
                is_blank=blank,
                is_unknown={ids[place] for place in word.places if strings[place].strip()} == {asked.tokens.unknown},
                unknown=_not_known(asked, word),
            )
        )
    return found


def _not_known(asked: Question, word: Word) -> tuple[str, ...]:
    """What of a word is not in the vocabulary, as it stands in the text."""
    strange = [asked.given.places[place] == asked.tokens.unknown for place in word.places]
    if len(word.places) == 1 or not any(strange):
        return (word.text,) if all(strange) else ()
    tokens = asked.tokens.for_targets if word.written else asked.tokens
    found = tokens.encode(word.text, bare=True)
    pieces = [word.text[begin:end] for each, (begin, end) in zip(found.ids, found.offsets, strict=True)
              if each == tokens.unknown]  # fmt: skip
    return tuple(dict.fromkeys(readable(each) for each in pieces))


def _together(asked: Question, words: Sequence[WordShare], margin: float, own: int) -> Together | None:
    """Leaves out at once the words that have most of what speaks for the answer, a word that stands several times
    wherever it stands; None where that is one word, or nothing would be left."""
    groups: dict[tuple[str, bool], list[int]] = {}
    for i, word in enumerate(words):
        if word.share * margin > 0 and not word.asks_other and not word.is_blank:
            groups.setdefault((word.text, word.written), []).append(i)
    sizes = {key: sum(abs(words[i].share) for i in group) for key, group in groups.items()}
    chosen: list[int] = []
    for key in sorted(groups, key=lambda key: -sizes[key])[:MOST_TOGETHER]:
        if sum(abs(words[i].share) for i in chosen) >= MOSTLY * sum(sizes.values()):
            break
        chosen += groups[key]
    if len(chosen) < 2 or all(i in chosen or word.written for i, word in enumerate(words)):
        return None
    gone = [asked.words[i] for i in chosen]
    less, top = all_left_out(asked.margin, asked.text, asked.given, gone, asked.read)
    return Together(tuple(chosen), less, asked.name(top), top != own)


def _candidates(asked: Question) -> tuple[Rival, ...]:
    logits = asked.logits()
    shares = logits.softmax(-1)
    best = logits.argsort(descending=True, stable=True)[:CANDIDATES].tolist()
    best += [asked.margin.answer] if asked.margin.answer not in best else []  # of a translation that was handed in
    return tuple(
        Rival(each, name, _piece(asked, each), float(logits[each]), float(shares[each]))
        for each, name in zip(best, asked.names(best), strict=True)
    )


def _piece(asked: Question, each: int) -> str:
    """Of tokens that may be pieces of words, where in a word this one stands."""
    spelled = asked.spelling(each)
    if asked.margin.family == "classifier" or asked.tokens.kind in WHOLE or not spelled.strip()[:1].isalnum():
        return ""
    return "begins a word" if spelled[:1].isspace() else "goes on with a word"


def _twin(asked: Question, text: str, own: int) -> Twin:
    if not text.strip():
        raise InputError("The other text is empty; type what should stand instead.")
    margin, given = asked.margin, asked.given
    other = Prompted(asked.read(text), given.written)
    logits = margin.logits([other])
    first, second = logits[0].topk(2).indices.tolist()
    over = second if first == own else own
    answer, behind = asked.names((first, over))
    stages: list[TwinStage] = []
    parts: list[TwinPart] = []
    if len(other.ids) == len(given.ids) and asked.stands_as(text):
        stages, parts = _patched(asked, other, own)
    return Twin(
        text=text, answer=answer, turns=first != own, over=behind, lead=float(logits[0, first] - logits[0, over]),
        margin=float(margin.of(logits)[0]), changed=tuple(changed_words(asked.text, text)),
        stages=tuple(stages), parts=tuple(parts), longer=len(other.ids) - len(given.ids),
    )  # fmt: skip


def _patched(asked: Question, other: Prompted, own: int) -> tuple[list[TwinStage], list[TwinPart]]:
    margin, given = asked.margin, asked.given
    names = {word.places: word.text for word in asked.words}
    marks = asked.tokens.strings(given.places)
    names |= {(place,): readable(marks[place]) for place in asked.fixed}
    groups = sorted(names)
    stages = [
        TwinStage(
            each.title,
            tuple((names[group], value) for group, value in zip(each.groups, each.margins, strict=True)),
            tuple(asked.name(top) for top in each.tops),
            tuple(top != own for top in each.tops),
        )
        for each in patched_stages(margin, given, other, groups)
    ]
    parts = [
        TwinPart(each.title, each.margin, asked.name(each.top), each.top != own)
        for each in patched_parts(margin, given, other)
    ]
    return stages, parts
