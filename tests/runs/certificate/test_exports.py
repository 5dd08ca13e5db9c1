"""What is promised of a model is tried on its export too, as the other tool works it."""

from pathlib import Path

import pytest
from helpers.small_runs import small_run

from glassformer.runs.certificate.exports import INSIDE, certify_export
from glassformer.runs.run import load

WRITERS = {"pairs", "answers"}


@pytest.mark.parametrize("objective", ["classes", "pairs", "answers"])
@pytest.mark.parametrize("to", ["hf", "onnx"])
def test_an_export_keeps_the_promises(tmp_path: Path, objective: str, to: str) -> None:
    model = "bert" if (objective, to) == ("classes", "hf") else None
    run = small_run(tmp_path / "run", objective, model)
    load(run.path).export(to, tmp_path / "out", samples=2)
    opened, certificate = certify_export(tmp_path / "out")
    assert certificate.passed, certificate.failed
    assert opened.tool == {"hf": "transformers", "onnx": "ONNX Runtime"}[to]
    tried = {check.name for check in certificate.checks}
    assert {"finite numbers", "padding on the right", "company"} <= tried
    assert ("cache = no cache" in tried) == (objective in WRITERS)
    assert ("no future leak: gradients" in tried) == (objective in WRITERS and to == "hf")
    assert {*INSIDE, "save and load"} <= {each.name for each in certificate.left_out}
