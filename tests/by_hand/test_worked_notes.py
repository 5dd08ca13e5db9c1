"""The worked examples with their errors, in our own words: each is found with the right verdict, and no other."""

import pytest

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Report

Told = tuple[str, int | None, int | None, str, str, str]


def told(report: Report, *, mild: bool = False) -> list[Told]:
    return [
        (f.name, f.row, f.col, f.printed.replace(" ", ""), f.right, f.verdict)
        for f in report.findings
        if mild or not f.is_mild
    ]


THREE_WORDS = r"""
$$Q = X W_Q, K = X W_K, V = X W_V$$
$$\text{Scaled} = \frac{QK^T}{\sqrt{d_k}}$$
$$\text{Weights} = \text{Softmax}\left(\frac{QK^T}{\sqrt{d_k}}\right)$$
Output = Weights $\times V$

Example: three words, two numbers each

$X = \begin{matrix} & \begin{matrix} a & b \end{matrix} \\ \begin{matrix} one \\ two \\ three \end{matrix} &
\begin{bmatrix} 1 & 0 \\ 0 & 1 \\ 1 & 1 \end{bmatrix} \end{matrix}$

$$W_Q = \begin{bmatrix} 1 & 0 \\ 1 & 1 \end{bmatrix}, W_K = \begin{bmatrix} 0 & 1 \\ 1 & 0 \end{bmatrix},
W_V = \begin{bmatrix} 1 & 2 \\ 0 & 1 \end{bmatrix}$$

$$v_1 = [1, 0] \times W_V = [1, 2]$$

$$v_2 = [0, 1] \times W_V = [2, 1]$$

$$v_3 = [1, 1] \times W_V = [1, 3]$$

$$Q = \begin{bmatrix} 1 & 0 \\ 1 & 1 \\ 2 & 1 \end{bmatrix}, K = \begin{bmatrix} 0 & 1 \\ 1 & 0 \\ 1 & 1 \end{bmatrix}$$

$$\text{first row} = [1, 0] \times \begin{bmatrix} 0 & 1 & 1 \\ 1 & 0 & 1 \end{bmatrix}
\Rightarrow \text{row} = [0, 1, 2]$$

$$QK^T = \begin{bmatrix} 0 & 1 & 1 \\ 1 & 1 & 2 \\ 1 & 2 & 3 \end{bmatrix}$$

$$\sqrt{d_k} = \sqrt{2} \approx 1.41$$

$$\text{Scaled} = \begin{bmatrix} 0 & 0.71 & 0.71 \\ 0.71 & 0.71 & 0.71 \\ 0.71 & 1.41 & 2.12 \end{bmatrix}$$

$e^0 = 1, e^{0.71} \approx 2.03$

Sum = $1 + 2.03 + 2.03 = 5.06$

$$[0.198, 0.401, 0.401] \times \begin{bmatrix} 1 & 2 \\ 0 & 1 \\ 1 & 3 \end{bmatrix} = [0.599, 2.000]$$

Output

$$\begin{bmatrix} 0.599 & 2.000 \\ 0.752 & 2.255 \\ 0.716 & 2.292 \end{bmatrix}$$
"""


def test_three_words() -> None:
    report = check_text(THREE_WORDS)
    assert told(report, mild=True) == [
        ("v_2", 1, 1, "2", "0", "slip"),
        ("first row", 1, 3, "2", "1", "slip"),
        ("scaled", 2, 3, "0.71", "1.41", "slip"),
    ]
    first = report.first_wrong
    assert first is not None
    assert first.arithmetic == "0×1 + 1×0 = 0"
    assert first.cause == "transposed operand"
    assert not report.unreadable


def test_one_query_in_columns() -> None:
    notes = (
        "score $q_1 \\cdot k_1 = 112$\n\ndivide by √d\n\n14\n\nSoftmax\n\n0.99\n\n$q_1 \\cdot k_2 = 96$\n\n12\n\n0.12\n"
    )
    report = check_text(notes)
    assert told(report) == [("softmax", 1, 1, "0.99", "0.88", "wrong")]
    assert report.findings[0].arithmetic == "e^14 / (e^14 + e^12) = 0.8808"


