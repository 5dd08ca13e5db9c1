"""The arithmetic of a program as a tree with its numbers put in; where numpy would stretch, there is none."""

import pytest

from glassformer.by_hand.notes.programs.arithmetic_trees import tree_of
from glassformer.by_hand.notes.programs.python_values import Program

GIVEN = "import numpy as np\nQ = np.array([[1, 2]])\nK = np.array([[3, 5]])\n"


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("Q @ K.T / 2", "[1, 2] · ([3, 5])ᵀ · 1/(2)"),
        ("Q - K", "([1, 2] + -([3, 5]))"),
        ("np.exp(Q)", "exp([1, 2])"),
        ("Q + np.array([[1], [2]])", None),
        ("S = Q + K\nS", "([1, 2] + [3, 5])"),
        ("S = Q + K\nQ = K\nS", "[4, 7]"),  # its parts have changed since
    ],
)
def test_numbers_are_put_in(line: str, key: str | None) -> None:
    program = Program()
    last = program.run(GIVEN + line)
    assert last is not None
    found = tree_of(last.value, program)
    assert (found and found.key) == key
