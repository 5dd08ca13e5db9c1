"""Baselines beside a run, on the same samples: the answer that is right most often, and a linear model fitted in
passing; of a text that is written, pairs of tokens counted; of a translation, the source itself and the nearest
sentence looked up. It keeps no files; what the comparison says is runs/learnt.py's.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from glassformer.errors import GlassformerError
from glassformer.objectives import metrics
from glassformer.objectives.bootstrap import Measure, by_text
from glassformer.objectives.evaluation import blocks_of
from glassformer.objectives.lessons import Stream
from glassformer.objectives.objective import Trained, Verdict
from glassformer.objectives.table import objective_of, verdict_on
from glassformer.runs.learnt import (
    COPY,
    LOOKUP,
    PAIRS,
    Against,
    against,
    against_majority,
    against_text,
    exactly,
    majority,
)
from glassformer.text.plain_baselines import CountedPairs, NearestSentence
from glassformer.text.samples import Sample, folded, text_of, truth_of
from glassformer.training.loop import Loop
from glassformer.training.prepare import Prepared, prepare

EPOCHS, LEAST_STEPS = 2, 100  # what a linear model has learnt by then, more will hardly change
SHARE, MOST = 0.1, 0.25  # of a run's minutes: what is kept for it, and what it may take, or it is left out
SECONDS_PER_CHARACTER = 1.3e-6  # to count n-grams and to evaluate, about


def fits_model(prepared: Prepared) -> bool:
    """Whether a linear model is fitted beside this run."""
    return _wanted(prepared) and not too_slow(prepared)


def too_slow(prepared: Prepared) -> bool:
    """Whether it would be fitted, if there were more minutes."""
    return _wanted(prepared) and _asked(prepared) > 0 and _needed(prepared) > MOST * _asked(prepared)


def seconds_kept(prepared: Prepared) -> float:
    """Of the minutes that were asked for."""
    return max(SHARE * _asked(prepared), _needed(prepared)) if fits_model(prepared) else 0.0


def _wanted(prepared: Prepared) -> bool:
    name = objective_of(prepared.card).baseline
    return bool(name) and name != prepared.recipe.model and prepared.request.baseline


def _asked(prepared: Prepared) -> float:
    """Seconds; 0 where the budget is steps or epochs."""
    request = prepared.request
    return 0.0 if request.steps or request.epochs else 60 * (request.minutes or prepared.recipe.minutes)


def _needed(prepared: Prepared) -> float:
    corpus = prepared.corpus
    return SECONDS_PER_CHARACTER * sum(len(text_of(each)) for each in (*corpus.train, *(corpus.test or corpus.valid)))


def baselines(prepared: Prepared, verdict: Verdict, samples: Sequence[Sample]) -> list[Against]:
    """How far a trained model is ahead of each. The linear model is left out if it cannot be built.

    A translation is right in many ways: that some are right to the letter shows that a model has learnt, and that none
    is shows nothing. There, and of a text that goes on, it is held against what text alone can do.
    """
    usual = majority([truth_of(each) for each in prepared.corpus.train]) if verdict.right else ""
    texts = [folded(each) for each in samples]
    if not verdict.measure.share:
        ours = by_text(exactly(verdict.answers, verdict.right), texts) if usual else None
        exact = against_majority(ours, verdict.right, usual, texts) if ours else None
        return [*([exact] if exact and exact.better else []), *_of_text(prepared, verdict, samples)]
    found = [against_majority(verdict.measure, verdict.right, usual, texts)]
    if fits_model(prepared):
        try:
            other = _fitted(prepared, samples, seconds_kept(prepared) if _asked(prepared) else 0.0)
        except GlassformerError:  # such as a vocabulary that is too large for it: no reason to lose a run
            return found
        learns = against_majority(other, verdict.right, usual, texts).better
        found.append(against(verdict.measure, other, objective_of(prepared.card).baseline, learns=learns))
    return found


def _of_text(prepared: Prepared, verdict: Verdict, samples: Sequence[Sample]) -> list[Against]:
    """What needs no model: the better one of copying and looking up, or pairs of tokens as they were counted."""
    train = prepared.lessons.train
    if not prepared.request.baseline:
        return []
    if verdict.main == "bleu":
        nearest, sources = NearestSentence(prepared.corpus.train), [text_of(each) for each in samples]  # type: ignore[arg-type]
        answers = {COPY: sources, LOOKUP: [nearest.target(each) for each in sources]}
        scored = {name: metrics.bleu(each, verdict.right) for name, each in answers.items()}
        best = max(scored, key=lambda name: scored[name].value)
        return [
            against_text(verdict.measure, by_text(scored[best], [folded(each) for each in samples]), best, verdict.main)
        ]
    if verdict.main == "loss" and isinstance(train, Stream):
        trained = Trained(prepared.model, prepared.card, prepared.tokens)
        pairs = CountedPairs(train.ids, len(prepared.tokens))
        blocks = blocks_of(trained, samples, objective_of(prepared.card).lessons).valid.in_order()  # type: ignore[arg-type]
        each = [(block.ids_in[block.counted], block.ids_out[block.counted]) for block in blocks]
        nats, counts = [pairs.nats(*ids) for ids in each], [len(ids) for ids, _ in each]
        return [against_text(verdict.measure, metrics.mean_loss(np.array(nats), np.array(counts)), PAIRS, verdict.main)]
    return []


def _fitted(prepared: Prepared, samples: Sequence[Sample], seconds: float) -> Measure:
    """The baseline's outcomes on the same samples, learnt from the same training part in so many seconds at most; 0 are
    as many as it needs."""
    began = time.monotonic()
    name = objective_of(prepared.card).baseline
    request = replace(prepared.request, model=name, settings={}, parent="", minutes=0.0, epochs=0.0, steps=0)
    other = prepare(request, corpus=prepared.corpus)
    steps = max(LEAST_STEPS, EPOCHS * other.lessons.train.n_batches(0))
    loop = Loop(other.model, other.lessons, replace(other.recipe.plan, steps=steps, precision="float32"))
    while not loop.done and (not seconds or time.monotonic() - began < seconds):
        loop.step()
    other.model.eval()
    return verdict_on(other.model, other.card, other.tokens, samples).measure
