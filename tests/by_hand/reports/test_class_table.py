"""A class's marks as a table: as CSV that no spreadsheet works out, and as a page."""

import csv
import io

from helpers.small_class import small_class

from glassformer.by_hand.reports.class_table import class_sentence, class_to_html, student_row, to_csv, told


def test_a_row_says_points_and_the_first_wrong_number() -> None:
    anna, ben, _ = map(student_row, small_class())
    assert (anna["points"], anna["of"], anna["outcome"], anna["first_wrong"]) == (2, 2, "right", "")
    assert (ben["points"], ben["first_wrong"], ben["line"]) == (1, "V, row 2, column 1", 3)
    assert (ben["printed"], ben["right"]) == ("5", "4")


def test_no_cell_can_be_taken_for_a_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(small_class()))))
    assert [each["name"] for each in rows] == ["anna", "'=ben", "cleo\x1b[2J<b>"]
    assert [each["not_answered"] for each in rows] == ["0", "0", "2"]


def test_the_class_in_a_sentence_and_each_in_a_line() -> None:
    marks = small_class()
    assert class_sentence(marks) == "3 hand-ins: 1 right, 1 wrong, 1 not answered."
    assert class_sentence(marks[:1]) == "1 hand-in: 1 right."
    assert [told(mark) for mark in marks[:2]] == ["", "line 3: V, row 2, column 1: 5 → 4"]


def test_names_are_only_text_on_the_page() -> None:
    page = class_to_html("Test <1>", small_class())
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "Test &lt;1&gt;" in page
