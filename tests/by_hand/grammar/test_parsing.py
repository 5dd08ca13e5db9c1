"""One tree for every way to write a formula, and a reason where there is none."""

import pytest

from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import UnreadableError, parse


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
        (r"\operatorname{softargmax}_\beta(K^\top q)", "math", "softmax(β · (K)ᵀ · q)"),
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
