"""Weights of 8 bits: smaller files, and nearly the same numbers."""

import logging

import torch
from helpers.small_models import inputs, small

from glassformer.engines.int8 import in_eight_bits
from glassformer.engines.model_graphs import graphs_of
from glassformer.engines.onnx_models import run_by_onnx


def test_the_matrices_are_rounded() -> None:
    model = small("transformer", width=60, hidden=260)
    files = graphs_of(model)
    level = logging.getLogger().level
    rounded = in_eight_bits(files)
    assert logging.getLogger().level == level
    assert len(rounded["classify.onnx"]) < 0.5 * len(files["classify.onnx"])
    ids, real = inputs("transformer")
    with torch.inference_mode():
        exact, found = model(ids, real), run_by_onnx(model, rounded)(ids, real)
    apart = (exact - found).abs().max()
    assert 0.0 < apart < 0.1 * exact.abs().max()
