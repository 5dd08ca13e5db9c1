"""A solution in Markdown and LaTeX: complete, and safe whatever the words are."""

import re

from glassformer.by_hand.worksheets.solution import explain
from glassformer.by_hand.worksheets.worksheet import from_sentence


def test_latex_is_told_of_wide_matrices_and_heads_stand_under_each_other() -> None:
    twenty = from_sentence(" ".join(f"word{i}" for i in range(20)), heads=2, width=6, mask="causal")
    assert r"\setcounter{MaxMatrixCols}{20}" in explain(twenty).to_latex()
    text = explain("two-heads").to_latex()
    assert "MaxMatrixCols" not in text
    assert re.search(r"&\\text\{head 0:\}\\quad .* \\\\\n&\\text\{head 1:\}", text)


def test_the_words_of_a_worksheet_are_safe_in_markdown_and_latex() -> None:
    sheet = {
        "title": "a_b $5 *c*",
        "tokens": ["x_1", "50%"],
        "context_tokens": ["#2", "{y}"],
        "scores": [[1, 2], [3, 4]],
    }
    solution = explain(sheet)
    assert r"# a\_b \$5 \*c\*" in solution.to_markdown()
    assert r"Context tokens, one per row: \#2, {y}." in solution.to_markdown()
    assert r"\section*{a\_b \$5 *c*}" in solution.to_latex()
    assert r"Tokens, one per row: x\_1, 50\%." in solution.to_latex()
    assert r"Context tokens, one per row: \#2, \{y\}." in solution.to_latex()
    assert r"of $\tilde{Z}$" in explain("masked").to_latex()
