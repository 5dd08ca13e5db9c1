"""What came of a run, for the terminal: scores with their intervals, the certificate, whether it has learnt, and what
to do next.
"""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from glassformer.commands.pages.learnt_page import print_learnt
from glassformer.drawing.score_words import caution, score_lines
from glassformer.errors import counted
from glassformer.runs.certificate.certificate import NO_GRADE, verdict
from glassformer.runs.folder import RunFolder
from glassformer.runs.learnt import too_early
from glassformer.runs.pasting import pasteable
from glassformer.runs.run import Run


def print_scores(scores: Mapping[str, Any], console: Console) -> None:
    """The scores as a small table, with the signature that says how they were worked."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in score_lines(scores):
        table.add_row(name, f"[bold]{value}[/]")
    console.print(table)
    if caution(scores):
        console.print(caution(scores), style="yellow", soft_wrap=True, markup=False)
    if "signature" in scores:
        console.print(f"BLEU: {scores['signature']}", style="dim", soft_wrap=True)


def print_result(run: Run, console: Console) -> None:
    """Scores, certificate and the commands that go on from here."""
    scores, certificate = run.scores, run.certificate
    many = f", {counted(scores['samples'], 'sample')}" if "samples" in scores else ""
    console.print(f"\nOn the {scores.get('part', 'test')} part{many}:")
    print_scores(scores, console)
    if certificate:
        kept = [check["name"] for check in certificate["checks"] if check["passed"]]
        mark = "[green]✓[/]" if certificate["passed"] else "[bold red]✗[/]"
        told = verdict(certificate["passed"], kept, len(certificate["checks"]))
        console.print(f"{mark} certificate: it {told}. [dim]{NO_GRADE if certificate['passed'] else ''}[/]")
        for check in certificate["checks"]:
            if not check["passed"]:
                console.print(
                    f"  [bold red]✗ {check['name']}[/]: {check['value']} (bar {check['bar']})", soft_wrap=True
                )
    print_learnt(run.learnt, console, otherwise=too_early(RunFolder(run.folder), run.card) if run.folder else "")
    console.print(
        f"\n[bold]{escape(str(run.folder))}[/] holds the model, and report.html what is known of it. Try it:",
        soft_wrap=True,
    )
    command = pasteable(("glassformer", "predict", run.folder, run.task.example))
    console.print(f"  {command}", soft_wrap=True, markup=False)
