"""Formulas of a workbook: what they give on the numbers shown is checked, and what is not known is left alone."""

import pytest

from glassformer.by_hand.notes.sheet_formulas import agreeing, place_of

CELLS = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): 4.0}  # A1:B2


def agrees(formula: str, shown: list[list[float]]) -> bool:
    """Whether a formula in D1 gives the numbers shown from there on."""
    numbers = CELLS | {(r, 3 + c): value for r, row in enumerate(shown) for c, value in enumerate(row)}
    last = (len(shown) - 1, 3 + len(shown[0]) - 1)
    return list(agreeing({(0, 3): (formula, last)}, numbers.get)) == [((0, 3), last)]


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("=A1+B$2*2", [[9.0]]),
        ("=MMULT(A1:B2,$A$1:$B$2)", [[7.0, 10.0], [15.0, 22.0]]),
        ("=TRANSPOSE(A1:B2)", [[1.0, 3.0], [2.0, 4.0]]),
        ("=SUM(A1:B2)/SQRT(4)^2", [[2.5]]),
        ("=SOFTMAX(A1:A2)", [[0.11920292], [0.88079708]]),
        ("=MMULT(_xlfn.ANCHORARRAY(D1),A1:B2)", [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_what_a_formula_gives(formula: str, shown: list[list[float]]) -> None:
    if "ANCHOR" in formula:
        assert not agrees(formula, shown)  # D1 times A1:B2 is another matrix
        return
    assert agrees(formula, shown)
    assert not agrees(formula, [[value + 0.5 for value in row] for row in shown])


@pytest.mark.parametrize(
    "formula",
    [
        "=A1+C9",
        "=IF(A1>1,1,0)",
        "=Sheet2!A1",
        '="a"&A1',
        "=UNKNOWN(A1)",
        "=A1:B999999",
        "=" + "(" * 400,
        "=1/0",
        "=9^9^9^9",
    ],
)
def test_what_is_not_known_is_left_alone(formula: str) -> None:
    assert not agrees(formula, [[1.0]])


def test_places() -> None:
    assert place_of("A", "1") == (0, 0)
    assert place_of("AB", "12") == (11, 27)
