"""The course of a run, begun or resumed: from a request to a run folder with model, scores, certificate and report.

The one way to train. It puts the files below together: prepare.py says what to learn and how, loop.py does it,
runs/folder.py keeps it. It knows no terminal; what happens is told to whoever listens, as it happens. In a team of
processes all learn, and process 0 alone writes, tells and evaluates.
"""

import re
import signal
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from torch import Tensor

from glassformer.errors import GlassformerError, InputError, counted, nearest
from glassformer.layers.devices import in_words
from glassformer.lock import held
from glassformer.objectives.table import objective_of, verdict_on
from glassformer.runs.folder import Checkpoint, RunFolder
from glassformer.runs.learnt import to_go_on
from glassformer.runs.pasting import pasteable
from glassformer.runs.report import report
from glassformer.runs.run import Run, load
from glassformer.runs.trial_data import PARTS
from glassformer.text.corpora import Corpus
from glassformer.text.files.token_files import holds_tokens
from glassformer.text.samples import seen_before
from glassformer.training import machine
from glassformer.training.adapters import merge_lora
from glassformer.training.baselines import baselines, fits_model, too_slow
from glassformer.training.forecasting.budget import Forecast, budget, forecast_again
from glassformer.training.forecasting.ending import Deadline, drawn_in_time
from glassformer.training.forecasting.enough import too_short
from glassformer.training.forecasting.how_it_ended import how_it_ended
from glassformer.training.loop import EpochEnded, Loop, Plan, Stepped, Validated, check_progress, weights_in
from glassformer.training.optimizers import check_kept
from glassformer.training.prepare import Prepared, alike, alike_again, check_same, idle, prepare, settings_of
from glassformer.training.processes.team import ALONE, Team, joined
from glassformer.training.request import Request, kept_tokens, token_place
from glassformer.training.showcase import opening, showcase

SAVE_EVERY = 60.0  # seconds between checkpoints, beside those at each better validation
PACE = 22  # steps whose median says how fast the machine is just now
LOG_EVERY = 0.5  # seconds between logged steps
NOTHING = Checkpoint({}, {}, [])  # what those have who do not read the run folder


@dataclass(frozen=True)
class Said:
    """A sentence for a person."""

    text: str


LOGGED: Mapping[type, str] = {Stepped: "step", Validated: "judged", EpochEnded: "epoch"}  # as metrics.jsonl says it
Event = Said | Forecast | Stepped | Validated | EpochEnded
Listener = Callable[[Event], None]


class StoppedError(GlassformerError):
    """A run that was told to stop: it has saved, and can be resumed."""

    def __init__(self, number: int, folder: Path) -> None:
        command = pasteable(("glassformer", "train", "--resume", folder))
        super().__init__(f"Stopped and saved. To resume: {command}")
        self.exit_code = 128 + number


def nobody(event: Event) -> None:
    """The default listener: hears nothing."""


def train(
    task: str, data: str | Path, *, out: str | Path | None = None, tell: Listener = nobody,
    stop: threading.Event | None = None, **options: Any,
) -> Run:  # fmt: skip
    """Trains a model on your own text, and gives the run: its folder holds the model, its scores and a report.

        run = gf.train("classify", "reviews.csv", minutes=5)
        run.scores["accuracy"]
        run.predict(["a warm and clever film"])[0].label

    task      classify, translate or generate; or one of your own, added to TASKS
    data      a file, a folder, or the name of a set: dates, negation, sorting, arithmetic, imdb, …
    out       the run folder; runs/TASK-DATA if none is named
    tell      called with everything that happens: what was read, the forecast, each step, each validation
    stop      once it is set, from any thread, the run saves and raises `StoppedError`, as Ctrl-C does
    options   as on the command line: minutes, epochs or steps, model, seed, device, settings={"width": 64}, columns, …

    Under torchrun all processes train this one model; what process 0 gives has the folder, the others only the model.
    """
    began = time.monotonic()
    known = [each.name for each in fields(Request)]
    for name in options:
        if name not in known:
            raise InputError(f"There is no option called '{name}'; {nearest(name, known)}")
    request = Request(task=task, data=str(data), **options)
    with joined() as team:
        return teach(request, out or new_folder(task, str(data)), tell, began, stop=stop, team=team)


def new_folder(task: str, data: str) -> Path:
    """A folder that is not there yet: runs/TASK-DATA, with a number if need be."""
    name = "-".join((task, *re.split(r"[\s:,]+", Path(data).name.split(".")[0])))
    numbered = (Path("runs") / (name if number == 1 else f"{name}-{number}") for number in range(1, 10_000))
    return next(folder for folder in numbered if not folder.exists())


