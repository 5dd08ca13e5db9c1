"""The text pipeline: every step by hand, every kind of token, and a vocabulary counted as one would with a pencil."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassformer.errors import InputError
from glassformer.text.pipeline import count_vocabulary, pipeline
from glassformer.text.tokens import KINDS, PAD, START, UNKNOWN, Ids, Tokens

NOTES = ["We are learning AI", "AI is a CS topic"]


def test_the_two_sentences_of_the_lecture_become_a_batch() -> None:
    tokens = Tokens.train("word", NOTES, min_frequency=1)
    way = pipeline(tokens, NOTES, longest=500)
    assert [each.standardised for each in way.texts] == ["we are learning ai", "ai is a cs topic"]
    assert way.texts[1].tokens == ("ai", "is", "a", "cs", "topic")
    ai = way.texts[1].ids[0]
    assert way.texts[0].ids[3] == ai == 5  # the only word that stands there twice, right behind the special ones
    assert way.ids.tolist() == [[*way.texts[0].ids, PAD], [*way.texts[1].ids]]
    assert way.real.tolist() == [[True] * 4 + [False], [True] * 5]
    assert (way.kind, way.vocabulary, way.rows) == ("word", 13, None)
    json.dumps(way.to_dict(), allow_nan=False)


def test_an_unknown_word_keeps_its_face_and_a_long_text_is_cut() -> None:
    tokens = Tokens.train("word", NOTES, min_frequency=1)
    way = pipeline(tokens, ["AI is<br />Not a TOPIC, is it?"], longest=5)
    (steps,) = way.texts
    assert steps.standardised == "ai is not a topic , is it ?"
    assert steps.tokens == ("ai", "is", "not", "a", "topic")
    assert steps.ids[2] == UNKNOWN
    assert steps.unknown == ("not",)
    assert steps.lost == 4
    assert way.ids.shape == (1, 5)


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(min_size=1).filter(lambda text: text.strip() and "\x00" not in text))
def test_every_step_speaks_of_the_same_tokens(kind: str, text: str) -> None:
    tokens = Tokens.train(kind, [*NOTES, "Größe ☃ 13"], vocabulary=300, min_frequency=1)
    if not tokens.encode(text).ids:
        with pytest.raises(InputError, match="no tokens"):
            pipeline(tokens, [text], longest=997)
        return
    (steps,) = pipeline(tokens, [text], longest=997).texts
    assert steps.ids == tokens.encode(text).ids[:997]
    assert len(steps.tokens) == len(steps.ids)
    known = [(name, each) for name, each in zip(steps.tokens, steps.ids, strict=True) if each != UNKNOWN]
    assert [name for name, _ in known] == tokens.strings([each for _, each in known])
    if kind == "word":
        assert " ".join(steps.tokens) == steps.standardised
    else:
        assert steps.standardised == text


def test_a_prompt_may_put_marks_behind_a_text() -> None:
    tokens = Tokens.train("word", NOTES, min_frequency=1)

    def marked(tokens: Tokens, text: str) -> Ids:
        return np.array([*tokens.encode(text).ids, START])

    (steps,) = pipeline(tokens, ["ai never"], longest=500, prompt=marked).texts
    assert steps.tokens == ("ai", "never", "<s>")
    assert steps.ids == (5, UNKNOWN, START)


def test_nothing_is_not_a_text() -> None:
    tokens = Tokens.train("word", NOTES, min_frequency=1)
    with pytest.raises(InputError, match="Text 2 of 2 is empty"):
        pipeline(tokens, ["ai", " \n"], longest=500)
    with pytest.raises(InputError, match=r"write \['ai'\]"):
        pipeline(tokens, "ai", longest=500)  # type: ignore[arg-type]


# --- a vocabulary ---


def test_a_vocabulary_is_counted_as_with_a_pencil() -> None:
    tokens = Tokens.train("word", ["a a a b b c"], min_frequency=2)  # a and b
    counts = count_vocabulary(tokens, ["a b c a", "a d"], most=1)
    assert [(each.token, each.id, each.count) for each in counts.most] == [("a", 5, 3)]
    assert (counts.size, counts.running, counts.seen, counts.unknown) == (7, 6, 2, 2)
    assert counts.coverage == pytest.approx(4 / 6)
    assert counts.covered == pytest.approx({2: 4 / 6})


def test_counts_are_those_of_a_counter() -> None:
    draw = np.random.default_rng(3)
    texts = [" ".join(f"w{n}x" for n in draw.zipf(1.5, size=int(draw.integers(1, 30))) % 97) for _ in range(1013)]
    words = Counter(piece for text in texts for piece in text.replace("w", " w ").replace("x", " x ").split())
    tokens = Tokens.train("word", texts, min_frequency=1)
    counts = count_vocabulary(tokens, iter(texts), most=1000)
    assert {each.token: each.count for each in counts.most} == dict(words)
    assert counts.running == words.total()
    ten = sum(count for _, count in words.most_common(10))
    assert counts.covered[10] == pytest.approx(ten / words.total())
    assert counts.coverage == 1.0


def test_at_least_one_token_is_shown() -> None:
    with pytest.raises(InputError, match="At least 1"):
        count_vocabulary(Tokens.train("word", NOTES, min_frequency=1), NOTES, most=0)
