"""Our layers as ONNX nodes: norms, feed-forward, attention with every scorer and weigher, positions. No model.

A row that may look at nothing would be NaN in others' kernels; here every query may at least look at itself, which
changes nothing for real tokens, and nobody looks at the others. What has no node yet is refused in words.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import nn

from glassformer.engines.graph import Graph
from glassformer.errors import GlassformerError
from glassformer.layers.attention import Attention, DotProduct, quiet_softmax, sigmoid, softmax
from glassformer.layers.blocks import Block, FeedForward, LayerNorm, RMSNorm, Sublayer
from glassformer.layers.positions import BucketBias, LinearBias, NoPositions, Order, Positions, alibi_slopes
from glassformer.layers.synthesizers import DenseSynthesizer, RandomSynthesizer


class UnsupportedError(GlassformerError):
    """An engine cannot run this model exactly; the message says what it lacks."""


@dataclass(frozen=True)
class Past:
    """What was read before: names of keys and values in the graph, B G T K; keys are None where nobody asks them."""

    keys: str | None
    values: str


@dataclass(frozen=True)
class Sight:
    """Who may look at whom, and what is known of positions, as values of the graph.

    mask     bool, B 1 Tq Tk; empty if all may look at all
    bias     added to the scores, B H Tq Tk
    at       positions of the rows, B Tq; `rotary` the tables of cosines and sines
    n_keys   how many keys there are, a list of one number
    """

    mask: str
    n_keys: str
    bias: str | None = None
    at: str | None = None
    rotary: tuple[str, str] | None = None


# --- rows by themselves -------------------------------------------------------------------------------------------


def linear(graph: Graph, name: str, layer: nn.Linear, rows: str) -> str:
    """X W + b."""
    found = graph.op("MatMul", rows, graph.weight(f"{name}.weight", layer.weight.T))
    return found if layer.bias is None else graph.op("Add", found, graph.weight(f"{name}.bias", layer.bias))


def linears(graph: Graph, name: str, parts: Sequence[nn.Linear], rows: str) -> list[str]:
    """The same rows times several matrices, in one product."""
    weight = torch.cat([part.weight.detach() for part in parts]).T
    found = graph.op("MatMul", rows, graph.weight(f"{name}.weight", weight))
    if any(part.bias is not None for part in parts):
        zeros = [torch.zeros(part.out_features) for part in parts]
        biases = [zero if part.bias is None else part.bias.detach() for part, zero in zip(parts, zeros, strict=True)]
        found = graph.op("Add", found, graph.weight(f"{name}.bias", torch.cat(biases)))
    widths = graph.ints(*(part.out_features for part in parts))
    return graph.several("Split", [found, widths], len(parts), axis=-1)


def norm(graph: Graph, name: str, layer: nn.Module, rows: str) -> str:
    """A norm over the last axis."""
    if isinstance(layer, LayerNorm):
        given = [rows, graph.weight(f"{name}.weight", layer.weight)]
        given += [] if layer.bias is None else [graph.weight(f"{name}.bias", layer.bias)]
        return graph.op("LayerNormalization", *given, axis=-1, epsilon=layer.epsilon)
    if isinstance(layer, RMSNorm):
        weight = graph.weight(f"{name}.weight", layer.weight)
        return graph.op("RMSNormalization", rows, weight, axis=-1, epsilon=layer.epsilon)
    raise UnsupportedError(f"There is no ONNX node for the norm {type(layer).__name__}.")


def _silu(graph: Graph, rows: str) -> str:
    return graph.op("Mul", rows, graph.op("Sigmoid", rows))


def _squared_relu(graph: Graph, rows: str) -> str:
    bent = graph.op("Relu", rows)
    return graph.op("Mul", bent, bent)


def _gelu(graph: Graph, rows: str, approximate: str = "none") -> str:
    return graph.op("Gelu", rows, approximate=approximate)


def _relu(graph: Graph, rows: str) -> str:
    return graph.op("Relu", rows)


BENDS: dict[str, Callable[[Graph, str], str]] = {
    "relu": _relu, "gelu": _gelu, "tanh gelu": partial(_gelu, approximate="tanh"), "squared relu": _squared_relu,
    "silu": _silu, "swiglu": _silu, "geglu": _gelu, "reglu": _relu,
}  # fmt: skip


def feed_forward(graph: Graph, name: str, layer: FeedForward, rows: str) -> str:
    """Widened, bent, brought back; where there is a gate, it is bent and opens the columns."""
    if layer.activation not in BENDS:
        raise UnsupportedError(f"There is no ONNX node for the activation '{layer.activation}'.")
    bend = BENDS[layer.activation]
    if layer.gate is None:
        activated = bend(graph, linear(graph, f"{name}.expand", layer.expand, rows))
    else:
        expanded, gate = linears(graph, f"{name}.expand_and_gate", [layer.expand, layer.gate], rows)
        activated = graph.op("Mul", bend(graph, gate), expanded)
    return linear(graph, f"{name}.contract", layer.contract, activated)


# --- attention ----------------------------------------------------------------------------------------------------


def attention(
    graph: Graph, name: str, layer: Attention, rows: str, sight: Sight, past: Past | None
) -> tuple[str, Past]:
    """The answers, B T D, and all keys and values so far, B G T K."""
    if layer.query is not None and layer.key is not None and layer.value is not None:
        parts = linears(graph, f"{name}.query_key_value", [layer.query, layer.key, layer.value], rows)
        queries: str | None = _turned(
            graph, f"{name}.query_norm", layer.query_norm, (parts[0], layer.n_heads, layer.d_key), sight
        )
        given = (parts[1], layer.n_kv_heads, layer.d_key)
        keys: str | None = _turned(graph, f"{name}.key_norm", layer.key_norm, given, sight)
        values = parts[2]
    else:
        queries = _queries(graph, name, layer, rows, sight)
        keys, values = keys_and_values(graph, name, layer, rows, sight)
    return attended(graph, name, layer, (queries, Past(keys, values)), sight, past)


def _queries(graph: Graph, name: str, layer: Attention, rows: str, sight: Sight) -> str | None:
    if "queries" not in layer.scorer.uses:
        return None
    found = rows if layer.query is None else linear(graph, f"{name}.query", layer.query, rows)
    return _turned(graph, name + ".query_norm", layer.query_norm, (found, layer.n_heads, layer.d_key), sight)


def keys_and_values(graph: Graph, name: str, layer: Attention, rows: str, sight: Sight) -> tuple[str | None, str]:
    """Those of some rows, B T GK; there are no keys for a scorer that asks none."""
    values = rows if layer.value is None else linear(graph, f"{name}.value", layer.value, rows)
    if "keys" not in layer.scorer.uses:
        return None, values
    keys = rows if layer.key is None else linear(graph, f"{name}.key", layer.key, rows)
    return _turned(graph, name + ".key_norm", layer.key_norm, (keys, layer.n_kv_heads, layer.d_key), sight), values


def _turned(graph: Graph, name: str, normed: nn.Module | None, given: tuple[str, int, int], sight: Sight) -> str:
    """Rows B T HK, each head normed and turned by its position where the model does so."""
    rows, heads, width = given
    if normed is not None:
        apart = graph.op("Reshape", rows, graph.ints(0, 0, heads, width))
        rows = graph.op("Reshape", norm(graph, name, normed, apart), graph.ints(0, 0, heads * width))
    if sight.rotary is None or sight.at is None:
        return rows
    return graph.op("RotaryEmbedding", rows, *sight.rotary, sight.at, num_heads=heads)


def attended(
    graph: Graph, name: str, layer: Attention, given: tuple[str | None, Past], sight: Sight, past: Past | None
) -> tuple[str, Past]:
    """The answers to queries B T HK, from keys and values B T GK and those before them."""
    queries, new = given
    if type(layer.scorer) is DotProduct and layer.weigher is softmax and new.keys and queries:
        mask = sight.mask
        if sight.bias is not None:
            mask = graph.op("Where", sight.mask, sight.bias, graph.number(-math.inf))
        before = ["", ""] if past is None or past.keys is None else [past.keys, past.values]
        mixed, all_keys, all_values = graph.several(
            "Attention", [queries, new.keys, new.values, mask, *before], 3, q_num_heads=layer.n_heads,
            kv_num_heads=layer.n_kv_heads, scale=layer.scorer.scale_for(layer.d_key),
        )  # fmt: skip
        return _output(graph, name, layer, mixed), Past(all_keys, all_values)
    keys = None if new.keys is None else _heads(graph, new.keys, layer.n_kv_heads, past.keys if past else None)
    values = _heads(graph, new.values, layer.n_kv_heads, past.values if past else None)
    scores = _scores(graph, name, layer, queries, keys, sight)
    if sight.bias is not None:
        scores = graph.op("Add", scores, sight.bias)
    if sight.mask:
        scores = graph.op("Where", sight.mask, scores, graph.number(-math.inf))
    weights = _weighed(graph, layer, scores)
    mixed = graph.op("MatMul", weights, _for_each_head(graph, values, layer))
    joined = graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), graph.ints(0, 0, -1))
    return _output(graph, name, layer, joined), Past(keys, values)


def _output(graph: Graph, name: str, layer: Attention, joined: str) -> str:
    return joined if layer.output is None else linear(graph, f"{name}.output", layer.output, joined)


def _heads(graph: Graph, rows: str, heads: int, past: str | None = None) -> str:
    """B T HK as B H T K, behind what was there before."""
    apart = graph.op("Transpose", graph.op("Reshape", rows, graph.ints(0, 0, heads, -1)), perm=[0, 2, 1, 3])
    return apart if past is None else graph.op("Concat", past, apart, axis=2)


def _for_each_head(graph: Graph, rows: str, layer: Attention) -> str:
    """B G T K as B H T K: neighbours share."""
    repeats = layer.n_heads // layer.n_kv_heads
    if repeats == 1:
        return rows
    heads = graph.weight(
        f"shared_{layer.n_kv_heads}_{repeats}", torch.arange(layer.n_kv_heads).repeat_interleave(repeats)
    )
    return graph.op("Gather", rows, heads, axis=1)


def _scores(graph: Graph, name: str, layer: Attention, queries: str | None, keys: str | None, sight: Sight) -> str:
    scorer: Any = layer.scorer
    if type(scorer) is DotProduct and queries and keys:
        turned = graph.op("Transpose", _for_each_head(graph, keys, layer), perm=[0, 1, 3, 2])
        scores = graph.op("MatMul", _heads(graph, queries, layer.n_heads), turned)
        return graph.op("Mul", scores, graph.number(scorer.scale_for(layer.d_key)))
    if isinstance(scorer, DenseSynthesizer) and queries:
        weight, bias = (
            graph.weight(f"{name}.scorer.weight", scorer.weight),
            graph.weight(f"{name}.scorer.bias", scorer.bias[:, None]),
        )
        bent = graph.op("Relu", _heads(graph, queries, layer.n_heads))
        scores = graph.op("Add", graph.op("MatMul", bent, weight), bias)
        return graph.op("Slice", scores, graph.ints(0), sight.n_keys, graph.ints(3))
    if isinstance(scorer, RandomSynthesizer):
        table = graph.weight(f"{name}.scorer.weight", scorer.weight[None])
        rows = graph.op("Sub", sight.n_keys, graph.size(sight.mask, 2))
        part = graph.op("Slice", table, rows, sight.n_keys, graph.ints(2))
        return graph.op("Slice", part, graph.ints(0), sight.n_keys, graph.ints(3))
    raise UnsupportedError(f"There are no ONNX nodes for the scorer {type(scorer).__name__}.")


def _weighed(graph: Graph, layer: Attention, masked: str) -> str:
    if layer.weigher is softmax:
        return graph.op("Softmax", masked, axis=-1)
    if layer.weigher is sigmoid:
        return graph.op("Sigmoid", masked)
    if layer.weigher is quiet_softmax:
        ends = graph.op("Shape", masked, start=0, end=3)
        shape = graph.op("Concat", ends, graph.ints(1), axis=0)
        silent = graph.op("Expand", graph.number(0.0), shape)
        shares = graph.op("Softmax", graph.op("Concat", silent, masked, axis=3), axis=-1)
        return graph.op("Slice", shares, graph.ints(1), graph.ints(2**62), graph.ints(3))
    raise UnsupportedError("There are no ONNX nodes for a weigher that was handed in.")


# --- blocks -------------------------------------------------------------------------------------------------------


def sublayer(graph: Graph, name: str, around: Sublayer, rows: str, work: Callable[[str], str]) -> str:
    """Add & norm around some work."""
    if around.norm_first:
        return graph.op("Add", rows, work(norm(graph, f"{name}.norm", around.norm, rows)))
    return norm(graph, f"{name}.norm", around.norm, graph.op("Add", rows, work(rows)))


def own_attention(
    graph: Graph, name: str, block: Block, rows: str, sight: Sight, past: Past | None = None
) -> tuple[str, Past]:
    """The first part of a block: self-attention with add & norm."""
    kept: list[Past] = []

    def work(given: str) -> str:
        layer: Any = block.attention.layer
        found, now = attention(graph, f"{name}.attention", layer, given, sight, past)
        kept.append(now)
        return found

    rows = sublayer(graph, f"{name}.attention", block.attention, rows, work)
    return rows, kept[0]


def cross_attention(graph: Graph, name: str, block: Block, rows: str, sight: Sight, read: Past) -> str:
    """The second part of a decoder's block; keys and values of the context are handed in, B G S K."""
    around: Any = block.cross

    def work(given: str) -> str:
        queries = _queries(graph, f"{name}.cross", around.layer, given, sight)
        assert queries is not None
        assert read.keys is not None
        apart = _heads(graph, queries, around.layer.n_heads)
        mixed = graph.op(
            "Attention", apart, read.keys, read.values, sight.mask, scale=around.layer.scorer.scale_for(
                around.layer.d_key
            ),
        )  # fmt: skip
        joined = graph.op("Reshape", graph.op("Transpose", mixed, perm=[0, 2, 1, 3]), graph.ints(0, 0, -1))
        return _output(graph, f"{name}.cross", around.layer, joined)

    return sublayer(graph, f"{name}.cross", around, rows, work)


