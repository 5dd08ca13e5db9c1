"""Breaks as they happen in code of Transformers, each to be planted into any model it fits: what a certificate must
see.

They are planted into the functions that all models share, or around a model's own pass, and taken out again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F
from helpers.broken_models import TEXTS
from torch import Tensor, nn

from glassformer.layers import attention
from glassformer.layers.attention import Attention, DotProduct, for_each_head, softmax
from glassformer.layers.cache import Cache
from glassformer.layers.embedding import POOLINGS
from glassformer.layers.positions import Order
from glassformer.models import classifiers, language_model, translator
from glassformer.models.language_model import Continuation
from glassformer.models.sampling import Stop, greedy
from glassformer.runs.certificate import promises
from glassformer.stages.watchers import nothing

Planted = Callable[[Any], Any]  # a model → a context in which it is broken


@dataclass(frozen=True)
class Break:
    """What is wrong, into which models it can be planted, and how."""

    name: str
    fits: Callable[[Any, str], bool]  # a model and its family
    planted: Planted


# --- which models -----------------------------------------------------------------------------------------------


def attentions(model: nn.Module) -> list[Attention]:
    return [each for each in model.modules() if isinstance(each, Attention)]


def _all(model: Any, family: str) -> bool:
    return True


def _uses_it(model: Any, family: str) -> bool:
    """Whether every matrix counts: one that reads both ways answers from its way back, and half of its last layer is
    idle."""
    return not getattr(model.config, "both_ways", False)


def _writes(model: Any, family: str) -> bool:
    return family != "classifier"


def _attends(model: Any, family: str) -> bool:
    return bool(attentions(model))


def _fused(model: Any, family: str) -> bool:
    return any(type(each.scorer) is DotProduct and each.weigher is softmax for each in attentions(model))


def _heads(model: Any, family: str) -> bool:
    return any(each.n_heads > 1 for each in attentions(model))


def _fused_heads(model: Any, family: str) -> bool:
    return _fused(model, family) and _heads(model, family)


def _placed_memory(model: Any, family: str) -> bool:
    """Whether a place counts for what follows on a memory: turned pairs count for dot products only."""
    if not _writes(model, family) or model.config.positions == "none":
        return False
    return model.config.positions not in ("rotary", "alibi", "t5") or _dots(model)


def _dots(model: Any) -> bool:
    return all(type(each.scorer) is DotProduct for each in attentions(model))


def _told_places(model: Any, family: str) -> bool:
    """Whether it is told places, which are no distances."""
    absolute = ("sinusoidal", "split sinusoidal", "learned")
    return family == "language model" and model.config.positions in absolute and _dots(model)


def _averages(model: Any, family: str) -> bool:
    return getattr(model.config, "pooling", "") == "mean" and hasattr(model, "read")


def _fills_left(model: Any, family: str) -> bool:
    return family == "language model" and _dots(model)


def _learnt_norm(model: Any, family: str) -> bool:
    return _writes(model, family) and getattr(model, "final_norm", None) is not None


# --- how --------------------------------------------------------------------------------------------------------


def _around(spoil: Callable[..., Tensor]) -> Planted:
    """Spoils the logits of every pass of a model; what is written with a memory goes the same way."""

    @contextmanager
    def planted(model: Any) -> Iterator[None]:
        own, name = type(model), "decode" if hasattr(model, "decode") else "forward"
        whole = getattr(own, name)

        def passed(self: Any, *given: Any, **options: Any) -> Tensor:
            return spoil(whole(self, *given, **options), options.get("see", nothing))

        with patch.object(own, name, passed):
            yield

    return planted


def _dropped(logits: Tensor, see: Any) -> Tensor:
    """Each logit as a sum of 64 parts, of which a tenth is dropped at random: of two classes and three texts, often
    none would be."""
    return F.dropout(logits.unsqueeze(-1).expand(*logits.shape, 64), 0.1).mean(-1)


def _kernel(change: Callable[..., Any]) -> Planted:
    """Another kernel: what it is handed, or what it gives, is changed."""
    whole = attention.at_once

    def planted(model: Any) -> Any:
        def at_once(*given: Any) -> Tensor:
            return change(whole, *given)

        return patch.object(attention, "at_once", at_once)

    return planted


def _unseen(whole: Any, q: Tensor, k: Tensor, v: Tensor, mask: Any, causal: bool, *rest: Any) -> Tensor:
    """The last key is dropped wherever there are others."""
    if k.shape[2] < 2:
        return whole(q, k, v, mask, causal, *rest)
    seen = torch.ones(1, 1, 1, k.shape[2], dtype=torch.bool)
    seen[..., -1] = False
    return whole(q, k, v, seen if mask is None else mask & seen, causal, *rest)


def _scaled(factor: Callable[[float], float]) -> Callable[..., Tensor]:
    def change(whole: Any, *given: Any) -> Tensor:
        return whole(*given[:-1], factor(given[-1]))

    return change


def _by_steps(whole: Any, q: Tensor, k: Tensor, v: Tensor, mask: Any, causal: bool, bias: Any, *rest: Any) -> Tensor:
    """The kernel's answer from the steps as they are now."""
    shape = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    mask = attention._join_causal(mask, shape, q.device) if causal else mask
    return attention.step_by_step(
        q, for_each_head(k, q.shape[1]), for_each_head(v, q.shape[1]), scorer=DotProduct(rest[-1]), weigher=softmax,
        mask=mask, bias=bias, dropout=0.0, see=nothing,
    )  # fmt: skip


