"""Why a model answered so: the margin shared out, tried without each word, by blocks and heads, against a twin.

The one way that every face takes. It draws nothing, and knows no files.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from glassformer.errors import InputError
from glassformer.inside.why.direct_parts import Directly, direct_parts, head_title, without_heads
from glassformer.inside.why.leaving_out import left_out
from glassformer.inside.why.logit_lens import WARNING, logit_lens
from glassformer.inside.why.margins import Prompted
from glassformer.inside.why.patching import PatchedPart, patched_parts, patched_stages
from glassformer.inside.why.question import CANDIDATES, Question, Which, question
from glassformer.inside.why.shared_out import Shared, shared_out
from glassformer.inside.why.trials import OtherOrders, RandomTexts, other_orders, random_texts
from glassformer.inside.why.twins import changed_words
from glassformer.inside.why.whole_words import readable
from glassformer.models.card import Card
from glassformer.text.tokens import Tokens

TRUSTED = 1e-6  # what direct parts may miss the margin by; where they miss more, this way does not fit the model


@dataclass(frozen=True)
class WordShare:
    """One word: its part of the margin, and by how much the margin is less without it.

    pieces      its tokens, each with its part
    """

    text: str
    share: float
    without: float
    written: bool
    pieces: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class HeadOff:
    """By how much the margin is less when a head gives zeros."""

    address: str
    head: int
    title: str
    less: float


@dataclass(frozen=True)
class TwinStage:
    """After one stage: the margin with the twin's row in place of each word's."""

    title: str
    margins: tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Twin:
    """Another text, asked about the same answer and rival.

    changed     what stands there in place of what
    stages      patched stage by stage; none where the twins are not of as many tokens
    longer      by how many tokens it is longer
    """

    text: str
    answer: str
    margin: float
    changed: tuple[tuple[str, str], ...]
    stages: tuple[TwinStage, ...]
    parts: tuple[PatchedPart, ...]
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
    """A class or token that could be the rival."""

    name: str
    logit: float
    share: float


@dataclass(frozen=True)
class Reasons:
    """All that was found; `sentences.py` says it in words.

    writing     all that a translator writes, as a text
    known       what is known of the model's learning, in a sentence; nothing if it has learnt, or nobody knows
    """

    text: str
    family: str
    answer: str
    rival: str
    margin: float
    words: tuple[WordShare, ...]
    shared: Shared
    direct: Directly | None
    heads: tuple[HeadOff, ...]
    candidates: tuple[Rival, ...]
    written: tuple[str, ...]
    at: int
    random: RandomTexts
    orders: OtherOrders | None
    lens: tuple[LensToken, ...] = ()
    twin: Twin | None = None
    writing: str = ""
    known: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data."""
        shared, blank = self.shared, self.shared.blank
        direct = self.direct
        return {
            "text": self.text,
            "family": self.family,
            "answer": self.answer,
            "rival": self.rival,
            "margin": self.margin,
            "at": self.at,
            "written": list(self.written),
            "writing": self.writing,
            "blank": {"name": blank.name, "margin": blank.margin, "undecided": blank.undecided},
            "words": [asdict(word) for word in self.words],
            "error": shared.error,
            "closed": shared.closed,
            "points": shared.points,
            "direct": None if direct is None else [asdict(part) for part in direct.parts],
            "blocks": None if direct is None else direct.blocks,
            "direct_error": None if direct is None else direct.error,
            "head_off": [asdict(each) for each in self.heads],
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
    less = left_out(margin, text, given, words, asked.read)
    read = [word.places for word in words if not word.written]
    places = [place for group in read for place in group]
    direct = direct_parts(margin, given)
    heads = without_heads(margin, given)
    return Reasons(
        text=text,
        family=margin.family,
        answer=asked.name(margin.answer),
        rival=asked.name(margin.rival),
        margin=float(margin.of_ids([given])[0]),
        words=tuple(_word_shares(asked, shared.parts, less)),
        shared=shared,
        direct=direct if direct is not None and abs(direct.error) <= TRUSTED else None,
        heads=tuple(
            HeadOff(address, head, head_title(address, head), each) for (address, head), each in heads.items()
        ),
        candidates=_candidates(asked),
        written=tuple(readable(each) for each in tokens.strings(asked.written)),
        at=asked.at,
        random=random_texts(margin, given, places, neutral.special),
        orders=other_orders(margin, given, read) if margin.family == "classifier" else None,
        lens=tuple(
            LensToken(row.title, asked.name(row.token), row.share, row.margin) for row in logit_lens(margin, given)
        ),
        twin=None if instead is None else _twin(asked, instead),
        writing=tokens.decode(asked.written) if margin.family == "translator" else "",
        known=known,
    )  # fmt: skip


def _word_shares(asked: Question, parts: Sequence[float], less: Sequence[float]) -> list[WordShare]:
    names = [readable(each) for each in asked.tokens.strings(asked.given.places)]
    found = []
    for word, without in zip(asked.words, less, strict=True):
        pieces = tuple((names[place], parts[place]) for place in word.places)
        found.append(WordShare(word.text, sum(part for _, part in pieces), without, word.written, pieces))
    return found


def _candidates(asked: Question) -> tuple[Rival, ...]:
    logits = asked.logits()
    shares = logits.softmax(-1)
    best = logits.argsort(descending=True, stable=True)[:CANDIDATES].tolist()
    return tuple(Rival(asked.name(each), float(logits[each]), float(shares[each])) for each in best)


def _twin(asked: Question, text: str) -> Twin:
    if not text.strip():
        raise InputError("The other text is empty; type what should stand instead.")
    margin, given = asked.margin, asked.given
    other = Prompted(asked.read(text), given.written)
    logits = margin.logits([other])
    stages: list[TwinStage] = []
    parts: list[PatchedPart] = []
    if len(other.ids) == len(given.ids):
        stages, parts = _patched(asked, other)
    return Twin(
        text, asked.name(int(logits[0].argmax())), float(margin.of(logits)[0]),
        tuple(changed_words(asked.text, text)), tuple(stages), tuple(parts),
        len(other.ids) - len(given.ids),
    )  # fmt: skip


def _patched(asked: Question, other: Prompted) -> tuple[list[TwinStage], list[PatchedPart]]:
    margin, given = asked.margin, asked.given
    names = {word.places: word.text for word in asked.words}
    marks = asked.tokens.strings(given.places)
    names |= {(place,): readable(marks[place]) for place in asked.fixed}
    groups = sorted(names)
    stages = [
        TwinStage(
            each.title, tuple((names[group], value) for group, value in zip(each.groups, each.margins, strict=True))
        )
        for each in patched_stages(margin, given, other, groups)
    ]
    return stages, patched_parts(margin, given, other)
