"""The code in the README of an export, run as it stands there: it answers as `predict` does, at any length of text."""

from pathlib import Path

import pytest
import torch
from helpers.readmes import answer, ours
from helpers.small_runs import TEXTS, language_run, small_run

from glassformer.errors import InputError
from glassformer.exchange.readmes.calling import code, how_much
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load

CASES = [
    ("onnx", "classes", "bert"), ("onnx", "classes", "transformer"), ("onnx", "classes", "gru"),
    ("onnx", "classes", "conv"), ("onnx", "pairs", "translator"), ("onnx", "answers", "modern"),
    ("onnx", "answers", "gpt"), ("hf", "classes", "bert"), ("hf", "pairs", "translator"), ("hf", "answers", "modern"),
    ("hf", "answers", "gpt"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "objective", "model"), CASES)
def test_the_code_of_a_readme_answers_as_predict_does(
    tool: str, objective: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = load(small_run(tmp_path / "run", objective, model).path)
    run.export(tool, tmp_path / "out", samples=1)
    long = " ".join([TEXTS[objective]] * 29)  # more than it reads
    for text in (TEXTS[objective], "x", *([long] if objective != "answers" else [])):
        found, right = answer(tmp_path / "out", text), ours(run, text)
        if run.card.labels:
            assert {name: float(share) for name, share in found.items()} == pytest.approx(right, abs=1e-4)
        elif objective == "answers":  # ours looks back further than it has learnt to, where it can
            assert right.startswith(found)
            assert found
        else:
            assert found == right
    if objective == "answers":
        assert answer(tmp_path / "out", long) is not None  # to its end alone
    assert capsys.readouterr().out


@pytest.mark.parametrize("tool", ["onnx", "hf"])
@pytest.mark.parametrize("objective", ["stream", "spans"])
def test_a_text_that_goes_on_and_one_with_a_gap(tool: str, objective: str, tmp_path: Path) -> None:
    torch.manual_seed(3)
    run = language_run(objective, activation="swiglu", tied=False)
    run.export(tool, tmp_path / "out", samples=1)
    text = "the cat <mask> mat" if objective == "spans" else "the cat"
    right = ours(run, text)
    found = answer(tmp_path / "out", text)
    assert (text + right if objective == "stream" else right).startswith(found)
    assert len(found) > (len(text) if objective == "stream" else 0)


def test_how_long_a_text_may_be_is_said(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", "classes", "bert").path)
    assert how_much(Trained(run.model, run.card, run.tokens), "hf").startswith(
        "Any number of texts at once, of at most 67 tokens each"
    )
    writer = language_run()
    assert "looks back on at most 23 tokens" in how_much(Trained(writer.model, writer.card, writer.tokens), "onnx")
    with pytest.raises(InputError, match="no code for 'gguf' and a classifier"):
        code(Trained(run.model, run.card, run.tokens), "gguf")
