"""An attention that was caught in a foreign model, rebuilt step by step on our core, beside what the model itself got.

There are two kinds. One was caught at its heart, with queries, keys and values at hand; the other is torch's
multi-head attention, caught whole, with its weights. It knows nothing of how they were caught, nor of modules.

The legend of shapes is the one of attention.py.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call

from glassformer.errors import InputError
from glassformer.inside.watching.following.axes import four_axes, standing_of
from glassformer.inside.watching.following.products import Places, arranged, restored
from glassformer.inside.watching.following.score_steps import (
    LOW,
    Add,
    Applied,
    Fill,
    InOurTerms,
    Shape,
    Step,
    Stretch,
    Times,
    told_of,
)
from glassformer.inside.watching.following.weight_steps import WeightStep, rework, shown_talk
from glassformer.layers.attention import (
    WEIGHERS,
    DotProduct,
    Weigher,
    for_each_head,
    mix,
    score,
    softmax,
    weigh_step_by_step,
)
from glassformer.layers.multihead import MultiheadAttention
from glassformer.stages.watchers import Watcher, nothing

Mod = Callable[..., Tensor]
Pair = tuple[Tensor, Tensor]  # what the model got, and what was rebuilt


class CaughtAttention(Protocol):
    """An attention that was caught."""

    @property
    def kind(self) -> str: ...

    @property
    def dropout(self) -> float: ...

    @property
    def answer(self) -> Tensor:
        """What the model got."""
        ...

    def rebuild(self, see: Watcher) -> "Rebuilt":
        """Works it again, and shows every stage."""
        ...


@dataclass(frozen=True)
class Rebuilt:
    """An attention worked again.

    pairs      what can be compared
    instead    what the call would have given, had the model gone these steps: to be put in place if one was written
    weights    B H Tq Tk, as they were made
    """

    pairs: list[Pair]
    instead: Any
    weights: Tensor


class Keeper:
    """Hands every stage on to another watcher and keeps the tensors of this pass."""

    def __init__(self, see: Watcher) -> None:
        self.see = see
        self.kept: dict[str, Tensor] = {}

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        """Hands the stage on."""
        self.kept[name] = answer = self.see(name, value, how)
        return answer


class ForeignScores(DotProduct):
    """Scores as strangers make them: by fit or by distance, none beyond a cap, and heads that talk, if they do."""

    def __init__(self, told: InOurTerms, by: str = "", usual: bool = False) -> None:
        super().__init__(None if usual else told.scale)
        self.factor, self.cap, self.talk, self.by = told.factor, told.cap, told.talk, by

    def __call__(self, queries: Tensor, keys: Tensor, see: Watcher = nothing) -> Tensor:
        """The scores: c·tanh(β Q Kᵀ F / c), and what the heads say to each other of it."""
        scaled = super().__call__(queries, keys, see) if not self.by else self._by_distance(queries, keys, see)
        if self.factor is not None:
            scaled = see("rescaled", scaled * see("score_factor", self.factor))
        if self.cap is not None:
            cap = see("cap", scaled.new_tensor(self.cap))
            scaled = see("capped", cap * (scaled / cap).tanh())
        if self.talk is None:
            return scaled
        return see("talked_scores", shown_talk(self.talk, "pre_talk", scaled, see)(scaled))

    def _by_distance(self, queries: Tensor, keys: Tensor, see: Watcher) -> Tensor:
        scores = see("scores", SCORES[self.by](queries, keys), self.by)
        return see("scaled", scores * see("scale", scores.new_tensor(self.scale_for(queries.shape[-1])), "chosen"))


def _squared_distances(queries: Tensor, keys: Tensor) -> Tensor:
    return (queries[..., :, None, :] - keys[..., None, :, :]).square().sum(-1)


SCORES: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = MappingProxyType({
    "": score,
    "euclidean": lambda queries, keys: _squared_distances(queries, keys).sqrt(),
    "squared euclidean": _squared_distances,
    "given": lambda scores, _: scores,
})  # fmt: skip
FOREIGN_WEIGHERS: Mapping[str, Weigher] = MappingProxyType({
    **{name: WEIGHERS[name] for name in ("softmax", "sigmoid", "quiet softmax")},
    "softmax over queries": lambda scores: softmax(scores.mT).mT,
    "relu": F.relu, "squared relu": lambda scores: F.relu(scores).square(),
    "silu": lambda scores: F.silu(_without_infinities(scores)),
    "gelu": lambda scores: F.gelu(_without_infinities(scores)),
})  # fmt: skip

SHARING = frozenset(("softmax", "quiet softmax", "softmax over queries"))


# --- caught at its heart -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heart:
    """Queries, keys and values with any leading axes, what happened to their scores, and what the model got.

    shape    the shape of the scores; its leading axes are those of `mixed` and `weights`
    four     the same scores as B H Tq Tk
    turned   the axes that bring what the model got to … Tq V; none if it is so, but for its leading axes
    coarsest the kind of number that the weights were made in
    number   by which the weights are known, where they may be used again
    scorer   how the scores were made, by the catalogue's name for that way
    after    what was done to the weights
    standing what is not known of the axes, in words
    """

    kind: str
    queries: Tensor  # … Tq K
    keys: Tensor  # … Tk K
    values: Tensor  # … Tk V
    steps: Sequence[Step]
    shape: Shape
    four: Shape
    mixed: Tensor
    weights: Tensor | None = None  # before dropout; a kernel does not tell
    dropout: float = 0.0
    weigher: str = "softmax"
    turned: Places = ()
    number: int | None = None
    coarsest: torch.dtype = torch.float64
    scorer: str = ""
    after: Sequence[WeightStep] = ()
    standing: str = ""

    @property
    def answer(self) -> Tensor:
        """What the heads came to."""
        return self.mixed

    @property
    def bent(self) -> bool:
        """Whether each weight was made for itself, by a bend; no row is shared out."""
        return self.weigher not in SHARING

    def rebuild(self, see: Watcher) -> Rebuilt:
        """Score, mask, weigh, mix, on queries and keys as they met."""
        queries, keys, values = (self._heads(rows) for rows in (self.queries, self.keys, self.values))
        given, told = told_of(self.steps, SCORES[self.scorer](queries, keys), shares=self.weigher == "softmax")
        scorer = self.scorer if given is None else "given"
        if given is not None:  # nobody can tell, in our terms, how they came about
            queries, keys = given, given.new_zeros(*given.shape[:2], given.shape[-1], 1)
        keys, values = once_per_group(keys, values)
        keeper = Keeper(see)
        if scorer != "given":
            queries, keys = see("queries", queries, "watched"), see("keys", keys, "watched")
        values = see("values", values, "watched")
        n_heads, width = queries.shape[1], queries.shape[-1]
        usual = math.isclose(told.scale * math.sqrt(width), 1.0, rel_tol=1e-6) and not scorer
        weights = weigh_step_by_step(
            queries, for_each_head(keys, n_heads), told.mask, told.bias, keeper,
            scorer=ForeignScores(told, scorer, usual),
            weigher=FOREIGN_WEIGHERS[self.weigher], how=self.weigher,
        )  # fmt: skip
        mixing = rework(weights, self.after, keeper)
        mixed = see("mixed", mix(mixing, for_each_head(values, n_heads)))
        real = arranged(self.mixed, self.turned) if self.turned else self.mixed
        pairs = [] if self.dropout else [(real.reshape(mixed.shape), mixed)]
        pairs += [] if self.weights is None else [(self.weights.reshape(self.four), mixing)]
        return Rebuilt(pairs, self._as_the_model_has_it(mixed), weights)

    def _as_the_model_has_it(self, mixed: Tensor) -> Tensor:
        """B H Tq V in the shape and the kind of number that the call gave."""
        shape = tuple(self.mixed.shape)
        same = mixed.to(self.mixed.dtype)
        if not self.turned:
            return same.reshape(shape)
        sizes = [1 if place is None else shape[place] for place in self.turned]
        return restored(same.reshape(sizes), self.turned, shape)

    def _heads(self, rows: Tensor) -> Tensor:
        """The rows with the scores' leading axes, as batch and heads."""
        whole = rows.expand(*self.shape[:-2], *rows.shape[-2:])
        whole = whole.float() if whole.dtype in (torch.float16, torch.bfloat16) else whole
        return whole.reshape(*self.four[:2], *rows.shape[-2:])


