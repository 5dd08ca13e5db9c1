"""Older files of tokens: told as the tokenizer.json they stand for, and refused where they are damaged."""

import itertools
import json
import random
from typing import Any

import pytest
from helpers.foreign_models import END, TEXTS, byte_tokenizer, marked_tokenizer
from helpers.sentence_models import MARIAN, NAMES, SOURCE, TARGET, field, sentence_model

from glassformer.errors import GlassformerError, InputError
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.exchange.vocabularies.older_token_files import (
    as_tokenizer_json,
    content_of,
    merges_of,
    named_specials,
    settings,
)
from glassformer.text.tokens import Tokens


def in_files(tokenizer: Any) -> dict[str, bytes]:
    """As `save_pretrained` wrote it once: the vocabulary by itself, and a merge to a line."""
    model = json.loads(tokenizer.to_str())["model"]
    lines = [" ".join(pair) for pair in model["merges"]]
    return {
        "vocab.json": json.dumps(tokenizer.get_vocab()).encode(),
        "merges.txt": "\n".join(["#version: 0.2", *lines, ""]).encode(),
    }


@pytest.mark.parametrize(("make", "kind"), [(byte_tokenizer, "gpt2"), (marked_tokenizer, "roberta")])
def test_a_vocabulary_with_merges_cuts_as_the_newer_file(make: Any, kind: str) -> None:
    theirs = make()
    said = {"eos_token": END if kind == "gpt2" else "</s>", "unk_token": {"content": "<unk>"}}
    files = {**in_files(theirs), "tokenizer_config.json": json.dumps(said).encode()}
    tokens = foreign_tokens(files, kind, theirs.get_vocab_size())
    assert tokens.kind == "gpt2"
    theirs.encode_special_tokens = True
    for text in TEXTS:
        assert list(tokens.encode(text).ids) == theirs.encode(text).ids
    assert settings(files) == said
    assert named_specials(files) == [content_of(value) for value in said.values()]


def test_tokens_that_were_added_keep_their_ids() -> None:
    theirs = byte_tokenizer()
    size = theirs.get_vocab_size()
    added = {str(size): {"content": "<tool>", "special": False}, str(size + 1): {"content": "<|x|>", "special": True}}
    files = {
        **in_files(theirs),
        "tokenizer_config.json": json.dumps({"eos_token": END, "added_tokens_decoder": added}).encode(),
        "added_tokens.json": json.dumps({"<more>": size + 2}).encode(),
    }
    tokens = foreign_tokens(files, "gpt2", size + 3)
    assert tokens.encode("<tool>").ids == (size,)
    assert not {size + 1, size + 2} & set(tokens.encode("<|x|><more>").ids)
    qwen = foreign_tokens(files, "qwen2", size + 3)
    assert qwen.kind == "qwen"


# --- SentencePiece ------------------------------------------------------------------------------------------------


def best_way(text: str, model: list[tuple[str, float, int]] = SOURCE) -> list[str]:
    """By trying every way to cut each word: the one whose scores have the largest sum. The independent reckoning."""
    scores = {piece: score for piece, score, kind in model if kind == 1}
    found = []
    for word in text.split():
        marked = "▁" + word
        ways = []
        for cuts in itertools.product((False, True), repeat=len(marked) - 1):
            parts = [""]
            for letter, cut in zip(marked, (False, *cuts), strict=True):
                parts = [*parts, letter] if cut else [*parts[:-1], parts[-1] + letter]
            if all(part in scores for part in parts):
                ways.append((sum(scores[part] for part in parts), parts))
        found += max(ways)[1]
    return found


