"""`glassformer check --code`: a learner's function against the core, told in few words. It compares nothing itself."""

import json as json_format
import sys

from rich.console import Console
from rich.text import Text

from glassformer.by_hand.code.learner_code import CodeReport, check_function


def check_code(target: str, *, example: str, json: bool) -> int:
    """Runs the function and shows the first stage that differs; 0 if none does, 1 otherwise."""
    print(f"Running {target} in a process of its own.", file=sys.stderr)
    report = check_function(target, example)
    if json:
        print(json_format.dumps(report.to_dict(), ensure_ascii=False, indent=2))
    else:
        _show(report)
    return 1 if report.finding or report.error else 0


def _show(report: CodeReport) -> None:
    console = Console(highlight=False)
    console.print(
        Text(f"\n  {report.target}", style="bold").append(f"   on the example {report.example}", style="not bold dim")
    )
    if report.error:
        console.print(Text(f"  ✗ It could not be compared: {report.error}\n", style="red"))
        return
    finding = report.finding
    if finding is None:
        console.print(
            Text(f"  ✓ Right on {report.example}, one example: {', '.join(report.compared)}\n", style="bold green")
        )
        return
    line = Text("  ✗ First stage that differs: ", style="bold red").append(
        f"{finding.stage}, row {finding.row}, column {finding.col}"
    )
    console.print(line)
    console.print(Text(f"      returned {finding.returned:.4f}, right {finding.right:.4f}"))
    if finding.cause:
        console.print(Text("      probable cause: ").append(f"{finding.cause}\n", style="italic"))
    else:
        console.print(Text("      none of the known slips gives these numbers\n"))
