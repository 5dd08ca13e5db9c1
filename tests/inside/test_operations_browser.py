"""The page's reading of the table of operations, held against Python's: every operation, over random operands."""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from helpers.operands import SHAPES, random_case
from playwright.sync_api import Browser, Page

from glassformer.stages.arithmetic import OPERATIONS, Operand, Working
from glassformer.stages.operations import resolved
from glassformer.stages.trace import json_values

pytestmark = pytest.mark.browser
SEEDS = range(40)

# A store of a few stages, and what the page says of one number of each; numbers as text, so that none is lost.
SPELLING = """
window.spell = (operations, cases) => {
  const said = cases.map(({ stages, index }) => {
    const found = new Map(stages.map((stage) => [stage.address, stage]));
    const value = (address, place) => Number(place.reduce((values, i) => values[i], found.get(address).values));
    const store = { data: { operations }, stage: (address) => found.get(address), value, writtenAt: () => false };
    return spelledFromOperation(store, "made", index);
  });
  return JSON.stringify(said, (_, value) => (typeof value === "number" ? String(value) : value));
};
"""


def stage(address: str, values: Any, **more: Any) -> dict[str, Any]:
    return {"address": address, "shape": list(values.shape), "values": json_values(values), **more}


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """An empty page with the page's own reader of the table."""
    script = files("glassformer.inside.page").joinpath("operations.js").read_text(encoding="utf-8")
    opened = browser.new_page()
    opened.add_script_tag(content=script + SPELLING, type="module")
    opened.wait_for_function("() => Boolean(window.spell)")
    yield opened
    opened.close()


def by_page(page: Page, operation: str, cases: list[tuple[Any, Any, Any]]) -> list[dict[str, Any]]:
    asked = [
        {
            "index": list(index),
            "stages": [
                stage(*made, operation=operation, operands=[each and each[0] for each in operands]),
                *(stage(*each) for each in operands if each),
            ],
        }
        for index, made, operands in cases
    ]
    text = json.dumps([{operation: resolved(operation)}, asked], allow_nan=False)  # Playwright packs numbers singly
    answer = page.evaluate("(text) => spell(...JSON.parse(text))", text)
    return json.loads(answer)  # type: ignore[no-any-return]


def by_core(operation: str, index: Any, made: Any, operands: Any) -> Working:
    return OPERATIONS[operation](index, Operand(*made), *(each and Operand(*each) for each in operands))


def number(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


@pytest.mark.parametrize("operation", SHAPES)
def test_the_page_reads_every_operation_as_the_core_does(operation: str, page: Page) -> None:
    cases = [random_case(operation, seed) for seed in SEEDS]
    for case, said in zip(cases, by_page(page, operation, cases), strict=True):
        true = by_core(operation, *case)
        assert said["pattern"] == true.pattern, case
        assert [each["pattern"] for each in said["terms"]] == [each.pattern for each in true.terms], case
        for term, wanted in zip(said["terms"], true.terms, strict=True):
            assert number(term["value"]) == pytest.approx(wanted.value, rel=1e-14, abs=0), case
            cells = [(cell["address"], tuple(map(int, cell["index"])), number(cell["value"])) for cell in term["cells"]]
            assert cells == [(cell.address, cell.index, cell.value) for cell in wanted.cells], case


def begins_with(working: Working) -> str:
    """The stage of its first number: two cases may differ in nothing else."""
    return next((cell.address for term in working.terms for cell in term.cells), "")


def test_the_cases_of_an_operation_are_all_met() -> None:
    """Otherwise the test above would hold of half a table."""
    for operation in SHAPES:
        patterns = {
            (found.pattern.strip("{}0123456789 "), *{term.pattern for term in found.terms}, begins_with(found))
            for found in (by_core(operation, *random_case(operation, seed)) for seed in SEEDS)
        }
        assert len(patterns) >= len(resolved(operation)), operation
