"""Event files: what happens in a run is written down, and nothing before it begins."""

import sys
import types
from pathlib import Path

import pytest

from glassformer.errors import InputError
from glassformer.training.loop import EpochEnded, Stepped, Validated
from glassformer.training.tensorboard import TensorBoard


class Writer:
    """Stands in for TensorBoard's, and keeps what it is told."""

    def __init__(self, log_dir: str) -> None:
        self.log_dir, self.told, self.closed = log_dir, [], False

    def add_scalar(self, name: str, value: float, global_step: int) -> None:
        self.told.append((name, value, global_step))

    def close(self) -> None:
        self.closed = True


def test_steps_and_validations_become_events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = types.ModuleType("torch.utils.tensorboard")
    made: list[Writer] = []
    package.SummaryWriter = lambda log_dir: made.append(Writer(log_dir)) or made[-1]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", package)
    with TensorBoard(tmp_path / "run") as board:
        assert made == []  # a run that never begins leaves nothing
        board(Stepped(3, 1.0, 0.5, 0.01, 7))
        board(Validated(3, 1.1, 0.25, True))
        board(EpochEnded(3, 1.2, 1.0, 0.75, 0.5))
    (writer,) = made
    assert writer.log_dir == str(tmp_path / "run")
    assert writer.told == [
        ("loss/training", 0.5, 3), ("learning rate", 0.01, 3), ("loss/validation", 0.25, 3),
        ("accuracy/training", 0.75, 3), ("accuracy/validation", 0.5, 3),
    ]  # fmt: skip
    assert writer.closed


def test_without_the_package_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(InputError, match=r"pip install 'glassformer\[track\]'"):
        TensorBoard(tmp_path / "run")
    assert not (tmp_path / "run").exists()
