"""The question: a model, a text, and of what it answers one class or token over its rival, all of it as ids.

From words to numbers and back; it asks nothing yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from glassformer.errors import InputError, nearest
from glassformer.inside.look_at_text import MOST_TOKENS
from glassformer.inside.looks import continuation_of, own_words
from glassformer.inside.why.margins import Margin, Prompted, margin_of
from glassformer.inside.why.shared_out import Neutral
from glassformer.inside.why.whole_words import Word, readable, visible, words_of, written_words
from glassformer.models.card import Card
from glassformer.models.sampling import Answer
from glassformer.objectives.predictions import AND_SOME, TIMES_LONGER, room
from glassformer.objectives.table import objective_of
from glassformer.text.tokens import Tokens

CANDIDATES = 8  # rivals that are offered


@dataclass(frozen=True)
class Which:
    """Which answer is asked about, against whom, and at which token of what is written: counted from 1, or None for
    the beginning of a word that a translator is least certain of (the first token, of other models). A rival goes by
    its name, or by its id, since several tokens may have one name."""

    answer: str | None = None
    rival: str | int | None = None
    at: int | None = 1
    target: str | None = None


@dataclass(frozen=True)
class Question:
    """A text as a model is given it, and the margin that is asked about.

    taken   for each name that several tokens have, which of them was taken
    """

    card: Card
    tokens: Tokens
    text: str
    margin: Margin
    given: Prompted
    words: tuple[Word, ...]
    written: tuple[int, ...]  # all that the model wrote, or was forced along, also behind the token that is asked about
    at: int
    taken: tuple[str, ...] = ()

    def read(self, text: str) -> tuple[int, ...]:
        """The ids that the model is given for a text."""
        return tuple(objective_of(self.card).prompt(self.tokens, text).tolist())

    def stands_as(self, text: str) -> bool:
        """Whether each word of another text stands at the same places of the row as its counterpart here."""
        own = [word.places for word in self.words if not word.written]
        return [word.places for word in words_of(text, self.tokens.encode(text).offsets)] == own

    def name(self, each: int) -> str:
        """What an answer is called: a class, or a token."""
        if self.margin.family == "classifier":
            return str(self.card.labels[each])
        return readable(self.tokens.strings([each])[0])

    def names(self, several: Sequence[int]) -> list[str]:
        """What some answers are called beside each other: where two would look alike, their spaces are visible."""
        plain = [self.name(each) for each in several]
        return [
            name if plain.count(name) == 1 else visible(self.spelling(each))
            for name, each in zip(plain, several, strict=True)
        ]

    def spelling(self, each: int) -> str:
        """A class by its name, a token as it is written: with the space that begins a word."""
        return self.name(each) if self.margin.family == "classifier" else self.tokens.strings([each])[0]

    @property
    def asks_other(self) -> tuple[Word, ...]:
        """Of a model that writes, the last word before the answer, also if it was begun in the text and goes on in what
        was written. Without it, what comes next is another question."""
        last = self.words[-1] if self.words else None
        if last is None or self.margin.family == "classifier" or last.places[-1] != len(self.given.places) - 1:
            return ()
        read, written = ([word for word in self.words if word.written is each] for each in (False, True))
        joined = self.text[-1].isalnum() and last.text[0].isalnum() and self.margin.family == "language model"
        return (read[-1], last) if joined and len(written) == 1 and read else (last,)

    @property
    def fixed(self) -> tuple[int, ...]:
        """The places of marks, which are no words."""
        held = {place for word in self.words for place in word.places}
        return tuple(place for place in range(len(self.given.places)) if place not in held)

    @property
    def neutral(self) -> Neutral:
        """What a blank may be made of: where a text is written on, a space is a token that says little."""
        special = tuple(i for i in range(len(self.tokens)) if self.tokens.name(i) in self.tokens.specials.names)
        space = self.tokens.encode(" ", bare=True).ids if self.margin.family != "classifier" else ()
        known = len(space) == 1 and space[0] not in special
        return Neutral(space[0] if known else None, self.tokens.unknown, special)

    def logits(self) -> torch.Tensor:
        """All logits of the answer."""
        return self.margin.logits([self.given])[0]


def question(model: Any, card: Card, tokens: Tokens, text: str, asking: Which) -> Question:
    """What is asked, checked and as ids."""
    objective = objective_of(card)
    if not isinstance(text, str) or not text.strip():
        raise InputError("There is no text to ask about; type one.")
    if objective.predict is None or objective.pretrains:
        raise InputError(f"This model has only learnt to {objective.learns}; finetune it (--from) before you ask why.")
    ids = tuple(objective.prompt(tokens, text).tolist())
    encoded = tokens.encode(text)
    most = min(room(card), MOST_TOKENS)
    if len(ids) > most:
        raise InputError(f"This text has {len(ids):,} tokens; why can be asked for {most:,} at most. Shorten it.")
    if ids[: len(encoded.ids)] != encoded.ids or not encoded.ids:
        raise InputError("No token of this text can be found in it, so nothing can be shared out over its words.")
    if asking.at is None:
        asking = replace(asking, at=_least_certain(model, card, tokens, ids, asking))
    assert asking.at is not None
    written = _written(model, card, tokens, ids, asking)
    before = written[: asking.at - 1]
    given = Prompted(ids, (tokens.start, *before) if objective.family == "translator" else before)
    first = len(given.places) - len(before)
    words = [*words_of(text, encoded.offsets), *written_words(tokens, before, first)]
    plain = Question(card, tokens, text, margin_of(model, objective.family), given, tuple(words), written, asking.at)
    return _between(plain, asking)


def _written(model: Any, card: Card, tokens: Tokens, ids: tuple[int, ...], asking: Which) -> tuple[int, ...]:
    """What stands in the answer, as far as it is needed."""
    objective, at = objective_of(card), 1 if asking.at is None else asking.at
    if objective.family == "classifier":
        if at != 1 or asking.target is not None:
            raise InputError("A classifier writes nothing: it has one answer, and no token of it to ask about.")
        return ()
    if at < 1:
        raise InputError(f"`at` counts the written tokens from 1; it is {at}.")
    if asking.target is not None:
        if objective.family != "translator":
            raise InputError(f"Only a translator takes a target; this model was trained to {card.task}.")
        led = (*tokens.for_targets.encode(asking.target, bare=True).ids, tokens.end)
    else:
        led = tuple(_own(model, card, tokens, ids, at))
    if at > max(len(led), 1):
        counted = ", its end mark counted" if led[-1:] == (tokens.end,) else ""
        raise InputError(f"There is no token {at}: what is written has {len(led)}{counted}.")
    return led


def _least_certain(model: Any, card: Card, tokens: Tokens, ids: tuple[int, ...], asking: Which) -> int:
    """Of the written tokens that begin a word the one with the least probability; of all, where none does. Its end
    mark is not counted."""
    if objective_of(card).family != "translator":
        return 1
    written = _written(model, card, tokens, ids, asking)
    written = written[:-1] if written[-1:] == (tokens.end,) else written
    rows = [Prompted(ids, (tokens.start, *written[:i])) for i in range(len(written))]
    if not rows:
        return 1
    begun = [i for i, each in enumerate(tokens.strings(written)) if each[:1] == " " and each[1:2].isalpha()]
    shares = margin_of(model, "translator").logits(rows).softmax(-1)
    return min(begun or range(len(written)), key=lambda i: float(shares[i, written[i]])) + 1


def _own(model: Any, card: Card, tokens: Tokens, ids: tuple[int, ...], at: int) -> Sequence[int]:
    objective, row = objective_of(card), torch.tensor([ids], device=next(model.parameters()).device)
    longest = TIMES_LONGER * len(ids) + AND_SOME
    if objective.family == "translator":
        real = torch.ones_like(row, dtype=torch.bool)
        found: Answer | None = own_words(model, row, real, longest, (tokens.start, tokens.end), tokens.specials.never)
    else:
        most = min(at, room(card) - len(ids)) if objective.goes_on else longest
        found = continuation_of(model, row, most, tokens.end)
    if found is None:
        return []
    ended = found.finish.reason == "stop" and not objective.goes_on
    return [*found.body, *([tokens.end] if ended else [])]  # what was cut off has no end of its own


# --- the answer and its rival -------------------------------------------------------------------------------------


def _between(plain: Question, asking: Which) -> Question:
    logits = plain.logits()
    best = logits.argsort(descending=True, stable=True).tolist()
    led = plain.written[plain.at - 1] if asking.target is not None else best[0]
    answer = led if asking.answer is None else _id(plain, asking.answer, best)
    rival = next(each for each in best if each != answer) if asking.rival is None else _id(plain, asking.rival, best)
    if rival == answer:
        others = plain.names([each for each in best if each != answer][:CANDIDATES])
        raise InputError(f"'{plain.name(answer)}' is the answer itself; its rival here can be {', '.join(others)}.")
    named = [(asking.answer, answer), (asking.rival, rival)]
    taken = [_taken(plain, name, each) for name, each in named if isinstance(name, str)]
    return replace(plain, margin=plain.margin.between(answer, rival), taken=tuple(each for each in taken if each))


def _id(plain: Question, name: str | int, best: Sequence[int]) -> int:
    """The class or token of this id or name; of tokens that look alike, the likeliest."""
    if isinstance(name, int):
        if not 0 <= name < len(best):
            raise InputError(f"There is no answer {name}: this model has ids 0 to {len(best) - 1}.")
        return name
    if plain.margin.family == "classifier":
        labels = [str(each) for each in plain.card.labels]
        if name not in labels:
            raise InputError(f"There is no class '{name:.60}'; {nearest(name, labels)}")
        return labels.index(name)
    alike = _alike(plain.tokens, name)
    if not alike:
        known = [plain.name(each) for each in best[:CANDIDATES]]
        raise InputError(f"'{name:.60}' is no token of this model; the likeliest here are {', '.join(known)}.")
    return next(each for each in best if each in alike)


def _alike(tokens: Tokens, name: str) -> set[int]:
    """The tokens of this name: with a space around it as it is spelled, else all that a person reads so, whether they
    begin a word or go on with one."""
    strings = tokens.strings(range(len(tokens)))
    spelled = {i for i, each in enumerate(strings) if each == name}
    if spelled and name != name.strip():
        return spelled
    return spelled | {i for i, each in enumerate(strings) if readable(each) in (name, name.strip())}


def _taken(plain: Question, name: str, taken: int) -> str:
    """Which token was taken, where several have this name."""
    alike = () if plain.margin.family == "classifier" else _alike(plain.tokens, name)
    if len(alike) < 2:
        return ""
    spelled = plain.spelling(taken)
    where = "begins a word" if spelled[:1].isspace() else "goes on with a word"
    return (
        f"{len(alike)} tokens read “{readable(name)}”; taken is the one that is likeliest here, “{visible(spelled)}”, "
        f"which {where}."
    )
