"""Twins: swapped, replaced, negated; and what two texts differ in."""

import pytest

from glassformer.errors import InputError
from glassformer.inside.why.twins import changed_words, negated, replaced, swapped


def test_two_words_trade_places() -> None:
    assert swapped("this film is not good but dull", "dull", "good") == "this film is not dull but good"
    assert swapped("Good, not dull", "good", "dull") == "dull, not Good"


def test_a_word_is_replaced_whole() -> None:
    assert replaced("not nothing, not", "not", "so") == "so nothing, not"


@pytest.mark.parametrize(
    ("text", "twin"),
    [
        ("the film was good", "the film was not good"),
        ("the film was not good", "the film was good"),
        ("it isn't bad", "it is bad"),
        ("I never liked it", "I liked it"),
        ("I DIDN'T", "I DID"),
        ("do n't waste your money", "do waste your money"),
        ("You can't miss it", "You can miss it"),
        ("Won’t it end?", "Will it end?"),
        ("This is nothing", "This is not nothing"),
    ],
)
def test_what_is_said_is_denied(text: str, twin: str) -> None:
    assert negated(text) == twin


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(InputError, match="no word 'god'; did you mean 'good'"):
        swapped("a good film", "god", "film")
    with pytest.raises(InputError, match="name two that can trade places"):
        swapped("a good film", "good", "Good")
    with pytest.raises(InputError, match="type the twin"):
        negated("a good film")


def test_what_differs() -> None:
    assert changed_words("a good film", "a dull film") == [("good", "dull")]
    assert changed_words("good , not dull", "dull , not good") == [("good", "dull"), ("dull", "good")]
    assert changed_words("it was good", "it was not good") == [("", "not")]
    assert changed_words("it was not good", "it was good") == [("not", "")]
    assert changed_words("a b", "a b") == []


@pytest.mark.parametrize(
    ("text", "twin", "changes"),
    [
        ("must die:\nThe queen", "must die:The king", [("a line break", ""), ("queen", "king")]),
        ("must die:\nThe queen", "must die: The king", [("a line break", "a space"), ("queen", "king")]),
        ("must die:\r\nThe queen", "must die:\nThe king", [("queen", "king")]),
        ("a\n\nb", "a\nb", [("2 line breaks", "a line break")]),
        ("a\nb c d", "a b c not d", [("a line break", "a space"), ("", "not")]),
        ("a\nnot b", "a\nb", [("not", "")]),  # it went with the space behind it
        ("a not\nb", "a\nb", [("not", "")]),
        ("a not b", "a\nb", [("not", ""), ("a space", "a line break")]),
        ("a b", "a  b ", [("a space", "a wide space"), ("", "a space")]),
    ],
)
def test_a_lost_line_break_is_named_beside_the_words(text: str, twin: str, changes: list[tuple[str, str]]) -> None:
    assert changed_words(text, twin) == changes
