"""A program of torch.export: the same answers, at lengths and numbers of texts it was not made with."""

from pathlib import Path

import pytest
import torch
from helpers.small_runs import small_run

from glassformer.exchange.torch_program import PROGRAM, exported
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load


@pytest.mark.parametrize(
    ("objective", "model", "settings"),
    [
        ("classes", "transformer", {}), ("pairs", "translator", {}), ("answers", "modern", {"weigher": "sigmoid"}),
        ("answers", "gpt", {"scorer": "random synthesizer"}), ("classes", "conv", {}),
    ],
)  # fmt: skip
def test_every_kind_of_model_is_the_same_program(
    objective: str, model: str, settings: dict[str, str], tmp_path: Path
) -> None:
    run = load(small_run(tmp_path / "run", objective, model, **settings).path)
    parity = run.export("torch", tmp_path / "out", samples=5)
    assert parity.passed, parity.sentence
    assert {each.name for each in (tmp_path / "out").iterdir()} == {
        PROGRAM, "tokenizer.json", "README.md", "parity.json"
    }  # fmt: skip


def test_it_takes_batches_of_any_size() -> None:
    from helpers.small_runs import language_run

    run = language_run()
    program = exported(Trained(run.model, run.card, run.tokens)).module()
    for rows, length in ((1, 1), (5, 23), (3, 2)):
        ids = torch.randint(0, len(run.tokens), (rows, length))
        real = torch.ones_like(ids, dtype=torch.bool)
        with torch.inference_mode():
            torch.testing.assert_close(program(ids, real), run.model(ids, real))
