"""What the blocks of a model that attends come to: weights, work, and what training keeps of each token.

Knows attention, feed-forward networks, norms and positions; not which model has how many of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import mul
from types import MappingProxyType
from typing import Any, Self

import torch.nn.functional as F

from glassformer.layers.blocks import ACTIVATIONS, Gated
from glassformer.layers.kernels import tanh_gelu
from glassformer.layers.positions import SCHEMES, Scheme
from glassformer.models import config as configs
from glassformer.models.size_formulas.parts import LETTERS, PartSize, row
from glassformer.models.size_formulas.quantities import NOTHING, Quantity, letter

KEPT_BY_BENDS = MappingProxyType({F.relu: 1, tanh_gelu: 3})  # hidden rows, so often; by others as they were, and bent


@dataclass(frozen=True)
class Shape:
    """What the blocks of a model have in common."""

    config: Any
    tokens: int

    @property
    def letters(self) -> dict[str, int]:
        """The sizes by their letters."""
        config = self.config
        key = config.key_width or config.width // config.heads
        return {
            "N": config.vocabulary,
            "Y": getattr(config, "classes", 0),
            "D": config.width,
            "T": config.length,
            "E": getattr(config, "encoder_layers", 0),
            "L": getattr(config, "decoder_layers", 0) or getattr(config, "layers", 0),
            "H": config.heads,
            "G": getattr(config, "kv_heads", 0) or config.heads,
            "K": key,
            "V": config.value_width or key,
            "F": config.hidden,
        }

    def __getitem__(self, sign: str) -> Quantity:
        return letter(sign, self.letters[sign])

    def plain(self) -> Self:
        """The same shape for cross-attention: it never shares, scores otherwise, norms queries or counts positions."""
        config = configs.TranslatorConfig(**{**configs.to_dict(self.config), "positions": "none"})
        return type(self)(config, self.tokens)

    def option(self, name: str, default: Any) -> Any:
        """A setting that not every family has."""
        return getattr(self.config, name, default)

    @property
    def scorer(self) -> str:
        """How scores are made."""
        return str(self.option("scorer", "dot product"))

    @property
    def norms_heads(self) -> bool:
        """Whether queries and keys, where there are any, are normed head by head."""
        return bool(self.option("query_key_norm", False))

    @property
    def positions(self) -> Scheme:
        """How order is told."""
        return SCHEMES[self.config.positions]

    @property
    def fused(self) -> bool:
        """Whether the fused kernel can be trained with, which keeps no weights. On a processor it cannot drop any."""
        plain = self.scorer == "dot product" and self.option("weigher", "softmax") == "softmax"
        return plain and not self.weight_dropout

    @property
    def dropout(self) -> float:
        """The share dropped after each layer of a block; one attention by itself drops nothing."""
        return float(self.config.dropout) if self.option("layers", 1) else 0.0

    @property
    def weight_dropout(self) -> float:
        """The share of attention's weights that is dropped."""
        return float(self.config.attention_dropout) if self.option("layers", 1) else 0.0

    # --- weights and work ---------------------------------------------------------------------------------------

    def attention(self) -> tuple[Quantity, int]:
        """The weights of one attention, and its work for one text."""
        D, H, K, V, T = self["D"], self["H"], self["K"], self["V"], self["T"]
        G = H if self.letters["G"] == H.value else self["G"]
        projected = {
            "dot product": (2 * K + V) * H if G is H else K * H + (K + V) * G,
            "dense synthesizer": K * H + V * G,
            "random synthesizer": V * G,
        }[self.scorer]
        scorer = {"dense synthesizer": H * K * T + H * T, "random synthesizer": H * T * T}.get(self.scorer, NOTHING)
        bias = projected + D if self.option("bias", True) else projected if self.option("qkv_bias", False) else NOTHING
        norms = (
            {"dot product": 2 * K, "dense synthesizer": K}.get(self.scorer, NOTHING) if self.norms_heads else NOTHING
        )
        matrices = D * projected + H * V * D
        scored = 0 if self.scorer == "random synthesizer" else K.value
        looks = 2 * H.value * (scored + V.value) * self.tokens
        return matrices + bias + norms + scorer, (2 * matrices.value + looks) * self.tokens

    def feed_forward(self) -> tuple[Quantity, int]:
        """The weights of one feed-forward network, and its work for one text."""
        D, F = self["D"], self["F"]
        inner = 2 if isinstance(ACTIVATIONS[self.config.activation], Gated) else 1
        matrices = (inner + 1) * D * F
        bias = ((inner * F if inner > 1 else F) + D) if self.option("bias", True) else NOTHING
        return matrices + bias, 2 * matrices.value * self.tokens

    def norm(self, count: int = 1) -> Quantity:
        """The weights of some norms."""
        each = 2 * self["D"] if self.config.norm == "layer" else self["D"]
        return count * each if count > 1 else each

    def blocks(self, sign: str, name: str, *, cross: bool = False) -> list[PartSize]:
        """All blocks of a kind, part by part."""
        count = self[sign]
        if count.value == 0:
            return []
        parts = {"attention": self.attention()}
        if cross:
            parts["cross-attention"] = self.plain().attention()
        parts |= {"feed-forward": self.feed_forward(), "norms": (self.norm(3 if cross else 2), 0)}
        return [row(f"{name}: {part}", count * each, count.value * work) for part, (each, work) in parts.items()]

    # --- what training keeps, in numbers per token --------------------------------------------------------------

    def kept_norm(self) -> int:
        """Its input, and the one or two numbers it was normed by."""
        return self.letters["D"] + (2 if self.config.norm == "layer" else 1)

    def kept_attention(self, *, causal: bool = False) -> int:
        """Its normed input, queries, keys, values and answer; off the fused kernel also the weights, once or more."""
        of = self.letters
        queries, keys, values = of["H"] * of["K"], of["G"] * of["K"], of["G"] * of["V"]
        if self.scorer != "dot product":
            queries, keys = (2 * queries if self.scorer == "dense synthesizer" else 0), 0
        normed = queries + keys + (of["H"] if queries else 0) + (of["G"] if keys else 0) if self.norms_heads else 0
        copies = 3 if self.weight_dropout else (1 if self.option("weigher", "softmax") == "sigmoid" else 2)
        weights = self.kept_by_kernel(causal) if self.fused else copies * self.tokens
        return of["D"] + queries + keys + values + normed + of["H"] * of["V"] + of["H"] * weights

    def kept_by_kernel(self, causal: bool) -> int:
        """Of one head: one number for each query, and the bias; where values are not as wide as keys there
        is no kernel, and torch keeps the weights."""
        return 1 + self.kept_bias(causal) if self.letters["K"] == self.letters["V"] else self.tokens

    def kept_bias(self, causal: bool) -> int:
        """Of one head, by the fused kernel: the bias, masked; or the weights, if the bias is to be learned. A fixed one
        that only the future is hidden from is the same for all texts of a batch, and not counted."""
        of_each_text = self.positions.weights or not causal
        return self.tokens if self.positions.bias and of_each_text else 0

    def kept_feed_forward(self) -> int:
        """Its normed input, and its hidden rows as often as its activation needs them."""
        activation = ACTIVATIONS[self.config.activation]
        if isinstance(activation, Gated):  # and what the gate opens, and what comes through
            copies = KEPT_BY_BENDS.get(activation.bend, 2) + 2
        else:
            copies = KEPT_BY_BENDS.get(activation, 2)
        return self.letters["D"] + self.letters["F"] * copies

    def kept_block(self, *, cross: bool = False, causal: bool = False) -> int:
        """All sublayers, each with its norm and, where something is dropped, what was."""
        dropped = self.letters["D"] if self.dropout else 0
        kept = self.kept_attention(causal=causal) + self.kept_feed_forward() + 2 * (self.kept_norm() + dropped)
        return kept + (self.plain().kept_attention() + self.kept_norm() + dropped if cross else 0)


def positions(shape: Shape, stacks: int = 1) -> Sequence[PartSize]:
    """The weights of the scheme, whose product is written in letters and figures; a bias has them in each stack."""
    scheme = shape.positions
    if not scheme.weights:
        return []
    factors = [shape[sign] if sign in LETTERS else Quantity.of(int(sign)) for sign in scheme.weights.split("·")]
    more = [Quantity.of(stacks)] if scheme.bias and stacks > 1 else []
    return [row("positions", reduce(mul, [*more, *factors]))]
