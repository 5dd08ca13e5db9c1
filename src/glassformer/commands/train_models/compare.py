"""`glassformer compare`: the race. It reads options and shows what happens; training/race/ does the work."""

import json as json_format
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.markup import escape

from glassformer.commands import settings as written
from glassformer.commands.pages.race_table import print_race
from glassformer.commands.pages.training_screen import TrainingScreen
from glassformer.drawing.terminal import terminal
from glassformer.errors import GlassformerError, InputError
from glassformer.models.registry import MODELS
from glassformer.runs.pasting import pasteable
from glassformer.storage import write_file
from glassformer.text.corpora import MOST_DIGITS
from glassformer.text.tasks import TASKS
from glassformer.training.course import Said, StoppedError
from glassformer.training.race.race import Race, as_plain
from glassformer.training.race.race_page import race_page
from glassformer.training.request import Request

USUAL_MINUTES = 1.0


def compare(
    task: str,
    data: str,
    *others: str,
    models: str = "",
    minutes: float = 0.0,
    epochs: float = 0.0,
    steps: int = 0,
    seeds: str = "0",
    out: Path | None = None,
    set_: Annotated[tuple[str, ...], Parameter(name=["--set", "-s"])] = (),
    threads: int = 0,
    device: str = "auto",
    text: str = "",
    label: str = "",
    source: str = "",
    target: str = "",
    valid: str = "",
    test: str = "",
    encoding: str = "",
    limit: int = 0,
    quiet: bool = False,
    json: bool = False,
) -> None:
    """Race several models on equal data with equal budgets; leaves a folder with every run, a table and a chart.

    The same command resumes where it was stopped, and trains only what is missing.

    Parameters
    ----------
    task
        classify, translate or generate.
    data
        A file, a folder, two parallel files, or the name of a set, as for train.
    others
        The second of two parallel files.
    models
        With commas: ngrams,rnn,gru,bilstm,mlp,conv,conv-pool,bare-attention,attention,transformer. All by default.
    minutes
        How long each contender may take (1 by default).
    epochs
        Or: how many epochs.
    steps
        Or: how many steps.
    seeds
        With commas: each model is trained once from each seed.
    out
        The folder of the race (runs/race-TASK-DATA by default).
    set_
        A hyperparameter of every contender that has it, such as --set longest=200; may be given several times.
    threads
        CPU threads; the quickest count is measured if none is given.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    text
        The column with the text.
    label
        The column with the label.
    source
        The column to translate from, or the prompt.
    target
        The column to translate to, or the answer.
    valid
        A validation file; else a part of the training data is split off.
    test
        A test file; else a part of the training data is split off.
    encoding
        Of the files, if it is not found out.
    limit
        At most so many samples of each part.
    quiet
        Show no progress.
    json
        Print one JSON document at the end.
    """
    request = Request(
        task=task, data=",".join((data, *others)), epochs=epochs, steps=steps,
        minutes=minutes if minutes or epochs or steps else USUAL_MINUTES, settings=written.from_words(set_),
        threads=threads, device=device, columns=written.said(text=text, label=label, source=source, target=target),
        valid=valid, test=test, encoding=encoding, limit=limit, command=pasteable(["glassformer", *sys.argv[1:]]),
    )  # fmt: skip
    race = Race(request, _models(task, models), _seeds(seeds), out or _folder(task, data))
    try:
        _run(race, quiet)
    finally:
        if len(race.missing) < len(race.entries):
            write_file(race.out / "race.html", race_page(race).encode())
    if json:
        print(json_format.dumps({"race": str(race.out), **as_plain(race.standings())}, ensure_ascii=False))
    else:
        console = terminal()
        print_race(race.standings(), console)
        console.print(f"\n[bold]{escape(str(race.out))}/race.html[/] shows it, with the curves.", soft_wrap=True)


def _run(race: Race, quiet: bool) -> None:
    missing = race.missing
    for number, entry in enumerate(missing, 1):
        with TrainingScreen(quiet=quiet) as screen:
            for sentence in (*race.corpus.report.sentences(), *race.notes) if number == 1 else ():
                screen(Said(sentence))
            screen.console.print(f"\n[bold]{entry.model}[/], seed {entry.seed} ({number} of {len(missing)})")
            try:
                race.run(entry, lambda event: None if isinstance(event, Said) else screen(event))
            except StoppedError as stopped:
                raise _stopped(race, stopped) from stopped


def _stopped(race: Race, stopped: StoppedError) -> GlassformerError:
    done = len(race.entries) - len(race.missing)
    error = GlassformerError(f"Stopped and saved, {done} of {len(race.entries)} done. The same command resumes.")
    error.exit_code = stopped.exit_code
    return error


def _models(task: str, words: str) -> list[str]:
    named = [word.strip() for word in words.split(",") if word.strip()]
    return named or [name for name, kind in MODELS.items() if kind.family == TASKS[task].family]


def _seeds(words: str) -> list[int]:
    named = [word.strip() for word in words.split(",") if word.strip()]
    if not all(word.isdecimal() and len(word) < MOST_DIGITS for word in named):
        raise InputError(f"Seeds are whole numbers with commas, such as 0,1,2; they are '{words:.80}'.")
    return [int(word) for word in named]


def _folder(task: str, data: str) -> Path:
    return Path("runs") / f"race-{task}-{Path(data).name.split('.')[0].replace(':', '-')}"
