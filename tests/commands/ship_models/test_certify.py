"""`glassformer certify`: tries a run, keeps the certificate, and is loud about a broken promise."""

import json
import sys
from pathlib import Path

import pytest
from helpers.small_runs import small_run

from glassformer.commands import main as cli
from glassformer.commands.ship_models.certify import certify
from glassformer.runs.folder import RunFolder
from glassformer.runs.run import load


def spoilt(folder: RunFolder) -> RunFolder:
    """The same run with weights so large that an answer overflows."""
    card, state, tokens = folder.load_model()
    state = {name: value.clone() for name, value in state.items()}
    state["final_norm.weight"].fill_(1e30)
    state["head.linear.weight"].fill_(1e30)
    folder.save_model(card, state, tokens)
    return folder


@pytest.mark.parametrize("objective", ["classes", "pairs", "answers"])
def test_certify_tries_a_run_and_keeps_the_certificate(
    objective: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run", objective)
    assert certify(str(folder.path), json=True) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["passed"] is True
    assert all({"name", "passed", "value", "bar"} <= set(check) for check in content["checks"])
    assert folder.read_certificate() == content
    assert content["about"].startswith("keeps its promises")
    assert content["learnt"] is None  # it was never evaluated


def test_the_json_says_whether_it_has_learnt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run(tmp_path / "run")
    folder.write_scores({"accuracy": 0.5, "confusion": {"labels": ["a", "b"], "table": [[7, 6], [5, 4]]}})
    assert certify(str(folder.path), json=True) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["passed"] is True
    assert content["learnt"]["verdict"] == "no better than the majority class"
    assert content["learnt"]["advice"]
    assert folder.read_certificate() == content


def test_a_broken_promise_is_loud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = spoilt(small_run(tmp_path / "run"))
    monkeypatch.setattr(sys, "argv", ["glassformer", "certify", str(folder.path)])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    page = capsys.readouterr().out
    assert "✗ finite numbers" in page
    assert "BROKEN: finite numbers. Do not rely on this model." in page
    assert certify(str(folder.path), json=True) == 1
    assert json.loads(capsys.readouterr().out)["passed"] is False


def test_an_export_is_tried_as_the_other_tool_works_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load(small_run(tmp_path / "run", "answers").path).export("onnx", tmp_path / "out", samples=2)
    assert certify(str(tmp_path / "out")) == 0
    assert "worked by ONNX Runtime" in capsys.readouterr().out
    kept = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert (kept["passed"], kept["worked_by"]) == (True, "ONNX Runtime")


def test_a_broken_promise_of_an_export_is_loud(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load(spoilt(small_run(tmp_path / "run")).path).export("onnx", tmp_path / "out", samples=2)
    assert certify(str(tmp_path / "out")) == 1
    assert "BROKEN: finite numbers" in capsys.readouterr().out
