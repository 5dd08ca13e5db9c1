"""Words of lectures for examples: however a name is spelled, and what a thing is called there."""

import pytest

import glassformer as gf
from glassformer.by_hand.worksheets.topics import TOPICS, meant, named, plain
from glassformer.by_hand.worksheets.worksheet import example_names
from glassformer.errors import InputError


@pytest.mark.parametrize("words", ["I love AI", "i_love_ai", "I-LOVE-AI"])
def test_a_name_may_be_spelled_in_any_way(words: str) -> None:
    assert plain(words) == "iloveai"
    assert named(words, example_names()) == "i-love-ai"
    assert gf.explain(words).name == "i-love-ai"


def test_every_topic_names_an_example_and_is_none_itself() -> None:
    assert set(TOPICS.values()) <= set(example_names())
    assert not TOPICS.keys() & {plain(name) for name in example_names()}
    assert all(word == plain(word) for word in TOPICS)


@pytest.mark.parametrize(
    ("words", "works"),
    [
        ("softmax", "'thinking-machines' works it."),
        ("cross-attention", "'cross' works it."),
        ("Masked Self-Attention", "'masked' works it."),
        ("LSTM", "'lstm-step' works it."),
        ("the cat sat", 'a sentence of your own is worked by --sentence "the cat sat".'),
        ("two-tokns", "did you mean 'two-tokens'?"),
    ],
)
def test_who_asks_for_something_else_is_told_where_it_is(words: str, works: str) -> None:
    assert meant(words, example_names()) == works
    with pytest.raises(InputError, match="neither an example nor a worksheet file") as refused:
        gf.explain(words)
    assert str(refused.value).endswith(works)


@pytest.mark.parametrize("name", ["scaled score[1,2]", "attention weights[1,2]", "key [1,1]", "W_Q[0,1]"])
def test_a_number_is_asked_for_by_the_words_of_notes(name: str) -> None:
    assert gf.explain("i-love-ai").explain(name).number is not None
