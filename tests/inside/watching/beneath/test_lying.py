"""Where an axis is after a call, and along which one a tensor is the same row again."""

import torch

from glassformer.inside.watching.beneath.lying import (
    column_of,
    columns_gone,
    is_moved,
    laid_against,
    lies_across,
    one_column,
    own_size,
    repeated_along,
)  # fmt: skip

ROWS = torch.zeros(2, 5, 3)


def test_an_axis_is_moved_where_axes_are_turned_or_sizes_change() -> None:
    assert is_moved("transpose", -1, ROWS, ROWS.mT)
    assert is_moved("slice", -1, ROWS, ROWS[..., :2])
    assert not is_moved("slice", -1, ROWS, ROWS[:, :2])
    assert not is_moved("view", -1, ROWS, ROWS.view(10, 3))


def test_columns_may_be_gone_or_one_of_them_left() -> None:
    assert columns_gone(ROWS, ROWS.sum(-1))
    assert columns_gone(ROWS, ROWS[..., :1])
    assert not columns_gone(ROWS, ROWS[:, :1])
    assert one_column("select", ROWS, ROWS[..., 0])
    assert not one_column("select", ROWS, ROWS[:, 0])
    assert laid_against("unsqueeze", ROWS, ROWS[..., None])
    assert not laid_against("mul", ROWS, ROWS * 2)


def test_a_column_lies_in_steps() -> None:
    assert column_of(ROWS[..., 1]) == (10, 3)
    assert column_of(ROWS[..., :1].expand(2, 5, 3)) == (10, 3)


def test_what_is_the_same_again_does_not_count_twice() -> None:
    spread = torch.zeros(2, 1, 3).expand(2, 5, 3)
    assert (own_size(spread), own_size(ROWS)) == (6, 30)
    assert repeated_along(spread, ROWS) == repeated_along(torch.zeros(3)[None, None], ROWS) - {-3} == {-2}
    assert lies_across(ROWS.mT)
    assert not lies_across(ROWS)
