"""A plan before any training: from a request or from sizes to memory, hours and what limits. It trains nothing kept.

On this machine a few steps are measured; of devices that are not here the data sheet and the formulas speak.
"""

import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from glassformer.errors import InputError
from glassformer.models.registry import configure
from glassformer.models.sizes import TRAINING, Sizes, sizes
from glassformer.training import machine
from glassformer.training.forecasting.budget import budget
from glassformer.training.forecasting.costs import DEVICES, USUAL_SHARE, Cost, Device, Workload, cost
from glassformer.training.forecasting.enough import too_short
from glassformer.training.forecasting.rehearsal import passes, rehearsed, validations
from glassformer.training.loop import Plan
from glassformer.training.optimizers import Weights
from glassformer.training.prepare import Prepared, prepare
from glassformer.training.processes.team import Team
from glassformer.training.request import Request

LOOPBACK = 1e9  # bytes each second between processes of one machine, about


@dataclass(frozen=True)
class Where:
    """By what it will be trained."""

    processes: int = 1
    device: str = ""  # of the table; nothing: this machine
    share: float = USUAL_SHARE  # of the device's peak that is reached

    def __post_init__(self) -> None:
        if self.processes < 1:
            raise InputError(f"1 process or device at least; {self.processes} were asked for.")


@dataclass(frozen=True)
class Planned:
    """A job, what it costs, and what a process holds before it begins."""

    job: Workload
    cost: Cost
    held: float = 0.0  # bytes: Python, torch, the text, and what reading it took
    around: float = 0.0  # seconds, of all validations and checkpoints together
    notes: tuple[str, ...] = ()  # what a person should know before it begins

    @property
    def memory(self) -> float:
        """Bytes of one process at most."""
        return self.held + self.cost.memory.total

    @property
    def seconds(self) -> float:
        """Of the whole training; what its end takes is not counted."""
        return self.cost.seconds + self.around

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "parameters": self.job.parameters, "processes": self.job.processes, "sharded": self.job.sharded,
            "flops_per_token": self.job.flops, "tokens_per_step": self.job.tokens_per_step, "tokens": self.job.tokens,
            **self.cost.to_dict(), "held": self.held, "memory_per_process": self.memory,
            "validating_and_saving": self.around, "seconds": self.seconds, "notes": list(self.notes),
        }  # fmt: skip


def plan_request(request: Request, where: Where, clock: machine.Clock = time.perf_counter) -> Planned:
    """What a training would cost; the data are read and a model is built."""
    prepared = prepare(request)
    before, most = holds_now(), held_at_most()
    team = Team(size=where.processes, local_size=1 if where.device else where.processes)
    plan, forecast = budget(prepared, time.monotonic(), team)
    known = sizes(prepared.card.model, prepared.card.settings, tokens=prepared.card.longest)
    tokens = _tokens_of(prepared) * plan.accumulate
    job = _job(known, plan, where, tokens, tokens * forecast.steps, memories_of(prepared.model, plan))
    notes = tuple(too_short(prepared, forecast))
    if where.device:
        return Planned(job, cost(job, DEVICES[where.device], share=where.share), notes=notes)
    here = Device(1.0, machine.facts().memory / where.processes, LOOPBACK, half=False, carries=True)
    found = rehearsed(prepared, plan, forecast.threads, team, clock=clock)
    around = found.around(
        passes(plan, forecast.steps, forecast.epochs, graded=prepared.lessons.graded is not None),
        validations(plan, forecast.steps),
    )
    costs = cost(job, here, compute=found.step)
    # What was held at most while it was rehearsed is the truth. A share of the weights cannot be rehearsed alone.
    measured = max(most, before + costs.memory.total) if job.sharded else held_at_most() + costs.memory.buckets
    return Planned(job, costs, max(0.0, measured - costs.memory.total), around, notes)


def plan_sizes(model: str, settings: Mapping[str, Any], tokens: float, per_step: float, where: Where) -> Planned:
    """The same on paper: sizes of a model, and how many tokens it is to see."""
    if not where.device:
        raise InputError(f"On paper a device must be named: --device {', '.join(DEVICES)}.")
    plan = {name: value for name, value in settings.items() if name in ("shard", "accumulate", "optimizer")}
    config = configure(model, **{name: value for name, value in settings.items() if name not in plan})
    known = sizes(model, config)
    job = _job(known, Plan(**{"optimizer": "adamw", **plan}), where, per_step, tokens, 2.0)
    return Planned(job, cost(job, DEVICES[where.device], share=where.share))


def _job(known: Sizes, plan: Plan, where: Where, per_step: float, tokens: float, memories: float) -> Workload:
    return Workload(
        parameters=known.parameters, flops=TRAINING * known.forward / known.tokens,
        activations=known.kept / known.tokens, tokens_per_step=per_step, tokens=tokens, processes=where.processes,
        sharded=plan.shard, memories=memories, accumulate=plan.accumulate,
    )  # fmt: skip


def memories_of(model: Any, plan: Plan) -> float:
    """Numbers that are remembered of each parameter: AdamW keeps two, Muon one of a matrix, an average one more."""
    weights = Weights.of(model)
    matrices: int = sum(each.numel() for each in weights.matrices if each.ndim == 2)
    everything: int = sum(each.numel() for each in model.parameters())
    adamw = 2.0 - (matrices / max(everything, 1) if plan.optimizer == "muon" else 0.0)
    return adamw + (1.0 if plan.average else 0.0)


def _tokens_of(prepared: Prepared) -> float:
    """Tokens of a batch as it is computed, padding and both sides of a pair included."""
    train = prepared.lessons.train
    some = [vars(train.batch(0, place)) for place in range(min(5, train.n_batches(0)))]
    seen = [sum(each[name].size for name in ("ids", "ids_in", "source", "target_in") if name in each) for each in some]
    return float(sum(seen)) / len(seen)


def holds_now() -> float:
    """Bytes that this process holds; where the system does not say, what it has held at most."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    except OSError:
        return held_at_most()
    return float(pages * resource.getpagesize())


def held_at_most() -> float:
    """Bytes that this process has held at most so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return float(most if sys.platform == "darwin" else 1024 * most)
