"""A rehearsal of a run, on a copy: what a step, a validation and a checkpoint take here. It trains nothing that is
kept, and knows no budget.

Batches differ: the last of an epoch is short, texts are of all lengths. So the mean is taken: of whole epochs where
they fit into the time, and of validation batches from all over their part.
"""

import copy
import hashlib
import time
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import ceil

from glassformer.layers.devices import undrawn
from glassformer.models import weights
from glassformer.training import machine
from glassformer.training.loop import MOST_EPOCHS_TOLD, Loop, Plan, Progress
from glassformer.training.prepare import Prepared
from glassformer.training.processes.team import Team

SECONDS = 8.0  # for steps; a quarter of it for validation batches
FEWEST = 3  # steps that are measured, however long they take


@dataclass(frozen=True)
class Rehearsal:
    """Seconds of each."""

    step: float
    validation: float  # of the whole validation part
    saving: float  # of a checkpoint, without the disk

    def around(self, passes: int, validations: int) -> float:
        """Seconds that a run spends on other things than steps; each validation may be the best, and is saved then."""
        return passes * self.validation + validations * self.saving


def rehearsed(
    prepared: Prepared, plan: Plan, threads: int, team: Team, *, within: float = SECONDS,
    clock: machine.Clock = time.perf_counter,
) -> Rehearsal:  # fmt: skip
    """Does each for a while, as one of a team in which nobody waits for the others."""
    whole = replace(plan, steps=10**9, compile=False)
    loop = Loop(copy.deepcopy(prepared.model), prepared.lessons, whole, team.rehearsing())
    with undrawn(loop.device), machine.threads(threads):
        step = _step(loop, within, clock)
        validation = _validation(loop, within / 4, clock)
        began = clock()
        hashlib.sha256(weights.to_bytes(loop.state()[0]))
        return Rehearsal(step, validation, clock() - began)


def _step(loop: Loop, within: float, clock: machine.Clock) -> float:
    """The mean, over whole epochs if there was time for one. The first step makes what is then kept: it is left out,
    and its batch is learnt again."""
    epoch = max(1, loop.lessons.train.n_batches(0) // loop.plan.accumulate)
    loop.step()
    loop.progress = Progress()
    began, done, whole = clock(), 0, 0.0
    while done < FEWEST or clock() - began < within:
        loop.step()
        done += 1
        if done % epoch == 0:
            whole = (clock() - began) / done
    return whole or (clock() - began) / done


def _validation(loop: Loop, within: float, clock: machine.Clock) -> float:
    """The whole validation part, from as many of its batches as there is time for."""
    count = sum(1 for _ in loop.lessons.valid.in_order())
    first = _seconds_of_some(loop, count, clock)
    apart = ceil(count / max(1, int(within / max(first, 1e-9))))
    return _seconds_of_some(loop, apart, clock) * count / ceil(count / apart)


def _seconds_of_some(loop: Loop, apart: int, clock: machine.Clock) -> float:
    """Of every so many-th batch."""
    began = clock()
    loop.on_batches(islice(loop.lessons.valid.in_order(), 0, None, apart))
    return clock() - began


def validations(plan: Plan, steps: int) -> int:
    """How many there will be: where several would fall on one step, there is one."""
    every = Fraction(str(plan.validate_every))
    due = {min(steps, ceil(number * every * steps)) for number in range(1, ceil(1 / every) + 1)}
    return len(due)


def passes(plan: Plan, steps: int, epochs: float, *, graded: bool) -> int:
    """How often the validation part is gone through: at validations, and where answers are right or wrong also when an
    epoch ends."""
    return validations(plan, steps) + (min(int(epochs), MOST_EPOCHS_TOLD) if graded else 0)
