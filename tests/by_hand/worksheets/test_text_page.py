"""The page of a solution keeps to its width, loses no half number, and says the same in every form."""

import re
from typing import Any

import pytest
from rich.cells import cell_len

from glassformer.by_hand.worksheets.laboratory_page import laboratory_page, setting_of
from glassformer.by_hand.worksheets.mask_laboratory import experiments
from glassformer.by_hand.worksheets.solution import Solution, explain
from glassformer.by_hand.worksheets.text_page import solution_page
from glassformer.by_hand.worksheets.worksheet import example_names, from_sentence
from glassformer.drawing.matrices import heading
from glassformer.drawing.terminal import page_width
from glassformer.errors import InputError

WIDTHS = [60, 80, 100, 140]
TWENTY = " ".join(f"word{i}" for i in range(20))
SOURCES: dict[str, Any] = {name: name for name in example_names()} | {
    "three words": from_sentence("the cat sat", heads=2, mask="causal"),
    "twenty words": from_sentence(TWENTY, heads=2, width=6, mask="causal"),
    "wide words": from_sentence("猫 が 😀 Donaudampfschifffahrtsgesellschaftskapitän 座った", heads=3, width=21),
}


def lines(solution: Solution, width: int, precision: int = 4) -> list[str]:
    page = solution_page(solution.handout(precision), page_width(width), legend=True)
    if "masked" in solution.trace:
        setting = setting_of(solution.trace, precision)
        page += laboratory_page(setting, experiments(setting.scores, setting.mask), page_width(width))
    return [line.plain for line in page]


def figures(page: list[str]) -> set[str]:
    """All that stands between brackets."""
    return {cell for line in page for row in re.findall("[⎡⎢⎣](.*?)[⎤⎥⎦]", line) for cell in row.split()}


@pytest.mark.parametrize("precision", [2, 4, 15])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", SOURCES)
def test_every_page_keeps_to_its_width(source: str, width: int, precision: int) -> None:
    for line in lines(explain(SOURCES[source]), width, precision):
        assert cell_len(line) <= width
        assert line == line.rstrip()
        opened, closed = re.findall("[⎡⎢⎣]", line), re.findall("[⎤⎥⎦]", line)
        assert ["⎡⎢⎣".index(sign) for sign in opened] == ["⎤⎥⎦".index(sign) for sign in closed]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("source", SOURCES)
def test_no_number_is_cut(source: str, width: int) -> None:
    solution = explain(SOURCES[source])
    with_all_the_room = [line.plain for line in solution_page(solution.handout(), 10_000)]
    shown = figures([line.plain for line in solution_page(solution.handout(), page_width(width))])
    assert len(shown) > 3 or source in ("one-token", "thinking-machines")
    assert shown <= figures(with_all_the_room) | {"…"}


@pytest.mark.parametrize("width", WIDTHS)
def test_the_bar_is_as_high_as_its_stage(width: int) -> None:
    text = lines(explain(SOURCES["three words"]), width)
    start, end = (text.index(heading(title, page_width(width))[0].plain) for title in ("worked", "one number"))
    worked = text[start:end]
    blocks = "\n".join(worked[1:]).strip("\n").split("\n\n")
    assert len(blocks) == 10
    assert all(line.startswith("  ▌") for block in blocks for line in block.splitlines())


def test_a_matrix_that_does_not_fit_says_how_much_is_missing() -> None:
    text = "\n".join(lines(explain(SOURCES["twenty words"]), 60))
    row = re.search(r"word19 ⎣ (.*) … ⎦\n  ▌ +… (\d+) more columns", text[text.index("A = softmax") :])
    assert row is not None
    assert len(row[1].split()) + int(row[2]) == 20


def page_of(source: Any, number: str | None = None) -> str:
    return "\n".join(line.plain for line in solution_page(explain(source).handout(4, number), 100))


def test_what_repeats_is_said_in_a_line_and_decided_by_structure() -> None:
    assert "▌  Q = K = V = X\n  ▌  The same numbers: no W_Q, no W_K, no W_V." in page_of("no-weights")
    assert "▌  Y = J = H\n" in page_of("no-weights")
    assert "▌  J = H\n" in page_of("masked")
    assert "J = H" not in page_of("two-heads")
    identity = {
        "inputs": [[1, 2], [3, 4]],
        **{f"{name}_weight": [[1, 0], [0, 1]] for name in ("query", "key", "value")},
    }
    assert "Q = X W_Q" in page_of(identity)  # the numbers of X, but a matrix was there


def test_the_synthesizer_asks_no_key() -> None:
    assert "no key is asked" in page_of("synthesizer")
    assert "How well each query fits each key" not in page_of("synthesizer")


def test_a_tiny_weight_is_no_hidden_one() -> None:
    text = page_of({"scores": [[20, 0], [0, 20]], "mask": "causal"})
    assert "⎡  1.0000        · ⎤" in text
    assert "⎣ <0.0001   1.0000 ⎦" in text


def test_a_large_number_keeps_its_digits() -> None:
    assert "[ 1.235e7        1 ]" in page_of({"scores": [[12345678, 1]]})
    assert r"1.235 \times 10^{7} & 1" in explain({"scores": [[12345678, 1]]}).to_latex()
    assert r"2.061 \times 10^{-9}" in explain({"scores": [[20, 0]]}).to_markdown()


def test_latex_is_told_of_wide_matrices_and_heads_stand_under_each_other() -> None:
    assert r"\setcounter{MaxMatrixCols}{20}" in explain(SOURCES["twenty words"]).to_latex()
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


def test_a_solution_shows_itself_in_python() -> None:
    solution = explain("masked")
    assert repr(solution).startswith("Solution('masked', ")
    assert len(repr(solution)) < 100
    assert "A = softmax(Z̃), row by row" in str(solution)
    assert "\x1b" not in str(solution)
    assert solution._repr_markdown_() == solution.to_markdown()
    with pytest.raises(InputError, match="precision is 16; expected 2 to 15"):
        solution.to_latex(16)
