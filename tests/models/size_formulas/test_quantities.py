"""Numbers that remember how they were worked: in letters and in figures, as on paper."""

from glassformer.models.size_formulas.quantities import NOTHING, Quantity, letter


def test_a_formula_is_written_as_on_paper() -> None:
    d, k, h = letter("D", 1024), letter("K", 32), letter("H", 4)
    made = d * (2 * k + k) * h + d
    assert made == Quantity("D·(2·K+K)·H + D", "1,024·(2·32+32)·4 + 1,024", 394_240, is_sum=True)
    assert (letter("X", 0) + d) == d
    assert (d + 0) == d


def test_what_is_not_there_is_not_written() -> None:
    d = letter("D", 7)
    assert NOTHING + d == d
    assert (2 * d).value == 14
    assert (2 * d).letters == "2·D"
    assert ((d + 1) * 1_000).numbers == "(7+1)·1,000"
