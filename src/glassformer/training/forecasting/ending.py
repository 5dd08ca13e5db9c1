"""What the end of a run takes on this machine: validating, evaluating, certifying and saving, rehearsed on a copy
before the run begins; and how many samples can be evaluated in the time that is left. It keeps nothing, and knows no
budget.
"""

import copy
import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from glassformer.drawing.score_words import clock
from glassformer.layers.devices import undrawn
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.objectives.predictions import Writing
from glassformer.objectives.table import OBJECTIVES, verdict_on
from glassformer.objectives.writing import USUAL_LENGTH, streamed
from glassformer.runs.certificate.certificate import certifying_seconds
from glassformer.text.samples import Sample, text_of, truth_of
from glassformer.training.prepare import Prepared

FILES = 1.5  # seconds to write model, scores and report, about
FORWARD_SHARE = 0.4  # of a step's time is the forward pass, about
FEW, SOME = 3, 13  # samples that are answered in a rehearsal
READ_FEW, READ_SOME = 16, 128  # samples that are evaluated to see how many can be
FEWEST = 500  # samples that are evaluated however late it is: an accuracy is then known to ±4.4 points
TOKENS = 20  # of a text that is written in a rehearsal
SECONDS = 3.0  # for the rehearsal of a certificate at most, and what its last promise takes
FEW_SECONDS = 5.0  # late is not worth a word
MARGIN = 1.5  # a rehearsal is short, and what it rehearses may take longer


@dataclass(frozen=True)
class Deadline:
    """When a run must have ended, how long its end takes, and how long a step took when that was measured."""

    at: float  # by the clock that never goes back
    ending: float  # seconds
    step: float  # seconds
    least: float = 0.0  # seconds of training, even if there are none left
    evaluating: float = math.inf  # seconds of the end; infinite if the whole part is evaluated, however long it takes

    def seconds_left(self, now: float, step: float) -> float:
        """For training, from now on. If steps take longer than they did, so will the end: it is begun sooner."""
        return self.at - now - self.ending * max(1.0, step / self.step)

    def will_be_missed(self, now: float) -> str:
        """What is said before a run that cannot end in time, even if it trains as little as it may."""
        over = now + self.least + self.ending - self.at
        if over < FEW_SECONDS:
            return ""
        return (
            f"The time will not do: reading took so much of it, and evaluating and certifying take so long on this "
            f"machine, that it may end about {clock(over)} late. Give it more (--minutes), or less to read (--limit)."
        )

    def missed(self, now: float) -> str:
        """What is said of a run that took longer than it was given; of a few seconds, nothing."""
        over = now - self.at
        if over < FEW_SECONDS:
            return ""
        return (
            f"It took {clock(over)} longer than was asked for: reading, evaluating and certifying need so long while "
            "this machine is so busy, and a tenth of the minutes is trained all the same."
        )

    def unspent(self, now: float, trained: float, step: float) -> str:
        """What is said of a run that had much more time than it took, since steps were much slower when it was planned:
        the rate of learning follows the plan, which is never made longer."""
        left = self.at - now
        if left < max(FEW_SECONDS, trained / 2) or step > self.step / 2:
            return ""
        return (
            f"{clock(left)} of the time were not used: when it was planned, a step took {self.step:.2g} s (the machine "
            f"was busy, or torch was warming up), in training {step:.2g} s, and the plan stood. To go on from here"
        )

    def for_evaluating(self, now: float) -> float:
        """Seconds, from now on, that leave time for the rest of the end."""
        return self.evaluating if math.isinf(self.evaluating) else self.at - now - (self.ending - self.evaluating)

    def allowed(self, now: float, step: float, trained: float) -> float:
        """Seconds of training in all, if there were so many until now."""
        return max(trained + max(self.seconds_left(now, step), 0.0), self.least)


@dataclass(frozen=True)
class Ending:
    """Seconds from the last step to the report, and how many of them are for evaluating."""

    whole: float
    evaluating: float


