"""The sizes of a model for the terminal: each part's formula, its share of the parameters, FLOPs, memory, layers."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, Group
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassformer.drawing.large_numbers import in_bytes, large
from glassformer.drawing.matrices import rgb
from glassformer.drawing.slide_totals import SlideTotals
from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS
from glassformer.models.size_formulas.parts import LETTERS, PartSize
from glassformer.models.sizes import BYTES, TRAINING, Sizes, count_parameters
from glassformer.models.summary import Summary
from glassformer.text.tasks import tasks_for

_BAR = 8  # cells
_ROOM_FOR_BARS, _ROOM_FOR_PARTS = 100, 80  # columns of a terminal; in fewer, formulas need the room
_LEAST_FORMULA = 12  # columns


def print_sizes(sizes: Sizes, title: str, sentence: str, console: Console) -> None:
    """One row for each part, and below what the letters are, the FLOPs and the memory."""
    console.print()
    console.print(Text.assemble("  ", (title, "bold"), ("   " + sentence, "dim")))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=True, show_footer=True, footer_style="bold")
    table.add_column("part", footer="all", overflow="fold", no_wrap=console.width >= _ROOM_FOR_PARTS)
    table.add_column("formula", min_width=_LEAST_FORMULA)
    table.add_column("parameters", justify="right", no_wrap=True, footer=f"{sizes.parameters:,}")
    table.add_column("FLOPs/token", justify="right", no_wrap=True, footer=large(sizes.forward / sizes.tokens))
    bars = console.width >= _ROOM_FOR_BARS
    if bars:
        table.add_column("", no_wrap=True, width=_BAR)
    for row in sizes.rows:
        share = [_share(row.count, sizes.parameters)] if bars else []
        table.add_row(row.part, _formula(row), f"{row.count:,}", _work(row, sizes), *share)
    console.print(table)
    letters = [f"{sign} = {value:,} {LETTERS[sign[0]]}" for sign, value in sizes.letters.items()]
    console.print(Padding(Text(" · ".join(letters), style="dim"), (0, 2), expand=False))
    console.print()
    _print_needs(sizes, console)
    console.print()


def print_layers(summary: Summary, depth: int, tokens: int, console: Console) -> None:
    """The layers as lecture notes print them, by one forward pass over one text."""
    console.print(
        Text.assemble("  ", ("layers", "bold"), (f"   one text of {tokens:,} tokens, one forward pass", "dim"))
    )
    console.print()
    for line in summary.table(depth or None).splitlines():
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print()


def print_slides(totals: SlideTotals, batch: int, console: Console) -> None:
    """The totals as slides print them."""
    rest = "" if batch == 1 else ", the rest of one"
    console.print(Text.assemble("  ", ("as slides print it", "bold"), (f"   input of {batch:,}{rest}", "dim")))
    console.print()
    for line in str(totals).splitlines():
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print()


def print_positions(scheme: str, console: Console) -> None:
    """What tells a model the order of its tokens."""
    told = Text.assemble(("positions  ", "bold"), scheme, (f" {SCHEMES[scheme].sentence}", "dim"))
    console.print(Padding(told, (0, 2), expand=False))
    console.print()


def print_settings(settings: Mapping[str, Any], console: Console) -> None:
    """What can be set, by name, as it stands here."""
    named = " · ".join(f"{name.replace('_', '-')}={value}" for name, value in settings.items())
    console.print(Padding(Text.assemble(("--set  ", "bold"), (named, "dim")), (0, 2), expand=False))
    console.print(Padding(Text("`train` chooses what fits the data; the rest stays so.", style="dim"), (0, 2)))
    console.print()


class Formula:
    """A formula that is broken only after a sign, where its column is too narrow. Nothing of it is cut."""

    def __init__(self, text: str, style: str) -> None:
        self.text, self.style = text, style

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        pieces = [len(each.rstrip()) for each in _pieces(self.text)]
        return Measurement(max(pieces), len(self.text)).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text("\n".join(broken(self.text, options.max_width)), style=self.style)


def broken(formula: str, width: int) -> list[str]:
    """The formula in lines of at most this width, each but the last ending with a sign; a longer number is folded."""
    lines, line = [], ""
    for piece in _pieces(formula):
        if line and len(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while len(line.rstrip()) > width:
            lines.append(line[:width])
            line = line[width:]
    return [*lines, line.rstrip()]


def _pieces(formula: str) -> list[str]:
    return re.findall(r"[^+·]+[+·]? ?", formula)


def _formula(row: PartSize) -> Group | Text:
    if row.count == 0:
        return Text("–", style="dim")
    return Group(Formula(row.formula, rgb("query")), Formula(row.numbers, "dim"))


def _share(count: int, whole: int) -> Text:
    share = count / max(whole, 1)
    eighths = round(share * _BAR * 8)
    bar = "█" * (eighths // 8) + ("▏▎▍▌▋▊▉"[eighths % 8 - 1] if eighths % 8 else "")
    return Text(bar or ("▏" if count else ""), style=rgb("value"))


def _work(row: PartSize, sizes: Sizes) -> str:
    return large(row.flops / sizes.tokens) if row.flops else "–"


def _print_needs(sizes: Sizes, console: Console) -> None:
    weights, kept = BYTES * sizes.parameters, BYTES * sizes.kept
    forward = sizes.forward / sizes.tokens
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row(
        "FLOPs", f"[bold]{large(forward)}[/] per token forward, [bold]{large(TRAINING * forward)}[/] in training "
        f"[dim](a text of {sizes.tokens:,} tokens)[/]",
    )  # fmt: skip
    table.add_row("inference", f"[bold]{in_bytes(weights)}[/] of parameters")
    table.add_row(
        "training", f"[bold]{in_bytes(4 * weights)}[/] [dim](parameters, gradients, AdamW's two moments)[/] and "
        f"[bold]{in_bytes(kept / sizes.tokens)}[/] of activations per token",
    )  # fmt: skip
    if sizes.remembered:
        table.add_row("KV cache", f"[bold]{in_bytes(BYTES * sizes.remembered)}[/] per token")
    console.print(table)


def print_models(console: Console) -> None:
    """All models, with their parameters at their usual size."""
    table = Table(box=box.SIMPLE_HEAD, header_style="dim")
    for name in ("model", "task", "parameters", ""):
        table.add_column(name, justify="right" if name == "parameters" else "left", no_wrap=name != "")
    for name, kind in MODELS.items():
        task, count = " or ".join(tasks_for(kind.family)), f"{count_parameters(name):,}"
        table.add_row(f"[bold]{name}[/]", task, count, Text(kind.sentence, style="dim"))
    console.print(table)
    console.print("  [dim]One of them in full:[/] glassformer describe transformer --set width=64")
    console.print()
