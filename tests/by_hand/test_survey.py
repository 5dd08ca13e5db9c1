"""What must hold over thousands of workings: no false alarm, the first wrong number found, its cause named."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SURVEY = Path(__file__).parent / "survey.py"


# The gate takes all thousand; a contributor, whose tests should not take longer than a break, the first fifth of them.
ALL = pytest.mark.slow


def surveyed(kind: str, first: int, count: int) -> Counter[str]:
    """Two processes, half the workings each."""
    half = count // 2
    jobs = [
        subprocess.Popen([sys.executable, str(SURVEY), kind, str(start), str(half)], stdout=subprocess.PIPE, text=True)
        for start in (first, first + half)
    ]
    answers = [job.communicate()[0] for job in jobs]
    return Counter(json.loads(answers[0])) + Counter(json.loads(answers[1]))


@pytest.mark.parametrize("count", [200, pytest.param(1000, marks=ALL)])
def test_a_thousand_right_workings_give_no_false_alarm(count: int) -> None:
    counts = surveyed("correct", 0, count)
    assert counts["workings"] == count
    assert counts["false_alarms"] == 0
    assert counts["mild"] == 0
    assert counts["unread"] == 0


def test_given_numbers_that_were_rounded_give_no_false_alarm() -> None:
    counts = surveyed("rounded", 30_000, 300)
    assert counts["workings"] == 300
    assert counts["false_alarms"] == 0
    assert counts["mild"] <= 0.1 * counts["workings"]


# The bar of 95 % is for the thousand; luck may take two standard errors, 3 %, from two hundred.
@pytest.mark.parametrize(("count", "verdicts"), [(200, 0.92), pytest.param(1000, 0.95, marks=ALL)])
def test_a_thousand_slips_are_found_and_explained(count: int, verdicts: float) -> None:
    counts = surveyed("one", 10_000, count)
    assert counts["workings"] >= 0.99 * count
    assert counts["first"] >= 0.99 * counts["workings"]
    assert counts["causes"] >= 0.90 * counts["workings"]
    assert counts["verdicts"] >= verdicts * counts["workings"]


def test_two_slips_are_both_found_and_followed_on() -> None:
    counts = surveyed("two", 20_000, 100)
    assert counts["workings"] >= 95
    assert counts["all"] == counts["workings"]
    assert counts["verdicts"] >= 0.95 * counts["found"]
