"""Arithmetic as it is written on paper is read into trees of plain data, and what cannot be read says where."""

import pytest

from glassformer.stages.calculator import term, tree


def test_a_text_is_read_as_on_paper() -> None:
    assert tree("a + 2 × b − c") == ["−", ["+", "a", ["×", 2, "b"]], "c"]
    assert tree("h*1#1//m#-1") == ["//", ["×", "h", ["size", 1, 1]], ["size", "m", -1]]
    assert tree("e^(−{0})²") == ["square", ["exp", ["−", "{0}"]]]
    assert tree("1[0[b,r],c]") == ["cell", 1, [["cell", 0, ["b", "r"]], "c"]]
    assert tree("top(i<0#-1: 0[^,i])") == ["top", ["each", ["size", 0, -1], ["cell", 0, ["^", "i"]]]]
    assert tree("2?") == ["has", 2]


def test_a_term_is_its_cells_its_pattern_and_its_value() -> None:
    assert term("i<3#0, r>0: relu(m[b,r-1,i]) × 3[0[*],c]") == {
        "each": ["size", 3, 0],
        "where": [">", "r", 0],
        "cells": [["cell", "m", ["b", ["−", "r", 1], "i"]], ["cell", 3, [["cell", 0, ["*"]], "c"]]],
        "value": ["×", ["relu", "{0}"], "{1}"],
        "pattern": "relu({}) × {}",
    }


@pytest.mark.parametrize("text", ["", "a +", "(a", "a b", "0[i", "max(1, 2", "i<3 0[i]"])
def test_what_cannot_be_read_says_where(text: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be read|has no"):
        term(text)
