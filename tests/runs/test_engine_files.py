"""The engine of a run: kept in its folder under a manifest, and made anew when weights or bytes have changed."""

import json
from pathlib import Path

import pytest
import torch
from helpers.small_runs import TEXTS, small_run

from glassformer.engines import model_graphs
from glassformer.engines.torch_steps import QuickLanguageModel, QuickTranslator
from glassformer.runs.engine_files import engine_for
from glassformer.runs.run import load, pocket_folders


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_run(tmp_path / "run", "answers").path


def test_a_run_predicts_the_same_with_every_engine(tmp_path: Path) -> None:
    for objective, text in TEXTS.items():
        run = load(small_run(tmp_path / objective, objective).path)
        own = run.predict([text])
        engine = run.use("onnx")
        assert run.worker is engine.model is not run.model
        assert [each.said for each in run.predict([text])] == [each.said for each in own]
        assert run.evaluate(limit=7).keys() == load(run.folder or "").evaluate(limit=7).keys()
        engine = run.use("torch")
        assert run.worker is engine.model
        assert run.predict([text]) == own


def test_a_run_writes_with_the_quick_steps_by_itself_and_looks_with_the_model(tmp_path: Path) -> None:
    for objective, quick in {"answers": True, "pairs": True, "classes": False}.items():
        run = load(small_run(tmp_path / objective, objective).path)
        assert isinstance(run.worker, QuickLanguageModel | QuickTranslator) == quick
        assert (run.worker is run.model) != quick
        assert len(run.look(TEXTS[objective]).trace) > 0
        by_itself, plain = run.predict([TEXTS[objective]]), load(run.folder or "")
        plain._engine = plain.model
        assert plain.predict([TEXTS[objective]]) == by_itself


def test_what_was_converted_is_kept_and_used_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = load(folder)
    assert not run.converted
    assert run.use("auto", lasting=False).name == "torch"
    run.use("onnx")
    assert run.converted
    place = folder / "engines" / "onnx"
    assert {path.name for path in place.iterdir()} == {
        "step.onnx", "burst.onnx", "plain_burst.onnx", "about.json", "manifest.json",
    }  # fmt: skip
    assert (
        json.loads((place / "about.json").read_text())["parity"]["equal"] == 27
    )  # twelve at once, twelve by steps, three alone
    monkeypatch.setattr(model_graphs, "graphs_of", lambda model: 1 / 0)
    assert load(folder).use("onnx").name == "onnx"


def test_a_damaged_file_and_other_weights_are_noticed(folder: Path) -> None:
    load(folder).use("onnx")
    place = folder / "engines" / "onnx" / "step.onnx"
    whole = place.read_bytes()
    place.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert load(folder).use("onnx").name == "onnx"
    assert place.read_bytes() == whole
    run = load(folder)
    with torch.no_grad():
        next(run.model.parameters()).add_(0.1)
    again = engine_for(run.model, folder, "onnx").files
    assert again is not None
    assert again["step.onnx"] != whole


def test_nothing_is_written_into_the_package_nor_for_a_run_without_a_folder() -> None:
    package = next(path for path in pocket_folders() if path.name == "shakespeare")
    run = load(package)
    assert run.use("onnx").name == "onnx"
    assert not (package / "engines").exists()
    assert engine_for(run.model, None, "auto").name == "onnx"
