"""What an answer is, how it may be asked for and is then written, and texts as rows of ids, batched by length. It knows
no objective, no files and no truth; what only a language model can do stands in writing.py.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from glassformer.errors import InputError, must_count
from glassformer.layers.devices import sent
from glassformer.models.card import Card
from glassformer.models.sampling import Answer, Chooser, Draw, Sampling, Stop, Writer, gather, stream
from glassformer.text import batches
from glassformer.text.tokens import Ids, Tokens

TOKENS_AT_ONCE = 8192
SEARCHED_AT_ONCE = 1024  # tokens: a beam writes several ways at once
TIMES_LONGER, AND_SOME = 2, 20  # an answer has at most twice the ids of what it answers, and 20


@dataclass(frozen=True)
class Classified:
    """The most likely label, and the probability of each."""

    label: str
    scores: dict[str, float]

    @property
    def said(self) -> str:
        """The answer in words."""
        return self.label


@dataclass(frozen=True)
class Translated:
    """A translation, and the mean log-probability of its ids."""

    translation: str
    score: float

    @property
    def said(self) -> str:
        """The answer in words."""
        return self.translation


@dataclass(frozen=True)
class Written:
    """What a model wrote: the answer to a prompt, or how a text goes on."""

    text: str

    @property
    def said(self) -> str:
        """The answer in words."""
        return self.text


Prediction = Classified | Translated | Written


@dataclass(frozen=True, kw_only=True)
class Writing:
    """How to write. What is None is as usual for the task: beam search for a translation, greedy for an answer,
    sampling for a text that goes on.

    longest       new tokens at most
    temperature   0 is greedy; see Sampling for this and the next three
    beam          the width of beam search; 1 is greedy
    seed          the same seed writes the same text
    stop          strings that end the output, and are left out
    """

    longest: int | None = None
    temperature: float | None = None
    top_k: int | None = None
    top_p: float = 1.0
    min_p: float = 0.0
    beam: int | None = None
    seed: int = 0
    stop: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.longest is not None:
            must_count("longest", self.longest)
        if self.beam is not None:
            must_count("beam", self.beam)
        if self.temperature is not None and not 0.0 <= self.temperature < math.inf:
            raise InputError(f"`temperature` is 0 for greedy, or above for sampling; it is {self.temperature}.")
        if not all(self.stop):
            raise InputError("A stop of no characters would end every text before it begins; leave it out.")

    @property
    def sampled(self) -> bool:
        """Whether anything was asked for that only sampling can do."""
        asked = self.top_k is not None or self.top_p < 1.0 or self.min_p > 0.0
        return asked if self.temperature is None else self.temperature != 0.0

    def ended(self, text: str) -> tuple[str, bool]:
        """The text up to the first stop, and whether there was one."""
        places = [place for place in map(text.find, self.stop) if place >= 0]
        return (text[: min(places)], True) if places else (text, False)

    def until(self, tokens: Tokens) -> Callable[[Sequence[int]], bool] | None:
        """The same as a rule over ids."""
        return (lambda ids: self.ended(tokens.decode(ids))[1]) if self.stop else None

    def chooser(self, count: int, usual: float = 1.0) -> Chooser:
        """How ids are drawn for so many texts; each has a seed of its own."""
        temperature = usual if self.temperature is None else self.temperature
        sampling = Sampling(temperature=temperature, top_k=self.top_k, top_p=self.top_p, min_p=self.min_p)
        return Draw(sampling, range(self.seed, self.seed + count))

    def written(self, writer: Writer, tokens: Tokens, longest: int, beam: int) -> list[Answer]:
        """The ids that are written to each text of a batch: by sampling if that was asked for, else by beam search."""
        from glassformer.models.beam import Beam, search

        stop = Stop(longest=longest, endings=((tokens.end,),), until=self.until(tokens))
        if self.sampled:
            return gather(len(writer.room), stream(writer, stop, self.chooser(len(writer.room))))
        return [best[0] for best in search(writer, stop, Beam(width=beam))]


# --- texts to rows ----------------------------------------------------------------------------------------------


def ids_of(tokens: Tokens, text: str) -> Ids:
    """The ids of one text; if there are none, a single unknown token."""
    return encoded(tokens, [text])[0]


def encoded(tokens: Tokens, texts: Sequence[str]) -> list[Ids]:
    """The ids of each text; one that has none is a single unknown token."""
    return [row if len(row) else np.array([tokens.nothing], dtype=np.int64) for row in tokens.encode_many(texts)]


def room(card: Card) -> int:
    """How many ids of a text are read; the rest is cut off."""
    return min(card.longest, getattr(card.settings, "length", card.longest))


def padded_tensors(model: Any, rows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """The rows, and where they are real, where the model is."""
    device = next(model.parameters()).device
    ids, real = batches.padded(rows)
    return sent(ids, device), sent(real, device)


def together(rows: Sequence[Ids], tokens_at_once: int, *, alike: bool = False) -> list[list[int]]:
    """Which rows go in one batch: of like length, or of the same where they must be alike."""
    lengths = [len(row) for row in rows]
    groups = [[i for i, length in enumerate(lengths) if length == each] for each in sorted(set(lengths))]
    found = []
    for group in groups if alike else [list(range(len(rows)))]:
        sizes = [lengths[i] for i in group]
        for batch in batches.bucketed(sizes, max([tokens_at_once, *sizes]), shuffle=False):
            found.append([group[i] for i in batch])
    return found
