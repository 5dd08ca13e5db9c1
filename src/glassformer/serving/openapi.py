"""The interface as an OpenAPI document, made from the table of operations: what is read is what is documented."""

from collections.abc import Iterable, Mapping
from typing import Any

from glassformer import __version__
from glassformer.serving.requests.fields import Schema, schema_of
from glassformer.serving.visits import Operation

ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": ["string", "null"]},
            },
        }
    },
}
MODEL: Schema = {
    "type": "object",
    "required": ["id", "object", "created", "owned_by", "task", "abilities"],
    "properties": {
        "id": {"type": "string"}, "object": {"const": "model"}, "created": {"type": "integer"},
        "owned_by": {"type": "string"}, "task": {"type": "string"}, "kind": {"type": "string"},
        "engine": {"type": "string"}, "abilities": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "array", "items": {"type": "string"}}, "parameters": {"type": "integer"},
    },
}  # fmt: skip
MODELS: Schema = {
    "type": "object",
    "required": ["object", "data"],
    "properties": {"object": {"const": "list"}, "data": {"type": "array", "items": MODEL}},
}
HEALTH: Schema = {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}}
REFUSALS: Mapping[str, str] = {
    "400": "The request names no host, or several.",
    "401": "The token is missing or wrong.",
    "403": "A page of another site asks.",
    "408": "What is sent comes too slowly: less than 100,000 bytes in ten seconds.",
    "413": "The request is larger than a megabyte.",
    "415": "The request is not plain JSON.",
    "421": "The server answers under its own address only.",
    "431": "Too many headers.",
}
FOR_WORK: Mapping[str, str] = {
    "404": "There is no such model, or it cannot do this.",
    "422": "A field is missing, unknown, or not as expected; the message says which.",
    "503": "More is asked than can wait: try again after the seconds in Retry-After.",
    "504": "The deadline passed before the answer was there.",
}


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole interface."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Glassformer",
            "version": __version__,
            "description": "Models trained with Glassformer: they write, translate, classify, and can be looked into.",
        },
        "security": [{}, {"token": []}],
        "paths": {
            **{operation.path: {"post": _post(operation)} for operation in operations},
            "/v1/models": {"get": _get("List the models", "models", _json(MODELS, "All models that are served."))},
            "/v1/models/{model}": {
                "get": {
                    **_get("One model", "model", _json(MODEL, "What it is and can do.")),
                    "parameters": [{"name": "model", "in": "path", "required": True, "schema": {"type": "string"}}],
                }
            },
            "/healthz": {"get": _get("Whether the server is up", "healthz", _json(HEALTH, "It is."))},
            "/metrics": {"get": _get("Counts for Prometheus", "metrics", _text("Prometheus' text format."))},
            "/openapi.json": {"get": _get("This document", "openapi", _json({"type": "object"}, "This document."))},
        },
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _post(operation: Operation) -> dict[str, Any]:
    body = {"schema": schema_of(operation.fields), "example": dict(operation.example)}
    done = _json(operation.answer, "The answer.")
    if operation.streams:
        done["content"]["text/event-stream"] = {"schema": {"type": "string"}}
    return {
        "operationId": operation.path.rsplit("/", 1)[-1],
        "summary": operation.summary,
        "description": operation.says,
        "requestBody": {"required": True, "content": {"application/json": body}},
        "responses": {"200": done, **_errors({**REFUSALS, **FOR_WORK})},
    }


def _get(summary: str, name: str, done: dict[str, Any]) -> dict[str, Any]:
    errors = {**REFUSALS, **({"404": FOR_WORK["404"]} if name == "model" else {})}
    return {"operationId": name, "summary": summary, "responses": {"200": done, **_errors(errors)}}


def _json(schema: Schema, says: str) -> dict[str, Any]:
    return {"description": says, "content": {"application/json": {"schema": schema}}}


def _text(says: str) -> dict[str, Any]:
    return {"description": says, "content": {"text/plain": {"schema": {"type": "string"}}}}


def _errors(words: Mapping[str, str]) -> dict[str, Any]:
    return {status: _json(ERROR, says) for status, says in sorted(words.items())}
