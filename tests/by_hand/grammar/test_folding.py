"""A matrix of plain numbers is one token; whatever holds more is left to the grammar."""

import pytest
from helpers.formulas import lexed

from glassformer.by_hand.grammar.folding import fold


def test_numbers_in_brackets_are_folded_and_keep_their_places() -> None:
    folded = fold(lexed("[1, −2.5; 3, 5]"))
    assert folded is not None
    assert folded.matrix.key == "[1, -2.5; 3, 5]"
    assert (folded.start_pos, folded.end_pos) == (0, 15)
    second = folded.matrix.rows[0][1]
    assert (second.span.start, second.span.end) == (4, 8)  # with its sign


@pytest.mark.parametrize("text", ["[1, a]", "[1 + 2]", "[1, 2; 3]", "[1,]", "[, 1]", "[--1]", "[]"])
def test_what_is_more_than_numbers_is_left_alone(text: str) -> None:
    assert fold(lexed(text)) is None
