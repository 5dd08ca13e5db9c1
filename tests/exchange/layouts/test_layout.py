"""Tensors under other names: put together, turned, taken apart, and refused where they do not fit."""

import pytest
import torch

from glassformer.errors import InputError
from glassformer.exchange.layouts.layout import Counterpart, alike, one_width, shared_width, to_ours, to_theirs
from glassformer.models.registry import configure

SLOTS = [Counterpart("both", ("a", "b"), turned=True), *alike("theirs", "ours", bias=True)]
STATE = {
    "a": torch.arange(6.0).view(2, 3), "b": torch.arange(6.0, 9.0).view(1, 3), "ours.weight": torch.ones(2, 2),
    "ours.bias": torch.zeros(2),
}  # fmt: skip


def test_by_hand() -> None:
    theirs = to_theirs(STATE, SLOTS)
    assert theirs["both"].tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert set(theirs) == {"both", "theirs.weight", "theirs.bias"}


def test_there_and_back_is_the_same() -> None:
    shapes = {name: tuple(value.shape) for name, value in STATE.items()}
    again = to_ours(to_theirs(STATE, SLOTS), SLOTS, shapes)
    assert all(torch.equal(again[name], value) for name, value in STATE.items())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"both": torch.ones(3, 4)}, r"'both' has shape \[3, 4\]; its config asks for \[3, 3\]"),
        ({"theirs.bias": torch.ones(2, 1)}, r"'theirs.bias' has shape \[2, 1\]"),
    ],
)
def test_shapes_that_do_not_fit_are_named(change: dict[str, torch.Tensor], message: str) -> None:
    shapes = {name: tuple(value.shape) for name, value in STATE.items()}
    with pytest.raises(InputError, match=message):
        to_ours({**to_theirs(STATE, SLOTS), **change}, SLOTS, shapes)
    with pytest.raises(InputError, match="there is no 'both'"):
        to_ours({}, SLOTS, shapes)


def test_heads_that_cannot_be_told() -> None:
    assert one_width(configure("modern", key_width=5, value_width=5)) == []
    assert one_width(configure("modern", key_width=5, value_width=3)) == [
        "keys are 5 wide and values 3 (both alike there)"
    ]
    assert shared_width(configure("gpt", width=12, heads=3)) == []
    assert shared_width(configure("gpt", width=12, heads=3, key_width=5)) == [
        "key_width is 5 (width / heads = 4 there)"
    ]
