"""The sizes of a model for the terminal: each part's formula, its share of the parameters, FLOPs and memory."""

from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassformer.drawing.matrices import rgb
from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import MODELS
from glassformer.models.sizes import BYTES, LETTERS, TRAINING, PartSize, Sizes, count_parameters
from glassformer.text.tasks import tasks_for

_BAR = 8  # cells


def print_sizes(sizes: Sizes, title: str, sentence: str, console: Console) -> None:
    """One row for each part, and below what the letters are, the FLOPs and the memory."""
    console.print()
    console.print(Text.assemble("  ", (title, "bold"), ("   " + sentence, "dim")))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=True, show_footer=True, footer_style="bold")
    table.add_column("part", no_wrap=True, footer="all")
    table.add_column("formula", ratio=1)
    table.add_column("parameters", justify="right", no_wrap=True, footer=f"{sizes.parameters:,}")
    table.add_column("", no_wrap=True, width=_BAR)
    table.add_column("FLOPs/token", justify="right", no_wrap=True, footer=large(sizes.forward / sizes.tokens))
    for row in sizes.rows:
        table.add_row(row.part, _formula(row), f"{row.count:,}", _share(row.count, sizes.parameters), _work(row, sizes))
    console.print(table)
    letters = [f"{sign} = {value:,} {LETTERS[sign]}" for sign, value in sizes.letters.items()]
    console.print(Padding(Text(" · ".join(letters), style="dim"), (0, 2), expand=False))
    console.print()
    _print_needs(sizes, console)
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


def _formula(row: PartSize) -> Text:
    if row.count == 0:
        return Text("–", style="dim")
    text = Text(row.formula, style=rgb("query"))
    return text.append(f"\n{row.numbers}", style="dim")


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


def large(number: float) -> str:
    """A count for the eye: 1,234 or 1.23 M."""
    for power, name in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if number >= 10**power * (10 if power == 3 else 1):
            return (
                f"{number / 10**power:.3g} {name}" if number < 1000 * 10**power else f"{number / 10**power:,.0f} {name}"
            )
    return f"{number:,.0f}"


def in_bytes(count: float) -> str:
    """An amount of memory for the eye."""
    for power, name in ((9, "GB"), (6, "MB"), (3, "kB")):
        if count >= 10**power:
            return f"{count / 10**power:,.1f} {name}"
    return f"{count:,.0f} B"
