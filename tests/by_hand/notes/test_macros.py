"""Commands of the author's are put in, and those without end stay as they are."""

from pathlib import Path

import pytest
from helpers.checked_notes import found
from hypothesis import given
from hypothesis import strategies as st

from glassformer.by_hand.check import check
from glassformer.by_hand.notes.macros import read_macros

LATEX = r"""\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}
\DeclareMathOperator{\sm}{softmax}
\def\beq{\begin{equation}}
\def\eeq{\end{equation}}
\begin{document}
\beq Q = \mat{1 & 2 \\ 3 & 4} \eeq
\[ 2 Q = \mat{2 & 4 \\ 6 & 9} \]
\[ \sm(\mat{0 & 1}) = \mat{0.27 & 0.93} \]
\end{document}
"""


def test_commands_of_the_author() -> None:
    assert found(LATEX, ".tex") == [(7, "9", "8"), (8, "0.93", "0.73")]


def test_commands_in_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "mine.sty").write_text(r"\newcommand{\mat}[1]{\begin{bmatrix}#1\end{bmatrix}}", encoding="utf-8")
    notes = tmp_path / "notes.tex"
    notes.write_text(r"\usepackage{mine}\begin{document}\[ [1, 2] + [1, 2] = \mat{2 & 5} \]\end{document}")
    assert [(each.printed, each.right) for each in check(notes).findings] == [("5", "4")]


def test_a_pair_that_everybody_knows() -> None:
    assert found(r"$\bpmat 1 & 2 \epmat + \bpmat 1 & 2 \epmat = \bpmat 2 & 5 \epmat$") == [(1, "5", "4")]


@pytest.mark.parametrize(
    "text",
    [
        r"\newcommand{\a}{\b\b\b\b\b\b\b\b}\newcommand{\b}{\c\c\c\c\c\c\c\c\c}\newcommand{\c}{\d\d\d\d\d\d\d\d\d\d}"
        r"\newcommand{\d}{1+1+1+1+1+1+1+1+1+1+} $\a\a\a\a\a\a 1 = 2$",
        r"\newcommand{\a}{\b}\newcommand{\b}{\a} $\a = 2$",
        r"\newcommand{\a}[2]{#1#2#9} $\a{1} = 2$",
        r"\newcommand{\a} $\a = 2$",
        r"\def\a#1{#1} $\a",
    ],
)
@pytest.mark.processor_seconds(10)
def test_commands_without_end_stay_as_they_are(text: str) -> None:
    assert found(text) == []


@given(st.text(alphabet="ab1 \\{}$#\n", max_size=80))
def test_commands_put_in_have_a_place_for_every_sign(text: str) -> None:
    macros = read_macros(r"\newcommand{\a}[1]{(#1)}\newcommand{\b}{11}")
    put, places = macros.put_in(text, 7)
    assert len(places) in (0, len(put))
    assert all(7 <= place < 7 + len(text) for place in places)
