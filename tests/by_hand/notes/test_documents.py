"""Documents cut into passages: text, formulas, code."""

from helpers.checked_notes import checked, found, told

from glassformer.by_hand.check import check_text


def test_comments_in_latex_are_not_read() -> None:
    notes = "\\begin{document}\n$1 + 1 = 2$ \\cite[p.~3]{book}. % $1 + 1 = 3$\n\\[ x = 2 + 2 % = 5\n = 4 \\]\n"
    assert told(notes, ".tex") == []


def test_a_comma_in_braces_may_stand_between_thousands() -> None:
    (finding,) = check_text("$n = 1{,}000$\n\n$a = 2.5 + 3.1 = 6.6$\n").findings
    assert finding.right == "5.6"
    (finding,) = check_text("$n = 1{,}5$\n\n$a = 2{,}5 + 3{,}1 = 6{,}6$\n").findings
    assert finding.right == "5{,}6"


def test_blocks_in_other_languages_are_counted() -> None:
    report = check_text("1 + 1 = 2\n\n```js\nlet a = 3 + 4;\n```\n\n```sh\nls -l\n```\n")
    assert (report.claims, report.checked) == (2, 1)
    assert [(r.line, r.why) for r in report.not_checkable] == [(3, "a code block in js")]


def test_code_blocks() -> None:
    notes = "```python\nQ = np.array([[1, 0],\n              [1, 1]])\nK = [[0, 1], [1, 0]]\n"
    notes += "scores[0][1] = [1,0] · [1,0] = 1.0\nscores = Q @ K.T = [[0, 1], [1, 2]]\nmodel = build(x.shape)\n```\n"
    report = check_text(notes)
    assert [(f.line, f.row, f.col, f.printed, f.right) for f in report.findings] == [(6, 2, 2, "2", "1")]
    assert not report.unreadable


def test_programs_in_other_languages_and_prose_are_no_claims() -> None:
    notes = "```js\nconst obj = make(10); x = [1, 2] == [3, 4]\n```\n\n"
    notes += "The loss went 2.3 → 1.1 → 0.4. 20 °C = 68 °F, and a = b.\n\n// AssertionError: 1 == 2\n\n"
    notes += "E = mc^2. Version 1.2.3 = latest. In (2020, p. 3) and [1]. f(x) = 3x + 2 = 5 when x = 1.\n"
    assert check_text(notes).findings == []


def test_latex_files_without_preamble_and_comments() -> None:
    text = "\\documentclass{article}\n% 1 + 1 = 3\n\\begin{document}\n\\section{Example 1}\n"
    text += "\\begin{align*}\n Q &= [1, 0] \\begin{pmatrix} 1 & 0 \\\\ 1 & 1 \\end{pmatrix} \\\\\n   &= [1, 1]\n"
    text += "\\end{align*}\n\\end{document}\n"
    report = check_text(text, "notes.tex", ".tex")
    assert [(f.name, f.line, f.printed, f.right) for f in report.findings] == [("Q", 7, "1", "0")]


def test_two_formulas_side_by_side_open_no_display() -> None:
    heading = "\\begin{tabular}{rr}\nt value & Pr($>$$|$t$|$) \\\\\n\\end{tabular}\n"
    notes = f"\\begin{{document}}\n{heading}\n$0.32 + 0.15 = 0.57$ \\\\\n\n{heading}\\end{{document}}\n"
    report = checked(notes, ".tex")
    assert [(each.printed, each.right, each.level) for each in report.findings] == [("0.57", "0.47", "wrong")]
    assert found("$a$$b$ and then $$0.32 + 0.15 = 0.57$$") == [(1, "0.57", "0.47")]


def test_what_a_comment_works_out_is_read() -> None:
    program = "```python\nprint(a @ b)\n# Verify by hand: 1*4 + 2*5 = 4 + 10 = {}\nx = 3  # so low - 4 = high\n```\n"
    assert found(program.format(14)) == []
    assert checked(program.format(14)).coverage.checked == 3
    assert found(program.format(15)) == [(3, "15", "14")]


def test_a_comment_that_begins_with_a_number_is_read_once() -> None:
    assert found("```python\n#1: 2.5 * 4.2 = 10.6\n```\n") == [(2, "10.6", "10.5")]


def test_rows_after_the_words_of_a_comment_are_passed_over_and_said() -> None:
    notes = "```python\ns = a / 2  # e.g. [[2, 3],\n           #  [3, 1]]\nb = 2 + 2  # = 5\n```\n"
    report = check_text(notes)
    assert [(f.line, f.printed) for f in report.findings] == [(4, "5")]
    assert (2, "rows after the words of a comment") in [(r.line, r.why) for r in report.not_checkable]


PRODUCT = """Q = [[1, 0],
     [0, 2]]

K = [[1, 1],
     [3, 0]]

Step 1: Q @ K^T
  = [[1*1+0*1,  1*3+0*0],   [[1, 3],
     [0*1+2*1,  0*3+2*0]]  = [2, {last}]]
"""


def test_matrices_drawn_after_the_relation_under_a_line() -> None:
    notes = "```\n" + PRODUCT + "```\n"
    assert check_text(notes.format(last=0)).coverage.checked == 4
    assert [(f.printed, f.right) for f in check_text(notes.format(last=7)).findings] == [("7", "0")]
