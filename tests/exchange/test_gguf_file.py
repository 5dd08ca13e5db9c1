"""Language models as GGUF: read back by transformers it is the same; what llama.cpp works otherwise is refused."""

from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
import transformers
from helpers.small_runs import language_run, small_run

from glassformer.errors import InputError
from glassformer.exchange.gguf_file import FILE, gguf_files
from glassformer.objectives.objective import Trained
from glassformer.runs.run import Run, load


def trained(run: Run) -> Trained:
    return Trained(run.model, run.card, run.tokens)


@pytest.mark.slow  # the gate runs it: transformers is loaded
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "settings"),
    [("gpt", {}), ("modern", {}), ("modern", {"query_key_norm": False}), ("modern", {"kv_heads": 1, "heads": 2})],
    ids=["gpt2", "qwen3", "llama", "grouped"],
)
def test_an_export_is_the_same_model(
    tmp_path: Path, model: str, settings: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    run = load(small_run(tmp_path / "run", "answers", model, **settings).path)
    capfd.readouterr()
    parity = run.export("gguf", tmp_path / "out", samples=11)
    assert capfd.readouterr().err == ""
    assert parity.passed, parity
    assert (parity.written, parity.written_alike) == (11, 11)


def test_sizes_and_matrices_stand_where_llama_cpp_looks_for_them(tmp_path: Path) -> None:
    run = load(small_run(tmp_path / "run", "answers", "modern", query_key_norm=False).path)
    config: Any = run.card.settings
    (tmp_path / FILE).write_bytes(gguf_files(trained(run))[FILE])
    reader = gguf.GGUFReader(tmp_path / FILE)
    said = {name: field.contents() for name, field in reader.fields.items()}
    assert said["general.architecture"] == "llama"
    assert (said["llama.block_count"], said["llama.embedding_length"]) == (config.layers, config.width)
    assert (said["llama.attention.head_count"], said["llama.context_length"]) == (config.heads, config.length)
    assert said["tokenizer.ggml.model"] == "none"  # letter by letter is no way to cut that it has
    tensors = {each.name: each.data for each in reader.tensors}
    state = run.model.state_dict()
    assert np.array_equal(tensors["token_embd.weight"], state["embedding.weight"])
    half = config.width // config.heads // 2
    mine = state["blocks.0.attention.layer.query.weight"].numpy()
    assert np.array_equal(tensors["blk.0.attn_q.weight"][:2], mine[[0, half]])  # neighbours there, halves apart here
    assert np.array_equal(tensors["blk.0.ffn_up.weight"].shape, state["blocks.0.feed_forward.layer.gate.weight"].shape)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_byte_level_tokenizer_stands_in_the_file_and_cuts_alike(tmp_path: Path) -> None:
    run = language_run(kind="byte-bpe", activation="swiglu", query_key_norm=False, heads=2)
    (tmp_path / FILE).write_bytes(gguf_files(trained(run))[FILE])
    there = transformers.AutoTokenizer.from_pretrained(tmp_path, gguf_file=FILE, local_files_only=True)
    for text in ("the cat sat on the mat.", "a DOG's café, 1984\n\n  two", "日本 🙂"):
        assert there(text, add_special_tokens=False)["input_ids"] == list(run.tokens.encode(text).ids)


@pytest.mark.parametrize(
    ("objective", "settings", "why"),
    [
        ("answers", {"activation": "squared relu"}, "ApertusForCausalLM with relu2"),
        ("answers", {"activation": "geglu"}, "Qwen3ForCausalLM with gelu"),
        ("answers", {"model": "modern", "rotary_stretch": "linear 2"}, "is stretched"),
        ("pairs", {}, "this is a translator"),
        ("classes", {}, "this is a classifier"),
    ],
)
def test_what_it_cannot_hold_is_refused(tmp_path: Path, objective: str, settings: dict[str, Any], why: str) -> None:
    run = load(small_run(tmp_path / "run", objective, **settings).path)
    with pytest.raises(InputError, match=why):
        gguf_files(trained(run))
