"""Several steps of a small language model as one ONNX graph: it writes some ids before anybody is asked again.

What a step costs beside its matrices is much for a small model: with a loop inside the session it is paid once for some
ids. They are the likeliest, or drawn by temperature with chances that are handed in. It knows the graphs, not who runs
them; for a large model, or one with other ways of scoring, there is no such graph.
"""

from typing import Any

import numpy as np

from glassformer.engines import layer_graphs as layers
from glassformer.engines.graph import KINDS, Graph
from glassformer.engines.layer_graphs import Sight
from glassformer.engines.model_graphs import Files, scores_of
from glassformer.layers.attention import DotProduct
from glassformer.models.language_model import LanguageModel

MOST_WEIGHTS = 2_000_000  # beyond these the matrices count, and nothing is gained


def bursts_of(model: Any) -> Files:
    """Two files, any burst and the plainest; none for a model that gains nothing by them, or needs more than its own
    cache to look back."""
    if not isinstance(model, LanguageModel) or sum(each.numel() for each in model.parameters()) > MOST_WEIGHTS:
        return {}
    blocks: Any = model.blocks
    scorers = {type(block.attention.layer.scorer) for block in blocks}
    if "decoder" in model.order.biases or scorers != {DotProduct}:
        return {}
    return {"burst.onnx": _burst(model, plain=False), "plain_burst.onnx": _burst(model, plain=True)}


def _burst(model: Any, *, plain: bool) -> bytes:
    """A step in a loop. The plain one writes the likeliest ids where every column is somebody's: without a mask and
    without a choice it takes 7 % less time."""
    graph = Graph("step")
    ids, at = graph.input("ids", "int", ["batch", 1]), graph.input("positions", "int", ["batch", 1])
    mask, more = ("", []) if plain else (_mask(graph, at), ["real"])
    sight = Sight(mask, "", at=at, rotary=layers.rotary_tables(graph, model.order))
    logits = graph.op("Squeeze", scores_of(graph, model, ids, sight), graph.ints(1))
    logprobs = graph.op("LogSoftmax", logits, axis=-1)
    chosen = _likeliest(graph, logprobs) if plain else _chosen(graph, logprobs)
    graph.output(chosen, "next_ids", "int", ["batch", 1])
    graph.output(graph.op("Add", at, graph.ints(1)), "next_positions", "int", ["batch", 1])
    graph.output(chosen, "ids_written", "int", ["batch", 1])
    graph.output(graph.op("GatherElements", logprobs, chosen, axis=1), "logprobs_written", "float", ["batch", 1])
    past = [f"{kind}_{i}" for i in range(len(model.blocks)) for kind in ("keys", "values")]
    handed_on = {f"past_{name}": f"present_{name}" for name in past}
    handed_on |= {name: f"next_{name}" for name in ("ids", "positions", *more)}
    return graph.looped(handed_on).to_bytes()


def _mask(graph: Graph, at: str) -> str:
    """B 1 1 Tk: which columns are somebody's; every new one is."""
    before = graph.input("real", "bool", ["batch", "past"])
    real = graph.op("Concat", before, graph.op("GreaterOrEqual", at, graph.ints(0)), axis=1)
    graph.output(real, "next_real", "bool", ["batch", "all"])
    return graph.op("Unsqueeze", real, graph.ints(1, 2))


def _likeliest(graph: Graph, logprobs: str) -> str:
    return graph.op("ArgMax", logprobs, axis=-1, keepdims=1)


def _chosen(graph: Graph, logprobs: str) -> str:
    """B 1: the likeliest ids, or where any is drawn, those that chances fall on."""
    chances = graph.input("chances", "double", ["steps", "batch", 1])
    temperature = graph.input("temperature", "double", [])
    draws = graph.input("draws", "bool", [])

    def likeliest() -> str:
        return _likeliest(graph, logprobs)

    def drawn() -> str:
        """When shares are laid end to end; where a chance is below 0, the likeliest."""
        chance = graph.op("Gather", chances, "step", axis=0)
        best = graph.op("ReduceMax", logprobs, graph.ints(1), keepdims=1)
        apart = graph.op("Cast", graph.op("Sub", logprobs, best), to=KINDS["double"])
        shares = graph.op("Softmax", graph.op("Div", apart, temperature), axis=-1)
        ends = graph.op("CumSum", shares, graph.weight("last_axis", np.array(1, dtype=np.int64)))
        falls = graph.op("Mul", chance, graph.op("ReduceMax", ends, graph.ints(1), keepdims=1))
        passed = graph.op("Cast", graph.op("LessOrEqual", ends, falls), to=KINDS["int"])
        found = graph.op("ReduceSum", passed, graph.ints(1), keepdims=1)
        chosen = graph.op("GreaterOrEqual", chance, graph.weight("nothing", np.array(0.0)))
        return graph.op("Where", chosen, found, likeliest())

    return graph.either(draws, drawn, likeliest, "int", ["batch", 1])
