"""The machine as a page in the terminal: what it is, what it was measured at, and what follows from it."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from glassformer.drawing.large_numbers import in_bytes
from glassformer.errors import counted
from glassformer.training.machine import Facts

_BUSY = 0.75  # of the usable cores wanted by others: measurements say less


def print_machine(
    facts: Facts, speeds: Mapping[int, float], steps: Mapping[int, float], best: int, console: Console
) -> None:
    """Facts, then speeds and times by threads, then advice."""
    console.print()
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_row("processor", f"[bold]{facts.processor}[/], {facts.instructions}, {facts.system}")
    table.add_row("cores", f"[bold]{facts.usable_cores}[/] usable of {facts.cores}")
    table.add_row("memory", f"[bold]{in_bytes(facts.free_memory)}[/] free of {in_bytes(facts.memory)}")
    table.add_row("accelerator", facts.accelerator or "none")
    table.add_row("versions", f"python {facts.python}, " + ", ".join(f"{k} {v}" for k, v in facts.versions.items()))
    table.add_row("")
    for count, speed in speeds.items():
        table.add_row(f"matrix product, {_threads(count)}", f"[bold]{speed:,.0f}[/] GFLOP/s")
    for count, seconds in steps.items():
        chosen = "  [green]← the quickest[/]" if count == best and len(steps) > 1 else ""
        table.add_row(f"a training step, {_threads(count)}", f"[bold]{1000 * seconds:,.1f}[/] ms{chosen}")
    console.print(table)
    console.print()
    for line in advice(facts):
        console.print(Text(f"  {line}", style="yellow"))
    told, compared = verdict(facts, steps, best)
    console.print(Text(f"  {told}", style="bold green" if compared else "yellow"))
    console.print()


def verdict(facts: Facts, steps: Mapping[int, float], best: int) -> tuple[str, bool]:
    """How many threads suit small models, and whether that was found by comparing."""
    if facts.usable_cores == 1:
        return f"✓ Small models train with {_threads(1)}: there is one core.", True
    if len(steps) < 2:
        return f"Not compared: the time was up after a step with {_threads(best)}; try on a quiet machine.", False
    return f"✓ Small models train best with {_threads(best)} here.", True


def advice(facts: Facts) -> list[str]:
    """What a person should know of this machine."""
    lines = []
    if facts.load > _BUSY * facts.usable_cores:
        lines.append(f"Others are at work (load {facts.load:g}): the times above would be shorter on a quiet machine.")
    if not facts.bfloat16 and not facts.accelerator:
        lines.append("This processor has no bfloat16 of its own: float32 is quicker here, and is what is used.")
    return lines


def _threads(count: int) -> str:
    return counted(count, "thread")
