"""Notes as people write them: every style is read, every finding has its place, and nothing is dropped in silence."""

import json
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from glassformer.by_hand.check import check, check_document, check_text
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.names import canonical
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.sheets import with_cells
from glassformer.by_hand.reports.mending import mended_copies, write_copies
from glassformer.errors import InputError


def key(text: str, way: str = "math") -> str:
    return parse(lex(Ground(text, 0, way))).key


@pytest.mark.parametrize(
    ("text", "way", "meaning"),
    [
        (r"\frac{QK^T}{\sqrt{d_k}}", "math", "Q · (K)ᵀ · 1/(sqrt(d_k))"),
        (r"Q K^{\top} \frac{1}{\sqrt{dk}}", "math", "Q · (K)ᵀ · 1/(sqrt(d_k))"),
        ("Q KT / √d_k".replace("KT", "K^T"), "text", "Q · (K)ᵀ · 1/(sqrt(d_k))"),
        ("QKT/√dk", "text", "Q · (K)ᵀ · 1/(sqrt(d_k))"),
        ("Q @ K.T / np.sqrt(d_k)", "code", "Q · (K)ᵀ · 1/(sqrt(d_k))"),
        (r"\operatorname{softargmax}_\beta(K^\top q)", "math", "softmax((K)ᵀ · q)"),
        (r"\text{Softmax}\left(Z\right)V", "math", "softmax(Z) · V"),
        ("F.softmax(scaled, dim=-1) @ V", "code", "softmax(scaled) · V"),
        ("Att Weigh × V", "text", "att weigh · V"),
        (r"\begin{pmatrix} 1 & -2 \\ .5 & 0 \\ \end{pmatrix}", "math", "[1, -2; .5, 0]"),
        (r"\begin{array}{cc} 1 & 2 \end{array}", "math", "[1, 2]"),
        ("[1 0; 0 -1]", "text", "[1, 0; 0, -1]"),
        ("[[1 0]\n [0 1]]", "text", "[1, 0; 0, 1]"),
        (r"[-0.1 \ 0.1 \ 0.3]", "math", "[-0.1, 0.1, 0.3]"),
        ("[-0.1 - 0.2 - 0.3]", "text", "[-0.1, -0.2, -0.3]"),
        ("[0.3 - 0.1]", "text", "[(0.3 + -0.1)]"),
        (r"\begin{bmatrix} -1 - 2 & 3 \\ 4 & 5 & 6 \end{bmatrix}", "math", "[-1, -2, 3; 4, 5, 6]"),
        ("[[[1, 2], [3, 4]]]", "code", "[1, 2; 3, 4]"),
        ("scores[0][1]", "code", "scores[0][1]"),
        ("x_1 W_Q", "text", "x_1 · W_Q"),
        ("XWq", "text", "X · W_Q"),
        (r"W^{(1)}_Q", "math", "W_Q1"),
        ("e^{0.71}", "math", "exp(0.71)"),
        ("-∞", "text", "-inf"),
        (r"\max(0, Z)", "math", "relu(Z)"),
        (r"\langle q, k \rangle", "math", "dot([q, k])"),
        (r"\log_2 8", "math", "log2(8)"),
        ("-ln 0.5", "text", "-(log(0.5))"),
        (r"Q K^T \tag{1} \label{eq:scores}", "math", "Q · (K)ᵀ"),
        (r"0{,}25", "math", "0.25"),
    ],
)
def test_one_tree_for_every_way_to_write_it(text: str, way: str, meaning: str) -> None:
    assert key(text, way) == meaning


@pytest.mark.parametrize("name", ["W_Q", "W^Q", "W_{q}", "Wq", "WQ", "W^{(Q)}".replace("(", "").replace(")", "")])
def test_one_name_for_every_spelling(name: str) -> None:
    assert canonical(name) == "W_Q"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"\begin{bmatrix} 1 & 2 \\ 3 \end{bmatrix}", "ragged matrix: its rows have 2, 1 entries"),
        ("[1, 2", "never closed"),
        ("1, 2)", "closes nothing"),
        ("2 3", "'3' is not expected here"),
        ("1 + ", "the end is not expected here"),
        (r"a_0 + \dots + a_n", "leaves numbers out"),
        ("(" * 70 + "1" + ")" * 70, "more than 60 deep"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why.replace("(", r"\(").replace(")", r"\)")):
        key(text)


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


def test_findings_have_file_line_and_column() -> None:
    report = check_text("First words.\n\nHere $2 + 2 = 5$ stands.\n", "notes.md")
    first = report.first_wrong
    assert first is not None
    assert (first.file, first.line, first.column, first.printed, first.right) == ("notes.md", 3, 15, "5", "4")
    assert first.quote == "Here $2 + 2 = 5$ stands."


