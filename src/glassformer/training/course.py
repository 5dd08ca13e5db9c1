"""The course of a run, begun or resumed: from a request to a run folder with model, scores, certificate and report.

The one way to train. It puts the files below together: prepare.py says what to learn and how, loop.py does it,
runs/folder.py keeps it. It knows no terminal; what happens is told to whoever listens, as it happens.
"""

import signal
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

from glassformer.errors import GlassformerError, InputError, counted, nearest
from glassformer.objectives.table import objective_of, verdict_on
from glassformer.runs.folder import RunFolder
from glassformer.runs.lock import held
from glassformer.runs.pasting import pasteable
from glassformer.runs.report import report
from glassformer.runs.run import Run, load
from glassformer.runs.trial_data import PARTS
from glassformer.text.corpora import Corpus
from glassformer.text.samples import seen_before
from glassformer.training import machine
from glassformer.training.adapters import merge_lora
from glassformer.training.baselines import baselines, fits_model, too_slow
from glassformer.training.budget import Forecast, budget, forecast_again
from glassformer.training.ending import Deadline
from glassformer.training.loop import EpochEnded, Loop, Stepped, Validated
from glassformer.training.prepare import Prepared, check_same, prepare, prepare_again, settings_of
from glassformer.training.request import Request
from glassformer.training.showcase import opening, showcase

SAVE_EVERY = 60.0  # seconds between checkpoints, beside those at each better validation
PACE = 22  # steps whose median says how fast the machine is just now
LOG_EVERY = 0.5  # seconds between logged steps