W_Q = r"\begin{bmatrix} -0.35 & 0.51 & 0.50 \\ 0.36 & -0.47 & -0.29 \\ -0.51 & -0.14 & -0.56 \end{bmatrix}"
W_K = r"\begin{bmatrix} -0.49 & -0.68 & 0.18 \\ -0.44 & -0.46 & 0.18 \\ 0.07 & -0.10 & 0.44 \end{bmatrix}"
W_V = r"\begin{bmatrix} -0.41 & 0.39 & -0.65 \\ -0.40 & -0.07 & -0.34 \\ -0.55 & -0.13 & -0.29 \end{bmatrix}"
W_O = r"\begin{bmatrix} -0.36 & -0.08 & 0.32 \\ 0.27 & 0.05 & 0.15 \\ -0.05 & -0.28 & 0.05 \end{bmatrix}"
X = r"\begin{bmatrix} -0.1 & 0.1 & 0.3 \\ 0.4 & -1.1 & -0.3 \end{bmatrix}"
Q = r"\begin{bmatrix} -0.08 & -0.14 & -0.24 \\ -0.39 & 0.77 & 0.69 \end{bmatrix}"
K = r"\begin{bmatrix} 0.02 & -0.01 & 0.13 \\ 0.27 & 0.27 & -0.26 \end{bmatrix}"
K_T = r"\begin{bmatrix} 0.02 & 0.27 \\ -0.01 & 0.27 \\ 0.13 & -0.26 \end{bmatrix}"
BAD_V = r"\begin{bmatrix} -0.16 & -0.08 & -0.05 \\ -0.02 & -0.02 & 0.05 \end{bmatrix}"
WEIGHTS = f"$$W_Q = {W_Q}$$\n\n$$W_K = {W_K} \\qquad W_V = {W_V}$$\n\n$$W_O = {W_O}$$\n\n"
V_SLIP = [("V", 2, i + 1, printed, right, "slip") for i, (printed, right) in enumerate(
    [("-0.02", "0.44"), ("-0.02", "0.27"), ("0.05", "0.20")])]  # fmt: skip


def test_one_token_whose_output_copies_the_line_before() -> None:
    notes = (
        "#### Case 1\n\n" + WEIGHTS + r"$$X = [-0.1 \ 0.1 \ 0.3]$$" + "\n\n"
        rf"$$V = X W_V = \begin{{bmatrix}} -0.1 & 0.1 & 0.3 \end{{bmatrix}} {W_V} = [-0.16 - 0.08 - 0.05]$$" + "\n\n"
        rf"$$Y = A W_0 = [-0.16 - 0.08 - 0.05] {W_O} = [-0.16 - 0.08 - 0.05]$$" + "\n"
    )
    report = check_text(notes)
    assert [(f.name, f.col, f.right, f.verdict, f.cause) for f in report.findings if not f.is_mild] == [
        ("Y", 1, "0.04", "wrong", "copied the previous line"),
        ("Y", 2, "0.02", "wrong", "copied the previous line"),
        ("Y", 3, "-0.07", "wrong", "copied the previous line"),
    ]


def two_tokens(function: str, q_weight: str, k_turned: str, mask: str, weights: str, mixed: str, output: str) -> str:
    added = f" + {mask}" if mask else ""
    named = " + M" if mask else ""
    scaled = r"\begin{bmatrix} -0.019 & 0.002 \\ 0.043 & -0.046 \end{bmatrix}"
    return "\n\n".join(
        [
            WEIGHTS + f"$$X = {X}$$",
            f"$$Q = X W_Q = {X} {q_weight}$$",
            f"$$= {Q}$$",
            f"$$K = X W_K = {X} {W_K} = {K}$$",
            f"$$V = X W_V = {X} {W_V} = {BAD_V}$$",
            rf"$$A = {function} \left( \frac{{QK^T}}{{\sqrt{{d}}}}{named} \right) V$$",
            rf"$$= {function} \left( {Q} {k_turned} \frac{{1}}{{\sqrt{{d}}}}{added} \right) {BAD_V}$$",
            rf"$$= {function} \left( {scaled}{added} \right) {BAD_V}$$",
            f"$$= {weights} {BAD_V} = {mixed}$$",
            f"$$Y = A W_O = {mixed} {W_O} = {output}$$",
        ]
    )


