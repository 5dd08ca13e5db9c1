"""A graph of ONNX operators, put together node by node. It knows the format, and nothing of our models."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

OPSET = 23  # the first that has attention, rotary embedding and RMS norm
KINDS: Mapping[str, int] = {
    "float": TensorProto.FLOAT, "int": TensorProto.INT64, "bool": TensorProto.BOOL,
    "double": TensorProto.DOUBLE,
}  # fmt: skip
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
        array = array.astype(np.float32) if isinstance(values, Tensor) and array.dtype == np.float64 else array
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
        return self.op("Range", zero, self.op("Gather", count, zero), one)

    def either(self, condition: str, one: Callable[[], str], other: Callable[[], str], kind: str, shape: Shape) -> str:
        """One value if the condition holds, else the other; only the nodes of the one that is wanted are run."""
        self._count += 1
        name = f"If_{self._count}"
        ways = {way: self._aside(f"{name}_{way}", make, kind, shape) for way, make in (("one", one), ("other", other))}
        self._nodes.append(
            helper.make_node("If", [condition], [name], then_branch=ways["one"], else_branch=ways["other"])
        )
        return name

    def _aside(self, name: str, make: Callable[[], str], kind: str, shape: Shape) -> Any:
        """A graph of the nodes that make a value, which may look at all that stands in this one."""
        before, self._nodes = self._nodes, []
        value = make()
        nodes, self._nodes = [*self._nodes, helper.make_node("Identity", [value], [name])], before
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(name, KINDS[kind], list(shape))])

    def looped(self, handed_on: Mapping[str, str]) -> "Graph":
        """This graph again and again, `steps` times; the value `step` counts them from 0.

        handed_on   inputs, and the outputs of the step before that they are. The first step takes `first_` of its name.
        Other inputs are the same for all steps. The last step's are given back as `last_` of their names, and of other
        outputs one row for each step.
        """
        inputs, outputs = ({each.name: each for each in values} for values in (self._inputs, self._outputs))
        more = [name for name in outputs if name not in handed_on.values()]
        body = helper.make_graph(
            [*self._nodes, helper.make_node("Identity", ["goes_on"], ["still_goes_on"])], f"one {self.name}",
            [_value("step"), _value("goes_on", "bool"), *(inputs[name] for name in handed_on)],
            [_value("still_goes_on", "bool"), *(outputs[name] for name in (*handed_on.values(), *more))],
        )  # fmt: skip
        found, last = Graph(self.name), [f"last_{name}" for name in (*handed_on.values(), *more)]
        found._weights = self._weights
        found._nodes = [helper.make_node("Loop", ["steps", "", *map("first_{}".format, handed_on)], last, body=body)]
        first = [_value(f"first_{name}", like=inputs[name]) for name in handed_on]
        same = [each for name, each in inputs.items() if name not in handed_on]
        found._inputs = [_value("steps"), *first, *same]
        found._outputs = [_value(f"last_{name}", like=outputs[name]) for name in handed_on.values()]
        found._outputs += [_value(f"last_{name}", like=outputs[name], rows="steps") for name in more]
        return found

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


def _value(name: str, kind: str = "int", like: Any = None, rows: str = "") -> Any:
    """A single value of a kind; or one like another, or many such in rows."""
    if like is None:
        return helper.make_tensor_value_info(name, KINDS[kind], [])
    tensor = like.type.tensor_type
    shape = [each.dim_param or each.dim_value for each in tensor.shape.dim]
    return helper.make_tensor_value_info(name, tensor.elem_type, [rows, *shape] if rows else shape)
