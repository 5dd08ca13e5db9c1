"""Ids told as text: the parts join to what decoding all at once gives, and stop where they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.objectives.writing import Telling
from glassformer.text.tokens import KINDS, SPECIAL, Tokens

TEXT = "the cat (and dog) sat, on the Straße: naïve 東京 cats! 12 % of it. " * 3
TOKENS = {kind: Tokens.train(kind, [TEXT], min_frequency=1) for kind in KINDS}


def told(telling: Telling, ids: list[int]) -> list[str]:
    parts = []
    for each in ids:
        parts.append(telling.add(each))
        if telling.stopped:
            return parts
    return [*parts, telling.end()]


@given(kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_the_parts_join_to_the_text(kind: str, data: st.DataObject) -> None:
    tokens = TOKENS[kind]
    some = st.lists(st.integers(len(SPECIAL), len(tokens) - 1), max_size=40)
    base, ids = data.draw(some), data.draw(some)
    telling = Telling(tokens, base)
    whole = tokens.decode([*base, *ids])[len(tokens.decode(base)) :]
    assert "".join(told(telling, ids)) == whole == telling.text


@given(kind=st.sampled_from(sorted(KINDS)), data=st.data())
def test_it_stops_before_the_first_stop(kind: str, data: st.DataObject) -> None:
    tokens = TOKENS[kind]
    ids = data.draw(st.lists(st.integers(len(SPECIAL), len(tokens) - 1), min_size=1, max_size=30))
    text = tokens.decode(ids)
    stops = data.draw(st.lists(st.sampled_from(["t", "at", "the", " c", ", o", "zz", "東"]), min_size=1, max_size=3))
    places = [place for place in map(text.find, stops) if place >= 0]
    telling = Telling(tokens, (), stops)
    parts = told(telling, ids)
    assert "".join(parts) == telling.text == text[: min(places, default=len(text))]
    assert telling.stopped == bool(places)


def test_half_a_character_and_half_a_stop_wait() -> None:
    tokens = Tokens.train("byte-bpe", ["a b c"], min_frequency=1, vocabulary=262)
    ids = list(tokens.encode("é!").ids)
    assert told(Telling(tokens), ids) == ["", "é", "!", ""]
    telling = Telling(TOKENS["character"], (), ["sat"])
    letters = list(TOKENS["character"].encode("a sa").ids)
    assert told(telling, letters) == ["a", " ", "", "", "sa"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_long_text_is_not_decoded_anew(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = TOKENS[kind]
    lengths: list[int] = []
    decode = Tokens.decode
    monkeypatch.setattr(Tokens, "decode", lambda self, ids: (lengths.append(len(ids)), decode(self, ids))[1])
    telling = Telling(tokens)
    for each in list(tokens.encode(TEXT).ids) * 3:
        telling.add(each)
    assert max(lengths) <= 12  # eight, and the bytes of one character