@dataclass(frozen=True)
class Said:
    """A sentence for a person."""

    text: str


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
    options   as on the command line: minutes, epochs or steps, model, seed, settings={"width": 64}, columns, …
    """
    began = time.monotonic()
    known = [each.name for each in fields(Request)]
    for name in options:
        if name not in known:
            raise InputError(f"There is no option called '{name}'; {nearest(name, known)}")
    request = Request(task=task, data=str(data), **options)
    return teach(request, out or new_folder(task, str(data)), tell, began, stop=stop)


def new_folder(task: str, data: str) -> Path:
    """A folder that is not there yet: runs/TASK-DATA, with a number if need be."""
    name = f"{task}-{Path(data).name.split('.')[0].replace(':', '-')}"
    numbered = (Path("runs") / (name if number == 1 else f"{name}-{number}") for number in range(1, 10_000))
    return next(folder for folder in numbered if not folder.exists())


def teach(
    request: Request, out: str | Path, tell: Listener = nobody, began: float | None = None,
    corpus: Corpus | None = None, stop: threading.Event | None = None,
) -> Run:  # fmt: skip
    """Trains a model as asked, in a new run folder, or in one that the same run left before its first checkpoint.
    `began` is when the budget of minutes began to run; a `corpus` that was read already is not read again."""
    began = time.monotonic() if began is None else began
    folder = RunFolder(out)
    if not folder.unsaved:
        folder.check_new()  # before the work is done
    prepared = prepare(request, corpus=corpus)
    for note in prepared.notes:
        tell(Said(note))
    plan, forecast = budget(prepared, began)
    tell(forecast)
    with held(folder.path):
        _begin(folder, settings_of(prepared, plan, forecast.threads), tell)
        course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan), forecast.deadline)
        return course.run(forecast.threads, tell, stop)


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
    out: str | Path, tell: Listener = nobody, corpus: Corpus | None = None, stop: threading.Event | None = None
) -> Run:
    """Resumes a run that was stopped, from its newest whole checkpoint; before its first, from the start."""
    folder = RunFolder.open(out)
    if folder.finished and not folder.checkpoints():  # somebody made room
        return _nothing_left(folder, tell)
    with held(folder.path):
        prepared, plan, threads = prepare_again(folder.settings, corpus)
        course = Course(folder, prepared, Loop(prepared.model, prepared.lessons, plan))
        if folder.unsaved:
            tell(_from_the_start(folder))
            folder.rewind(0)
        else:
            course.restore(tell)
        if course.loop.done and folder.finished:
            return _nothing_left(folder, tell)
        if course.loop.progress.step:
            tell(Said(f"Resuming from step {course.loop.progress.step:,}."))
        tell(forecast_again(prepared, plan, threads))
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

    def restore(self, tell: Listener) -> None:
        """Back to the newest whole checkpoint."""
        newest = self.folder.newest_checkpoint()
        for skipped in newest.skipped:
            tell(Said(f"Passed over: {skipped}"))
        self.loop.restore(newest.tensors, newest.progress)
        self.folder.rewind(self.loop.progress.step)

    def run(self, threads: int, tell: Listener, stop: threading.Event | None = None) -> Run:
        """Learns to the end, with so many threads; afterwards torch has as many as before."""
        with machine.threads(threads):
            self.learn(tell, stop)
            return self.finish(tell)

    def learn(self, tell: Listener, stop: threading.Event | None = None) -> None:
        """Runs the loop; logs, saves, and leaves in order when a signal comes or it is told to stop."""
        saved = logged = time.monotonic()
        steps: deque[float] = deque(maxlen=PACE)  # when the last ones were done
        with _signals() as came:
            for event in self.loop.run():
                tell(event)
                now = time.monotonic()
                if isinstance(event, Stepped):
                    steps.append(now)
                self._keep_time(now, steps)
                if isinstance(event, Validated):
                    self.folder.log({"event": "judged", **asdict(event)})
                elif isinstance(event, EpochEnded):
                    self.folder.log({"event": "epoch", **asdict(event)})
                elif now - logged >= LOG_EVERY:
                    self.folder.log({"event": "step", **asdict(event)})
                    logged = now
                if stop is not None and stop.is_set():
                    came.append(signal.SIGTERM)
                due = isinstance(event, Validated) and (event.best or self.loop.done or self.prepared.request.keep_all)
                if due or came or now - saved >= SAVE_EVERY:
                    self._save(event)
                    saved = time.monotonic()
                if came:
                    raise StoppedError(came[0], self.folder.path)

    def _keep_time(self, now: float, steps: Sequence[float]) -> None:
        """Where steps take longer than they did when the plan was made, there are fewer of them: the minutes stand."""
        if self.deadline is None or len(steps) < 2:
            return
        step = statistics.median(after - before for before, after in pairwise(steps))
        progress, plan = self.loop.progress, self.loop.plan
        seconds = progress.seconds + max(self.deadline.seconds_left(now, step), 0.0)
        if seconds < plan.seconds:
            self.loop.plan = replace(plan, seconds=seconds)

    def _save(self, event: Stepped | Validated | EpochEnded) -> None:
        tensors, progress = self.loop.state()
        value, best = (event.loss, event.best) if isinstance(event, Validated) else (None, False)
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
        prepared = self.prepared
        seconds = self.loop.progress.seconds
        if not self.loop.plan.keep_last:
            best = self.folder.best_checkpoint()
            self.loop.restore(best.tensors, best.progress)
        prepared.model.load_state_dict(self.loop.weights())
        merge_lora(prepared.model)
        prepared.model.eval()
        self.folder.save_model(prepared.card, prepared.model.state_dict(), prepared.tokens)
        about: dict[str, Any] = {
            "parameters": sum(weight.numel() for weight in prepared.model.parameters()),
            "seconds": seconds,
            "samples": {part: len(getattr(prepared.corpus, part)) for part in PARTS},
            "notes": list(prepared.notes),
            "machine": machine.facts().to_dict(),
            "first": opening(prepared.corpus.valid),
            "examples": self._evaluate(tell),
        }
        self.folder.write_about(about)
        run = load(self.folder.path)
        self.folder.write_certificate({**run.certify().to_dict(), "learnt": run.learnt and run.learnt.to_dict()})
        self.folder.write_report(report(self.folder, prepared.card))
        return run

    def _evaluate(self, tell: Listener) -> list[dict[str, str]]:
        """Scores and outcomes are kept; what comes back are a few answers to be shown."""
        prepared = self.prepared
        if objective_of(prepared.card).pretrains:  # the first half of a training: there is only its loss
            self.folder.write_scores({"part": "valid", "loss": self.loop.validation_loss()})
            return []
        part = "test" if prepared.corpus.test else "valid"
        samples = prepared.corpus.test or prepared.corpus.valid
        tell(Said(f"Evaluating on the {part} part, {counted(len(samples), 'sample')} …"))
        verdict = verdict_on(prepared.model, prepared.card, prepared.tokens, samples)
        linear = f"a linear model ({objective_of(prepared.card).baseline}) beside it"
        if fits_model(prepared):
            tell(Said(f"Fitting {linear} …"))
        elif too_slow(prepared):
            tell(Said(f"To fit {linear} would take too much of so few minutes; it is left out."))
        beside = baselines(prepared, verdict, samples)
        known = seen_before(samples, prepared.corpus.train)
        told = {"baselines": [asdict(each) for each in beside], **({"in_training": known} if known else {})}
        self.folder.write_scores({"part": part, **verdict.scores, **told})
        self.folder.write_outcomes({"part": part, "score": verdict.main, "rows": verdict.measure.rows.tolist()})
        return showcase(prepared, verdict, samples)


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Ctrl-C and SIGTERM are noted, so that the step at hand is finished and saved; a second one leaves at once.
    In a thread that is not the main one no signals arrive: there `stop` remains."""
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if came:
            raise SystemExit(128 + number)
        came.append(number)

    here = threading.current_thread() is threading.main_thread()  # only there may signals be caught
    numbers = (signal.SIGINT, signal.SIGTERM) if here else ()
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