def _also(name: str, other: Any) -> Planted:
    """Another function in the place of one of the four verbs, in the kernel too."""

    @contextmanager
    def planted(model: Any) -> Iterator[None]:
        with _kernel(_by_steps)(model), patch.object(attention, name, other):
            yield

    return planted


def _late_mask(n_queries: int, n_keys: int, device: Any = None) -> Tensor:
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(n_keys - n_queries + 1)


def _hardly_hidden(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -10.0)


def _not_causal(last_only: bool) -> Planted:
    @contextmanager
    def planted(model: Any) -> Iterator[None]:
        layers = [each for each in attentions(model) if each.causal][-1 if last_only else 0 :]
        for each in layers:
            each.causal = False
        try:
            yield
        finally:
            for each in layers:
                each.causal = True

    return planted


@contextmanager
def _reads_padding(model: Any) -> Iterator[None]:
    """Where a token is real, nobody asks."""

    def everywhere(real: Tensor) -> Tensor:
        return torch.ones_like(real)[:, None, None, :]

    if attentions(model):
        with (
            patch.object(classifiers, "padding_mask", everywhere),
            patch.object(translator, "padding_mask", everywhere),
            patch.object(language_model, "padding_mask", everywhere),
        ):
            yield
        return
    own, whole = type(model), type(model).forward

    def passed(self: Any, ids: Tensor, real: Tensor, **options: Any) -> Any:
        return whole(self, ids, torch.ones_like(real), **options)

    with patch.object(own, "forward", passed):
        yield


def _mean_of_all(model: Any) -> Any:
    mean = POOLINGS["mean"]

    def pooled(rows: Tensor, real: Tensor, see: Any) -> Any:
        return mean(rows, torch.ones_like(real), see)

    return patch.object(classifiers, "POOLINGS", {**dict(POOLINGS.items()), "mean": pooled})


def _order(places: Callable[..., Any]) -> Planted:
    whole = Order.forward

    def planted(model: Any) -> Any:
        def forward(self: Any, embedded: Tensor, positions: Any = None, **options: Any) -> Any:
            return whole(self, embedded, places(embedded, positions, options.get("cache")), **options)

        return patch.object(Order, "forward", forward)

    return planted


def _one_short(embedded: Tensor, positions: Any, cache: Cache | None) -> Any:
    if not cache or cache.length == 0:
        return positions
    start = cache.length - 1
    told = torch.arange(start, start + embedded.shape[1])[None]
    return told if positions is None else (positions - 1).clamp(min=0)


def _untold(embedded: Tensor, positions: Any, cache: Cache | None) -> Any:
    return positions if cache else None


def _forgets(model: Any) -> Any:
    whole = Cache.append

    def append(self: Cache, keys: Tensor, values: Tensor) -> None:
        known = self.length
        whole(self, keys, values)
        if known:
            self._values[:, :, 0] = 0.0

    return patch.object(Cache, "append", append)


def _shows(lie: Callable[[Tensor], Tensor]) -> Planted:
    """What is shown as the weights is not what they are."""
    whole = attention.step_by_step

    def planted(model: Any) -> Any:
        def step_by_step(*given: Any, see: Any, **options: Any) -> Tensor:
            def lying(name: str, value: Any, how: str = "") -> Any:
                if name != "weights":
                    return see(name, value, how)
                see(name, lie(value), how)
                return value

            return whole(*given, see=lying, **options)

        return patch.object(attention, "step_by_step", step_by_step)

    return planted


