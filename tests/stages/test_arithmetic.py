"""One number spelled term by term: a cell finds its place, minus signs stand in brackets, terms add up."""

import numpy as np

from glassformer.stages.arithmetic import OPERATIONS, Operand, Term, Working


def test_an_axis_of_one_serves_every_place_and_leading_axes_may_be_missing() -> None:
    column = Operand("x", np.array([[2.0], [3.0], [5.0]]))
    assert column.cell(1, 6).index == (1, 0)
    assert column.cell(1, 6).value == 3.0
    assert column.cell(4, 2, 6).value == 5.0


def test_terms_are_spelled_and_then_worked_out() -> None:
    x, w = Operand("x", np.array([2.0, -3.0])), Operand("w", np.array([5.0, 7.0]))
    terms = tuple(Term(x.cell(i).value * w.cell(i).value, (x.cell(i), w.cell(i)), "{} × {}") for i in range(2))
    working = Working(terms, -11.0)
    assert working.total == -11.0
    assert working.sides("{:g}".format) == ["2 × 5 + (-3) × 7", "10 + (-21)"]


def test_a_pattern_says_how_terms_are_put_together() -> None:
    x = Operand("x", np.array([6.0, 3.0]))
    terms = tuple(Term(x.cell(i).value, (x.cell(i),), "{}") for i in range(2))
    assert Working(terms, 2.0, "{0} / {1}").sides("{:g}".format) == ["6 / 3"]


def test_a_product_is_worked_in_float64_from_the_operands_alone() -> None:
    rows, matrix = Operand("x", np.array([[[2.0, 3.0]]])), Operand("w", np.array([[5.0], [7.0]]))
    wrong = Operand("y", np.array([[[99.0]]]))  # what the model made of it is not looked at
    assert OPERATIONS["project"]((0, 0, 0), wrong, rows, matrix, None).result == 31.0
