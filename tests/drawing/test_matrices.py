"""Matrices and words in a given width: measured in cells, cut with an ellipsis, and no column lost in silence."""

import math

from rich.style import Style
from rich.text import Text

from glassformer.drawing.matrices import DrawnMatrix, cut, flow, rgb, right, shade, words


def test_words_are_measured_in_cells_and_cut_with_an_ellipsis() -> None:
    assert cut("Donaudampfschiff", 8) == "Donauda…"
    assert cut("猫猫猫猫", 6) == "猫猫…"
    assert cut("猫猫猫", 6) == "猫猫猫"
    assert [line.plain for line in words("one two three", 8)] == ["one two", "three"]
    assert [line.plain for line in words("猫猫猫猫", 4)] == ["猫猫", "猫猫"]
    assert flow([], 10) == []


def number_row(*numbers: str) -> list[Text]:
    return [Text(each) for each in numbers]


def test_columns_without_room_are_counted() -> None:
    matrix = DrawnMatrix([number_row(*["1.2345"] * 5), number_row(*["−7.0000"] * 5)], rows=("a", "b"))
    assert matrix.needs == len("a ⎡ ") + 5 * 7 + 4 * 2 + len(" ⎤")
    assert [line.plain.count("1.2345") for line in matrix.draw(matrix.needs)] == [5, 0]
    narrow = [line.plain for line in matrix.draw(matrix.needs - 9)]
    assert all(len(line) <= matrix.needs - 9 for line in narrow)
    assert narrow[0].count("1.2345") == 3
    assert narrow[-1].strip() == "… 2 more columns"


def test_the_larger_the_number_the_fuller_its_colour() -> None:
    assert shade(3.0, "query", 3.0).color == Style(color=rgb("query")).color
    assert shade(-3.0, "query", 3.0).italic
    assert shade(math.inf, "query", 3.0).dim
    assert shade(1.0, "query", 3.0).color != shade(2.0, "query", 3.0).color


def test_a_word_stands_at_the_right_end() -> None:
    assert (right("ab", 5), right("猫", 5), right("abcdef", 5)) == ("   ab", "   猫", "abcd…")
