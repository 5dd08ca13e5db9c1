"""Attention, worked from four verbs: score → mask → weigh → mix. Read it from top to bottom, as you would a textbook.

Every query asks every key "how well do you fit?" (score). Some keys may be hidden from it (mask). The scores become
shares (weigh), and the values are added up in those shares (mix). A module at the end gives the four verbs learned
queries, keys and values, several heads, and an output.

Nothing here knows of text, of training or of files. Every step is handed to a watcher, `see`, under the name it has in
the catalogue of stages; by default nobody looks, and the middle four steps run as one fused kernel.

The legend of all shapes:  B batch · Tq, Tk query and key positions · H heads · G key/value heads · D model width
                           C context width · K key width of a head · V value width of a head
"""

import math
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.layers import attention_checks as checks
from glassformer.layers.cache import Cache
from glassformer.layers.kernels import turned
from glassformer.stages.watchers import Watcher, Witness, nothing, within

# --- 1. score: how well does each query fit each key? -----------------------------------------------------------


def score(queries: Float[Tensor, "B H Tq K"], keys: Float[Tensor, "B H Tk K"]) -> Float[Tensor, "B H Tq Tk"]:
    """One dot product for every pair of query and key: S = Q Kᵀ."""
    return queries @ keys.transpose(-2, -1)


# --- 2. mask: who may look at whom? -----------------------------------------------------------------------------
# A mask is boolean and True means "may look". Several masks are joined with `&`. There is no other kind.


def causal_mask(n_queries: int, n_keys: int, device: torch.device | None = None) -> Bool[Tensor, "Tq Tk"]:
    """Nobody sees the future. The last query stands at the last key, so that it also fits a cache of earlier keys."""
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(n_keys - n_queries)


def padding_mask(real: Bool[Tensor, "B Tk"]) -> Bool[Tensor, "B 1 1 Tk"]:
    """Nobody sees padding. `real` is True where a token stands."""
    return real[:, None, None, :]


def hide(scores: Float[Tensor, "B H Tq Tk"], mask: Bool[Tensor, "#B #H #Tq #Tk"]) -> Float[Tensor, "B H Tq Tk"]:
    """−∞ where a query may not look: the one score that no other can outbid, and that weighs exactly 0."""
    return scores.masked_fill(~mask, -math.inf)


# --- 3. weigh: turn a row of scores into shares -----------------------------------------------------------------


def softmax(masked: Float[Tensor, "B H Tq Tk"]) -> Float[Tensor, "B H Tq Tk"]:
    """Shares of one whole, e^z / Σ e^z, row by row. A row that may look at nothing gets zeros, never NaN."""
    sees_nothing = (masked == -math.inf).all(-1, keepdim=True)
    return masked.masked_fill(sees_nothing, 0.0).softmax(-1).masked_fill(sees_nothing, 0.0)


def sigmoid(masked: Float[Tensor, "B H Tq Tk"]) -> Float[Tensor, "B H Tq Tk"]:
    """Each entry for itself, 1 / (1 + e^−z): a row need not sum to 1."""
    return masked.sigmoid()


def quiet_softmax(masked: Float[Tensor, "B H Tq Tk"]) -> Float[Tensor, "B H Tq Tk"]:
    """Softmax beside one more key that scores 0 and says nothing: e^z / (1 + Σ e^z). A head may look nowhere."""
    silent = masked.new_zeros(*masked.shape[:-1], 1)
    return torch.cat([masked, silent], dim=-1).softmax(-1)[..., :-1]


Weigher = Callable[[Tensor], Tensor]
WEIGHERS: Choices[Weigher] = Choices(
    "weigher", {"softmax": softmax, "sigmoid": sigmoid, "quiet softmax": quiet_softmax}
)

# --- 4. mix: add up the values in those shares ------------------------------------------------------------------


def mix(weights: Float[Tensor, "B H Tq Tk"], values: Float[Tensor, "B H Tk V"]) -> Float[Tensor, "B H Tq V"]:
    """Each query's answer is a weighted sum of the values: H = A V."""
    return weights @ values