def test_a_chain_is_a_claim_at_every_equals_sign() -> None:
    report = check_text("1 + 2 + 3 = 3 + 3 = 7 = 6 + 1")
    assert [(f.printed, f.right) for f in report.findings] == [("7", "6")]
    assert report.claims == 3


def test_a_new_example_starts_anew_and_a_repeated_heading_goes_on() -> None:
    notes = "# Example 1\n\nA = [[1, 2]]\n\n# Example 1\n\nA + A = [[2, 4]]\n\n# Example 2\n\nA + A = [[9, 9]]\n"
    report = check_text(notes)
    assert report.first_wrong is None
    assert report.checked == 1
    assert [(r.line, r.why) for r in report.not_checkable if r.line == 11] == [(11, "nothing is known of 'A'")]


def test_a_heading_above_holds_for_the_examples_below() -> None:
    notes = "# Notes\n\nW = [[2]]\n\n## Example 1\n\n[3] W = [6]\n\n## Example 2\n\n[4] W = [9]\n"
    report = check_text(notes)
    assert [(f.line, f.right) for f in report.findings] == [(11, "8")]


def test_names_given_further_down_prove_nothing_about_lines_above() -> None:
    notes = "$$Q K^T = [[0, 5]]$$\n\nQ = [1, 0]\n\nK = [[0, 1], [1, 1]]\n"
    report = check_text(notes)
    assert report.findings == []
    assert "nothing is known of 'Q'" in {remark.why for remark in report.not_checkable}


def test_a_mistake_carried_on_is_not_wrong_again() -> None:
    notes = "Q = [[1, 2]] [[1, 0], [0, 1]] = [[1, 3]]\n\nS = Q [[2], [1]] = [[5]]\n\nT = S + S = [[10]]\n"
    report = check_text(notes)
    assert [(f.line, f.verdict, f.follows) for f in report.findings] == [(1, "carried", (3, 5))]
    assert report.marks == {"numbers": 4, "right": 3, "follow_through": 2}


def test_a_slip_of_the_pen_is_told_from_a_mistake_carried_on() -> None:
    notes = "Q = [[1, 2]] [[1, 0], [0, 1]] = [[1, 3]]\n\nS = Q [[2], [1]] = [[4]]\n"
    assert [(f.verdict, f.follows) for f in check_text(notes).findings] == [("slip", ())]


def test_code_blocks() -> None:
    notes = "```python\nQ = np.array([[1, 0],\n              [1, 1]])\nK = [[0, 1], [1, 0]]\n"
    notes += "scores[0][1] = [1,0] · [1,0] = 1.0\nscores = Q @ K.T = [[0, 1], [1, 2]]\nmodel = build(x.shape)\n```\n"
    report = check_text(notes)
    assert [(f.line, f.row, f.col, f.printed, f.right) for f in report.findings] == [(6, 2, 2, "2", "1")]
    assert not report.unreadable


def test_results_in_comments_are_claims() -> None:
    notes = "```python\nQ = [[1, 0], [1, 1]]\nS = Q @ Q.T\n# [[1, 1],\n#  [1, 3]]\n"
    notes += "Z = S / 2  # [[0.5, 0.5], [0.5, 1.0]]\n```\n"
    report = check_text(notes)
    assert [(f.name, f.line, f.printed, f.right, f.verdict) for f in report.findings] == [("S", 5, "3", "2", "slip")]


def test_programs_in_other_languages_and_prose_are_no_claims() -> None:
    notes = "```js\nconst obj = make(10); x = [1, 2] == [3, 4]\n```\n\n"
    notes += "The loss went 2.3 → 1.1 → 0.4. 20 °C = 68 °F, and a = b.\n\n// AssertionError: 1 == 2\n\n"
    notes += "E = mc^2. Version 1.2.3 = latest. In (2020, p. 3) and [1]. f(x) = 3x + 2 = 5 when x = 1.\n"
    assert check_text(notes).findings == []


def test_sentences_and_connectives_part_claims() -> None:
    report = check_text("So Q = [[1, 1]] and likewise 1/3 ≈ 0.33 and 2/3 ≈ 0.76. Then 2 + 2 = 4.")
    assert [(f.printed, f.right) for f in report.findings] == [("0.76", "0.67")]
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


