"""Models of every kind, trained in every way, and certified: a sound one is never called broken, a broken one always.

Each model is trained for a moment on a made set, with sizes, parts and rates drawn at random, even silly ones.
It is sound by construction, so a promise that it is said to break is a false alarm. Then each break of breaks.py is
planted into it, and must be noticed.
"""

import random
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from faults.breaks import BREAKS
from helpers.broken_models import TEXTS

import glassformer as gf
from glassformer.models.registry import MODELS, WORDS, build
from glassformer.runs.certificate.certificate import Certificate, certify
from glassformer.text.made_sets import make
from glassformer.text.samples import text_of
from glassformer.text.tasks import tasks_for

Found = dict[str, Any]
DTYPES = (torch.float32, torch.float64, torch.bfloat16, torch.float16)
RATES = (3e-4, 3e-3, 3e-2)
SILLY = (0.3, 3.0)  # nobody would keep such a model, but it must not be called broken
SIZES: dict[str, dict[str, tuple[Any, ...]]] = {
    "ngrams": {"ngrams": (100, 10_000)},
    "rnn": {"width": (8, 32), "state": (8, 64)},
    "gru": {"width": (8, 32), "state": (8, 64)},
    "bilstm": {"width": (8, 32), "state": (8, 64)},
    "mlp": {"width": (8, 32), "length": (23, 64), "hidden": ([13, 7], [128, 32])},
    "conv": {"width": (8, 32), "length": (67, 128), "filters": ([7, 11], [32, 64]), "hidden": (13, 64)},
}
SIZES["conv-pool"] = SIZES["conv"]
HEADS = {"width": (12, 24, 96), "heads": (1, 2, 3, 6), "hidden": (16, 128)}
PARTS = {"norm": tuple(WORDS["norm"]), "positions": tuple(WORDS["positions"]), "activation": tuple(WORDS["activation"])}
NARROW = {"key_width": (0, 0, 10), "value_width": (0, 0, 7)}
ATTENDING = {**HEADS, **PARTS, **NARROW, "pooling": tuple(WORDS["pooling"]), "norm_first": (True, False)}
SIZES |= {
    "bare-attention": {"width": (12, 96)},
    "attention": {**HEADS, **NARROW},
    "transformer": {**ATTENDING, "layers": (1, 2, 4)},
    "bert": {**HEADS, "layers": (1, 2, 4), "epsilon": (1e-12, 1e-5)},
    "translator": {
        **HEADS, **PARTS, **NARROW, "norm_first": (True, False), "encoder_layers": (1, 2), "decoder_layers": (1, 3),
    },
}  # fmt: skip
SIZES["modern"] = {
    **HEADS, **PARTS, **NARROW, "layers": (1, 2, 4), "kv_heads": (0, 0, 1), "query_key_norm": (True, False),
    "tied": (True, False), "bias": (True, False), "scorer": ("dot product", *WORDS["scorer"]),
    "weigher": ("softmax", *WORDS["weigher"]),
}  # fmt: skip
SIZES["gpt"] = {**HEADS, "layers": (1, 2, 4), "kv_heads": (0, 0, 1)}
# What each model learns from: an objective, and a made set; "text" is plain text.
LEARNS = {
    "classifier": (("classes", "negation:300"),),
    "reads": (("classes", "negation:300"), ("masked", "text")),
    "translator": (("pairs", "dates:300"),),
    "language model": (
        ("answers", "sorting:300"), ("answers", "arithmetic:300"), ("stream", "text"), ("spans", "text"),
    ),
}  # fmt: skip
WRITES_MASKED = ("transformer", "bert")


