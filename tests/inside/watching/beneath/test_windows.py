"""Numbers that weigh rows without a product of rows: what begins, by the sizes of what meets."""

from collections.abc import Iterable

import torch
from torch import Tensor

from glassformer.inside.watching.beneath.lying import own_size, repeated_along
from glassformer.inside.watching.beneath.marks import Carried, WeightMark
from glassformer.inside.watching.beneath.windows import (
    LAID,
    are_shares,
    blended,
    filtered,
    placed,
    summed_up,
    windows,
)


def new(kind: str, name: str, lengths: Iterable[int] = ()) -> WeightMark:
    return WeightMark(1, kind, name, frozenset(lengths))


def carried(tensor: Tensor, *kinds: str, fixed: bool = False, learned: bool = False) -> Carried:
    return Carried(tensor, frozenset(new(kind, "made") for kind in kinds), fixed=fixed, learned=learned)


def test_numbers_that_are_the_same_again_are_not_counted() -> None:
    assert own_size(torch.zeros(2, 1, 5).expand(2, 7, 5)) == 10
    assert repeated_along(torch.zeros(7, 1), torch.zeros(2, 7, 5)) == {-1, -3}
    assert repeated_along(torch.zeros(2, 1, 5).expand(2, 7, 5), torch.zeros(2, 7, 5)) == {-2}


def test_one_number_of_a_row_against_all_places_is_a_window() -> None:
    one, places, apart = torch.zeros(2, 7, 1), torch.arange(7.0), torch.zeros(2, 7, 7)
    single = carried(one, "single")
    assert {mark.kind for mark in placed(new, "sub", [carried(places, fixed=True), single], apart)} == {"fit"}
    assert not placed(new, "sub", [carried(places, fixed=True, learned=True), single], apart)  # a layer's own
    assert not placed(new, "sub", [carried(one, "columns"), carried(places, fixed=True)], apart)
    assert not placed(new, "mul", [carried(places, fixed=True), single], apart)  # frequencies of a time


def test_numbers_across_neighbours_may_weigh_them() -> None:
    sides, numbers = torch.zeros(2, 5, 3, 4), torch.zeros(2, 5, 1, 4)
    (begun,) = windows(new, "unfold", [carried(torch.zeros(2, 8, 3))], sides)
    assert (begun.kind, begun.lengths) == ("windows", {4})
    side = Carried(sides, frozenset((begun,)))
    (met,) = windows(new, "mul", [side, carried(numbers)], sides)
    assert (met.kind, met.lengths) == ("windowed", {4})
    assert not windows(new, "mul", [side, carried(numbers, fixed=True)], sides)
    assert not windows(new, "mul", [side, carried(numbers, "weights")], sides)  # followed as such
    assert are_shares(carried(numbers, "weights"))


def test_filters_that_were_scores() -> None:
    rows, scores = carried(torch.zeros(1, 7, 5)), carried(torch.zeros(7, 7, 1), "product")
    assert filtered([rows, scores]) == [("made", LAID)]
    assert filtered([rows, scores._replace(fixed=True)]) == []


def test_sums_of_logarithms_of_pairs_that_become_numbers_again() -> None:
    (blend,) = summed_up(new, "logsumexp", [carried(torch.zeros(3), "pair")])
    assert not summed_up(new, "logsumexp", [carried(torch.zeros(3), "product")])
    assert blended(frozenset((blend,))) == [("logsumexp", LAID)]