def cross_memory(graph: Graph, name: str, block: Block, context: str, sight: Sight) -> Past:
    """Keys and values of a context, B G S K, as a decoder's block will look at them."""
    layer: Any = block.cross.layer if block.cross else None
    keys, values = keys_and_values(graph, f"{name}.cross", layer, context, sight)
    assert keys is not None
    return Past(_heads(graph, keys, layer.n_kv_heads), _heads(graph, values, layer.n_kv_heads))


def forward_part(graph: Graph, name: str, block: Block, rows: str) -> str:
    """The last part of a block."""
    layer: Any = block.feed_forward.layer
    place = f"{name}.feed_forward"
    return sublayer(
        graph, place, block.feed_forward, rows, lambda given: feed_forward(graph, place, layer, given)
    )  # fmt: skip


# --- positions and masks ------------------------------------------------------------------------------------------


def placed(graph: Graph, order: Order, rows: str, at: str) -> str:
    """The rows, with those of their positions added where the model does so."""
    if isinstance(order.rows, Positions):
        table = graph.weight("order.rows.table", order.rows.table)
        return graph.op("Add", rows, graph.op("Gather", table, at))
    if isinstance(order.rows, NoPositions):
        return rows
    raise UnsupportedError(f"There are no ONNX nodes for the position scheme {type(order.rows).__name__}.")


