"""Kinds of tokens: each is put together from parts of ours, with special tokens that no text can make."""

import pytest

from glassformer.errors import InputError
from glassformer.text.token_kinds import KINDS, OTHER_KINDS, Specials, assemble
from glassformer.text.tokens import Tokens

NAMES = ["<e>", "<u>", "<b>"]
THEIRS = Specials(tuple(NAMES), 0, 2, 0, 1, None, (2,), (0,))


@pytest.mark.parametrize("name", OTHER_KINDS)
def test_what_stands_around_a_text_and_what_does_not(name: str) -> None:
    tokenizer = assemble(OTHER_KINDS[name], NAMES, [], THEIRS)
    assert tokenizer.encode("").ids == [2, 0]
    assert tokenizer.encode("", add_special_tokens=False).ids == []
    assert 2 not in tokenizer.encode("<b>", add_special_tokens=False).ids


def test_a_kind_of_theirs_needs_special_tokens_of_theirs() -> None:
    with pytest.raises(InputError, match="tokens of the kind gpt2"):
        Tokens("gpt2", ["<pad>", "<unk>", "<s>", "</s>", "<mask>"])
    with pytest.raises(InputError, match="tokens of the kind word"):
        Tokens("word", NAMES, [], THEIRS)
    with pytest.raises(InputError, match="come from another tool"):
        Tokens.train("gpt2", ["a text"])
    assert not KINDS.keys() & OTHER_KINDS.keys()


@pytest.mark.parametrize(
    ("specials", "message"),
    [
        (Specials(("<e>", "<x>"), 0, 0, 0), "'<x>' is not in the vocabulary"),
        (Specials(("<e>",), 0, 0, 2), "the id 2 is that of no special token"),
        (Specials(("<e>",), 0, 0, 9), "the id 9 is that of no special token"),
        (Specials(("<e>",), 0, True, 0), "the id True is that of no special token"),
    ],
)
def test_special_tokens_must_be_there(specials: Specials, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Tokens("gpt2", NAMES, [], specials)
