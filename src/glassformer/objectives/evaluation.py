"""How good a model is: what objectives share in evaluating one. It reads no files and knows no objective.

Every score is over all samples, and the main one has its confidence interval. All of it is plain data, ready
for JSON.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
import torch

from glassformer.models.card import Card
from glassformer.objectives import metrics
from glassformer.objectives.bootstrap import Measure, interval
from glassformer.objectives.lessons import Lessons, Measures
from glassformer.objectives.objective import Scores, Trained, Verdict
from glassformer.objectives.predictions import TOKENS_AT_ONCE
from glassformer.text.samples import Plain
from glassformer.text.tokens import Tokens

MANY = 100  # blocks of a text: enough for a bootstrap over them
LanguageLessons = Callable[[Sequence[Plain], Sequence[Plain], Sequence[str], Tokens, Measures], Lessons]


def judge_answers(answers: Sequence[str], right: Sequence[str], seed: int, **others: float) -> Verdict:
    """Answers that are right to the letter or wrong, and any other scores beside."""
    hits = np.array([one == other for one, other in zip(answers, right, strict=True)])
    exact = metrics.accuracy(np.ones(len(hits), dtype=np.int64), hits.astype(np.int64))
    scores = {"exact": exact.value, "exact_interval": interval_of(exact, seed), **others, "samples": len(hits)}
    return Verdict(scores, "exact", exact, tuple(answers), tuple(right))


def judge_language(
    trained: Trained, samples: Sequence[Plain], seed: int, lessons_of: LanguageLessons, *, whole: bool
) -> Verdict:
    """Over the whole text, in blocks; of hidden spans and tokens, over those that the run's seed hides."""
    nats, counts = losses(trained.model, blocks_of(trained, samples, lessons_of))
    loss = metrics.Mean()
    loss.add(float(nats.sum() / counts.sum()), int(counts.sum()))
    scores: Scores = asdict(metrics.score_language(loss, sum(len(sample.text.encode()) for sample in samples)))
    if not whole:  # what is hidden is not the whole text, so its bytes say nothing
        scores = {name: scores[name] for name in ("loss", "perplexity", "tokens")}
    scores["perplexity"] = scores["perplexity"] if math.isfinite(scores["perplexity"]) else None  # JSON has no ∞
    measure = metrics.mean_loss(nats, counts)
    return Verdict({**scores, "loss_interval": interval_of(measure, seed)}, "loss", measure)


def blocks_of(trained: Trained, samples: Sequence[Plain], lessons_of: LanguageLessons) -> Lessons:
    """The texts in those blocks over which a language model is scored."""
    sizes = [len(row) for row in trained.tokens.encode_many([sample.text for sample in samples])]
    measures = measures_for(trained.card, min(TOKENS_AT_ONCE, sum(sizes) // MANY))
    return lessons_of(samples, samples, (), trained.tokens, measures)


def measures_for(card: Card, tokens_per_batch: int) -> Measures:
    """How samples are cut and batched to be evaluated on."""
    room = card.longest + 3  # the marks that a row may have besides
    return Measures(longest=card.longest, tokens_per_batch=max(tokens_per_batch, room), seed=card.seed)


@torch.inference_mode()
def losses(model: torch.nn.Module, found: Lessons) -> tuple[np.ndarray, np.ndarray]:
    """The summed loss of each validation batch, and over how many tokens; as numbers, since tensors that are kept hold
    their place between the large ones that come and go, and memory would grow with every batch."""
    each = [(float(loss), count) for loss, count in (found.loss(model, batch, 0.0) for batch in found.valid.in_order())]
    return np.array([loss for loss, _ in each]), np.array([count for _, count in each])


def interval_of(measure: Measure, seed: int) -> list[float]:
    """The 95 % confidence interval."""
    found = interval(measure, seed=seed)
    return [found.low, found.high]
