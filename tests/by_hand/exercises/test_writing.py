"""A working written down in every style, and matrices drawn side by side."""

import numpy as np
import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.exercises import writing
from glassformer.by_hand.exercises.workings import VARIANTS, make_working
from glassformer.errors import InputError


@pytest.mark.parametrize("style", writing.STYLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_was_written_is_read_as_right(style: str, variant: str) -> None:
    report = check_text(writing.write(make_working(5, variant), style))
    assert report.findings == []
    assert report.checked > 0


def test_matrices_as_they_are_written() -> None:
    numbers = np.array([[1.0, -np.inf], [2.5, 0.0]])
    assert writing.nested(numbers, 1) == "[[1.0, -inf], [2.5, 0.0]]"
    assert writing.bmatrix(numbers, 1) == r"\begin{bmatrix} 1.0 & -\infty \\ 2.5 & 0.0 \end{bmatrix}"
    assert writing.open_list((1, 2)) == "[[?, ?]]"
    assert writing.blank((1, 2)) == r"\begin{bmatrix} ? & ? \end{bmatrix}"
    assert (writing.symbol_latex("W_Q1"), writing.symbol_latex("Q")) == ("W_{Q1}", "Q")


def test_drawn_side_by_side_the_signs_stand_in_one_row() -> None:
    drawn = writing.drawn_matrix(np.array([[1.0, -2.0], [3.0, 11.0]]), None)
    lines = writing.set_in_line(["A =", drawn, "= 3"], 1).splitlines()
    assert ["A" in line for line in lines] == [False, True]
    assert lines[0].index("-2") == lines[1].index("11")


def test_a_step_may_be_left_blank_and_a_style_may_not_exist() -> None:
    assert "?" in writing.write(make_working(5), "text", blanks=frozenset({"A"}))
    with pytest.raises(InputError, match="no style 'latx'; did you mean 'latex'"):
        writing.write(make_working(5), "latx")
