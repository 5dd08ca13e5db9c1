"""Whole words: tokens find their word, a text without a word is the text without it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.inside.why.whole_words import Word, readable, visible, without, words_of, written_words
from glassformer.text.tokens import Tokens

TEXTS = ["the film wasn't good , at all .", "ab ba abba"]
TOKENS = {kind: Tokens.train(kind, TEXTS * 3, min_frequency=1) for kind in ("character", "word", "bpe", "byte-bpe")}


def words(kind: str, text: str) -> list[Word]:
    return words_of(text, TOKENS[kind].encode(text).offsets)


@pytest.mark.parametrize("kind", list(TOKENS))
def test_words_are_whole_whatever_the_tokens(kind: str) -> None:
    text = "the film wasn't good, at all."
    found = words(kind, text)
    assert [word.text for word in found] == ["the", "film", "wasn't", "good", ",", "at", "all", "."]
    places = [place for word in found for place in word.places]
    assert places == list(range(len(TOKENS[kind].encode(text).ids)))


def test_space_is_made_visible() -> None:
    assert visible(" den\n") == "␣den↵"
    assert (readable(" den"), readable(" ")) == ("den", "␣")


def test_what_cannot_be_seen_has_a_name_and_a_picture_of_several_signs_is_one_word() -> None:
    assert visible("a\u200db") == "aU+200Db"
    assert (readable(" \u200d"), readable("\ufe0f")) == ("U+200D", "U+FE0F")
    family, heart = "👨\u200d👩\u200d👧", "❤\ufe0f"
    assert [word.text for word in words("byte-bpe", f"{family} ab {heart}!")] == [family, "ab", heart, "!"]


def test_a_word_takes_the_space_before_it_along() -> None:
    text = "ab  ba\tabba "
    first, second, third, last = words("character", text)
    assert (second.begin, second.end, second.places) == (2, 6, (2, 3, 4, 5))
    assert [without(text, word) for word in (first, second, third)] == ["ba\tabba ", "ab\tabba ", "ab  ba "]
    assert last.text == "␣"


def test_words_that_share_a_token_are_one() -> None:
    found = words_of("ab ba", [(0, 1), (1, 4), (4, 5)], first=3)
    assert [(word.text, word.places) for word in found] == [("ab ba", (3, 4, 5))]


def test_a_mark_belongs_to_no_word() -> None:
    assert [word.places for word in words_of("ab ba", [(0, 0), (0, 2), (3, 5), (0, 0)])] == [(1,), (2,)]


@given(st.text(st.sampled_from("ab ,.'\n7é"), min_size=1, max_size=30))
def test_no_token_is_lost_and_none_is_in_two_words(text: str) -> None:
    encoded = TOKENS["byte-bpe"].encode(text)
    places = [place for word in words_of(text, encoded.offsets) for place in word.places]
    assert places == list(range(len(encoded.ids)))


def test_what_was_written_is_words_too() -> None:
    tokens = TOKENS["bpe"]
    ids = tokens.encode("good film", bare=True).ids
    found = written_words(tokens, ids, 5)
    assert [word.text for word in found] == ["good", "film"]
    assert [place for word in found for place in word.places] == list(range(5, 5 + len(ids)))
    assert all(word.written for word in found)


def test_tokens_that_do_not_come_back_stand_each_for_itself() -> None:
    tokens = TOKENS["word"]
    ids = [tokens.encode("film").ids[0], tokens.end]
    assert [(word.text, word.places) for word in written_words(tokens, ids, 0)] == [("film", (0,)), ("</s>", (1,))]


def test_space_can_be_seen() -> None:
    assert [readable(text) for text in (" a", " ", "\n\t")] == ["a", "␣", "↵⇥"]