def _without_infinities(scores: Tensor) -> Tensor:
    """Zero in the place of −∞, for bends that would give NaN there, and give 0 for 0."""
    return scores.masked_fill(scores == -math.inf, 0.0)


def once_per_group(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values once for every group of neighbouring heads that use the same: B H T K becomes B G T K."""
    n_heads = keys.shape[1]
    for n_groups in range(1, n_heads):
        if n_heads % n_groups == 0 and all(_repeats(rows, n_groups) for rows in (keys, values)):
            return keys[:, :: n_heads // n_groups], values[:, :: n_heads // n_groups]
    return keys, values


def _repeats(rows: Tensor, n_groups: int) -> bool:
    groups = rows.reshape(rows.shape[0], n_groups, -1, *rows.shape[2:])  # B G heads-of-it T K
    return bool((groups == groups[:, :, :1]).all())


def from_kernel(
    mixed: Tensor, query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Heart:  # fmt: skip
    """What `torch.nn.functional.scaled_dot_product_attention` was handed, and what it gave."""
    if query.is_nested or key.is_nested:
        raise InputError("nested tensors have no rows of one length")
    if enable_gqa:
        key, value = (rows.repeat_interleave(query.shape[-3] // rows.shape[-3], -3) for rows in (key, value))
    n_queries, n_keys = query.shape[-2], key.shape[-2]
    shape = (*mixed.shape[:-2], n_queries, n_keys)
    steps: list[Step] = [Stretch(1.0 / math.sqrt(query.shape[-1]) if scale is None else scale)]
    if is_causal:  # the kernel counts from the first key, whatever the lengths
        future = torch.ones(n_queries, n_keys, dtype=torch.bool, device=query.device).triu(1)
        steps.append(Fill(future, -math.inf, shape))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        steps.append(Fill(~attn_mask, -math.inf, shape))
    elif attn_mask is not None:
        steps.append(Add(attn_mask, shape))
    standing = standing_of(shape)
    return Heart("sdpa", query, key, value, steps, shape, four_axes(shape), mixed, dropout=dropout_p, standing=standing)


def from_flexible(
    mixed: Tensor, query: Tensor, key: Tensor, value: Tensor, score_mod: Mod, block_mask: Sequence[Any],
    scale: float, *_options: Any,
) -> Heart:  # fmt: skip
    """What torch's `flex_attention` was handed: its functions, asked for each score, become numbers and a mask."""
    if query.shape[-3] != key.shape[-3]:
        key, value = (rows.repeat_interleave(query.shape[-3] // rows.shape[-3], -3) for rows in (key, value))
    shape = (*query.shape[:-1], key.shape[-2])
    places = [torch.arange(size, device=query.device) for size in shape]
    scaled = scale * score(query, key).expand(shape)
    allowed = _everywhere(block_mask[-1], 0)(*places)
    steps: list[Step] = [
        Stretch(scale),
        *_steps_of(lambda numbers: _everywhere(score_mod, 1)(numbers, *places), scaled),
    ]
    steps += [] if bool(allowed.all()) else [Fill(~allowed, -math.inf, shape)]
    return Heart("flex", query, key, value, steps, shape, four_axes(shape), mixed)


def _steps_of(moved: Callable[[Tensor], Tensor], scores: Tensor) -> list[Step]:
    """A factor and a number for each score, if a function of them does no more than that; else the function."""
    shape, whole = tuple(scores.shape), scores.double()
    numbers = moved(torch.zeros_like(whole))
    factor = torch.where(numbers <= LOW, 1.0, moved(torch.ones_like(whole)) - numbers)
    for each in (whole, 0.25 - 1.25 * whole):
        real, ours = moved(each), factor * each + numbers
        if not bool(((real == ours) | ((real - ours).abs() <= _NEAR * (1.0 + real.abs()))).all()):
            return [Applied(moved)]
    factor, numbers = factor.to(scores.dtype), numbers.to(scores.dtype)
    steps: list[Step] = [] if bool((factor == 1.0).all()) else [Times(factor, shape)]
    return [*steps, *([Add(numbers, shape)] if bool(numbers.any()) else [])]


_NEAR = 1e-6


def _everywhere(mod: Mod, n_scores: int) -> Mod:
    """A function of one score, its text, head, query and key, for all of them at once."""
    for axis in (3, 2, 1, 0):
        mod = torch.vmap(mod, in_dims=(0,) * n_scores + tuple(0 if i == axis else None for i in range(4)))
    return mod


# --- torch's multi-head attention, caught whole ------------------------------------------------------------------


@dataclass(frozen=True)
class Multihead:
    """What `torch.nn.functional.multi_head_attention_forward` was handed, by name, and what it gave."""

    given: Mapping[str, Any]
    answer: Tensor

    @property
    def kind(self) -> str:
        """As it is called in the list of calls."""
        return "mha"

    @property
    def dropout(self) -> float:
        """The share of the weights that was dropped."""
        return float(self.given["dropout_p"]) if self.given["training"] else 0.0

    def rebuild(self, see: Watcher) -> Rebuilt:
        """The drop-in of multihead.py, with the very weights of the original and without its dropout."""
        given = self.given
        if given["static_k"] is not None or given["static_v"] is not None:
            raise InputError("it was handed keys or values that were projected elsewhere (static_k, static_v)")
        skeleton = MultiheadAttention(
            given["embed_dim_to_check"], given["num_heads"], bias=given["in_proj_bias"] is not None,
            add_bias_kv=given["bias_k"] is not None, add_zero_attn=given["add_zero_attn"],
            kdim=given["key"].shape[-1], vdim=given["value"].shape[-1], device="meta",
        )  # fmt: skip
        apart = [given[f"{i}_proj_weight"] for i in "qkv"]
        theirs = {
            "out_proj.weight": given["out_proj_weight"], "out_proj.bias": given["out_proj_bias"],
            **{name: given[name] for name in ("in_proj_bias", "bias_k", "bias_v", "in_proj_weight")},
            **dict(zip(("q_proj_weight", "k_proj_weight", "v_proj_weight"), apart, strict=True)),
        }  # fmt: skip
        keeper = Keeper(see)
        names = {name for name, _ in skeleton.named_parameters()}
        if given["use_separate_proj_weight"] and "in_proj_weight" in names:
            theirs["in_proj_weight"] = torch.cat(apart)
        masks = {name: given[name] for name in ("key_padding_mask", "attn_mask", "is_causal")}
        told = {name: given[name] for name in ("need_weights", "average_attn_weights")}
        output, shares = functional_call(
            skeleton,
            {name: weight for name, weight in theirs.items() if name in names},
            (given["query"], given["key"], given["value"]),
            {**masks, **told, "see": keeper},
        )
        weights = keeper.kept["weights"]
        # On our core too the answer comes from a kernel: the steps that are shown have to come to the same.
        pairs = [(self.answer, output), (keeper.kept["mixed"], mix(weights, keeper.kept["values"]))]
        return Rebuilt([] if self.dropout else pairs, (output, shares), weights)
