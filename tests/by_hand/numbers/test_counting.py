"""Factorials, binomials, rounding brackets and per cent signs, in the notes that use them."""

import pytest

from glassformer.by_hand.check import check_text


def told(notes: str) -> tuple[str, list[tuple[str, str]]]:
    report = check_text(notes)
    return report.outcome, [(finding.printed, finding.right) for finding in report.findings]


@pytest.mark.parametrize(
    ("notes", "right", "wrong"),
    [
        ("5! = {}", "120", "125"),
        ("$3! \\cdot 2 = {}$", "12", "13"),
        ("$(7 - 3)! = {}$", "24", "42"),
        ("$\\frac{{5!}}{{2!\\,3!}} = {}$", "10", "12"),
        ("$\\binom{{5}}{{2}} = {}$", "10", "18"),
        ("$\\left\\lfloor \\frac{{7}}{{2}} \\right\\rfloor = {}$", "3", "4"),
        ("⌈7/2⌉ + 1 = {}", "5", "4"),
        ("floor(7/2) = {}", "3", "4"),
        ("35% of 80 = {}", "28", "29"),
        ("7/20 = {}", "35%", "36%"),
        ("7/20 × 100 = {}", "35%", "36%"),
        ("100 - 65 = {}", "35%", "45%"),
        ("30% + 5% = {}", "35%", "37%"),
        ("30% + 5% = {}", "35", "37"),
    ],
)
def test_right_and_wrong(notes: str, right: str, wrong: str) -> None:
    assert told(notes.format(right)) == ("fine", [])
    assert told(notes.format(wrong)) == ("wrong", [(wrong, right)])


@pytest.mark.parametrize(
    "notes",
    [
        "2 + 3 = 5!\n",  # a wonder, or a factorial?
        "It grows by 12.5 × 2 = 25%\n",  # each of them in per cent
        "3.5! = 12\n",
    ],
)
def test_what_may_be_meant_otherwise_is_not_called_wrong(notes: str) -> None:
    assert told(notes)[1] == []
