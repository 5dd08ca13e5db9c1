"""`glassformer doctor`: tells what it measured."""

import json
from collections.abc import Callable

import pytest

from glassformer.commands.train_models.doctor import doctor, engine_line
from glassformer.training import machine


def test_doctor_tells_what_it_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def timed(work: Callable[[], object]) -> dict[int, float]:
        work()  # it can be done
        return {1: 0.5, 2: 0.3}

    monkeypatch.setattr(machine, "time_threads", timed)
    monkeypatch.setattr(machine, "matmul_speed", lambda count: 40.0 * count)
    doctor(json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["best_threads"] == 2
    assert content["step_seconds"] == {"1": 0.5, "2": 0.3}
    assert content["matmul_gflops"]["1"] == 40.0
    assert content["versions"]["torch"]
    doctor()
    page = capsys.readouterr().out
    assert "300.0 ms  ← the quickest" in page
    assert "Small models train best with 2 threads here." in page
    assert "Engine: ONNX Runtime writes" in page


def test_doctor_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("glassformer.commands.train_models.doctor.at_hand", lambda: {"onnx": "1", "onnxruntime": ""})
    assert "pip install 'glassformer[engines]'" in engine_line()