def test_a_marians_pieces_are_those_with_the_best_sum_under_the_ids_of_its_vocabulary() -> None:
    tokens = foreign_tokens(MARIAN, "marian", len(NAMES), start=12, never=(12,))
    assert (tokens.start, tokens.end, tokens.unknown, tokens.specials.never) == (12, 0, 1, (12,))
    for length in range(1, 5):
        for letters in itertools.product("ab ", repeat=length):
            text = "".join(letters)
            ids = [NAMES.index(piece) if piece in NAMES else 1 for piece in best_way(text)]
            assert list(tokens.encode(text).ids) == [*ids, 0]
    again = Tokens.from_bytes(tokens.to_bytes(), "here", tokens.special_bytes())
    assert again == tokens
    assert again.specials == tokens.specials
    assert again.encode("bab").ids == tokens.encode("bab").ids == (1, 0)  # cut by ▁bab, which has no id


def test_what_one_language_does_not_know_may_be_known_to_the_other() -> None:
    tokens = foreign_tokens(MARIAN, "marian", len(NAMES), start=12)
    assert tokens.encode("x").ids == (2, 8, 0)  # unknown to the pieces, but the vocabulary has it
    assert tokens.encode("xx").ids == (2, 1, 0)  # ▁xx is one of the other language's pieces
    assert tokens.encode("</s>", bare=True).ids == (2, 1)
    assert tokens.encode(">>de<< ab", bare=True).ids == (11, *tokens.encode("ab", bare=True).ids)
    assert tokens.reads_only
    assert tokens.decode([6, 4, 10]) == "ab y"


def test_translations_are_cut_by_the_pieces_of_the_other_language() -> None:
    tokens = foreign_tokens({**MARIAN, "target.spm": sentence_model(TARGET)}, "marian", len(NAMES), start=12)
    assert not tokens.reads_only
    for length in range(1, 5):
        for letters in itertools.product("xa ", repeat=length):
            text = "".join(letters)
            ids = [NAMES.index(piece) if piece in NAMES else 1 for piece in best_way(text, TARGET)]
            assert list(tokens.for_targets.encode(text, bare=True).ids) == ids
    assert tokens.for_targets.encode("xy", bare=True).ids == (2, 1)  # ▁ xy, of which xy has no id
    assert tokens.for_targets.decode([9, 10]) == "xx y"
    assert tokens.encode("x").ids == (2, 8, 0)  # texts to be translated as before
    again = Tokens.from_bytes(tokens.to_bytes(), "here", tokens.special_bytes())
    assert again == tokens
    assert again.for_targets == tokens.for_targets
    assert again != foreign_tokens(MARIAN, "marian", len(NAMES), start=12)
    ours = Tokens.train("word", ["a b"], min_frequency=1)
    assert ours.for_targets is ours


PEGASUS = [("<pad>", 0.0, 3), ("</s>", 0.0, 3), ("<unk>", 0.0, 2), *SOURCE[3:], ("<n>", 0.0, 4)]


def test_a_pegasus_has_its_pieces_behind_a_hundred_masks() -> None:
    tokens = foreign_tokens({"spiece.model": sentence_model(PEGASUS)}, "pegasus", 103 + len(PEGASUS))
    assert (tokens.pad, tokens.end, tokens.unknown) == (0, 1, 105)
    names = [piece for piece, _, _ in PEGASUS]
    for length in range(1, 4):
        for letters in itertools.product("ab ", repeat=length):
            text = "".join(letters)
            assert list(tokens.encode(text).ids) == [*(103 + names.index(piece) for piece in best_way(text)), 1]
    assert tokens.encode("x <unk_2>", bare=True).ids == (106, 105, 106, 105)
    assert tokens.encode("ab<n> b", bare=True).ids == (*tokens.encode("ab", bare=True).ids, 113, 106, 108)
    assert not tokens.reads_only