def drop(
    rows: Float[Tensor, "*rows"], rate: float, names: tuple[str, str], see: Watcher,
    dropout: Callable[[Tensor, float], Tensor] = F.dropout,
) -> Float[Tensor, "*rows"]:  # fmt: skip
    """Sets a share of the entries to zero at random and stretches the others, so that the sum stays about the same."""
    shown = rows.new_tensor(rate)
    written = see(names[0], shown)
    return see(names[1], dropout(rows, rate if written is shown else float(written)))


# --- Scorers: how to come to a score is handed in; attention itself does not change. See also synthesizers.py. ---


@runtime_checkable
class Scorer(Protocol):
    """Makes scores, and shows them. One that does not need the keys (or the queries) is handed them with width 0."""

    @property
    def uses(self) -> frozenset[str]: ...

    def __call__(self, queries: Tensor, keys: Tensor, see: Watcher) -> Tensor: ...


class DotProduct:
    """Scores by fit, times the inverse temperature β = 1/√d_k: the wider a key, the larger a dot product by chance."""

    uses = frozenset({"queries", "keys"})

    def __init__(self, scale: float | None = None) -> None:
        self.scale = scale

    def scale_for(self, d_key: int) -> float:
        """β, for keys of this width."""
        return 1.0 / math.sqrt(d_key) if self.scale is None else self.scale

    def __call__(
        self, queries: Float[Tensor, "B H Tq K"], keys: Float[Tensor, "B H Tk K"], see: Watcher = nothing
    ) -> Float[Tensor, "B H Tq Tk"]:
        """Z = β Q Kᵀ."""
        scores = see("scores", score(queries, keys))
        if self.scale is not None:
            return see("scaled", scores * see("scale", scores.new_tensor(self.scale), "chosen"))
        width = see("key_width", scores.new_tensor(float(queries.shape[-1])))
        return see("scaled", scores * see("scale", 1.0 / width.sqrt(), "from the width"))


# --- The four verbs in a row ------------------------------------------------------------------------------------


def step_by_step(
    queries: Float[Tensor, "B H Tq K"],
    keys: Float[Tensor, "B H Tk _"],  # width K, or 0 for a scorer that asks no keys
    values: Float[Tensor, "B H Tk V"],
    *,
    scorer: Scorer,
    weigher: Weigher,
    mask: Bool[Tensor, "#B #H #Tq #Tk"] | None,
    bias: Float[Tensor, "#B #H #Tq #Tk"] | None,
    dropout: float,
    see: Watcher,
) -> Float[Tensor, "B H Tq V"]:
    """Score, mask, weigh, mix: each step by itself, and each one shown."""
    weights = weigh_step_by_step(
        queries, keys, mask, bias, see, scorer=scorer, weigher=weigher, how=how_weighed(weigher)
    )
    if dropout > 0.0:
        weights = drop(weights, dropout, ("dropout_rate", "dropped"), see)
    return mix(weights, values)


def weigh_step_by_step(
    queries: Tensor, keys: Tensor, mask: Tensor | None, bias: Tensor | None, see: Watcher, *, scorer: Scorer,
    weigher: Weigher, how: str,
) -> Float[Tensor, "B H Tq Tk"]:  # fmt: skip
    """The first three of the four; `how` is the catalogue's name for the weigher."""
    scores = scorer(queries, keys, see)
    if bias is not None:
        scores = see("biased", scores + see("bias", bias))
    if mask is not None:
        scores = see("masked", hide(scores, see("mask", mask)))
    return see("weights", weigher(scores), how)


