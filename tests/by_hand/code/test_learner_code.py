"""A learner's function against the core: the first stage that differs and the slip behind it, whatever is returned."""

from pathlib import Path

import pytest
from helpers.learner_files import NUMPY

from glassformer.by_hand.code.learner_code import check_function
from glassformer.errors import InputError

TORCH = """
import torch

def after(x, W_Q, W_K, W_V, mask):
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    return torch.softmax(q @ k.T / 3**0.5, -1) * (mask == 0) @ v

def right(x, W_Q, W_K, W_V, mask):
    q, k, v = x @ W_Q, x @ W_K, x @ W_V
    return torch.softmax(q @ k.T / 3**0.5 + mask, -1) @ v
"""


@pytest.fixture
def numpy_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(NUMPY, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("function", "stage", "cause"),
    [
        ("unscaled", "output", "forgot to scale"),
        ("by_d", "output", "scaled by d instead of √d"),
        ("sigmoid", "output", "sigmoid in place of softmax"),
        ("wrong_axis", "weights", "softmax over the wrong axis"),
        ("swapped", "output", "keys and values swapped"),
        ("swapped_scores", "scores", "keys and values swapped"),
        ("with_weights", "weights", None),
    ],
)
def test_the_first_stage_that_differs(numpy_file: Path, function: str, stage: str, cause: str | None) -> None:
    finding = check_function(f"{numpy_file}::{function}").finding
    assert finding is not None
    assert finding.stage == stage
    assert cause is None or finding.cause == cause


@pytest.mark.parametrize("function", ["right", "prints"])
def test_a_right_function(numpy_file: Path, function: str) -> None:
    report = check_function(f"{numpy_file}::{function}")
    assert (report.finding, report.error, report.compared) == (None, "", ("output",))


def test_torch_and_a_mask(tmp_path: Path) -> None:
    path = tmp_path / "theirs.py"
    path.write_text(TORCH, encoding="utf-8")
    right = check_function(f"{path}::right", "masked", seconds=120.0)  # torch is slow to begin on a busy machine
    assert (right.finding, right.error) == (None, "")
    finding = check_function(f"{path}::after", "masked", seconds=120.0).finding
    assert finding is not None
    assert finding.cause == "mask applied after softmax"


def test_code_that_fails_leaves_or_waits(numpy_file: Path) -> None:
    assert check_function(f"{numpy_file}::raises").error == "RuntimeError: no idea"
    assert "ended the process with code 3" in check_function(f"{numpy_file}::leaves").error
    assert "still running after 2 seconds" in check_function(f"{numpy_file}::waits", seconds=2.0).error
    assert "none of which is a stage" in check_function(f"{numpy_file}::words").error


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("mine.py", "names no function"),
        ("absent.py::attend", "There is no file"),
        ("mine.py::rigth", "did you mean 'right'"),
        ("mine.py::odd", "needs a parameter 'temperature'"),
    ],
)
def test_targets_that_cannot_be_checked(numpy_file: Path, target: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        check_function(str(numpy_file.parent / target))
