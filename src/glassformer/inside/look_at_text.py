"""From words to a look: a text becomes ids as it did in training, and what comes out becomes words again.

The one way that every face takes to a trained model. It knows no files and draws nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.inside.looks import Look, Writes, look_at_classifier, look_at_language_model, look_at_translator
from glassformer.models.card import Card
from glassformer.models.ngrams import STAGES
from glassformer.objectives.predictions import AND_SOME, TIMES_LONGER, room
from glassformer.objectives.table import objective_of
from glassformer.text.tokens import Tokens

MOST_TOKENS = 1024  # beyond which nobody reads a table of queries against keys
MOST_NGRAMS = 5  # that are told of
USUAL_LENGTH = 24  # tokens of a text that has no end of its own


def look_at(
    model: Any,
    card: Card,
    tokens: Tokens,
    text: str,
    *,
    target: str | None = None,
    longest: int | None = None,
    write: Writes | None = None,
    like: Look | None = None,
) -> Look:
    """A trained model and a text, run once while everything is recorded.

    target    a translation to lead a translator along; what it writes by itself stands beside
    longest   tokens that are written at most; with 0 a language model only reads
    write     stages to put in place; what the model writes, it writes without them
    like      a look at the same text: what was written then is not written again
    """
    objective = objective_of(card)
    _check(card, text, target, longest)
    ids = objective.prompt(tokens, text).tolist()
    _check_length("text", len(ids), _room(card))
    asked = _Asked(
        model, card, tokens, ids, target, longest, objective.goes_on, write, None if like is None else like.written
    )
    with torch.inference_mode():
        return _LOOKS[objective.family](asked)


# --- one way for each family of models ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A model and what is to be looked at."""

    model: Any
    card: Card
    tokens: Tokens
    ids: list[int]
    target: str | None
    longest: int | None
    goes_on: bool
    write: Writes | None
    written: Sequence[int] | None

    @property
    def known(self) -> tuple[Any, list[int], list[str]]:
        """The model, the ids and what each of them says."""
        return self.model, self.ids, self.tokens.strings(self.ids)


def _classifier(asked: _Asked) -> Look:
    look = look_at_classifier(*asked.known, asked.card.labels, write=asked.write)
    return replace(look, words=_ranked(look) + _heaviest(look))


def _language_model(asked: _Asked) -> Look:
    usual = USUAL_LENGTH if asked.goes_on else _usual(asked.ids)
    most = min(usual if asked.longest is None else asked.longest, _room(asked.card) - len(asked.ids))
    look = look_at_language_model(
        *asked.known,
        asked.tokens.strings,
        longest=most,
        written=asked.written,
        write=asked.write,
        end=asked.tokens.end,
    )
    return replace(look, words=_continued(look, asked.ids, asked.tokens))


def _translator(asked: _Asked) -> Look:
    led = None if asked.target is None else asked.tokens.for_targets.encode(asked.target, bare=True).ids
    _check_length("target", len(led or ()) + 1, _room(asked.card))  # it begins with <s>
    look = look_at_translator(
        *asked.known, asked.tokens.strings, target=led, longest=asked.longest or _usual(asked.ids),
        written=asked.written, write=asked.write, marks=(asked.tokens.start, asked.tokens.end),
        never=asked.tokens.specials.never,
    )  # fmt: skip
    return replace(look, words=_translated(look, asked.tokens, asked.target))


_LOOKS: Choices[Callable[[_Asked], Look]] = Choices(
    "family of models", {"classifier": _classifier, "translator": _translator, "language model": _language_model}
)


def _room(card: Card) -> int:
    """How many tokens can be looked at in this model."""
    return min(MOST_TOKENS, room(card))


def _usual(ids: Sequence[int]) -> int:
    """How many tokens an answer to these may have."""
    return TIMES_LONGER * len(ids) + AND_SOME


def _check(card: Card, text: str, target: str | None, longest: int | None) -> None:
    if not isinstance(text, str):
        raise InputError(f"One text is looked at, given as a string; this is a {type(text).__name__}.")
    if not text.strip():
        raise InputError("There is no text yet; type one.")
    objective = objective_of(card)
    if objective.predict is None:
        raise InputError(f"This model has only learnt to {objective.learns}; finetune it (--from) before you look.")
    if longest is not None and (longest < 0 or (longest == 0 and objective.family == "translator")):
        raise InputError(f"`longest` is {longest}; it counts the tokens to be written.")
    if target is None:
        return
    if objective.family != "translator":
        raise InputError(f"Only a translator takes a target (teacher forcing); this model was trained to {card.task}.")
    if not target.strip():
        raise InputError("The target is empty; give a translation of the text, or leave it out.")


def _check_length(what: str, count: int, most: int) -> None:
    if count > most:
        raise InputError(
            f"This {what} has {count:,} tokens; this model can be looked at with {most:,} at most. Shorten it."
        )


# --- the answer in words ------------------------------------------------------------------------------------------


def _ranked(look: Look) -> str:
    items = (look.answer or {})["items"]
    return ", ".join(f"{item['name']} {item['share']:.3f}" for item in items[:4])


def _heaviest(look: Look) -> str:
    """Where a model adds up n-grams: those that say most for or against the class it chose."""
    if any(name not in look.trace for name in STAGES):
        return ""
    column = int(look.trace["logits"][0].argmax())
    said = [
        (float(evidence[column]), " ".join(look.texts.own[place : place + n]))
        for n, name in enumerate(STAGES, start=1)
        for place, evidence in enumerate(look.trace[name][0])
    ]
    heaviest = sorted(said, key=lambda each: -abs(each[0]))[:MOST_NGRAMS]
    told = ", ".join(f"“{words}” {evidence:+.3f}" for evidence, words in heaviest if evidence)
    return f"; the n-grams that weigh most: {told}" if told else ""


def _continued(look: Look, prompt: Sequence[int], tokens: Tokens) -> str:
    """What it went on with; where it only read, the most likely next token."""
    ids = look.trace["ids"][0].tolist()
    if len(ids) > len(prompt):
        return f"goes on with “{tokens.decode(ids)[len(tokens.decode(prompt)) :]}”"
    best = (look.answer or {})["steps"][-1]["items"][0]
    return f"“{best['name']}” is most likely to follow ({best['share']:.3f})"


def _translated(look: Look, tokens: Tokens, target: str | None) -> str:
    answer = look.answer or {}
    written = f"writes “{tokens.decode(answer['own_ids'])}”"
    if target is None:
        return written
    if answer["divergence"] is None:
        return f"{written}, the same as the target"
    return f"{written}, which parts from “{target}” at token {answer['divergence'] + 1}"
