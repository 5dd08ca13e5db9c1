"""`glassformer describe`: counts by formula, of models in the table and of runs; one JSON document, or a page."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.small_models import SIZES_IN_THE_NOTES
from helpers.small_runs import small_run

from glassformer.commands.train_models.describe import describe
from glassformer.errors import GlassformerError, InputError

# --- describe ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
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


def test_describe_shows_the_layers_as_lecture_notes_do(capsys: pytest.CaptureFixture[str]) -> None:
    describe("attention", set_=("vocabulary=31", "width=6", "heads=3"), tokens=7)
    page = capsys.readouterr().out
    assert "├─embedding: Embedding  [1, 7, 6]         186          –  0.000" in page
    assert "│ ├─query: Linear       [1, 7, 6]          42        252  0.000" in page
    assert f"mult-adds   {7 * 4 * 36 + 7 * 7 * 2 * 6 + 6 * 2:,}" in page
    describe("attention", set_=("vocabulary=31", "width=6", "heads=3"), tokens=7, depth=1)
    assert "query: Linear" not in capsys.readouterr().out
    describe("attention", set_=("vocabulary=31", "width=6", "heads=3"), tokens=7, json=True)
    content = json.loads(capsys.readouterr().out)
    assert content["summary"]["parameters"] == content["parameters"]
    assert 2 * content["summary"]["mult_adds"] == content["flops"]["forward"]
    with pytest.raises(InputError, match="--depth -1 is no number of levels"):
        describe("attention", depth=-1)


def test_describe_counts_as_slides_do(capsys: pytest.CaptureFixture[str]) -> None:
    describe("conv-pool", slides=64)
    page = capsys.readouterr().out
    assert "as slides print it   input of 64, the rest of one" in page
    assert "  input size                   0.12 MB\n" in page
    assert "  estimated total size        11.53 MB\n" in page
    describe("conv-pool", slides=64, json=True)
    content = json.loads(capsys.readouterr().out)["slides"]
    assert (content["batch"], round(content["total_mb"], 2)) == (64, 11.53)
    describe("conv-pool", json=True)
    assert "slides" not in json.loads(capsys.readouterr().out)
    with pytest.raises(InputError, match="--slides -1 is no number of texts"):
        describe("conv-pool", slides=-1)


@pytest.mark.parametrize("model", ["attention", "transformer", "translator", "gpt"])
def test_biases_can_be_left_out(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = []
    for bias in ("true", "false"):
        describe(model, set_=("width=12", "heads=3", f"bias={bias}"), json=True)
        counts.append(json.loads(capsys.readouterr().out)["parameters"])
    assert counts[0] > counts[1]


def test_key_and_value_widths_can_be_set(capsys: pytest.CaptureFixture[str]) -> None:
    describe("attention", set_=("width=10", "heads=3", "key-width=4", "value_width=7"), json=True)
    content = json.loads(capsys.readouterr().out)
    attention = next(row for row in content["table"] if row["part"] == "attention")
    assert attention["formula"].startswith("D·(2·K+V)·H + H·V·D")  # d(2m+l)T + Tl·d
    assert attention["numbers"].startswith("10·(2·4+7)·3 + 3·7·10")
    assert attention["count"] == 10 * (2 * 4 + 7) * 3 + 3 * 7 * 10 + (2 * 4 + 7) * 3 + 10


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
