"""The terminal while a model trains: a bar with losses, accuracy, forecast, speed and time left; the curves at the end.

It listens to the events of a run (training/course.py) and writes to standard error, so that standard output stays free
for answers. Where nobody reads any more, a terminal that was closed or a pipe, it falls silent: a training does not end
for want of a listener.
"""

import io
import sys
from types import TracebackType
from typing import IO, Self, cast

from rich.progress import BarColumn, Progress, TaskID, TextColumn

from glassformer.drawing.curves import Point, dotted, drawn, forecast, smoothed
from glassformer.drawing.score_words import clock, in_figures
from glassformer.drawing.terminal import Page
from glassformer.errors import counted
from glassformer.training.course import Event, Said
from glassformer.training.forecasting.budget import Forecast
from glassformer.training.loop import EpochEnded, Stepped


class _StandardError(io.TextIOBase):
    """Standard error, as long as somebody reads it."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return sys.stderr.encoding if sys.stderr else "utf-8"

    def isatty(self) -> bool:
        return bool(sys.stderr) and sys.stderr.isatty()

    def write(self, text: str) -> int:
        try:
            if sys.stderr:
                sys.stderr.write(text)
                sys.stderr.flush()
        except OSError:
            pass  # said to nobody
        return len(text)


class TrainingScreen:
    """Call it with events; use it as a context, so that the bar ends with the run."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.console = Page(file=cast(IO[str], _StandardError()), highlight=False, quiet=quiet)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(bar_width=28), TextColumn("{task.fields[said]}"),
            console=self.console, transient=True, refresh_per_second=4,
        )  # fmt: skip
        self._task: TaskID | None = None
        self._forecast: Forecast | None = None
        self._losses: list[Point] = []
        self._valid: list[Point] = []
        self._epochs: list[EpochEnded] = []
        self._tenths = self._items = 0
        self._began = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bar.stop()

    def __call__(self, event: Event) -> None:
        """Shows one event."""
        if isinstance(event, Said):
            self.console.print(event.text, style="dim", markup=False)
        elif isinstance(event, Forecast):
            self._begin(event)
        elif isinstance(event, Stepped):
            if not self._losses:
                self._began = event.seconds  # a resumed run has some behind it; the first step sets the clock
            else:
                self._items += event.items
            self._losses.append((event.seconds, event.loss))
            self._step(event)
        elif isinstance(event, EpochEnded):
            self._epochs.append(event)
            if self.console.is_terminal:
                self.console.print(f"  epoch {event.epoch:.3g}  {_accuracy(event)}")
        else:
            self._valid.append((event.seconds, event.loss))
            if not self.console.is_terminal:
                return
            mark = "best so far" if event.best else ""
            self.console.print(f"  step {event.step:,}  validation loss {event.loss:.4f}  [green]{mark}[/]")

    def _begin(self, plan: Forecast) -> None:
        self._forecast = plan
        self.console.print(
            f"[bold]{plan.parameters:,}[/] parameters. In {clock(plan.seconds)} about "
            f"{counted(plan.steps, 'step')} ({plan.epochs:.1f} epochs), {plan.speed:,.0f} {plan.unit}/s, with "
            f"{counted(plan.threads, 'thread')}.",
            soft_wrap=True,
        )
        if self.console.is_terminal:
            self._task = self._bar.add_task("training", total=1.0, said="")
            self._bar.start()

    def _step(self, event: Stepped) -> None:
        if self._forecast is None:
            return
        share = self._forecast.share(event.step, event.seconds)
        if self._task is not None and (event.step % 5 == 0 or share >= 1.0):
            self._bar.update(self._task, completed=share, said=self._said(event))
        elif self._task is None and int(10 * share) > self._tenths:
            self._tenths = int(10 * share)
            self.console.print(f"{share:4.0%}  {self._said(event)}", soft_wrap=True)

    def _said(self, event: Stepped) -> str:
        assert self._forecast is not None
        curve = smoothed(self._losses[-400:])
        words = [f"loss {curve[-1][1]:.3f}"]
        share = self._forecast.share(event.step, event.seconds)
        whole = event.seconds / share
        end = forecast(self._losses, whole)
        if end is not None and end[1] - end[0] >= 0.001 and 0.25 < share < 1:  # of a rise there is none
            words[0] += f" (forecast {end[0]:.3f} to {end[1]:.3f})"
        if self._valid:
            words.append(f"validation loss {self._valid[-1][1]:.3f}")
        if self._epochs:
            words.append(f"after epoch {self._epochs[-1].epoch:.3g}: {_accuracy(self._epochs[-1])}")
        if event.seconds > self._began:
            words.append(f"{self._items / (event.seconds - self._began):,.0f} {self._forecast.unit}/s")
        words.append(f"{clock(whole - event.seconds)} left")
        return " · ".join(words)

    def curve(self) -> None:
        """The training loss over time."""
        self._bar.stop()
        points = smoothed(self._losses, 0.95)[1:]
        if len(points) > 10:
            self.console.print("\n".join(drawn(points, width=60, height=6)), style="cyan", soft_wrap=True)
            self.console.print(f"{'':9}training loss over {clock(points[-1][0])}", style="dim")
        if len(self._epochs) > 1:
            curves = [[(e.epoch, e.training) for e in self._epochs], [(e.epoch, e.validation) for e in self._epochs]]
            self.console.print("\n".join(dotted(curves, "○●", height=6)), style="cyan", soft_wrap=True)
            told = f"accuracy over {self._epochs[-1].epoch:.3g} epochs: ○ training, ● validation, ◉ both"
            self.console.print(f"{'':9}{told}", style="dim")


def _accuracy(event: EpochEnded) -> str:
    training, validation = (in_figures("accuracy", share) for share in (event.training, event.validation))
    return f"accuracy {training} in training, {validation} in validation"
