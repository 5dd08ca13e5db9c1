"""Shares are told by their numbers."""

import torch

from glassformer.inside.watching.beneath.shares import add_up_to_one, alike


def test_shares_add_up_along_their_axis_only() -> None:
    shares = torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.7, 0.1]])
    assert add_up_to_one(shares, -1)
    assert not add_up_to_one(shares, -2)
    assert add_up_to_one(shares.T, -2)


def test_what_is_no_share() -> None:
    assert not add_up_to_one(torch.tensor([[2.0, -1.0]]), -1)
    assert not add_up_to_one(torch.tensor([[-1.0, 2.0]]), -1)
    assert not add_up_to_one(torch.eye(3), -1)  # it chooses
    assert not add_up_to_one(torch.tensor([[1.0, 0.0], [5e-18, 1.0]]), -1)  # a state that has faded away
    assert not add_up_to_one(torch.tensor([[1.0, 0.0], [4e-4, 1.0]]), -1)  # nearly: the rest is not what the one lacks
    assert add_up_to_one(torch.tensor([[1.0, 0.0], [4e-4, 1.0 - 4e-4]]), -1)
    assert not add_up_to_one(torch.tensor([[torch.nan, 1.0]]), -1)
    assert not add_up_to_one(torch.ones(3, 1), -1)
    assert not add_up_to_one(torch.tensor([1, 0]), -1)
    assert not add_up_to_one(torch.tensor(1.0), -1)


def test_the_same_numbers_are_known_however_they_lie() -> None:
    numbers = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    assert alike(numbers) == alike(numbers.T.contiguous()) == alike(numbers.clone().view(15, 1))
    assert alike(numbers) != alike(numbers + 1e-3)
    assert alike(torch.zeros(3)) == ()
    assert alike(torch.view_as_complex(torch.randn(3, 2))) != alike(numbers)
