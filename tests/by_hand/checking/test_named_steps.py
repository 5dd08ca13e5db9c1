"""Steps that only words name: read where most numbers come out, and left alone where they do not."""

import pytest

from glassformer.by_hand.check import check_text

STEPS = """$$ S = \\begin{{bmatrix}} 1 & 3 \\\\ 0 & 2 \\end{{bmatrix}} $$

### Step 2 — {words}

$$ {name} \\begin{{bmatrix}} {numbers} \\end{{bmatrix}} $$
"""


def found(words: str, numbers: str, name: str = "") -> list[tuple[str, str]]:
    report = check_text(STEPS.format(words=words, numbers=numbers, name=name))
    return [(each.printed, each.right) for each in report.findings]


@pytest.mark.parametrize(
    ("words", "numbers", "wrong"),
    [
        ("softmax each row", "0.12 & 0.88 \\\\ 0.12 & 0.98", ("0.98", "0.88")),
        ("scale by $\\sqrt{4}$", "0.5 & 1.5 \\\\ 0 & 1.6", ("1.6", "1.0")),
        ("divide by 2", "0.5 & 1.5 \\\\ 0 & 1.6", ("1.6", "1.0")),
        ("apply the sigmoid", "0.73 & 0.95 \\\\ 0.50 & 0.98", ("0.98", "0.88")),
    ],
)
@pytest.mark.parametrize("name", ["", "A =", "A \\approx"])
def test_a_step_named_in_a_heading(words: str, numbers: str, wrong: tuple[str, str], name: str) -> None:
    assert found(words, numbers, name) == [wrong]


def test_a_step_named_in_a_sentence() -> None:
    notes = "\\[ S = [0, 1, 0] \\]\nApplying softmax to $S$ gives\n\\[ A \\approx [0.21, 0.58, 0.31] \\]\n"
    assert [(each.printed, each.right) for each in check_text(notes, "notes", ".tex").findings] == [("0.31", "0.21")]


@pytest.mark.parametrize("given", ["M = [0, 0, -\\infty]", "N = [0, 0, 0]"])
def test_a_step_whose_formula_stands_in_the_sentence(given: str) -> None:
    notes = f"\\[ S_{{\\mathrm{{all}}}} = [0, 1, 0] \\]\n\\[ {given} \\]\nApplying row-wise softmax to "
    notes += "$S_{\\mathrm{all}} + M$ gives\n\\[ A \\approx [0.27, 0.37, 0.00] \\]\n"
    report = check_text(notes, "notes", ".tex")
    wrong = [(each.printed, each.right) for each in report.findings]
    assert wrong == ([("0.37", "0.73")] if given.startswith("M") else [])  # M is not known then
    assert report.coverage.checked == (3 if given.startswith("M") else 0)


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("softmax of another matrix", "0.40 & 0.60 \\\\ 0.30 & 0.70"),  # nothing comes out
        ("scale by the root of the width", "0.5 & 1.5 \\\\ 0 & 1.6"),  # by what?
        ("the attention weights", "0.12 & 0.88 \\\\ 0.12 & 0.98"),  # names no operation
    ],
)
def test_no_reading_in_doubt(words: str, numbers: str) -> None:
    assert found(words, numbers) == []
