"""A run as ONNX files for other programs: opened again, it is the same model; the files say how to call them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from helpers.small_runs import TEXTS, small_run
from tokenizers import Tokenizer

from glassformer.exchange.export import export_model
from glassformer.exchange.programs.onnx_program import onnx_files
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load


@pytest.mark.parametrize("objective", TEXTS)
def test_an_export_is_the_same_model(tmp_path: Path, objective: str) -> None:
    run = load(small_run(tmp_path / "run", objective).path)
    trained = Trained(run.model, run.card, run.tokens)
    texts = [TEXTS[objective], f"{TEXTS[objective]} {TEXTS[objective]}"]
    parity = export_model(trained, "onnx", tmp_path / "onnx", texts, "the test")
    assert parity.passed, parity
    assert (parity.texts, parity.cut_alike, parity.written_alike) == (2, 2, 0 if objective == "classes" else 2)
    told = (tmp_path / "onnx" / "README.md").read_text(encoding="utf-8")
    assert all(path.name in told for path in (tmp_path / "onnx").glob("*.onnx"))


@pytest.mark.parametrize("model", ["transformer", "bert"])
def test_of_an_encoder_alone_the_rows_are_compared(tmp_path: Path, model: str) -> None:
    run = load(small_run(tmp_path / "run", "classes", model).path)
    alone = Trained(run.model, replace(run.card, objective="masked", labels=()), run.tokens)
    parity = export_model(alone, "onnx", tmp_path / "onnx", [TEXTS["classes"]], "the test")
    assert parity.passed, parity
    assert "a head that nobody has taught" in (tmp_path / "onnx" / "README.md").read_text(encoding="utf-8")


def test_a_classifier_can_be_used_without_glassformer(tmp_path: Path) -> None:
    """As the file says: tokenizers and ONNX Runtime are enough."""
    run = load(small_run(tmp_path / "run", "classes").path)
    files = onnx_files(Trained(run.model, run.card, run.tokens))
    ids = np.array([Tokenizer.from_str(files["tokenizer.json"].decode()).encode(TEXTS["classes"]).ids])
    session = onnxruntime.InferenceSession(files["classify.onnx"], providers=["CPUExecutionProvider"])
    (logits,) = session.run(["logits"], {"ids": ids, "real": np.ones_like(ids, dtype=bool)})
    shares = np.exp(logits[0]) / np.exp(logits[0]).sum()
    predicted = run.predict([TEXTS["classes"]])[0]
    assert shares == pytest.approx(list(predicted.scores.values()), abs=1e-5)  # type: ignore[union-attr]
    assert "The classes are, in order: negative, positive." in files["README.md"].decode()
