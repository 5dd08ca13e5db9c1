"""Sizes in the terminal: formulas are broken after a sign, never cut, however narrow the window is."""

import re

import pytest
from rich.console import Console

from glassformer.commands.pages.sizes_page import broken, print_sizes
from glassformer.models.registry import MODELS, configure
from glassformer.models.sizes import sizes


def test_a_formula_is_broken_after_a_sign() -> None:
    assert broken("D·Y + Y", 20) == ["D·Y + Y"]
    assert broken("L·(D·(2·K+V)·H+D)", 8) == ["L·(D·(2·", "K+V)·H+", "D)"]
    assert broken("20,000·128", 4) == ["20,0", "00·", "128"]


@pytest.mark.parametrize("width", [60, 80, 100, 140])
@pytest.mark.parametrize("name", MODELS)
def test_no_formula_is_cut(name: str, width: int) -> None:
    console = Console(width=width)
    found = sizes(name, configure(name, vocabulary=50_257))
    with console.capture() as shown:
        print_sizes(found, name, MODELS[name].sentence, console)
    page = shown.get()
    assert "…" not in page
    head = next(line for line in page.splitlines() if "formula" in line)
    left, right = head.index("formula"), head.index("parameters")
    column = "".join(line[left:right].strip() for line in page.partition(head)[2].splitlines())
    for row in found.rows:
        for formula in (row.formula, row.numbers) if row.count else ():
            assert re.sub(r"\s", "", formula) in re.sub(r"\s", "", column), formula
    assert max(len(line.rstrip()) for line in page.splitlines()) <= width