def test_rows_make_a_matrix() -> None:
    notes = "W_Q = [[1, 0], [1, 1]]\n\nW_K = [[0, 1], [1, 0]]\n\n"
    notes += "".join(f"{word}: {row} · {w} = {result}\n\n" for word, row, w, result in [
        ("tea", "[1, 0]", "W_Q", "[1, 0]"), ("milk", "[0, 1]", "W_Q", "[1, 1]"),
        ("tea", "[1, 0]", "W_K", "[0, 1]"), ("milk", "[0, 1]", "W_K", "[1, 0]"),
    ])  # fmt: skip
    report = check_text(notes + "scores = Q K^T = [[0, 1], [1, 2]]\n")
    assert [(f.row, f.col, f.printed, f.right) for f in report.findings] == [(2, 2, "2", "1")]


def test_a_usual_name_confirms_and_never_accuses() -> None:
    given = "Q = [[1, 0], [1, 1]]\n\nK = [[0, 1], [1, 0]]\n\n"
    right = check_text(given + "scores = [[0, 1], [1, 1]]\n")
    assert (right.checked, right.findings) == (1, [])
    other = check_text(given + "scores = [[0, 1], [1, 2]]\n")
    assert (other.checked, other.findings) == (0, [])


def test_a_name_that_means_something_else_is_no_mistake() -> None:
    notes = "Q = [[1, 0], [1, 1]]\n\nK = [[0, 1], [1, 0]]\n\nscores = [[7, 3], [8, 4]]\n"
    assert not check_text(notes).findings


def test_rounded_given_numbers_excuse_what_exact_ones_do_not() -> None:
    notes = "X = [[0.5, 1.5]]\n\nW = [[0.25], [0.75]]\n\nY = X W = [[1.28]]\n"
    doubtful = check_text(notes)
    assert [f.verdict for f in doubtful.findings] == ["doubtful"]
    assert doubtful.exit_code() == 0
    assert doubtful.exit_code(strict=True) == 1
    exact = check_text(notes, exact=True)
    assert [(f.verdict, f.right) for f in exact.findings] == [("wrong", "1.25")]
    assert [f.verdict for f in check_text("All given numbers are exact.\n\n" + notes).findings] == ["wrong"]


def test_digits_judges_to_so_many_decimals_only() -> None:
    assert check_text("1/3 = 0.3334").first_wrong is not None
    assert check_text("1/3 = 0.3334", digits=3).first_wrong is None


def test_cut_off_is_milder_than_wrong() -> None:
    report = check_text("[2, 5] / 3 = [0.66, 1.66]")
    assert {f.verdict for f in report.findings} == {"cut-off"}
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)


# --- files of other kinds ---------------------------------------------------------------------------------------


def test_latex_files_without_preamble_and_comments() -> None:
    text = "\\documentclass{article}\n% 1 + 1 = 3\n\\begin{document}\n\\section{Example 1}\n"
    text += "\\begin{align*}\n Q &= [1, 0] \\begin{pmatrix} 1 & 0 \\\\ 1 & 1 \\end{pmatrix} \\\\\n   &= [1, 1]\n"
    text += "\\end{align*}\n\\end{document}\n"
    report = check_text(text, "notes.tex", ".tex")
    assert [(f.name, f.line, f.printed, f.right) for f in report.findings] == [("Q", 7, "1", "0")]


def test_notebooks_have_cells() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# One\n", "X = [[1, 2]]\n"]},
        {"cell_type": "code", "source": "1 + 1 == 3"},
        {"cell_type": "markdown", "source": "Then\n\n$$X + X = [[2, 5]]$$"},
    ]
    report = check_text(json.dumps({"cells": cells}), "notes.ipynb", ".ipynb")
    assert [(f.file, f.line, f.right) for f in report.findings] == [("notes.ipynb, cell 3", 3, "4")]


def test_sheets_have_named_blocks() -> None:
    text = "X,1,0\n,0,1\n\nW_Q,1,0\n,1,1\n\nQ = X W_Q\n1,0\n1,2\n"
    report = check_text(text, "notes.csv", ".csv")
    assert [(f.name, f.line, f.column, f.row, f.col, f.right) for f in report.findings] == [("Q", 9, 3, 2, 2, "1")]


def test_excel_workbooks() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["X", 1, 2], ["W", 3], [None, 4], ["Y = X W", 12]):
        sheet.append(row)
    data = BytesIO()
    book.save(data)
    report = check_document(open_bytes(data.getvalue(), "notes.xlsx", ".xlsx"))
    assert [(f.file, f.line, f.printed, f.right) for f in report.findings] == [
        ("notes.xlsx, sheet Sheet", 4, "12", "11")
    ]


