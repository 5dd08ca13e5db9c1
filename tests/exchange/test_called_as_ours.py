"""Exports called as our models are: the same answers, whole and in parts; what is no export is refused."""

from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.exchange.called_as_ours import open_export
from glassformer.models.beam import Beam, search
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.models.translator import Translation
from glassformer.runs.run import Run, load

IDS = torch.tensor([[5, 6, 7, 8, 9], [9, 8, 7, 0, 0]])
REAL = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])


def exported(place: Path, objective: str, to: str, model: str | None = None) -> tuple[Run, Any]:
    run = load(small_run(place / "run", objective, model).path)
    run.export(to, place / "out", samples=2)
    return run, open_export(place / "out").model


@pytest.mark.parametrize("to", ["hf", "onnx"])
def test_a_language_model(tmp_path: Path, to: str) -> None:
    run, there = exported(tmp_path, "answers", to)
    with torch.inference_mode():
        torch.testing.assert_close(there(IDS, REAL)[REAL], run.model(IDS, REAL)[REAL], atol=1e-4, rtol=0)
        found = [greedy(Continuation(each, [[5, 6, 7], [8]]), Stop(longest=11)) for each in (run.model, there)]
    assert [each.ids for each in found[0]] == [each.ids for each in found[1]]


@pytest.mark.parametrize("to", ["hf", "onnx"])
def test_a_translator(tmp_path: Path, to: str) -> None:
    run, there = exported(tmp_path, "pairs", to)
    stop = Stop(longest=11, endings=((3,),))
    with torch.inference_mode():
        torch.testing.assert_close(there(IDS, REAL, IDS), run.model(IDS, REAL, IDS), atol=1e-4, rtol=0)
        found = [search(Translation(each, IDS, REAL, 2), stop, Beam(width=3)) for each in (run.model, there)]
    assert [[way.ids for way in each] for each in found[0]] == [[way.ids for way in each] for each in found[1]]


@pytest.mark.parametrize(("to", "model"), [("hf", "bert"), ("onnx", "transformer")])
def test_a_classifier(tmp_path: Path, to: str, model: str) -> None:
    run, there = exported(tmp_path, "classes", to, model)
    with torch.inference_mode():
        torch.testing.assert_close(there(IDS, REAL), run.model(IDS, REAL), atol=1e-4, rtol=0)


def test_what_cannot_be_called_so_is_refused_with_the_reason(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run").path)
    with pytest.raises(InputError, match="is no export"):
        open_export(tmp_path / "run")
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "parity.json").write_text("{}")
    with pytest.raises(InputError, match=r"no cache, .* certify the run"):
        open_export(tmp_path / "torch")
    for name, tool in (("model.gguf", "llama.cpp"), ("model.bin", "CTranslate2")):
        (tmp_path / "torch" / name).touch()
        with pytest.raises(InputError, match=f"is for {tool}"):
            open_export(tmp_path / "torch")
    run.export("onnx", tmp_path / "onnx", samples=2)
    (tmp_path / "onnx" / "model.json").unlink()
    with pytest.raises(InputError, match="export the run again"):
        open_export(tmp_path / "onnx")
