"""A graph put together node by node runs as it reads."""

import numpy as np
import onnxruntime
import torch

from glassformer.engines.graph import Graph


def test_a_graph_with_weights_shapes_and_several_outputs() -> None:
    graph = Graph("example")
    rows = graph.input("rows", "float", ["batch", 4])
    halves = graph.several("Split", [graph.op("Mul", rows, graph.number(2.0))], 2, axis=1, num_outputs=2)
    added = graph.op("Add", halves[0], graph.weight("shift", torch.tensor([1.0, 3.0], dtype=torch.float64)))
    graph.output(added, "added", "float", ["batch", 2])
    graph.output(graph.range(graph.size(rows, 0)), "count", "int", ["batch"])
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=["CPUExecutionProvider"])
    given = np.arange(12, dtype=np.float32).reshape(3, 4)
    found, count = session.run(["added", "count"], {"rows": given})
    assert found.tolist() == [[1, 5], [9, 13], [17, 21]]
    assert count.tolist() == [0, 1, 2]


def test_a_weight_of_one_name_is_kept_once() -> None:
    graph = Graph("example")
    assert graph.ints(0, 1) == graph.ints(0, 1)
    first = graph.weight("w", torch.ones(1000))
    graph.output(graph.op("Add", first, graph.weight("w", torch.ones(1000))), "sum", "float", [1000])
    assert len(graph.to_bytes()) < 5000
