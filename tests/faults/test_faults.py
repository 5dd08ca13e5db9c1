"""Faults on purpose, a few of each; `python tests/faults/table.py` tries them all, and fills docs/reliability.md."""

import re
from pathlib import Path

import pytest
from faults.apart import HUNG, alone, apart, command
from faults.bad_files import bad_files
from faults.table import FAULTS, PAGE, ROW, Fault

from glassformer.runs.run import load

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_few_of_each_fault_do_no_harm(fault: Fault) -> None:
    found = alone(fault.module, *fault.few)
    assert found["tried"] > 0 or found["left out"]
    assert found["wrong"] == []


def test_the_page_has_a_row_for_each_fault_and_none_that_went_wrong() -> None:
    rows = {match["name"]: match[0] for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))}
    for fault in FAULTS:
        assert re.search(r"\| [1-9][\d,]* \| 0 \|$", rows[fault.name]), rows.get(fault.name)


def test_there_are_300_bad_files_and_no_two_are_called_the_same(tmp_path: Path) -> None:
    files = list(bad_files(tmp_path))
    assert len(files) == len(set(files)) >= 300


def test_a_child_that_hangs_or_fails_is_told_from_one_that_does_not() -> None:
    """The measure itself, tried on what it must notice."""
    found = alone("test_faults", "measured")
    assert found == {"hung": [HUNG, False], "failed": [1, False], "refused": [2, True]}


def main(word: str) -> dict[str, object]:
    """For the test above, in a process with one thread."""
    import time

    hung, failed = apart(lambda: time.sleep(60), patience=0.1), apart(lambda: 1 // 0)
    refused = apart(command("train", "nothing", "nowhere"))
    told = {"hung": hung, "failed": failed, "refused": refused}
    return {name: [each.code, each.sound] for name, each in told.items()}


@pytest.mark.parametrize("name", ["classify-1", "translate-1", "generate-1"])
def test_a_run_of_each_format_that_ever_was_is_read_for_ever(name: str) -> None:
    """Written by the version that had this format, and never again: what it said then, it says now."""
    run = load(GOLDEN / name)
    expected = (GOLDEN / name / "expected.txt").read_text(encoding="utf-8").splitlines()
    assert [f"{text}\t{run.predict([text])[0].said}" for text, _ in (line.split("\t") for line in expected)] == expected
