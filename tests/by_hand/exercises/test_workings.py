"""Workings made from a seed: friendly numbers, worked by a code that the checker does not share."""

import numpy as np
import pytest

from glassformer.by_hand.exercises.exercise_sheets import make_exercise
from glassformer.by_hand.exercises.workings import VARIANTS, make_working, rounded_on_paper, row_softmax
from glassformer.errors import InputError


@pytest.mark.parametrize("seed", range(20))
def test_numbers_are_friendly(seed: int) -> None:
    made = make_exercise(seed)
    assert all(abs(number) <= 2 for given in made.working.given.values() for number in given.flat)
    assert abs(made.working.answers["Z"]).max() <= 3


def test_softmax_and_printing_by_pencil() -> None:
    assert row_softmax(np.array([[0.0, np.log(3)], [-np.inf, 0.0]])).tolist() == pytest.approx(
        np.array([[0.25, 0.75], [0.0, 1.0]])
    )
    assert rounded_on_paper(np.array([[0.125, -2.0, -np.inf]]), 1).tolist() == [[0.1, -2.0, -np.inf]]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_step_follows_from_those_before_it(variant: str) -> None:
    working = make_working(7, variant)
    numbers = dict(working.given)
    for step in working.steps:
        numbers[step.symbol] = rounded_on_paper(step.work(numbers), working.decimals)
        assert np.array_equal(numbers[step.symbol], working.answers[step.symbol])
    assert working.step("A_1" if variant == "two-heads" else "A").stage == "weights"


def test_what_cannot_be_made_is_named() -> None:
    with pytest.raises(InputError, match="no variant 'maskd'; did you mean 'masked'"):
        make_working(1, "maskd")
    with pytest.raises(InputError, match="9 tokens of width 2: choose 1 to 8"):
        make_working(1, tokens=9)