def rotary_tables(graph: Graph, order: Order) -> tuple[str, str] | None:
    """Cosines and sines of every position there is."""
    if order.rotary is None:
        return None
    if order.longest is None:
        raise UnsupportedError("Rotary positions without an end have no table.")
    cosines, sines = order.rotary(torch.arange(order.longest)[None])
    return graph.weight("order.cosines", cosines[0]), graph.weight("order.sines", sines[0])


def causal_mask_of(graph: Graph, ids: str, real: str) -> str:
    """B 1 Tq Tk: no token sees a later one nor padding, but each sees itself."""
    n_rows, n_keys = graph.size(ids, 1), graph.size(real, 1)
    columns = graph.range(n_keys)
    rows = graph.op("Add", graph.range(n_rows), graph.op("Sub", n_keys, n_rows))
    down = graph.op("Unsqueeze", rows, graph.ints(1))  # Tq 1
    past = graph.op("LessOrEqual", columns, down)
    seen = graph.op("And", graph.op("Unsqueeze", real, graph.ints(1, 2)), past)
    return graph.op("Or", seen, graph.op("Equal", columns, down))


def padding_mask_of(graph: Graph, real: str, n_rows: str) -> str:
    """B 1 Tq Tk: nobody sees padding."""
    wide = graph.op("Unsqueeze", real, graph.ints(1, 2))
    shape = graph.op("Concat", graph.ints(1, 1), n_rows, graph.ints(1), axis=0)
    return graph.op("Expand", wide, shape)


