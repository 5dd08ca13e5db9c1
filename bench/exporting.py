"""Models of ours drawn by chance, sent out in every format: whether any export is not the same. Prints a table.

Every model of the registry, with settings drawn by chance and weights large enough that an error shows; each export
is opened by the tool it is for and compared as `glassformer export` does: logits (within 1e-4 in float32), what both
write greedily, how both cut text. What a format cannot hold is to be refused. Each fault is printed with its config.

    python bench/exporting.py [--seed N] [--models N] [--from N] [--to hf,onnx,torch,gguf,ctranslate2] [--only gpt]
"""

import argparse
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers

from glassformer.errors import InputError
from glassformer.exchange.export import TARGETS, export_model
from glassformer.layers.attention import WEIGHERS
from glassformer.layers.blocks import ACTIVATIONS, NORMS
from glassformer.layers.positions import SCHEMES
from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import MODELS, build, configure
from glassformer.objectives.objective import Trained
from glassformer.text.tokens import Tokens

WORDS = ("the", "cat sat", "on", "a", "mat", "and was", "not happy", "about it", ",", "déjà", "vu!", "1984", "",
         "spaces\nlines", "日本", "<b>tags</b>")  # fmt: skip
PRIMES = (2, 3, 5, 7, 11, 13)
Draw = random.Random


@dataclass
class Found:
    """What became of one kind of model in one format."""

    outcomes: Counter[str] = field(default_factory=Counter)
    gap: float = 0.0  # the largest, of those that are the same
    written: int = 0  # texts, alike


def texts_of(draw: Draw) -> list[str]:
    """A hundred."""
    return [" ".join(draw.choices(WORDS, k=draw.choice(PRIMES))).strip() or "the" for _ in range(100)]


def drawn_model(draw: Draw, name: str) -> Trained:
    """A model of ours with weights that nobody taught."""
    heads = draw.choice((1, 2, 3))
    tokens = Tokens.train(draw.choice(("character", "word", "byte-bpe")), texts_of(draw), min_frequency=1)
    usual = to_dict(configure(name, vocabulary=len(tokens)))
    sizes: dict[str, Any] = {
        "width": heads * 2 * draw.choice(PRIMES), "heads": heads, "hidden": draw.choice((17, 31)), "length": 67,
        "state": 7,
    }  # fmt: skip
    settings = {option: value for option, value in sizes.items() if type(usual.get(option)) is int}
    options: dict[str, list[Any]] = {
        "layers": [1, 2], "encoder_layers": [1, 2], "decoder_layers": [1, 2], "kv_heads": [0, 1],
        "activation": list(ACTIVATIONS), "norm": list(NORMS), "positions": list(SCHEMES), "tied": [True, False],
        "bias": [True, False], "qkv_bias": [True, False], "query_key_norm": [True, False], "norm_first": [True, False],
        "weigher": list(WEIGHERS), "scorer": ["dense synthesizer", "random synthesizer"], "epsilon": [1e-3, 1e-6],
        "rotary_base": [500, 77], "pooling": ["mean", "first"], "scaled_embedding": [True, False],
        "key_width": [4, 6], "value_width": [4, 6],
    }  # fmt: skip
    often = {"encoder_layers", "decoder_layers", "tied"}
    for option, choices in options.items():
        if option in usual and draw.random() < (1.0 if option in often or usual[option] == 4 else 0.12):
            settings[option] = draw.choice(choices)
    family = MODELS[name].family
    labels = ("no", "yes", "well") if family == "classifier" else ()
    more = {"classes": 3} if labels else {}
    config = configure(name, vocabulary=len(tokens), **settings, **more)
    torch.manual_seed(draw.randrange(2**31))
    model = build(name, config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.15 * torch.randn_like(weight))
    task, objective = {"classifier": ("classify", "classes"), "translator": ("translate", "pairs")}.get(
        family, ("generate", "stream")
    )
    card = Card(task=task, model=name, config=to_dict(config), objective=objective, labels=labels, longest=67)
    return Trained(model, card, tokens)


def sent_out(seed: int, numbers: range, targets: list[str], names: list[str]) -> dict[tuple[str, str], Found]:
    """What became of these models, for each format and kind."""
    found: dict[tuple[str, str], Found] = {}
    for number in numbers:
        draw, name = random.Random(f"{seed} out {number}"), names[number % len(names)]
        try:
            trained = drawn_model(draw, name)
        except InputError:  # settings that do not go together
            continue
        for to in targets:
            row = found.setdefault((to, name), Found())
            outcome = _outcome(trained, to, texts_of(draw), row)
            row.outcomes[outcome.partition(":")[0]] += 1
            if outcome[0].isupper():
                print(f"{to}, {outcome}: model {number} of seed {seed}, {name}: {trained.card.config}", flush=True)
    return found


def _outcome(trained: Trained, to: str, texts: list[str], row: Found) -> str:
    with tempfile.TemporaryDirectory() as place:
        try:
            parity = export_model(trained, to, Path(place) / "out", texts, "texts of this measurement")
        except InputError:
            return "refused"
        except Exception as error:
            return f"BROKEN: {type(error).__name__}: {error}"
    if not parity.passed:
        return f"DIFFERENT, and said so: {parity.sentence}"
    row.gap = max(row.gap, parity.largest_difference or 0.0)
    row.written += parity.written_alike
    return "the same"


def main() -> None:
    """Draws, tries, counts."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=int, default=70)
    parser.add_argument("--from", type=int, default=0, dest="first", help="the number of the first model")
    parser.add_argument("--to", default=",".join(TARGETS))
    parser.add_argument("--only", default=",".join(name for name in MODELS if name != "ngrams"))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    numbers = range(asked.first, asked.first + asked.models)
    found = sent_out(asked.seed, numbers, asked.to.split(","), asked.only.split(","))
    outcomes = ("the same", "refused", "DIFFERENT, and said so", "BROKEN")
    print(f"| to | model | {' | '.join(outcomes)} | largest difference | texts written alike |")
    print("|---|---|" + "---:|" * (len(outcomes) + 2))
    for (to, name), row in sorted(found.items()):
        counts = " | ".join(str(row.outcomes[each]) for each in outcomes)
        print(f"| {to} | {name} | {counts} | {row.gap:.1e} | {row.written} |")


if __name__ == "__main__":
    main()
