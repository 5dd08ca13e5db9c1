"""Slips planted in a right working: where they are said to be, and gone on with if they say so."""

import numpy as np
import pytest

from glassformer.by_hand.exercises.planting import plant
from glassformer.by_hand.exercises.workings import VARIANTS, make_working


@pytest.mark.parametrize("seed", range(20))
def test_the_numbers_differ_where_the_slip_is_said_to_be(seed: int) -> None:
    working = make_working(seed, VARIANTS[seed % len(VARIANTS)])
    slipped, (slip,) = plant(working, seed)
    right, wrong = working.answers[slip.symbol], slipped.answers[slip.symbol]
    assert {(int(i), int(j)) for i, j in np.argwhere(right != wrong)} == set(slip.places)
    names = list(working.answers)
    for before in names[: names.index(slip.symbol)]:
        assert np.array_equal(working.answers[before], slipped.answers[before])
    if not slip.carried:
        assert all(
            np.array_equal(working.answers[name], slipped.answers[name]) for name in names if name != slip.symbol
        )


def test_several_slips_are_in_different_steps_and_the_seed_decides() -> None:
    working = make_working(3)
    slipped, slips = plant(working, 5, count=2)
    assert len({slip.symbol for slip in slips}) == 2
    assert plant(working, 5, count=2)[1] == slips
    assert slipped.given is working.given


def test_only_the_blanks_are_the_students() -> None:
    working = make_working(3)
    for seed in range(10):
        slipped, slips = plant(working, seed, blanks=("A",))
        assert {slip.symbol for slip in slips} == {"A"}
        assert np.array_equal(slipped.answers["H"], working.answers["H"])  # printed on the sheet
