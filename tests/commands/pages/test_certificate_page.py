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
    assert "✓ All 10 promises that were tried are kept." in page
