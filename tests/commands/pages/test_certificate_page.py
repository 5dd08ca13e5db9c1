"""A certificate in the terminal: every promise, and what was not tried."""

from pathlib import Path

import pytest
from helpers.small_runs import small_run

from glassformer.commands.ship_models.certify import certify


def test_the_page_of_a_certificate_says_what_was_not_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(str(small_run(tmp_path / "run").path)) == 0
    page = capsys.readouterr().out
    assert "✓ save and load" in page
    assert "– cache = no cache" in page
    assert "not tried:" in page
    assert "✓ It keeps its promises, 10 of 10: no effect of padding" in page
    assert "no leak from the future" not in page  # which was not tried
    assert "– Whether it has learnt is not known" in page


def test_a_tick_is_not_a_grade(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run(tmp_path / "run")
    folder.write_scores({"accuracy": 0.5, "confusion": {"labels": ["a", "b"], "table": [[7, 6], [5, 4]]}})
    assert certify(str(folder.path)) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "That is no grade: a model that guesses can keep every promise." in page
    assert "✗ NO BETTER THAN THE MAJORITY CLASS: accuracy 50.0 %, against 59.1 % for the majority class (“a”)" in page
