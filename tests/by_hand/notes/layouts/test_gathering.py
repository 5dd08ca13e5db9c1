"""Statements written one piece to a line, put on one line, with a place for every sign."""

import pytest

from glassformer.by_hand.notes.layouts.gathering import find_gathered


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("X =\n[1 0 1]\n[0 1 0]\n", "X = [1, 0, 1; 0, 1, 0]"),
        ("1.43 + 2.57\n=\n4.00\n", "1.43 + 2.57 = 4.00"),
        ("  0.50\n+ 0.25\n------\n  0.75\n", "0.50 + 0.25 = 0.75"),
    ],
)
def test_pieces_are_put_on_one_line(text: str, said: str) -> None:
    found = find_gathered(text, 0, len(text))
    assert found is not None
    assert found.drawing is not None
    assert found.drawing.text == said
    digits = [(sign, text[place]) for sign, place in zip(said, found.drawing.places, strict=True) if sign.isdigit()]
    assert all(sign == original for sign, original in digits)
    assert text[: found.span.end].count("\n") == text.count("\n") - 1


@pytest.mark.parametrize("text", ["a = 1\n", "Words.\n=\nother words\n", "0.50\n0.25\n"])
def test_a_line_that_stands_by_itself(text: str) -> None:
    assert find_gathered(text, 0, len(text)) is None
