"""`glassformer evaluate`: the scores of a trained model, with intervals. It reads options; the run works them out."""

import json as json_format
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassformer.commands.on_device import load_on
from glassformer.commands.pages.result_page import print_scores
from glassformer.commands.settings import said
from glassformer.drawing.terminal import terminal
from glassformer.errors import counted
from glassformer.runs.trial_data import WHOLE

MOST_SHOWN = 12  # labels of a confusion matrix


def evaluate(
    run: Path,
    *data: Annotated[str, Parameter(allow_leading_hyphen=True)],
    part: str = "test",
    text: str = "",
    label: str = "",
    source: str = "",
    target: str = "",
    limit: int | None = None,
    longest: int | None = None,
    beam: int | None = None,
    seed: int = 0,
    engine: str = "auto",
    device: str = "auto",
    json: bool = False,
) -> None:
    """Evaluate a trained model on its test part, or on data of yours.

    Parameters
    ----------
    run
        A run folder that `glassformer train` wrote, or the name of a model that came with the package.
    data
        A file, a folder, two parallel files, the name of a set, or - for standard input; by default what the run was
        trained on, split as it was then.
    part
        test, valid or train. A file that has no parts is used in whole.
    text
        The column with the text, if it has another name than in training.
    label
        The column with the label.
    source
        The column to translate from, or the prompt.
    target
        The column to translate to, or the answer.
    limit
        At most so many samples.
    longest
        At most so many new tokens.
    beam
        The width of beam search for a translation (4); 1 is greedy.
    seed
        The random seed: of the bootstrap intervals, and of the samples under a limit.
    engine
        torch, onnx (ONNX Runtime, used only if it gives the same), int8 (quicker, and slightly another model), or auto
        for the quickest exact one at hand.
    device
        Where to compute: auto (the best there is), cpu, cuda, cuda:1 or mps.
    json
        Print one JSON document.
    """
    columns = said(text=text, label=label, source=source, target=target)
    loaded = load_on(run, device)
    if told := loaded.use(engine).said:
        print(told, file=sys.stderr)
    if not json and sys.stderr.isatty():
        print("Evaluating; a large part may take minutes, and --limit 1000 takes some of it …", file=sys.stderr)
    scores = loaded.evaluate(
        ",".join(data) or None, part=part, columns=columns, limit=limit, seed=seed, longest=longest, beam=beam
    )
    for note in scores.get("notes", ()):
        print(note, file=sys.stderr)
    if json:
        print(json_format.dumps(scores, ensure_ascii=False, allow_nan=False))
        return
    console = terminal()
    many = counted(scores["samples"], "sample") if "samples" in scores else counted(scores["tokens"], "token")
    part = "all of it" if scores["part"] == WHOLE else f"{scores['part']} part"
    console.print(f"{scores['data']}, {part}, {many}:", markup=False, soft_wrap=True)
    print_scores(scores, console)
    if len(scores.get("confusion", {}).get("labels", ())) in range(1, MOST_SHOWN + 1):
        _print_confusion(scores["confusion"], console)


def _print_confusion(confusion: Mapping[str, Any], console: Console) -> None:
    """The confusion matrix: true labels down, predicted ones across."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("true ↓ predicted →", style="dim")
    for label in confusion["labels"]:
        table.add_column(Text(label), justify="right")
    for label, row in zip(confusion["labels"], confusion["table"], strict=True):
        table.add_row(Text(label), *(f"{count:,}" for count in row))
    console.print(table)
