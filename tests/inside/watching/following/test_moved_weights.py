"""Windows: weights for a few neighbours, padded and shifted until they fit all values, are followed to these."""

import math
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import glassformer as gf
from glassformer.inside.watching.following.moved_weights import MOVES, as_weights, begun, moved_on
from glassformer.inside.watching.following.nodes import AttentionWeights, Scores

LENGTH, SIDE, WIDTH = 11, 2, 3  # each row looks at itself and two neighbours to either side
Shift = Callable[[Tensor], Tensor]


def shifted(weights: Tensor) -> Tensor:
    """Row i moved i places to the right, among as many zeros as there are rows."""
    return F.pad(weights, (0, LENGTH)).flatten(1)[:, :-LENGTH].view(2, LENGTH, LENGTH + 2 * SIDE)


class Windows(nn.Module):
    """Every row fits itself against its neighbours; the values stand between zeros."""

    def __init__(self, shift: Shift = shifted) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.shift = shift

    def forward(self, x: Tensor) -> Tensor:
        near = F.pad(self.k(x), (0, 0, SIDE, SIDE)).unfold(1, 2 * SIDE + 1, 1)  # B T K 5
        scores = (self.q(x)[..., None] * near).sum(2)
        there = F.pad(torch.ones(LENGTH), (SIDE, SIDE)).unfold(0, 2 * SIDE + 1, 1)
        weights = scores.masked_fill(there == 0, -math.inf).softmax(-1)
        return self.shift(weights) @ F.pad(self.v(x), (0, 0, SIDE, SIDE))


def test_windows_are_one_attention_among_hidden_keys() -> None:
    model, x = Windows().eval(), torch.randn(2, LENGTH, WIDTH)
    seen = gf.watch(model).run(x)
    assert seen.honest, seen.sentences
    (call,) = seen.calls
    assert call.shapes["weights"] == (2, 1, LENGTH, LENGTH + 2 * SIDE)
    weights = torch.as_tensor(seen.trace["weights"])[:, 0, :, SIDE:-SIDE]
    apart = (torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)).abs()
    assert bool((weights[:, apart > SIDE] == 0).all())
    assert bool((weights[:, apart <= SIDE] > 0).all())
    fits = (model.q(x) @ model.k(x).mT).masked_fill(apart > SIDE, -math.inf).softmax(-1)
    torch.testing.assert_close(weights, fits.detach(), rtol=0, atol=1e-6)


@pytest.mark.parametrize("shift", [
    lambda weights: shifted(weights)[:, :, torch.randperm(LENGTH + 2 * SIDE)],
    lambda weights: F.pad(shifted(weights)[:, :, 1:], (1, 0)),
    lambda weights: shifted(weights**2),
    lambda weights: shifted(weights) + shifted(weights).mT.mean() / 3,
    lambda weights: F.pad(weights, (0, LENGTH), value=0.1).flatten(1)[:, :-LENGTH].view(2, LENGTH, -1),
    lambda weights: shifted(weights).roll(1, -1),
], ids=["in any order", "some lost", "sharpened", "more added", "padded by more than nothing", "rolled"])  # fmt: skip
def test_what_is_more_than_a_move_is_not_vouched_for_unless_it_comes_to_the_same(shift: Shift) -> None:
    seen = gf.watch(Windows(shift).eval()).run(torch.randn(2, LENGTH, WIDTH))
    assert seen.verdict == "some not seen" or (seen.honest and len(seen.calls) == 1), seen.sentences


def test_numbers_by_pencil() -> None:
    """Two rows of two, padded by one: the third place is nobody's."""
    scores = torch.tensor([[0.0, 0.0], [math.log(3.0), 0.0]])
    known = Scores(scores, torch.zeros(2, 1), (0, 1), (2, 2), (1, 1, 2, 2), scorer="given")
    weights = scores.softmax(-1)
    start = begun(AttentionWeights(known, 1), weights)
    assert start is not None
    assert start.codes.tolist() == [[0, 1], [2, 3]]
    wider = F.pad(weights, (0, 1))
    padded = moved_on("pad", start, (weights, (0, 1)), {}, wider)
    assert padded is not None
    assert padded.codes.tolist() == [[0, 1, -1], [2, 3, -1]]
    found = as_weights(padded, wider)
    assert found is not None
    assert found.scores.shape == (2, 3)
    assert as_weights(padded, wider[:, 1:]) is None  # a row has lost some of its own
    assert "roll" not in MOVES
    assert moved_on("roll", start, (weights, 1), {}, weights) is None
