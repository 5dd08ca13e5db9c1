"""A graph put together node by node runs as it reads."""

import numpy as np
import onnxruntime
import pytest
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


def test_a_graph_again_and_again() -> None:
    """Powers of two: each step doubles, adds the same number, and tells its count."""
    graph = Graph("example")
    rows, same = graph.input("rows", "float", [2]), graph.input("same", "float", [])
    doubled = graph.op("Add", graph.op("Mul", rows, graph.number(2.0)), same)
    graph.output(doubled, "doubled", "float", [2])
    graph.output(graph.op("Mul", doubled, graph.op("Cast", "step", to=1)), "counted", "float", [2])
    looped = graph.looped({"rows": "doubled"}).to_bytes()
    session = onnxruntime.InferenceSession(looped, providers=["CPUExecutionProvider"])
    given = {"steps": np.array(3), "first_rows": np.array([1, 0], np.float32), "same": np.array(1, np.float32)}
    last, counted = session.run(["last_doubled", "last_counted"], given)
    assert last.tolist() == [15, 7]
    assert counted.tolist() == [[0, 0], [7, 3], [30, 14]]


def test_a_weight_of_one_name_is_kept_once() -> None:
    graph = Graph("example")
    assert graph.ints(0, 1) == graph.ints(0, 1)
    first = graph.weight("w", torch.ones(1000))
    graph.output(graph.op("Add", first, graph.weight("w", torch.ones(1000))), "sum", "float", [1000])
    assert len(graph.to_bytes()) < 5000


def test_of_two_ways_only_the_one_that_is_wanted_is_gone() -> None:
    graph = Graph("either")
    rows, first = graph.input("rows", "float", [3]), graph.input("first", "bool", [])
    doubled = graph.op("Add", rows, rows)  # both ways may look at it
    found = graph.either(
        first,
        lambda: graph.op("Mul", doubled, graph.number(10.0)),
        lambda: graph.op("Reshape", doubled, graph.ints(7)),  # would fail, if it were run
        "float",
        [3],
    )
    graph.output(found, "found", "float", [3])
    session = onnxruntime.InferenceSession(graph.to_bytes(), providers=["CPUExecutionProvider"])
    given = {"rows": np.array([1, 2, 3], np.float32), "first": np.array(True)}
    assert session.run(["found"], given)[0].tolist() == [20, 40, 60]
    with pytest.raises(Exception, match="Reshape"):
        session.run(["found"], given | {"first": np.array(False)})
