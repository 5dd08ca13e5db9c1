"""A worked worksheet: read, asked and shown."""

import pytest

from glassformer.by_hand.worksheets.solution import explain
from glassformer.errors import InputError


def test_a_solution_shows_itself_in_python() -> None:
    solution = explain("masked")
    assert repr(solution).startswith("Solution('masked', ")
    assert len(repr(solution)) < 100
    assert "A = softmax(Z̃), row by row" in str(solution)
    assert "\x1b" not in str(solution)
    assert solution._repr_markdown_() == solution.to_markdown()
    with pytest.raises(InputError, match="precision is 16; expected 2 to 15"):
        solution.to_latex(16)
