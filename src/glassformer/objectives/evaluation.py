"""How good a model is on some samples: what it says of them, and the scores of that. It reads no files.

Which scores there are follows from the objective. Every score is over all samples, and the main one has the interval
that luck leaves it. All of it is plain data, ready for JSON.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch

from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.objectives import lessons, metrics
from glassformer.objectives.bootstrap import Measure, interval
from glassformer.objectives.lessons import Lessons, Measures
from glassformer.objectives.predictions import TOKENS_AT_ONCE, Writing, answered, class_shares, translated
from glassformer.text.samples import Labelled, Pair, Plain, Sample
from glassformer.text.tokens import Tokens

Scores = dict[str, Any]
MANY = 100  # blocks of a text: enough to see how much luck there is between them
_KINDS: Mapping[str, type] = MappingProxyType(
    {"classes": Labelled, "pairs": Pair, "answers": Pair, "stream": Plain, "spans": Plain, "masked": Plain}
)


@dataclass(frozen=True)
class Verdict:
    """The scores of a model, and what they follow from."""

    scores: Scores
    main: str  # the score that counts most
    measure: Measure  # that score, sample by sample; of a text, block by block
    answers: tuple[str, ...] = ()  # to each sample; none where a text is only measured


def evaluate(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Sample], *, how: Writing | None = None, seed: int = 0
) -> Scores:
    """The scores of a model on samples of the kind it was trained on. `how` it writes, if not as usual."""
    return judge(model, card, tokens, samples, how=how, seed=seed).scores


def judge(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Sample], *, how: Writing | None = None, seed: int = 0
) -> Verdict:
    """The same scores, with the answers they follow from."""
    kind = _KINDS[card.objective]
    strange = [type(sample).__name__ for sample in samples if not isinstance(sample, kind)]
    if strange or not samples:
        found = strange[0] if strange else "none"
        raise InputError(f"A model for '{card.objective}' is judged on {kind.__name__} samples; these are {found}.")
    some: Any = samples
    how = how or Writing()
    if card.objective == "classes":
        return _classes(model, card, tokens, some, seed)
    if card.objective == "pairs":
        return _translations(model, card, tokens, some, how, seed)
    if card.objective == "answers":
        return _answers(model, card, tokens, some, how, seed)
    return _language(model, card, tokens, some, seed)


def _classes(model: Any, card: Card, tokens: Tokens, samples: Sequence[Labelled], seed: int) -> Verdict:
    numbers = {label: i for i, label in enumerate(card.labels)}
    strange = sorted({sample.label for sample in samples} - numbers.keys())
    if strange:
        raise InputError(f"The model knows the labels {', '.join(card.labels)}; these samples have '{strange[0]}'.")
    truth = np.array([numbers[sample.label] for sample in samples])
    shares = class_shares(model, card, tokens, [sample.text for sample in samples])
    found = metrics.score_classes(truth, shares)
    accuracy = metrics.accuracy(truth, shares.argmax(axis=1))
    scores = {
        "accuracy": found.accuracy,
        "accuracy_interval": _interval(accuracy, seed),
        "macro_f1": found.macro_f1,
        "loss": found.log_loss,
        "calibration_error": found.calibration_error,
        "samples": len(samples),
        "classes": {label: asdict(each) for label, each in zip(card.labels, found.classes, strict=True)},
        "confusion": {"labels": list(card.labels), "table": found.confusion.tolist()},
    }
    return Verdict(scores, "accuracy", accuracy, tuple(card.labels[i] for i in shares.argmax(axis=1)))


def _translations(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Pair], how: Writing, seed: int
) -> Verdict:  # fmt: skip
    references = [sample.target for sample in samples]
    written = [each.translation for each in translated(model, card, tokens, [each.source for each in samples], how)]
    found = asdict(metrics.score_translations(written, references))
    bleu = metrics.bleu(written, references)
    scores = {
        "bleu": found.pop("bleu"),
        "bleu_interval": _interval(bleu, seed),
        **found,
        "samples": len(samples),
    }
    return Verdict(scores, "bleu", bleu, tuple(written))


def _answers(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Pair], how: Writing, seed: int
) -> Verdict:  # fmt: skip
    written = [each.text for each in answered(model, card, tokens, [each.source for each in samples], how)]
    right = np.array([one == sample.target for one, sample in zip(written, samples, strict=True)])
    exact = metrics.accuracy(np.ones(len(samples), dtype=np.int64), right.astype(np.int64))
    nats, counts = _losses(model, lessons.answers(samples, samples, tokens, _measures(card, TOKENS_AT_ONCE)))
    loss = float(nats.sum() / counts.sum())
    scores = {
        "exact": exact.value,
        "exact_interval": _interval(exact, seed),
        "loss": loss,
        "perplexity": math.exp(min(loss, 700)),
        "samples": len(samples),
    }
    return Verdict(scores, "exact", exact, tuple(written))


def _language(model: Any, card: Card, tokens: Tokens, samples: Sequence[Plain], seed: int) -> Verdict:
    """Over the whole text, in blocks; of hidden spans and pieces, over those that the run's seed hides."""
    sizes = [len(row) for row in tokens.encode_many([sample.text for sample in samples])]
    lessons_of = _LANGUAGE[card.objective]
    found = lessons_of(samples, samples, tokens, _measures(card, min(TOKENS_AT_ONCE, sum(sizes) // MANY)))
    nats, counts = _losses(model, found)
    loss = metrics.Mean()
    loss.add(float(nats.sum() / counts.sum()), int(counts.sum()))
    scores = asdict(metrics.score_language(loss, sum(len(sample.text.encode()) for sample in samples)))
    if card.objective != "stream":  # what is hidden is not the whole text, so its bytes say nothing
        scores = {name: scores[name] for name in ("loss", "perplexity", "tokens")}
    scores["perplexity"] = scores["perplexity"] if math.isfinite(scores["perplexity"]) else None  # JSON has no ∞
    measure = metrics.mean_loss(nats, counts)
    return Verdict({**scores, "loss_interval": _interval(measure, seed)}, "loss", measure)


_LANGUAGE: Mapping[str, Callable[..., Lessons]] = MappingProxyType(
    {"stream": lessons.stream, "spans": lessons.spans, "masked": lessons.masked}
)


def _measures(card: Card, tokens_per_batch: int) -> Measures:
    room = card.longest + 3  # the marks that a row may have besides
    return Measures(longest=card.longest, tokens_per_batch=max(tokens_per_batch, room), seed=card.seed)


@torch.inference_mode()
def _losses(model: Any, found: Lessons) -> tuple[np.ndarray, np.ndarray]:
    """The summed loss of each batch that is judged on, and over how many pieces."""
    losses = [found.loss(model, batch, 0.0) for batch in found.valid.in_order()]
    return np.array([float(loss) for loss, _ in losses]), np.array([count for _, count in losses])


def _interval(measure: Measure, seed: int) -> list[float]:
    found = interval(measure, seed=seed)
    return [found.low, found.high]
