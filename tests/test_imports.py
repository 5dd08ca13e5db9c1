"""What a command loads, and what it does not: each face takes along the rooms it needs, and no others."""

import json
import subprocess
import sys

import pytest

FACES = ("inside", "by_hand", "studio", "training")
MOST = 39  # modules of ours
PREDICT = """
import sys
sys.argv = ["glassformer", "predict", "sentiment", "a warm film"]
from glassformer.commands.main import main
try: main()
except SystemExit as stop: assert not stop.code
"""
LISTED = """
import json, sys
print(json.dumps(list(sys.modules)))
"""


def loaded_by(program: str, whose: str = "glassformer") -> list[str]:
    """The modules that a program has loaded when it ends: ours, or another's."""
    done = subprocess.run([sys.executable, "-c", program + LISTED], check=True, capture_output=True, text=True)
    return [name for name in json.loads(done.stdout.splitlines()[-1]) if f"{name}.".startswith(f"{whose}.")]


@pytest.mark.parametrize(
    ("program", "without"),
    [
        (PREDICT, (*FACES, "drawing", "runs.certificate", "runs.report", "text.corpora", "text.files")),
        ("from glassformer import train", ("inside", "by_hand", "studio", "commands")),
        ("from glassformer import load", (*FACES, "commands", "drawing", "runs.certificate", "text.corpora")),
        ("from glassformer import watch", ("by_hand", "studio", "training", "commands", "runs", "objectives")),
        ("from glassformer import check", ("inside", "studio", "training", "commands", "runs", "objectives", "models")),
    ],
    ids=["predict", "train", "load", "watch", "check"],
)
def test_nothing_is_loaded_that_is_not_needed(program: str, without: tuple[str, ...]) -> None:
    loaded = loaded_by(program)
    assert loaded
    assert [name for name in loaded if any(f"{name}.".startswith(f"glassformer.{each}.") for each in without)] == []


def test_predicting_loads_no_more_than_it_must() -> None:
    """There were 78 once, with the whole view among them."""
    assert len(loaded_by(PREDICT)) <= MOST, sorted(loaded_by(PREDICT))


@pytest.mark.parametrize("whose", ["sacrebleu", "sympy", "torch._dynamo"])
def test_predicting_loads_no_metric_and_no_compiler(whose: str) -> None:
    assert loaded_by(PREDICT, "torch.nn")
    assert loaded_by(PREDICT, whose) == []