def attend(
    queries: Float[Tensor, "B H Tq K"],
    keys: Float[Tensor, "B G Tk _"],  # width K, or 0 for a scorer that asks no keys
    values: Float[Tensor, "B G Tk V"],
    *,
    scorer: Scorer | None = None,
    weigher: Weigher = softmax,
    mask: Tensor | None = None,
    causal: bool = False,
    score_bias: Tensor | None = None,
    dropout: float = 0.0,
    see: Watcher = nothing,
) -> Float[Tensor, "B H Tq V"]:
    """Score, mask, weigh, mix, in the quickest way that gives the same.

    With nobody looking the fused kernel does it all at once. When somebody looks, the steps are worked one by one for
    the eye, while the answer still comes from the kernel: looking changes nothing, not even the last bit. Unless a step
    was rewritten: then the answer follows from what was written.
    """
    scorer = scorer or DotProduct()
    shape = checks.shape_of(queries, keys, values)
    if mask is not None:
        mask = checks.mask(mask, shape)
    bias = None if score_bias is None else checks.bias(score_bias, shape)
    fused = _fused_scale(scorer, weigher, queries, dropout)
    if see is nothing and fused is not None:
        return at_once(queries, keys, values, mask, causal, bias, dropout, fused)

    witness = Witness(see)
    mixed = step_by_step(
        queries, for_each_head(keys, shape[1]), for_each_head(values, shape[1]), scorer=scorer, weigher=weigher,
        mask=_join_causal(mask, shape, queries.device) if causal else mask, bias=bias, dropout=dropout, see=witness,
    )  # fmt: skip
    if fused is not None and not witness.rewritten and dropout == 0.0:  # a kernel would drop other weights than shown
        mixed = at_once(queries, keys, values, mask, causal, bias, dropout, fused)
    return see("mixed", mixed)


def for_each_head(rows: Float[Tensor, "B G Tk K"], n_heads: int) -> Float[Tensor, "B H Tk K"]:
    """Every head with the keys (or values) it uses: neighbours share, where there are fewer of them than heads."""
    repeats = n_heads // rows.shape[1]
    return rows if repeats == 1 else rows.repeat_interleave(repeats, dim=1)


def _join_causal(mask: Tensor | None, shape: tuple[int, int, int, int], device: torch.device) -> Tensor:
    past = causal_mask(shape[2], shape[3], device)[None, None]  # 1 1 Tq Tk
    return past if mask is None else mask & past


def how_weighed(weigher: Weigher) -> str:
    """The catalogue's name for a weigher; one from outside has none there."""
    from glassformer.stages.catalogue import CATALOGUE  # who only asks for the answer needs no catalogue

    return next(
        (way.how for way in CATALOGUE["weights"].ways if way.how in WEIGHERS and WEIGHERS[way.how] is weigher),
        "handed in",
    )


def _fused_scale(scorer: Scorer, weigher: Weigher, queries: Tensor, dropout: float) -> float | None:
    """β if the fused kernel computes this very attention, else None."""
    if type(scorer) is not DotProduct or weigher is not softmax:
        return None
    if dropout > 0.0 and queries.device.type == "cpu":  # no such kernel: torch would walk the same steps as we do
        return None
    return scorer.scale_for(queries.shape[-1])


def at_once(
    queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, causal: bool, bias: Tensor | None,
    dropout: float, scale: float,
) -> Tensor:  # fmt: skip
    """The four verbs as one fused kernel, by dot product with this β and softmax; nothing is checked."""
    if queries.shape[2] == 1:
        causal = False  # a single query stands at the last key: there is no later one
    if causal and (mask is not None or bias is not None or queries.shape[2] != keys.shape[2]):
        shape = (queries.shape[0], queries.shape[1], queries.shape[2], keys.shape[2])
        mask, causal = _join_causal(mask, shape, queries.device), False
    if bias is not None:
        mask = bias if mask is None else bias.masked_fill(~mask, -math.inf)
    return F.scaled_dot_product_attention(
        queries, keys, values, attn_mask=mask, dropout_p=dropout, is_causal=causal, scale=scale,
        enable_gqa=queries.shape[1] != keys.shape[1],
    )  # fmt: skip


# --- Heads: several attentions side by side, each on its own slice of the width -----------------------------------


