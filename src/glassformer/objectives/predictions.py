"""How a model writes, and what an answer is. Batched by length; it knows no objective, no files and no truth."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.models.decoding.beam import Beam, search
from glassformer.models.decoding.decode import (
    Answer,
    Chooser,
    Draw,
    Sampling,
    Stop,
    Writer,
    gather,
    likeliest,
    stream,
    whole,
)
from glassformer.models.decoding.writers import Continuation
from glassformer.text import batches
from glassformer.text.tokens import END, UNKNOWN, Ids, Tokens

TOKENS_AT_ONCE = 8192
SEARCHED_AT_ONCE = 1024  # a beam writes several ways at once
USUAL_TEMPERATURE = 0.8  # for text that has no right answer
USUAL_LENGTH = 300  # ids of such a text
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
    temperature   0 is greedy; see decode.Sampling for this and the next three
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
            whole("longest", self.longest)
        if self.beam is not None:
            whole("beam", self.beam)
        if self.temperature is not None and not 0.0 <= self.temperature < math.inf:
            raise InputError(f"`temperature` is 0 for greedy, or above for sampling; it is {self.temperature}.")
        if not all(self.stop):
            raise InputError("A stop of no characters would end every text before it begins; leave it out.")

    @property
    def sampled(self) -> bool:
        """Whether anything was asked for that only sampling can do."""
        asked = self.top_k is not None or self.top_p < 1.0 or self.min_p > 0.0
        return asked if self.temperature is None else self.temperature != 0.0

    def chooser(self, count: int, usual: float = 1.0) -> Chooser:
        """How ids are drawn for so many texts; each has a seed of its own."""
        temperature = usual if self.temperature is None else self.temperature
        sampling = Sampling(temperature=temperature, top_k=self.top_k, top_p=self.top_p, min_p=self.min_p)
        return Draw(sampling, range(self.seed, self.seed + count))

    def ended(self, text: str) -> tuple[str, bool]:
        """The text up to the first stop, and whether there was one."""
        places = [place for place in map(text.find, self.stop) if place >= 0]
        return (text[: min(places)], True) if places else (text, False)

    def until(self, tokens: Tokens) -> Callable[[Sequence[int]], bool] | None:
        """The same as a rule over ids."""
        return (lambda ids: self.ended(tokens.decode(ids))[1]) if self.stop else None


# --- answers to prompts -----------------------------------------------------------------------------------------


def answered(model: Any, tokens: Tokens, prompts: Sequence[Ids], how: Writing) -> list[Written]:
    """What a language model writes to each prompt, up to its end."""
    found: list[Any] = [None] * len(prompts)
    alike = "synthesizer" in model.config.scorer
    for indices in together(prompts, SEARCHED_AT_ONCE, alike=alike):
        writer = Continuation(model, [prompts[i].tolist() for i in indices])
        answers = written(writer, tokens, how, how.longest or model.config.length, how.beam or 1)
        for i, answer in zip(indices, answers, strict=True):
            found[i] = Written(how.ended(tokens.decode(answer.body))[0])
    return found


def written(writer: Writer, tokens: Tokens, how: Writing, longest: int, beam: int) -> list[Answer]:
    """The ids that are written to each text of a batch: by sampling if that was asked for, else by beam search."""
    stop = Stop(longest=longest, endings=((END,),), until=how.until(tokens))
    if how.sampled:
        return gather(len(writer.room), stream(writer, stop, how.chooser(len(writer.room))))
    return [best[0] for best in search(writer, stop, Beam(width=beam))]


# --- as it is made ---------------------------------------------------------------------------------------------


def streamed(model: Any, tokens: Tokens, prompt: Ids, how: Writing, *, goes_on: bool) -> Iterator[str]:
    """What is written to one prompt, bit by bit as it is made. Where the model can look back no further, it goes on
    from the second half of what it sees. What `goes_on` with the prompt has no end of its own, and no right answer."""
    longest = how.longest or (USUAL_LENGTH if goes_on else model.config.length)
    sampled = how.sampled or (goes_on and how.temperature is None)
    choose = how.chooser(1, USUAL_TEMPERATURE if goes_on else 1.0) if sampled else likeliest
    base = prompt.tolist() if goes_on else []  # what the new ids are read together with: it decides about spaces
    ids: list[int] = []
    said = ""
    for each in _ids(model, prompt.tolist(), longest, choose):
        ids.append(each)
        new, stopped = how.ended(tokens.decode([*base, *ids])[len(tokens.decode(base)) :])
        sure = new if stopped else new[: len(new) - _unsure(new, how.stop)]
        if sure.startswith(said) and len(sure) > len(said):
            yield sure[len(said) :]
            said = sure
        if stopped:
            return
    if ids and len(new) > len(said):
        yield new[len(said) :]


def _unsure(text: str, stops: Sequence[str]) -> int:
    """How many characters at the end may yet change: half a character, or what may become a stop."""
    half = len(text) - len(text.rstrip("\N{REPLACEMENT CHARACTER}"))
    begun = [n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])]
    return max(half, *begun, 0)


def _ids(model: Any, prompt: list[int], longest: int, choose: Chooser) -> Iterator[int]:
    """At most so many ids, up to the end of the text."""
    seen, wanted = list(prompt), len(prompt) + longest
    window = seen[-model.config.length :]
    while len(seen) < wanted:
        stop = Stop(longest=wanted - len(seen), endings=((END,),))
        for each in stream(Continuation(model, [window]), stop, choose):
            if each.finish is not None and each.finish.reason == "stop":
                return
            seen.append(each.id)
            yield each.id
        window = seen[-max(1, model.config.length // 2) :]


# --- texts to rows ----------------------------------------------------------------------------------------------


def ids_of(tokens: Tokens, text: str) -> Ids:
    """The ids of one text; if there are none, a single unknown token."""
    return encoded(tokens, [text])[0]


def encoded(tokens: Tokens, texts: Sequence[str]) -> list[Ids]:
    """The ids of each text; one that has none is a single unknown token."""
    return [row if len(row) else np.array([UNKNOWN], dtype=np.int64) for row in tokens.encode_many(texts)]


def room(card: Card) -> int:
    """How many ids of a text are read; the rest is cut off."""
    return min(card.longest, getattr(card.settings, "length", card.longest))


def padded(model: Any, rows: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """The rows, and where they are real, where the model is."""
    device = next(model.parameters()).device
    ids, real = batches.padded(rows)
    return torch.from_numpy(ids).to(device), torch.from_numpy(real).to(device)


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
