"""The OpenAPI document: sound, complete, and its examples are answered."""

from typing import Any

import jsonschema
import pytest
from helpers.server_visits import Caller

from glassformer.serving.app import CHATS, OPERATIONS
from glassformer.serving.openapi import document


def test_every_door_is_documented(caller: Caller) -> None:
    paths = {path.replace("{model:path}", "{model}") for path in caller.server.paths}
    undocumented = {"/", "/try.js", "/try.css", *CHATS}  # the page, and what is only refused
    assert paths - undocumented == {*document(OPERATIONS)["paths"]}
    assert caller.get("/openapi.json").json == document(OPERATIONS)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.path)
def test_an_example_is_answered_as_documented(caller: Caller, operation: Any) -> None:
    able = [each.name for each in caller.server.roster.models.values() if operation.ability in each.abilities]
    answer = caller.told(operation.path, **{**operation.example, "model": able[-1]})
    jsonschema.validate(answer, operation.answer)
    described = document(OPERATIONS)["paths"][operation.path]["post"]
    body = described["requestBody"]["content"]["application/json"]
    jsonschema.validate(body["example"], body["schema"])


def test_the_list_of_models_is_as_documented(caller: Caller) -> None:
    paths = document(OPERATIONS)["paths"]
    for path in ("/v1/models", "/healthz"):
        schema = paths[path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(caller.get(path).json, schema)
