"""What is exported is the same model where it is opened again, or is refused with the reason; the report says so."""

import json
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.foreign_models import foreign_folder
from helpers.readmes import answer, ours
from helpers.sentence_models import BOTH, MARIAN, marian_folder
from helpers.small_runs import small_run

from glassformer.errors import InputError
from glassformer.exchange.export import REPORT, TARGETS, Target
from glassformer.exchange.parity import Opened
from glassformer.runs.imported import import_model
from glassformer.runs.run import Run, load


def run_of(root: Path, objective: str, model: str, **settings: Any) -> Run:
    return load(small_run(root / "run", objective, model, **settings).path)


HELD = [
    ("answers", "gpt", {}, "GPT2LMHeadModel"),
    ("answers", "gpt", {"tied": False, "activation": "squared relu"}, "GPT2LMHeadModel"),
    ("answers", "modern", {}, "Qwen3ForCausalLM"),
    (
        "answers",
        "modern",
        {"kv_heads": 1, "key_width": 6, "activation": "geglu", "rotary_base": 500},
        "Qwen3ForCausalLM",
    ),
    ("answers", "modern", {"activation": "squared relu"}, "ApertusForCausalLM"),
    ("answers", "modern", {"query_key_norm": False, "bias": True, "tied": False}, "LlamaForCausalLM"),
    ("pairs", "translator", {}, "PegasusForConditionalGeneration"),
    ("pairs", "translator", {"norm_first": False, "activation": "silu"}, "MarianMTModel"),
    ("classes", "bert", {}, "BertForSequenceClassification"),
]


@pytest.mark.parametrize(("objective", "model", "settings", "architecture"), HELD, ids=str)
def test_transformers_opens_the_same_model(
    objective: str, model: str, settings: dict[str, Any], architecture: str, tmp_path: Path
) -> None:
    run = run_of(tmp_path, objective, model, **settings)
    parity = run.export("hf", tmp_path / "out", samples=5)
    assert parity.passed, parity.sentence
    assert parity.largest_difference is not None
    assert parity.largest_difference < 1e-5
    assert parity.strange == ()  # no name missing, none left over
    assert (parity.written_alike, parity.cut_alike) == (0 if objective == "classes" else 5, 5)
    assert json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))["architectures"] == [architecture]
    assert json.loads((tmp_path / "out" / REPORT).read_text(encoding="utf-8"))["passed"] is True


@pytest.mark.parametrize(
    ("objective", "model", "settings", "reason"),
    [
        ("answers", "modern", {"weigher": "sigmoid"}, "weigher is sigmoid"),
        ("answers", "gpt", {"scorer": "random synthesizer"}, "scorer is random synthesizer"),
        ("answers", "modern", {"positions": "alibi"}, "positions is alibi"),
        ("answers", "modern", {"value_width": 3}, "keys are 4 wide and values 3"),
        ("answers", "gpt", {"kv_heads": 1}, "kv_heads is 1"),
        ("answers", "modern", {"query_key_norm": False, "qkv_bias": True}, "cuts text for a Qwen2 in Qwen's way"),
        ("pairs", "translator", {"positions": "t5"}, "positions is t5"),
        ("classes", "transformer", {}, "norm_first is true"),
        ("classes", "rnn", {}, "holds a Recurrent classifier"),
    ],
)  # fmt: skip
def test_what_a_layout_cannot_hold_is_refused_with_the_reason(
    objective: str, model: str, settings: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    run = run_of(tmp_path, objective, model, **settings)
    with pytest.raises(InputError, match=reason):
        run.export("hf", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_came_from_transformers_goes_back_unchanged(tmp_path: Path) -> None:
    run = import_model(foreign_folder(tmp_path, "bert-classes"), tmp_path / "run")
    assert run.export("hf", tmp_path / "out", samples=3).passed
    again = import_model(tmp_path / "out", tmp_path / "again")
    assert again.card.labels == ("no", "yes", "well")
    assert again.tokens == run.tokens
    for name, value in run.model.state_dict().items():
        assert torch.equal(value, again.model.state_dict()[name]), name


@pytest.mark.parametrize("to", ["hf", "onnx", pytest.param("torch", marks=pytest.mark.slow)])
def test_a_marian_of_two_languages_goes_out_with_the_files_of_its_tokens(
    to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = import_model(marian_folder(tmp_path / "marian", BOTH), tmp_path / "run")
    parity = run.export(to, tmp_path / "out", samples=20)
    assert parity.passed, parity.sentence
    assert (parity.cut > 3, parity.written == parity.texts) == (True, to != "torch")
    assert not (tmp_path / "out" / "tokenizer.json").exists()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")
        assert answer(tmp_path / "out", "ab ba") == ours(run, "ab ba")
    if to == "hf":
        again = import_model(tmp_path / "out", tmp_path / "again").tokens
        assert (again, again.specials) == (run.tokens, run.tokens.specials)
    assert capsys.readouterr().out


def test_a_marian_without_its_second_language_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    run = import_model(marian_folder(tmp_path / "marian", MARIAN), tmp_path / "run")
    for to in ("hf", "onnx", "torch"):
        with pytest.raises(InputError, match=r"no target\.spm"):
            run.export(to, tmp_path / to, samples=1)
        assert not (tmp_path / to).exists()


def test_a_thousand_texts_are_cut_into_the_same_tokens(tmp_path: Path) -> None:
    from tokenizers import Tokenizer

    from glassformer.exchange.hugging_face import folder_files
    from glassformer.objectives.objective import Trained
    from glassformer.text.corpora import read

    run = run_of(tmp_path, "pairs", "translator")
    files = folder_files(Trained(run.model, run.card, run.tokens))
    theirs = Tokenizer.from_str(files["tokenizer.json"].decode())
    texts = [sample.source for sample in read("dates:1300", "translate", seed=9).train][:1000]  # type: ignore[union-attr]
    assert len(texts) == 1000
    assert [list(run.tokens.encode(text).ids) for text in texts] == [theirs.encode(text).ids for text in texts]


# --- the report -------------------------------------------------------------------------------------------------


def made_up(monkeypatch: pytest.MonkeyPatch, opened: Any) -> None:
    row = Target(sentence="", files=lambda trained: {"a": b"1"}, opened=opened, extra="")
    monkeypatch.setitem(TARGETS.data, "made-up", row)


def test_an_export_that_answers_otherwise_is_loud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, "classes", "transformer")
    made_up(monkeypatch, lambda folder, trained: Opened(lambda ids, real: trained.model(ids, real) + 2e-4))
    parity = run.export("made-up", tmp_path / "out", samples=3)
    assert not parity.passed
    assert parity.sentence.startswith("NOT THE SAME MODEL")
    made_up(monkeypatch, lambda folder, trained: Opened(trained.model, strange=("missing: x",)))
    assert not run.export("made-up", tmp_path / "out", samples=3).passed


def test_an_answer_that_is_no_number_is_not_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, "classes", "transformer")
    made_up(monkeypatch, lambda folder, trained: Opened(lambda ids, real: trained.model(ids, real) * float("nan")))
    assert not run.export("made-up", tmp_path / "out", samples=3).passed


def test_an_export_that_breaks_is_not_called_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*given: Any) -> Any:
        raise RuntimeError("a guard failed\nand more")

    run = run_of(tmp_path, "classes", "transformer")
    made_up(monkeypatch, lambda folder, trained: Opened(breaks))
    parity = run.export("made-up", tmp_path / "out", samples=3)
    assert not parity.passed
    broken = "NOT CHECKED: the export was written, but it broke when it was asked (a guard failed); do not use it."
    assert parity.sentence == broken
    made_up(monkeypatch, breaks)  # where it cannot even be opened
    assert run.export("made-up", tmp_path / "again", samples=3).sentence == broken


