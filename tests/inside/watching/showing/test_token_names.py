"""Ids as text, by tokenizers of two libraries."""

import pytest
from helpers.hugging_folders import tokenizer
from tokenizers import Tokenizer, models

from glassformer.errors import InputError
from glassformer.inside.watching.showing.token_names import TokenNames


@pytest.mark.parametrize("which", ["transformers", "tokenizers"])
def test_tokens_are_text_and_not_how_they_are_kept(which: str) -> None:
    made = tokenizer()
    ids = made("The cat sat")["input_ids"]
    assert made.convert_ids_to_tokens(ids) == ["The", "Ġcat", "Ġsat"]
    names = TokenNames(made if which == "transformers" else made.backend_tokenizer)
    assert names(ids) == ["The", " cat", " sat"]
    assert names([0]) == ["<s>"]
    assert names([99_999]) == ["99999"]  # no token at all


def test_part_of_a_sign_is_shown_as_it_is_kept() -> None:
    made = tokenizer()
    ids = made("€")["input_ids"]
    assert len(ids) == 3
    assert TokenNames(made)(ids) == made.convert_ids_to_tokens(ids)


def test_a_space_as_sentencepiece_writes_it() -> None:
    made = Tokenizer(models.WordLevel({"▁mat": 0, "s": 1}, unk_token="s"))
    assert TokenNames(made)([0, 1]) == [" mat", "s"]


def test_anything_else_is_refused() -> None:
    with pytest.raises(InputError, match="this is a list"):
        TokenNames([])
