"""`glassformer check` on code: the first stage that differs, in words."""

from pathlib import Path

import pytest
from helpers.learner_files import NUMPY

from glassformer.commands.check_work.check_code import check_code


@pytest.fixture
def numpy_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(NUMPY, encoding="utf-8")
    return path


def test_the_command_tells_it_in_words(numpy_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_code(f"{numpy_file}::unscaled", example="two-tokens", json=False) == 1
    assert "probable cause: forgot to scale" in capsys.readouterr().out
    assert check_code(f"{numpy_file}::right", example="two-tokens", json=False) == 0
    assert "Right on two-tokens, one example: output" in capsys.readouterr().out