def teach(
    request: Request, out: str | Path, tell: Listener = nobody, began: float | None = None,
    corpus: Corpus | None = None, stop: threading.Event | None = None, team: Team = ALONE,
) -> Run:  # fmt: skip
    """Trains a model as asked, in a new run folder, or in one that the same run left before its first checkpoint.
    `began` is when the budget of minutes began to run; a `corpus` that was read already is not read again, and is
    evaluated on in whole, so that runs can be compared sample by sample. A team that was begun again resumes."""
    began = time.monotonic() if began is None else began
    folder = RunFolder(out)
    if team.told(team.restarts > 0 and folder.begun and not folder.unsaved):
        return resume(out, tell, corpus, stop, team)
    tell = tell if team.leads else nobody
    team.together(lambda: folder.check_new() if team.leads and not folder.unsaved else None)  # before the work is done
    team.together(lambda: _keep_tokens(request, tell) if corpus is None and team.local_rank == 0 else None)
    prepared = alike(team, lambda: prepare(request, corpus=corpus))
    for note in (*prepared.notes, *idle(prepared, team), *_where(prepared)):
        tell(Said(note))
    plan, forecast = (
        budget(prepared, began, team, whole=corpus is not None) if team.leads else (prepared.recipe.plan, None)
    )
    plan, threads = Plan(**team.told(asdict(plan))), team.told(forecast and forecast.threads)
    if forecast:
        for warning in too_short(prepared, forecast):
            tell(Said(warning))
        if forecast.deadline is not None and (late := forecast.deadline.will_be_missed(time.monotonic())):
            tell(Said(late))
        tell(forecast)
    with _held(folder, team):
        team.together(lambda: _begin(folder, settings_of(prepared, plan, threads), tell) if team.leads else None)
        loop = Loop(prepared.model, prepared.lessons, plan, team)
        return Course(folder, prepared, loop, forecast.deadline if forecast else None).run(threads, tell, stop)


def _keep_tokens(request: Request, tell: Listener) -> None:
    """Text that is too large for memory is cut first, once on each machine; that takes a while, and is told."""
    place, tenths = token_place(request), [0]
    if place is None or holds_tokens(place):
        return
    tell(Said(f"{request.data} is large: its tokens are kept in {place}."))

    def told(done: int, whole: int) -> None:
        if 10 * done // whole > tenths[-1]:
            tenths.append(10 * done // whole)
            tell(Said(f"{done / whole:.0%} of {whole / 1e9:.3g} GB cut into tokens."))

    kept_tokens(request, told)


@contextmanager
def _held(folder: RunFolder, team: Team) -> Iterator[None]:
    """The folder, held by the process that writes it."""
    with ExitStack() as stack:
        team.together(lambda: stack.enter_context(held(folder.path, "trained")) if team.leads else None)
        yield


def _where(prepared: Prepared) -> list[str]:
    """Where it computes, if that is not the processor."""
    device = next(prepared.model.parameters()).device
    return [] if device.type == "cpu" else [f"It computes on {in_words(device)}."]


def _begin(folder: RunFolder, settings: Mapping[str, Any], tell: Listener) -> None:
    """Writes down what will be done, where no other run stands."""
    if not folder.unsaved:
        RunFolder.create(folder.path, settings=settings)
        return
    check_same(folder, settings)
    tell(_from_the_start(folder))
    folder.begin_again(settings)


def _from_the_start(folder: RunFolder) -> Said:
    return Said(f"{folder.path} was stopped before its first checkpoint; it begins again.")


def resume(
    out: str | Path, tell: Listener = nobody, corpus: Corpus | None = None, stop: threading.Event | None = None,
    team: Team = ALONE, device: str = "",
) -> Run:  # fmt: skip
    """Resumes a run that was stopped, from its newest whole checkpoint; before its first, from the start. There may be
    more or fewer processes than before, and another device."""
    tell = tell if team.leads else nobody
    folder = team.together(lambda: RunFolder.open(out) if team.leads else RunFolder(out))
    if team.told(folder.finished and not folder.checkpoints()):  # somebody made room
        return _nothing_left(folder, tell)
    with _held(folder, team):
        settings = team.told(team.together(lambda: folder.settings if team.leads else {}))
        prepared, plan, threads = alike_again(team, settings, corpus, device)
        course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan, team))
        if team.told(folder.unsaved):
            tell(_from_the_start(folder))
        else:
            course.restore(tell)
        if team.told(course.loop.done and folder.finished):
            return _nothing_left(folder, tell)
        team.together(lambda: course.rewind() if team.leads else None)
        for note in _where(prepared):
            tell(Said(note))
        if course.loop.progress.step:
            tell(Said(f"Resuming from step {course.loop.progress.step:,}."))
        if team.leads:
            tell(forecast_again(prepared, plan, threads, team))
        return course.run(threads, tell, stop)