def ending_seconds(
    prepared: Prepared, step: float, within: float = SECONDS, most: float = math.inf
) -> Ending:  # fmt: skip
    """`step` is how long one takes; the run itself is not touched. The certificate, which on a busy machine takes long,
    is rehearsed for about so many seconds. Evaluating may take `most` seconds: where it would take longer, fewer
    samples will be evaluated."""
    trained = Trained(copy.deepcopy(prepared.model).eval(), prepared.card, prepared.tokens)
    with undrawn(next(prepared.model.parameters()).device):
        certified = certifying_seconds(trained.model, MODELS[trained.card.model].family, within=within)
        evaluating = min(most, MARGIN * _evaluated(prepared, trained, step))
    rest = FILES + MARGIN * (certified + read_seconds(prepared, prepared.corpus.valid, step))
    return Ending(rest + evaluating, evaluating)


def drawn_in_time(
    samples: Sequence[Sample], seconds: float, evaluate: Callable[[Sequence[Sample]], object], seed: int
) -> Sequence[Sample]:
    """All samples; where to evaluate them would take longer than so many seconds, as many as fit, drawn at random."""
    if len(samples) <= FEWEST or math.isinf(seconds):
        return samples
    lots = random.Random(seed).sample(range(len(samples)), len(samples))
    evaluate([samples[place] for place in lots[:READ_FEW]])  # whatever is made once is made here
    few, some = (
        (count, seconds_of(partial(evaluate, [samples[place] for place in lots[:count]])))
        for count in (READ_FEW, READ_SOME)
    )
    if extrapolated(few, some, len(samples)) <= seconds:
        return samples
    one = max(some[1] - few[1], 1e-9) / (READ_SOME - READ_FEW)
    count = max(FEWEST, READ_SOME + int((seconds - some[1]) / one))
    return [samples[place] for place in sorted(lots[:count])]


def _evaluated(prepared: Prepared, trained: Trained, step: float) -> float:
    objective, samples = OBJECTIVES[prepared.recipe.objective], prepared.corpus.test or prepared.corpus.valid
    if objective.writes and len(samples) > SOME:
        return _written(trained, samples)
    if objective.goes_on and not objective.pretrains:
        how, prompt = Writing(longest=TOKENS), objective.prompt(trained.tokens, "")
        shown = seconds_of(lambda: list(streamed(trained.model, trained.tokens, prompt, how, goes_on=True)))
        return read_seconds(prepared, samples, step) + shown * USUAL_LENGTH / TOKENS
    return read_seconds(prepared, samples, step)


def read_seconds(prepared: Prepared, samples: Sequence[Sample], step: float) -> float:
    """To read samples once, as a share of an epoch of training."""
    size, whole = (sum(len(text_of(each)) for each in part) for part in (samples, prepared.corpus.train))
    whole = prepared.corpus.kept.bytes if prepared.corpus.kept else whole
    return FORWARD_SHARE * step * prepared.lessons.train.n_batches(0) * size / max(1, whole)


def _written(trained: Trained, samples: Sequence[Sample]) -> float:
    """To answer all samples, from the time for a few and for some; an answer is as long as a right one."""
    lengths = [len(row) for row in trained.tokens.for_targets.encode_many([truth_of(each) for each in samples])]
    how = Writing(longest=max(1, round(sum(lengths) / len(lengths))) + 1)
    few, some = (
        seconds_of(partial(verdict_on, trained.model, trained.card, trained.tokens, samples[:n], how=how))
        for n in (FEW, SOME)
    )
    return extrapolated((FEW, few), (SOME, some), len(samples))


def extrapolated(few: tuple[int, float], some: tuple[int, float], count: int) -> float:
    """Seconds for so many, on the line through two measurements; a line that would fall is level."""
    slope = max(0.0, (some[1] - few[1]) / (some[0] - few[0]))
    return some[1] + slope * (count - some[0])


def seconds_of(work: Callable[[], object]) -> float:
    """How long something takes, once."""
    began = time.monotonic()
    work()
    return time.monotonic() - began
