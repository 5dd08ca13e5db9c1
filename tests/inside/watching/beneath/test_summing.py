"""Sums, pooling and steps of a loop in which rows are added up by numbers of their own."""

import torch

from glassformer.inside.watching.beneath.marks import Carried, WeightMark
from glassformer.inside.watching.beneath.summing import are_powers, doubts_of_sums, of_a_state_space, step_by_step
from glassformer.inside.watching.beneath.windows import GATED, LAID

ROWS = torch.zeros(2, 7, 3)


def carried(tensor: torch.Tensor, *marks: WeightMark) -> Carried:
    return Carried(tensor, frozenset(marks))


def test_gated_rows_that_are_added_up_are_doubted_and_their_columns_are_not() -> None:
    gated = carried(ROWS, WeightMark(1, "gated", "mm", axis=-1))
    assert doubts_of_sums("sum", [gated], [ROWS, [1]]) == [("mm", GATED)]
    assert doubts_of_sums("sum", [gated], [ROWS, [-1]]) == []
    assert doubts_of_sums("relu", [gated], [ROWS]) == []


def test_several_gates_are_doubted_where_the_sum_goes_along_their_rows() -> None:
    whole = torch.zeros(2, 7, 3, 5)
    fanned = carried(whole, WeightMark(1, "fanned", "mm", frozenset((-3, -4))))
    assert doubts_of_sums("mean", [fanned], [whole, [1]]) == [("mm", GATED)]
    assert doubts_of_sums("mean", [fanned], [whole, [-1]]) == []


def test_a_picture_is_pooled_over_its_places_whatever_size_is_asked_for() -> None:
    picture = torch.zeros(2, 3, 4, 5)
    windowed = carried(picture, WeightMark(1, "windowed", "unfold", frozenset((4,))))
    assert doubts_of_sums("_adaptive_avg_pool2d", [windowed], [picture, [9, 9]]) == [("unfold", LAID)]
    elsewhere = carried(picture, WeightMark(1, "windowed", "unfold", frozenset((3,))))
    assert doubts_of_sums("avg_pool2d", [elsewhere], [picture, [7, 7]]) == []


def test_rows_gated_by_the_same_numbers_one_after_another_are_doubted() -> None:
    one, other = (WeightMark(1, "gated", "mm", spread=rows) for rows in "ab")
    assert step_by_step([{one}, {other}]) == [("mm", GATED)]
    assert step_by_step([{one}, {one}]) == []


def test_a_state_space_has_a_step_that_fades_too() -> None:
    step, fade = WeightMark(1, "step", "softplus"), WeightMark(1, "fade", "softplus")
    assert of_a_state_space([carried(ROWS, step), carried(ROWS, fade)])
    assert not of_a_state_space([carried(ROWS, step)])
    assert are_powers(carried(ROWS, WeightMark(1, "power", "exp")))
