"""describe, certify and doctor as commands: one JSON document, or a page; 1 for a broken promise."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from helpers.small_models import SIZES_IN_THE_NOTES
from helpers.small_runs import small_run

from glassformer.commands import main as cli
from glassformer.commands.pages.machine_page import advice
from glassformer.commands.pages.sizes_page import in_bytes, large
from glassformer.commands.ship_models.certify import certify
from glassformer.commands.train_models.describe import describe
from glassformer.commands.train_models.doctor import doctor
from glassformer.errors import GlassformerError, InputError
from glassformer.runs.folder import RunFolder
from glassformer.training import machine

# --- describe ----------------------------------------------------------------------------------------------------


def test_describe_counts_the_notes_models(capsys: pytest.CaptureFixture[str]) -> None:
    describe("bilstm", json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["parameters"] == SIZES_IN_THE_NOTES["bilstm"] == sum(row["count"] for row in content["table"])
    assert content["task"] == "classify"
    describe("bilstm")
    page = capsys.readouterr().out
    assert "2,758,786" in page
    assert "N·D" in page
    assert "20,000·128" in page


def test_describe_takes_settings_and_a_length(capsys: pytest.CaptureFixture[str]) -> None:
    describe("modern", set_=("width=64", "kv-heads=2"), tokens=100, json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["config"]["width"] == 64
    assert content["letters"]["G"] == 2
    assert content["flops"]["tokens"] == 100


def test_describe_says_what_tells_the_order(capsys: pytest.CaptureFixture[str]) -> None:
    describe("transformer", set_=("positions=alibi",))
    assert "positions  alibi adds −m·|i−j| to the score" in capsys.readouterr().out
    describe("translator", set_=("positions=t5",), json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["positions"]["scheme"] == "t5"
    assert next(row for row in content["table"] if row["part"] == "positions")["formula"] == "2·32·H"


def test_describe_lists_all_models(capsys: pytest.CaptureFixture[str]) -> None:
    describe()
    assert "68,228,482" in capsys.readouterr().out
    describe(json=True)
    conv = {"model": "conv", "task": "classify", "parameters": SIZES_IN_THE_NOTES["conv"]}
    assert conv in json.loads(capsys.readouterr().out)


def test_describe_reads_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = small_run(tmp_path / "run", "pairs")
    describe(str(folder.path), json=True)
    content = json.loads(capsys.readouterr().out)
    _, state, _ = folder.load_model()
    assert content["model"] == "translator"
    assert content["parameters"] == sum(value.numel() for value in {id(v): v for v in state.values()}.values())
    with pytest.raises(InputError, match="The sizes of a trained model are settled"):
        describe(str(folder.path), set_=("width=64",))


def test_describe_needs_no_memory_for_a_large_model(capsys: pytest.CaptureFixture[str]) -> None:
    describe("modern", set_=("width=8192", "hidden=28672", "layers=80", "heads=64", "kv_heads=8"), json=True)
    assert json.loads(capsys.readouterr().out)["parameters"] > 60_000_000_000


def test_describe_names_what_is_wrong() -> None:
    with pytest.raises(InputError, match="no model called 'transfomer'; did you mean 'transformer'"):
        describe("transfomer")
    with pytest.raises(InputError, match="no setting 'widht' here; did you mean 'width'"):
        describe("gpt", set_=("widht=3",))
    with pytest.raises(InputError, match="--tokens -3 is no length"):
        describe("gpt", tokens=-3)


def test_a_formula_that_is_wrong_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    import glassformer.commands.train_models.describe as command

    true = command.sizes
    monkeypatch.setattr(command, "sizes", lambda *a, **k: replace(true(*a, **k), rows=true(*a, **k).rows[1:]))
    with pytest.raises(GlassformerError, match="has 826,112 parameters here, but the module has 858,880"):
        describe("gpt")


def test_numbers_for_the_eye() -> None:
    assert [large(n) for n in (7, 1_234, 12_345, 2_345_678, 3.21e9, 4.5e15)] == [
        *("7", "1,234", "12.3 k", "2.35 M", "3.21 G", "4,500 T")
    ]
    assert [in_bytes(n) for n in (7, 1_234, 2_345_678, 3.21e9)] == ["7 B", "1.2 kB", "2.3 MB", "3.2 GB"]


# --- certify -----------------------------------------------------------------------------------------------------


def spoilt(folder: RunFolder) -> RunFolder:
    """The same run with one weight that is no number."""
    card, state, tokens = folder.load_model()
    state = {name: value.clone() for name, value in state.items()}
    state["final_norm.weight"][0] = torch.nan
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


def test_the_page_of_a_certificate_says_what_was_not_tried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert certify(str(small_run(tmp_path / "run").path)) == 0
    page = capsys.readouterr().out
    assert "✓ save and load" in page
    assert "– cache = no cache" in page
    assert "not tried:" in page
    assert "✓ All 10 promises that were tried are kept." in page


# --- doctor ------------------------------------------------------------------------------------------------------


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


def test_advice_follows_from_the_facts() -> None:
    quiet = replace(machine.facts(), load=0.0, usable_cores=2, bfloat16=True)
    assert advice(quiet) == []
    assert "load 3" in advice(replace(quiet, load=3.0))[0]
    assert "no bfloat16" in advice(replace(quiet, bfloat16=False, accelerator=""))[0]
