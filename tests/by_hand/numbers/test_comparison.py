"""Printed numbers held against what was expected: right, cut off, doubtful or wrong."""

import numpy as np
import pytest
from helpers.formulas import middle, tree

from glassformer.by_hand.grammar.expressions import Number, Span
from glassformer.by_hand.numbers.comparison import (
    entries_of,
    fit,
    fit_values,
    is_near_miss,
    print_whole,
    settled,
    units,
)
from glassformer.by_hand.numbers.intervals import FACE, exactly


def test_each_entry_is_judged_by_its_own_digits() -> None:
    found = fit(tree("[0.67, 0.66, 0.68]"), exactly(np.array([[2 / 3, 2 / 3, 2 / 3]])))
    assert found.wrong.tolist() == [[False, True, True]]  # 0.66 is not cut off, since 0.67 was rounded beside it
    assert not found.fine


def test_a_writer_who_cuts_all_digits_off_is_milder_judged() -> None:
    found = fit(tree("[0.66, 1.66]"), exactly(np.array([[2 / 3, 5 / 3]])))
    assert found.cut.tolist() == [[True, True]]
    assert not found.wrong.any()


def test_nothing_below_the_finest_digit_is_judged() -> None:
    assert fit(tree("0.52"), exactly(0.5)).wrong.all()
    assert fit(tree("0.52"), exactly(0.5), finest=0.1).fine


def test_the_unit_of_the_last_digit() -> None:
    assert units(tree("[0.25, 1.5]")).round(9).tolist() == [[0.01, 0.1]]
    assert units(tree("[2, 3]")).tolist() == [[1.0, 1.0]]
    assert units(tree("[2, 0.5]")).round(9).tolist() == [[0.1, 0.1]]  # a whole number among decimals
    assert print_whole(tree("[2, 3]"))
    assert not print_whole(tree("[2, 0.5]"))
    assert [[each.text for each in row] for row in entries_of(tree("[[1, 2], [3, 5]]"))] == [["1", "2"], ["3", "5"]]


def test_a_wrong_number_is_carried_on_as_the_right_one() -> None:
    literal = tree("[0.25, 0.70]")
    found = fit(literal, exactly(np.array([[0.25, 0.75]])))
    value = settled(literal, found, among=~found.wrong, cuts=False)
    assert middle(value) == [[0.25, 0.75]]
    assert value.high[FACE][0, 1] - value.low[FACE][0, 1] == pytest.approx(0.01)  # rounded as it would be printed


def test_whatever_intervals_have_in_common_is_right() -> None:
    assert fit_values(exactly(2.0), exactly(2.0)).fine
    assert fit_values(exactly(2.0), exactly(2.5)).wrong.all()


@pytest.mark.parametrize(
    ("text", "right", "near"),
    [("0.453", 0.435, True), ("0.43", 0.435, True), ("0.350", 3.5, True), ("0.475", 0.435, True), ("0.9", 0.4, False),
     ("7", 5.0, False)],
)  # fmt: skip
def test_a_near_miss_was_meant_for_the_number(text: str, right: float, near: bool) -> None:
    assert is_near_miss(Number(text, Span(0, 1)), right) is near


def test_the_next_number_has_no_digits_to_cut_off() -> None:
    assert fit(tree("0.666"), exactly(2 / 3)).cut.all()
    assert fit(tree("0.964"), exactly(0.965)).wrong.all()
    assert fit(tree("-0.964"), exactly(-0.965)).wrong.all()


def test_what_stands_for_infinity_in_a_program_may_be_printed_as_infinity() -> None:
    assert fit(tree("[-∞, 1]"), exactly(np.array([[-1e9, 1.0]]))).fine
    assert fit(tree("[-∞, 1]"), exactly(np.array([[-9.0, 1.0]]))).wrong.tolist() == [[True, False]]
    assert fit(tree("[-∞, 1]"), exactly(np.array([[1e9, 1.0]]))).wrong.tolist() == [[True, False]]
