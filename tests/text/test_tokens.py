"""Tokens: ids with a pencil, round trips for any text, and files that cannot harm."""

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from glassformer.errors import InputError
from glassformer.text.token_kinds import KINDS, SPECIAL
from glassformer.text.tokens import Tokens

TEXTS = [
    "The dog barks. The dog's ball is red, isn't it?",
    "The dogs bark (loudly) in 1984!",
    "Don't stop the dog.\nÄpfel und Birnen: 日本 😀",
]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def trained(kind: str, texts: list[str] = TEXTS) -> Tokens:
    return Tokens.train(kind, texts, vocabulary=300, min_frequency=1)


@pytest.fixture(params=KINDS)
def tokens(request: pytest.FixtureRequest) -> Tokens:
    return trained(request.param)


# --- ids ---


def test_characters_are_numbered_by_the_alphabet_after_the_special_tokens() -> None:
    tokens = Tokens.train("character", ["cab", "a cab"])
    assert tokens.encode("a bad cab").ids == (6, 5, 7, 6, 1, 5, 8, 6, 7)  # " abc" are 5 to 8; d is unknown
    assert tokens.strings([5, 6, 7, 8]) == [" ", "a", "b", "c"]
    assert tokens.decode([6, 5, 1]) == "a <unk>"
    assert len(tokens) == 9


def test_words_are_numbered_by_how_often_they_come() -> None:
    tokens = Tokens.train("word", ["no no NO yes", "yes. No?"], vocabulary=8, min_frequency=1)
    assert tokens.strings(range(5, 8)) == ["no", "yes", "."]  # four, two, one; "." before "?"
    assert tokens.encode("Yes, no!").ids == (6, 1, 5, 1)


def test_a_rare_word_is_unknown() -> None:
    assert len(Tokens.train("word", ["so so so it it"])) == 6  # three times or more: only "so"


def test_words_keep_their_apostrophe_and_lose_their_line_breaks() -> None:
    text = "Don't<br /><br/>stop — café's 2nd!!"
    encoded = trained("word", [text]).encode(text)
    words = [text[begin:end] for begin, end in encoded.offsets]
    assert words == ["Don't", "stop", "—", "café's", "2", "nd", "!", "!"]
    assert encoded.words == tuple(range(8))


def test_pieces_that_often_meet_are_merged() -> None:
    tokens = Tokens.train("byte-bpe", ["low lower lowest"], vocabulary=264, min_frequency=2)
    assert tokens.strings(range(261, 264)) == ["lo", "low", " low"]
    assert tokens.strings(tokens.encode("low low").ids) == ["low", " low"]


def test_a_part_of_a_character_shows_as_its_byte() -> None:
    tokens = Tokens.train("byte-bpe", ["abc"], vocabulary=262)
    encoded = tokens.encode("é!")
    assert tokens.strings(encoded.ids) == ["<0xC3>", "<0xA9>", "!"]
    assert encoded.offsets == ((0, 1), (0, 1), (1, 2))
    assert tokens.decode(encoded.ids[:1]) == "\N{REPLACEMENT CHARACTER}"


def test_special_tokens_have_fixed_ids_and_no_text_makes_one(tokens: Tokens) -> None:
    ids = (tokens.pad, tokens.unknown, tokens.start, tokens.end, tokens.mask)
    assert ids == (0, 1, 2, 3, 4)
    assert tuple(tokens.strings(ids)) == SPECIAL
    typed = Tokens.train(tokens.kind, [*SPECIAL, *TEXTS], vocabulary=300, min_frequency=1)
    for each in (tokens, typed):
        for name in SPECIAL:
            assert not {0, 2, 3, 4} & set(each.encode(f"a {name} {name}b").ids)
            assert not {0, 2, 3, 4} & set(each.encode_many([name])[0].tolist())
    assert tokens.decode([2, 0, 3, 4]) == ""


# --- round trips ---


@given(ANY_TEXT)
def test_bytes_bring_every_text_back(text: str) -> None:
    tokens = BYTES
    assert tokens.decode(tokens.encode(text).ids) == text


@given(ANY_TEXT.filter(str.strip))
def test_characters_bring_every_text_back(text: str) -> None:
    tokens = Tokens.train("character", [text])
    encoded = tokens.encode(text)
    assert tokens.decode(encoded.ids) == text
    assert "".join(tokens.strings(encoded.ids)) == text
    assert [text[begin:end] for begin, end in encoded.offsets] == list(text)


@given(ANY_TEXT)
def test_offsets_stay_in_the_text_and_in_order(text: str) -> None:
    for tokens in (BYTES, WORDS, PIECES):
        encoded = tokens.encode(text)
        begins = [begin for begin, _ in encoded.offsets]
        assert begins == sorted(begins)
        assert all(0 <= begin < end <= len(text) for begin, end in encoded.offsets)
        assert len(encoded.ids) == len(encoded.offsets) == len(encoded.words)


@given(st.lists(ANY_TEXT, max_size=7))
def test_many_are_encoded_as_each(texts: list[str]) -> None:
    for tokens in (BYTES, WORDS, PIECES):
        assert [ids.tolist() for ids in tokens.encode_many(texts)] == [list(tokens.encode(text).ids) for text in texts]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_come_back_with_their_spaces(text: str) -> None:
    assert PIECES.decode(PIECES.encode(text).ids) == text


