"""How training is told where there is no terminal: what is forecast, and a line at each tenth."""

import errno
import sys

import pytest

from glassformer.commands.pages.training_screen import TrainingScreen
from glassformer.training.course import Said
from glassformer.training.forecasting.budget import Forecast
from glassformer.training.loop import EpochEnded, Stepped, Validated

PLAN = Forecast(20, 2.5, 200.0, 1234.0, "tokens", threads=2, parameters=12_345, timed=False)


def told(capsys: pytest.CaptureFixture[str], *, quiet: bool = False) -> list[str]:
    with TrainingScreen(quiet=quiet) as screen:
        screen(Said("300 rows read."))
        screen(PLAN)
        for step in range(1, 21):
            screen(Stepped(step, 10.0 * step, 1.0, 0.01, 70))
            if step == 10:
                screen(Validated(step, 101.0, 0.75, True))
        screen.curve()
    return capsys.readouterr().err.splitlines()


def test_a_line_at_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys)
    assert lines[0] == "300 rows read."
    assert lines[1] == ("12,345 parameters. In 3:20 min about 20 steps (2.5 epochs), 1,234 tokens/s, with 2 threads.")
    tenths = [line for line in lines if "%" in line]
    assert [line.split()[0] for line in tenths] == [f"{tenth}0%" for tenth in range(1, 11)]
    assert tenths[1] == " 20%  loss 1.000 · 7 tokens/s · 2:40 min left"  # 70 tokens in each 10 s after the first step
    assert "validation loss 0.750" not in tenths[4]
    assert "validation loss 0.750" in tenths[5]
    assert [line.strip() for line in lines if line][-1] == "training loss over 3:20 min"


def test_words_of_the_data_are_no_markup_and_steer_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingScreen() as screen:
        screen(Said("101 samples of '[/red]', 1 of '\x1b[31m'."))
    assert capsys.readouterr().err.splitlines()[0] == "101 samples of '[/red]', 1 of '␛[31m'."


class Gone:
    """A terminal that was closed."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return False

    def write(self, text: str) -> int:
        raise OSError(errno.EIO, "Input/output error")

    def flush(self) -> None:
        raise BrokenPipeError


def test_where_nobody_reads_any_more_training_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", Gone())
    assert told(capsys) == []
    monkeypatch.setattr(sys, "stderr", None)  # as Python has it where it was closed from the beginning
    assert told(capsys) == []


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, quiet=True) == []


def test_accuracy_by_epochs_is_told_and_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    with TrainingScreen() as screen:
        screen(PLAN)
        for step in range(1, 21):
            screen(Stepped(step, 10.0 * step, 1.0, 0.01, 70))
            if step % 8 == 0:
                screen(EpochEnded(step, 10.0 * step, step / 8, step / 20, 0.5))
        screen.curve()
    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    half = next(line for line in lines if line.startswith(" 50%"))
    assert "accuracy 40.0 % in training, 50.0 % in validation" in half
    assert lines[-1].strip() == "accuracy over 2 epochs: ○ training, ● validation, ◉ both"
    assert sum(line.count("○") for line in lines[-7:-1]) == sum(line.count("●") for line in lines[-7:-1]) == 2
