"""`glassformer evaluate`: scores as JSON and as a table, on data of one's own."""

import io
import json
from pathlib import Path
from typing import Any

from helpers.small_runs import small_run
from rich.console import Console

from glassformer.commands.train_models.evaluate import _print_confusion
from glassformer.runs.run import load


def test_other_data_may_name_other_columns(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    rows = "".join(f"film {i},{label},{i}\n" for i in range(20) for label in ("positive", "negative"))
    (tmp_path / "own.csv").write_text(f"body,queue,number\n{rows}", encoding="utf-8")
    scores = json.loads(ask("evaluate", run, tmp_path / "own.csv", "--text", "body", "--label", "queue", "--json"))
    assert scores["samples"] == 40


def test_scores_come_as_json_and_as_a_table(ask: Any, tmp_path: Path) -> None:
    run = small_run(tmp_path / "run").path
    scores = json.loads(ask("evaluate", run, "--json"))
    assert scores["accuracy"] == load(run).evaluate()["accuracy"]
    assert {"macro_f1", "accuracy_interval", "confusion"} <= scores.keys()
    page = ask("evaluate", run, "--part", "valid", "--limit", 7)
    assert "negation:300, valid part, 7 samples:" in page
    assert "accuracy" in page
    assert "true ↓ predicted →" in page
    (tmp_path / "one.csv").write_text("text,label\na good film,positive\n", encoding="utf-8")
    assert "one.csv, all of it, 1 sample:" in ask("evaluate", run, tmp_path / "one.csv")


def test_labels_may_look_like_markup() -> None:
    console = Console(file=io.StringIO(), width=100)
    _print_confusion({"labels": ["[/red]", "[b]"], "table": [[1, 2], [3, 4]]}, console)
    assert isinstance(console.file, io.StringIO)
    rows = [line.split() for line in console.file.getvalue().splitlines()]
    assert rows == [["true", "↓", "predicted", "→", "[/red]", "[b]"], ["[/red]", "1", "2"], ["[b]", "3", "4"]]
