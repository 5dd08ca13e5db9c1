"""Habits of people who write notes: asides, decimal commas, tables, comments. None of them raises a false alarm."""

import pytest

from glassformer.by_hand.check import check_document, check_text
from glassformer.by_hand.notes.reading import open_bytes


def told(notes: str, suffix: str = ".md") -> list[tuple[int, str, str]]:
    """The findings of a note, and a proof that all of it was read."""
    report = check_document(open_bytes(notes.encode(), "notes", suffix))
    assert not report.unreadable
    return [(finding.line, finding.printed, finding.right) for finding in report.findings]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        (r"With $c = 2$ and $b = 1$: $y = c [1, 2] + b = [3, 5]$", ()),
        ("Divide by √4 ≈ 2.0: [3, 6] / 2.0 → [1.5, 3]", ()),
        ("Divide by 8 ( √dk, with dk = 64 ): 112 / 8 = 15", ("15", "14")),
        (r"loss $= -\ln 0.5 = 0.693$, gain $= 0.8$; rate $= 0.10 + 0.20 = 0.40$.", ("0.40", "0.30")),
        ("**Query.** W_Q = [[1, 0], [0, 1]]. So **q = [1, 2] W_Q = [1, 3]**.", ("3", "2")),
        (r"$\log_2 8 = 3$, $\ln(2) \approx 0.693$ and $\max(1, 4, 2) = 5$", ("5", "4")),
        (r"sigmoid: $\sigma(0) = 0.5$, $\sigma([2, -1]) = [0.88, 0.73]$", ("0.73", "0.27")),
        ("3.2 × 10^{-3} = 0.032", ("0.032", "0.0032")),
    ],
)
def test_lines_as_people_write_them(line: str, wrong: tuple[str, ...]) -> None:
    assert told(line + "\n") == ([(1, *wrong)] if wrong else [])


def test_a_word_has_another_row_at_every_step() -> None:
    notes = "cat → [1, 0]\n\nsat → [0, 2]\n\ncat·sat = [2, 1] · [3, 0] = 2×3 + 1×0 = 7\n"
    assert told(notes) == [(5, "7", "6")]


def test_decimal_commas() -> None:
    assert told("Q = [1,5; 0,5]\n\n0,5 · 0,4 = 0,3\n") == [(3, "0,3", "0,2")]
    assert told("softmax([2; 1; 0,1]) = [0,659; 0,422; 0,099]\n") == [(1, "0,422", "0,242")]
    assert told(r"$0{,}5 \cdot 0{,}4 = 0{,}3$") == [(1, "0{,}3", "0{,}2")]
    assert told("A = [1,0,1] + [0,1,2] = [1,1,4]\n") == [(1, "4", "3")]
    assert told("S;1,5;0,5\n2 S = S + S;3,0;1,5\n", ".csv") == [(2, "1.5", "1.0")]


def test_comments_in_latex_are_not_read() -> None:
    notes = "\\begin{document}\n$1 + 1 = 2$ \\cite[p.~3]{book}. % $1 + 1 = 3$\n\\[ x = 2 + 2 % = 5\n = 4 \\]\n"
    assert told(notes, ".tex") == []


def test_calls_with_keywords_are_programs() -> None:
    report = check_text("```python\nconfig = dict(d_model=512, heads=8)\nmodel = Model(d=2)\n```\n")
    assert report.claims == 0


def test_tables_with_labels_are_matrices() -> None:
    given = "Q = [[2, 1], [1, 3]] and K = [[1, 1], [3, 0]]\n\n"
    rule, rows = "|---|---|---|\n", "| cat | 3 | 6 |\n| sat | 4 | **5** |\n"
    assert told(f"{given}| QKᵀ | cat | sat |\n{rule}{rows}") == [(6, "5", "3")]
    assert told(f"{given}Attention scores:\n\n| query / key | cat | sat |\n{rule}{rows}") == []  # by its name alone
    assert told(f"{given}| model | layers | heads |\n{rule}| base | 6 | 8 |\n| big | 6 | 16 |\n") == []
    assert told(f"{given}| QKᵀ | cat | note |\n{rule}| cat | 3 | so so |\n| sat | 4 | fine |\n") == []


def test_tables_with_numbers_for_labels() -> None:
    given = "Q = [[2, 1], [1, 3]] and K = [[1, 1], [3, 0]]\n\n"
    rows = "|---|---|---|\n| 1 | 3 | 6 |\n| 2 | 4 | 5 |\n"
    assert told(f"{given}| QKᵀ | 1 | 2 |\n{rows}") == [(6, "5", "3")]
    plain = check_text(f"{given}| epoch | loss | rate |\n{rows}")
    assert (3, "a table of numbers without a name or a formula") in [(r.line, r.why) for r in plain.not_checkable]
    assert plain.findings == []


