"""`glassformer compare`: from words to a document; stopped, it goes on."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import glassformer.training.race.race as race_room
from glassformer.commands import main as cli
from glassformer.training.course import StoppedError
from glassformer.training.request import Request

WORDS = ["--models", "bare-attention,transformer", "--steps", "2", "--threads", "1", "--set", "width=24"]


def glassformer(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["glassformer", *words])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    return int(stop.value.code or 0)


def test_the_command_from_words_to_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", *WORDS, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["race"] == "runs/race-classify-negation-300"
    assert {each["model"] for each in told["models"]} == {"bare-attention", "transformer"}
    assert (tmp_path / told["race"] / "race.html").is_file()
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", *WORDS, "--quiet") == 0
    shown = capsys.readouterr().out
    for words in (
        "parameters",
        "95 % CI",
        "macro-F1",
        "bag of words",
        "race.html",
        "Majority baseline",
        "paired bootstrap",
    ):
        assert words in shown


def test_models_of_language_race_by_their_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("the cat sat on the mat, and the dog sat on the cat. " * 40, encoding="utf-8")
    sizes = [word for size in ("width=12", "heads=2", "layers=1", "longest=31") for word in ("--set", size)]
    options = ["--steps", "2", "--threads", "1", *sizes, "--json", "--quiet"]
    assert glassformer(monkeypatch, "compare", "generate", "book.txt", *options) == 0
    told = json.loads(capsys.readouterr().out)
    first, second = told["models"]
    assert {first["model"], second["model"]} == {"gpt", "modern"}
    assert first["loss"] <= second["loss"]


def test_stopped_it_keeps_what_is_done_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "race"
    words = ["compare", "classify", "negation:300", *WORDS, "--out", str(out), "--quiet"]
    teach = race_room.teach

    def stopped_at_the_second(asked: Request, folder: Path, *rest: Any, **more: Any) -> Any:
        if asked.model == "transformer":
            raise StoppedError(signal.SIGINT, folder)
        return teach(asked, folder, *rest, **more)

    monkeypatch.setattr(race_room, "teach", stopped_at_the_second)
    assert glassformer(monkeypatch, *words) == 130
    assert "1 of 2 done. The same command resumes." in capsys.readouterr().err
    assert (out / "race.html").is_file()
    before = (out / "bare-attention-0" / "model" / "model.safetensors").stat().st_mtime_ns
    monkeypatch.setattr(race_room, "teach", teach)
    assert glassformer(monkeypatch, *words) == 0
    assert (out / "bare-attention-0" / "model" / "model.safetensors").stat().st_mtime_ns == before
    assert (out / "transformer-0" / "report.html").is_file()


def test_seeds_are_numbers(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", "--seeds", "0,one") == 2
    assert "such as 0,1,2; they are '0,one'" in capsys.readouterr().err
    assert glassformer(monkeypatch, "compare", "classify", "negation:300", "--seeds", "9" * 5000) == 2