MIXED = r"\begin{bmatrix} 0.14 & 0.09 & 0.07 \\ 0.12 & 0.08 & 0.06 \end{bmatrix}"
SHARES = r"\begin{bmatrix} 0.49 & 0.51 \\ 0.52 & 0.48 \end{bmatrix}"
OUTPUT = r"\begin{bmatrix} -0.029 & -0.028 & 0.065 \\ -0.025 & -0.025 & 0.058 \end{bmatrix}"


def test_two_tokens_with_a_wrong_value_row_that_is_not_carried_on() -> None:
    notes = two_tokens(r"\operatorname{softmax}", W_Q, K_T, "", SHARES, MIXED, OUTPUT)
    report = check_text(notes)
    assert told(report) == V_SLIP
    assert not [f for f in report.findings if f.is_mild]
    assert report.rounded_givens > 2  # the weights were rounded, and many numbers show it


def test_masked_says_sigmoid_and_means_softmax() -> None:
    wrong_weight = W_Q.replace("-0.56", "-0.29")
    mask = r"\begin{bmatrix} 0 & -\infty \\ 0 & 0 \end{bmatrix}"
    weights = r"\begin{bmatrix} 1.0 & 0.0 \\ 0.52 & 0.48 \end{bmatrix}"
    mixed = r"\begin{bmatrix} -0.16 - 0.08 & -0.05 \\ 0.12 & 0.08 & 0.06 \end{bmatrix}"
    output = r"\begin{bmatrix} 0.03 & 0.02 & -0.06 \\ -0.02 & -0.02 & 0.05 \end{bmatrix}"
    report = check_text(two_tokens("sigmoid", wrong_weight, K_T, mask, weights, mixed, output))
    assert told(report) == [
        ("W_Q", 3, 3, "-0.29", "-0.56", "slip"),
        *V_SLIP,
        ("A", None, None, "sigmoid", "softmax", "formula"),
    ]
    assert ("Y", 1, 1) in {(f.name, f.row, f.col) for f in report.findings if f.verdict == "cut-off"}  # 0.0389 → 0.03


