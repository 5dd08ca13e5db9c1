"""A program of torch.export: the same answers, at lengths and numbers of texts it was not made with.

Tracing and the shape checks of the other tests do not mix, so this file runs itself once as a plain program, which
reports what it found.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.readmes import answer, ours
from helpers.small_runs import TEXTS, language_run, small_run

from glassformer.errors import InputError
from glassformer.exchange.programs.torch_program import PROGRAM, exported
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("torch_program")]  # the gate runs it

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("classes", "transformer", {}),
    ("pairs", "translator", {}),
    ("answers", "modern", {"weigher": "sigmoid"}),
    ("answers", "gpt", {"scorer": "random synthesizer"}),
]


def largest_gap() -> float:
    """Of a language model's program at several sizes."""
    run = language_run()
    program = exported(Trained(run.model, run.card, run.tokens)).module()
    gaps = []
    for rows, length in ((1, 1), (5, 23), (3, 2)):
        ids = torch.randint(0, len(run.tokens), (rows, length))
        real = torch.ones_like(ids, dtype=torch.bool)
        with torch.inference_mode():
            gaps.append(float((program(ids, real) - run.model(ids, real)).abs().max()))
    return max(gaps)


def largest_gap_of_a_translator(root: Path) -> float:
    """Of its program, at every pair of small lengths."""
    run = load(small_run(root / "translator", "pairs").path)
    program = exported(Trained(run.model, run.card, run.tokens)).module()
    gaps = []
    for length in range(1, 6):
        for count in range(1, 6):
            source, target = (torch.randint(5, len(run.tokens), (3, n)) for n in (length, count))
            given = (source, torch.ones_like(source, dtype=torch.bool), target)
            with torch.inference_mode():
                gaps.append(float((program(*given) - run.model(*given)).abs().max()))
    return max(gaps)


def refused(root: Path) -> str:
    """What is said of a recurrent model."""
    try:
        load(small_run(root / "gru", model="gru").path).export("torch", root / "gru-out")
    except InputError as error:
        return str(error)
    return ""


def _alike(found: Any, right: Any) -> bool:
    """Whether the code of a README has given what the run gives; a writer's code may end sooner."""
    if isinstance(found, dict):
        return all(abs(found[label] - right[label]) < 1e-5 for label in right)
    return bool(found) and str(right).startswith(found)


def report(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"gap": largest_gap(), "translator": largest_gap_of_a_translator(root)}
    found["refused"] = refused(root)
    for i, (objective, model, settings) in enumerate(CASES):
        run = load(small_run(root / f"{i}", objective, model, **settings).path)
        found[str(i)] = run.export("torch", root / f"{i}-out", samples=3).to_dict()
        text = TEXTS[objective]
        found[f"{i} code"] = _alike(answer(root / f"{i}-out", text), ours(run, text))
        found[f"{i} files"] = sorted(each.name for each in (root / f"{i}-out").iterdir())
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("programs")
    place = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, __file__, str(folder)], env=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_every_kind_of_model_is_the_same_program(case: int, found: dict[str, Any]) -> None:
    assert found[str(case)]["passed"], found[str(case)]
    assert found[f"{case} code"]
    assert found[f"{case} files"] == sorted([PROGRAM, "tokenizer.json", "README.md", "parity.json"])


def test_it_takes_batches_of_any_size(found: dict[str, Any]) -> None:
    assert found["gap"] < 1e-6
    assert found["translator"] < 1e-6


def test_what_would_be_tied_to_one_size_is_refused(found: dict[str, Any]) -> None:
    assert found["refused"].startswith("torch.export cannot write a gru down for any number of texts")


if __name__ == "__main__":
    print(json.dumps(report(Path(sys.argv[1]))))
