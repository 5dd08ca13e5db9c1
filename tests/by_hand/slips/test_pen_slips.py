"""Slips of the pen, each reproduced by a number that a pencil can work."""

import pytest
from helpers.formulas import scene

from glassformer.by_hand.slips import causes
from glassformer.by_hand.slips.pen_slips import pen_slips


@pytest.mark.parametrize(
    ("expected", "printed", "cause"),
    [
        ("2 · 3", "-6", causes.SIGN),
        ("2 · 3.5", "70", causes.POINT),
        ("5 · 7", "53", causes.DIGITS),
        ("[[1, 2], [3, 5]] · [[2, 0], [0, 2]]", "[[2, 6], [4, 10]]", causes.EXCHANGED),
        ("[1, 2, 3] · 7", "[7, 14, 14]", causes.NEIGHBOUR),
        ("[1, 2, 3] · 7", "[14, 7, 21]", causes.TWO_EXCHANGED),
        ("[2, 3] · [[5], [11]]", "33", causes.TERM_LEFT_OUT),
        ("[2, 3] · [[5], [11]]", "23", causes.TERM_SIGN),
    ],
)
def test_a_slip_is_named_that_gives_the_printed_number(expected: str, printed: str, cause: str) -> None:
    assert cause in list(pen_slips(scene(expected, printed)))


def test_a_number_from_nowhere_has_no_cause() -> None:
    assert list(pen_slips(scene("2 · 3", "47"))) == []
