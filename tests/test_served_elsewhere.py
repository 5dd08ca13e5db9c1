"""The server, the studio and batches on a device that is not the processor, which `auto` takes: what they answer there
is what they answer here. As in test_any_device.py the device is made up, and a forgotten tensor is an error."""

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.foreign_models import foreign_folder
from helpers.other_device import NAME, elsewhere
from helpers.server_visits import Caller, small_models
from helpers.small_requests import request
from helpers.small_runs import language_run, small_run
from helpers.studio_visits import Visitor, asked

from glassformer.inside.head_names import head_names
from glassformer.inside.repeated_tokens import repeated_looks
from glassformer.runs.batch_predictor import BatchPredictor
from glassformer.runs.imported import import_model
from glassformer.runs.run import load
from glassformer.serving.app import OPERATIONS
from glassformer.studio.rooms.inside import reading_look
from glassformer.training.course import teach
from glassformer.training.race.race import Race
from glassformer.training.request import Request

pytestmark = pytest.mark.other_device

TEXT = "the film was not good"
SERVED: list[tuple[str, dict[str, Any]]] = [
    ("/v1/completions", {"model": "stream", "prompt": "the c", "max_tokens": 9, "temperature": 0}),
    ("/v1/completions", {"model": "stream", "prompt": ["the c", "t"], "max_tokens": 5, "seed": 3, "logprobs": 2}),
    (
        "/v1/completions",
        {"model": "stream", "prompt": "the c", "max_tokens": 1, "temperature": 0, "logprobs": 1, "echo": True},
    ),
    ("/v1/completions", {"model": "answers", "prompt": "3 1 2", "max_tokens": 5}),
    ("/v1/translate", {"model": "pairs", "input": ["3 May 2007", "the ninth"], "beam": 3}),
    ("/v1/classify", {"model": "classes", "input": [TEXT, "good"]}),
    ("/v1/embeddings", {"model": "classes", "input": [TEXT]}),
    ("/v1/trace", {"model": "classes", "input": TEXT, "stages": ["logits"]}),
    ("/v1/why", {"model": "classes", "input": TEXT}),
]
ROOMS: list[tuple[str, dict[str, Any]]] = [
    ("inside/look", {"model": "classes", "text": TEXT}),
    ("inside/look", {"model": "pairs", "text": "the third of May"}),
    ("inside/tokens", {"model": "answers", "text": "3 1 2 ="}),
    ("inside/why", {"model": "answers", "text": "3 1 2 ="}),
    ("inside/next", {"model": "shakespeare", "text": "To b", "temperature": 1.0, "top_k": 3, "top_p": 1.0, "seed": 5}),
]


def words(found: Any) -> Any:
    """The texts of an answer, in order. Numbers may be rounded otherwise, also within a text; names of requests are
    drawn."""
    if isinstance(found, dict):
        return [each for key in sorted(found) if key != "id" for each in words(found[key])]
    if isinstance(found, list):
        return [each for part in found for each in words(part)]
    return [re.sub(r"[\d.]+", "#", found)] if isinstance(found, str) else []


def served(root: Path) -> list[Any]:
    torch.manual_seed(3)
    runs = small_models(root)
    runs["stream"].model.to(runs["classes"].device)
    caller = Caller(runs)
    try:
        return [words(caller.told(path, **content)) for path, content in SERVED]
    finally:
        caller.server.close()


def shown(root: Path) -> list[Any]:
    folders = [small_run(root / name, name).path for name in ("classes", "pairs", "answers")]
    visitor = Visitor(root / "runs", *folders)
    try:
        return [sorted(asked(visitor, action, **content)) for action, content in ROOMS]  # their numbers: any_device
    finally:
        visitor.studio.close()


def named_heads(root: Path) -> list[Any]:
    run, texts = load(small_run(root / "run").path), language_run()
    texts.model.to(run.device)
    return sorted(head_names([reading_look(run, TEXT)], repeated_looks(texts.model, texts.tokens, 23, 2)))


def predicted(root: Path) -> list[Any]:
    found = BatchPredictor(small_run(root / "run").path)({"text": np.array([TEXT, "good", None], dtype=object)})
    return [list(map(str, found["prediction"]))]


@pytest.mark.parametrize("work", [served, shown, named_heads, predicted])
def test_the_answers_are_the_same(work: Any, tmp_path: Path) -> None:
    found = {}
    for place, where in ((NAME, elsewhere()), ("cpu", nullcontext())):
        with where:
            assert load(small_run(tmp_path / place / "asked").path).device.type == place
            found[place] = work(tmp_path / place)
    assert found[NAME] == found["cpu"]


def test_no_operation_of_the_server_is_left_out() -> None:
    assert {path for path, _ in SERVED} == {operation.path for operation in OPERATIONS}


@pytest.mark.parametrize(("objective", "target"), [("classes", "onnx"), ("answers", "hf")])
def test_a_run_is_exported(objective: str, target: str, tmp_path: Path) -> None:
    """And stays where it is."""
    with elsewhere():
        run = load(small_run(tmp_path / "run", objective).path)
        report = run.export(target, tmp_path / "out", samples=7)
        assert run.device.type == NAME
    assert report.passed
    assert report.texts == 7


def test_a_run_is_finetuned(tmp_path: Path) -> None:
    with elsewhere():
        parent = teach(request("classify", "negation:90", steps=2), tmp_path / "parent")
        asked_for = Request(
            task="classify", data="negation:90", steps=2, threads=1, parent=str(parent.folder), settings={"lora": 2}
        )
        child = teach(asked_for, tmp_path / "child")
        assert child.device.type == NAME
        assert child.certificate["passed"]


def test_a_race_is_run(tmp_path: Path) -> None:
    with elsewhere():
        terms = request("classify", "negation:90", steps=2)
        race = Race(terms, ["bare-attention", "transformer"], [0], tmp_path / "race")
        assert {race.run(entry).device.type for entry in race.entries} == {NAME}
        assert len(race.standings().models) == 2


def test_a_model_of_another_tool_is_brought_in(tmp_path: Path) -> None:
    """Onto the device, where it gives the numbers of the processor."""
    folder = foreign_folder(tmp_path, "gpt2")
    here = import_model(folder, tmp_path / "here").model.to("cpu")
    ids = torch.tensor([[5, 7, 3]])
    with elsewhere():
        there = import_model(folder, tmp_path / "there")
        assert there.device.type == NAME
        real = torch.ones_like(ids, dtype=torch.bool)
        with torch.inference_mode():
            found = there.model(ids.to(NAME), real.to(NAME)).cpu()
            torch.testing.assert_close(found, here(ids, real), atol=1e-5, rtol=1e-5)
