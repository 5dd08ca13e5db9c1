"""`glassformer train`: from text to a run folder. It reads options and shows what happens; course.py trains."""

import json as json_format
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from glassformer.commands import settings as written
from glassformer.commands.pages.result_page import print_result
from glassformer.commands.pages.training_screen import TrainingScreen
from glassformer.errors import InputError
from glassformer.runs.pasting import pasteable
from glassformer.runs.run import Run
from glassformer.storage import figures
from glassformer.training.course import Event, Listener, new_folder, teach
from glassformer.training.course import resume as go_on
from glassformer.training.processes.launching import check_launch, in_a_team, launched
from glassformer.training.processes.ray_adapter import on_ray
from glassformer.training.processes.team import end_process, joined
from glassformer.training.request import Request
from glassformer.training.tensorboard import TensorBoard


def train(
    task: str = "",
    data: str = "",
    *others: str,
    out: Path | None = None,
    minutes: float | None = None,
    epochs: float | None = None,
    steps: int | None = None,
    model: str = "",
    objective: str = "",
    from_run: Annotated[str, Parameter(name=["--from"])] = "",
    set_: Annotated[tuple[str, ...], Parameter(name=["--set", "-s"])] = (),
    config: Path | None = None,
    seed: int = 0,
    threads: int = 0,
    device: str = "",
    text: str = "",
    label: str = "",
    source: str = "",
    target: str = "",
    valid: str = "",
    test: str = "",
    encoding: str = "",
    limit: int = 0,
    without: tuple[str, ...] = (),
    more: tuple[str, ...] = (),
    keep_all: bool = False,
    baseline: Annotated[bool, Parameter(negative="--no-baseline")] = True,
    resume: Path | None = None,
    nproc: int = 0,
    max_restarts: int = 0,
    ray: int = 0,
    tensorboard: bool = False,
    quiet: bool = False,
    json: bool = False,
) -> None:
    """Train a model on your own text; leaves a run folder with the model, its scores and its certificate.

    Parameters
    ----------
    task
        classify, translate or generate.
    data
        A file (.csv .tsv .jsonl .parquet .txt, also .gz), a folder, two parallel files, or the name of a set:
        dates, negation, sorting, arithmetic, imdb, rotten-tomatoes, sst2, multi30k, tatoeba-en-de, shakespeare,
        birthplaces, wiki.
    others
        The second of two parallel files.
    out
        The run folder (runs/TASK-DATA by default).
    minutes
        How long it may take in all; the plan is built for it. By default as many as the task and the data need.
    epochs
        Or: how many epochs.
    steps
        Or: how many steps.
    model
        ngrams, rnn, gru, bilstm, mlp, conv, conv-pool, bare-attention, attention, transformer; translator; gpt, modern.
    objective
        What is learnt, if not the usual: spans or masked, to pretrain.
    from_run
        A run to finetune: training begins with its parameters and its tokenizer.
    set_
        Any hyperparameter, such as --set width=64; may be given several times.
    config
        A TOML or YAML file with such hyperparameters.
    seed
        The random seed.
    threads
        CPU threads; the quickest count is measured if none is given.
    device
        Where to compute: auto (the best there is, by default), cpu, cuda, cuda:1 or mps. A run that is resumed may
        change it.
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
    without
        A text that must not be learnt from: training samples that hold it are left out; may be given several times.
    more
        Further data of the same kind, only to learn from: a file, a folder or the name of a set; may be given several
        times. Validation and test come from DATA alone, and texts that stand there are left out of it.
    keep_all
        Keep every checkpoint.
    baseline
        Fit a linear model beside a classifier, on the same samples, and say who is ahead.
    resume
        A run folder to resume, from its last checkpoint.
    nproc
        So many processes on this machine train the one model together, each with its rows of every batch.
    max_restarts
        With --nproc: how often all of them begin again from the last checkpoint when one has died.
    ray
        So many workers of a Ray cluster train it together; needs the package: pip install 'glassformer[ray]'.
    tensorboard
        Write event files into RUN/tensorboard as well; needs the package: pip install 'glassformer[track]'.
    quiet
        Show no progress.
    json
        Print one JSON document at the end: the run folder and its scores.
    """
    began = time.monotonic()
    folder = resume or out or new_folder(task, data)
    if (nproc or ray) and not in_a_team():
        named = [] if resume or out else ["--out", str(folder)]  # so that all of them, and those after them, agree
        words = [*sys.argv[1:], *named]
        if ray:
            sys.exit(on_ray(words, ray))
        sys.exit(launched(words, nproc, max_restarts))
    with (
        joined() as team,
        TrainingScreen(quiet=quiet or not team.leads) as screen,
        _tracked(screen, folder if tensorboard and team.leads else None) as tell,
    ):
        check_launch(team, nproc, named=bool(resume or out))
        if resume is not None:
            run = go_on(resume, tell, team=team, device=device)
        else:
            if not task or not data:
                raise InputError("Say what to learn and from what, such as: glassformer train translate dates")
            for name, value in (("minutes", minutes), ("epochs", epochs), ("steps", steps)):
                if value is not None and value <= 0:
                    raise InputError(f"--{name} must be above 0; it is {value:g}.")
            request = Request(
                task=task, data=",".join((data, *others)), minutes=minutes or 0.0, epochs=epochs or 0.0,
                steps=steps or 0, model=model, objective=objective, parent=from_run, seed=seed, threads=threads,
                device=device or "auto",
                valid=valid, test=test,
                settings={**(written.from_file(config) if config else {}), **written.from_words(set_)},
                columns=written.said(text=text, label=label, source=source, target=target),
                encoding=encoding, limit=limit, without=without, more=more, keep_all=keep_all, baseline=baseline,
                command=_command(),
            )  # fmt: skip
            run = teach(request, folder, tell, began, team=team)
        screen.curve()
    if team.leads:
        _answer(run, screen, json)
    if team.size > 1:
        end_process()


@contextmanager
def _tracked(screen: TrainingScreen, folder: Path | None) -> Iterator[Listener]:
    """Who listens: the screen, and TensorBoard if there is a run folder for it to write to."""
    if folder is None:
        yield screen
        return
    with TensorBoard(folder / "tensorboard") as board:

        def both(event: Event) -> None:
            screen(event)
            board(event)

        yield both


def _answer(run: Run, screen: TrainingScreen, json: bool) -> None:
    with figures(run.folder or Path()):  # a run that had finished before may have been edited since
        if json:
            learnt = run.learnt.to_dict() if run.learnt else None
            print(json_format.dumps({"run": str(run.folder), **run.scores, "learnt": learnt}, ensure_ascii=False))
        else:
            print_result(run, screen.console)


def _command() -> str:
    return pasteable(["glassformer", *sys.argv[1:]])