def _nothing_left(folder: RunFolder, tell: Listener) -> Run:
    tell(Said(f"{folder.path} has finished: there is nothing left to resume."))
    return load(folder.path)


@dataclass
class Course:
    """A run that is ready to begin, or to go on."""

    folder: RunFolder
    prepared: Prepared
    loop: Loop
    deadline: Deadline | None = None  # of a run that was given minutes and was not resumed
    _validated: Validated | None = None  # the last one that was saved
    _forecast: float = 0.0  # seconds of training, before it began

    def restore(self, tell: Listener) -> None:
        """Back to the newest whole checkpoint."""
        team = self.loop.team
        newest = team.together(lambda: self._newest() if team.leads else NOTHING)
        for skipped in newest.skipped:
            tell(Said(f"Passed over: {skipped}"))
        self.loop.restore(newest.tensors, newest.progress)

    def rewind(self) -> None:
        """Forgets what was logged and will come again."""
        progress = self.loop.progress
        to_come = {Validated: progress.validated_at < progress.step, EpochEnded: progress.answered > 0}
        self.folder.rewind(progress.step, [LOGGED[event] for event, comes in to_come.items() if comes])

    def _newest(self) -> Checkpoint:
        newest, loop = self.folder.newest_checkpoint(), self.loop
        check_kept(newest.tensors, loop.model, loop.optimizers, averaged=loop.plan.average > 0)
        check_progress(newest.progress)
        return newest

    def run(self, threads: int, tell: Listener, stop: threading.Event | None = None) -> Run:
        """Learns to the end, with so many threads; afterwards torch has as many as before."""
        self._forecast = self.loop.plan.seconds
        with machine.threads(threads):
            self.learn(tell, stop)
            return self.finish(tell)

    def learn(self, tell: Listener, stop: threading.Event | None = None) -> None:
        """Runs the loop; logs, saves, and leaves in order when a signal comes or it is told to stop."""
        saved = logged = time.monotonic()
        steps: deque[float] = deque(maxlen=PACE)  # when the last ones were done
        team = self.loop.team
        with _signals(patient=team.size > 1) as came:
            for event in self.loop.run():
                tell(event)
                now = time.monotonic()
                if isinstance(event, Stepped):
                    steps.append(now)
                self._keep_time(now, steps)
                if team.leads and (not isinstance(event, Stepped) or now - logged >= LOG_EVERY):
                    self.folder.log({"event": LOGGED[type(event)], **asdict(event)})
                    logged = now if isinstance(event, Stepped) else logged
                if stop is not None and stop.is_set():
                    came.append(signal.SIGTERM)
                late, stopped = team.sums(team.leads and now - saved >= SAVE_EVERY, bool(came))
                due = isinstance(event, Validated) and (event.best or self.loop.done or self.prepared.request.keep_all)
                if due or late or stopped:
                    self._save(event)
                    saved = time.monotonic()
                if stopped:
                    raise StoppedError(came[0] if came else signal.SIGTERM, self.folder.path)

    def _keep_time(self, now: float, steps: Sequence[float]) -> None:
        """Where steps take longer than they did when the plan was made, there are fewer of them: the minutes stand."""
        progress, plan = self.loop.progress, self.loop.plan
        if plan.steps:
            return
        seconds = plan.seconds
        if self.deadline is not None and len(steps) >= 2:
            step = statistics.median(after - before for before, after in pairwise(steps))
            seconds = min(seconds, self.deadline.allowed(now, step, progress.seconds))
        self.loop.plan = replace(plan, seconds=self.loop.team.leading(seconds))

    def _save(self, event: Stepped | Validated | EpochEnded) -> None:
        """With what was found at this very step, even if an epoch has ended there since."""
        tensors, progress = self.loop.state()
        found = self._validated = event if isinstance(event, Validated) else self._validated
        is_here = found is not None and found.step == self.loop.progress.step
        value, best = (found.loss, found.best) if found is not None and is_here else (None, False)
        if not self.loop.team.leads:
            return
        self.folder.save_checkpoint(
            self.loop.progress.step,
            tensors,
            progress,
            value=value,
            best=best,
            keep_every=int(self.prepared.request.keep_all),
        )

    def finish(self, tell: Listener) -> Run:
        """The best weights, or the last, become the model, which is evaluated on its test part, and certified."""
        prepared, team, seconds = self.prepared, self.loop.team, self.loop.progress.seconds
        weights, kept = self._learnt()
        if team.leads:
            batches = prepared.lessons.train.n_batches(self.loop.progress.epoch)
            epochs = self.loop.progress.epoch + self.loop.progress.place / batches
            tell(Said(how_it_ended(self.loop.plan, self.loop.progress, epochs, self._forecast, kept)))
        prepared.model.load_state_dict(weights)
        merge_lora(prepared.model)
        prepared.model.eval()
        team.leave()
        if not team.leads:
            return Run(prepared.model, prepared.card, prepared.tokens)
        self.folder.save_model(prepared.card, prepared.model.state_dict(), prepared.tokens)
        about: dict[str, Any] = {
            "parameters": sum(weight.numel() for weight in prepared.model.parameters()),
            "seconds": seconds,
            "kept_step": kept["step"],
            "samples": {part: len(getattr(prepared.corpus, part)) for part in PARTS},
            "notes": list(prepared.notes),
            "machine": machine.facts().to_dict(),
            "first": opening(prepared.corpus.valid),
            "examples": self._evaluate(tell),
        }
        self.folder.write_about(about)
        run = load(self.folder.path, str(self.loop.device))
        self.folder.write_certificate({**run.certify().to_dict(), "learnt": run.learnt and run.learnt.to_dict()})
        self.folder.write_report(report(self.folder, prepared.card))
        for said in self._on_time(time.monotonic()):
            tell(Said(said))
        return run

    def _on_time(self, now: float) -> Iterator[str]:
        """Where minutes were given: whether they were too few, or much of them was left."""
        if self.deadline is None:
            return
        if late := self.deadline.missed(now):
            yield late
        step = self.loop.progress.seconds / max(1, self.loop.progress.step)
        if left := self.deadline.unspent(now, self.loop.progress.seconds, step):
            asked = self.prepared.request.minutes or self.prepared.recipe.minutes
            yield f"{left}: {to_go_on(self.folder, self.prepared.card, asked)}"

    def _learnt(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """The weights that the run has to give, whole, in every process, and where it stood when it had them."""
        team = self.loop.team
        if self.loop.plan.keep_last:
            tensors, progress = self.loop.state()
            return weights_in(tensors), progress
        best = team.together(lambda: self.folder.best_checkpoint() if team.leads else NOTHING)
        return dict(team.shared(weights_in(best.tensors))), best.progress

    def _evaluate(self, tell: Listener) -> list[dict[str, str]]:
        """Scores and outcomes are kept; what comes back are a few answers to be shown."""
        prepared = self.prepared
        if objective_of(prepared.card).pretrains:  # the first half of a training: there is only its loss
            alone = Loop(prepared.model, prepared.lessons, self.loop.plan)
            self.folder.write_scores({"part": "valid", "loss": alone.validation_loss()})
            return []
        part = "test" if prepared.corpus.test else "valid"
        there = prepared.corpus.test or prepared.corpus.valid
        evaluate = partial(verdict_on, prepared.model, prepared.card, prepared.tokens)
        samples = there
        if self.deadline is not None:
            seconds = self.deadline.for_evaluating(time.monotonic())
            samples = drawn_in_time(there, seconds, evaluate, prepared.request.seed)
        drawn = {} if samples is there else {"drawn": len(samples), "drawn_from": len(there)}
        tell(Said(f"Evaluating on the {part} part, {counted(len(samples), 'sample')}{_by_lot(drawn)} …"))
        verdict = evaluate(samples)
        linear = f"a linear model ({objective_of(prepared.card).baseline}) beside it"
        if fits_model(prepared):
            tell(Said(f"Fitting {linear} …"))
        elif too_slow(prepared):
            tell(Said(f"To fit {linear} would take too much of so few minutes; it is left out."))
        beside = baselines(prepared, verdict, samples)
        known = seen_before(samples, prepared.corpus.train)
        told = {"baselines": [asdict(each) for each in beside], **({"in_training": known} if known else {})}
        self.folder.write_scores({"part": part, **verdict.scores, **drawn, **told})
        self.folder.write_outcomes({"part": part, "score": verdict.main, "rows": verdict.measure.rows.tolist()})
        return showcase(prepared, verdict, samples)


def _by_lot(drawn: Mapping[str, int]) -> str:
    return f" of {drawn['drawn_from']:,}, drawn at random: the minutes allow no more" if drawn else ""


@contextmanager
def _signals(*, patient: bool = False) -> Iterator[list[int]]:
    """Ctrl-C, SIGTERM, and SIGHUP of a terminal that goes away, are noted, so that the step at hand is finished and
    saved; a second one leaves at once, unless it is `patient`: a launcher hands on to its processes what the terminal
    has told them already. Under nohup SIGHUP is ignored, and stays so. In a thread that is not the main one no signals
    arrive: there `stop` remains."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if came and not patient:
            raise SystemExit(128 + number)
        came.append(number)

    here = threading.current_thread() is threading.main_thread()  # only there may signals be caught
    numbers = [signal.SIGINT, signal.SIGTERM] if here else []
    if here and hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
