"""What else a printed number may be: each excuse on an example with a pencil, and none for a plain error."""

import math

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.proof.excuses import excuse
from glassformer.by_hand.grammar.expressions import Inverse, Node, Number, Power, Product, Span, Sum

HERE = Span(0, 0)


def number(text: str) -> Number:
    return Number(text.removeprefix("-"), HERE, -1 if text.startswith("-") else 1)


def worth(node: Node) -> float:
    """With a pencil: only what these tests write."""
    match node:
        case Number():
            return node.value
        case Sum():
            return sum(worth(term) for term in node.terms)
        case Product():
            return math.prod(worth(factor) for factor in node.factors)
        case Inverse():
            return 1 / worth(node.of)
        case Power():
            return float(worth(node.base) ** worth(node.exponent))
    raise AssertionError(node)


def excused(expected: Node, printed: str, source: str = "", *, is_near: bool = False) -> str:
    return excuse(expected, number(printed), worth, source, is_near=is_near)


two, three, seven, eleven = (number(text) for text in ("2", "3", "7", "11"))


def test_brackets_elsewhere() -> None:
    expected = Sum((two, Product((three, seven), HERE)), HERE)  # 2 + 3 × 7 = 23, and (2 + 3) × 7 = 35
    assert "brackets" in excused(expected, "35")
    assert excused(expected, "29") == ""
    assert excused(expected, "35", is_near=True) == ""


def test_a_part_that_does_not_belong_to_it() -> None:
    expected = Sum((seven, eleven, three), HERE)
    assert "first or its last part" in excused(expected, "14")
    assert "first or its last part" in excused(expected, "18")
    assert excused(expected, "19") == ""


def test_a_root_or_a_complement_of_the_result() -> None:
    expected = Product((number("0.61"), number("0.61")), HERE)
    assert "complement" in excused(expected, "0.6279")
    assert "root" in excused(expected, "0.61")
    assert excused(expected, "0.57") == ""


def test_digits_that_have_run_together() -> None:
    assert "run together" in excused(Power(two, three, HERE), "23")
    assert "run together" in excused(Product((number("3.5"), Inverse(three, HERE)), HERE), "3.53")


def test_a_remainder() -> None:
    negative = Number("128", HERE, -1)
    assert "remainder" in excuse(Sum((number("64"), number("64")), HERE), negative, worth, "", is_near=True)
    assert "remainder" in excused(Sum((seven, eleven), HERE), "5", "modulo 13")
    assert excused(Sum((seven, eleven), HERE), "5", "of 13 apples") == ""


def test_a_number_that_stands_close_by() -> None:
    source = "With 3.14 times that\n\n2 × 7 = 43.96"
    working, printed = Span(22, 27), Span(30, 35)
    expected = Product((two, seven), working)
    assert source[working.start : working.end] == "2 × 7"
    assert "close by" not in excuse(expected, Number("43.97", printed), worth, source, is_near=False)
    near = source.replace("\n\n", "\n ")
    assert "close by" in excuse(expected, Number("43.96", printed), worth, near, is_near=False)


@pytest.mark.parametrize(
    ("notes", "why"),
    [
        ("2 + 3 × 7 = 35\n", "we get 23; with its brackets elsewhere it is right"),
        ("64 + 64 = -128\n", "we get 128; a remainder, perhaps"),
    ],
)
def test_what_is_excused_is_told_all_the_same(notes: str, why: str) -> None:
    report = check_text(notes)
    assert report.findings == []
    assert [each.why for each in report.coverage.unchecked] == [why]


def test_a_number_of_one_digit_may_have_been_cut_off() -> None:
    working = Product((number("0.007"), number("2500")), HERE)
    assert "cut off" in excused(working, "19.1")  # 0.00764
    assert excused(working, "20.3") == ""
    assert excused(Product((number("0.0070"), number("2500")), HERE), "19.1") == ""


def test_numbers_of_so_many_bits() -> None:
    assert "bits" in excused(Power(number("2"), number("8"), HERE), "255", is_near=True)
    assert excused(Power(number("3"), number("5"), HERE), "242", is_near=True) == ""
    assert "complement" in excused(Sum((two, three), HERE), "-5", "in two's complement", is_near=True)


def test_a_quotient_may_be_rounded_to_a_whole_number() -> None:
    quotient = Product((number("600"), Inverse(number("512"), HERE)), HERE)
    assert "whole number" in excused(quotient, "2")
    assert "whole number" in excused(quotient, "1")
    assert excused(quotient, "3") == ""
