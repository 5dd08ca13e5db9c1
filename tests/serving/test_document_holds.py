"""What the OpenAPI document says of the server holds, for requests that Schemathesis makes up from it."""

from pathlib import Path

import pytest
import schemathesis
from helpers.server_visits import serving, small_models
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from glassformer.serving.app import OPERATIONS
from glassformer.serving.openapi import document

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
def test_no_request_brings_the_server_down(tmp_path: Path, mode: schemathesis.GenerationMode) -> None:
    with serving(small_models(tmp_path)) as (_, address):
        schema = schemathesis.openapi.from_dict(document(OPERATIONS))
        for found in schema.get_all_operations():
            operation = found.ok()
            if mode is schemathesis.GenerationMode.NEGATIVE and operation.method == "get":
                continue  # it has no body that could be wrong

            @settings(max_examples=60, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
            @given(case=operation.as_strategy(generation_mode=mode))
            def holds(case: schemathesis.Case) -> None:
                response = case.call(base_url=address, headers={"x-deadline-seconds": "20"})
                case.validate_response(response, checks=CHECKS)

            holds()
