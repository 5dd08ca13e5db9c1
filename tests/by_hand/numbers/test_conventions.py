"""The other ways to mean what is written: only what made a difference is tried, few changes first."""

import math

from glassformer.by_hand.numbers.conventions import MOST, PLAIN, Ambiguities, Convention, Habits, others


def test_nothing_that_was_not_met_is_tried() -> None:
    assert list(others(Ambiguities(), Habits(), 0.0)) == []
    assert list(others(Ambiguities({"e"}), Habits(), 0.0)) == []  # nobody announced another e


def test_one_change_before_two() -> None:
    found = list(others(Ambiguities({"base", "degrees"}), Habits(), 0.0))
    assert found == [
        Convention(base=2.0), Convention(base=10.0), Convention(degrees=True), Convention(base=2.0, degrees=True),
        Convention(base=10.0, degrees=True),
    ]  # fmt: skip
    assert PLAIN.base == math.e


def test_rounding_on_the_way_comes_first_and_habits_count() -> None:
    found = list(others(Ambiguities({"e", "down"}), Habits(e=(2.7,), by_columns=True), 0.005))
    assert found == [Convention(rounding=0.005), Convention(e=2.7), Convention(down=True), Convention(e=2.7, down=True)]


def test_earlier_meanings_of_a_name() -> None:
    found = [each.versions for each in others(Ambiguities(versions={"Q": 2, "K": 3}), Habits(), 0.0)]
    assert found[:3] == [(("Q", 1),), (("K", 1),), (("K", 2),)]
    assert (("Q", 1), ("K", 2)) in found


def test_there_is_an_end() -> None:
    every = {"entrywise", "upright", "base", "degrees", "spread", "whole", "from_zero", "smooth"}
    assert len(list(others(Ambiguities(every), Habits(), 0.0))) == MOST
