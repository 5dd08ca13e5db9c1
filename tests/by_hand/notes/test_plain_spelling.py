"""Habits of writing: frames seen through, names told from products, and every sign in its place."""

import pytest
from helpers.checked_notes import found
from hypothesis import given
from hypothesis import strategies as st

from glassformer.by_hand.check import check_text
from glassformer.by_hand.notes.macros import without_definitions
from glassformer.by_hand.notes.plain_spelling import plainly


@pytest.mark.parametrize(
    ("text", "suffix", "finding"),
    [
        (r"$z = 3.0 + 0.06 = \boxed{9.06}$", ".md", (1, "9.06", "3.06")),
        (r"$z = 3 \cdot 4 = \textcolor{red}{13}$", ".md", (1, "13", "12")),
        (r"$z = 3 \cdot 4 = \red{13}$", ".md", (1, "13", "12")),
        (r"$z = 3 \cdot 4 = {\color{blue} 13}$", ".md", (1, "13", "12")),
        (r"$z = \underbrace{3 \cdot 4}_{\text{first}} + 1 = 14$", ".md", (1, "14", "13")),
        (r"$z = 3 \cdot 4 = \textbf{13}$", ".md", (1, "13", "12")),
        (r"z = 3 · 4 = **13**", ".md", (1, "13", "12")),
        ("**3.2 · 4.1 = 14.12** ✓", ".md", (1, "14.12", "13.12")),
        ("_Example (ear shape):_ `20.51 - 11.67 = 8.48`", ".md", (1, "8.48", "8.84")),
        ("```\n0.32 + 0.15 = 0.57 ✅\n```", ".md", (2, "0.57", "0.47")),
        ("```\n0.32 + 0.15 = 0.57   ← from the sentence\n```", ".md", (2, "0.57", "0.47")),
        ("- $(1, 1)$: $0.71 \\times 0.60 = 0.46$ [ok]", ".md", (1, "0.46", "0.43")),
        (r"$S_{\text{a b}} = [0, 1]$ and $S_{\text{a b}} + [1, 1] = [1, 3]$", ".md", (1, "3", "2")),
        (r"\[ y_\mathrm{in} = [1, 2] \] and \[ y_\mathrm{in} + [1, 1] = [2, 4] \]", ".tex", (1, "4", "3")),
        (r"z = 0.42x1 + 0.15x0 + 0.42x1 = 0.94", ".txt", (1, "0.94", "0.84")),
        (r"z = 4.11 / 8.22 ~ 0.60", ".txt", (1, "0.60", "0.50")),
        (r"- \[1, 2] · \[3, 4] = 12", ".md", (1, "12", "11")),
        ("```\nm = (1 + 3) / 4\n  = 4 / 4\n  = 2\n```", ".md", (4, "2", "1")),
        ("1.43 + 2.57\n\n=\n\n5.00", ".md", (5, "5.00", "4.00")),
        ("Mean\n\n=\n\n(1 + 3)\n\n/\n\n2\n\n=\n\n3", ".md", (13, "3", "2")),
        ("  0.50\n+ 0.25\n------\n  0.85\n", ".txt", (4, "0.85", "0.75")),
        ("X =\n[1 0]\n[0 2]\n\nX + X = [[2, 0], [0, 5]]", ".txt", (5, "5", "4")),
        ("X =\n[\n 1 0\n 0 2\n]\n\nX + X = [[2, 0], [0, 5]]", ".txt", (7, "5", "4")),
        ("X = [\n  [1, 0],\n  [0, 2]\n]\n\nX + X = [[2, 0], [0, 5]]", ".txt", (6, "5", "4")),
        ("x<sub>1</sub> = [1, 2]\n\nx<sub>1</sub> + [1, 1] = [2, 4]", ".md", (3, "4", "3")),
    ],
)
def test_a_habit_is_read(text: str, suffix: str, finding: tuple[int, str, str]) -> None:
    assert found(text, suffix) == [finding]


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: 1 + 1 = 3\n---\n\ntext",
        "+++\ntitle = '1 + 1 = 3'\n+++\n",
        "![1 + 1 = 3](1+1=3.png)",
        "<!-- 1 + 1 = 3 -->",
        "- [1 + 1 = 3](#one)",
        "see https://example.org/?1+1=3 and <https://example.org/1+1=3>",
        "y = 0.5x1 + 0.3x2 = 0.9",  # weights times x1 and x2
        "a 3x4 matrix = 12.5x2 larger",
        "The files ~ 3 of them",
    ],
)
def test_what_makes_no_claim(text: str) -> None:
    report = check_text(text)
    assert report.findings == []
    assert report.checked == 0


def test_a_name_is_not_taken_for_a_product() -> None:
    assert found("x1 = 3\n\ny = 0.5x1 + 0.3x1 = 2.4") == []
    assert found("z = 0.5x1 + 0.3x1 = 2.4") == [(1, "2.4", "0.8")]


@given(st.text(alphabet="ab01 \\{}[]()$_^~xX*.=\n#-+<>!`&%", max_size=200), st.sampled_from([".md", ".tex", ".txt"]))
def test_every_sign_keeps_its_place(text: str, suffix: str) -> None:
    plain = plainly(text, suffix)
    assert len(plain) == len(text)
    assert [i for i, sign in enumerate(text) if sign == "\n"] == [i for i, sign in enumerate(plain) if sign == "\n"]
    assert len(without_definitions(text)) == len(text)


def test_what_is_said_of_a_line_that_came_out_is_no_part_of_it() -> None:
    product = r"$L L^\top = \begin{pmatrix}2&0\\1&3\end{pmatrix}\begin{pmatrix}2&1\\0&3\end{pmatrix}"
    report = check_text(f"Verify: {product} = \\begin{{pmatrix}}4&2\\\\2&10\\end{{pmatrix}}$ [ok]\n")
    assert report.findings == []
    assert report.coverage.checked == 4


def test_a_cross_is_no_tick() -> None:
    assert "❌" in plainly("❌ 2 + 3 = 6", ".md")
    assert found("❌ 0.32 + 0.15 = 0.57") == []


def test_a_working_in_slanted_type_is_read() -> None:
    report = check_text("第一天 _v1  = 0.02θ1  =  0.02 × 40  =  0.8_ ，因此 _v2 = 0.3 × 0.5 = 0.19_ 。\n")
    assert ([(f.printed, f.right) for f in report.findings], report.coverage.checked) == ([("0.19", "0.15")], 1)
    assert plainly("_W_Q = x_1 + 2_ and W _Q = 2", ".md") == " W_Q = x_1 + 2  and W _Q = 2"


@pytest.mark.parametrize("word", ["to", "到", "and then"])
def test_formulas_between_backticks_are_workings_of_their_own(word: str) -> None:
    report = check_text(f"From `(10 + 0) * 8 = 80` {word} `(10 + 1) * 8 = 88`.\n")
    assert (report.findings, report.coverage.checked) == ([], 2)
