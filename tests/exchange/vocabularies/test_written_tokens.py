"""The files of tokens in an export, and what cuts by them there: of one language, and of two."""

import json
from pathlib import Path

from helpers.sentence_models import BOTH, NAMES

from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.exchange.vocabularies.written_tokens import SETTINGS, cutter_of, token_files
from glassformer.text.tokens import Tokens


def written(folder: Path, tokens: Tokens) -> list[str]:
    files = token_files(tokens, 61)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return sorted(files)


def test_one_language_is_one_file(tmp_path: Path) -> None:
    tokens = Tokens.train("byte-bpe", ["ab ab ab cd cd"], min_frequency=1)
    assert written(tmp_path, tokens) == ["tokenizer.json"]
    assert cutter_of(tmp_path)("ab cd é") == list(tokens.encode("ab cd é").ids)


def test_two_languages_are_a_marians_files(tmp_path: Path) -> None:
    tokens = foreign_tokens(BOTH, "marian", len(NAMES), start=12)
    assert written(tmp_path, tokens) == ["source.spm", "target.spm", SETTINGS, "vocab.json"]
    assert json.loads((tmp_path / SETTINGS).read_text(encoding="utf-8"))["model_max_length"] == 61
    for text in ("ab ba", ">>de<< bab x", "", "a" * 99):
        assert cutter_of(tmp_path)(text) == list(tokens.encode(text).ids)
