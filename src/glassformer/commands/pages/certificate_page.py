"""A certificate as a page in the terminal: every promise with its value and its bar; a broken one is loud. Below it,
whether the model has learnt.
"""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from glassformer.commands.pages.learnt_page import print_learnt
from glassformer.runs.certificate.certificate import NO_GRADE, Certificate, Check, verdict
from glassformer.runs.learnt import Learnt


def print_certificate(certificate: Certificate, learnt: Learnt | None, title: str, console: Console) -> None:
    """One line for each promise, then what was not tried and why, then the verdict, and whether it has learnt."""
    console.print()
    console.print(Text.assemble("  ", (title, "bold")))
    table = Table(box=box.SIMPLE_HEAD, header_style="dim")
    table.add_column("promise", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("bar", justify="right", no_wrap=True, style="dim")
    table.add_column("", style="dim")
    for check in certificate.checks:
        table.add_row(_name(check), _number(check.value), _number(check.bar), check.sentence)
    for left_out in certificate.left_out:
        table.add_row(Text(f"– {left_out.name}", style="dim"), "", "", f"not tried: {left_out.sentence}")
    console.print(table)
    console.print(Padding(_verdict(certificate), (0, 0, 0, 2), expand=False))
    print_learnt(learnt, console, indent=2)
    console.print()


def _name(check: Check) -> Text:
    if check.passed:
        return Text.assemble(("✓ ", "green"), check.name)
    return Text(f"✗ {check.name}", style="bold red")


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.1e}"


def _verdict(certificate: Certificate) -> Text:
    if certificate.passed:
        kept = verdict(True, [check.name for check in certificate.checks], len(certificate.checks))
        return Text.assemble((f"✓ It {kept}.", "bold green"), (f" {NO_GRADE}", "dim"))
    names = ", ".join(check.name for check in certificate.failed)
    return Text(f"✗ BROKEN: {names}. Do not rely on this model.", style="bold red")