def main(kind: str, times: int, part: int = 0) -> Found:
    """So many models; how many were tried, and what went wrong. Each part has the numbers after those of the last."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        return {"sound": sound, "broken": broken}[kind](Path(name), range(part * times, (part + 1) * times))


def sound(folder: Path, numbers: range) -> Found:
    """No promise of a sound model is said to be broken; and how near it came, as a share of the bar."""
    wrong: list[str] = []
    nearest: dict[str, tuple[float, str]] = {}
    kinds: Counter[str] = Counter()
    for run, told, dtype in trained_models(folder, numbers, (*RATES, *SILLY), DTYPES):
        kinds[run.card.model] += 1
        run.model.to(dtype)
        given = run.certify()
        wrong += [f"{told}: {each.name} {each.value:.2e} > {each.bar:.2e}" for each in given.failed]
        for each in given.checks:
            if each.bar > 0:
                nearest[each.name] = max(nearest.get(each.name, (0.0, "")), (each.value / each.bar, told))
    near = {name: f"{share:.2f} {told}" for name, (share, told) in nearest.items()}
    return {"tried": kinds.total(), "wrong": wrong, "models": dict(kinds), "nearest": near}


def broken(folder: Path, numbers: range) -> Found:
    """Each break that can be planted into a model is noticed.

    Only into models that have learnt with a sensible rate: where every weight of an attention has become 1 or 0,
    neither a scale nor another head's weights make any difference, and nothing is broken.
    """
    planted: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    wrong = []
    for run, told, _ in trained_models(folder, numbers, RATES, DTYPES[:1]):
        family = MODELS[run.card.model].family
        if not run.certify().passed:
            continue  # counted among the sound ones
        for each in BREAKS:
            if not each.fits(run.model, family):
                continue
            planted[each.name] += 1
            seen = bool(broken_by(each, run, family).failed)
            noticed[each.name] += seen
            wrong += [] if seen else [f"{each.name}: {told}"]
    table = {each.name: f"{noticed[each.name]} of {planted[each.name]}" for each in BREAKS}
    return {"tried": planted.total(), "wrong": wrong, "noticed": table}


def broken_by(break_: Any, run: gf.Run, family: str) -> Certificate:
    """The certificate of a model with a break in it, on shorter texts than usual: it is quicker, and no easier."""
    texts = [[id_ % run.model.config.vocabulary for id_ in text] for text in TEXTS]
    with break_.planted(run.model):
        return certify(run.model, family, texts=texts, rebuild=lambda: build(run.card.model, run.card.settings))


def trained_models(
    folder: Path, numbers: Iterable[int], rates: Sequence[float], dtypes: Sequence[torch.dtype]
) -> Iterator[tuple[gf.Run, str, torch.dtype]]:
    """The models of these numbers, of each kind in turn, each with a word on what it is and a type to try it in."""
    text = folder / "text.txt"
    text.write_text("\n".join(text_of(each) for each in make("negation", 300)), encoding="utf-8")
    for number in numbers:
        draw = random.Random(number)
        name = list(SIZES)[number % len(SIZES)]
        family = MODELS[name].family
        objective, data = draw.choice(LEARNS["reads" if name in WRITES_MASKED else family])
        settings = {each: draw.choice(choices) for each, choices in SIZES[name].items()}
        plan = {
            "learning_rate": draw.choice(rates), "clip": draw.choice((1.0, 1e6)), "keep_last": draw.random() < 0.5,
            "optimizer": draw.choice(("muon", "adamw")), "precision": draw.choice(("float32", "bfloat16")),
        }  # fmt: skip
        steps, dtype = draw.choice((3, 30, 100, 200)), dtypes[0] if draw.random() < 0.7 else draw.choice(dtypes)
        told = f"{number} {name} {objective} {steps} steps {dtype} {plan} {settings}"
        try:
            run = gf.train(
                tasks_for(family)[0], text if data == "text" else data, model=name, objective=objective, steps=steps,
                seed=number, threads=1, baseline=False, out=folder / str(number), limit=120,
                settings={**settings, **plan, "tokens_per_batch": 512},
            )  # fmt: skip
        except gf.GlassformerError as error:
            print(told, "→", error)
            continue
        yield run, told, dtype
