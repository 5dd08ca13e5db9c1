"""What a foreign model does to its scores, in our terms: β, a cap, a bias and a mask."""

import math

import pytest
import torch

from glassformer.inside.watching.following.score_steps import (
    Add,
    Applied,
    Bent,
    Bound,
    Fill,
    Stretch,
    Times,
    as_four,
    in_our_terms,
    told_of,
)  # fmt: skip

FOUR = (1, 1, 2, 3)
SCORES = torch.tensor([[[[1.0, 2.0, 3.0], [5.0, 7.0, 11.0]]]])
FUTURE = torch.tensor([[False, True, True], [False, False, True]])


def test_numbers_before_the_softmax_multiply_to_beta() -> None:
    told = in_our_terms([Stretch(0.5), Stretch(3.0)], SCORES)
    assert told is not None
    assert (told.scale, told.cap, told.bias, told.mask) == (1.5, None, None, None)


@pytest.mark.parametrize(
    "step",
    [
        Add(torch.zeros(2, 3).masked_fill(FUTURE, -math.inf), FOUR),
        Add(torch.zeros(2, 3).masked_fill(FUTURE, -1e9), FOUR),
        Fill(FUTURE, -math.inf, FOUR),
        Fill(FUTURE, -1e4, FOUR),
    ],
)
def test_a_mask_of_every_spelling(step: Add | Fill) -> None:
    told = in_our_terms([step], SCORES)
    assert told is not None
    assert told.bias is None
    assert told.mask is not None
    assert torch.equal(told.mask[0, 0], ~FUTURE)


def test_a_row_that_a_finite_number_hides_whole_keeps_its_scores() -> None:
    told = in_our_terms([Add(torch.tensor([[-1e9, -1e9, -1e9], [0.0, 0.0, 0.0]]), FOUR)], SCORES)
    assert told is not None
    assert told.mask is None
    assert told.bias is not None
    assert told.bias[0, 0, 0].tolist() == [-1e9] * 3


def test_what_is_added_before_it_is_scaled_is_scaled_too() -> None:
    told = in_our_terms([Add(torch.tensor([2.0, 4.0, 6.0]), FOUR), Stretch(0.5)], SCORES)
    assert told is not None
    assert told.scale == 0.5
    assert told.bias is not None
    assert told.bias.flatten()[:3].tolist() == [1.0, 2.0, 3.0]


def test_a_cap_is_a_tangent_between_two_numbers() -> None:
    told = in_our_terms([Stretch(0.1), Bent(), Stretch(5.0)], SCORES)
    assert told is not None
    assert (told.scale, told.cap) == (0.5, 5.0)


def test_any_other_step_is_worked_and_what_follows_it_is_told() -> None:
    given, told = told_of([Stretch(2.0), Bound(4.0, 14.0), Add(torch.tensor([2.0, 4.0, 6.0]), FOUR)], SCORES)
    assert given is not None
    assert given.flatten().tolist() == [4.0, 4.0, 6.0, 10.0, 14.0, 14.0]
    assert told.bias is not None
    assert told.bias.flatten().tolist() == [2.0, 4.0, 6.0]


def test_what_holds_for_these_scores_and_for_no_others_is_not_told() -> None:
    assert in_our_terms([Bound(0.0, 13.0)], SCORES) is None  # it does nothing here, and would elsewhere
    assert in_our_terms([Applied(torch.abs)], SCORES) is None
    assert in_our_terms([Times(SCORES, FOUR, own=True)], SCORES) is None


def test_numbers_for_each_score_are_a_factor_and_what_was_added_before_is_multiplied_too() -> None:
    told = in_our_terms([Add(torch.tensor([2.0, 4.0, 6.0]), FOUR), Times(torch.tensor([[0.5], [3.0]]), FOUR)], SCORES)
    assert told is not None
    assert told.factor is not None
    assert told.bias is not None
    assert told.factor[..., 0].flatten().tolist() == [0.5, 3.0]
    assert told.bias.flatten().tolist() == [1.0, 2.0, 3.0, 6.0, 12.0, 18.0]


def test_a_finite_number_over_a_whole_row_is_what_stands_there_whatever_the_scores() -> None:
    told = in_our_terms([Fill(torch.tensor([[True], [False]]), -1e9, FOUR)], SCORES)
    assert told is not None
    assert told(SCORES).flatten().tolist() == [-1e9] * 3 + [5.0, 7.0, 11.0]
    assert told(SCORES * 0).flatten().tolist() == [-1e9] * 3 + [0.0] * 3


def test_a_number_for_a_whole_row_is_nothing_to_a_softmax() -> None:
    step = Add(torch.tensor([[3.0], [5.0]]), FOUR)
    assert told_of([step], SCORES)[1].bias is None
    assert told_of([step, Stretch(2.0)], SCORES)[1].bias is None
    assert told_of([step], SCORES, shares=False)[1].bias is not None


def test_leading_axes_that_were_one_are_parted_again() -> None:
    flat = torch.arange(6 * 5 * 7).reshape(6, 5, 7)
    assert torch.equal(as_four(flat, (6, 5, 7), (2, 3, 5, 7)), flat.reshape(2, 3, 5, 7))
    assert as_four(torch.zeros(7), (2, 3, 5, 7), (2, 3, 5, 7)).shape == (1, 1, 1, 7)