def test_tables_with_a_formula_for_each_column() -> None:
    waves = "| pos | sin(pos) | cos(pos/100^(2/d)) |\n|---|---|---|\n| 0 | 0 | 1 |\n| 1 | 0.84 | 1.00 |\n"
    waves += "| 2 | 0.19 | 0.98 |\n"  # sin 2 = 0.909, cos(2/10) = 0.980
    assert told("d = 4\n\n" + waves) == [(7, "0.19", "0.91")]
    assert told("| x | y | x·y | x/y |\n|---|---|---|---|\n| 3 | 4 | 12 | 0.75 |\n| 2 | 8 | 15 | 0.25 |\n") == [
        (4, "15", "16")
    ]
    assert told("| x | e^x | softmax(x) |\n|---|---|---|\n| 0 | 1 | 0.50 |\n| 0 | 1 | 0.60 |\n") == [
        (4, "0.60", "0.50")
    ]
    assert told("| x | 2·x |\n|---|---|\n| 0,5 | 1,0 |\n| 1,5 | 2,0 |\n\n0,5 · 0,4 = 0,2\n") == [(4, "2,0", "3,0")]


def test_columns_that_cannot_be_worked_out_say_so() -> None:
    table = "| x | 2·x + | x² | x/z |\n|---|---|---|---|\n| 1 | 2 | so | 3 |\n| 2 | 4 | la | 6 |\n"
    report = check_text(table)
    assert [(r.line, r.why) for r in report.unreadable] == [
        (1, "the column '2·x +': the end is not expected here"),
        (1, "the column 'x²': it does not stand on numbers alone"),
    ]
    assert {r.why for r in report.not_checkable} == {"nothing is known of 'z'"}
    assert report.claims == report.checked + len(report.not_checkable) + len(report.unreadable)


def test_blocks_in_other_languages_are_counted() -> None:
    report = check_text("1 + 1 = 2\n\n```js\nlet a = 3 + 4;\n```\n\n```sh\nls -l\n```\n")
    assert (report.claims, report.checked) == (2, 1)
    assert [(r.line, r.why) for r in report.not_checkable] == [(3, "a code block in js")]


def test_two_vectors_on_one_line_are_no_product() -> None:
    assert told("q = [1,0] k = [0,1]\n\nq + k = [1, 2]\n") == [(3, "2", "1")]
    assert told("W = [[1, 0], [0, 1]]\n\nq = [1,0] W = [1,1]\n") == [(3, "1", "0")]
    report = check_text("q = [1,0] W = [1,1]\n\nq + q = [9, 9]\n")
    assert [r.why for r in report.unreadable] == ["'W' may be a factor, or the name of what follows"]
    assert report.findings == []


def test_bars_and_letters_with_marks() -> None:
    assert told("x = -3, |x| = 3 and |2 - 5| = 4") == [(1, "4", "3")]
    assert told("v = [3, 4], ‖v‖ = 6 and ||v|| = 5") == [(1, "6", "5")]
    assert told("x̄ = (1 + 2)/2 = 1.6 and ŷ = 2 x̄ = 3.0") == [(1, "1.6", "1.5")]
    report = check_text("v = [3, -4], |v| = 7")
    assert "|…| of several numbers may be their length, or each without its sign" in {
        r.why for r in report.not_checkable
    }


def test_the_usual_meaning_of_a_name_is_no_ground() -> None:
    assert check_text("Q = [[2, 1], [1, 3]]\n\nK = [[1, 1], [3, 0]]\n\nscores = [[3, 6], [4, 5]]\n").findings == []
    said = check_text("Q = [[2, 1], [1, 3]]\n\nK = [[1, 1], [3, 0]]\n\nS = Q K^T = [[3, 6], [4, 5]]\n").first_wrong
    assert said is not None
    assert said.sure == "impossible"


@pytest.mark.parametrize(
    "line",
    [
        "n² = 1024² = 1,048,576 entries × 2 bytes and so on",
        "the: q = [1, 0]  k = [0, 1]  v = [1, 2]",
        r"Mask: $[2.0, 1.0, -10^9] \to [0.731, 0.269, 0]$",
        "a = (1,2), b = (3,4). Then a + b = (4,6), a·b = 11, 2a = (2,4). Also 0 + 1 = 1",
        "N = 1,000 and M = 2,500, so N + M = 3,500.",
        "accuracy = 0.91 (was 0.87), loss = 0.3 → 0.2",
        r"$S = [2, 2]$, $\mathrm{softmax}\!\left(S\right) = [0.5, 0.5]$",
        "cos(1/10000^(2/4)) = cos(0.01) = 1.000",
        "[1,0].[1,1] = 1",
    ],
)
def test_right_lines_raise_no_alarm(line: str) -> None:
    assert told(line + "\n") == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("See (1,5). 3,50 · 2 = 7,00", "'3,50' may be one number with a decimal comma, or several numbers"),
        ("4 · 512 = 2 MB", "a number with the unit 'MB'"),
    ],
)
def test_what_may_mean_two_things_is_not_guessed(line: str, why: str) -> None:
    report = check_text(line + "\n")
    assert not report.findings
    assert why in [remark.why for remark in report.unreadable]
