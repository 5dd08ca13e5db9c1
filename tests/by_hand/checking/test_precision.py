"""A number is called wrong only if no reading gives it: what strangers write, and what is not held against them."""

import pytest
from helpers.checked_notes import found

from glassformer.by_hand.check import check_text

Told = list[tuple[int, str, str]]


def told(notes: str, suffix: str = ".md") -> Told:
    """The hard findings."""
    return [
        (f.line, f.printed, f.right)
        for f in check_text(notes, f"notes{suffix}", suffix).findings
        if f.level != "rounding"
    ]


@pytest.mark.parametrize(
    ("notes", "suffix"),
    [
        ("share(tea) = 1.31 / 4.20 ≈ 0.31  (31%)\n", ".txt"),
        ('"roof" = 6   → 9 × tanh(0.7) ≈ 5.44\n', ".txt"),
        ("$$ b = 2 \\Rightarrow b_{next} = 2 - 0.5 × (-3) = 3.5 $$\n", ".md"),
        ("\\[ [7 \\times 21] \\cdot [21 \\times 2] = [7 \\times 2] \\]\n", ".tex"),
        ("```\n(2 × 6) × (6 × 3) = (2 × 3)\n```\n", ".md"),
        ("For $a=0.3$ and $\\beta = 10$ we get $3$. The sign turns where $\\beta \\cdot a=0$.\n", ".md"),
        ("Let $g=0.4$ and $t=0.2$. A steeper one: $g(t)=7t$.\n", ".md"),
        ("\\[ s = [0.6, 0.2] \\]\n\\[ U s = [0.3, 0.1] \\]\n\\[ \\nabla U = [[1, 0], [0, 1]] \\]\n", ".tex"),
        ("In all $5\\cdot200\\cdot30+47=30{,}047$ numbers.\n", ".md"),
        ("```python\n[2, 3] * [4, 5] = [8, 15]\n[1, 6]   [7, 2]   [7, 12]\n```\n", ".md"),
        ("\\[ a=[0.9553, 0.2955],\\quad b=[-0.9900, 0.1411] \\]\n\\[ a b^\\top = -0.9041 \\]\n", ".tex"),
        ("Take 3 instead of e.\n\n| x | 3^x | softmax(x) |\n|---|---|---|\n| 2 | 9 | 0.9 |\n| 0 | 1 | 0.1 |\n", ".md"),
        ("It holds 8 (`2031-07-19`) + 3 (the rest) = 11 signs.\n", ".md"),
        ("\\[ k^{(1)} = [0.5, 0.2] \\]\n\\[ k_1 = [0.7, 0.1] \\]\n\\[ k_1 + [1, 1] = [1.7, 1.1] \\]\n", ".tex"),
        ("X = [[1,0],[0,1]]\n\nafter a projection: Q = [[2,1],[1,1]], K = [[1,1],[0,1]]\n", ".md"),
        ("A leaf `(3/3)` = 3 cases reach it.\n", ".md"),
        ("There are 10^9 = 1 Billion of them.\n", ".md"),
        ("log2(0.8) = -0.32 and log(0.8) = -0.22 and log(100) = 2\n", ".md"),
        ("sin(30) = 0.5 and sin(1) = 0.8415\n", ".md"),
        ("0.5 × 0.4 = 0.2 × 3 = 0.6\n", ".md"),
        ("$$p = \\frac{e^{2.5}}{e^{2.5} + e^{6.1}} \\approx \\frac{12}{458} \\approx 2.7\\%$$\n", ".md"),
        ("x = 3\n\nx = 4\n\ny = 2 x = 6\n", ".md"),
        ("v = [1, 2]\n\n$v v^T = [[1, 2], [2, 4]]$ and $v^T v = 5$\n", ".md"),
        ("The change in $c$ ≈ $0.5 = 5 \\times 0.1$, where $c = 2^2 = 4$\n", ".md"),
        ("| a | b |\n|---|---|\n\n4x₁ − 3x₂ = 5 and f(x) = 4x₁ − 3x₂ − 5 = 0\n", ".md"),
        (
            "```\n│  ln(1) = 0       ln(2) = 0.693  │\n│ P(a) = 2/8 = 0.25 │\n│ P(b) = 6/8 = 0.75 │\n```\n",
            ".md",
        ),
        ("```\nc = [1, 2]\nc[0] = 7\n```\n", ".md"),
        ("$\\mathbf{C} = [0.5, 0.7, 0.4]^T$\n\n$\\mathbf{C}'' \\approx [0.5, -0.7, 0.3]^T$\n", ".md"),
        (
            "c = a × b = 2.0 × 3.0 = 6.0\n\n### Exercise 2.2\n\n"
            "t = a × b = 2.0 × (-3.0) = -6.0\nd = t + c = -6.0 + 9.0 = 3.0\n",
            ".md",
        ),
        (
            "```python\nm = -1e9 * [[0, 1],\n     [0, 0]]\n# [[0, -inf],\n#  [0, 0]]\n```\n\n```python\n"
            "s = QK^T / 2  # e.g., [[2, 3],\n              #        [3, 1],\n              #        [1, 3]]\n\n"
            "s = s + [[0, -inf], [0, 0], [0, 0]]  # [[2, -inf],\n    #  [3, 1],\n   #  [1, 3]]\n```\n",
            ".md",
        ),
    ],
)
def test_right_in_some_reading(notes: str, suffix: str) -> None:
    assert told(notes, suffix) == []


