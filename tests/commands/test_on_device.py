"""A run on a device: where it computes is said, unless that is the processor."""

from pathlib import Path

import pytest
from helpers.other_device import NAME, elsewhere
from helpers.small_runs import small_run

from glassformer.commands.on_device import load_on, take_threads
from glassformer.errors import InputError


def test_the_processor_is_not_worth_a_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert load_on(small_run(tmp_path / "run").path, "cpu").device.type == "cpu"
    assert capsys.readouterr().err == ""


def test_another_device_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run(tmp_path / "run").path
    with elsewhere():
        assert load_on(folder, NAME).device.type == NAME
    assert capsys.readouterr().err == f"It computes on {NAME}:0.\n"


def test_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no device called 'gpu'"):
        load_on(small_run(tmp_path / "run").path, "gpu")


@pytest.mark.parametrize("count", [0, 1025])
def test_threads_are_no_more_than_a_process_bears(count: int) -> None:
    with pytest.raises(InputError, match=f"`--threads` must be a whole number from 1 to 1,024; it is {count}"):
        take_threads(count)
