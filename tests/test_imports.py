"""What a command loads, and what it does not: each face takes along the rooms it needs, and no others."""

import json
import subprocess
import sys
from functools import cache

import pytest

FACES = ("inside", "by_hand", "studio", "training")
UNASKED = (
    *FACES, "drawing", "runs.certificate", "runs.report", "text.corpora", "text.files", "objectives.lessons",
    "stages.catalogue", "layers.synthesizers",
)  # fmt: skip
MOST = 45  # modules of ours: two are the quick steps of writing, two say on which device, one quotes commands
PREDICT = """
import sys
sys.argv = ["glassformer", "predict", {model!r}, {text!r}]
from glassformer.commands.main import main
try: main()
except SystemExit as stop: assert not stop.code
"""
CLASSIFY = PREDICT.format(model="sentiment", text="a warm film")
TRANSLATE = PREDICT.format(model="english-german", text="the dog sleeps")
GO_ON = PREDICT.format(model="shakespeare", text="To be")
COMPILER = ("torch._dynamo", "sympy")
POCKET = pytest.mark.parametrize("program", [CLASSIFY, TRANSLATE, GO_ON], ids=["classify", "translate", "go on"])
OUTLINES = """
from glassformer.layers.positions import SCHEMES
from glassformer.models.registry import configure
from glassformer.models.weights import outline
for model in ("transformer", "translator", "modern"):
    for scheme in SCHEMES: outline(model, configure(model, positions=scheme))
"""
LISTED = """
import json, sys
print(json.dumps(list(sys.modules)))
"""


@cache
def loaded(program: str) -> tuple[str, ...]:
    """All modules that a program has loaded when it ends."""
    done = subprocess.run([sys.executable, "-c", program + LISTED], check=True, capture_output=True, text=True)
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def loaded_by(program: str, whose: str = "glassformer") -> list[str]:
    """Those that are ours, or another's."""
    return [name for name in loaded(program) if f"{name}.".startswith(f"{whose}.")]


@pytest.mark.parametrize(
    ("program", "without"),
    [
        (CLASSIFY, (*UNASKED, "models.translator", "models.language_model", "models.beam")),
        (TRANSLATE, (*UNASKED, "models.classifiers", "models.language_model")),
        pytest.param(
            GO_ON, (*UNASKED, "models.classifiers", "models.translator", "models.beam"), marks=pytest.mark.slow
        ),
        ("from glassformer import train", ("inside", "by_hand", "studio", "commands")),
        ("from glassformer import load", (*FACES, "commands", "drawing", "runs.certificate", "text.corpora")),
        ("from glassformer import watch", ("by_hand", "studio", "training", "commands", "runs", "objectives")),
        ("from glassformer import check", ("inside", "studio", "training", "commands", "runs", "objectives", "models")),
    ],
    ids=["classify", "translate", "go on", "train", "load", "watch", "check"],
)
def test_nothing_is_loaded_that_is_not_needed(program: str, without: tuple[str, ...]) -> None:
    ours = loaded_by(program)
    assert ours
    assert [name for name in ours if any(f"{name}.".startswith(f"glassformer.{each}.") for each in without)] == []


@POCKET
def test_predicting_loads_no_more_than_it_must(program: str) -> None:
    """There were 78 once, with the whole view among them."""
    ours = loaded_by(program)
    assert len(ours) <= MOST, sorted(ours)


@POCKET
def test_predicting_loads_no_metric_and_no_compiler(program: str) -> None:
    assert loaded_by(program, "torch.nn")
    assert [whose for whose in ("sacrebleu", *COMPILER) if loaded_by(program, whose)] == []


def test_an_outline_loads_no_compiler() -> None:
    """Whatever tells its order, the shape of a model is known without working a number."""
    assert loaded_by(OUTLINES, "torch.nn")
    assert [whose for whose in COMPILER if loaded_by(OUTLINES, whose)] == []
