"""The sizes of each family of models, part by part: how many of which layers it has, and what stands around them.

Each is asked for the parts of one config, for texts of so many tokens. What a block comes to is in blocks.py.
"""

from typing import Any

from glassformer.models import config as configs
from glassformer.models.size_formulas.blocks import Shape, positions
from glassformer.models.size_formulas.parts import FamilySizes, PartSize, row
from glassformer.models.size_formulas.quantities import NOTHING, letter

SMALL = "₁₂₃₄₅₆₇₈₉₀"

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
        sign = "F" if last else f"F{SMALL[i % 10]}"
        outputs, letters[sign] = letter(sign, width), width
        rows.append(row(f"layer {i + 1}", inputs * outputs + outputs, 2 * inputs.value * width))
        inputs = outputs
    return FamilySizes(letters, [*rows, head], config.length * config.width + sum(config.hidden))


def _convolution(config: configs.ConvolutionConfig, tokens: int) -> FamilySizes:
    embedding, head, letters = _ends(config, "F", config.hidden)
    letters["M"] = config.kernel
    M, F = letter("M", config.kernel), letter("F", config.hidden)
    inputs, windows, kept = letter("D", config.width), config.length, config.length * config.width
    rows = [embedding]
    for i, filters in enumerate(config.filters):
        sign = f"C{SMALL[i % 10]}"
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


def _encoder(config: configs.EncoderConfig, tokens: int) -> FamilySizes:
    shape = Shape(config, tokens)
    embedding, head, _ = _ends(config, "D", config.width)
    D = shape["D"]
    rows = [embedding, *positions(shape), *([row("embedding norm", shape.norm())] if config.embedding_norm else [])]
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
        *positions(shape, stacks=2),
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
        *positions(shape),
        *shape.blocks("L", "blocks"),
        row("final norm", shape.norm()),
        row("output (tied)" if config.tied else "output", output, 2 * of["N"] * of["D"] * tokens),
    ]
    kept = of["L"] * shape.kept_block(causal=True) + shape.kept_norm() + of["D"] + (of["D"] if config.dropout else 0)
    keys = of["K"] if config.scorer == "dot product" else 0
    return FamilySizes(of, rows, kept * tokens, of["L"] * of["G"] * (keys + of["V"]))


PLANS: dict[type, Any] = {
    configs.NgramConfig: _ngrams,
    configs.RecurrentConfig: _recurrent,
    configs.DenseConfig: _dense,
    configs.ConvolutionConfig: _convolution,
    configs.EncoderConfig: _encoder,
    configs.TranslatorConfig: _translator,
    configs.LanguageModelConfig: _language_model,
}
