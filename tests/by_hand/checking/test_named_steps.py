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


WORKED = """```
S = [[1, 3], [0, 2]]

{step}
  = [[{rows}]]
```
"""


@pytest.mark.parametrize(
    ("step", "rows", "wrong"),
    [
        ("Step 2: / sqrt(4) = / 2", "0.5, 1.5], [0, 1.{}", "0"),
        ("Step 2: ÷ 2", "0.5, 1.5], [0, 1.{}", "0"),
        ("Step 2: divide by 2", "0.5, 1.5], [0, 1.{}", "0"),
        ("Step 3: softmax (each row)", "0.12, 0.88], [0.12, 0.{}8", "8"),
    ],
)
def test_a_step_named_in_the_line_above_its_rows(step: str, rows: str, wrong: str) -> None:
    right = check_text(WORKED.format(step=step, rows=rows.format(wrong)))
    assert (right.findings, right.coverage.checked) == ([], 4)
    slip = check_text(WORKED.format(step=step, rows=rows.format("6")))
    assert [each.level for each in slip.findings] == ["wrong"]


@pytest.mark.parametrize("step", ["Step 2: mask and divide by 2", "Step 2: / sqrt(d)", "Step 2: a table"])
def test_a_line_that_names_no_step_or_more_than_one_proves_nothing(step: str) -> None:
    report = check_text(WORKED.format(step=step, rows="0.5, 1.5], [0, 1.6"))
    assert (report.findings, report.coverage.checked) == ([], 0)


def test_a_softmax_behind_the_powers_of_e() -> None:
    notes = "z = [2.0, 1.0, 0.1]\n\ne^z = [7.39, 2.72, 1.11]\n\nsoftmax = [0.66, 0.24, 0.10]\n"
    assert check_text(notes).coverage.checked == 6
