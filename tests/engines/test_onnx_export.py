"""A run as ONNX files for other programs: opened again, it is the same model; the files say how to call them."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from helpers.small_runs import TEXTS, small_run
from tokenizers import Tokenizer

from glassformer.engines.onnx_export import onnx_files, opened_by_onnx
from glassformer.engines.parity import compared
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load


@pytest.mark.parametrize("objective", TEXTS)
def test_an_export_is_the_same_model(tmp_path: Path, objective: str) -> None:
    run = load(small_run(tmp_path / "run", objective).path)
    trained = Trained(run.model, run.card, run.tokens)
    files = onnx_files(trained)
    assert compared(run.model, opened_by_onnx(files, trained)).exact
    told = files["README.md"].decode()
    for name in files:
        assert not name.endswith(".onnx") or name in told


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
