"""Language models for CTranslate2: opened there, it is the same model; what it cannot hold is refused."""

from pathlib import Path
from typing import Any

import pytest
from helpers.foreign_models import foreign_folder
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.exchange.programs.ctranslate2_program import ctranslate2_files
from glassformer.objectives.objective import Trained
from glassformer.runs.imported import import_model
from glassformer.runs.run import load

pytestmark = pytest.mark.slow  # the gate runs it

LAYOUTS = {"gpt": {}, "modern": {}, "modern, as Llama": {"query_key_norm": False}}


@pytest.mark.parametrize("name", LAYOUTS)
def test_an_export_is_the_same_model(tmp_path: Path, name: str) -> None:
    settings: dict[str, Any] = LAYOUTS[name]
    run = load(small_run(tmp_path / "run", "answers", name.partition(",")[0], **settings).path)
    parity = run.export("ctranslate2", tmp_path / "out", samples=11)
    assert parity.passed, parity
    assert (parity.written, parity.written_alike) == (11, 11)


def test_tokens_that_know_every_byte_need_no_unknown_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = import_model(foreign_folder(tmp_path, "gpt2"), tmp_path / "run")
    capfd.readouterr()
    assert run.tokens.unknown is None
    parity = run.export("ctranslate2", tmp_path / "out", samples=11)
    assert parity.passed, parity
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("objective", "settings", "why"),
    [
        ("answers", {"activation": "squared relu"}, "does not take ApertusForCausalLM"),
        ("answers", {"model": "modern", "rotary_stretch": "linear 2"}, "is stretched"),
        ("pairs", {}, "tells no logits of a translator"),
        ("classes", {}, "tells no logits of a classifier"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path: Path, objective: str, settings: dict[str, Any], why: str) -> None:
    run = load(small_run(tmp_path / "run", objective, **settings).path)
    with pytest.raises(InputError, match=why):
        ctranslate2_files(Trained(run.model, run.card, run.tokens))
