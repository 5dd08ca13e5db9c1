"""What a tensor of a foreign model may be known as: scores remember their steps and the order of their axes."""

import torch

from glassformer.inside.watching.following.nodes import Scores
from glassformer.inside.watching.following.score_steps import Bent, Stretch


def scores(axes: tuple[int, ...]) -> Scores:
    return Scores(torch.zeros(5, 3), torch.zeros(7, 3), axes, (5, 7), (1, 1, 5, 7))


def test_a_step_more_leaves_what_was_before() -> None:
    before = scores((0, 1)).then(Stretch(0.5))
    after = before.then(Bent())
    assert before.steps == (Stretch(0.5),)
    assert after.steps == (Stretch(0.5), Bent())


def test_numbers_are_brought_to_the_order_of_queries_and_keys() -> None:
    turned = torch.arange(35).reshape(7, 5)  # a model that keeps its scores as Tk Tq
    assert torch.equal(scores((1, 0)).ordered(turned), turned.T)
    row = torch.arange(5)  # one number for each query, broadcast against the keys
    assert scores((1, 0)).ordered(row).shape == (5, 1)
