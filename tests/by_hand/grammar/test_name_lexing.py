"""Names, words and functions, cut with their scripts."""

import pytest
from helpers.formulas import kinds, lexed


@pytest.mark.parametrize(
    ("text", "way", "said"),
    [
        ("W^{(1)}_Q", "math", [("NAME", "W_Q1")]),
        ("QKT", "text", [("NAME", "Q"), ("NAME", "K"), ("TURN", "T")]),
        ("cross_entropy(y, p)", "text", "FUNCTION LPAR NAME COMMA NAME RPAR"),
        ("conv2d(X, K)", "text", "FUNCTION LPAR NAME COMMA NAME RPAR"),
        ("xᵢ", "text", [("NAME", "x_i")]),
        ("35% of 80", "text", "NUMBER PERCENT TIMES NUMBER"),
    ],
)
def test_a_word_is_cut_by_what_it_is(text: str, way: str, said: object) -> None:
    tokens = lexed(text, way)
    assert (" ".join(kinds(tokens)) if isinstance(said, str) else [(t.type, str(t)) for t in tokens]) == said
