"""How large a model is, by formula: its parameters part by part, its FLOPs, its memory. It builds nothing.

Every count is a formula in letters, the same in numbers, and their value; the sum is the number of parameters of the
real module. FLOPs count a multiplication with its addition as two, as is usual, and only matrix products. Memory is for
float32; the activations that training keeps for the backward pass are counted as torch keeps them.

The letters of heads and widths are those of attention.py.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import mul
from types import MappingProxyType
from typing import Any, Self

import torch.nn.functional as F

from glassformer.layers.blocks import ACTIVATIONS, Gated
from glassformer.layers.kernels import tanh_gelu
from glassformer.layers.positions import SCHEMES, Scheme
from glassformer.models import config as configs
from glassformer.models.quantities import NOTHING, Quantity, letter
from glassformer.models.registry import MODELS

LETTERS = MappingProxyType(
    {
        "N": "tokens of the vocabulary",
        "Y": "classes",
        "D": "width",
        "T": "longest text",
        "E": "encoder blocks",
        "L": "blocks",
        "H": "heads",
        "G": "key/value heads",
        "K": "key width of a head",
        "V": "value width of a head",
        "F": "hidden width",
        "S": "state",
        "C": "filters",
        "M": "words in a window",
        "W": "windows",
        "P": "n-grams",
    }
)
USUAL_TOKENS = 500  # of a text for a model that has no longest one, as in the notes
TRAINING = 3  # forward and backward together have this many times the FLOPs of forward
BYTES = 4  # of a float32
KEPT_BY_BENDS = MappingProxyType({F.relu: 1, tanh_gelu: 3})  # hidden rows, so often; by others as they were, and bent


@dataclass(frozen=True)
class PartSize:
    """One part of a model: its parameters by formula, and its FLOPs for one text."""

    part: str
    formula: str
    numbers: str
    count: int
    flops: int


def row(part: str, weights: Quantity, flops: int = 0) -> PartSize:
    """A row from its formula."""
    return PartSize(part, weights.letters, weights.numbers, weights.value, flops)


@dataclass(frozen=True)
class Sizes:
    """A model's parameters, FLOPs and memory, for one text of so many tokens (a translator's has two sides)."""

    model: str
    rows: tuple[PartSize, ...]
    letters: dict[str, int]
    tokens: int
    kept: int  # activations that training keeps of one text for the backward pass
    remembered: int  # numbers of each token in the KV cache
    sides: int = 1  # texts that it takes at once: a translator's source and target

    @property
    def tokens_of_a_side(self) -> int:
        """Of the text; of a translator's, each of the two."""
        return self.tokens // self.sides

    @property
    def parameters(self) -> int:
        """All parameters."""
        return sum(each.count for each in self.rows)

    @property
    def forward(self) -> int:
        """FLOPs for one text."""
        return sum(each.flops for each in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; memory in bytes."""
        weights = BYTES * self.parameters
        return {
            "model": self.model,
            "parameters": self.parameters,
            "table": [asdict(each) for each in self.rows],
            "letters": self.letters,
            "flops": {
                "tokens": self.tokens,
                "forward": self.forward,
                "forward_per_token": self.forward / self.tokens,
                "training_per_token": TRAINING * self.forward / self.tokens,
            },
            "memory": {
                "weights": weights,
                "gradients": weights,
                "optimizer": 2 * weights,  # AdamW's two moments
                "activations_per_token": BYTES * self.kept / self.tokens,
                "cache_per_token": BYTES * self.remembered,
            },
        }


def sizes(name: str, config: Any | None = None, *, tokens: int | None = None) -> Sizes:
    """The sizes of a model of the table, for texts of so many tokens (default: the longest it can take)."""
    config = MODELS[name].default if config is None else config
    fixed = isinstance(config, configs.DenseConfig | configs.ConvolutionConfig)  # it always sees its whole length
    tokens = getattr(config, "length", USUAL_TOKENS) if tokens is None or fixed else tokens
    plan = _PLANS[type(config)](config, tokens)
    used = {sign for each in plan.rows for sign in re.findall(f"[A-Z][{_SMALL}]?", each.formula)}
    letters = {sign: value for sign, value in plan.letters.items() if sign in used}
    sides = 2 if isinstance(config, configs.TranslatorConfig) else 1
    return Sizes(name, tuple(plan.rows), letters, sides * tokens, plan.kept, plan.remembered, sides)


def count_parameters(name: str, config: Any | None = None) -> int:
    """All parameters of a model, before any of them takes up memory."""
    return sizes(name, config, tokens=1).parameters


@dataclass
class FamilySizes:
    """What a family has to say of itself."""

    letters: dict[str, int]
    rows: list[PartSize]
    kept: int
    remembered: int = 0


# --- classifiers that do not attend -----------------------------------------------------------------------------


def _ends(config: Any, last: str, wide: int) -> tuple[PartSize, PartSize, dict[str, int]]:
    """Embedding and head of a classifier, whose last rows are so wide."""
    letters = {"N": config.vocabulary, "Y": config.classes, "D": config.width, last: wide}
    N, Y, D, W = (letter(sign, letters[sign]) for sign in ("N", "Y", "D", last))
    return row("embedding", N * D), row("head", W * Y + Y, 2 * wide * config.classes), letters


def _ngrams(config: configs.NgramConfig, tokens: int) -> FamilySizes:
    """Weights and a bias. Kept of each token: where its three n-grams stand, whether they count, and their ratios."""
    letters = {"P": config.ngrams, "Y": config.classes}
    rows = [row("weights", letter("P", config.ngrams)), row("bias", letter("Y", config.classes))]
    return FamilySizes(letters, rows, (7 + 3 * config.classes) * tokens)


def _recurrent(config: configs.RecurrentConfig, tokens: int) -> FamilySizes:
    embedding, head, letters = _ends(config, "S", config.state)
    D, S = letter("D", config.width), letter("S", config.state)
    ways = 2 if config.both_ways else 1
    copies = config.gates * ways
    rows, kept = [embedding], 0
    for layer in range(config.layers):
        inputs = D if layer == 0 else (2 * S if config.both_ways else S)
        weights = inputs * S + S * S + 2 * S
        matrices = copies * config.state * (inputs.value + config.state)
        rows.append(row(f"layer {layer + 1}", copies * weights if copies > 1 else weights, 2 * matrices * tokens))
        kept += ways * _kept_one_way(config, inputs.value)
    return FamilySizes(letters, [*rows, head], kept * tokens)


def _kept_one_way(config: configs.RecurrentConfig, inputs: int) -> int:
    """Of each token: the input and the state; gates too, and in an LSTM the workspace of its kernel, which no formula
    tells: its two factors are measured."""
    if config.lstm:
        return inputs + 6 * max(inputs, config.state) + 10 * config.state
    return inputs + (7 if config.gru else 1) * config.state


def _dense(config: configs.DenseConfig, tokens: int) -> FamilySizes:
    embedding, head, letters = _ends(config, "F", config.hidden[-1])
    letters["T"] = config.length
    inputs = letter("T", config.length) * letter("D", config.width)
    rows = [embedding]
    for i, width in enumerate(config.hidden):
        last = i == len(config.hidden) - 1
        sign = "F" if last else f"F{_SMALL[i % 10]}"
        outputs, letters[sign] = letter(sign, width), width
        rows.append(row(f"layer {i + 1}", inputs * outputs + outputs, 2 * inputs.value * width))
        inputs = outputs
    return FamilySizes(letters, [*rows, head], config.length * config.width + sum(config.hidden))


_SMALL = "₁₂₃₄₅₆₇₈₉₀"


def _convolution(config: configs.ConvolutionConfig, tokens: int) -> FamilySizes:
    embedding, head, letters = _ends(config, "F", config.hidden)
    letters["M"] = config.kernel
    M, F = letter("M", config.kernel), letter("F", config.hidden)
    inputs, windows, kept = letter("D", config.width), config.length, config.length * config.width
    rows = [embedding]
    for i, filters in enumerate(config.filters):
        sign = f"C{_SMALL[i % 10]}"
        outputs, letters[sign] = letter(sign, filters), filters
        windows = (windows - config.kernel) // config.stride + 1
        weights = inputs * outputs * M + outputs
        rows.append(row(f"convolution {i + 1}", weights, 2 * inputs.value * filters * config.kernel * windows))
        inputs, kept = outputs, kept + filters * windows
    flat = inputs if config.pooled else inputs * letter("W", windows)
    letters["W"] = windows
    rows.append(row("hidden layer", flat * F + F, 2 * flat.value * config.hidden))
    return FamilySizes(letters, [*rows, head], kept + config.hidden)


# --- models that attend -----------------------------------------------------------------------------------------


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


def _encoder(config: configs.EncoderConfig, tokens: int) -> FamilySizes:
    shape = Shape(config, tokens)
    embedding, head, _ = _ends(config, "D", config.width)
    D = shape["D"]
    rows = [embedding, *_positions(shape), *([row("embedding norm", shape.norm())] if config.embedding_norm else [])]
    norms = int(config.embedding_norm) + int(bool(config.layers) and config.norm_first)
    kept = shape.letters["L"] * shape.kept_block() + norms * shape.kept_norm()
    if config.layers == 0 and config.learned:
        kept += shape.kept_attention()
        rows.append(row("attention", *shape.attention()))
    elif config.layers == 0:  # queries, keys and values are the embedded words themselves
        again = config.width if shape.positions.weights else 0  # where a bias is learned, the kernel is another
        kept += 2 * config.width + config.heads * (1 + shape.kept_bias(causal=False)) + again
        rows.append(row("attention", NOTHING, 4 * config.width * tokens * tokens))
    final = bool(config.layers) and config.norm_first
    rows += [*shape.blocks("L", "blocks"), *([row("final norm", shape.norm())] if final else [])]
    rows += [*([row("pooler", D * D + D, 2 * config.width**2)] if config.pooler else []), head]
    return FamilySizes(shape.letters, rows, kept * tokens)


def _translator(config: configs.TranslatorConfig, tokens: int) -> FamilySizes:
    shape = Shape(config, tokens)
    of = shape.letters
    norms = [row("final norms", shape.norm(2))] if config.norm_first else []
    rows = [
        row("embedding", shape["N"] * shape["D"]),
        *_positions(shape, stacks=2),
        *shape.blocks("E", "encoder"),
        *shape.blocks("L", "decoder", cross=True),
        *norms,
        row("output (tied), bias", shape["N"], 2 * of["N"] * of["D"] * tokens),
    ]
    ends = 2 * (shape.kept_norm() + of["D"] if config.norm_first else 0) + (2 * of["D"] if config.dropout else 0)
    kept = of["E"] * shape.kept_block() + of["L"] * shape.kept_block(cross=True, causal=True) + ends
    return FamilySizes(of, rows, kept * tokens, of["L"] * of["H"] * (of["K"] + of["V"]))


def _language_model(config: configs.LanguageModelConfig, tokens: int) -> FamilySizes:
    shape = Shape(config, tokens)
    of = shape.letters
    output = NOTHING if config.tied else shape["D"] * shape["N"]
    rows = [
        row("embedding", shape["N"] * shape["D"]),
        *_positions(shape),
        *shape.blocks("L", "blocks"),
        row("final norm", shape.norm()),
        row("output (tied)" if config.tied else "output", output, 2 * of["N"] * of["D"] * tokens),
    ]
    kept = of["L"] * shape.kept_block(causal=True) + shape.kept_norm() + of["D"] + (of["D"] if config.dropout else 0)
    keys = of["K"] if config.scorer == "dot product" else 0
    return FamilySizes(of, rows, kept * tokens, of["L"] * of["G"] * (keys + of["V"]))


def _positions(shape: Shape, stacks: int = 1) -> Sequence[PartSize]:
    """The weights of the scheme, whose product is written in letters and figures; a bias has them in each stack."""
    scheme = shape.positions
    if not scheme.weights:
        return []
    factors = [shape[sign] if sign in LETTERS else Quantity.of(int(sign)) for sign in scheme.weights.split("·")]
    more = [Quantity.of(stacks)] if scheme.bias and stacks > 1 else []
    return [row("positions", reduce(mul, [*more, *factors]))]


_PLANS: dict[type, Any] = {
    configs.NgramConfig: _ngrams,
    configs.RecurrentConfig: _recurrent,
    configs.DenseConfig: _dense,
    configs.ConvolutionConfig: _convolution,
    configs.EncoderConfig: _encoder,
    configs.TranslatorConfig: _translator,
    configs.LanguageModelConfig: _language_model,
}
