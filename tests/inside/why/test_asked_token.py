"""Which word a token is a piece of, from pieces that are given."""

import pytest

from glassformer.inside.why.asked_token import part_of, signs, unfinished

PIECES = (" Ein", " Mann", " r", "ann", "te", " durch", ".", "</s>")


@pytest.mark.parametrize(
    ("at", "word"), [(1, ""), (3, "rannte"), (4, "rannte"), (5, "rannte"), (6, ""), (7, ""), (8, "")]
)
def test_a_piece_belongs_to_its_word(at: int, word: str) -> None:
    assert part_of(PIECES, at) == word


def test_a_word_that_is_begun() -> None:
    assert unfinished("God save the kin", "g") == "kin"
    assert unfinished("God save the kin", " ") == ""
    assert unfinished("God save the ", "k") == ""
    assert unfinished("That is it,", "t") == ""


def test_signs_are_told_where_they_stand() -> None:
    assert signs(["␣", "↵"]) == "␣ is a space, ↵ is a line break."
    assert signs(["r", "l"]) == ""
