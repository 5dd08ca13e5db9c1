"""What came of a run, for the terminal: scores with their intervals, the certificate, and what to do next."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from glassformer.runs import Run

_NAMES = {
    "accuracy": "accuracy",
    "macro_f1": "macro-F1",
    "calibration_error": "calibration error",
    "bleu": "BLEU",
    "bleu_lowercase": "BLEU, lower case",
    "chrf": "chrF",
    "exact": "exactly right",
    "loss": "loss",
    "perplexity": "perplexity",
    "bits_per_byte": "bits per byte",
}
_SHARES = ("accuracy", "macro_f1", "calibration_error", "exact")


def score_lines(scores: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of the scores, with their 95 % intervals where there are any."""
    lines = []
    for key, name in _NAMES.items():
        if scores.get(key) is not None:
            between = scores.get(f"{key}_interval")
            value = _shown(key, scores[key])
            lines.append(
                (name, f"{value}  ({' to '.join(_shown(key, each) for each in between)})" if between else value)
            )
    return lines


def _shown(key: str, value: float) -> str:
    if key in _SHARES:
        return f"{100 * value:.1f} %"
    return f"{value:.1f}" if key in ("bleu", "bleu_lowercase", "chrf") else f"{value:.4f}"


def print_scores(scores: Mapping[str, Any], console: Console) -> None:
    """The scores as a small table, with the signature that says how they were worked."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in score_lines(scores):
        table.add_row(name, f"[bold]{value}[/]")
    console.print(table)
    if "signature" in scores:
        console.print(f"BLEU: {scores['signature']}", style="dim", soft_wrap=True)


def print_result(run: Run, console: Console) -> None:
    """Scores, certificate and the commands that go on from here."""
    scores, certificate = run.scores, run.certificate
    console.print(f"\nOn the {scores.get('part', 'test')} part:")
    print_scores(scores, console)
    if certificate:
        passed = [check for check in certificate["checks"] if check["passed"]]
        mark = "[green]✓[/]" if certificate["passed"] else "[bold red]✗[/]"
        console.print(f"{mark} certificate: {len(passed)} of {len(certificate['checks'])} checks passed")
        for check in certificate["checks"]:
            if not check["passed"]:
                console.print(
                    f"  [bold red]✗ {check['name']}[/]: {check['value']} (bar {check['bar']})", soft_wrap=True
                )
    console.print(f"\n[bold]{run.folder}[/] holds the model. Try it:", soft_wrap=True)
    example = {"classify": "a text of yours", "translate": "a sentence of yours", "generate": "How it begins"}
    console.print(f'  glassformer predict {run.folder} "{example[run.card.task]}"', soft_wrap=True)
