"""What a command loads, and what it does not: each face takes along the rooms it needs, and no others."""

import json
import subprocess
import sys

import pytest

FACES = ("inside", "by_hand", "studio", "training")
DRAWING = tuple(f"drawing.{name}" for name in ("charts", "curves", "html_page", "mathml", "matrices", "score_words"))
MOST = 57  # modules of ours
PREDICT = """
import sys
sys.argv = ["glassformer", "predict", "sentiment", "a warm film"]
from glassformer.commands.main import main
try: main()
except SystemExit as stop: assert not stop.code
"""
LISTED = """
import json, sys
print(json.dumps([name for name in sys.modules if name.partition(".")[0] == "glassformer"]))
"""


def loaded_by(program: str) -> list[str]:
    """The modules of ours that a program has loaded when it ends."""
    done = subprocess.run([sys.executable, "-c", program + LISTED], check=True, capture_output=True, text=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    ("program", "without"),
    [
        (PREDICT, (*FACES, *DRAWING, "runs.certificate", "runs.report", "text.corpora", "text.files")),
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
