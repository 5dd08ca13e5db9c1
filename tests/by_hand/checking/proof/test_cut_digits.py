"""Digits cut off are told from digits rounded only where several numbers at once leave hardly another explanation."""

import pytest

from glassformer import check_text
from glassformer.by_hand.checking.proof.cut_digits import PutIn, are_cut_off

THOUSAND = PutIn(1199, 1, worked=1199.9, low=1193.9, high=1205.9)  # e^7.09
HUNDRED = PutIn(142, 1, worked=142.6, low=141.9, high=143.3)  # e^4.96
THIRTY = PutIn(34, 1, worked=34.47, low=34.3, high=34.6)  # e^3.54
SOFTMAX = r"$$p = \frac{e^{7.09}}{e^{7.09} + e^{4.96} + e^{3.54}} \approx \frac{%d}{%d + %d + 34} \approx 0.87$$"


def test_two_that_rounding_would_have_printed_otherwise_show_it() -> None:
    assert are_cut_off([THOUSAND, HUNDRED, THIRTY]) == [THOUSAND, HUNDRED]


def test_one_alone_may_come_from_a_rounded_number() -> None:
    assert are_cut_off([THOUSAND, THIRTY]) == []


def test_one_that_was_rounded_up_speaks_against_it() -> None:
    rounded_up = PutIn(143, 1, worked=142.6, low=141.9, high=143.3)
    small = PutIn(7, 1, worked=7.8, low=7.0, high=8.6)
    assert are_cut_off([THOUSAND, small, THIRTY]) == [THOUSAND, small]
    assert are_cut_off([THOUSAND, small, rounded_up]) == []


def test_what_chance_often_gives_shows_nothing() -> None:
    likely = [PutIn(n, 1, worked=n + 0.6, low=n - 0.5, high=n + 1) for n in (3, 5)]  # two of three times each
    assert are_cut_off(likely) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_a_digit_is_cut_off_towards_nought(sign: int) -> None:
    number = PutIn(sign * 2.4, 0.1, worked=sign * 2.48, low=sign * 2.48, high=sign * 2.48)
    assert number.is_cut
    assert not number.is_rounded
    assert number.chance == 0
    assert not PutIn(sign * 2.5, 0.1, worked=sign * 2.48, low=2, high=3).is_cut


def test_in_notes_it_is_mild_and_both_numbers_are_named() -> None:
    report = check_text(SOFTMAX % (1199, 1199, 142))
    assert report.outcome == "fine"
    assert [(each.printed, each.right, each.level) for each in report.findings] == [
        ("1199", "1200", "rounding"),
        ("142", "143", "rounding"),
    ]


@pytest.mark.parametrize("numbers", [(1200, 1200, 143), (1200, 1200, 142), (1197, 1197, 142)])
def test_numbers_rounded_or_carried_on_with_more_digits_are_left_alone(numbers: tuple[int, int, int]) -> None:
    assert check_text(SOFTMAX % numbers).findings == []
