"""Folders of Hugging Face: opened through transformers without running anything of theirs, and looked at."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.hugging_folders import hugging_folder

from glassformer.errors import InputError
from glassformer.inside.hugging_face import HuggingFaceModel, is_hugging_face, outputs_worth_showing
from glassformer.inside.shown import Shown

TEXT = "The cat sat on the mat"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("hugging")
    return {name: hugging_folder(root / name, name) for name in ("gpt2", "judge", "t5", "mamba")}


def test_a_language_model_is_read_and_goes_on(folders: dict[str, Path]) -> None:
    opened = HuggingFaceModel.open(f"hf:{folders['gpt2']}")
    look = opened.look(TEXT, longest=0)
    assert look.texts.own == ("The", " cat", " sat", " on", " the", " mat")
    assert look.about.startswith("2 attentions, all seen; GPT2LMHeadModel")
    assert look.answer is not None
    ids = torch.tensor([opened.tokenizer(TEXT)["input_ids"]])
    assert look.answer["steps"][-1]["items"][0]["id"] == int(opened.model(ids).logits[0, -1].argmax())
    on = opened.look(TEXT, longest=3)
    assert len(on.texts.own) == 9
    assert on.answer is not None
    assert on.answer["read"] == 6
    assert "goes on with" in on.words
    assert opened.look(TEXT, like=on).written == on.written


def test_a_change_changes_the_answer(folders: dict[str, Path]) -> None:
    opened = HuggingFaceModel.open(folders["gpt2"])
    before = opened.look(TEXT, longest=0)
    after = opened.look(TEXT, longest=0, write={"transformer.h.0.attn.mixed": torch.zeros_like})
    assert not np.allclose(before.trace["logits"], after.trace["logits"], atol=1e-4)


def test_a_judge_gives_classes_and_a_translator_writes_beside(folders: dict[str, Path]) -> None:
    look = HuggingFaceModel.open(folders["judge"]).look(TEXT)
    assert {item["name"] for item in (look.answer or {})["items"]} == {"sour", "sweet"}
    opened = HuggingFaceModel.open(folders["t5"])
    look = opened.look(TEXT, longest=4)
    assert look.texts.context == ("The", " cat", " sat", " on", " the", " mat")
    assert "decoder.block.0.layer.1.EncDecAttention.weights" in look.trace
    led = opened.look(TEXT, target=" the log")
    assert led.texts.own[-1] == " log"


def test_a_model_without_attention_shows_its_layers(folders: dict[str, Path]) -> None:
    look = HuggingFaceModel.open(folders["mamba"]).look(TEXT, longest=0)
    assert "No attention was seen" in look.about
    assert "backbone.layers.1.module_output" in look.trace
    assert look.answer is not None


def test_what_goes_from_layer_to_layer() -> None:
    model = torch.nn.Module()
    model.layers = torch.nn.ModuleList([torch.nn.Sequential(torch.nn.Linear(2, 2))])
    assert outputs_worth_showing(model) == ["layers.0.0.module_output", "layers.0.module_output"]
    assert is_hugging_face("hf:x")
    assert not is_hugging_face(Path("x"))


# --- refused ------------------------------------------------------------------------------------------------------


def test_what_lacks_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no folder"):
        HuggingFaceModel.open(f"hf:{tmp_path / 'nowhere'}")
    with pytest.raises(InputError, match=r"has no config\.json"):
        HuggingFaceModel.open(tmp_path)
    folder = hugging_folder(tmp_path / "whole")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    with pytest.raises(InputError, match="has no tokenizer"):
        HuggingFaceModel.open(folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"pytorch_model\.bin is a pickle, which may run code"):
        HuggingFaceModel.open(folder)


def test_whatever_a_damaged_folder_makes_transformers_raise_is_told_in_words(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "damaged")
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(b"123")
    with pytest.raises(InputError, match=r"transformers cannot open .*header too small"):
        HuggingFaceModel.open(folder)
    (folder / "model.safetensors").write_bytes(whole)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"n_head": 0}))  # a division by nothing
    with pytest.raises(InputError, match="transformers cannot open"):
        HuggingFaceModel.open(folder)


def test_no_code_of_the_folder_is_run(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    (folder / "mine.py").write_text("raise SystemExit('it ran')")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "never-heard-of", "auto_map": {"AutoConfig": "mine.C", "AutoModel": "mine.M"}}
    config["architectures"] = ["Mine"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="transformers cannot open"):
        HuggingFaceModel.open(folder)


def test_weights_that_would_be_random_are_refused(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config["n_layer"] = 3
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match=r"lacks 12 weights of a GPT2LMHeadModel.*they would be random"):
        HuggingFaceModel.open(folder)


def test_an_index_may_name_no_pickle_and_no_kernels_from_elsewhere_are_run(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    nested = config | {"text_config": {"_attn_implementation": {"": "somebody/kernels"}}}
    (folder / "config.json").write_text(json.dumps(nested))
    with pytest.raises(InputError, match="asks for 'somebody/kernels': code from elsewhere, which is not run"):
        HuggingFaceModel.open(folder)
    (folder / "config.json").write_text(json.dumps(config))
    index = folder / "model.safetensors.index.json"
    for file in ("mine.bin", "../model.safetensors", "/model.safetensors"):
        index.write_text(json.dumps({"weight_map": {"wte.weight": file}}))
        with pytest.raises(InputError, match="which is no file of safetensors in this folder"):
            HuggingFaceModel.open(folder)
    for odd in ("[]", "{", '{"weight_map": 5}'):
        index.write_text(odd)
        with pytest.raises(InputError, match="it must say in which file each weight stands"):
            HuggingFaceModel.open(folder)


def test_weights_of_other_sizes_are_told_as_such(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"vocab_size": 100}))
    with pytest.raises(InputError, match=r"its weights have other sizes than its config\.json says"):
        HuggingFaceModel.open(folder)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("picture", "ViTForImageClassification, which reads pixel_values, and no text"),
        ("rows", r"A T5Model has no head to write with; .*--target"),
        ("choices", "BertForMultipleChoice of .* cannot run on one text: "),
    ],
)
def test_models_that_do_not_go_from_a_text_to_an_answer(name: str, why: str, tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / name, name)
    with pytest.raises(InputError, match=why):
        HuggingFaceModel.open(folder).look(TEXT)
    if name == "rows":
        assert "all seen" in HuggingFaceModel.open(folder).look(TEXT, target=" the log").about


def test_one_number_is_no_share_of_one(tmp_path: Path) -> None:
    look = HuggingFaceModel.open(hugging_folder(tmp_path / "stars", "stars")).look(TEXT)
    assert look.words.startswith("gives LABEL_0 ")
    assert look.words.endswith(" (no probabilities)")
    assert look.answer is None


def test_what_of_a_folder_is_not_used_is_told(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    (folder / "mine.py").write_text("raise SystemExit('it ran')")
    config = json.loads((folder / "config.json").read_text())
    config |= {"n_layer": 1, "auto_map": {"AutoConfig": "mine.C", "AutoModelForCausalLM": "mine.M"}}
    (folder / "config.json").write_text(json.dumps(config))
    about = HuggingFaceModel.open(folder).look(TEXT, longest=0).about
    assert " weights of the folder not used by it, such as transformer.h.1." in about
    assert "code of the folder's own not run" in about


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    opened = HuggingFaceModel.open(folder)
    opened.model.resize_token_embeddings(100)
    with pytest.raises(InputError, match=r"gives token \d+, and its model knows 100 only"):
        opened.look(TEXT, longest=0)


def test_weights_that_are_no_numbers_are_told(tmp_path: Path) -> None:
    for name in ("gpt2", "judge"):
        opened = HuggingFaceModel.open(hugging_folder(tmp_path / name, name))
        next(opened.model.parameters()).data.fill_(float("nan"))
        look = opened.look(TEXT, longest=3)
        assert "NaN" in look.words
        assert "NaN" in look.about
        assert look.answer is None
        assert Shown(look).save(tmp_path / f"{name}.html").bytes


def test_without_transformers_it_says_what_to_install(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InputError, match=r"pip install 'glassformer\[exchange\]'"):
        HuggingFaceModel.open(folders["gpt2"])


def test_texts_that_cannot_be_looked_at(folders: dict[str, Path]) -> None:
    opened = HuggingFaceModel.open(folders["gpt2"])
    with pytest.raises(InputError, match="There is no text yet"):
        opened.look("  ")
    with pytest.raises(InputError, match="can be looked at with 40 at most"):
        opened.look(TEXT * 20)
    with pytest.raises(InputError, match="takes a target"):
        opened.look(TEXT, target="x")


def test_who_is_not_told_how_to_begin_says_so(folders: dict[str, Path]) -> None:
    opened = HuggingFaceModel.open(folders["t5"])
    for config in (opened.model.config, opened.model.generation_config):
        config.decoder_start_token_id = config.bos_token_id = None
    with pytest.raises(InputError, match=r"cannot write with .*decoder_start_token_id.*--target"):
        opened.look(TEXT, longest=4)
    assert opened.look(TEXT, target=" the log").texts.own[-1] == " log"


def test_only_an_index_of_weights_is_looked_at_whatever_its_name(tmp_path: Path) -> None:
    folder = hugging_folder(tmp_path / "own")
    (folder / "docs.index.json").write_text("[]")
    HuggingFaceModel.open(folder)
    (folder / "other.safetensors.index.json").write_text(json.dumps({"weight_map": {"wte.weight": "mine.bin"}}))
    with pytest.raises(InputError, match=r"names 'mine\.bin', which is no file of safetensors"):
        HuggingFaceModel.open(folder)
