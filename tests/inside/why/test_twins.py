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
