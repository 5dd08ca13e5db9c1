"""A drop-in for `torch.nn.MultiheadAttention`: its constructor, `forward`, parameter names and numbers, on our core.

It translates torch's conventions (packed matrices, masks where True means blocked, masks to be added) and leaves the
attention to attention.py. Where torch gives NaN, for a row that may look at nothing, it gives zeros; asking for the
weights changes no number; and every stage can be seen. It knows nothing of text or of training.

The legend of shapes is the one of attention.py. D is torch's `embed_dim`; `kdim` and `vdim` are context widths.
"""

import math
from collections.abc import Callable
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.attention import attend, causal_mask, join_heads, project, split_heads
from glassformer.stages.watchers import Watcher, nothing

Module = TypeVar("Module", bound=nn.Module)


class AsTorchError(InputError, AssertionError, RuntimeError):
    """What torch's module refuses too, where it asserts or raises a RuntimeError: who waits for that will catch it."""


class MultiheadAttention(nn.Module):
    """Multi-head attention as torch spells it. As there, `batch_first` is False and weights are averaged by default.

    It is no subclass of torch's: a library that asks for one means to reach around `forward`, for torch's fused kernel
    or to quantize it, and would get other numbers than are shown. `to_torch` gives the real one.

    embed_dim, num_heads   width D of queries and answers, and heads H
    dropout                share of the weights dropped while training
    bias                   whether the projections add one
    add_bias_kv            appends one learned key and value
    add_zero_attn          appends one key and value of zeros
    kdim, vdim             widths of `key` and `value` (default embed_dim)
    batch_first            True: inputs are B T D; False: T B D
    """

    # torch's encoder layer reads this name. True would let it take the weights and go around this module while
    # evaluating, to a kernel that gives NaN and that nobody can look into.
    _qkv_same_embed_dim = False

    in_proj_weight: nn.Parameter | None
    in_proj_bias: nn.Parameter | None
    bias_k: nn.Parameter | None
    bias_v: nn.Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise AsTorchError(f"A width of {embed_dim} cannot be divided evenly among {num_heads} heads.")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first, self.add_zero_attn = dropout, batch_first, add_zero_attn

        def parameter(name: str, wanted: bool, *shape: int) -> None:
            room = nn.Parameter(torch.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, room)

        packed = self.kdim == embed_dim == self.vdim
        parameter("in_proj_weight", packed, 3 * embed_dim, embed_dim)
        parameter("q_proj_weight", not packed, embed_dim, embed_dim)
        parameter("k_proj_weight", not packed, embed_dim, self.kdim)
        parameter("v_proj_weight", not packed, embed_dim, self.vdim)
        parameter("in_proj_bias", bias, 3 * embed_dim)
        parameter("bias_k", add_bias_kv, 1, 1, embed_dim)
        parameter("bias_v", add_bias_kv, 1, 1, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draws what torch draws, in torch's order: the same seed gives the same weights."""
        for name, weight in self.named_parameters(recurse=False):
            if name.endswith("proj_weight"):
                nn.init.xavier_uniform_(weight)
            elif name in ("bias_k", "bias_v"):
                nn.init.xavier_normal_(weight)
        if self.in_proj_bias is not None:
            nn.init.zeros_(self.in_proj_bias)
            nn.init.zeros_(self.out_proj.bias)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiheadAttention":
        """The same attention with a copy of the weights of torch's module."""
        return _remade(module, cls)

    def to_torch(self) -> nn.MultiheadAttention:
        """torch's module with a copy of these weights."""
        return _remade(self, nn.MultiheadAttention)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
        *,
        see: Watcher = nothing,
    ) -> tuple[Tensor, Tensor | None]:
        """The answers, and the weights if needed: averaged over the heads, or one matrix per head.

        query, key, value   B T D, T B D or, for one sequence alone, T D
        key_padding_mask    B Tk (Tk for one sequence): True where no query may look, or numbers to add to the scores
        attn_mask           Tq Tk, or one per head as (B·H) Tq Tk, of either kind
        is_causal           no query sees a later key. Beside an `attn_mask` it is only a hint, and the mask decides
        """
        alone = query.ndim == 2
        x, context, third = self._sequences(query, key, value, see)
        queries, keys, values = self._projected(x, context, third, see)
        B, H, Tq, Tk = x.shape[0], self.num_heads, x.shape[1], context.shape[1]
        n_extra = keys.shape[2] - Tk
        causal = is_causal and attn_mask is None
        if causal and n_extra:  # the extra keys stand outside time
            attn_mask, causal = ~causal_mask(Tq, Tk, x.device), False
        masks = [
            _four_axes("attn_mask", attn_mask, ((Tq, Tk), (1, 1, Tq, Tk)), ((B * H, Tq, Tk), (B, H, Tq, Tk))),
            _four_axes("key_padding_mask", key_padding_mask, ((Tk,) if alone else (B, Tk), (B, 1, 1, Tk))),
        ]
        padded = [F.pad(mask, (0, n_extra)) for mask in masks if mask is not None]
        allowed, added = _in_our_terms(padded, queries.dtype)
        kept = _WeightsKeeper(see)
        mixed = attend(
            queries, keys, values, mask=allowed, causal=causal, score_bias=added,
            dropout=self.dropout if self.training else 0.0, see=kept if need_weights else see,
        )  # fmt: skip
        output = see("output", project(self.out_proj, see("joined", join_heads(mixed)), "output", see))
        if not self.batch_first and not alone:
            output = output.transpose(0, 1).contiguous()
        weights = kept.weights if kept.weights is None or not average_attn_weights else kept.weights.mean(1)
        return (output[0], None if weights is None else weights[0]) if alone else (output, weights)

    def _sequences(self, query: Tensor, key: Tensor, value: Tensor, see: Watcher) -> tuple[Tensor, Tensor, Tensor]:
        """What queries, keys and values are made from, each checked and as B T width; often they are the same one."""
        alone = query.ndim == 2
        order = "tokens" if alone else "batch, tokens" if self.batch_first else "tokens, batch"

        def rows(name: str, given: Tensor, width: int) -> Tensor:
            if given.is_nested:
                raise AsTorchError(
                    f"`{name}` is a nested tensor; hand in padded rows and a key_padding_mask. "
                    "In a torch.nn.TransformerEncoder set `use_nested_tensor = False`."
                )
            if given.ndim != (2 if alone else 3) or given.shape[-1] != width:
                raise AsTorchError(f"`{name}` must have shape [{order}, {width}]; it has {list(given.shape)}.")
            if given.dtype != self.out_proj.weight.dtype and not torch.is_autocast_enabled(given.device.type):
                raise AsTorchError(f"`{name}` is {given.dtype}, and the weights are {self.out_proj.weight.dtype}.")
            return given[None] if alone else given if self.batch_first else given.transpose(0, 1)

        x = see("inputs", rows("query", query, self.embed_dim))
        context = x if key is query else see("context", rows("key", key, self.kdim))
        third = context if value is key else rows("value", value, self.vdim)
        if context.shape[:2] != third.shape[:2] or context.shape[0] != x.shape[0]:
            shapes = ", ".join(str(list(given.shape)) for given in (query, key, value))
            raise AsTorchError(f"`key` and `value` must be equally long, and all three of one batch; shapes: {shapes}.")
        return x, context, third

    def _projected(self, x: Tensor, context: Tensor, third: Tensor, see: Watcher) -> list[Float[Tensor, "B H T K"]]:
        """Queries, keys and values. Keys and values may be extended by rows that nobody projected."""
        packed = self.in_proj_weight
        weights = packed.chunk(3) if packed is not None else [self.get_parameter(f"{i}_proj_weight") for i in "qkv"]
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        zeros = [x.new_zeros(1, 1, self.embed_dim)] if self.add_zero_attn else []
        # Two ways that the catalogue does not know, so that nothing is explained wrongly: such stages count as given.
        extended = "extended" if zeros or self.bias_k is not None else ""
        elsewhere = "" if third is context else "from a third sequence"
        plan: list[tuple[str, str, Tensor, list[Tensor | None], str]] = [
            ("query", "queries", x, [], ""),
            ("key", "keys", context, [self.bias_k, *zeros], extended),
            ("value", "values", third, [self.bias_v, *zeros], extended or elsewhere),
        ]
        heads = []
        for (name, stage, rows, extra, how), weight, bias in zip(plan, weights, biases, strict=True):
            shown = see(f"{name}_weight", weight.T)  # torch keeps W transposed; it is shown as it is written
            added = None if bias is None else see(f"{name}_bias", bias).to(weight.dtype)
            made = F.linear(rows, shown.T, added)  # B T D
            more = [row.expand(made.shape[0], -1, -1) for row in extra if row is not None]
            heads.append(see(stage, split_heads(torch.cat([made, *more], 1) if more else made, self.num_heads), how))
        return heads


