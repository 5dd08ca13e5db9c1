"""What must hold over thousands of workings: no false alarm, the first wrong number found, its cause named."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SURVEY = Path(__file__).parent / "survey.py"


# The gate takes all of them; a contributor, whose tests should not take longer than a break, the first few hundred.
ALL = pytest.mark.slow


def surveyed(kind: str, first: int, count: int) -> Counter[str]:
    """In a process of its own; one, since the other tests have the other cores."""
    words = [sys.executable, str(SURVEY), kind, str(first), str(count)]
    return Counter(json.loads(subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout))


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=ALL)])
def test_a_thousand_right_workings_give_no_false_alarm(count: int) -> None:
    counts = surveyed("correct", 0, count)
    assert counts["workings"] == count
    assert counts["false_alarms"] == 0
    assert counts["mild"] == 0
    assert counts["unread"] == 0


@pytest.mark.parametrize("count", [40, pytest.param(300, marks=ALL)])
def test_given_numbers_that_were_rounded_give_no_false_alarm(count: int) -> None:
    counts = surveyed("rounded", 30_000, count)
    assert counts["workings"] == count
    assert counts["false_alarms"] == 0
    assert counts["mild"] <= 0.1 * counts["workings"]


# The bar of 95 % is for the thousand; luck may take two standard errors, 3 %, from two hundred.
@pytest.mark.parametrize(("count", "verdicts"), [(60, 0.92), pytest.param(1000, 0.95, marks=ALL)])
def test_a_thousand_slips_are_found_and_explained(count: int, verdicts: float) -> None:
    counts = surveyed("one", 10_000, count)
    assert counts["workings"] >= 0.99 * count
    assert counts["first"] >= 0.99 * counts["workings"]
    assert counts["causes"] >= 0.90 * counts["workings"]
    assert counts["verdicts"] >= verdicts * counts["workings"]


@pytest.mark.parametrize("count", [20, pytest.param(100, marks=ALL)])
def test_two_slips_are_both_found_and_followed_on(count: int) -> None:
    counts = surveyed("two", 20_000, count)
    assert counts["workings"] >= 0.95 * count
    assert counts["all"] == counts["workings"]
    assert counts["verdicts"] >= 0.95 * counts["found"]