def test_what_cannot_be_opened_is_not_called_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(folder: Path, trained: Any) -> Opened:
        raise ModuleNotFoundError(name="nowhere")

    made_up(monkeypatch, opened)
    parity = run_of(tmp_path, "classes", "transformer").export("made-up", tmp_path / "out")
    assert not parity.checked
    assert not parity.passed
    assert "nowhere is not installed" in parity.sentence


def test_a_folder_that_is_no_export_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear", encoding="utf-8")
    run = run_of(tmp_path, "answers", "gpt")
    with pytest.raises(InputError, match="is there already, and is no export"):
        run.export("hf", tmp_path / "out")
    with pytest.raises(InputError, match="There is no export called 'h5'"):
        run.export("h5", tmp_path / "new")


def test_an_export_of_another_model_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = run_of(tmp_path, "answers", "gpt"), load(small_run(tmp_path / "other", "answers", "gpt").path)
    other.model.load_state_dict({name: value + 1 for name, value in other.model.state_dict().items()})
    made_up(monkeypatch, lambda folder, trained: Opened(trained.model))
    one.export("made-up", tmp_path / "out", samples=1)
    before = (tmp_path / "out" / REPORT).read_bytes()
    for run, to in ((other, "made-up"), (one, "hf")):
        with pytest.raises(InputError, match="holds an export of another model, or for another tool"):
            run.export(to, tmp_path / "out", samples=1)
    assert (tmp_path / "out" / REPORT).read_bytes() == before
    assert one.export("made-up", tmp_path / "out", samples=1).passed  # the same again is made anew


def test_who_is_stopped_while_it_is_compared_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(folder: Path, trained: Any) -> Opened:
        assert (folder / "a").is_file()  # it is there to be opened, but beside its place
        raise KeyboardInterrupt

    run = run_of(tmp_path, "classes", "transformer")
    made_up(monkeypatch, stops)
    with pytest.raises(KeyboardInterrupt):
        run.export("made-up", tmp_path / "out" / "deep", samples=1)
    assert list((tmp_path / "out").iterdir()) == []


def test_transformers_shows_no_bars_and_no_warnings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = run_of(tmp_path, "classes", "bert")
    run.export("hf", tmp_path / "out", samples=3)
    long = "good " * 99
    from glassformer.exchange.hugging_face import opened_by_transformers
    from glassformer.objectives.objective import Trained

    opened = opened_by_transformers(tmp_path / "out", Trained(run.model, run.card, run.tokens))
    assert opened.cuts is not None
    assert len(opened.cuts(long)) == 99
    said = capfd.readouterr()
    assert said.out + said.err == ""


def test_data_that_are_not_at_hand_are_made_up_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path, "classes", "transformer")
    run.card = replace(run.card, data="nowhere.csv")
    run.folder = None
    made_up(monkeypatch, lambda folder, trained: Opened(trained.model))
    parity = run.export("made-up", tmp_path / "out", samples=7)
    assert parity.passed
    assert parity.from_.startswith("random tokens")


@pytest.mark.parametrize("to", ["hf", "onnx"])
def test_an_encoder_whose_vectors_are_means_goes_out_without_a_pooler(tmp_path: Path, to: str) -> None:
    """transformers then draws one at random, which no row that is compared comes from."""
    folder = foreign_folder(tmp_path, "bert")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "mean"}', encoding="utf-8")
    run = import_model(folder, tmp_path / "run")
    parity = run.export(to, tmp_path / "out", samples=2)
    assert parity.passed, parity
    told = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert ("It has no pooler" in told) == (to == "hf")
