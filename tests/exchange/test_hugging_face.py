"""What stands in an exported folder, beside the weights: labels, special tokens, how it writes."""

import json
from pathlib import Path

from helpers.small_runs import small_run

from glassformer.exchange.hugging_face import folder_files, layout_of
from glassformer.objectives.objective import Trained
from glassformer.runs.run import load


def trained(root: Path, objective: str, model: str) -> Trained:
    run = load(small_run(root / "run", objective, model).path)
    return Trained(run.model, run.card, run.tokens)


def test_a_classifier_names_its_classes(tmp_path: Path) -> None:
    one = trained(tmp_path, "classes", "bert")
    files = folder_files(one)
    config = json.loads(files["config.json"])
    assert config["id2label"] == {str(i): label for i, label in enumerate(one.card.labels)}
    assert "generation_config.json" not in files
    assert layout_of(one).architecture == "BertForSequenceClassification"


def test_a_translator_says_how_it_begins_and_ends(tmp_path: Path) -> None:
    files = folder_files(trained(tmp_path, "pairs", "translator"))
    writes = json.loads(files["generation_config.json"])
    assert (writes["decoder_start_token_id"], writes["eos_token_id"], writes["pad_token_id"]) == (2, 3, 0)
    assert writes["forced_eos_token_id"] is None  # else Pegasus ends with the unknown token
    named = json.loads(files["tokenizer_config.json"])
    assert (named["bos_token"], named["eos_token"], named["unk_token"]) == ("<s>", "</s>", "<unk>")


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    one = trained(tmp_path, "answers", "gpt")
    assert folder_files(one) == folder_files(one)
    assert b"GPT2LMHeadModel" in folder_files(one)["README.md"]
