"""Layers as nodes: what has none is refused in words, by its name."""

from typing import Any

import pytest
import torch
from helpers.small_models import small

from glassformer.engines import layer_graphs as layers
from glassformer.engines.graph import Graph
from glassformer.engines.layer_graphs import Sight, UnsupportedError
from glassformer.layers.attention import Attention
from glassformer.layers.positions import BucketBias


class Strange(torch.nn.Module):
    """A layer that nobody here knows."""

    uses = frozenset({"queries", "keys"})


def refused(work: Any) -> str:
    with pytest.raises(UnsupportedError) as found:
        work()
    return str(found.value)


def test_strange_layers_are_named() -> None:
    graph, sight = Graph("g"), Sight("mask", "n_keys")
    assert "norm Strange" in refused(lambda: layers.norm(graph, "n", Strange(), "rows"))
    assert "bias Strange" in refused(lambda: layers.score_bias(graph, "n", Strange(), "a", "b"))
    model: Any = small("modern")
    model.order.rows = Strange()
    assert "position scheme Strange" in refused(lambda: layers.placed(graph, model.order, "rows", "at"))
    model.blocks[0].feed_forward.layer.activation = "strange"
    assert "'strange'" in refused(lambda: layers.forward_part(graph, "b", model.blocks[0], "rows"))
    odd = Attention(6, 2, weigher=lambda masked: masked)
    assert "handed in" in refused(lambda: layers.attention(graph, "a", odd, "rows", sight, None))
    scored = Attention(6, 2, scorer=Strange())  # type: ignore[arg-type]
    assert "scorer Strange" in refused(lambda: layers.attention(graph, "a", scored, "rows", sight, None))


@pytest.mark.parametrize("causal", [True, False])
def test_beyond_the_farthest_distance_all_are_alike(causal: bool) -> None:
    bias = BucketBias(3, causal=causal)
    table, far = layers._by_distance(bias)
    for apart in (-9999, -far, far, 9999):
        expected = bias(torch.tensor([[[apart]]]))[0, :, 0, 0]
        place = max(-far, min(far, apart)) + far
        assert torch.equal(table[place], expected)
