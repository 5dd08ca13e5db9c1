"""What stands around attention in a Transformer: norms, the feed-forward network, and the block of them all.

Every layer hands its stages to a watcher, as attention does. Nothing here knows of text, of training or of positions:
what those hand to attention passes through. The legend of shapes is the one of attention.py; F is the feed-forward
width.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.layers.attention import Angles, Attention, drop, project
from glassformer.layers.cache import BlockCache
from glassformer.layers.kernels import dropout, rms_norm, squared_relu, tanh_gelu
from glassformer.stages.watchers import Watcher, Witness, nothing, within

# --- Norms: bring every row to a common size --------------------------------------------------------------------
# As in attention, looking works the steps for the eye while the kernel gives the answer, unless a step was rewritten.


class LayerNorm(nn.Module):
    """(x − μ) / √(σ² + ε), then stretched and shifted by learned columns."""

    def __init__(self, width: int, *, epsilon: float = 1e-5, bias: bool = True) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, rows: Float[Tensor, "*rows D"], *, see: Watcher = nothing) -> Float[Tensor, "*rows D"]:
        """The rows, each with mean 0 and variance 1 before the stretch."""
        rows, weight = see("norm_inputs", rows), see("norm_weight", self.weight)
        bias = None if self.bias is None else see("norm_bias", self.bias)
        if see is not nothing:
            witness = Witness(see)
            mean = witness("mean", rows.mean(-1))  # rows
            variance = witness("variance", (rows - mean[..., None]).square().mean(-1))
            epsilon = witness("epsilon", rows.new_tensor(self.epsilon))
            if witness.rewritten:
                normed = (rows - mean[..., None]) / (variance + epsilon).sqrt()[..., None] * weight
                return see("normed", normed if bias is None else normed + bias, "layer norm")
        return see("normed", F.layer_norm(rows, weight.shape, weight, bias, self.epsilon), "layer norm")


class RMSNorm(nn.Module):
    """x / √(mean of squares + ε), then stretched by learned columns: only the size is taken out, not the mean."""

    def __init__(self, width: int, *, epsilon: float = 1e-6) -> None:
        super().__init__()
        self.epsilon = epsilon
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, rows: Float[Tensor, "*rows D"], *, see: Watcher = nothing) -> Float[Tensor, "*rows D"]:
        """The rows, each with mean square 1 before the stretch."""
        rows, weight = see("norm_inputs", rows), see("norm_weight", self.weight)
        if see is not nothing:
            witness = Witness(see)
            mean_square = witness("mean_square", rows.square().mean(-1))  # rows
            epsilon = witness("epsilon", rows.new_tensor(self.epsilon))
            if witness.rewritten:
                return see("normed", rows / (mean_square + epsilon).sqrt()[..., None] * weight, "rms norm")
        return see("normed", rms_norm(rows, weight, self.epsilon), "rms norm")


NORMS: Choices[Callable[..., nn.Module]] = Choices("norm", {"layer": LayerNorm, "rms": RMSNorm})


def norm_of(name: str, epsilon: float = 0.0) -> Callable[[int], nn.Module]:
    """What makes a norm from a width; with an ε other than its own, if one is given."""
    return partial(NORMS[name], epsilon=epsilon) if epsilon else NORMS[name]


# --- The feed-forward network: each row by itself, widened, bent, and brought back ------------------------------


@dataclass(frozen=True)
class Gated:
    """An activation with a second matrix beside the one that widens: its rows, bent, say how far each column is
    opened."""

    bend: Callable[[Tensor], Tensor]

    def __call__(self, expanded: Tensor, gate: Tensor) -> Tensor:
        return self.bend(gate) * expanded


ACTIVATIONS: Choices[Callable[..., Tensor]] = Choices(
    "activation",
    {
        "relu": F.relu,
        "gelu": F.gelu,
        "tanh gelu": tanh_gelu,
        "squared relu": squared_relu,
        "silu": F.silu,
        "swiglu": Gated(F.silu),
        "geglu": Gated(F.gelu),
        "reglu": Gated(F.relu),
    },
)


class FeedForward(nn.Module):
    """Two matrices with a bend between them. Some draw it as a convolution of kernel size 1: the same thing."""

    def __init__(self, d_model: int, d_hidden: int, *, activation: str = "relu", bias: bool = True) -> None:
        super().__init__()
        gated = isinstance(ACTIVATIONS[activation], Gated)
        self.activation = activation
        self.expand = nn.Linear(d_model, d_hidden, bias=bias)
        self.gate = nn.Linear(d_model, d_hidden, bias=bias) if gated else None
        self.contract = nn.Linear(d_hidden, d_model, bias=bias)

    def forward(self, x: Float[Tensor, "B T D"], *, see: Watcher = nothing) -> Float[Tensor, "B T D"]:
        """Each row on its own; no row sees another."""
        x = see("forward_inputs", x)
        hidden = [see("expanded", project(self.expand, x, "expand", see))]  # B T F
        if self.gate is not None:
            hidden.append(see("gate", project(self.gate, x, "gate", see)))
        activated = see("activated", ACTIVATIONS[self.activation](*hidden), self.activation)
        return see("contracted", project(self.contract, activated, "contract", see))


# --- Blocks -----------------------------------------------------------------------------------------------------


class Sublayer(nn.Module):
    """Add & norm around a layer: x + layer(norm(x)) with the norm first, norm(x + layer(x)) with it last."""

    def __init__(self, layer: nn.Module, norm: nn.Module, *, norm_first: bool, dropout: float = 0.0) -> None:
        super().__init__()
        self.layer, self.norm = layer, norm
        self.norm_first, self.dropout = norm_first, dropout

    def forward(
        self, x: Float[Tensor, "B T D"], *others: Tensor, see: Watcher = nothing, **options: Any
    ) -> Float[Tensor, "B T D"]:
        """The rows plus what the layer found; `others` and `options` are the layer's own."""
        x = see("skipped", x)
        answer = self.layer(self._normed(x, see) if self.norm_first else x, *others, see=see, **options)
        if self.training and self.dropout > 0.0:
            answer = drop(answer, self.dropout, ("residual_dropout_rate", "dropped_output"), see, dropout)
        added = see("added", x + answer)
        return added if self.norm_first else self._normed(added, see)

    def _normed(self, x: Tensor, see: Watcher) -> Tensor:
        return self.norm(x, see=within(see, "norm"))  # type: ignore[no-any-return]


