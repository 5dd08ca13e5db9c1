"""Statements: sentences part them, comments hold them, and every one is accounted for."""

import pytest

from glassformer.by_hand.check import check_text


def test_every_claim_is_accounted_for() -> None:
    notes = "X = [[1, 2]]\n\n$$Y = X W = [1, 3]$$\n\n$$Z = \\begin{bmatrix} 1 & 2 \\\\ 3 \\end{bmatrix}$$\n\n"
    notes += "2 + 2 = 4\n\n$$oops\n"
    report = check_text(notes)
    assert report.claims == report.checked + len(report.not_checkable) + len(report.unreadable)
    assert {(remark.line, remark.why) for remark in report.unreadable} == {
        (5, "a ragged matrix: its rows have 2, 1 entries"),
        (9, "'$$' is never closed"),
    }
    assert "nothing is known of 'W'" in {remark.why for remark in report.not_checkable}
    assert report.checked == 1


def test_results_in_comments_are_claims() -> None:
    notes = "```python\nQ = [[1, 0], [1, 1]]\nS = Q @ Q.T\n# [[1, 1],\n#  [1, 3]]\n"
    notes += "Z = S / 2  # [[0.5, 0.5], [0.5, 1.0]]\n```\n"
    report = check_text(notes)
    assert [(f.name, f.line, f.printed, f.right, f.verdict) for f in report.findings] == [("S", 5, "3", "2", "slip")]


def test_sentences_and_connectives_part_claims() -> None:
    report = check_text("So Q = [[1, 1]] and likewise 1/3 ≈ 0.33 and 2/3 ≈ 0.767. Then 2 + 2 = 4.")
    assert [(f.printed, f.right) for f in report.findings] == [("0.767", "0.667")]
    assert report.checked == 3


def test_numbers_at_the_end_of_a_sentence() -> None:
    report = check_text("d_model = 512, d_k = d_model / 8 = 64. √d_k = 8. The base has 8 × 64 = 521.")
    assert [(f.name, f.printed, f.right, f.cause) for f in report.findings] == [
        ("8 × 64", "521", "512", "digits swapped")
    ]
    assert report.findings[0].arithmetic == "8 × 64 = 512"


def test_entries_by_index() -> None:
    notes = "scores[0][0] = [1, 1] · [0, 1] = 1\n\nscores[0][1] = [1, 1] · [2, 0] = 3\n"
    assert [(f.name, f.printed, f.right) for f in check_text(notes).findings] == [("scores[0][1]", "3", "2")]


def test_the_last_number_of_a_sentence_is_not_gone_on_with() -> None:
    report = check_text("They have 9 and 13.\n\n= 2/sqrt(2·5) = 0.63.\n")
    assert (report.coverage.checked, report.findings) == (1, [])
    on_the_next_line = check_text("S = 3 · 4\n\n= 13\n")
    assert [(f.printed, f.right) for f in on_the_next_line.findings] == [("13", "12")]


def test_a_prime_turns_a_matrix_over_where_no_such_name_is_given() -> None:
    given = "$A = [[1, 2], [3, 4]]$\n\n"
    assert check_text(given + "$B = A' A = [[10, 14], [14, 20]]$\n").checked == 1
    report = check_text(given + "$A' = [[0, 1], [1, 0]]$\n\n$B = A' A = [[3, 4], [1, 5]]$\n")
    assert [(f.printed, f.right) for f in report.findings] == [("5", "2")]


def test_a_number_with_points_names_an_example() -> None:
    notes = "### Exercise 2.1\n\n$x = 2$\n\n### Exercise 2.2\n\n$x = 5$\n\n$y = x + 1 = 6$\n"
    assert check_text(notes).outcome == "fine"
    report = check_text("### Exercise 2.1\n\n$x = 2$\n\n### Exercise 2.2\n\n$y = x + 1 = 3$\n")
    assert "nothing is known of 'x'" in {remark.why for remark in report.not_checkable}


def test_what_a_row_is_may_be_said_behind_it() -> None:
    rows = "```\nw = [1, 3]\n\nS = 2 w = [[2,     ← the first word\n    6]]    ← the second word\n```\n"
    assert check_text(rows).coverage.checked == 2
    assert [f.printed for f in check_text(rows.replace("6]", "8]")).findings] == ["8"]


@pytest.mark.parametrize(
    ("line", "checked"),
    [
        ("print(a @ a)  # [[2 3] [3 5]]", 4),
        ("print(a @ a)  # Output: [[2. 3.] [3. 5.]]", 4),
        ("print(2 * x)  # 6", 1),
        ("print(x, x)  # 3 3", 0),
        ("print('x', 2 * x)  # 7", 0),
        ("print(f'{2 * x}')  # 7", 0),
    ],
)
def test_what_a_line_of_a_program_prints_may_be_said_behind_it(line: str, checked: int) -> None:
    report = check_text(f"```python\na = np.array([[1., 1.], [1., 2.]])\nx = 3\n{line}\n```\n")
    assert (report.coverage.checked, report.findings) == (checked, [])


def test_an_aside_goes_on_with_what_it_stands_behind() -> None:
    notes = "c = 0.577 (= 1/√3) and b = 1/3 = 0.333, and d = 1/2 = 0.5.\n"
    assert (check_text(notes).findings, check_text(notes).coverage.checked) == ([], 2)


def test_cells_of_a_table_do_not_go_on_with_each_other() -> None:
    for cells in (r"| $w = 3/6$ | $= 0$ |", r"| 2 | $|S| - 2\sqrt 2 = 4.4$ pure |"):
        assert check_text(cells + "\n").findings == []


def test_a_comment_behind_several_values_is_passed_over_and_said() -> None:
    report = check_text("```python\nx.var(), 4/50    # 0.0799, 0.08 -> close\ny = 4 / 50  # 0.09\n```\n")
    assert [(f.line, f.printed) for f in report.findings] == [(3, "0.09")]
    assert "a comment behind several values" in {remark.why for remark in report.not_checkable}


def test_formulas_with_a_comma_between_them_do_not_go_on_with_each_other() -> None:
    assert check_text("| $s = (1/3)/(1+1/3) = 1/4$, $c = 3/4$ | $= 1/4$, $= 3/4$ |\n").findings == []