@pytest.mark.parametrize(
    ("notes", "suffix", "wrong"),
    [
        ("$$ c = 2.0 + 0.07 - 0.004 = \\boxed{5.066} $$\n", ".md", (1, "5.066", "2.066")),
        ("T2 = 0.31x1 + 0.24x0 + 0.31x1 = 0.92\n", ".txt", (1, "0.92", "0.62")),
        ("g1 = 3.101 / 7.204 ~ 0.930\n", ".txt", (1, "0.930", "0.430")),
        ("\\[ U = 0.5\\mathbf{I}_2 \\]\n\\[ s = [0.6, 0.2] \\]\n\\[ U s = [0.3, 0.7] \\]\n", ".tex", (3, "0.7", "0.1")),
        ("$$\\hat{p} \\approx \\sigma(0.4) = 0.899$$\n", ".md", (1, "0.899", "0.599")),
        ("\\[ c = [0.31 \\times 0.52,\\;\\ldots] = [0.5612,\\;\\ldots] \\]\n", ".tex", (1, "0.5612", "0.1612")),
        ("2.41 + 1.39\n\n=\n\n4.80\n", ".md", (5, "4.80", "3.80")),
        ("\\[ B_{\\text{raw}} = [0, 2] \\]\n\\[ \\mathrm{softmax}(B_{\\text{raw}}) = [0.1192, 0.9808] \\]\n", ".tex",
         (2, "0.9808", "0.8808")),
        ("softmax of [1,3,2] is [0.09003, 0.96524, 0.24473].\n", ".txt", (1, "0.96524", "0.66524")),
        ("```python\nmean = (0.2 + 0.5 + 0.9) / 4\n     = 1.6 / 4\n     = 0.70\n```\n", ".md", (4, "0.70", "0.40")),
        ("```\n= (0.3 × 0.5)\n+ (0.2 × 0.7)\n\n= 0.15\n+ 0.14\n\n= 0.79\n```\n", ".md", (8, "0.79", "0.29")),
        ("$$ u = (0.3 \\cdot 0.5) + 0.25 $$\n\n$$ u = 0.70 $$\n", ".md", (3, "0.70", "0.40")),
        ("```\n│  P(a) = 2/8 = 0.25   │\n│  P(b) = 6/8 = 0.85   │\n```\n", ".md", (3, "0.85", "0.75")),
        ("2 × 10⁻³ / 4 × 10⁻³ = 0.7\n", ".md", (1, "0.7", "0.5")),
        ("- total = 2,350 / 20 = **171.5 kg**\n", ".md", (1, "171.5", "117.5")),
        ("1,250 × 3 + 1,000 = 4,570\n", ".md", (1, "4,570", "4,750")),
        ("$$\\frac{\\partial E}{\\partial w} = 0.31 \\cdot 4 = 1.44$$\n", ".md", (1, "1.44", "1.24")),
        ("gelu(1) = 0.8413 and gelu(-1) = -0.2587\n", ".md", (1, "-0.2587", "-0.1587")),
    ],
)  # fmt: skip
def test_wrong_in_every_reading(notes: str, suffix: str, wrong: tuple[int, str, str]) -> None:
    assert told(notes, suffix) == [wrong]


