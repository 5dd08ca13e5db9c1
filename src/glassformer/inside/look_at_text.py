"""From words to a look: a text becomes ids as it did in training, and what comes out becomes words again.

The one way that every face takes to a trained model. It knows no files and draws nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.inside.looks import Look, Writes, look_at_classifier, look_at_language_model, look_at_translator
from glassformer.models.card import Card
from glassformer.objectives.predictions import AND_SOME, TIMES_LONGER, encoded, prompt_ids, room
from glassformer.text.tokens import Tokens

MOST_TOKENS = 1024  # beyond which nobody reads a table of queries against keys
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
    _check(card, text, target, longest)
    ids = (prompt_ids(card, tokens, text) if card.task == "generate" else encoded(tokens, [text])[0]).tolist()
    _check_length("text", len(ids), _room(card))
    known = (model, ids, tokens.pieces(ids))
    written = None if like is None else like.written
    with torch.inference_mode():
        if card.task == "classify":
            look = look_at_classifier(*known, card.labels, write=write)
            return replace(look, words=_ranked(look))
        if card.task == "generate":
            usual = USUAL_LENGTH if card.objective == "stream" else _usual(ids)
            most = min(usual if longest is None else longest, _room(card) - len(ids))
            look = look_at_language_model(*known, tokens.pieces, longest=most, written=written, write=write)
            return replace(look, words=_continued(look, ids, tokens))
        led = None if target is None else tokens.encode(target).ids
        _check_length("target", len(led or ()) + 1, _room(card))  # it begins with <s>
        most = longest or _usual(ids)
        look = look_at_translator(*known, tokens.pieces, target=led, longest=most, written=written, write=write)
        return replace(look, words=_translated(look, tokens, target))


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
    if card.objective == "masked":
        raise InputError("This model has only learnt to find hidden pieces; finetune it (--from) before you look.")
    if longest is not None and (longest < 0 or (longest == 0 and card.task == "translate")):
        raise InputError(f"`longest` is {longest}; it counts the tokens to be written.")
    if target is None:
        return
    if card.task != "translate":
        raise InputError(f"Only a translator is led along a target; this model was trained to {card.task}.")
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


def _continued(look: Look, prompt: Sequence[int], tokens: Tokens) -> str:
    """What it went on with; where it only read, what it held likeliest."""
    ids = look.trace["ids"][0].tolist()
    if len(ids) > len(prompt):
        return f"goes on with “{tokens.decode(ids)[len(tokens.decode(prompt)) :]}”"
    best = (look.answer or {})["steps"][-1]["items"][0]
    return f"“{best['name']}” is likeliest to follow ({best['share']:.3f})"


def _translated(look: Look, tokens: Tokens, target: str | None) -> str:
    answer = look.answer or {}
    written = f"writes “{tokens.decode(answer['own_ids'])}”"
    if target is None:
        return written
    if answer["divergence"] is None:
        return f"{written}, as it was led"
    return f"{written}, which parts from “{target}” at token {answer['divergence'] + 1}"
