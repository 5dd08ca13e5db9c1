"""Our own sheets, made, filled in and checked: a right one is fine to the last number; of a slip, nothing else."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

SURVEY = Path(__file__).parent / "sheet_survey.py"


def test_three_hundred_sheets_are_judged_rightly() -> None:
    done = subprocess.run([sys.executable, str(SURVEY), "0", "300"], capture_output=True, text=True, check=True)
    counts = Counter(json.loads(done.stdout))
    assert counts["sheets"] == 300
    assert counts["false_alarms"] == 0
    assert counts["not_fine"] == 0  # every number asked for, or printed, was checked
    assert counts["blank_alarms"] == 0  # a sheet that nobody filled in yet
    assert counts["slips"] >= 290
    assert counts["missed"] <= 1
    assert counts["elsewhere"] == 0  # neither what follows from the slip nor what the teacher printed
