"""LaTeX becomes MathML; what cannot be drawn is shown as it was typed, and never as HTML of its own."""

from html import escape

import pytest

from glassformer.drawing.mathml import to_mathml
from glassformer.stages.catalogue import CATALOGUE
from glassformer.stages.stage import Stage, fill


@pytest.mark.parametrize("each", CATALOGUE.values(), ids=CATALOGUE)
def test_nothing_of_a_symbol_or_a_formula_stays_as_it_was_typed(each: Stage) -> None:
    formulas = [each.latex, *(fill(way.latex, ["X"] * len(way.operands)) for way in each.ways)]
    drawn = [to_mathml(latex, 0, lambda _place, _number: None, block=False) for latex in formulas]
    assert "\\" not in "".join(drawn)


def drawn(text: str) -> str:
    return to_mathml(text, 0, lambda _place, _number: None, block=False)


def test_scripts_fractions_and_matrices() -> None:
    assert drawn("x_2") == "<math><mrow><msub><mi>x</mi><mn>2</mn></msub></mrow></math>"
    assert drawn(r"\frac{1}{d}") == (
        "<math><mrow><mfrac><mrow><mn>1</mn></mrow><mrow><mi>d</mi></mrow></mfrac></mrow></math>"
    )
    cells = "".join(f"<mtr><mtd><mrow><mn>{a}</mn></mrow></mtd></mtr>" for a in (2, 3))
    assert cells in drawn(r"\begin{bmatrix}2\\3\end{bmatrix}")


def test_a_number_may_be_marked_where_it_stands() -> None:
    marked = to_mathml(
        "a = 7", 10, lambda place, number: f"<b>{place}:{number}</b>" if number == "7" else None, block=True
    )
    assert marked.startswith("<math display='block'>")
    assert "<b>14:7</b>" in marked


@pytest.mark.parametrize("text", [r"\begin{bmatrix}1", r"\end{bmatrix}<b>", r"x^", "{" * 41])
def test_what_cannot_be_drawn_is_shown_as_it_was_typed(text: str) -> None:
    assert drawn(text) == f"<code>{escape(text)}</code>"
