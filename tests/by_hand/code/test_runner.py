"""The runner writes down what a learner's function returns, or what it raised."""

import json
from pathlib import Path
from typing import Any

import pytest

from glassformer.by_hand.code.runner import main

PROGRAM = """
def output(x): return 2 * x
def pair(x): return x, [[[1, 0]]]
def stages(x): return {"scores": x, "mixed": -x}
def nothing(x): pass
def fails(x): raise KeyError("gone")
"""


def run(folder: Path, function: str) -> Any:
    (folder / "mine.py").write_text(PROGRAM, encoding="utf-8")
    job = {"file": str(folder / "mine.py"), "function": function, "arguments": {"x": [[1, 2]]}}
    (folder / "job.json").write_text(json.dumps({**job, "answer": str(folder / "answer.json")}), encoding="utf-8")
    main(str(folder / "job.json"))
    return json.loads((folder / "answer.json").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _path_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend("")


@pytest.mark.parametrize(
    ("function", "stages"),
    [
        ("output", {"output": [["2.0", "4.0"]]}),
        ("pair", {"output": [["1.0", "2.0"]], "weights": [["1.0", "0.0"]]}),
        ("stages", {"scores": [["1.0", "2.0"]], "mixed": [["-1.0", "-2.0"]]}),
    ],
)
def test_an_output_a_pair_or_stages(tmp_path: Path, function: str, stages: dict[str, Any]) -> None:
    assert run(tmp_path, function) == {"stages": stages}


@pytest.mark.parametrize(
    ("function", "said"), [("nothing", "TypeError: it returned nothing (None)"), ("fails", "KeyError: 'gone'")]
)
def test_whatever_is_raised_is_an_answer(tmp_path: Path, function: str, said: str) -> None:
    assert run(tmp_path, function) == {"error": said}
