"""A look inside: a model and one text, run once while everything is recorded, with the answer in words.

Takes ids and the names of ids, so that it need not know how a text is cut. It draws nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.inside.answers import Names, class_answer, first_difference, next_steps, worth_showing
from glassformer.inside.parts import Texts, title
from glassformer.models.language_model import Continuation, LanguageModel
from glassformer.models.sampling import Answer, Stop, greedy
from glassformer.models.translator import Translation, Translator
from glassformer.stages.recorder import record
from glassformer.stages.trace import Trace
from glassformer.text.token_kinds import END, START

Writes = Mapping[str, Any]


@dataclass(frozen=True)
class Look:
    """What was seen, the tokens it was about, and what came out. Anything that has a trace can be looked at.

    about    a sentence on what is looked at
    answer   what came out, as data for a page; `words` the same in a line of text
    written  the ids that the model wrote by itself
    """

    trace: Trace
    texts: Texts = field(default_factory=Texts)
    title: str = ""
    about: str = ""
    answer: Mapping[str, Any] | None = None
    words: str = ""
    written: tuple[int, ...] = ()


def look_at_classifier(
    model: nn.Module,
    ids: Sequence[int],
    tokens: Sequence[str],
    labels: Sequence[str],
    *,
    write: Writes | None = None,
    title: str = "",
) -> Look:
    """One text, and which class it was given."""
    row = _row(model, ids)
    trace = _recorded(model, row, torch.ones_like(row, dtype=torch.bool), write=write)
    known = {int(each): name for each, name in zip(ids, tokens, strict=True)}
    length = trace["ids"].shape[1]
    texts = Texts(own=tuple(tokens[:length]), classes=tuple(labels), names=known)
    return Look(trace, texts, title, answer=class_answer(trace["logits"], labels))


def look_at_language_model(
    model: LanguageModel,
    ids: Sequence[int],
    tokens: Sequence[str],
    names: Names,
    *,
    longest: int = 0,
    written: Sequence[int] | None = None,
    write: Writes | None = None,
    title: str = "",
    end: int = END,
) -> Look:
    """One text, and at each of its tokens the probabilities of the next. It is first continued for at most `longest`
    tokens, greedily, unless what is `written` is known."""
    row = _row(model, ids)
    if written is None:
        going_on = continuation_of(model, row, longest, end)
        written = list(going_on.body) if going_on else []
    trace = _recorded(model, _row(model, [*ids, *written]), write=write)
    all_ids = [*row[0].tolist(), *written]
    steps = next_steps(trace["logits"], [*all_ids[1:], None], names)
    shown = worth_showing(trace["logits"], all_ids)
    texts = Texts(own=(*tokens, *names(written)), names=dict(zip(shown, names(shown), strict=True)))
    answer = {"kind": "next", "read": len(row[0]), "steps": steps}
    return Look(trace, texts, title, answer=answer, written=tuple(written))


def look_at_translator(
    model: Translator,
    source: Sequence[int],
    source_tokens: Sequence[str],
    names: Names,
    *,
    target: Sequence[int] | None = None,
    longest: int = 128,
    written: Sequence[int] | None = None,
    write: Writes | None = None,
    title: str = "",
    marks: tuple[int, int] = (START, END),
    never: tuple[int, ...] = (),
) -> Look:
    """A sentence and its translation. With a `target` the model is teacher-forced along it, and its own greedy output
    stands beside; it need not be found again if what is `written` is known."""
    row, (start, end) = _row(model, source), marks
    real = torch.ones_like(row, dtype=torch.bool)
    own = list(own_words(model, row, real, longest, marks, never).body if written is None else written)
    led = list(target) if target is not None else own
    trace = _recorded(model, row, real, _row(model, [start, *led]), write=write)
    logits = trace["logits"]
    shown = worth_showing(logits, [start, end, *(int(each) for each in source), *led, *own])
    texts = Texts(
        own=tuple(names([start, *led])), context=tuple(source_tokens), names=dict(zip(shown, names(shown), strict=True))
    )
    answer = {
        "kind": "translation",
        "own": names(own),
        "own_ids": own,
        "target": None if target is None else names(led),
        "divergence": None if target is None else first_difference(own, led),
        "steps": next_steps(logits, [*led, end], names),
        **_alignment(trace),
    }
    return Look(trace, texts, title, answer=answer, written=tuple(own))


def _row(model: nn.Module, ids: Sequence[int]) -> Tensor:
    if not len(ids):
        raise InputError("There is nothing to look at: the text has no tokens.")
    return torch.tensor([[int(each) for each in ids]], device=next(model.parameters()).device)


def _recorded(model: nn.Module, *inputs: Tensor, write: Writes | None) -> Trace:
    if model.training:
        raise InputError("This model is being trained, so it drops at random; call model.eval() before you look.")
    with torch.no_grad():
        _, trace = record(model, *inputs, write=write)
    return trace


def own_words(
    model: Translator, row: Tensor, real: Tensor, longest: int, marks: tuple[int, int], never: tuple[int, ...] = ()
) -> Answer:
    """What a translator writes by itself, greedily."""
    stop = Stop(longest=min(longest, model.config.length - 1), endings=((marks[1],),))
    return greedy(Translation(model, row, real, marks[0], never), stop)[0]


def continuation_of(model: LanguageModel, row: Tensor, longest: int, end: int) -> Answer | None:
    """What a language model goes on with, greedily; None where there is no room to write in."""
    most = min(longest, model.config.length - row.shape[1])
    if most < 1:
        return None
    return greedy(Continuation(model, row.tolist()), Stop(longest=most, endings=((end,),)))[0]


def _alignment(trace: Trace) -> dict[str, Any]:
    """Where each written token looked in the source: the mean of the last cross-attention's heads."""
    scopes = [entry.scope for entry in trace.entries.values() if entry.stage.name == "context"]
    if not scopes:
        return {"alignment": [], "aligned_by": ""}
    weights = trace[scopes[-1] + "weights"].astype(np.float64)
    return {
        "alignment": weights[0].mean(0).tolist(),
        "aligned_by": f"{title(scopes[-1].rstrip('.'))}, mean of {weights.shape[1]} heads",
    }
