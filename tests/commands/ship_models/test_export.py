"""`glassformer export`: writes, compares, and ends with 1 where it is not the same model."""

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.small_runs import small_run

from glassformer.commands.ship_models.export import export
from glassformer.errors import InputError
from glassformer.exchange.export import TARGETS, Target
from glassformer.exchange.parity import Opened


def made_up(monkeypatch: pytest.MonkeyPatch, shift: float) -> None:
    def opened(folder: Path, trained: Any) -> Opened:
        return Opened(lambda ids, real: trained.model(ids, real) + shift)

    row = Target(sentence="", files=lambda trained: {"a": b"1"}, opened=opened, extra="")
    monkeypatch.setitem(TARGETS.data, "made-up", row)


def test_it_ends_with_0_if_it_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up(monkeypatch, 0.0)
    run = small_run(tmp_path / "run").path
    assert export(str(run), to="made-up", samples=3) == 0
    told = capsys.readouterr()
    assert "the same model: largest difference of an answer 0.0e+00 on 3 texts" in told.out
    assert "comparing the two on up to 3 texts …" in told.err
    assert (tmp_path / "run-made-up" / "parity.json").is_file()


def test_it_ends_with_1_if_it_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up(monkeypatch, 1.0)
    run = small_run(tmp_path / "run").path
    assert export(str(run), to="made-up", out=tmp_path / "out", samples=3) == 1
    assert "NOT THE SAME MODEL" in capsys.readouterr().err
    assert export(str(run), to="made-up", out=tmp_path / "out", samples=3, json=True) == 1
    assert json.loads(capsys.readouterr().out)["largest_difference"] == pytest.approx(1.0)


def test_of_no_texts_nothing_can_be_compared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`--samples` must be a whole number from 1 up; it is 0"):
        export(str(small_run(tmp_path / "run").path), samples=0)
