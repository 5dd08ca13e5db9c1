"""One name for every spelling, and the stage it usually stands for."""

import pytest

from glassformer.by_hand.grammar.names import base_and_suffix, canonical, is_plain_word, stage_of


@pytest.mark.parametrize("name", ["W_Q", "W^Q", "W_{q}", "Wq", "WQ", "W^{(Q)}".replace("(", "").replace(")", "")])
def test_one_name_for_every_spelling(name: str) -> None:
    assert canonical(name) == "W_Q"


@pytest.mark.parametrize(
    ("text", "name"),
    [("d_{k}", "d_k"), ("dk", "d_k"), ("d'", "d_k"), ("x1", "x_1"), ("W_Q^{(2)}", "W_Q2"), ("the Scores", "scores"),
     ("Attention Weights", "attention weights")],
)  # fmt: skip
def test_other_spellings(text: str, name: str) -> None:
    assert canonical(text) == name


def test_a_name_usually_stands_for_a_stage() -> None:
    assert stage_of("attention weights") == "weights"
    assert stage_of("W_Q") == "query_weight"
    assert stage_of("tea") is None


def test_a_plain_word_is_neither_symbol_nor_stage() -> None:
    assert [is_plain_word(word) for word in ("tea", "Q", "scores", "q_1")] == [True, False, False, False]
    assert base_and_suffix("q_1") == ("q", "1")
    assert base_and_suffix("Q") == ("Q", "")
