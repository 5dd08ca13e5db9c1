"""How good a model is on some samples: what it says of them, and the scores of that. It reads no files.

Which scores there are follows from the objective. Every score is over all samples, and the main one has the interval
that luck leaves it. All of it is plain data, ready for JSON.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from glassformer import batches, metrics
from glassformer.bootstrap import Measure, interval
from glassformer.errors import InputError
from glassformer.lessons import tensors
from glassformer.predictions import TOKENS_AT_ONCE, Writing, answered, class_shares, encoded, together, translated
from glassformer.run_folder import Card
from glassformer.samples import Labelled, Pair, Plain, Sample
from glassformer.tokens import Tokens

Scores = dict[str, Any]


def evaluate(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Sample], *, how: Writing | None = None, seed: int = 0
) -> Scores:
    """The scores of a model on samples of the kind it was trained on. `how` it writes, if not as usual."""
    how = how or Writing()
    kinds: dict[str, Any] = {"classes": Labelled, "pairs": Pair, "answers": Pair, "stream": Plain}
    if card.objective not in kinds:
        raise InputError(
            f"This model has learnt to fill gaps ('{card.objective}'), which is only the first half of a training; "
            "finetune it (--from) and evaluate what comes of that."
        )
    kind = kinds[card.objective]
    if not samples or not all(isinstance(sample, kind) for sample in samples):
        found = type(samples[0]).__name__ if samples else "none"
        raise InputError(f"A model for '{card.objective}' is judged on {kind.__name__} samples; these are {found}.")
    some: Any = samples
    if card.objective == "classes":
        return _classes(model, card, tokens, some, seed)
    if card.objective == "pairs":
        return _translations(model, card, tokens, some, how, seed)
    if card.objective == "answers":
        return _answers(model, card, tokens, some, how, seed)
    return _language(model, card, tokens, some, seed)


def _classes(model: Any, card: Card, tokens: Tokens, samples: Sequence[Labelled], seed: int) -> Scores:
    numbers = {label: i for i, label in enumerate(card.labels)}
    strange = sorted({sample.label for sample in samples} - numbers.keys())
    if strange:
        raise InputError(f"The model knows the labels {', '.join(card.labels)}; these samples have '{strange[0]}'.")
    truth = np.array([numbers[sample.label] for sample in samples])
    shares = class_shares(model, card, tokens, [sample.text for sample in samples])
    found = metrics.score_classes(truth, shares)
    return {
        "accuracy": found.accuracy,
        "accuracy_interval": _interval(metrics.accuracy(truth, shares.argmax(axis=1)), seed),
        "macro_f1": found.macro_f1,
        "loss": found.log_loss,
        "calibration_error": found.calibration_error,
        "samples": len(samples),
        "classes": {label: asdict(each) for label, each in zip(card.labels, found.classes, strict=True)},
        "confusion": {"labels": list(card.labels), "table": found.confusion.tolist()},
    }


def _translations(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Pair], how: Writing, seed: int
) -> Scores:  # fmt: skip
    references = [sample.target for sample in samples]
    written = [each.translation for each in translated(model, card, tokens, [each.source for each in samples], how)]
    scores = asdict(metrics.score_translations(written, references))
    return {
        "bleu": scores.pop("bleu"),
        "bleu_interval": _interval(metrics.bleu(written, references), seed),
        **scores,
        "samples": len(samples),
    }


def _answers(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Pair], how: Writing, seed: int
) -> Scores:  # fmt: skip
    written = [each.text for each in answered(model, card, tokens, [each.source for each in samples], how)]
    right = np.array([one == sample.target for one, sample in zip(written, samples, strict=True)])
    exact = metrics.accuracy(np.ones(len(samples), dtype=np.int64), right.astype(np.int64))
    prompts, answers = (encoded(tokens, texts) for texts in zip(*((s.source, s.target) for s in samples), strict=True))
    rows = [batches.answered(prompt, answer) for prompt, answer in zip(prompts, answers, strict=True)]
    loss = metrics.Mean()
    alike = "synthesizer" in model.config.scorer
    for indices in together(rows, TOKENS_AT_ONCE, alike=alike):
        batch = batches.answer_batch([prompts[i] for i in indices], [answers[i] for i in indices])
        nats, counts = _nats(model, batch)
        loss.add(float(nats.sum() / counts.sum()), int(counts.sum()))
    return {
        "exact": exact.value,
        "exact_interval": _interval(exact, seed),
        "loss": loss.value,
        "perplexity": _finite(math.exp(min(loss.value, 700))),
        "samples": len(samples),
    }


def _language(model: Any, card: Card, tokens: Tokens, samples: Sequence[Plain], seed: int) -> Scores:
    texts = [sample.text for sample in samples]
    context = min(card.longest, model.config.length)
    windows = batches.whole(batches.stream_of(tokens.encode_many(texts)), context, max(1, TOKENS_AT_ONCE // context))
    measured = [_nats(model, batch) for batch in windows]
    nats, counts = (np.concatenate(column) for column in zip(*measured, strict=True))
    loss = metrics.Mean()
    loss.add(float(nats.sum() / counts.sum()), int(counts.sum()))
    scores = asdict(metrics.score_language(loss, sum(len(text.encode()) for text in texts)))
    return {
        **{name: _finite(value) for name, value in scores.items()},
        "loss_interval": _interval(metrics.mean_loss(nats, counts), seed),
    }


@torch.inference_mode()
def _nats(model: Any, batch: batches.LanguageBatch) -> tuple[np.ndarray, np.ndarray]:
    """The summed loss of each row, and over how many ids."""
    ids, wanted, real, counted = tensors(model, batch.ids_in, batch.ids_out, batch.real, batch.counted)
    logits = model(ids) if bool(batch.real.all()) else model(ids, real)
    losses = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none").double().masked_fill(~counted, 0.0)
    return losses.sum(1).numpy(), batch.counted.sum(1)


def _interval(measure: Measure, seed: int) -> list[float]:
    found = interval(measure, seed=seed)
    return [found.low, found.high]


def _finite(value: float) -> float | None:
    """JSON has no word for the infinite."""
    return value if math.isfinite(value) else None
