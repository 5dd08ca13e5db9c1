"""The table of tasks: what each may learn from, and which family does it."""

from dataclasses import replace

import pytest

from glassformer.errors import InputError
from glassformer.text.tasks import TASKS, tasks_for


def test_an_unknown_task_gets_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'classify'"):
        _ = TASKS["clasify"]


def test_a_family_does_its_tasks() -> None:
    assert tasks_for("classifier") == ["classify"]
    TASKS.add("shorten", replace(TASKS["translate"], does="shortens"))
    assert tasks_for("translator") == ["translate", "shorten"]
    assert tasks_for("poet") == []


def test_what_the_data_of_a_task_say() -> None:
    assert [(task.has_labels, task.has_only_pairs) for task in TASKS.values()] == [
        (True, False), (False, True), (False, False)
    ]  # fmt: skip