def test_steps_named_by_headings_and_sentences() -> None:
    given = "$$ Q = [[2, 0], [0, 1]], K = [[1, 0], [1, 1]] $$\n\n### Scores\n\n$$ QK^\\top = [[2, 2], [0, 1]] $$\n\n"
    scaled = "### Step 2 — scale by $\\sqrt{2}$\n\n$$ [[1.414, 1.414], [0, 0.707]] $$\n\n"
    assert told(given + scaled.replace("0.707", "0.907")) == [(9, "0.907", "0.707")]
    weights = "Applying softmax to each row gives\n\n$$ A = [[0.500, 0.500], [0.330, 0.670]] $$\n"
    assert told(given + scaled + weights) == []
    assert told(given + scaled + weights.replace("0.670", "0.870")) == [(13, "0.870", "0.670")]
    assert told(given + scaled + "After softmax it looks so:\n\n$$ A = [[0.2, 0.8], [0.1, 0.9]] $$\n") == []


def test_mean_and_spread_by_their_names() -> None:
    notes = "x = [2, 4, 9]\n\nmean = 5\nstd = 2.94\nnormalized = [-1.02, -0.34, 1.36]\n"
    assert told(notes) == []
    assert told(notes.replace("2.94", "3.61")) == []  # of a sample
    assert told(notes.replace("2.94", "2.24")) == [(4, "2.24", "2.94")]
    assert told('x = [2, 4, 9]\n\n"tea": mean=7, std=1\n') == []


def test_a_changed_given_says_where_it_was_given() -> None:
    notes = "We have $t = 2$ and $p = 0.7$.\n\n$$D = -(t - p) = -(3 - 0.7) = -2.3$$\n"
    (finding,) = check_text(notes).findings
    assert (finding.printed, finding.verdict) == ("3", "carried")
    assert finding.cause == "given as 2 in line 1, used as 3 here"
    assert told(notes.replace("$p", "$t_2 = 3$, $p")) == []  # another t explains it


@pytest.mark.parametrize(
    ("notes", "suffix"),
    [
        ("```\nAt rest (α is small):\n- sigmoid(0) = 0.5 (the middle)\n```\n", ".md"),  # a dash of a list, no minus
        ("- 0.5 log2(0.5) - 0.5 log2(0.5) = 1\n", ".md"),  # a minus, no dash of a list
        ("x = [1, 2, 9]\n\nmean = 4 before.\n\nGives mean=0, variance=1. All is well then.\n", ".md"),
        (r"$7 \sin(t) - \frac{3}{\sqrt{2}} = 0 \Rightarrow 7 \sin(t) = \frac{3}{\sqrt{2}}$" + "\n", ".md"),
        ("so we take the $7/7 = 100$th percentile\n", ".md"),
        ("`(3 + 1 == 4) & (3 + 1 == 5)` is `FALSE`.\n", ".md"),  # a program asks
        ("```python\nu = np.array([1, 2])\nv = 3 * u\n```\n\n```python\nv = np.array([1, 1])\n```\n", ".md"),
        (r"Orders: $3 \times 2 \times 1 = 3!$, or $2 \times 3! = 12$." + "\n", ".md"),
        (r"$\log((1/2)^{1000000000}) = -693147180.56$" + "\n", ".md"),  # no computer has the power itself
        (r"With errors $e$, $e e^T = \begin{bmatrix} 1 & 2 \\ 2 & 4 \end{bmatrix}$." + "\n", ".md"),
        ("The error is $e = 7 - 5 = 2$.\n\n$$L = e^2 = 2^2 = 4$$\n", ".md"),
        ("| n | p |\n|---|---|\n| 2 | (3/4) * (1/4) ≈ 0.1875 |\n| 3 | (3/4)^2 * (1/4) ≈ 0.1406 |\n", ".md"),
        ("Squares:   4/4 = 1.0   vs  16/4 = 4.0\n", ".md"),
        ("<div>ln(10)≈2.303   ln(20)≈2.996   ln(100)≈4.605</div>\n", ".html"),
        ("all = 12,800 (vs 320 × 320 = 102,400 in one)\n", ".md"),
        (
            "<div>right (6): 1/8 · e^{-0.55} ≈ 0.072\n  wrong (2): 1/8 · e^{0.55} ≈ 0.217\n\nZ = 6·0.07 = 0.42</div>",
            ".html",
        ),
        (r"$\mathbf{e} = [1, 2]$, and $\mathbf{e}^T \mathbf{e} = 5$." + "\n", ".md"),
    ],
)
def test_signs_that_mean_something_else(notes: str, suffix: str) -> None:
    assert told(notes, suffix) == []


