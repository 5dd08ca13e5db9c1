"""Tables in LaTeX: rules and alignments are no part of them, and headings over several columns are not guessed at."""

import pytest
from helpers.checked_notes import checked

HEADING = r"$x_1$ & $x_2$ & $z = 2x_1 - 3x_2 + 1$ & $\hat{y}$ \\"


def table(*rows: str, heading: str = HEADING, kind: str = "tabular", columns: str = "{cc|cc}") -> str:
    body = "\n".join(rows)
    inside = f"\\toprule\n{heading}\n\\midrule\n{body}\n\\bottomrule\n"
    return f"\\begin{{document}}\nA table:\n\\begin{{{kind}}}{columns}\n{inside}\\end{{{kind}}}\n\\end{{document}}\n"


ROWS = (r"0 & 0 & $1$ & 1 \\", r"1 & 1 & $\phantom{-}0$ & \textbf{1} \\[2pt]", r"2.5 & 1 & $3.0$ & 1 \\")


def test_right_numbers_are_right() -> None:
    report = checked(table(*ROWS), ".tex")
    assert report.findings == []
    assert report.coverage.checked == 3


@pytest.mark.parametrize(("kind", "columns"), [("tabular", "{cc|cc}"), ("tabularx", r"{\textwidth}{XX|XX}")])
def test_a_wrong_one_is_found_in_its_line(kind: str, columns: str) -> None:
    report = checked(table(*ROWS, r"3.5 & 2.25 & $1.52$ & 1 \\", kind=kind, columns=columns), ".tex")
    assert [(each.line, each.printed, each.right) for each in report.findings] == [(10, "1.52", "1.25")]


def test_headings_over_several_columns_are_not_guessed_at() -> None:
    report = checked(table(*ROWS, heading=r"\multicolumn{2}{c}{inputs} & $z = 2x_1 - 3x_2 + 1$ & y \\"), ".tex")
    assert report.coverage.checked == 0
    assert report.findings == []


def test_a_table_that_never_ends_is_left_as_text() -> None:
    notes = table(*ROWS).replace("\\end{tabular}\n", "")
    assert checked(notes, ".tex").coverage.checked == 0
