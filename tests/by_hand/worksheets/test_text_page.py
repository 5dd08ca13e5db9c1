"""The page of a solution keeps to its width, loses no half number, and says the same in every form."""

import re
from functools import cache
from typing import Any

import pytest
from rich.cells import cell_len

from glassformer.by_hand.worksheets.laboratory_page import laboratory_page, setting_of
from glassformer.by_hand.worksheets.mask_laboratory import experiments
from glassformer.by_hand.worksheets.solution import Solution, explain
from glassformer.by_hand.worksheets.text_page import solution_page
from glassformer.by_hand.worksheets.worksheet import example_names, from_sentence
from glassformer.drawing.matrices import heading
from glassformer.drawing.terminal import page_width

WIDTHS = [60, 80, 100, 140]
TWENTY = " ".join(f"word{i}" for i in range(20))
SOURCES: dict[str, Any] = {name: name for name in example_names()} | {
    "three words": from_sentence("the cat sat", heads=2, mask="causal"),
    "twenty words": from_sentence(TWENTY, heads=2, width=6, mask="causal"),
    "wide words": from_sentence("猫 が 😀 Donaudampfschifffahrtsgesellschaftskapitän 座った", heads=3, width=21),
}


@cache
def solved(source: str) -> Solution:
    """Worked once for all tests: they only draw it."""
    return explain(SOURCES[source])


@cache
def figures_with_all_the_room(source: str) -> set[str]:
    return figures([line.plain for line in solution_page(solved(source).handout(), 10_000)])


def lines(solution: Solution, width: int, precision: int = 4) -> list[str]:
    page = solution_page(solution.handout(precision), page_width(width), legend=True)
    if "masked" in solution.trace:
        setting = setting_of(solution.trace, precision)
        page += laboratory_page(setting, experiments(setting.scores, setting.mask), page_width(width))
    return [line.plain for line in page]


def figures(page: list[str]) -> set[str]:
    """All that stands between brackets."""
    return {cell for line in page for row in re.findall("[⎡⎢⎣](.*?)[⎤⎥⎦]", line) for cell in row.split()}


@pytest.mark.parametrize("precision", [2, 4, 15])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_page_keeps_to_its_width(source: str, width: int, precision: int) -> None:
    for line in lines(solved(source), width, precision):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        opened, closed = re.findall("[⎡⎢⎣]", line), re.findall("[⎤⎥⎦]", line)
        assert ["⎡⎢⎣".index(sign) for sign in opened] == ["⎤⎥⎦".index(sign) for sign in closed]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", SOURCES)
def test_no_number_is_cut(source: str, width: int) -> None:
    solution = solved(source)
    shown = figures([line.plain for line in solution_page(solution.handout(), page_width(width))])
    assert len(shown) > 3 or source in ("one-token", "thinking-machines")
    assert shown <= figures_with_all_the_room(source) | {"…"}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_bar_is_as_high_as_its_stage(width: int) -> None:
    text = lines(solved("three words"), width)
    start, end = (text.index(heading(title, page_width(width))[0].plain) for title in ("worked", "one number"))
    worked = text[start:end]
    blocks = "\n".join(worked[1:]).strip("\n").split("\n\n")
    assert len(blocks) == 10
    assert all(line.startswith("  ▌") for block in blocks for line in block.splitlines())


def test_a_matrix_that_does_not_fit_says_how_much_is_missing() -> None:
    text = "\n".join(lines(solved("twenty words"), 60))
    row = re.search(r"word19 ⎣ (.*) … ⎦\n  ▌ +… (\d+) more columns", text[text.index("A = softmax") :])
    assert row is not None
    assert len(row[1].split()) + int(row[2]) == 20