def test_a_row_that_begins_with_a_minus_goes_on() -> None:
    rows = r"&\quad= -0.62 - 2.11 \times 0 + 1.75 \times 1 \\ &\qquad- 1.25 \times 0 - 3.05 \times 2 \\ &\quad= {} \\"
    right = check_text(rf"\begin{{align*}}{rows.format('-4.97')}\end{{align*}}", suffix=".tex")
    wrong = check_text(rf"\begin{{align*}}{rows.format('-3.97')}\end{{align*}}", suffix=".tex")
    assert (right.outcome, right.checked) == ("fine", 1)
    assert [(each.printed, each.right) for each in wrong.findings] == [("-3.97", "-4.97")]


def test_columns_of_an_alignment_are_statements_of_their_own() -> None:
    row = r"& Z_1 = \frac{26 - 19}{2} = 3.5 \ && Z_2 = \frac{25 - 33}{4} = -2 & Z_3 &= \frac{8 - 2}{4} = 1.7 \\"
    report = check_text(rf"\begin{{align*}}{row}\end{{align*}}", suffix=".tex")
    assert [(each.name, each.printed, each.right) for each in report.findings] == [("Z_3", "1.7", "1.5")]


def test_a_letter_within_a_sentence_names_no_result() -> None:
    said = "$z = x \\odot y$ with $x = [1, 2]$ and $y = [3, 4]$\n\nFirst row of Z is $[11, 17]$\n"
    assert check_text(said, "notes", ".md").findings == []
    assert check_text("$z = [1, 2] + [3, 4]$\n\nThe value of Z is $[11, 17]$\n", "notes", ".md").findings == []


def test_values_along_the_top_belong_to_the_name_in_the_corner() -> None:
    table = "| $Y$ | 0 | 1 | 2 |\n|---|---|---|---|\n| $p$ | 0.25 | 0.5 | 0.25 |\n"
    given = "$X = [0.3, 0.6, 0.9]$ and $Y = X - 1$\n\n"
    assert check_text(given + table, "notes", ".md").findings == []
    named = "| $Y$ | tea | milk | ice |\n|---|---|---|---|\n| cup | -0.7 | -0.4 | -0.2 |\n"
    assert [each.right for each in check_text(given + named, "notes", ".md").findings] == ["-0.1"]


def test_a_wrong_number_whose_names_are_given_anew_in_another_shape_is_told_without_arithmetic() -> None:
    report = check_text(
        "A = [[1, 2], [3, 5]]\n\nB = [[7, 2], [1, 3]]\n\nY = A B = [[9, 8], [26, 22]]\n\nA = [[1, 2, 3]]\n"
    )
    first = report.first_wrong
    assert first is not None
    assert (first.printed, first.right, first.arithmetic) == ("22", "21", "")  # 3×2 + 5×3