class _WeightsKeeper:
    """Passes every stage on to another watcher and keeps the weights that were mixed with, gradient and all."""

    def __init__(self, see: Watcher) -> None:
        self.see = see
        self.weights: Tensor | None = None

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        answer = self.see(name, value, how)
        if name in ("weights", "dropped"):  # after dropout, if there is any, as torch does
            self.weights = answer
        return answer


def _four_axes(name: str, mask: Tensor | None, *layouts: tuple[tuple[int, ...], tuple[int, ...]]) -> Tensor | None:
    """The mask with the axes B H Tq Tk; `layouts` are the shapes it may have, each with its four axes."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise AsTorchError(
            f"`{name}` must be boolean, True where a query may not look, or floating-point numbers to add to the "
            f"scores; it is {mask.dtype}. For 0/1 numbers use mask.bool()."
        )
    for shape, whole in layouts:
        if mask.shape == shape:
            return mask.reshape(whole)
    expected = " or ".join(str(list(shape)) for shape, _ in layouts)
    raise AsTorchError(f"`{name}` has shape {list(mask.shape)}; expected {expected}.")


def _in_our_terms(masks: list[Tensor], dtype: torch.dtype) -> tuple[Tensor | None, Tensor | None]:
    """Who may look at whom, and what is added to the scores. To add −∞ is to block."""
    blocked = added = None
    for mask in masks:
        if mask.dtype == torch.bool:
            blocked = mask if blocked is None else blocked | mask
        else:
            added = mask.to(dtype) if added is None else added + mask.to(dtype)
    if added is not None:
        endless = added == -math.inf
        blocked = endless if blocked is None else blocked | endless
        added = added.masked_fill(endless, 0.0)
        if not (torch.compiler.is_compiling() or added.requires_grad or added.any()):  # it only blocks
            added = None
    return None if blocked is None else ~blocked, added


def _remade(source: MultiheadAttention | nn.MultiheadAttention, kind: Callable[..., Module]) -> Module:
    """The other kind of module with a copy of the weights, and the same settings."""
    same = ("embed_dim", "num_heads", "dropout", "add_zero_attn", "kdim", "vdim", "batch_first")
    weight = source.out_proj.weight
    target = kind(
        **{name: getattr(source, name) for name in same},
        bias=source.in_proj_bias is not None, add_bias_kv=source.bias_k is not None,
        device=weight.device, dtype=weight.dtype,
    )  # fmt: skip
    target.load_state_dict(source.state_dict())
    for name, parameter in source.named_parameters():
        target.get_parameter(name).requires_grad_(parameter.requires_grad)
    return target.train(source.training)
