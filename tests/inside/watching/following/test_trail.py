"""The trail says what a tensor is known as, and where it was lost."""

import itertools

import torch

from glassformer.inside.watching.following.nodes import Lost, Scores
from glassformer.inside.watching.following.trail import Trail


def test_scores_that_are_lost_are_named_by_the_call_and_others_are_not() -> None:
    trail = Trail(lambda: "layer", itertools.count(1))
    tensor = torch.zeros(2, 5, 7)
    trail.nodes[tensor] = Scores(tensor, tensor, (0, 1, 2), (2, 5, 7), (2, 1, 5, 7))
    assert trail.lost("fft", (tensor,), torch.zeros(2, 5, 7)) == Lost("fft")
    assert trail.lost("fft", (torch.zeros(2, 5, 7),), torch.zeros(2, 5, 7)) is None


def test_what_was_begun_is_open_with_its_reason() -> None:
    trail = Trail(lambda: "layer", itertools.count(3))
    number = trail.begun()
    assert trail.open == {3: ("layer", "no product with values followed")}
    trail.astray("fft", number, weighs=True)
    assert trail.open[number] == ("layer", "`fft` is not a step that can be followed")
    assert (trail.weighed, trail.spoke) == ({3}, True)
