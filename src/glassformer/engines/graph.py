"""A graph of ONNX operators, put together node by node. It knows the format, and nothing of our models."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

OPSET = 23  # the first that has attention, rotary embedding and RMS norm
KINDS: Mapping[str, int] = {"float": TensorProto.FLOAT, "int": TensorProto.INT64, "bool": TensorProto.BOOL}
Shape = Sequence[int | str]  # a name stands for an axis of any length


class Graph:
    """Nodes, weights, inputs and outputs; every value goes by its name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._nodes: list[Any] = []
        self._weights: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def input(self, name: str, kind: str, shape: Shape) -> str:
        """A value that is handed in."""
        self._inputs.append(helper.make_tensor_value_info(name, KINDS[kind], list(shape)))
        return name

    def output(self, value: str, name: str, kind: str, shape: Shape) -> None:
        """A value that is given back under a name."""
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(helper.make_tensor_value_info(name, KINDS[kind], list(shape)))

    def weight(self, name: str, values: Tensor | np.ndarray[Any, Any]) -> str:
        """Numbers that are kept in the file."""
        array = values.detach().cpu().numpy() if isinstance(values, Tensor) else values
        array = array.astype(np.float32) if array.dtype == np.float64 else array
        if name not in self._weights:
            self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def ints(self, *values: int) -> str:
        """Whole numbers, for shapes and axes."""
        return self.weight("ints_" + "_".join(map(str, values)), np.array(values, dtype=np.int64))

    def number(self, value: float) -> str:
        """A single number."""
        return self.weight(f"number_{value!r}", np.array(value, dtype=np.float32))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        return self.several(kind, inputs, 1, **attributes)[0]

    def several(self, kind: str, inputs: Sequence[str], count: int, **attributes: Any) -> list[str]:
        """A node with several outputs."""
        self._count += 1
        names = [f"{kind}_{self._count}_{i}" for i in range(count)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def size(self, value: str, axis: int) -> str:
        """How long an axis of a value is, as a list of one number."""
        return self.op("Shape", value, start=axis, end=axis + 1)

    def range(self, count: str) -> str:
        """0, 1, … up to a count, which is a list of one number."""
        zero, one = self.weight("zero", np.array(0, dtype=np.int64)), self.weight("one", np.array(1, dtype=np.int64))
        return self.op("Range", zero, self.op("Squeeze", count, self.ints(0)), one)

    def to_bytes(self) -> bytes:
        """The file, checked."""
        graph = helper.make_graph(
            self._nodes, self.name, self._inputs, self._outputs, initializer=list(self._weights.values())
        )
        model = helper.make_model(
            graph, producer_name="glassformer", opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11
        )
        onnx.checker.check_model(model)
        return model.SerializeToString()  # type: ignore[no-any-return]
