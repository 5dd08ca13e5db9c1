"""A class's marks in the terminal: a row for each student, and what went wrong first."""

import pytest
from helpers.small_class import small_class

from glassformer.commands.pages.class_page import show_marks


def test_each_student_has_a_row_and_a_slip_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    show_marks("A test\x07", small_class())
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert shown == [
        "A test␇",
        "3 hand-ins: 1 right, 1 wrong, 1 not answered.",
        "✓ anna 2 of 2",
        "✗ =ben 1 of 2",
        "line 3: V, row 2, column 1: 5 → 4",
        "– cleo␛[2J<b> 0 of 2 not answered",
    ]
