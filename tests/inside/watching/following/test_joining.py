"""Lots of keys are joined where their queries are the same, and only there."""

from dataclasses import replace

import torch
from helpers.watching import draw

from glassformer.inside.watching.following.joining import all_values, joined_scores, together
from glassformer.inside.watching.following.nodes import AttentionWeights, PartMixed, Scores
from glassformer.inside.watching.following.score_steps import Add, Bent, Stretch

QUERIES = draw(2, 5, 3)


def lot(n_keys: int, seed: int) -> Scores:
    shape = (2, 5, n_keys)
    return Scores(QUERIES, draw(2, n_keys, 3, seed=seed), (0, 1, 2), shape, (2, 1, 5, n_keys), (Stretch(0.5),))


def test_two_lots_are_one_row() -> None:
    one, two = lot(7, 1), lot(2, 2)
    two = two.then(Add(torch.ones(2, 5, 2), two.shape))
    both = joined_scores([one, two])
    assert both is not None
    assert (both.shape, both.keys.shape) == ((2, 5, 9), (2, 9, 3))
    stretch, add = both.steps
    assert stretch == Stretch(0.5)
    assert isinstance(add, Add)
    assert add.numbers.sum(-1).unique().tolist() == [2.0]


def test_other_queries_scales_or_bends_are_not_joined() -> None:
    assert joined_scores([lot(7, 1), replace(lot(2, 2), queries=QUERIES + 1)]) is None
    assert joined_scores([lot(7, 1), lot(2, 2).then(Stretch(2.0))]) is None
    assert joined_scores([lot(7, 1), lot(2, 2).then(Bent())]) is None


def test_values_are_whole_when_every_key_had_its_turn_once() -> None:
    weights = AttentionWeights(lot(9, 1), 1)
    one, two = PartMixed(weights, {(0, 7): draw(2, 7, 4)}), PartMixed(weights, {(7, 9): draw(2, 2, 4)})
    assert all_values(one) is None
    assert together(one, one) is None
    both = together(one, two)
    assert both is not None
    values = all_values(both)
    assert values is not None
    assert values.shape == (2, 9, 4)