def test_a_workbook_is_corrected_in_a_copy(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["nothing here"])  # type: ignore[union-attr]
    sheet = book.create_sheet("Work")
    for row in (["X", 1, 2], ["W", 3], [None, 4], ["Y = X W", 12], ["Z = Y + Y", 24], ["kept", "=1+1"]):
        sheet.append(row)
    path = tmp_path / "notes.xlsx"
    book.save(path)
    before = path.read_bytes()
    (copy,) = write_copies(mended_copies(check(path)), tmp_path / "mended.xlsx")
    mended = openpyxl.load_workbook(copy)["Work"]
    assert [mended["B4"].value, mended["B5"].value, mended["B6"].value] == [11, 22, "=1+1"]
    assert path.read_bytes() == before
    assert check(copy).findings == []


def test_a_formula_in_a_workbook_is_not_written_over(tmp_path: Path) -> None:
    data = BytesIO()
    book = openpyxl.Workbook()
    book.active.append(["=6*2"])  # type: ignore[union-attr]
    book.save(data)
    shown = Document("notes.xlsx", "12\n", parts=[(0, "sheet Sheet")])
    with pytest.raises(InputError, match=r"cell A1 should be 11, but holds the formula =6\*2"):
        with_cells(data.getvalue(), shown, {0: "11"})


TOML = """title = "A sheet"
inputs = [[1, 0], [0, 1]]
[given]
W_Q = [[1, 0],
       [1, 1]]
[formulas]
Q = "X W_Q"
[work]
Q = [[1, 0], [2, 1]]
"""
YAML = """given:
  X: [[1, 0], [0, 1]]
  W_Q:
    - [1, 0]
    - [1, 1]
formulas:
  Q: X W_Q
work:
  Q: [[1, 0], [2, 1]]
"""


@pytest.mark.parametrize(("text", "suffix"), [(TOML, ".toml"), (YAML, ".yaml")])
def test_worksheets(text: str, suffix: str) -> None:
    report = check_text(text, f"sheet{suffix}", suffix)
    assert [(f.name, f.line, f.row, f.col, f.printed, f.right) for f in report.findings] == [("Q", 9, 2, 1, "2", "1")]
    assert not report.unreadable


def test_a_worksheet_by_the_names_of_the_catalogue() -> None:
    text = (
        "mask = 'causal'\ninputs = [[1, 0], [0, 1]]\nquery_weight = [[1, 0], [1, 1]]\nkey_weight = [[0, 1], [1, 0]]\n"
    )
    text += "value_weight = [[1, 2], [0, 1]]\n[work]\nqueries = [[1, 0], [1, 1]]\nkeys = [[0, 1], [1, 0]]\n"
    text += "values = [[1, 2], [0, 1]]\nscores = [[0, 1], [1, 1]]\nscaled = [[0, 0.71], [0.71, 0.71]]\n"
    text += "masked = [[0, -inf], [0.71, 0.71]]\nweights = [[1, 0], [0.5, 0.5]]\nmixed = [[1, 2], [0.5, 1.8]]\n"
    report = check_text(text, "sheet.toml", ".toml")
    assert [(f.name, f.row, f.col, f.printed, f.right) for f in report.findings] == [("mixed", 2, 2, "1.8", "1.5")]
    assert report.checked == 8


@pytest.mark.parametrize(
    ("text", "suffix", "why"),
    [
        ("[given]\nX = [[1, 0]\n", ".toml", "this is not TOML"),
        ("[givven]\nX = 1\n[work]\nY = 2\n", ".toml", "did you mean 'given'?"),
        ("given: [1, 2\n", ".yaml", "this is not YAML"),
        ("x: 3\n", ".yaml", "a worksheet needs one of the tables given, formulas, work"),
        ("{]", ".ipynb", "this is not a Jupyter notebook"),
        ("PK", ".xlsx", "this is not an Excel workbook"),
    ],
)
def test_strict_files_say_what_is_wrong(text: str, suffix: str, why: str) -> None:
    report = check_text(text, f"sheet{suffix}", suffix)
    assert why in report.unreadable[0].why


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("1 + 1 = 2")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.txt").write_text("1 + 1 = 3")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    report = check(tmp_path)
    assert [Path(file).name for file in report.files] == ["a.md", "b.txt"]
    assert [Path(f.file).name for f in report.findings] == ["b.txt"]


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("1 + 1 = 2")
    with pytest.raises(InputError, match=r"There is no file .*note\.md; did you mean 'notes\.md'\?"):
        check(tmp_path / "note.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no notes"):
        check(tmp_path / "empty")
