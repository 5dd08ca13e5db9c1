"""`glassformer plan`: what a training will cost, before it begins. It reads options; forecasting works it out."""

import json as json_format
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from glassformer.commands import settings as written
from glassformer.drawing.terminal import terminal
from glassformer.errors import InputError, counted
from glassformer.training.forecasting.costs import USUAL_SHARE
from glassformer.training.forecasting.planning import Planned, Where, plan_request, plan_sizes
from glassformer.training.request import Request

LIMITS = {
    "compute": "compute: more or faster processes make it quicker",
    "network": "the network: fewer processes, larger batches (tokens_per_batch, accumulate) or a faster link help",
    "memory": "memory: it does not fit. Share the weights (--set shard=true), accumulate, or make the model smaller",
}


def plan(
    task: str,
    data: str = "",
    *others: str,
    model: str = "",
    set_: Annotated[tuple[str, ...], Parameter(name=["--set", "-s"])] = (),
    config: Path | None = None,
    minutes: float = 0.0,
    epochs: float = 0.0,
    steps: int = 0,
    tokens: float = 0.0,
    tokens_per_step: float = 500_000,
    processes: int = 1,
    device: str = "",
    share: float = USUAL_SHARE,
    threads: int = 0,
    text: str = "",
    label: str = "",
    source: str = "",
    target: str = "",
    encoding: str = "",
    limit: int = 0,
    json: bool = False,
) -> None:
    """Say what a training will cost, before it begins: memory of each process, hours, and what limits them.

    With data a few steps are measured here. Without, it is worked on paper from the sizes of a model, how many --tokens
    it is to see, and a --device.

    Parameters
    ----------
    task
        classify, translate or generate.
    data
        As for `train`; none to work on paper.
    others
        The second of two parallel files.
    model
        As for `train`.
    set_
        Any hyperparameter, such as --set width=64; on paper also --set vocabulary=50257.
    config
        A TOML or YAML file with such hyperparameters.
    minutes
        The budget, as for `train`.
    epochs
        Or: how many epochs.
    steps
        Or: how many steps.
    tokens
        On paper: how many tokens are learnt in all, such as 300e9.
    tokens_per_step
        On paper: of all devices together (500,000).
    processes
        How many processes or devices share the work.
    device
        v100, a100, a100-40 or h100; this machine by default.
    share
        Of the device's peak that is reached (0.4).
    threads
        CPU threads, as for `train`.
    text
        The column with the text, as for `train`; so are the next five.
    label
        The column with the label.
    source
        The column to translate from, or the prompt.
    target
        The column to translate to, or the answer.
    encoding
        Of the files, if it is not found out.
    limit
        At most so many samples of each part.
    json
        Print one JSON document.
    """
    settings = {**(written.from_file(config) if config else {}), **written.from_words(set_)}
    where = Where(processes, device, share)
    if data:
        request = Request(
            task=task, data=",".join((data, *others)), model=model, settings=settings, minutes=minutes, epochs=epochs,
            steps=steps, threads=threads, encoding=encoding, limit=limit,
            columns=written.said(text=text, label=label, source=source, target=target),
        )  # fmt: skip
        found = plan_request(request, where)
    elif tokens:
        found = plan_sizes(model or "modern", settings, tokens, tokens_per_step, where)
    else:
        raise InputError("Name the data to plan for; or, to plan on paper, how many --tokens and which --device.")
    if json:
        print(json_format.dumps(found.to_dict()))
        return
    console = terminal()
    for line in lines_of(found):
        console.print(line, markup=False, soft_wrap=True)


def lines_of(found: Planned) -> list[str]:
    """The plan in sentences."""
    job, costs = found.job, found.cost
    memory = costs.memory
    parts = [("weights", memory.weights), ("gradients", memory.gradients), ("optimizer", memory.optimizer)]
    parts += [("activations", memory.activations), ("gradients on their way", memory.buckets)]
    parts += [("Python, torch and text", found.held)]
    many = "" if job.processes == 1 else f" of each of {counted(job.processes, 'process', 'processes')}"
    said = ", ".join(f"{name} {_bytes(size)}" for name, size in parts if size)
    lines = [
        f"{job.parameters:,} parameters, {job.flops:.3g} FLOPs a token, {job.tokens_per_step:,.0f} tokens a step.",
        f"Memory{many}: {_bytes(found.memory)} ({said}); there are {_bytes(costs.room)}.",
        f"Time: {counted(round(costs.steps), 'step')} of {_seconds(costs.step)}, {_seconds(found.seconds)} in all"
        f" ({job.tokens:.3g} tokens, {job.tokens_per_step / costs.step:,.0f} each second"
        f"{f'; {_seconds(found.around)} of it to validate and to save' if found.around else ''}).",
    ]
    if job.processes > 1:
        when = "after" if costs.one_by_one else "beside"
        lines.append(f"Network: {_seconds(costs.network)} of each step, {when} {_seconds(costs.compute)} of computing.")
    return [*lines, f"What limits is {LIMITS[costs.limit]}.", *found.notes]


def _bytes(size: float) -> str:
    return f"{size / 1e9:,.3g} GB" if size >= 1e9 else f"{size / 1e6:,.3g} MB"


def _seconds(seconds: float) -> str:
    for unit, long in (("days", 86400 * 3), ("hours", 3600), ("minutes", 120)):
        if seconds >= long:
            return f"{seconds / {'days': 86400, 'hours': 3600, 'minutes': 60}[unit]:,.3g} {unit}"
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
