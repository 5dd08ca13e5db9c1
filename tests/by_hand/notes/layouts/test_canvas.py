"""Matrices drawn over several lines: read by column, every number with its true place; what is unclear is said so."""

import json
from pathlib import Path

import pytest

from glassformer.by_hand.check import check, check_text
from glassformer.by_hand.checking.findings import Report
from glassformer.by_hand.exercises.writing import set_in_line
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.reports.html import to_html
from glassformer.by_hand.reports.margins import to_markdown
from glassformer.by_hand.reports.mending import mend


def drawn(notes: str) -> list[str]:
    """What the drawings of notes say on one line."""
    passages = open_bytes(notes.encode(), "notes", ".md").passages
    return [passage.drawing.text for passage in passages if passage.drawing is not None]


def found(notes: str, suffix: str = ".md") -> list[tuple[str, int, int, str, str]]:
    report = check_text(notes, suffix=suffix)
    assert report.claims == report.checked + len(report.not_checkable) + len(report.unreadable)
    return [(f.name, f.line, f.column, f.printed, f.right) for f in report.findings]


def unread(report: Report) -> list[tuple[int, str]]:
    return [(remark.line, remark.why) for remark in report.unreadable]


SIDE_BY_SIDE = """\
Q = [1 0]   K = [0 1]
    [1 1]       [1 0]

Q K^T = [0 1]
        [1 2]
"""


def test_matrices_side_by_side() -> None:
    assert drawn(SIDE_BY_SIDE) == ["Q = [1, 0; 1, 1]   K = [0, 1; 1, 0]", "Q K^T = [0, 1; 1, 2]"]
    assert found(SIDE_BY_SIDE) == [("Q Kᵀ", 5, 12, "2", "1")]  # [1 1] · [1 0] = 1


def test_rows_need_no_empty_line_between_the_matrices() -> None:
    notes = "Q = [1 0]\n    [1 1]\nK = [0 1]\n    [1 0]\nQ K^T = [0 1]\n        [1 2]\n"
    assert found(notes) == [("Q Kᵀ", 6, 12, "2", "1")]


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize(
    ("left", "right"), [("[[[", "]]]"), ("|||", "|||"), ("⎡⎢⎣", "⎤⎥⎦"), ("⎛⎜⎝", "⎞⎟⎠"), ("│││", "│││"), ("(((", ")))")]
)
def test_any_bracket_and_the_signs_in_any_row(left: str, right: str, row: int) -> None:
    first, second, total = ("1 0", "1 1", "2 1"), ("0 1", "1 0", "1 1"), ("1 1", "2 1", "3 3")
    a, b, c = ([f"{left[i]}{rows[i]}{right[i]}" for i in range(3)] for rows in (first, second, total))
    assert found(set_in_line(["C =", a, "+", b, "=", c], row)) == [("C", 3, 24, "3", "2")]  # 1 + 1 = 2


def test_frames_with_corners_of_their_own() -> None:
    notes = """\
    ┌     ┐   ┌     ┐   ┌     ┐
C = │ 1 0 │ × │ 0 1 │ = │ 0 1 │
    │ 1 1 │   │ 1 0 │   │ 2 1 │
    └     ┘   └     ┘   └     ┘
"""
    assert found(notes) == [("C", 3, 27, "2", "1")]  # 1×0 + 1×1 = 1


def test_matrices_of_different_heights() -> None:
    notes = """\
H = [0.2 0.4 0.4] [1 2]   [0.60 2.40]
                  [0 1] =
                  [1 3]
"""
    assert drawn(notes) == ["H = [0.2, 0.4, 0.4] [1, 2; 0, 1; 1, 3] = [0.60, 2.40]"]
    assert found(notes) == [("H", 1, 33, "2.40", "2.00")]  # 0.2×2 + 0.4×1 + 0.4×3 = 2


def test_a_program_prints_matrices_side_by_side() -> None:
    notes = "Q = [[1. 0.]   K = [[0. 1.]\n     [1. 1.]]       [1. 0.]]\n\nQ K^T = [[0. 1.]\n         [1. 2.]]\n"
    assert found(notes) == [("Q Kᵀ", 5, 14, "2.", "1")]
    assert check_text("[[1. 0.]] + [[1. 0.]] = [[2. 0.]]").first_wrong is None


def test_a_chain_goes_on_below_with_drawings_of_its_own() -> None:
    notes = "S = [1 0] [0 1]\n    [1 1] [1 0]\n  = [0 1]\n    [1 2]\n"
    assert found(notes) == [("S", 4, 8, "2", "1")]


def test_entries_may_be_sums_or_words_apart_by_wide_gaps() -> None:
    notes = "C = [1·0 + 2·1   1·1 + 2·0]\n    [0·0 + 1·1   0·1 + 1·0]\n\nC = [2 1]\n    [1 1]\n"
    assert drawn(notes)[0] == "C = [1·0 + 2·1, 1·1 + 2·0; 0·0 + 1·1, 0·1 + 1·0]"
    assert found("C = [1·0 + 2·1  1·1] = [2 1]\n    [0·0 + 1·1  0·1]   [1 1]\n") == [("C", 2, 27, "1", "0")]


def test_remarks_beside_rows_bullets_and_quotations() -> None:
    notes = "> - Q = [1 0]   (tea)\n>       [1 1]   (milk)\n\nQ + Q = [2 0]  # first\n        [2 3]  # second\n"
    assert found(notes) == [("Q + Q", 5, 12, "3", "2")]


