"""`/v1/classify`, `/v1/translate` and `/v1/embeddings`: texts in, as many answers out. The work is the workshop's."""

import base64
from dataclasses import replace
from typing import Any

import numpy as np
from starlette.responses import Response

from glassformer.errors import InputError
from glassformer.objectives.predictions import Classified, Translated, room
from glassformer.serving.requests.fields import Schema, a_text, listed, one_of, texts, whole
from glassformer.serving.served import ServedModel
from glassformer.serving.visits import JSON, WARNINGS, Operation, Visit, beside, told
from glassformer.serving.work.batches import BatchWork

MODEL = a_text("The model; may be left out if only one can do this.", longest=200)
TEXTS = texts("A text, or several.")
NUMBER: Schema = {"type": "number"}
INDEX: Schema = {"type": "integer", "minimum": 0}


def list_of(item: Schema, **more: Schema) -> Schema:
    """The schema of an answer that holds one item for each text."""
    properties = {
        "object": {"const": "list"},
        "model": {"type": "string"},
        "data": {"type": "array", "items": item},
        "warnings": WARNINGS,
    }
    return {"type": "object", "required": [*properties, *more], "properties": {**properties, **more}}


async def _list(model: ServedModel, given: Any, data: list[JSON], **more: Any) -> Response:
    """The answer that holds these items, and what is to be said of the texts."""
    texts = listed(given)
    warnings = await beside(sum(map(len, texts)), lambda: model.run.warnings(texts))
    return told({"object": "list", "model": model.name, "data": data, "warnings": warnings, **more})


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "required": list(properties), "properties": properties}


# --- classify -----------------------------------------------------------------------------------------------------


async def classify(visit: Visit, asked: JSON) -> Response:
    """The label of each text, and the probability of every label."""
    model = visit.roster.find(asked["model"], "classify")
    found: list[Classified] = await visit.answers(model.workshop, _asked("classify", (), asked["input"]))
    data = [{"index": i, "label": each.label, "scores": each.scores} for i, each in enumerate(found)]
    return await _list(model, asked["input"], data)


CLASSIFY = Operation(
    path="/v1/classify",
    summary="Classify texts",
    says="The most likely label of each text, and the probability of every label.",
    fields={"model": MODEL, "input": TEXTS},
    answer=list_of(
        _object(
            index=INDEX, label={"type": "string"}, scores={"type": "object", "additionalProperties": NUMBER}
        )
    ),
    example={"input": ["a warm and clever film", "dull from the first minute"]},
    ability="classify",
    do=classify,
)  # fmt: skip

# --- translate ----------------------------------------------------------------------------------------------------


async def translate(visit: Visit, asked: JSON) -> Response:
    """The translation of each text, and the mean log-probability of its tokens."""
    model = visit.roster.find(asked["model"], "translate")
    options = (("beam", asked["beam"]), ("longest", asked["max_tokens"]))
    found: list[Translated] = await visit.answers(model.workshop, _asked("translate", options, asked["input"]))
    data = [{"index": i, "translation": each.translation, "score": each.score} for i, each in enumerate(found)]
    return await _list(model, asked["input"], data)


TRANSLATE = Operation(
    path="/v1/translate",
    summary="Translate texts",
    says="The translation of each text by beam search, and the mean log-probability of its tokens.",
    fields={
        "model": MODEL,
        "input": TEXTS,
        "beam": whole("The width of beam search; 1 is greedy.", least=1, most=16, default=4),
        "max_tokens": whole("New tokens of a translation at most.", least=1, most=1024),
    },
    answer=list_of(_object(index=INDEX, translation={"type": "string"}, score=NUMBER)),
    example={"input": "Good morning.", "beam": 4},
    ability="translate",
    do=translate,
)

# --- embeddings ---------------------------------------------------------------------------------------------------


async def embeddings(visit: Visit, asked: JSON) -> Response:
    """A vector for each text, as numbers or as base64 of float32, which is what OpenAI's client asks for."""
    model = visit.roster.find(asked["model"], "embeddings")
    width = model.run.card.settings.width
    if asked["dimensions"] not in (None, width):
        raise InputError(f"The vectors of '{model.name}' have {width} numbers; `dimensions` cannot be another.")
    given = listed(asked["input"])
    found = await visit.answers(model.workshop, _asked("embeddings", (), given))
    packed = asked["encoding_format"] == "base64"
    data = [
        {"object": "embedding", "index": i, "embedding": _packed(row) if packed else row} for i, row in enumerate(found)
    ]
    count = await beside(sum(map(len, given)), lambda: _read(model, given))
    return await _list(model, given, data, usage={"prompt_tokens": count, "total_tokens": count})


def _read(model: ServedModel, texts: list[str]) -> int:
    """How many tokens of some texts are read."""
    return sum(min(len(row), room(model.run.card)) for row in model.run.tokens.encode_many(texts))


def _packed(row: list[float]) -> str:
    return base64.b64encode(np.asarray(row, dtype="<f4").tobytes()).decode()


EMBEDDINGS = Operation(
    path="/v1/embeddings",
    summary="Turn texts into vectors",
    says="What an encoder makes of each text before it decides: the mean of what its tokens have become.",
    fields={
        "model": MODEL,
        "input": replace(
            TEXTS, expected=f"{TEXTS.expected}, not ids, which a client may have from another vocabulary"
        ),
        "encoding_format": one_of("Numbers, or base64 of float32.", ["float", "base64"], default="float"),
        "dimensions": whole("Only the width of the model.", least=1, most=100_000),
        "user": a_text("Not used.", longest=1000),
    },
    answer=list_of(
        _object(
            object={"const": "embedding"}, index=INDEX,
            embedding={"anyOf": [{"type": "array", "items": NUMBER}, {"type": "string"}]},
        ),
        usage=_object(prompt_tokens={"type": "integer"}, total_tokens={"type": "integer"}),
    ),
    example={"input": ["a warm and clever film", "a clever and warm film"]},
    ability="embeddings",
    do=embeddings,
)  # fmt: skip


def _asked(what: str, options: tuple[tuple[str, Any], ...], given: Any) -> BatchWork:
    return BatchWork((what, options), tuple(listed(given)))
