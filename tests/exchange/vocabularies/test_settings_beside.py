"""Settings beside a tokenizer.json: where they speak they bend it, and what their silence means otherwise is told."""

import json
from typing import Any

import pytest
from tokenizers import Tokenizer
from transformers import AutoTokenizer, BertConfig

from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens, unlike_tokens
from glassformer.exchange.vocabularies.settings_beside import bent, unspoken

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "A", "é", "É", "e", "日", "日本"]
TEXTS = ("a A", "é É e", "日本 日")


def content(**normalizer: Any) -> dict[str, Any]:
    """A BERT's tokenizer.json."""
    special = [
        {"id": i, "content": name, "special": True, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False} for i, name in enumerate(NAMES[:5])
    ]  # fmt: skip
    usual = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", **usual, **normalizer},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {name: i for i, name in enumerate(NAMES)}},
    }  # fmt: skip


def files(said: dict[str, Any] | None, **normalizer: Any) -> dict[str, bytes]:
    """The folder's."""
    found = {"tokenizer.json": json.dumps(content(**normalizer)).encode()}
    return found if said is None else found | {"tokenizer_config.json": json.dumps(said).encode()}


@pytest.mark.parametrize("there", [{}, {"lowercase": False}, {"strip_accents": False, "handle_chinese_chars": False}])
@pytest.mark.parametrize("said", [
    {"do_lower_case": False}, {"do_lower_case": True, "strip_accents": False, "tokenize_chinese_chars": True},
    {"do_lower_case": True, "strip_accents": True, "tokenize_chinese_chars": False},
    {"do_lower_case": False, "tokenizer_class": "BertTokenizer"}, {}, None,
    {"do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True},
    {"do_lower_case": False, "tokenizer_class": "DistilBertTokenizer"},
    {"do_lower_case": False, "tokenizer_class": "PreTrainedTokenizerFast"},
])  # fmt: skip
def test_texts_are_cut_as_transformers_cuts_them_or_it_is_told(tmp_path: Any, said: Any, there: Any) -> None:
    given = files(said, **there)
    for name, data in given.items():
        (tmp_path / name).write_bytes(data)
    BertConfig().save_pretrained(tmp_path)
    theirs, ours = AutoTokenizer.from_pretrained(tmp_path), foreign_tokens(given, "bert", len(NAMES))
    alike = all(theirs(text)["input_ids"] == list(ours.encode(text).ids) for text in TEXTS)
    assert alike or unlike_tokens(given, "bert")
    if not alike:
        spoken = [*(said or {})]
        assert not any(f"`{name}`" in unlike_tokens(given, "bert") for name in spoken)


def test_what_is_not_said_leaves_the_file_as_it_is() -> None:
    given = files({}, lowercase=False)
    raw = Tokenizer.from_str(given["tokenizer.json"].decode())
    ours = foreign_tokens(given, "bert", len(NAMES))
    assert all(raw.encode(text).ids == list(ours.encode(text).ids) for text in TEXTS)
    assert unlike_tokens(given, "bert") == (
        "transformers cuts texts otherwise: tokenizer.json has false for `do_lower_case`, of which "
        "tokenizer_config.json says nothing, and there that means true. Here they are cut as tokenizer.json says."
    )
    assert unlike_tokens(given, "distilbert") == unlike_tokens({}, "bert") == unlike_tokens(files({}), "bert") == ""


def test_a_blank_before_texts_in_bytes() -> None:
    whole = {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}
    spoken = {"tokenizer_config.json": b'{"add_prefix_space": false}'}
    assert bent(whole, spoken, "gpt2")["pre_tokenizer"]["add_prefix_space"] is False
    assert bent(whole, spoken, "llama") == bent(whole, {}, "gpt2") == whole
    assert "`add_prefix_space`" in unspoken(whole, {}, "roberta")
    assert unspoken(whole, spoken, "roberta") == unspoken(whole, {}, "qwen2") == ""
    assert "`add_prefix_space`" in unspoken(whole, {}, "qwen2", "GPT2TokenizerFast")
