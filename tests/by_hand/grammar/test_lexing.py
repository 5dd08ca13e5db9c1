"""Signs become tokens: the same kinds, however they are written."""

import pytest
from helpers.formulas import kinds, lexed

from glassformer import check_text
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground


@pytest.mark.parametrize(
    ("text", "way", "wanted"),
    [
        ("Q = 2.5 x_1", "text", ["NAME", "EQUALS", "NUMBER", "NAME"]),
        ("a ≈ b · 3 %", "text", ["NAME", "ABOUT", "NAME", "TIMES", "NUMBER", "PERCENT"]),
        (r"a \approx b \cdot a^\top", "math", ["NAME", "ABOUT", "NAME", "TIMES", "NAME", "TURN"]),
        (r"\frac{1}{2}", "math", ["FRACTION", "LBRACE", "NUMBER", "RBRACE", "LBRACE", "NUMBER", "RBRACE"]),
        ("scores[0][1] = 3  # remark", "code", ["NAME", "INDEX", "EQUALS", "NUMBER"]),
        ("so a = 1", "text", ["BREAK", "NAME", "EQUALS", "NUMBER"]),
    ],
)
def test_kinds_of_signs(text: str, way: str, wanted: list[str]) -> None:
    assert kinds(lexed(text, way)) == wanted


def test_a_comma_that_may_be_a_point_is_not_guessed() -> None:
    assert kinds(lexed("12,5 + 3")) == ["UNCLEAR", "PLUS", "NUMBER"]


def test_a_token_knows_its_place_in_the_whole_text() -> None:
    tokens = lex(Ground("ab = 17", 100, "text"))
    assert [(token.start_pos, token.end_pos) for token in tokens][-1] == (105, 107)


def test_names_get_their_one_spelling() -> None:
    assert [str(token) for token in lexed("W^Q Wk d_{k}", "math")] == ["W_Q", "W_K", "d_k"]


def test_a_star_that_markdown_escapes_is_a_star() -> None:
    assert check_text("P = (3/5) \\* (1/5) \\* 2 = **0.24**\n").outcome == "fine"


def test_a_letter_with_a_prime_is_a_name_only_where_it_is_given_as_one() -> None:
    given = lex(Ground("C'' - C^{\\prime} + D'", 0, "math", primed=frozenset("C")))
    assert [str(token) for token in given] == ["C′′", "-", "C′", "+", "D", "'"]
    assert kinds(lexed("C' D", "math")) == ["NAME", "TURN", "NAME"]


def test_a_label_without_letters_is_read_beside_names_with_primes() -> None:
    assert check_text("$C' = 2$ and $C = 1$\n\n$x = C' + 1 \\text{)} = 3$\n").outcome in ("fine", "nothing checked")
    assert kinds(lex(Ground(r"\text{)} = 1", 0, "math", primed=frozenset("C")))) == ["NAME", "EQUALS", "NUMBER"]


@pytest.mark.parametrize(
    ("text", "way", "wanted"),
    [
        ("Let's normalize z = 1", "text", ["WORD", "WORD", "NAME", "EQUALS", "NUMBER"]),
        ("a toy vector x = 1", "text", ["WORD", "NAME", "EQUALS", "NUMBER"]),
        ("A times 3", "text", ["NAME", "WORD"]),
        ("w ← 0.5", "text", ["NAME", "EQUALS", "NUMBER"]),
        (r"\num{0.5}", "math", ["LBRACE", "NUMBER", "RBRACE"]),
        (r"1 \\\\ 2 \\ \\ 3", "math", ["NUMBER", "ROWEND", "NUMBER", "ROWEND", "NUMBER"]),
        ("e^z = 5 ^ 3", "code", ["NAME", "CARET", "NAME", "EQUALS", "NUMBER", "OTHER", "NUMBER"]),
    ],
)
def test_what_words_and_rows_look_like(text: str, way: str, wanted: list[str]) -> None:
    assert kinds(lexed(text, way)) == wanted