class Block(nn.Module):
    """Self-attention, cross-attention if there is another sequence to read, and feed-forward, each with add & norm."""

    def __init__(self, attention: Sublayer, feed_forward: Sublayer, cross: Sublayer | None = None) -> None:
        super().__init__()
        self.attention, self.cross, self.feed_forward = attention, cross, feed_forward

    def forward(
        self,
        x: Float[Tensor, "B Tq D"],
        context: Float[Tensor, "B Tk C"] | None = None,
        *,
        mask: Tensor | None = None,
        context_mask: Tensor | None = None,
        score_bias: Tensor | None = None,
        angles: Angles | None = None,
        cache: BlockCache | None = None,
        see: Watcher = nothing,
    ) -> Float[Tensor, "B Tq D"]:
        """`mask`, `score_bias` and `angles` are for x looking at x, `context_mask` for x looking at the context."""
        if (context is None) != (self.cross is None):
            raise InputError("A block with cross-attention needs a `context`; one without it takes none.")
        own, other = (cache.own, cache.cross) if cache else (None, None)
        x = self.attention(x, mask=mask, score_bias=score_bias, angles=angles, cache=own, see=within(see, "self"))
        if self.cross is not None:
            x = self.cross(x, context, mask=context_mask, cache=other, see=within(see, "cross"))
        return self.feed_forward(x, see=within(see, "feed_forward"))  # type: ignore[no-any-return]


def block(
    d_model: int,
    n_heads: int,
    d_hidden: int,
    *,
    causal: bool = False,
    cross: bool = False,
    norm: Callable[[int], nn.Module] = LayerNorm,
    norm_first: bool = True,
    activation: str = "relu",
    dropout: float = 0.0,
    attention_dropout: float | None = None,
    bias: bool = True,
    qkv_bias: bool = False,
    d_key: int | None = None,
    d_value: int | None = None,
    **attention: Any,
) -> Block:
    """A block from a few numbers; `attention` goes to its self-attention (`n_kv_heads`, `scorer`, `weigher`, …).

    Weights of attention are dropped like all else, unless told otherwise: without it the fused kernel can train too.
    """
    weight_dropout = dropout if attention_dropout is None else attention_dropout

    def sublayer(layer: nn.Module) -> Sublayer:
        return Sublayer(layer, norm(d_model), norm_first=norm_first, dropout=dropout)

    which = "qkv" if qkv_bias and not bias else bias
    alike: dict[str, Any] = {"d_key": d_key, "d_value": d_value, "dropout": weight_dropout, "bias": which}
    own = Attention(d_model, n_heads, causal=causal, **alike, **attention)
    other = Attention(d_model, n_heads, **alike) if cross else None
    forward = FeedForward(d_model, d_hidden, activation=activation, bias=bias)
    return Block(sublayer(own), sublayer(forward), sublayer(other) if other else None)


def encoder_block(d_model: int, n_heads: int, d_hidden: int, **options: Any) -> Block:
    """Every token looks at every token."""
    return block(d_model, n_heads, d_hidden, **options)


def decoder_block(d_model: int, n_heads: int, d_hidden: int, **options: Any) -> Block:
    """Masked self-attention over what was written so far, cross-attention to what was read, feed-forward."""
    return block(d_model, n_heads, d_hidden, causal=True, cross=True, **options)