def _written(change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> Planted:
    whole = promises.to_bytes
    return lambda model: patch.object(promises, "to_bytes", lambda state: whole(change(dict(state))))


def _halved(state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: each.bfloat16().to(each.dtype) if each.is_floating_point() else each for name, each in state.items()}


def _without_the_largest(state: dict[str, Tensor]) -> dict[str, Tensor]:
    largest = max((name for name in state if state[name].is_floating_point()), key=lambda name: state[name].numel())
    return {name: each for name, each in state.items() if each.data_ptr() != state[largest].data_ptr()}


@contextmanager
def _no_number(model: Any) -> Iterator[None]:
    last = list(model.parameters())[-1]
    kept = last.detach().clone()
    with torch.no_grad():
        last.view(-1)[0] = torch.nan
    try:
        yield
    finally:
        with torch.no_grad():
            last.copy_(kept)


def _peeks(model: Any) -> Any:
    whole = type(model.final_norm).forward

    def forward(self: Any, rows: Tensor, **options: Any) -> Tensor:
        ahead = rows.roll(-1, dims=1)
        return whole(self, rows, **options) + (ahead - ahead.detach()) * (self is model.final_norm)

    return patch.object(type(model.final_norm), "forward", forward)


def _forgets_who_is_padded(model: Any) -> Any:
    whole = Continuation.first

    def first(self: Any) -> Tensor:
        self._missing = torch.zeros_like(self._missing)
        return whole(self)

    return patch.object(Continuation, "first", first)


def _writes_otherwise(model: Any, family: str) -> bool:
    """Whether such a writer writes anything else: a model that has hardly learnt writes the same after every text."""
    if not _fills_left(model, family):
        return False
    texts = [[id_ % model.config.vocabulary for id_ in text] for text in TEXTS]

    def written() -> list[tuple[int, ...]]:
        return [each.ids for each in greedy(Continuation(model.eval(), texts), Stop(longest=promises.WRITTEN))]

    sound = written()
    with _forgets_who_is_padded(model):
        return written() != sound


BREAKS = (
    Break("no causal mask", _writes, _not_causal(last_only=False)),
    Break("no causal mask in the last block", _writes, _not_causal(last_only=True)),
    Break("a causal mask one place late", _writes, _also("causal_mask", _late_mask)),
    Break("a gradient from the next place", _learnt_norm, _peeks),
    Break("padding is read", lambda model, family: family != "language model", _reads_padding),
    Break("padding is read, by a language model", _fills_left, _reads_padding),
    Break("padding counts in the mean", _averages, _mean_of_all),
    Break("−10 in place of −∞", _attends, _also("hide", _hardly_hidden)),
    Break("places shifted by padding", _told_places, _order(_untold)),
    Break("a writer that forgets who is padded", _writes_otherwise, _forgets_who_is_padded),
    Break("a cache off by one place", _placed_memory, _order(_one_short)),
    Break("a cache that loses its first value", _writes, _forgets),
    Break("a kernel without its last key", _fused, _kernel(_unseen)),
    Break("an unscaled kernel", _fused, _kernel(_scaled(lambda scale: 1.0))),
    Break("a kernel scaled by 1/d in place of 1/√d", _fused, _kernel(_scaled(lambda scale: scale * scale))),
    Break("a kernel whose heads trade places", _fused_heads, _kernel(lambda whole, *given: whole(*given).flip(1))),
    Break("a kernel whose values are one place off", _fused,
          _kernel(lambda whole, q, k, v, *rest: whole(q, k, v.roll(1, 2), *rest))),
    Break("shown: another head's weights", _heads, _shows(lambda weights: weights.flip(1))),
    Break("shown: weights rounded to two decimals", _attends, _shows(lambda weights: (weights * 100).round() / 100)),
    Break("shown: weights 0.1 % too large", _attends, _shows(lambda weights: weights * 1.001)),
    Break("watching moves the answer", _all,
          _around(lambda logits, see: logits if see is nothing else logits * (1 + 4 * torch.finfo(logits.dtype).eps))),
    Break("texts of a batch trade places", _all, _around(lambda logits, see: logits.roll(1, 0))),
    Break("1 % of the batch's mean is mixed in", _all,
          _around(lambda logits, see: logits + 1e-2 * logits.mean(0, keepdim=True))),
    Break("dropout at rest", _all, _around(_dropped)),
    Break("one weight is not a number", _all, _no_number),
    Break("saved in half the bits", _all, _written(_halved)),
    Break("the largest matrix is not saved", _uses_it, _written(_without_the_largest)),
)  # fmt: skip
