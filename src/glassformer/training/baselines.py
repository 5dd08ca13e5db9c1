"""Baselines beside a run, on the same samples: the answer that is right most often, and a linear model fitted in
passing. It keeps no files; what the comparison says is runs/learnt.py's.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from glassformer.errors import GlassformerError
from glassformer.objectives.bootstrap import Measure
from glassformer.objectives.objective import Verdict
from glassformer.objectives.table import objective_of, verdict_on
from glassformer.runs.learnt import Against, against, against_majority, exactly, majority
from glassformer.text.samples import Sample, text_of, truth_of
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
    """How far a trained model is ahead of each; none where an answer is not simply right or wrong. The linear model is
    left out if it cannot be built.

    A translation is right in many ways: that some are right to the letter shows that a model has learnt, and that none
    is shows nothing.
    """
    usual = majority([truth_of(each) for each in prepared.corpus.train]) if verdict.right else ""
    if not verdict.measure.share:
        exact = against_majority(exactly(verdict.answers, verdict.right), verdict.right, usual) if usual else None
        return [exact] if exact and exact.better else []
    found = [against_majority(verdict.measure, verdict.right, usual)]
    if fits_model(prepared):
        try:
            other = _fitted(prepared, samples, seconds_kept(prepared) if _asked(prepared) else 0.0)
        except GlassformerError:  # such as a vocabulary that is too large for it: no reason to lose a run
            return found
        found.append(against(verdict.measure, other, objective_of(prepared.card).baseline))
    return found


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