def test_decimal_commas() -> None:
    notes = "V = [0,5  1,5]\n    [0,25 2,5]\n\nV + V = [1,0 3,0]\n        [0,5 4,0]\n"
    assert found(notes) == [("V + V", 5, 14, "4,0", "5,0")]


def test_prose_around_a_drawing() -> None:
    notes = """\
Let Q = [1 0] and K = [0 1],
        [1 1]         [1 0]
so that Q K^T = [0 1].
                [1 2]
[1 2] is wrong.
"""
    assert found(notes) == [("Q Kᵀ", 4, 20, "2", "1")]


def test_blocks_of_text_and_comments_in_code() -> None:
    assert found(f"```text\n{SIDE_BY_SIDE}```\n") == [("Q Kᵀ", 6, 12, "2", "1")]
    notes = """\
```python
Q = [[1, 0], [1, 1]]
S = Q @ Q.T
# [1 1]
# [1 3]
T = Q + Q  # [2 0]
           # [2 3]
# X = [1 0]
#     [0 1]
#
# X + X = [2 0]
#         [0 3]
```
"""
    assert found(notes) == [("S", 5, 6, "3", "2"), ("T", 7, 17, "3", "2"), ("X + X", 12, 14, "3", "2")]


def test_drawings_in_notebooks(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": text} for text in ("Some words.", SIDE_BY_SIDE)]
    path = tmp_path / "notes.ipynb"
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}))
    (finding,) = check(path).findings
    assert (finding.file, finding.line, finding.column) == (f"{path}, cell 2", 5, 12)


@pytest.mark.parametrize(
    "notes",
    [
        "q1 = [1 0]\nq2 = [0 1]\n",
        "tea  → [1 0]\nmilk → [0 1]\n",
        "tea: [1, 0]\nmilk: [0, 1]\n",
        "A = [1 2]  B = [3 4]\nC = [1 2]  D = [3 4]\n",
        "[1 0] W = [1 0]\n[0 1] W = [1 1]\n",
        "scores[0] = 1\nscores[1] = 2\n",
        "The matrix [1] is known from\nSmith too. [2] says the same.\n",
        "- [x] 1 done\n- [ ] 2 open\n",
        "[1]: http://one.example\n[2]: http://two.example\n",
        "| 1 | 2 |\n|---|---|\n| 3 | 4 |\n| 5 | 6 |\n",
        "Q = [[1, 0],\n     [1, 1]]\n",
    ],
)
def test_lines_with_names_of_their_own_stay_apart(notes: str) -> None:
    assert drawn(notes) == []
    assert check_text(notes).unreadable == []


@pytest.mark.parametrize(
    ("notes", "line", "why"),
    [
        ("Q = [1 0]\n    [1 1 2]\n", 1, "a ragged matrix: its rows have 2, 3 entries"),
        ("Q = [1 0]\n[1 1]\n", 1, "a row stands below, but not under the bracket: does it belong here?"),
        ("Q = [1 0]\n    [1 1]\n[2 2]\n", 1, "a row stands below, but not under the bracket: does it belong here?"),
        ("A = [1 2]   B = [1 1]\n    [3 4]   C = [2 2]\n", 1, "with signs in more than one line between them"),
        ("Q = tea  [1 0]\n    milk [1 1]\n", 1, "with signs in more than one line between them"),
        ("    [1 0]\nQ = [1 1]\n    [0 1]\nK = [1 0]\n    [3 3]\n", 1, "which belong to which name?"),
        ("Q = [1 0\n     1 1]\n", 1, "a line ends within a row: one long row, or two rows?"),
        ("Q = [1 0]\n    [ ⋮ ]\n    [1 1]\n", 1, "the sign '⋮' is not known"),
        ("Q = | 1 0 | 0 |\n    | 1 1 | 0 |\n", 1, "with signs in more than one line between them"),
    ],
)
def test_what_may_be_read_in_two_ways_is_not_guessed(notes: str, line: int, why: str) -> None:
    report = check_text(notes + "\nQ + Q = [9 9]\n")
    assert report.findings == []
    assert [(at, why) for at, said in unread(report) if why in said] == [(line, why)]
    assert "nothing is known of 'Q'" in {remark.why for remark in report.not_checkable} or "A = " in notes


def test_reports_keep_the_drawing_and_the_corrected_copy_is_right() -> None:
    notes = "Q = [1 0]      K = [9 1]\n    [1 1]          [1 0]\n\nQ + Q + K = [11 1]   2 Q = [2 0]\n"
    notes += "            [ 3 9]         [2 2]\n"
    report = check_text(notes, "notes.md")
    assert "<pre class='drawn'>" in to_html(report)
    assert notes.splitlines()[0] in to_markdown(report)
    mended = mend(report.documents[0], report.corrections["notes.md"])
    assert mended.splitlines()[-1] == "            [ 3 2]         [2 2]"
    again = check_text(mended)
    assert (again.findings, again.unreadable, again.checked) == ([], [], report.checked)


def test_a_longer_number_keeps_what_follows_in_its_column() -> None:
    notes = "A = 6 [1 2] = [6 2]    B = 2 [1 1] = [2 2]\n      [3 4]   [18 24]          [1 1]   [2 2]\n"
    report = check_text(notes, "notes.md")
    assert mend(report.documents[0], report.corrections["notes.md"]).splitlines()[0] == (
        "A = 6 [1 2] = [6 12]   B = 2 [1 1] = [2 2]"
    )


def test_a_line_of_a_program_is_no_row() -> None:
    notes = "```python\nA = np.array([[1., 1.], [1., 2.]])\nprint(A @ A)  # [[2 3] [3 6]]\n```\n"
    assert [each[3:] for each in found(notes)] == [("6", "5")]
