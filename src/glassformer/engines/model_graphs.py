"""Our models as ONNX files: a step of a language model or translator with its cache passed in and out, and classifiers
as they are. Batch and lengths are free. What cannot be written so exactly is refused in words.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from glassformer.engines import layer_graphs as layers
from glassformer.engines.graph import Graph
from glassformer.engines.layer_graphs import Past, Sight, UnsupportedError
from glassformer.models.classifiers import ConvolutionClassifier, DenseClassifier, EncoderClassifier
from glassformer.models.language_model import LanguageModel
from glassformer.models.recurrent import RecurrentClassifier
from glassformer.models.translator import Translator

Files = dict[str, bytes]


def graphs_of(model: nn.Module) -> Files:
    """The ONNX files of a model, by their names."""
    for kind, write in _WRITERS:
        if isinstance(model, kind):
            return write(model)
    raise UnsupportedError(f"{type(model).__name__} counts n-grams in a sorted table, for which ONNX has no node.")


# --- language models ----------------------------------------------------------------------------------------------


def _language_model(model: Any) -> Files:
    """One graph for reading a prompt and for every step: ids, positions, what is real, and the cache."""
    graph = Graph("language model")
    ids = graph.input("ids", "int", ["batch", "new"])
    at = graph.input("positions", "int", ["batch", "new"])
    real = graph.input("real", "bool", ["batch", "all"])
    mask = layers.causal_mask_of(graph, ids, real)
    keys_at = at
    biased = "decoder" in model.order.biases
    if biased:
        before = graph.input("past_positions", "int", ["batch", "past"])
        keys_at = graph.op("Concat", before, at, axis=1)
        graph.output(keys_at, "present_positions", "int", ["batch", "all"])
    bias = layers.score_bias(graph, "bias", model.order.biases["decoder"], at, keys_at) if biased else None
    sight = Sight(mask, graph.size(real, 1), bias, at, layers.rotary_tables(graph, model.order))
    logits = scores_of(graph, model, ids, sight)
    graph.output(logits, "logits", "float", ["batch", "new", model.config.vocabulary])
    return {"step.onnx": graph.to_bytes()}


def scores_of(graph: Graph, model: Any, ids: str, sight: Sight) -> str:
    """The logits after each id of a language model; its cache is handed in and given back."""
    rows = layers.placed(graph, model.order, _embedded(graph, model.embedding, ids), sight.at or "")
    for i, block in enumerate(model.blocks):
        past = _past(graph, block.attention.layer, i)
        rows, now = layers.own_attention(graph, f"blocks.{i}", block, rows, sight, past)
        rows = layers.forward_part(graph, f"blocks.{i}", block, rows)
        _present(graph, block.attention.layer, now, i)
    rows = layers.norm(graph, "final_norm", model.final_norm, rows)
    return layers.linear(graph, "head", model.head.linear, rows)


def _past(graph: Graph, layer: Any, i: int) -> Past:
    """The cache of a block, handed in."""
    keys = None
    if "keys" in layer.scorer.uses:
        keys = graph.input(f"past_keys_{i}", "float", ["batch", layer.n_kv_heads, "past", layer.d_key])
    return Past(keys, graph.input(f"past_values_{i}", "float", ["batch", layer.n_kv_heads, "past", layer.d_value]))


def _present(graph: Graph, layer: Any, now: Past, i: int) -> None:
    """The cache of a block, given back."""
    if now.keys is not None:
        graph.output(now.keys, f"present_keys_{i}", "float", ["batch", layer.n_kv_heads, "all", layer.d_key])
    graph.output(now.values, f"present_values_{i}", "float", ["batch", layer.n_kv_heads, "all", layer.d_value])


def _embedded(graph: Graph, embedding: Any, ids: str) -> str:
    rows = graph.op("Gather", graph.weight("embedding.weight", embedding.weight), ids)
    return rows if embedding.scale is None else graph.op("Mul", rows, graph.number(embedding.scale))


# --- translators --------------------------------------------------------------------------------------------------


def _translator(model: Any) -> Files:
    """Three graphs: one reads the source, one makes of it what the blocks of the decoder look at, one is a step."""
    return {"read.onnx": _reading(model), "memory.onnx": _memory(model), "step.onnx": _writing(model)}


def _reading(model: Any) -> bytes:
    graph = Graph("encoder")
    source = graph.input("source", "int", ["batch", "source"])
    real = graph.input("source_real", "bool", ["batch", "source"])
    count = graph.size(source, 1)
    at = graph.op("Unsqueeze", graph.range(count), graph.ints(0))
    bias = None
    if "encoder" in model.order.biases:
        bias = layers.score_bias(graph, "bias", model.order.biases["encoder"], at, at)
    wide = graph.op("Expand", at, graph.op("Shape", source))
    sight = Sight(
        layers.padding_mask_of(graph, real, count), count, bias, wide, layers.rotary_tables(graph, model.order)
    )
    rows = layers.placed(graph, model.order, _embedded(graph, model.embedding, source), at)
    rows = _encoded(graph, "encoder", model.encoder, rows, sight)
    if model.encoder_norm is not None:
        rows = layers.norm(graph, "encoder_norm", model.encoder_norm, rows)
    graph.output(rows, "context", "float", ["batch", "source", model.config.width])
    return graph.to_bytes()


def _memory(model: Any) -> bytes:
    graph = Graph("memory of the context")
    context = graph.input("context", "float", ["batch", "source", model.config.width])
    unturned = Sight("", "")  # a context is looked at wherever it stands
    for i, block in enumerate(model.decoder):
        read = layers.cross_memory(graph, f"decoder.{i}", block, context, unturned)
        layer = block.cross.layer
        graph.output(read.keys or "", f"cross_keys_{i}", "float", ["batch", layer.n_kv_heads, "source", layer.d_key])
        graph.output(read.values, f"cross_values_{i}", "float", ["batch", layer.n_kv_heads, "source", layer.d_value])
    return graph.to_bytes()


def _encoded(graph: Graph, name: str, blocks: Any, rows: str, sight: Sight) -> str:
    for i, block in enumerate(blocks):
        rows, _ = layers.own_attention(graph, f"{name}.{i}", block, rows, sight)
        rows = layers.forward_part(graph, f"{name}.{i}", block, rows)
    return rows


def _writing(model: Any) -> bytes:
    graph = Graph("decoder")
    ids = graph.input("ids", "int", ["batch", "new"])
    at = graph.input("positions", "int", ["batch", "new"])
    real = graph.input("real", "bool", ["batch", "all"])
    source_real = graph.input("source_real", "bool", ["batch", "source"])
    mask, n_keys = layers.causal_mask_of(graph, ids, real), graph.size(real, 1)
    bias = None
    if "decoder" in model.order.biases:
        keys_at = graph.op("Unsqueeze", graph.range(n_keys), graph.ints(0))
        bias = layers.score_bias(graph, "bias", model.order.biases["decoder"], at, keys_at)
    own = Sight(mask, n_keys, bias, at, layers.rotary_tables(graph, model.order))
    other = Sight(layers.padding_mask_of(graph, source_real, graph.size(ids, 1)), graph.size(source_real, 1))
    rows = layers.placed(graph, model.order, _embedded(graph, model.embedding, ids), at)
    for i, block in enumerate(model.decoder):
        name, layer = f"decoder.{i}", block.cross.layer
        past = _past(graph, block.attention.layer, i)
        read = Past(
            graph.input(f"cross_keys_{i}", "float", ["batch", layer.n_kv_heads, "source", layer.d_key]),
            graph.input(f"cross_values_{i}", "float", ["batch", layer.n_kv_heads, "source", layer.d_value]),
        )
        rows, now = layers.own_attention(graph, name, block, rows, own, past)
        rows = layers.cross_attention(graph, name, block, rows, other, read)
        rows = layers.forward_part(graph, name, block, rows)
        _present(graph, block.attention.layer, now, i)
    if model.final_norm is not None:
        rows = layers.norm(graph, "final_norm", model.final_norm, rows)
    logits = layers.linear(graph, "head", model.head.linear, rows)
    graph.output(logits, "logits", "float", ["batch", "new", model.config.vocabulary])
    return graph.to_bytes()


# --- classifiers --------------------------------------------------------------------------------------------------


def _begun(name: str) -> tuple[Graph, str, str]:
    graph = Graph(name)
    return graph, graph.input("ids", "int", ["batch", "length"]), graph.input("real", "bool", ["batch", "length"])


def _ended(graph: Graph, model: Any, pooled: str) -> Files:
    logits = layers.linear(graph, "head", model.head.linear, pooled)
    graph.output(logits, "logits", "float", ["batch", model.config.classes])
    return {"classify.onnx": graph.to_bytes()}


def _encoder(model: Any) -> Files:
    """Ids in; logits out, and the rows of the text for who wants vectors."""
    graph, ids, real = _begun("classifier")
    count = graph.size(ids, 1)
    at = graph.op("Unsqueeze", graph.range(count), graph.ints(0))
    bias = None
    if "encoder" in model.order.biases:
        bias = layers.score_bias(graph, "bias", model.order.biases["encoder"], at, at)
    wide = graph.op("Expand", at, graph.op("Shape", ids))
    mask = layers.padding_mask_of(graph, real, count)
    sight = Sight(mask, count, bias, wide, layers.rotary_tables(graph, model.order))
    rows = layers.placed(graph, model.order, _embedded(graph, model.embedding, ids), at)
    if getattr(model, "embedding_norm", None) is not None:
        rows = layers.norm(graph, "embedding_norm", model.embedding_norm, rows)
    if model.attention is not None:
        rows, _ = layers.attention(graph, "attention", model.attention, rows, sight, None)
    rows = _encoded(graph, "blocks", model.blocks, rows, sight)
    if model.final_norm is not None:
        rows = layers.norm(graph, "final_norm", model.final_norm, rows)
    graph.output(rows, "rows", "float", ["batch", "length", model.config.width])
    pooled = _pooled(graph, model, rows, real)
    if getattr(model, "pooler", None) is not None:
        pooled = graph.op("Tanh", layers.linear(graph, "pooler", model.pooler.linear, pooled))
    return _ended(graph, model, pooled)


def _pooled(graph: Graph, model: Any, rows: str, real: str) -> str:
    pooling = getattr(model.config, "pooling", "mean")
    if pooling == "first":
        return graph.op("Squeeze", graph.op("Slice", rows, graph.ints(0), graph.ints(1), graph.ints(1)), graph.ints(1))
    if pooling != "mean":
        raise UnsupportedError(f"There are no ONNX nodes for the pooling '{pooling}'.")
    share = graph.op("Unsqueeze", graph.op("Cast", real, to=1), graph.ints(2))
    quiet = graph.op("Where", graph.op("Unsqueeze", real, graph.ints(2)), rows, graph.number(0.0))
    total = graph.op("ReduceSum", quiet, graph.ints(1), keepdims=0)
    many = graph.op("Max", graph.op("ReduceSum", share, graph.ints(1), keepdims=0), graph.number(1.0))
    return graph.op("Div", total, many)


def _fixed_length(graph: Graph, model: Any, ids: str, real: str) -> str:
    """Embedded tokens, zeros where there is none, up to the length the network was made for: B L D."""
    rows = _embedded(graph, model.embedding, ids)
    quiet = graph.op("Where", graph.op("Unsqueeze", real, graph.ints(2)), rows, graph.number(0.0))
    length = model.config.length
    missing = graph.op("Sub", graph.ints(length), graph.size(ids, 1))
    pads = graph.op("Concat", graph.ints(0, 0, 0, 0), missing, graph.ints(0), axis=0)
    return graph.op("Pad", quiet, pads)


def _dense(model: Any) -> Files:
    graph, ids, real = _begun("dense classifier")
    hidden = graph.op("Flatten", _fixed_length(graph, model, ids, real), axis=1)
    for i, layer in enumerate(model.layers):
        hidden = graph.op("Relu", layers.linear(graph, f"layers.{i}", layer, hidden))
    return _ended(graph, model, hidden)


def _convolution(model: Any) -> Files:
    graph, ids, real = _begun("convolutional classifier")
    found = graph.op("Transpose", _fixed_length(graph, model, ids, real), perm=[0, 2, 1])
    for i, layer in enumerate(model.convolutions):
        weight, bias = (graph.weight(f"convolutions.{i}.{name}", getattr(layer, name)) for name in ("weight", "bias"))
        found = graph.op("Relu", graph.op("Conv", found, weight, bias, strides=list(layer.stride)))
    if model.config.pooled:
        found = graph.op("ReduceMax", found, graph.ints(-1), keepdims=0)
    hidden = layers.linear(graph, "hidden", model.hidden, graph.op("Flatten", found, axis=1))
    return _ended(graph, model, graph.op("Relu", hidden))


_KINDS = {"RNN_TANH": "RNN", "GRU": "GRU", "LSTM": "LSTM"}
_GATES = {"RNN_TANH": (0,), "GRU": (1, 0, 2), "LSTM": (0, 3, 1, 2)}  # torch's rows in the order that ONNX has them


def _recurrent(model: Any) -> Files:
    graph, ids, real = _begun("recurrent classifier")
    net = model.recurrent
    rows = graph.op("Transpose", _embedded(graph, model.embedding, ids), perm=[1, 0, 2])  # T B D
    many = graph.op("ReduceSum", graph.op("Cast", real, to=6), graph.ints(1), keepdims=0)
    lengths = graph.op("Max", many, graph.weight("one_int32", torch.tensor([1], dtype=torch.int32)))
    last = ""
    for layer in range(net.num_layers):
        ways = [2 * layer, 2 * layer + 1] if net.bidirectional else [layer]
        weights = [_stacked(graph, net, ways, part) for part in range(2)]
        bias = graph.weight(f"bias.{layer}", torch.stack([_biases(net, way) for way in ways]))
        more = {"linear_before_reset": 1} if net.mode == "GRU" else {}
        states, last = graph.several(
            _KINDS[net.mode], [rows, *weights, bias, lengths], 2, hidden_size=net.hidden_size,
            direction="bidirectional" if net.bidirectional else "forward", **more,
        )  # fmt: skip
        joined = graph.op("Transpose", states, perm=[0, 2, 1, 3])  # T B ways S
        rows = graph.op("Reshape", joined, graph.ints(0, 0, -1))
    end = len(ways) - 1
    state = graph.op("Squeeze", graph.op("Slice", last, graph.ints(end), graph.ints(end + 1)), graph.ints(0))
    return _ended(graph, model, state)


def _stacked(graph: Graph, net: nn.RNNBase, ways: list[int], part: int) -> str:
    """The matrices of the word (0) or of the state (1), gates in the order of ONNX."""
    found = [torch.cat(_gates(net, net.all_weights[way][part])) for way in ways]
    return graph.weight(f"recurrent.{ways[0]}.{part}", torch.stack(found))


def _biases(net: nn.RNNBase, way: int) -> torch.Tensor:
    return torch.cat([gate for part in (2, 3) for gate in _gates(net, net.all_weights[way][part])])


def _gates(net: nn.RNNBase, weight: torch.Tensor) -> list[torch.Tensor]:
    parts = torch.split(weight, net.hidden_size)
    return [parts[i] for i in _GATES[net.mode]]


_WRITERS: tuple[tuple[type[nn.Module], Callable[[Any], Files]], ...] = (
    (LanguageModel, _language_model),
    (Translator, _translator),
    (EncoderClassifier, _encoder),
    (DenseClassifier, _dense),
    (ConvolutionClassifier, _convolution),
    (RecurrentClassifier, _recurrent),
)