def test_a_name_whose_numbers_are_given_anew_after_those_it_came_from() -> None:
    notes = "X = [1, 2, 3]\n\nY = 3 × X = [3, 6, 9]\n\n## Two dice\n\nX = [1, 2, 3, 4]\n\nY = [1, 2, 3, 4]\n"
    report = check_text(notes)
    assert report.findings == []
    assert report.coverage.checked == 3


@pytest.mark.parametrize("printed", ["2", "3"])
def test_a_thing_called_e_alone_is_not_the_number_of_euler(printed: str) -> None:
    report = check_text(f"A hyperedge $e$ may be an edge: $|e| = {printed}$.\n")
    assert report.findings == []
    assert report.coverage.checked == 0


def test_results_on_the_way_are_rounded_as_they_would_be_written() -> None:
    assert found("$4 / 6 - 7 / 14 = 0.168$") == [(1, "0.168", "0.167")]
    assert found("$2 / 3 + 2 / 3 = 1.34$") == []  # 0.67 + 0.67


def test_an_update_is_worked_out_like_any_other_line() -> None:
    assert found(r"$$w_1 \leftarrow 0.5 - 1.0 \times (-0.0549) = 0.5594$$") == [(1, "0.5594", "0.5549")]
    assert found(r"$100352 + 128 + 1280 + 10 = \mathbf{101\,771}$") == [(1, r"101\,771", "101770")]


def test_what_a_machine_gets_with_short_numbers_is_not_called_wrong() -> None:
    assert found("```\nlog(1e-45) = -103.3\nlog(1e-46) = -inf\n```\n") == []
    assert found("In float32, exp(88.7) = 3.40e38.\n") == []
    assert found("```\nlog(1e-45) = -103.3\n```\n") == [(2, "-103.3", "-103.6")]


@pytest.mark.parametrize(
    ("line", "finding", "level"),
    [
        ("0.30×0.20 + 0.40×0.50 = 0.06 + 0.50 = 0.26", ("0.50", "0.20"), "look again"),
        ("sqrt(4^2 + 3^2) = sqrt(46 + 9) = sqrt(25) = 5", ("46", "16"), "wrong"),
        ("d = √(9 + 9) = √48 ≈ 4.24", ("48", "18"), "wrong"),
    ],
)
def test_a_wrong_number_between_two_that_agree_is_told(line: str, finding: tuple[str, str], level: str) -> None:
    report = check_text(line + "\n")
    assert [((each.printed, each.right), each.level) for each in report.findings] == [(finding, level)]


def test_a_number_on_the_way_that_does_not_follow_is_counted_as_not_checked() -> None:
    report = check_text("x · y = 1×2 + 2×4 + 3×6 = 2 + 2 + 18 = 28\n")
    assert (report.coverage.checked, report.coverage.look_like_results) == (1, 2)


@pytest.mark.parametrize("printed", ["0.19", "0.79", "1.79"])
def test_a_small_sum_that_is_divided_by_is_not_rounded_away(printed: str) -> None:
    assert found("0.0020 / (0.0030 + 0.0011) = 0.49\n") == []
    assert [right for _, _, right in found(f"0.0020 / (0.0030 + 0.0011) = {printed}\n")] == ["0.49"]


def test_a_mixed_number_in_a_matrix_is_one_number() -> None:
    product = r"\begin{bmatrix} 1 & 0 \\ 2 & 1 \end{bmatrix} \begin{bmatrix} 2 \\ \frac{16}{3} \end{bmatrix}"
    assert check_text(rf"${product} = \begin{{bmatrix}} 2 \\ 9 \frac{{1}}{{3}} \end{{bmatrix}}$").findings == []


def test_entries_that_are_worked_out_themselves_are_no_evidence() -> None:
    notes = "exact $L_0 = 0.84$\n\n$(L_0, 1/L_0) = (0.84, 1/0.84) = (0.84, 1.19)$\n\n"
    assert check_text(notes + "$p_0 = 0.010, p_1 = 0.035, N = 1/(p_1 - p_0) = 40.4$\n").outcome == "fine"
