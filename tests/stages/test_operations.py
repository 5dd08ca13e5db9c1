"""The table of operations: every text of it is read, and says of a number what a pencil says."""

import math
from typing import Any

import numpy as np
from helpers.operands import SHAPES

from glassformer.stages.arithmetic import OPERATIONS as WORKED
from glassformer.stages.arithmetic import Operand, Working
from glassformer.stages.operations import OPERATIONS


def worked(operation: str, index: tuple[int, ...], made: Any, *operands: Any) -> Working:
    named = [None if each is None else Operand(f"x{k}", np.array(each)) for k, each in enumerate(operands)]
    return WORKED[operation](index, Operand("y", np.array(made)), *named)


def said(found: Working) -> list[str]:
    return found.sides(lambda number: f"{number:g}")


def test_with_a_pencil() -> None:
    """One number of each kind of operation: a sum, a choice, a search, a share, an absent operand."""
    rows, matrix = [[[1.0, 2.0], [3.0, -4.0]]], [[5.0, 6.0], [7.0, 8.0]]
    zeros = np.zeros((1, 2, 2))
    found = worked("project", (0, 1, 0), zeros, rows, matrix, [0.5, 0.25])
    assert (said(found), found.result) == (["3 × 5 + (-4) × 7 + 0.5", "15 + (-28) + 0.5"], -12.5)
    assert worked("project", (0, 1, 0), zeros, rows, matrix, None).result == -13
    found = worked("look up", (0, 1, 0), zeros, [[0, 1]], matrix, 2.0)
    assert (said(found), found.result) == (["2 × 7"], 14)
    scores = [[[[0.0, -math.inf], [-math.inf, -math.inf]]]]
    assert said(worked("softmax", (0, 0, 0, 0), scores, scores))[0] == "e^0 / (e^0 + e^(-inf))"
    assert said(worked("softmax", (0, 0, 1, 0), scores, scores)) == ["0, since this row may look at nothing"]
    found = worked("largest", (0, 0), zeros[0], rows)
    assert (said(found), found.result, found.terms[0].cells[0].index) == (["max(…) = 2"], 2, (0, 0, 1))
    found = worked("last state", (0, 1), zeros[0], rows, [[True, False]])
    assert (found.result, found.terms[0].cells[0].index) == (2, (0, 0, 1))
    step = [[[0.5], [0.0]]], [[[1.0], [2.0]]], [[3.0]], [0.25], [[4.0]], [-8.0]
    assert said(worked("recur", (0, 1, 0), *step, [[True, False]])) == ["0, since the text ends before"]
    found = worked("recur", (0, 1, 0), *step, [[True, True]])
    assert said(found)[0] == "tanh(2 × 3 + 0.25 + 0.5 × 4 + (-8))"
    assert found.result == math.tanh(0.25)
    found = worked("penalise", (0, 1, 0, 1), np.zeros((1, 2, 1, 2)), [0.5, 0.25], [[[0, -3]]])
    assert (said(found), found.result) == (["−0.25 × |(-3)|"], -0.75)
    table = np.zeros((32, 1))
    for apart, both, back in ((3, 3, 3), (-3, 19, 0), (20, 10, 17), (-20, 26, 0), (500, 15, 31)):
        for operation, wanted in (("bucket", both), ("bucket backwards", back)):
            assert worked(operation, (0, 0, 0), [[[0]]], [[[apart]]], table, 128).result == wanted
    assert said(worked("bucket", (0, 0, 0), [[[0]]], [[[-20]]], table, 128)) == [
        "16 + min(15, 8 + ⌊ln(|(-20)| / 8) / ln(128 / 8) × 8⌋)"
    ]
    without = worked("layer norm", (0, 0, 1), rows, rows, [[1.5, 0]], [[0.25, 0]], 0.0, None, [0.0, 9.0])
    assert (said(without), without.result) == (["(2 − 1.5) / √(0.25 + 0) + 9"], 10)


def test_operands_are_drawn_for_every_operation() -> None:
    assert SHAPES.keys() == OPERATIONS.keys() == WORKED.keys()
