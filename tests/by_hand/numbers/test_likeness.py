"""How much a wrong number resembles the right one: one slip of the pen, or none at all."""

import pytest

from glassformer.by_hand.grammar.expressions import Number, Span
from glassformer.by_hand.numbers.likeness import is_shifted, likeness, telling_digits


def number(text: str) -> Number:
    """A number as it is printed."""
    sign = -1 if text.startswith("-") else 1
    return Number(text.strip("-%"), Span(0, len(text)), sign, text.endswith("%"))


@pytest.mark.parametrize(
    ("printed", "right", "digits"),
    [
        ("8.36", 8.0557, 3),  # one digit
        ("0.03932", 0.03923, 4),  # two neighbours exchanged
        ("1.1744", -1.1744, 4),  # the sign
        ("12.5", 1.25, 0),  # the point: another unit, perhaps
        ("0.125", 0.1235, 3),  # a digit left out
        ("1.2235", 1.235, 4),  # a digit too many
        ("199", 209, 3),  # one place off by one, with what is carried
        ("63", 61, 2),
        ("6", 16, 0),  # a remainder, perhaps
        ("12.5%", 0.135, 3),
        ("0.70", 0.40, 1),
        ("0.65", 0.5, 0),
        ("10.65", 9.9606, 0),
        ("0.3795", 0.4205, 0),
        ("5", 0.5236, 1),
        ("3.14", float("nan"), 0),
        ("0", 0.0, 0),
    ],
)
def test_one_slip_of_the_pen(printed: str, right: float, digits: int) -> None:
    assert likeness(number(printed), right) == digits


def test_the_point_elsewhere() -> None:
    assert is_shifted(number("12.5"), 1.25)
    assert is_shifted(number("0.032"), 0.0032)
    assert not is_shifted(number("12.5"), 12.5)
    assert not is_shifted(number("5"), 0.5)  # of one digit any number is


def test_two_slips_are_no_likeness() -> None:
    assert likeness(number("4719"), 4321.0) == 0


def test_noughts_in_front_and_behind_tell_nothing() -> None:
    assert [telling_digits(number(text)) for text in ("0.0250", "100", "3.06198", "0")] == [2, 1, 6, 0]
