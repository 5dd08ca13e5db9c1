"""The sentences that all reports share."""

from dataclasses import replace

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Finding
from glassformer.by_hand.reports import wording

FINDING = Finding("notes.md", 3, 5, "Q", 1, 2, "-3", "2", "wrong", "sign lost", "1×0 + 2×1 = 2")


def test_a_place_in_words() -> None:
    assert wording.place(FINDING) == "Q, row 1, column 2"
    assert wording.place(replace(FINDING, name="", row=None, col=None)) == "this number"


def test_one_line_that_says_it_all() -> None:
    said = wording.sentence(replace(FINDING, follows=(5, 8, 13)))
    assert said.startswith("Q, row 1, column 2: −3 is printed, 2 is right; wrong: ")
    assert said.endswith(" (lines 5, 8 and 13). Probable cause: sign lost.")


@pytest.mark.parametrize(
    ("numbers", "said"), [((3,), "line 3"), ((3, 5), "lines 3 and 5"), ((1, 2, 3), "lines 1, 2 and 3")]
)
def test_lines(numbers: tuple[int, ...], said: str) -> None:
    assert wording.lines_in_words(numbers) == said


def test_nothing_steers_the_terminal() -> None:
    assert wording.minus("- 3\x1b[2J") == "−3␛[2J"


def test_findings_of_one_matrix_stand_together() -> None:
    other = replace(FINDING, line=7)
    assert wording.groups([FINDING, replace(FINDING, col=3), other]) == [[FINDING, replace(FINDING, col=3)], [other]]


@pytest.mark.parametrize(
    ("notes", "summary", "ending"),
    [
        (
            "Words.",
            "Checked nothing: no number here looks like a result",
            "Nothing could be checked. Notes need claims",
        ),
        (
            "1 + 1 = 2",
            "Checked 1 of 1 number that looks like a result",
            "Every number that looks like a result is right.",
        ),
        (
            "1 + 1 = 2\n\nX W = 5",
            "Checked 1 of 2 numbers that look like results (50 %)",
            "The one checked number is right;",
        ),
        ("1 + 1 = 3", "Checked 1 of 1 number that looks like a result", ""),
    ],
)
def test_how_much_was_checked_and_how_it_ends(notes: str, summary: str, ending: str) -> None:
    report = check_text(notes)
    assert wording.summary(report) == summary
    assert wording.ending(report).startswith(ending)
    assert bool(wording.ending(report)) == bool(ending)


def test_marks_as_a_teacher_counts() -> None:
    notes = "Q = [1, 2] [[1, 0], [0, 1]] = [1, 3]\n\nS = Q [[2], [1]] = 5\n"
    assert wording.marks_sentence(check_text(notes)) == "2 of 3 compared numbers right, 1 of them by following through"
