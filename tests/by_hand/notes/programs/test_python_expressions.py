"""Expressions of a program: what is on the list is worked out, and all else is unknown."""

import ast
from typing import Any

import pytest

from glassformer.by_hand.notes.programs.array_functions import UnknownValueError
from glassformer.by_hand.notes.programs.python_expressions import truth
from glassformer.by_hand.notes.programs.python_values import Program


def value(text: str) -> Any:
    expression = ast.parse(text, mode="eval").body
    return Program().value(expression)


@pytest.mark.parametrize(
    ("text", "right"),
    [("2 + 3 * 5", 17), ("[7, 2][1]", 2), ("[x * 2 for x in (3, 5)]", [6, 10]), ("1 if 3 < 2 else 7", 7)],
)
def test_what_is_on_the_list(text: str, right: object) -> None:
    assert value(text) == right


@pytest.mark.parametrize("text", ["open('notes')", "9 ** 9 ** 9", "x", "lambda: 3"])
def test_what_is_not(text: str) -> None:
    with pytest.raises(UnknownValueError):
        value(text)


def test_a_condition_of_one_number() -> None:
    assert truth(3)
    assert not truth(0)
