"""Our models in PyTorch as they write: the same numbers with fewer steps of Python between them. Nobody looks.

Every layer becomes a function over its own weights, without checks and without stages. The kernels and their order are
those of the textbook, so that each number is the same to the last bit; a layer of another kind is called as it is.
Whatever is not writing with a cache is left to the model itself. The legend of shapes is the one of attention.py.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.layers.attention import (
    Angles,
    Attention,
    DotProduct,
    at_once,
    attend,
    join_heads,
    padding_mask,
    rotate,
    softmax,
    split_heads,
)  # fmt: skip
from glassformer.layers.blocks import ACTIVATIONS, Block, FeedForward, LayerNorm, RMSNorm, Sublayer
from glassformer.layers.cache import BlockCache, Cache
from glassformer.layers.kernels import rms_norm
from glassformer.stages.watchers import Watcher, nothing

Rows = Callable[[Tensor], Tensor]


def quick(model: nn.Module) -> nn.Module:
    """The same model, quicker where it writes; one that does not write, as it is."""
    if hasattr(model, "decode"):
        return QuickTranslator(model).eval()
    return QuickLanguageModel(model).eval() if hasattr(model, "new_cache") else model


# --- rows by themselves -------------------------------------------------------------------------------------------


def _linear(layer: nn.Module) -> Rows:
    if type(layer) is not nn.Linear:
        return layer
    weight, bias = layer.weight, layer.bias
    return lambda rows: F.linear(rows, weight, bias)


def _norm(layer: nn.Module) -> Rows:
    if type(layer) is RMSNorm:
        return partial(rms_norm, weight=layer.weight, epsilon=layer.epsilon)
    if type(layer) is not LayerNorm:
        return layer
    weight, bias, epsilon, shape = layer.weight, layer.bias, layer.epsilon, layer.weight.shape
    return lambda rows: torch.layer_norm(rows, shape, weight, bias, epsilon)


def _feed_forward(layer: FeedForward) -> Rows:
    expand, contract, bend = _linear(layer.expand), _linear(layer.contract), ACTIVATIONS[layer.activation]
    if layer.gate is None:
        return lambda rows: contract(bend(expand(rows)))
    gate = _linear(layer.gate)
    return lambda rows: contract(bend(expand(rows), gate(rows)))


# --- attention ----------------------------------------------------------------------------------------------------


def _attention(layer: Attention) -> Callable[..., Tensor]:
    """The answers to new rows, which are remembered."""
    if layer.query is None or layer.key is None or layer.value is None or layer.output is None:
        return layer
    queries, keys = _turned(layer.query, layer.query_norm), _turned(layer.key, layer.key_norm)
    value, output, mixed = _linear(layer.value), _linear(layer.output), _mixed(layer)
    n_heads, n_kv_heads = layer.n_heads, layer.n_kv_heads

    def answered(
        x: Tensor, *, cache: Cache, mask: Tensor | None, score_bias: Tensor | None, angles: Angles | None
    ) -> Tensor:
        asked = queries(x, n_heads, angles)
        cache.append(keys(x, n_kv_heads, angles), split_heads(value(x), n_kv_heads))
        return output(join_heads(mixed(asked, cache.keys, cache.values, mask, score_bias)))

    return answered


def _cross(layer: Attention) -> Callable[..., Tensor]:
    """The answers of a context, which is read once: from then on its keys and values are there."""
    if layer.query is None or layer.output is None:
        return lambda x, context, cache, mask: layer(x, context, cache=cache, mask=mask)
    queries, output, mixed = _linear(layer.query), _linear(layer.output), _mixed(layer)
    n_heads = layer.n_heads

    def answered(x: Tensor, *, context: Tensor, cache: Cache, mask: Tensor) -> Tensor:
        if cache.length == 0:
            return layer(x, context, cache=cache, mask=mask)  # type: ignore[no-any-return]
        asked = split_heads(queries(x), n_heads)
        return output(join_heads(mixed(asked, cache.keys, cache.values, mask, None)))

    return answered


def _mixed(layer: Attention) -> Callable[[Tensor, Tensor, Tensor, Tensor | None, Tensor | None], Tensor]:
    """What queries find: in one kernel where there is one."""
    scorer, weigher, causal = layer.scorer, layer.weigher, layer.causal
    if type(scorer) is DotProduct and weigher is softmax:
        scale = scorer.scale_for(layer.d_key)
        return lambda q, k, v, mask, bias: at_once(q, k, v, mask, causal, bias, 0.0, scale)
    return lambda q, k, v, mask, bias: attend(
        q, k, v, scorer=scorer, weigher=weigher, mask=mask, causal=causal, score_bias=bias
    )


def _turned(layer: nn.Module, norm: nn.Module | None) -> Callable[[Tensor, int, Angles | None], Tensor]:
    """Queries or keys, B H T K, normed and turned by their positions where the model does so."""
    linear, normed = _linear(layer), None if norm is None else _norm(norm)

    def made(x: Tensor, n_heads: int, angles: Angles | None) -> Tensor:
        rows = split_heads(linear(x), n_heads)
        rows = rows if normed is None else normed(rows)
        return rows if angles is None else rotate(rows, *angles)

    return made


# --- blocks and models --------------------------------------------------------------------------------------------


def _sublayer(around: Sublayer, work: Callable[..., Tensor]) -> Callable[..., Tensor]:
    norm = _norm(around.norm)
    if around.norm_first:
        return lambda x, **options: x + work(norm(x), **options)
    return lambda x, **options: norm(x + work(x, **options))


def _own_part(block: Block) -> Callable[..., Tensor]:
    layer: Any = block.attention.layer
    return _sublayer(block.attention, _attention(layer))


def _cross_part(around: Any) -> Callable[..., Tensor]:
    return _sublayer(around, _cross(around.layer))


def _forward_part(block: Block) -> Rows:
    layer: Any = block.feed_forward.layer
    return _sublayer(block.feed_forward, _feed_forward(layer))


class QuickLanguageModel(nn.Module):
    """A language model that writes quickly; it shares its weights with ours."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.config = model, model.config
        self._blocks = [(_own_part(each), _forward_part(each)) for each in model.blocks]
        self._norm, self._head = _norm(model.final_norm), _linear(model.head.linear)

    @property
    def longest(self) -> int | None:
        """How many ids it can look back on."""
        return self.model.longest  # type: ignore[no-any-return]

    def new_cache(self) -> list[BlockCache]:
        """An empty memory for one batch of texts."""
        return self.model.new_cache()  # type: ignore[no-any-return]

    def forward(
        self,
        ids: Tensor,
        real: Tensor | None = None,
        *,
        positions: Tensor | None = None,
        counted: Tensor | None = None,
        cache: list[BlockCache] | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Scores for the id after each one, or only where it is counted."""
        model = self.model
        if cache is None or counted is not None or see is not nothing:
            return model(ids, real, positions=positions, counted=counted, cache=cache, see=see)  # type: ignore[no-any-return]
        x, angles, bias = model.order(model.embedding(ids), positions, stack="decoder", cache=cache[0].own)
        mask = None if real is None else padding_mask(real)
        for (own, forward), memory in zip(self._blocks, cache, strict=True):
            x = forward(own(x, cache=memory.own, mask=mask, score_bias=bias, angles=angles))
        return self._head(self._norm(x))


class QuickTranslator(nn.Module):
    """A translator that writes quickly; it shares its weights with ours."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model, self.config, self.order = model, model.config, model.order
        self._blocks = [(_own_part(each), _cross_part(each.cross), _forward_part(each)) for each in model.decoder]
        self._norm: Rows = nn.Identity() if model.final_norm is None else _norm(model.final_norm)
        self._head = _linear(model.head.linear)

    def new_cache(self) -> list[BlockCache]:
        """An empty memory for one batch of texts."""
        return self.model.new_cache()  # type: ignore[no-any-return]

    def forward(self, *given: Tensor, **options: Any) -> Tensor:
        """Teacher forcing: the whole target at once."""
        return self.model(*given, **options)  # type: ignore[no-any-return]

    def encode(self, source: Tensor, source_real: Tensor, *, see: Watcher = nothing) -> Tensor:
        """One row per source id."""
        return self.model.encode(source, source_real, see=see)  # type: ignore[no-any-return]

    def decode(
        self,
        target: Tensor,
        context: Tensor,
        source_real: Tensor,
        *,
        counted: Tensor | None = None,
        cache: list[BlockCache] | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Scores for the id after each of `target`; with a cache, these are new ids."""
        model = self.model
        if cache is None or counted is not None or see is not nothing:
            return model.decode(target, context, source_real, counted=counted, cache=cache, see=see)  # type: ignore[no-any-return]
        x, angles, bias = model.order(model.embedding(target), stack="decoder", cache=cache[0].own)
        mask = padding_mask(source_real)
        for (own, cross, forward), memory in zip(self._blocks, cache, strict=True):
            x = own(x, cache=memory.own, mask=None, score_bias=bias, angles=angles)
            x = forward(cross(x, context=context, cache=memory.cross, mask=mask))
        return self._head(self._norm(x))
