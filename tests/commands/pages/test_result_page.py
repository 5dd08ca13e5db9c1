"""What came of a run, for the terminal."""

import io
from pathlib import Path

from helpers.small_runs import small_run
from rich.console import Console

from glassformer.commands.pages.result_page import print_result, print_scores
from glassformer.runs.run import load


def console() -> Console:
    return Console(file=io.StringIO(), width=100)


def written(where: Console) -> str:
    assert isinstance(where.file, io.StringIO)
    return where.file.getvalue()


def test_scores_stand_with_their_intervals_and_their_signature() -> None:
    where = console()
    print_scores(
        {"bleu": 31.44, "bleu_interval": [29.5, 33.0], "exact": 0.25, "signature": "nrefs:1|case:mixed"}, where
    )
    rows = [" ".join(line.split()) for line in written(where).splitlines()]
    assert rows == ["BLEU 31.4 (29.5 to 33.0)", "exactly right 25.0 %", "BLEU: nrefs:1|case:mixed"]


def test_a_folder_may_be_called_like_markup(tmp_path: Path) -> None:
    where = console()
    print_result(load(small_run(tmp_path / "[/]" / "[bold]").path), where)
    assert "/[/]/[bold] holds the model" in written(where).replace("\n", "")


def test_how_many_samples_and_what_was_learnt_from_stand_with_the_score(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    interval = {"accuracy_interval": [0.91, 1.0]}
    folder.write_scores({"part": "test", "accuracy": 1.0, **interval, "samples": 39, "in_training": 7})
    where = console()
    print_result(load(folder.path), where)
    assert "On the test part, 39 samples:" in written(where)
    assert "100.0 %  (91.0 to 100.0 %)" in written(where)
    assert "7 of the 39 samples stand in the training part too" in " ".join(written(where).split())


def test_a_failed_check_is_named_and_the_next_command_said(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    folder.write_scores({"part": "valid", "accuracy": 0.5})
    checks = [{"name": name, "passed": name == "company", "value": 0.5, "bar": 0.0} for name in ("company", "padding")]
    folder.write_certificate({"passed": False, "checks": checks})
    where = console()
    print_result(load(folder.path), where)
    shown = written(where)
    assert "On the valid part:" in shown
    assert "✗ certificate: it breaks its promises: it keeps 1 of 2." in shown
    assert "✗ padding: 0.5 (bar 0.0)" in shown
    assert "✗ company" not in shown
    assert f'glassformer predict {folder.path} "a text of yours"' in shown


def test_a_tick_stands_beside_what_was_learnt(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    folder.write_scores({"accuracy": 0.5, "confusion": {"labels": ["a", "b"], "table": [[7, 6], [5, 4]]}})
    checks = [{"name": "company", "passed": True, "value": 0.0, "bar": 0.0}]
    folder.write_certificate({"passed": True, "checks": checks})
    where = console()
    print_result(load(folder.path), where)
    shown = " ".join(written(where).split())
    assert "✓ certificate: it keeps its promises, 1 of 1: no effect of company in a batch. That is no grade" in shown
    assert "✗ NO BETTER THAN THE MAJORITY CLASS: accuracy 50.0 %, against 59.1 % for the majority class (“a”)" in shown
    assert f"Train longer: glassformer train classify negation:300 --from {folder.path}" in shown