def score_bias(graph: Graph, name: str, layer: nn.Module, queries_at: str, keys_at: str) -> str:
    """B H Tq Tk from how far apart queries and keys stand."""
    down, across = graph.op("Unsqueeze", queries_at, graph.ints(2)), graph.op("Unsqueeze", keys_at, graph.ints(1))
    apart = graph.op("Sub", down, across)  # B Tq Tk
    if isinstance(layer, LinearBias):
        slopes = graph.weight("slopes", -alibi_slopes(layer.n_heads).float()[:, None, None])
        far = graph.op("Cast", graph.op("Abs", apart), to=1)
        return graph.op("Mul", graph.op("Unsqueeze", far, graph.ints(1)), slopes)
    if isinstance(layer, BucketBias):
        table, middle = _by_distance(layer)
        place = graph.op("Add", graph.op("Clip", apart, *_edges(graph, middle)), graph.ints(middle))
        rows = graph.op("Gather", graph.weight(f"{name}.by_distance", table), place)  # B Tq Tk H
        return graph.op("Transpose", rows, perm=[0, 3, 1, 2])
    raise UnsupportedError(f"There are no ONNX nodes for the bias {type(layer).__name__}.")


def _by_distance(layer: BucketBias) -> tuple[torch.Tensor, int]:
    """The learned number of every distance up to the farthest, beyond which all are alike, either way."""
    from glassformer.layers.positions import buckets

    far = 4 * layer.farthest
    apart = torch.arange(-far, far + 1)
    return layer.weight[buckets(apart, len(layer.weight), layer.farthest, causal=layer.causal)], far


def _edges(graph: Graph, far: int) -> tuple[str, str]:
    low = graph.weight(f"edge_{-far}", torch.tensor(-far))
    return low, graph.weight(f"edge_{far}", torch.tensor(far))
