"""Our own sheets, made, filled in and checked: a right one is fine to the last number; of a slip, nothing else."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SURVEY = Path(__file__).parent / "sheet_survey.py"


@pytest.mark.parametrize("many", [50, pytest.param(300, marks=pytest.mark.slow)])
def test_sheets_are_judged_rightly(many: int) -> None:
    done = subprocess.run([sys.executable, str(SURVEY), "0", str(many)], capture_output=True, text=True, check=True)
    counts = Counter(json.loads(done.stdout))
    assert counts["sheets"] == many
    assert counts["false_alarms"] == 0
    assert counts["not_fine"] == 0  # every number asked for, or printed, was checked
    assert counts["blank_alarms"] == 0  # a sheet that nobody filled in yet
    assert counts["unrounded_alarms"] == 0  # who kept more digits than were asked for
    assert counts["near"] >= 0.8 * many
    assert counts["near_missed"] <= 1  # a number of a blank off by one to five units of its last digit
    assert counts["near_elsewhere"] == 0
    assert counts["slips"] >= 0.96 * many
    assert counts["missed"] <= 1
    assert counts["elsewhere"] == 0  # neither what follows from the slip nor what the teacher printed