def split_heads(rows: Float[Tensor, "B T HK"], n_heads: int) -> Float[Tensor, "B H T K"]:
    """Cuts the width into heads."""
    n_batch, length, width = rows.shape
    return rows.view(n_batch, length, n_heads, width // n_heads).transpose(1, 2)


def join_heads(mixed: Float[Tensor, "B H Tq V"]) -> Float[Tensor, "B Tq HV"]:
    """Puts the heads' answers side by side again."""
    return mixed.transpose(1, 2).flatten(2)


def project(
    linear: nn.Linear, rows: Float[Tensor, "*rows wide"], name: str, see: Watcher
) -> Float[Tensor, "*rows narrow"]:
    """Rows times a learned matrix, X W + b. `nn.Linear` keeps W transposed; it is shown as it is written."""
    if see is nothing:
        return linear(rows)  # type: ignore[no-any-return]
    weight = see(f"{name}_weight", linear.weight.T)
    bias = None if linear.bias is None else see(f"{name}_bias", linear.bias)
    return F.linear(rows, weight.T, bias)


# --- Turning by position ----------------------------------------------------------------------------------------


def rotate(
    rows: Float[Tensor, "B H T K"], cosines: Float[Tensor, "#B T R"], sines: Float[Tensor, "#B T R"]
) -> Float[Tensor, "B H T K"]:
    """Turns each pair of columns (r, r+R) by its angle: dot products then depend only on distance in position.

    The pair (a, b) becomes (a·cos − b·sin, b·cos + a·sin).
    """
    return turned(rows, cosines[:, None], sines[:, None])


Angles = tuple[Tensor, Tensor]  # cosines and sines, each B T R

# --- The module -------------------------------------------------------------------------------------------------


class Attention(nn.Module):
    """Attention with learned queries, keys, values and output. There is one such class; what varies is handed in.

    Queries are made from `x`; keys and values from `context`, which is `x` itself unless another sequence is given.

    d_model     width of x and of the answer
    n_heads     heads, H
    d_key       key width of a head, K (default d_model / H)
    d_value     value width of a head, V (default d_key)
    d_context   width of the context (default d_model)
    n_kv_heads  key/value heads, each shared by a group of heads (default H)
    causal      True: no token sees a later one
    dropout     share of the weights dropped while training
    bias        whether the projections add one; or which of them do, such as "qkv"
    scorer      DotProduct(), DenseSynthesizer(…) or RandomSynthesizer(…)
    weigher     softmax, sigmoid, quiet_softmax or a function of yours
    query_norm, key_norm   normalise queries and keys (see blocks.RMSNorm)
    learned     which projections exist, "qkvo": "qkv" has no output matrix, "" is attention without any weights
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int = 1,
        *,
        d_key: int | None = None,
        d_value: int | None = None,
        d_context: int | None = None,
        n_kv_heads: int | None = None,
        causal: bool = False,
        dropout: float = 0.0,
        bias: bool | str = True,
        scorer: Scorer | None = None,
        weigher: Weigher = softmax,
        query_norm: nn.Module | None = None,
        key_norm: nn.Module | None = None,
        learned: str = "qkvo",
    ) -> None:
        super().__init__()
        checks.at_least_one(d_model=d_model, n_heads=n_heads, d_key=d_key, d_value=d_value, d_context=d_context)
        checks.choices(dropout, learned)
        self.d_model, self.d_context = d_model, d_context or d_model
        self.n_heads, self.n_kv_heads = n_heads, n_heads if n_kv_heads is None else n_kv_heads
        self.d_key = d_key or checks.head_width(d_model, n_heads)
        self.d_value = d_value or self.d_key
        self.causal, self.dropout = causal, dropout
        self.scorer: Scorer = scorer or DotProduct()
        self.weigher = weigher
        checks.sharing(self.n_heads, self.n_kv_heads)

        def projection(letter: str, d_in: int, d_out: int) -> nn.Linear | None:
            if letter in learned:
                return nn.Linear(d_in, d_out, bias=bias if isinstance(bias, bool) else letter in bias)
            if letter != "o" and d_in != d_out:
                raise InputError(
                    f"Without a learned '{letter}' the width must stay {d_in}, but heads × width = {d_out}."
                )
            return None

        uses = self.scorer.uses
        self.query_norm = query_norm if "queries" in uses else None
        self.key_norm = key_norm if "keys" in uses else None
        self.query = projection("q", d_model, self.n_heads * self.d_key) if "queries" in uses else None
        self.key = projection("k", self.d_context, self.n_kv_heads * self.d_key) if "keys" in uses else None
        self.value = projection("v", self.d_context, self.n_kv_heads * self.d_value)
        self.output = projection("o", self.n_heads * self.d_value, d_model)

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        angles: Angles | None = None,
        cache: Cache | None = None,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B Tq D"]:
        """One answer per row of `x`.

        mask        who may look at whom: bool, broadcast to B H Tq Tk
        score_bias  numbers added to the scores, broadcast likewise
        angles      cosines and sines to turn queries and keys by (positions.Rotary makes them)
        cache       what was read before: x is then only the new rows, while Tk counts all
        """
        checks.rows("x", x, self.d_model)
        x = see("inputs", x)
        if context is not None:
            checks.rows("context", context, self.d_context)
            if context.shape[0] != x.shape[0]:
                raise InputError(f"`x` is a batch of {x.shape[0]}, but `context` is one of {context.shape[0]}.")
            if self.causal:
                raise InputError("This attention is causal: it looks back within one sequence, and takes no `context`.")
            context = see("context", context)
        if angles is not None:
            checks.angles(angles[0], x, context, self.d_key)
            angles = see("cosines", angles[0].to(x.dtype)), see("sines", angles[1].to(x.dtype))
        queries = self._queries(x, angles, see)
        keys, values = self._keys_and_values(x, context, angles, cache, see)
        mixed = attend(
            queries, keys, values, scorer=self.scorer, weigher=self.weigher, mask=mask, causal=self.causal,
            score_bias=score_bias, dropout=self.dropout if self.training else 0.0, see=see,
        )  # fmt: skip
        joined = see("joined", join_heads(mixed))
        if self.output is None:
            return see("output", joined, "bare")
        return see("output", project(self.output, joined, "output", see))

    def _queries(self, x: Tensor, angles: Angles | None, see: Watcher) -> Float[Tensor, "B H Tq K"]:
        if "queries" not in self.scorer.uses:
            return x.new_empty(x.shape[0], self.n_heads, x.shape[1], 0)
        queries = _heads(self.query, x, self.n_heads, "query", "queries", see)
        if self.query_norm is not None:
            queries = self.query_norm(queries, see=within(see, "query_norm"))
        return queries if angles is None else see("rotated_queries", rotate(queries, *angles))

    def _keys(self, source: Tensor, angles: Angles | None, see: Watcher) -> Float[Tensor, "B G Tk K"]:
        if "keys" not in self.scorer.uses:
            return source.new_empty(source.shape[0], self.n_kv_heads, source.shape[1], 0)
        keys = _heads(self.key, source, self.n_kv_heads, "key", "keys", see)
        if self.key_norm is not None:
            keys = self.key_norm(keys, see=within(see, "key_norm"))
        return keys if angles is None else see("rotated_keys", rotate(keys, *angles))

    def _keys_and_values(
        self, x: Tensor, context: Tensor | None, angles: Angles | None, cache: Cache | None, see: Watcher
    ) -> tuple[Float[Tensor, "B G Tk K"], Float[Tensor, "B G Tk V"]]:
        source = x if context is None else context
        if cache is None:
            return self._keys(source, angles, see), _heads(self.value, source, self.n_kv_heads, "value", "values", see)
        if context is not None and cache.length not in (0, context.shape[1]):
            raise InputError(f"This cache has read a context of {cache.length} tokens; now it has {context.shape[1]}.")
        if context is None or cache.length == 0:  # a context is read once; the text being written grows
            values = _heads(self.value, source, self.n_kv_heads, "value", "values", nothing)
            cache.append(self._keys(source, angles, nothing), values)
        keys = see("keys", cache.keys, "cached") if "keys" in self.scorer.uses else cache.keys
        return keys, see("values", cache.values, "cached")


def _heads(linear: nn.Linear | None, rows: Tensor, n_heads: int, name: str, stage: str, see: Watcher) -> Tensor:
    if linear is None:
        return see(stage, split_heads(rows, n_heads), "bare")
    return see(stage, split_heads(project(linear, rows, name, see), n_heads))
