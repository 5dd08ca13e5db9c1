"""ONNX files with weights of 8 bits in their products; the numbers in between are rounded as they come."""

import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic


def in_eight_bits(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same files, each matrix of a product in 8 bits with a scale for every column."""
    return {name: _rounded(content) for name, content in files.items()}


def _rounded(content: bytes) -> bytes:
    silent = logging.getLogger()
    level = silent.level
    silent.setLevel(logging.ERROR)  # it advises to preprocess; there is nothing to gain by it here
    try:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "int8.onnx"
            quantize_dynamic(
                onnx.load_from_string(content), place, op_types_to_quantize=["MatMul"], per_channel=True,
                weight_type=QuantType.QInt8,
            )  # fmt: skip
            return place.read_bytes()
    finally:
        silent.setLevel(level)
