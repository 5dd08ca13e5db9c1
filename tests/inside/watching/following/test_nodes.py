"""What a tensor of a foreign model may be known as: scores remember their steps and the order of their axes."""

import torch

from glassformer.inside.watching.following.nodes import Scores
from glassformer.inside.watching.following.score_steps import Add, Bent, Stretch


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


def test_scores_turned_are_those_of_keys_that_ask() -> None:
    q, k = torch.randn(2, 5, 3), torch.randn(2, 7, 3)
    bias = torch.randn(5, 7)
    scores = Scores(q, k, (0, 1, 2), (2, 5, 7), (2, 1, 5, 7), (Stretch(2.0), Add(bias[None], (2, 5, 7))))
    turned = scores.turned()
    assert (turned.axes, turned.shape, turned.four) == ((0, 2, 1), (2, 7, 5), (2, 1, 7, 5))
    assert turned.queries is k
    step = turned.steps[1]
    assert isinstance(step, Add)
    assert torch.equal(step.numbers[0], bias.T)
    assert step.at == (2, 7, 5)
    assert scores.moved((0, 2, 1)).axes == (0, 2, 1)
