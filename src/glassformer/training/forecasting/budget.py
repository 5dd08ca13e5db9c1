"""The budget of a run: how many steps the minutes buy, measured on a copy, and what is kept back for the end. It trains
nothing that is kept.
"""

import copy
import math
import time
from dataclasses import dataclass, replace

import torch

from glassformer.layers.devices import half_precision, undrawn
from glassformer.objectives.table import OBJECTIVES
from glassformer.training import machine
from glassformer.training.baselines import seconds_kept
from glassformer.training.forecasting.ending import Deadline, ending_seconds
from glassformer.training.loop import Loop, Plan
from glassformer.training.prepare import Prepared
from glassformer.training.processes.team import ALONE, Team

LEAST = 0.1  # of the minutes asked for is spent on training, even if reading took the rest
EVALUATING = 0.3  # of them at most is kept for evaluating; where that is too little, samples are drawn at random
MEASURING = 0.05  # of them at most, and a few seconds, to see how fast a step is
SECONDS = 3.0


@dataclass(frozen=True)
class Forecast:
    """What the budget will buy, from a few steps that were measured."""

    steps: int
    epochs: float
    seconds: float
    speed: float  # in `unit` per second
    unit: str  # samples, or tokens
    threads: int
    parameters: int
    timed: bool  # the budget is the seconds; else it is the steps
    deadline: Deadline | None = None  # of a run that was given minutes

    def share(self, step: int, seconds: float) -> float:
        """How much of the budget is spent, from 0 to 1."""
        return min(1.0, seconds / self.seconds if self.timed else step / self.steps)


def budget(
    prepared: Prepared, began: float, team: Team = ALONE, *, whole: bool = False
) -> tuple[Plan, Forecast]:  # fmt: skip
    """The plan with its budget, and what it will buy. `began` is when the user's minutes began to run. One of a team
    measures with its own share of the batches, and for all of them. `whole`: every sample is evaluated at the end,
    however long that takes."""
    request, recipe = prepared.request, prepared.recipe
    device = next(prepared.model.parameters()).device
    plan = replace(recipe.plan, precision=_precision(recipe.plan.precision, device))
    asked = 60 * (request.minutes or recipe.minutes)
    within = min(SECONDS, MEASURING * asked)
    threads, seconds_per_step, items = _measured(prepared, plan, request.threads, within, team)
    deadline = None
    if request.steps or request.epochs:
        plan = replace(plan, steps=request.steps or max(1, round(request.epochs * _steps_per_epoch(prepared))))
        steps, seconds = plan.steps, plan.steps * seconds_per_step
    else:
        with machine.threads(threads):
            end = ending_seconds(prepared, seconds_per_step, within, math.inf if whole else EVALUATING * asked)
            kept = end.whole + seconds_kept(prepared)
            evaluating = math.inf if whole else end.evaluating
            deadline = Deadline(began + asked, kept, seconds_per_step, LEAST * asked, evaluating)
        seconds = deadline.allowed(time.monotonic(), seconds_per_step, 0.0)
        plan = replace(plan, seconds=seconds)
        steps = max(1, round(seconds / seconds_per_step))
    found = _forecast(prepared, steps, seconds, items / seconds_per_step, threads, timed=plan.steps == 0)
    return plan, replace(found, deadline=deadline)


def forecast_again(prepared: Prepared, plan: Plan, threads: int, team: Team = ALONE) -> Forecast:
    """What a plan that was begun will have bought at its end."""
    _, seconds_per_step, items = _measured(prepared, plan, threads, SECONDS, team)
    timed = plan.steps == 0
    steps = round(plan.seconds / seconds_per_step) if timed else plan.steps
    seconds = plan.seconds if timed else plan.steps * seconds_per_step
    return _forecast(prepared, steps, seconds, items / seconds_per_step, threads, timed=timed)


def _forecast(prepared: Prepared, steps: int, seconds: float, speed: float, threads: int, *, timed: bool) -> Forecast:
    epochs = steps / _steps_per_epoch(prepared)
    parameters = sum(weight.numel() for weight in prepared.model.parameters())
    unit = OBJECTIVES[prepared.recipe.objective].counts
    return Forecast(steps, epochs, seconds, speed, unit, threads, parameters, timed)


def _steps_per_epoch(prepared: Prepared) -> int:
    return max(1, prepared.lessons.train.n_batches(0) // prepared.recipe.plan.accumulate)


def _precision(asked: str, device: torch.device) -> str:
    """What is quickest on a device without harm; what was asked for is left as it is."""
    if asked != "auto":
        return asked
    native = device.type == "cpu" and machine.facts().bfloat16
    return half_precision(device) or ("bfloat16" if native else "float32")


def _measured(
    prepared: Prepared, plan: Plan, threads: int, seconds: float, team: Team
) -> tuple[int, float, float]:  # fmt: skip
    """Threads, seconds per step and samples or tokens per step, from steps of a copy: the run itself is not touched.
    0 threads are as many as are quickest. No round of them begins after so many seconds."""
    device = next(prepared.model.parameters()).device
    rehearsed = replace(plan, steps=10**9, compile=False)
    rehearsal = Loop(copy.deepcopy(prepared.model), prepared.lessons, rehearsed, team.rehearsing())
    cores = machine.cores_for(team.local_size)
    if team.size == 1:  # what begins several processes sets OMP_NUM_THREADS to 1 itself
        cores = min(cores, machine.threads_allowed())
    usual = machine.thread_counts(cores) if device.type == "cpu" else [cores]
    counts = [threads] if threads else usual
    items: list[int] = []
    with undrawn(device):
        took = machine.time_threads(lambda: items.append(rehearsal.step().items), counts=counts, seconds=seconds)
    threads = machine.quickest(took)
    return threads, took[threads], sum(items) / len(items)
