"""Which engine runs a model: the one that was asked for, if it gives the same; else ours, and why."""

from typing import Any

import pytest
import torch
from helpers.small_models import small

from glassformer.engines import choosing
from glassformer.engines.choosing import at_hand, chosen
from glassformer.engines.onnx_models import OnnxLanguageModel
from glassformer.engines.parity import EngineParity
from glassformer.engines.torch_steps import QuickLanguageModel
from glassformer.errors import InputError


def test_the_packages_are_at_hand_here() -> None:
    assert all(at_hand().values())


def test_models_that_write_are_run_by_onnx_and_others_by_ours() -> None:
    model = small("modern")
    engine = chosen(model)
    assert (engine.name, type(engine.model)) == ("onnx", OnnxLanguageModel)
    assert engine.parity is not None
    assert engine.parity.exact
    reader = small("transformer")
    assert chosen(reader).model is reader
    assert chosen(reader, "onnx").name == "onnx"
    assert type(chosen(model, "torch").model) is QuickLanguageModel
    assert type(chosen(model, lasting=False).model) is QuickLanguageModel
    assert chosen(model, kept=engine.files, lasting=False).name == "onnx"


def test_what_cannot_be_run_so_is_run_by_ours_with_a_sentence() -> None:
    counts = small("ngrams")
    engine = chosen(counts, "onnx")
    assert engine.model is counts
    assert "n-grams" in engine.said
    assert chosen(counts, "int8").name == "torch"


def test_what_is_not_equal_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "compared", lambda *_, **__: EngineParity(0.5, 0.9, 12, 3))
    model = small("modern")
    engine = chosen(model, "onnx")
    assert engine.name == "torch"
    assert "3 of 12 texts are equal" in engine.said


def test_kept_files_are_used_only_while_they_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    model = small("modern")
    files = chosen(model, "onnx").files
    assert files is not None
    assert chosen(model, "onnx", files).files is files
    with torch.no_grad():
        next(model.parameters()).add_(0.1)
    again = chosen(model, "onnx", files)
    assert again.name == "onnx"
    assert again.files != files
    assert chosen(model, "onnx", {"step.onnx": b"no such file"}).files == again.files
    assert chosen(model, "onnx", {"other.onnx": b""}).files == again.files


def test_eight_bits_say_what_they_cost() -> None:
    engine = chosen(small("modern"), "int8")
    assert engine.name == "int8"
    assert engine.parity is not None
    assert 0.0 < engine.parity.largest < 2.0
    for word in ("times as fast", "of its size", "logits differ by", "evaluate --engine int8"):
        assert word in engine.said


@pytest.mark.parametrize("name", ["translator", "transformer"])
def test_eight_bits_for_other_models(name: str) -> None:
    assert chosen(small(name), "int8").name == "int8"


def test_without_the_packages_ours_runs_or_it_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "at_hand", lambda: {"onnx": "1", "onnxruntime": ""})
    model: Any = small("modern")
    assert (chosen(model).name, chosen(model).said) == ("torch", "")
    converted = chosen(model, kept={"step.onnx": b"made elsewhere"})
    assert (converted.name, converted.said.split(": ")[1]) == ("torch", "it was converted, but onnxruntime is missing.")
    with pytest.raises(InputError, match=r"needs onnxruntime: pip install 'glassformer\[engines\]'"):
        chosen(model, "onnx")
    with pytest.raises(InputError, match="did you mean 'torch'"):
        chosen(model, "troch")
