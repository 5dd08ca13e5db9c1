"""A row of the table of sizes."""

from glassformer.models.size_formulas.parts import row
from glassformer.models.size_formulas.quantities import letter


def test_a_row_has_its_formula_in_letters_and_in_numbers() -> None:
    part = row("output", letter("D", 5) * letter("N", 7) + letter("N", 7), 70)
    assert (part.formula, part.numbers, part.count, part.flops) == ("D·N + N", "5·7 + 7", 42, 70)