LLAMA = [
    ("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), *((f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)),
    ("▁a", -0.0, 1), ("ab", -1.0, 1), ("▁", -2.0, 1), ("a", -3.0, 1), ("b", -4.0, 1),
]  # fmt: skip


def test_a_llamas_pieces_are_merged_by_their_scores() -> None:
    data = sentence_model(LLAMA, merged=True, tidy=False)
    tokens = foreign_tokens({"tokenizer.model": data}, "llama", len(LLAMA))
    assert tokens.kind == "llama"
    assert tokens.strings(tokens.encode("ab").ids) == ["<s>", " a", "b"]  # ▁a comes before ab
    assert tokens.strings(tokens.encode("bab", bare=True).ids) == [" ", "b", "ab"]
    assert tokens.strings(tokens.encode("é", bare=True).ids) == [" ", "<0xC3>", "<0xA9>"]
    assert merges_of([("ab", -1.0), ("abc", 0.0)], {"a": 0, "b": 1, "c": 2, "ab": 3}) == [("ab", "c"), ("a", "b")]


def said(**settings: Any) -> bytes:
    """A tokenizer_config.json."""
    return json.dumps(settings).encode()


@pytest.mark.parametrize(("asked", "names"), [
    ({}, ["<s>", " a"]), ({"add_bos_token": False}, [" a"]), ({"add_eos_token": True}, ["<s>", " a", "</s>"]),
    ({"add_bos_token": None, "add_eos_token": False}, ["<s>", " a"]),
])  # fmt: skip
def test_what_stands_around_a_llamas_text_is_as_its_settings_say(asked: dict[str, Any], names: list[str]) -> None:
    files = {"tokenizer.model": sentence_model(LLAMA, merged=True, tidy=False), "tokenizer_config.json": said(**asked)}
    tokens = foreign_tokens(files, "llama", len(LLAMA))
    assert tokens.strings(tokens.encode("a").ids) == names


def test_a_vocabulary_with_merges_begins_a_text_where_its_settings_say_so() -> None:
    theirs = byte_tokenizer()
    files, size = in_files(theirs), theirs.get_vocab_size()
    plain = foreign_tokens({**files, "tokenizer_config.json": said(eos_token=END)}, "gpt2", size)
    begun = foreign_tokens(
        {**files, "tokenizer_config.json": said(eos_token=END, bos_token=END, add_bos_token=True)}, "gpt2", size
    )
    assert begun.encode("a cat").ids == (plain.end, *plain.encode("a cat").ids)
    with pytest.raises(InputError, match="does not say which"):
        foreign_tokens({**files, "tokenizer_config.json": said(eos_token=END, add_bos_token=True)}, "gpt2", size)


def test_files_that_are_cut_in_a_way_that_is_not_known_are_refused() -> None:
    lines = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\na"
    for name in ("BertTokenizer", "BertTokenizerFast"):
        assert as_tokenizer_json({"vocab.txt": lines}, "bert", name)
    strange = {"vocab.txt": lines, "tokenizer_config.json": said(tokenizer_class="BertJapaneseTokenizer")}
    for files, cutter in (({"vocab.txt": lines}, "BertJapaneseTokenizer"), (strange, ""), (strange, "BertTokenizer")):
        with pytest.raises(InputError, match="cut by a BertJapaneseTokenizer, which is not known for a bert"):
            as_tokenizer_json(files, "bert", cutter)
    model = sentence_model(LLAMA, merged=True, tidy=False)
    with pytest.raises(InputError, match="puts no space before a text"):
        as_tokenizer_json({"tokenizer.model": model, "tokenizer_config.json": said(add_prefix_space=False)}, "llama")


@pytest.mark.parametrize("files", [
    {"spiece.model": sentence_model(SOURCE)}, {"spiece.model": sentence_model(PEGASUS, merged=True)},
    {"spiece.model": sentence_model(PEGASUS), "tokenizer_config.json": b'{"offset": 0}'},
    {"spiece.model": sentence_model([*PEGASUS, ("<m>", -1.0, 4)])},
])  # fmt: skip
def test_a_pegasus_of_another_kind_is_refused(files: dict[str, bytes]) -> None:
    with pytest.raises(InputError, match=r"none of Pegasus' kind|user's own"):
        as_tokenizer_json(files, "pegasus")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "has no tokenizer.json"),
        ({**MARIAN, "source.spm": sentence_model(SOURCE, merged=True)}, "none of Marian's kind"),
        ({**MARIAN, "source.spm": sentence_model(SOURCE, tidy=False)}, "none of Marian's kind"),
        ({**MARIAN, "source.spm": sentence_model(SOURCE, suffix=1)}, "none of pieces"),
        ({**MARIAN, "source.spm": sentence_model(SOURCE, front=0)}, "treats spaces"),
        ({**MARIAN, "source.spm": sentence_model([*SOURCE, ("z", 0.0, 4)])}, "user's own"),
        ({**MARIAN, "source.spm": sentence_model([*SOURCE, ("z", float("nan"), 1)])}, "the score nan"),
        ({**MARIAN, "source.spm": b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}, "has no end"),
        ({**MARIAN, "source.spm": b"\x0a\x7f"}, "cut off"),
        ({**MARIAN, "source.spm": field(3, 7)}, "a number stands"),
        ({**MARIAN, "source.spm": field(1, field(1, b"a") + field(3, b"x"))}, "a text stands"),
        ({**MARIAN, "source.spm": b""}, "this one has 0"),
        ({**MARIAN, "target.spm": sentence_model(TARGET, merged=True)}, "target.spm is none of Marian's kind"),
        ({**MARIAN, "target.spm": sentence_model([*TARGET, ("x", 0.0, 1)])}, "target.spm has a token twice"),
        ({"spiece.model": sentence_model(SOURCE)}, "has no tokenizer.json"),
        ({**MARIAN, "vocab.json": b'{"a": 0, "b": 7}'}, "ids must be"),
        ({**MARIAN, "vocab.json": b'{"a": "0"}'}, "a whole number"),
        ({**MARIAN, "vocab.json": b'{"a": 0}'}, "must have </s>"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(InputError, match=message):
        foreign_tokens(files, "marian", len(NAMES))


def test_a_vocabulary_of_lines_needs_what_its_tokenizer_names() -> None:
    """A word without a piece must have something to become."""
    lines = b"[PAD\n[UNK]\n[CLS]\n[SEP]\na"
    with pytest.raises(InputError, match=r"no <\|x\|>"):
        as_tokenizer_json({"vocab.txt": lines, "tokenizer_config.json": b'{"unk_token": "<|x|>"}'}, "bert")
    with pytest.raises(InputError, match="a token twice"):
        as_tokenizer_json({"vocab.txt": lines + b"\na"}, "bert")


def test_lines_may_end_as_windows_ends_them() -> None:
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##b"]
    for ending in ("\n", "\r\n"):
        for last in ("", ending):
            vocabulary = as_tokenizer_json({"vocab.txt": (ending.join(names) + last).encode()}, "bert")["model"][
                "vocab"
            ]
            assert list(vocabulary) == names


def test_mutated_files_are_refused_in_words_or_taken() -> None:
    draw, refused = random.Random(5), 0
    for _ in range(300):
        content = bytearray(MARIAN["source.spm"])
        for _ in range(draw.randint(1, 3)):
            content[draw.randrange(len(content))] = draw.randrange(256)
        try:
            foreign_tokens({**MARIAN, "source.spm": bytes(content)}, "marian", len(NAMES)).encode("ab ba xyz")
        except GlassformerError:
            refused += 1  # any other error is a failure
    assert refused > 50


@pytest.mark.processor_seconds(10)
def test_a_piece_that_is_endless_is_refused_before_it_is_split() -> None:
    """Each of its places could be where two pieces meet: a megabyte would be split into a million times a megabyte."""
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("<0x41>", 0.0, 6), ("a" * 1_000_000, -1.0, 1)]
    with pytest.raises(InputError, match="1,000,000 characters; at most 256"):
        as_tokenizer_json({"tokenizer.model": sentence_model(pieces, merged=True, tidy=False)}, "llama")


def test_an_id_of_thousands_of_digits_is_refused() -> None:
    theirs = byte_tokenizer()
    said = {"eos_token": END, "added_tokens_decoder": {"9" * 5_000: {"content": "<tool>"}}}
    files = {**in_files(theirs), "tokenizer_config.json": json.dumps(said).encode()}
    with pytest.raises(InputError, match="by their ids"):
        foreign_tokens(files, "gpt2", theirs.get_vocab_size())
