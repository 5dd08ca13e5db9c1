"""Formulas kept as trees, written out in LaTeX."""

import pytest
from helpers.checked_notes import found


@pytest.mark.parametrize(
    ("formula", "printed", "right"),
    [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac><mo>+</mo><mn>1</mn><mo>=</mo><mn>1.85</mn>", "1.85", "1.75"),
        ("<msup><mn>3</mn><mn>2</mn></msup><mo>=</mo><mn>6</mn>", "6", "9"),
        ("<msqrt><mn>16</mn></msqrt><mo>=</mo><mn>5</mn>", "5", "4"),
        ("<mn>2</mn><mo>−</mo><mn>5</mn><mo>=</mo><mn>3</mn>", "3", "-3"),
        ("<mi>softmax</mi><mo>\u2061</mo><mfenced><mtable><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable>"
         "</mfenced><mo>=</mo><mo>[</mo><mtable><mtr><mtd><mn>0.27</mn></mtd><mtd><mn>0.93</mn></mtd></mtr></mtable>"
         "<mo>]</mo>", "0.93", "0.73"),
    ],
)  # fmt: skip
def test_mathml(formula: str, printed: str, right: str) -> None:
    assert found(f"<math display='block'><mrow>{formula}</mrow></math>", ".html") == [(1, printed, right)]