def test_cross_attention_with_a_sign_lost_in_the_keys() -> None:
    c = r"\begin{bmatrix} -0.6 & 0.3 & -0.4 \\ 0.5 & 0.9 & -0.5 \end{bmatrix}"
    q = r"\begin{bmatrix} 0.52 & -0.39 & -0.16 \\ 0.40 & -0.09 & 0.27 \end{bmatrix}"
    split = (
        r"\begin{bmatrix} -0.35 & 0.51 \\ 0.36 & -0.47 \\ -0.51 & -0.14 \end{bmatrix}"
        r" \begin{bmatrix} 0.50 \\ -0.29 \\ -0.56 \end{bmatrix}"
    )
    scaled = r"\begin{bmatrix} -0.0028 & 0.0470 \\ 0.0278 & 0.0075 \end{bmatrix}"
    shares = r"\begin{bmatrix} 0.49 & 0.51 \\ 0.51 & 0.49 \end{bmatrix}"
    mixed = r"\begin{bmatrix} 0.15 & 0.10 & 0.07 \\ 0.13 & 0.09 & 0.07 \end{bmatrix}"
    output = r"\begin{bmatrix} -0.0305 & -0.0296 & 0.0677 \\ -0.0281 & -0.0277 & 0.0630 \end{bmatrix}"
    wrong_keys = K_T.replace("0.02 ", "-0.02 ", 1)
    notes = "\n\n".join(
        [
            WEIGHTS + f"$$X = {X}$$\n\n$$C = {c}$$",
            f"$$Q = C W_Q = {c} {split}$$\n$$= {q}$$",
            f"$$K = X W_K = {X} {W_K} = {K}$$",
            f"$$V = X W_V = {X} {W_V} = {BAD_V}$$",
            r"$$A = \operatorname{softmax} \left( \frac{QK^T}{\sqrt{d}} \right) V$$",
            rf"$$= \operatorname{{softmax}} \left( {q} {wrong_keys} \frac{{1}}{{\sqrt{{d}}}} \right) {BAD_V}$$",
            rf"$$= \operatorname{{softmax}} \left( {scaled} \right) {BAD_V}$$",
            f"$$= {shares} {BAD_V} = {mixed}$$",
            f"$$Y = A W_O = {mixed} {W_O} = {output}$$",
        ]
    )
    report = check_text(notes)
    assert told(report) == [*V_SLIP, ("Kᵀ", 1, 1, "-0.02", "0.02", "slip")]
    assert report.findings[-1].cause == "sign lost"


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("[1, 0] x [[1, 0], [1, 1]] = [1, 0]", True),
        ("[3, 0] x [[1, 0], [1, 1]] = [3, 1]", False),
        ("tea: [1, 0] · [[1, 2], [0, 1]] = [1×1+0×0, 1×2+0×1] = [1, 2]", True),
        ("tea: [1, 0] · [[1, 2], [0, 1]] = [1×1+0×0, 1×2+0×1] = [1, 3]", False),
        ("0.2·[1, 2] + 0.4·[0, 1] + 0.4·[1, 3] = [0.6, 2.0]", True),
        ("0.2·[1, 2] + 0.4·[0, 1] + 0.4·[1, 3] = [0.6, 2.4]", False),
        ("softmax([0, 0.71, 0.71]) ≈ [0.197, 0.401, 0.401]", True),
        ("softmax([0, 0.71, 0.71]) ≈ [0.250, 0.401, 0.401]", False),
        ("sigmoid(0) = 0.5", True),
        ("relu([-1, 2]) = [0, 2]", True),
        ("relu([-1, 2]) = [1, 2]", False),
        ("mean([1, 2, 3, 6]) = 3", True),
        ("var([1, 2, 3, 6]) = 3.5", True),
        ("var([1, 2, 3, 6]) = 4.67", True),  # divided by n − 1, as a sample's is
        ("var([1, 2, 3, 6]) = 4.97", False),
        ("sin(1) = 0.841, cos(1) = 0.540", True),
        ("√2 ≈ 1.41", True),
        ("2 / √2 ≈ 1.44", False),
        ("[[1, 2], [3, 4]]^T = [[1, 3], [2, 4]]", True),
        ("[1, 2] + [3, 4] = [4, 6]", True),
        ("(2.1 - 1.3)² / 2 = 0.32", True),
        ("1/3 = 0.33", True),
        ("1/3 = 33%", True),
        ("2/3 = 0.66", True),  # cut off, not wrong
    ],
)
def test_one_line(line: str, right: bool) -> None:
    report = check_text(line)
    assert report.checked >= 1
    assert (report.first_wrong is None) == right, told(report)


def test_where_rounding_makes_a_difference_both_numbers_are_told() -> None:
    """0.67 · 3 is 2.01 on the page, and 0.666 · 3 is 2.00 from the givens."""
    text = "X = [[1, 1]]\n\nW = [[0.333], [0.333]]\n\nQ = X W = [[0.67]]\n\nY = Q · 3 = [[2.05]]\n"
    finding = check_text(text).first_wrong
    assert finding is not None
    assert finding.right == "2.00"
    assert finding.arithmetic == "0.67 × 3 = 2.01 from the rounded numbers on the page; 2.00 from the given ones"
