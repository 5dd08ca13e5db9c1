"""The one training loop. It knows lessons, optimizers, a team and a budget; it knows no text, no task and no files.

A budget is a number of steps or of seconds. With steps, a run that was stopped and resumed is bit for bit the run that
was not: order from (seed, epoch, place), random numbers from the state that is kept. With seconds, the learning rate
follows the clock, so that it has come down when the time is up, however fast the machine is.

In a team of processes each takes its rows of every batch, and all of them make the one step that a single process would
have made with the whole batch; only what is dropped at random differs.
"""

import copy
import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.errors import GlassformerError, InputError, nearest
from glassformer.objectives.lessons import Lessons
from glassformer.text.batches import rows_for
from glassformer.training.optimizers import OPTIMIZERS, UnlikeError, optimizers_for
from glassformer.training.processes.team import ALONE, Team
from glassformer.training.processes.wrapping import (
    Taught,
    copied,
    draw_on,
    gradients_wait,
    placed,
    random_states,
    sharded,
    whole,
)

HALVES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
WORDS: Mapping[str, Collection[str]] = {  # what a number of the plan that is a word may say
    "optimizer": OPTIMIZERS,
    "schedule": ("linear", "cosine", "inverse-root", "one-cycle"),
    "precision": ("auto", "float32", *HALVES),  # auto: what is quickest on the device without harm
}
RANGES: Mapping[str, tuple[Callable[[float], bool], str]] = {  # which values make sense, and how that is said
    "learning_rate": (lambda value: 0 < value < math.inf, "more than 0"),
    "table_rate": (lambda value: 0 <= value < math.inf, "0 or more"),
    "weight_decay": (lambda value: 0 <= value < math.inf, "0 or more"),
    "warm_up": (lambda value: 0 <= value <= 1, "a share of the budget, from 0 to 1"),
    "clip": (lambda value: value > 0, "more than 0 (inf for none)"),
    "accumulate": (lambda value: value >= 1, "1 or more"),
    "smoothing": (lambda value: 0 <= value < 1, "a share from 0 up to, not including, 1"),
    "average": (lambda value: 0 <= value < 1, "a share from 0 up to, not including, 1"),
    "validate_every": (lambda value: 0 < value <= 1, "a share of the budget, more than 0 and at most 1"),
    "patience": (lambda value: value >= 0, "0 or more"),
}
SCALED = ("scale", "_growth_tracker")  # what a scaler of gradients remembers
MOST_EPOCHS_TOLD = 40  # of a run: each costs a pass over the validation part


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to learn."""

    steps: int = 0  # 0: until the time is up
    seconds: float = 0.0
    optimizer: str = "muon"
    learning_rate: float = 3e-3
    table_rate: float = 1.0  # of embeddings and positions, as a share of the learning rate
    weight_decay: float = 0.05
    warm_up: float = 0.03  # share of the budget
    schedule: str = "linear"
    clip: float = 1.0
    accumulate: int = 1  # batches per step
    smoothing: float = 0.0
    average: float = 0.0  # weight of the past in an average of weights; 0: none
    validate_every: float = 0.1  # share of the budget
    patience: int = 0  # validations without a better one before the run stops; 0: none
    keep_last: bool = False  # the model has the last weights; else those with the best validation
    freeze: int = 0  # blocks, from the first, that stay as the parent has them
    lora: int = 0  # rank of the matrices that learn beside those of the blocks; 0: the matrices themselves learn
    precision: str = "auto"
    compile: bool = False  # by torch.compile: slow to begin, quicker after
    shard: bool = False  # of many processes, each keeps a share of every weight; else each has them all

    def __post_init__(self) -> None:
        for name, choices in WORDS.items():
            if (chosen := getattr(self, name)) not in choices:
                raise InputError(f"{name} cannot be '{chosen}'; {nearest(chosen, choices)}")
        for name, (makes_sense, wanted) in RANGES.items():
            if not makes_sense(value := getattr(self, name)):
                raise InputError(f"{name} must be {wanted}; it is {value!r}.")


@dataclass
class Progress:
    """Where a run stands. With the weights, the optimizers and the random state it is all that a resumed run needs."""

    step: int = 0
    epoch: int = 0
    place: int = 0
    seconds: float = 0.0
    best: float = math.inf
    validations: int = 0
    validated_at: int = 0  # the step of the last one
    since_best: int = 0  # validations since the best one
    right: int = 0  # answers, and of how many, since accuracy was last told
    answered: int = 0
    told: float = 0.0  # the share of the budget that was spent then, and the epochs that were over
    told_epoch: int = 0

    def share(self, plan: Plan) -> float:
        """How much of the budget is spent, from 0 to 1."""
        spent = self.step / plan.steps if plan.steps else self.seconds / plan.seconds
        return min(spent, 1.0)


def check_progress(found: object) -> None:
    """Refuses what was never written of a run: other names, or what is no number."""
    known = asdict(Progress())
    names = found if isinstance(found, dict) else {"": None}
    for name, value in names.items():
        if name not in known or isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise UnlikeError(f"in its progress, {name or 'all'} is {repr(value if name else found)[:60]}")


@dataclass(frozen=True)
class Stepped:
    """One step of the optimizer: the mean training loss before it, the learning rate, and over how many samples or
    tokens."""

    step: int
    seconds: float
    loss: float
    rate: float
    items: int


@dataclass(frozen=True)
class Validated:
    """The validation loss, and whether it is the best so far."""

    step: int
    seconds: float
    loss: float
    best: bool
    accuracy: float | None = None  # where an answer is right or wrong


@dataclass(frozen=True)
class EpochEnded:
    """The accuracy of a classifier when an epoch is over: of its answers while it learnt since the last such event, and
    on the validation part."""

    step: int
    seconds: float
    epoch: float  # how many were gone through
    training: float
    validation: float


def factor(share: float, plan: Plan) -> float:
    """What the learning rate is multiplied with when so much of the budget is spent."""
    if plan.schedule == "one-cycle":
        rise = 0.3
        return share / rise if share < rise else 0.5 * (1 + math.cos(math.pi * (share - rise) / (1 - rise)))
    if share < plan.warm_up:
        return max(share, 1e-3) / plan.warm_up
    rest = (share - plan.warm_up) / max(1 - plan.warm_up, 1e-9)
    if plan.schedule == "inverse-root":
        return math.sqrt(max(plan.warm_up, 1e-9) / share) * (1.0 if rest < 0.8 else (1 - rest) / 0.2)
    return 1 - rest if plan.schedule == "linear" else 0.5 * (1 + math.cos(math.pi * rest))


class Loop:
    """One run of training: makes steps, keeps count, and validates now and then."""

    def __init__(self, model: nn.Module, lessons: Lessons, plan: Plan, team: Team = ALONE) -> None:
        self.lessons, self.plan, self.team = lessons, plan, team
        shares = plan.shard and team.size > 1
        self.model = copy.deepcopy(model) if shares else model  # what is shared out serves nobody else
        taught = Taught(torch.compile(self.model, dynamic=True) if plan.compile else self.model, lessons)
        self._taught = sharded(taught, team) if shares else copied(taught, team)
        self.optimizers = optimizers_for(
            self.model, plan.optimizer, plan.learning_rate, plan.weight_decay, plan.table_rate
        )
        self.progress = Progress()
        self.device = next(self.model.parameters()).device
        # float16 ends at 6e-8: small gradients would be 0, so the loss is scaled up for them, and they are scaled back.
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=plan.precision == "float16")
        self.average = {name: value.clone() for name, value in self.model.state_dict().items()} if plan.average else {}

    # --- stopping and resuming ----------------------------------------------------------------------------------

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """All that a resumed run needs: tensors by name, and a few plain numbers. A team must ask all at once."""
        tensors = {f"model.{name}": whole(value) for name, value in self.model.state_dict().items()}
        tensors |= {f"average.{name}": whole(value) for name, value in self.average.items()}
        tensors |= random_states(self.team, self.device)
        if scaled := self.scaler.state_dict():
            tensors["scaler.state"] = torch.tensor([scaled[name] for name in SCALED], dtype=torch.float64)
        for i, optimizer in enumerate(self.optimizers):
            for key, memory in optimizer.state_dict()["state"].items():
                for name, value in memory.items():
                    tensors[f"optimizer.{i}.{key}.{name}"] = whole(torch.as_tensor(value))
        return tensors, asdict(self.progress)

    def restore(self, tensors: Mapping[str, Tensor], progress: Mapping[str, Any]) -> None:
        """Resumes from such a state, bit for bit; on another device, or with more or fewer processes than those that
        left it, nearly so. In a team process 0 has it, and all others learn it from there."""
        own = self.model.state_dict()
        known: dict[str, dict[str, Tensor]] = defaultdict(dict)
        memories: list[dict[int, dict[str, Tensor]]] = [defaultdict(dict) for _ in self.optimizers]
        moved = [[weight for group in each.param_groups for weight in group["params"]] for each in self.optimizers]
        for name, value in self.team.shared(tensors):
            kind, _, rest = name.partition(".")
            if kind == "optimizer":
                i, key, what = rest.split(".", 2)
                memories[int(i)][int(key)][what] = placed(value, moved[int(i)][int(key)]).clone()
            elif kind in ("model", "average"):
                known[kind][rest] = placed(value, own.get(rest)).to(self.device, copy=True)
            else:
                known[kind][rest] = value
        self.model.load_state_dict(known["model"])
        self.average = known["average"]
        for optimizer, memory in zip(self.optimizers, memories, strict=True):
            optimizer.load_state_dict({"state": memory, "param_groups": optimizer.state_dict()["param_groups"]})
        self.progress = Progress(**self.team.told(dict(progress)))
        draw_on(known["random"], self.team, self.device, fresh=self.progress.step)
        if known["scaler"] and self.scaler.is_enabled():
            scaled = dict(zip(SCALED, known["scaler"]["state"].tolist(), strict=True))
            self.scaler.load_state_dict({**self.scaler.state_dict(), **scaled})

    def run(self) -> Iterator[Stepped | Validated | EpochEnded]:
        """Steps until the budget is spent or patience is at its end. Whoever stops reading stops the run; whoever runs
        it again begins with the validation that was due where it stopped."""
        started = time.monotonic() - self.progress.seconds
        while True:
            validated = self.validate() if self._validation_is_due() else None
            if validated:
                self._tick(started)
                yield validated
            if self.progress.answered and (self.done or self._epoch_is_over()):
                ended = self.end_epoch(validated.accuracy if validated else None)
                self._tick(started)
                yield ended
            if self.done:
                return
            stepped = self.step()
            self._tick(started)
            yield replace(stepped, seconds=self.progress.seconds)

    def _tick(self, started: float) -> None:
        """Looks at the clock; where it decides when all is over, at that of process 0."""
        seconds = time.monotonic() - started
        self.progress.seconds = seconds if self.plan.steps else self.team.leading(seconds)

    def _validation_is_due(self) -> bool:
        """Counted in whole steps, or in shares of the clock: a sum of tenths would come late by a rounding error."""
        progress, plan = self.progress, self.plan
        if progress.step == progress.validated_at:
            return False
        spent = Fraction(progress.step, plan.steps) if plan.steps else Fraction(progress.share(plan))
        due = (progress.validations + 1) * Fraction(str(plan.validate_every))
        return spent >= min(Fraction(1), due)

    @property
    def done(self) -> bool:
        """Whether the budget is spent, or patience at its end."""
        impatient = 0 < self.plan.patience <= self.progress.since_best
        return impatient or self.progress.share(self.plan) >= 1.0

    def step(self) -> Stepped:
        """One step of the optimizers, over `accumulate` batches that count as one."""
        self.model.train()
        rate = self.plan.learning_rate * factor(self.progress.share(self.plan), self.plan)
        loss, items, right = self._gradients()
        for optimizer in self.optimizers:
            self.scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.plan.clip)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * group["share"]
            self.scaler.step(optimizer)  # not, if a gradient was too large to be scaled
            optimizer.zero_grad(set_to_none=True)
        self.scaler.update()
        self.progress.step += 1
        if self.lessons.graded:
            self.progress.right += right
            self.progress.answered += items
        self._follow()
        if not math.isfinite(loss):
            raise GlassformerError(
                f"The loss became {loss} at step {self.progress.step}: training diverged. "
                f"Try a smaller learning rate than {self.plan.learning_rate:g}."
            )
        return Stepped(self.progress.step, self.progress.seconds, loss, rate, items)

    def _gradients(self) -> tuple[float, int, int]:
        """Of the mean loss over all targets of the step, whoever has them; gives that mean, their number, and how many
        answers were right. Batches are gone through one by one: however many there are, one has to fit in memory."""
        made = list(self._next_batches())
        summed, right, unit, items = torch.zeros(()), 0, 0.0, 0.0
        for place, batch in enumerate(made, 1):
            with gradients_wait(self._taught, last=place == len(made)):
                loss, own, answered = self._loss(batch, self.plan.smoothing)
                everywhere = self.team.sums(own)[0]
                unit = unit or max(everywhere, 1.0)
                mine = loss / (unit / self.team.size)  # the team takes the mean of what its processes have
                self.scaler.scale(mine).backward()  # type: ignore[no-untyped-call]
            summed, right, items = summed + loss.detach().cpu(), right + answered, items + everywhere
        if items > unit:  # the first batch had no more than its part in the mean
            for weight in self.model.parameters():
                if weight.grad is not None:
                    weight.grad.div_(items / unit)
        total, right_everywhere = self.team.sums(float(summed), right)
        return total / max(items, 1.0), int(items), int(right_everywhere)

    def _loss(self, batch: object, smoothing: float = 0.0) -> tuple[Tensor, int, int]:
        """Of the rows that are this process's: summed, over how many, and how many answers were right, where an answer
        can be. Who has no row looks at one all the same, so that nobody waits for it, and counts nothing."""
        part, counts = rows_for(batch, self.team.rank, self.team.size)
        half = HALVES.get(self.plan.precision)
        with torch.autocast(self.device.type, half, enabled=half is not None):
            loss, items, right = self._taught(part, smoothing)
        return (loss, items, right) if counts else (0.0 * loss, 0, 0)

    def _next_batches(self) -> Iterator[object]:
        for _ in range(self.plan.accumulate):
            yield self.lessons.train.batch(self.progress.epoch, self.progress.place)
            self.progress.place += 1
            if self.progress.place >= self.lessons.train.n_batches(self.progress.epoch):
                self.progress.epoch, self.progress.place = self.progress.epoch + 1, 0

    @torch.no_grad()
    def _follow(self) -> None:
        """The average of weights follows the weights; slowly at first it would remember the beginning too long."""
        if not self.average:
            return
        past = min(self.plan.average, 1 - 1 / (self.progress.step + 1))
        for name, value in self.model.state_dict().items():
            if value.is_floating_point():
                self.average[name].lerp_(value, 1 - past)

    def validate(self) -> Validated:
        """The validation loss, remembered if it is the best."""
        loss, accuracy = self.on_validation_part()
        best = loss < self.progress.best
        self.progress.validations += 1
        self.progress.validated_at = self.progress.step
        self.progress.since_best = 0 if best else self.progress.since_best + 1
        self.progress.best = min(self.progress.best, loss)
        return Validated(self.progress.step, self.progress.seconds, loss, best, accuracy)

    def _epoch_is_over(self) -> bool:
        """Whether an epoch has ended since accuracy was told, if that is not too short a while ago."""
        while_ago = self.progress.share(self.plan) - self.progress.told >= 1 / MOST_EPOCHS_TOLD
        return while_ago and self.progress.epoch > self.progress.told_epoch

    def end_epoch(self, accuracy: float | None = None) -> EpochEnded:
        """The accuracy of what was answered since the last time, and on the validation part, if it is not known yet."""
        progress = self.progress
        if accuracy is None:
            accuracy = self.on_validation_part()[1] or 0.0
        training = progress.right / progress.answered
        epoch = progress.epoch + progress.place / self.lessons.train.n_batches(progress.epoch)
        progress.right = progress.answered = 0
        progress.told, progress.told_epoch = progress.share(self.plan), progress.epoch
        return EpochEnded(progress.step, progress.seconds, epoch, training, accuracy)

    def validation_loss(self) -> float:
        """The mean loss over the validation part, each sample or token counted once; of averaged weights, if any."""
        return self.on_validation_part()[0]

    def on_validation_part(self) -> tuple[float, float | None]:
        """The mean loss, and the accuracy where an answer is right or wrong."""
        return self.on_batches(self.lessons.valid.in_order())

    @torch.no_grad()
    def on_batches(self, batches: Iterable[object]) -> tuple[float, float | None]:
        """The same on any batches. Their losses are kept as numbers: a tensor, however small, holds its place between
        the large ones that come and go, and memory would grow with every batch."""
        current = {name: value.clone() for name, value in self.model.state_dict().items()} if self.average else {}
        self.model.load_state_dict(self.weights())
        self.model.eval()
        losses = [(float(loss), count, right) for loss, count, right in map(self._loss, batches)]
        if current:
            self.model.load_state_dict(current)
        total, count, right = self.team.sums(
            math.fsum(loss for loss, _, _ in losses),
            sum(count for _, count, _ in losses),
            sum(right for _, _, right in losses),
        )
        return total / max(count, 1), right / max(count, 1) if self.lessons.graded else None

    def weights(self) -> dict[str, Tensor]:
        """What the run has to give: the averaged weights, if it averages, else those it has."""
        return self.average or dict(self.model.state_dict())


def weights_in(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """What the state of a run has to give: the averaged weights, if it averages, else those it has."""
    for prefix in ("average.", "model."):
        found = {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
        if found:
            return found
    return {}