def test_words_come_back_with_sensible_spaces() -> None:
    assert WORDS.decode(WORDS.encode(TEXTS[0]).ids) == "the dog barks. the dog's ball is red, isn't it?"
    assert WORDS.decode(WORDS.encode(TEXTS[1]).ids) == "the dogs bark (loudly) in 1984!"


BYTES, WORDS, PIECES = trained("byte-bpe"), trained("word"), trained("bpe")


# --- the file ---


def test_saved_and_loaded_is_the_same(tokens: Tokens, tmp_path: Path) -> None:
    tokens.save(tmp_path / "one.json")
    loaded = Tokens.load(tmp_path / "one.json")
    loaded.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert loaded == tokens
    assert hash(loaded) == hash(tokens)
    assert loaded.kind == tokens.kind
    assert [loaded.encode(text) for text in [*TEXTS, "<pad>"]] == [tokens.encode(text) for text in [*TEXTS, "<pad>"]]


def test_the_library_alone_reads_the_file(tokens: Tokens, tmp_path: Path) -> None:
    tokens.save(tmp_path / "tokenizer.json")
    library = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for text in TEXTS:
        assert tuple(library.encode(text).ids) == tokens.encode(text).ids
        assert library.decode(library.encode(text).ids) == tokens.decode(tokens.encode(text).ids)


def test_training_is_the_same_in_every_process() -> None:
    program = (
        "from glassformer.text.tokens import Tokens;"
        "texts = [f'the {a} of {b}' for a in 'one two three'.split() for b in 'red blue'.split()];"
        "print([Tokens.train(kind, texts, vocabulary=290, min_frequency=1).identity"
        " for kind in ('character', 'word', 'bpe', 'byte-bpe')])"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1


def test_other_texts_give_other_tokens(tokens: Tokens) -> None:
    assert trained(tokens.kind, ["Quite another text, quite another."]) != tokens


# --- bad input ---


def test_an_unknown_kind_gets_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'character'"):
        Tokens.train("charakter", TEXTS)


@pytest.mark.parametrize("texts", [[], [""], [" \n", "\t"]])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_learn_from(kind: str, texts: list[str]) -> None:
    with pytest.raises(InputError, match="no text to learn tokens from"):
        Tokens.train(kind, texts)


def test_sizes_that_cannot_be() -> None:
    with pytest.raises(InputError, match="from 262 to"):
        Tokens.train("byte-bpe", TEXTS, vocabulary=100)
    with pytest.raises(InputError, match="min_frequency"):
        Tokens.train("word", TEXTS, min_frequency=0)


def test_half_a_character_is_refused(tokens: Tokens) -> None:
    for attempt in (tokens.encode, lambda text: tokens.encode_many([text]), lambda text: trained(tokens.kind, [text])):
        with pytest.raises(InputError, match=r"U\+D83D\) at place 2"):
            attempt("ab\ud83d")


def test_an_id_out_of_range_is_refused(tokens: Tokens) -> None:
    for wrong in (-1, len(tokens)):
        with pytest.raises(InputError, match=f"no token {wrong}"):
            tokens.decode([5, wrong])
        with pytest.raises(InputError, match=f"no token {wrong}"):
            tokens.strings(np.array([wrong]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.clear(), "must hold a model"),
        (lambda file: file["pre_tokenizer"].update(type="Whitespace"), "none of our kinds"),
        (lambda file: file["pre_tokenizer"]["pretokenizers"][1]["pattern"].update(Regex="(a+)+$"), "none of our kinds"),
        (lambda file: file["added_tokens"][0].update(content="the"), "none of our kinds"),
        (lambda file: file["model"].update(vocab=[]), "must give each token a whole number"),
        (lambda file: file["model"]["vocab"].update(the=True), "must give each token a whole number"),
        (lambda file: file["model"]["vocab"].update(the=10**9), "each once"),
        (lambda file: file["model"]["vocab"].update({"<pad>": 1, "<unk>": 0}), "begins with <pad>"),
        (lambda file: file["model"]["vocab"].update({"": len(file["model"]["vocab"])}), "one is empty"),
        (lambda file: file["model"].update(merges=["t h"]), "pairs of tokens"),
        (lambda file: file["model"].update(merges=[["no", "such"]]), "needs both"),
        (lambda file: file["model"].update(merges=[[1, 2]]), "pairs of tokens"),
    ],
)
def test_a_strange_file_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    WORDS.save(tmp_path / "tokenizer.json")
    content = json.loads((tmp_path / "tokenizer.json").read_text())
    change(content)
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        Tokens.load(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 200_000, b'{"model": 5}'])
def test_a_broken_file_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        Tokens.load(tmp_path / "tokenizer.json")
    with pytest.raises(InputError, match="cannot be read"):
        Tokens.load(tmp_path / "missing.json")


def test_a_thousand_damaged_files_are_refused_or_still_tokenise(tmp_path: Path) -> None:
    trained("byte-bpe", ["ab ab ab cd cd"]).save(tmp_path / "good.json")
    good = (tmp_path / "good.json").read_bytes()
    draw, refused = random.Random(7), 0
    for _ in range(1000):
        damaged = bytearray(good)
        for _ in range(draw.randint(1, 3)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        (tmp_path / "bad.json").write_bytes(damaged)
        try:
            Tokens.load(tmp_path / "bad.json").encode("ab cd <pad>")
        except InputError:
            refused += 1
    assert refused > 500
