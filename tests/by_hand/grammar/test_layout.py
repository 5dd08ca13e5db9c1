"""What the writer left out and every reader sees."""

import pytest
from helpers.formulas import kinds, lexed

from glassformer.by_hand.grammar.folding import Folded
from glassformer.by_hand.grammar.layout import lay_out


@pytest.mark.parametrize(
    ("text", "way", "matrix"),
    [
        ("[1 0]", "text", "[1, 0]"),
        ("[-1 -2]", "text", "[-1, -2]"),
        ("[0.5 -inf; 1.4 0.2]", "text", "[0.5, -inf; 1.4, 0.2]"),
        ("[1 2; 3 5]", "text", "[1, 2; 3, 5]"),
        ("[[1 0] [0 1]]", "text", "[1, 0; 0, 1]"),
        (r"\begin{bmatrix} 1 & 2 \\ 3 - 5 \end{bmatrix}", "math", "[1, 2; 3, -5]"),
    ],
)
def test_separators_are_put_in(text: str, way: str, matrix: str) -> None:
    (folded,) = lay_out(lexed(text, way))
    assert isinstance(folded, Folded)
    assert folded.matrix.key == matrix


def test_a_difference_stays_one() -> None:
    assert "COMMA" not in kinds(lay_out(lexed("[3 - 1]")))
    assert "COMMA" not in kinds(lay_out(lexed("(3 1)")))
    assert "COMMA" not in kinds(lay_out(lexed("[3 + 1]")))


def test_a_plus_close_to_its_number_is_its_sign() -> None:
    assert kinds(lay_out(lexed("[+0.5 +0.3]"))).count("COMMA") == 1
