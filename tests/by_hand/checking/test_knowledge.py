"""What is known so far: given numbers with the room that is left to them, and what an expression gives."""

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.knowledge import Knowledge
from glassformer.by_hand.grammar.expressions import Matrix, Node, Number, Product, Span
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import read_statements
from glassformer.by_hand.numbers.intervals import FACE, GENEROUS

SPAN = Span(0, 0)
READING = read_statements(open_bytes(b"1.01 + 1.1 = 2.11, and 1.1 again\n", "notes"))


def _number(text: str) -> Number:
    return Number(text, SPAN)


def test_a_given_number_has_the_room_that_is_left_to_it() -> None:
    half, quarter = _number("0.5"), _number("0.25")
    literal = Matrix(((half, quarter),), SPAN)
    given = Knowledge(READING, room={half: 0.1}).given(literal)
    assert given.paper.low[GENEROUS].tolist() == [pytest.approx([0.495, 0.245])]
    assert given.paper.high[GENEROUS].tolist() == [pytest.approx([0.505, 0.255])]
    assert given.paper.high[FACE].tolist() == [[0.5, 0.25]]
    assert given.given is literal
    exact = Knowledge(READING, exact=True, room={half: 0.1}).given(literal)
    assert exact.paper.high[GENEROUS].tolist() == [[0.5, 0.25]]


def test_what_agrees_within_rounding_need_not_be_given_to_the_last_digit() -> None:
    knowledge = Knowledge(READING)
    working: Node = Product((_number("1.25"), _number("0.50")), SPAN)
    assert knowledge.agrees(working, _number("0.63"))
    assert knowledge.gives(working, _number("0.625"))
    assert knowledge.agrees(working, _number("0.628"))
    assert not knowledge.gives(working, _number("0.628"))
    assert not knowledge.agrees(working, _number("0.64"))


def test_a_number_stands_where_it_is_not_part_of_another() -> None:
    assert Knowledge(READING).stands(_number("1.1")) == 2
    assert Knowledge(READING).stands(_number("1.0")) == 0


def test_a_given_that_only_rounding_could_give_again_has_no_tick() -> None:
    notes = "m = 0.1\n\n$V = 2m = 0.2$\n\nLater, at $V = {}$, it is 3.\n"
    assert check_text(notes.format("0.2")).coverage.checked == 2
    assert check_text(notes.format("0.15")).coverage.checked == 1
