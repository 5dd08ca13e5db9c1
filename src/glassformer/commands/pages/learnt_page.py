"""Whether a model has learnt, for the terminal: beside the certificate, loud where it has not. It compares nothing."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from glassformer.errors import visible
from glassformer.runs.learnt import Learnt

UNKNOWN = "Whether it has learnt is not known: it was not compared with a baseline."


def print_learnt(learnt: Learnt | None, console: Console, *, indent: int = 0, otherwise: str = "") -> None:
    """A line for each baseline, and what to do where the model is not ahead; `otherwise` is what to do if nothing is
    known."""
    if learnt is None:
        console.print(Padding(Text(f"– {UNKNOWN}"), (0, 0, 0, indent), expand=False))
        if otherwise:
            console.print(" " * (indent + 2) + "→ " + visible(otherwise), markup=False, soft_wrap=True)
        return
    for sentence, each in zip(learnt.sentences, learnt.against, strict=True):
        lost = each.worse or (each is learnt.against[0] and learnt.lost)
        mark, style = ("✗", "bold red") if lost else ("✓", "green") if each.better else ("–", "")
        line = Text.assemble((f"{mark} ", style), (visible(sentence), "bold red" if lost else ""))
        console.print(Padding(line, (0, 0, 0, indent), expand=False))
    for advice in learnt.advice:
        console.print(" " * (indent + 2) + "→ " + visible(advice), markup=False, soft_wrap=True)
