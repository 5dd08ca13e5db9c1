"""Other meanings of what is written: whoever means one of them is right, and whoever means none is not."""

import math

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.proof.readings import is_power_of_two, is_round, is_rounded_up, misprinted
from glassformer.by_hand.grammar.expressions import Number, Span


def told(notes: str) -> list[tuple[str, str]]:
    return [(finding.printed, finding.right) for finding in check_text(notes).findings]


@pytest.mark.parametrize(
    "notes",
    [
        "7 ÷ 1/3 = 21",  # seven thirds, as they are spoken
        "1 ÷ 1/15 = 15/1 = 15",
        "6 / 2 × 3 = 1",
        "z = 5 − 3.8/0.6\nz = 2.00",  # (5 − 3.8)/0.6
        "mean = 3+5+10/3 = 6",
        "share = 3/12 × 100 = 25 %",
        "$R = 24\\frac13/50 = 73/150$",
        "$\\frac14 (3 + 5) = 2$",  # and not a fourteenth
        "$\\frac{(-3^2 + -1^2 + 4^2)}{2} = \\frac{26}{2} = 13$",
        "$2^{10} \\approx 1000$",
        "65536 × 0.999 ≈ 65536",  # round in base 2
        "Which of these are true? Say why.\n\n(a) $4 + 4 = 9$.\n\n(b) $5 + 5 = 10$.\n\n(c) $6 + 6 = 12$.",
        "$n = (2.576 \\cdot 15 / 2)^2 = 374$",  # people, rounded up
        "0.4 × 5 = 2 × 3 = 6",  # it goes on from the result
        "1/30 + 1/10 = 4/30 ÷ 2 = 4/60",
        "-3^2 = 9",
        "d = √(3-0)² + (4-0)² = 5",
        "100 + 10% = 110",
        "1/2 : 1/4 = 2",
        "$3 \\cdot 2 \\cdot 1 = 3 !$",  # a factorial, as some set it
        "$(2^4)^{25} \\cdot 3 = 1^{25} \\cdot 3 = 3 \\pmod{5}$",
        "$\\frac{1}{\\sqrt{4/3}} (\\frac{2}{3}, \\frac{2}{3}) = \\frac{1}{\\sqrt{3}} (1, 1)$",
        "n = 5 / sqrt(98304) = 5 / 313.5 = 0.016",  # rounded on the way
        "n = 5 / 313.5346 = 5 / 313.5 = 0.01595",
        "**ReLU**: $\\sigma(1.9) = 1.9$",
        "m = 1/0.001 = 1000          m = 0.001/1 = 0.001",  # two columns
        "1011 + 0110 = 10001",  # in base 2
        "1100 + 1100 = 1000",  # the same in four bits
        "5*5 + 3*3 + 1*1 = 52 + 32 + 12 = 35",  # exponents that came down
        "600/512 + 600 = 2 + 600",  # so many blocks
        "1.000 + 500 = 1.500",  # a thousand
        '"1" + "1" = "11"',
        "(1,2,3) × (4,5,6) = (-3,6,-3)",  # the cross product
        "(1,2) × (3,4) = -2",
        "h = [1×2 + 1, 3×1] = [2 + 1, 3] + [1, 1] = [4, 4]",
    ],
)
def test_right_in_one_of_its_readings(notes: str) -> None:
    assert told(notes + "\n") == []


@pytest.mark.parametrize(
    ("notes", "wrong"),
    [
        ("7 ÷ 1/3 = 4", ("4", "2.3333")),
        ("z = 5 − 3.8/0.6\nz = -1.83", ("-1.83", "-1.33")),
        ("share = 3/12 × 100 = 26 %", ("26 %", "25%")),
        ("sigmoid(1.9) = 0.970", ("0.970", "0.870")),
        ("65536 × 0.999 ≈ 65356", ("65356", "65470.464")),
        ("We add.\n\n(a) $4.5 + 4.5 = 9.5$.", ("9.5", "9.0")),
        ("$\\frac14 (3 + 5) = 3$", ("3", "2")),
        ("0.81 = 0.4*0.9 + 0.5*0.7", ("0.81", "0.71")),  # the result stands first
    ],
)
def test_wrong_in_all_of_them(notes: str, wrong: tuple[str, str]) -> None:
    assert [printed for printed, _ in told(notes + "\n")] == [wrong[0]]


def test_noughts_after_the_point_are_no_bits() -> None:
    wrong = "S = [[0, -1], [1, 0]]\n\nZ = S / sqrt(2) = [[0.000, -1.000], [1.000, 0.000]]\n"
    assert told(wrong) == [("-1.000", "-0.707"), ("1.000", "0.707")]


def test_a_part_cut_off_is_told_where_the_whole_agrees() -> None:
    (finding,) = check_text("z = 0.3 × 0.9999 − 0.5 × 0.0100\n  = 0.2999 − 0.0050\n  = 0.295\n").findings
    assert (finding.printed, finding.right, finding.verdict) == ("0.2999", "0.3000", "cut-off")


def test_what_a_round_number_stands_for() -> None:
    assert is_round(Number("1000", Span(0, 4)), 1024)
    assert not is_round(Number("1000", Span(0, 4)), 1700)
    assert not is_round(Number("1024", Span(0, 4)), 1000)
    assert is_power_of_two(Number("131072", Span(0, 6)), 131006.0)
    assert not is_power_of_two(Number("131074", Span(0, 6)), 131006.0)
    assert is_rounded_up(Number("374", Span(0, 3)), 373.26)
    assert not is_rounded_up(Number("375", Span(0, 3)), 373.26)
    assert not is_rounded_up(Number("374", Span(0, 3)), math.nan)


def test_a_digit_of_the_working_may_be_the_misprint() -> None:
    (finding,) = check_text("$t = 2.9444 / (11.2797 / \\sqrt{28}) = 1.1075$\n").findings
    assert (finding.right, finding.sure) == ("1.3813", "or 28 in its working is wrong: 18 gives 1.1075")
    assert not finding.is_certain
    (finding,) = check_text("4.15 + 7.3 = 12.45, for 7.3 + 4.15 it is\n").findings
    assert finding.is_certain  # each number of the working stands there twice
    three = Number("30", Span(0, 0))
    assert sorted(other.text for _, other, _ in misprinted(three))[:3] == ["10", "20", "31"]
