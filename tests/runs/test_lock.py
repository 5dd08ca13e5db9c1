"""One writer at a time: a folder is held, the second is told so, and nothing is left behind."""

from pathlib import Path

import pytest

from glassformer.errors import InputError
from glassformer.runs.lock import held


def test_who_comes_second_is_told_so(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(InputError, match=f"{tmp_path} is being trained just now"), held(tmp_path):
        pass


def test_another_folder_is_free_and_nothing_is_left_behind(tmp_path: Path) -> None:
    with held(tmp_path / "one"), held(tmp_path / "two"):
        assert (tmp_path / "one").is_dir()
    assert list((tmp_path / "one").iterdir()) == []


def test_it_is_let_go_even_after_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), held(tmp_path):
        _ = 1 / 0
    with held(tmp_path):
        pass
