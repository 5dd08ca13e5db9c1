"""Attention of every spelling is followed, and what cannot be followed is named and not guessed."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from helpers.watched_models import FUNCTIONS, NanoGPT, Plain
from helpers.watching import draw, explained, inputs, watched
from torch import Tensor, nn

import glassformer as gf

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_spelling_is_read_and_rebuilt(function: Attention) -> None:
    heads, groups, scale, causal, masked, biased = FUNCTIONS[function]
    seen = watched(Plain(function), *inputs())
    (call,) = seen.calls
    assert seen.honest, seen.sentences
    assert call.kind == ("sdpa" if function.__name__.startswith("kernel") else "softmax")
    assert call.rebuilt_error is not None
    assert call.rebuilt_error < 5e-6
    assert (call.shapes["weights"][1], call.shapes["keys"][1]) == (heads, groups)
    assert call.scale == pytest.approx(scale)
    n_queries, n_keys = call.shapes["weights"][2:]
    assert (n_queries, n_keys) == (5, 7)
    assert (call.masked, call.biased) == (masked, biased)
    hides_the_future = masked and not (seen.trace["weights"] * np.triu(np.ones((5, 7)), 3)).any()
    assert call.causal == causal == hides_the_future
    explained(seen, "")


@pytest.mark.parametrize("model", [NanoGPT(dropout=0.5), nn.TransformerEncoderLayer(15, 3, 20)], ids=["hand", "torch"])
def test_with_dropout_the_stages_are_those_before_it(model: nn.Module) -> None:
    x = draw(2, 7, 15)
    seen = watched(model.train(), x)
    call = seen.calls[0]
    assert call.dropout in (0.5, 0.1)
    assert not seen.honest
    assert "the stages are those before dropout" in seen.sentences[0]
    dropless = watched(model.eval(), x)
    np.testing.assert_allclose(seen.trace[f"{call.scope}.weights"], dropless.trace[f"{call.scope}.weights"], atol=1e-6)
    assert dropless.honest


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("cat", lambda q, k, v: torch.cat([q @ k.mT, q[..., :2]], -1).softmax(-1)[..., :-2] @ v),
        ("a product before the weights were complete", lambda q, k, v: (q @ k.mT).exp() @ v),
        ("mul", lambda q, k, v: ((q @ k.mT).softmax(-1) * (q @ k.mT).softmax(-1)) @ v),
        ("pow", lambda q, k, v: (q @ k.mT).softmax(-1) ** 2 @ v),
        ("a product with more than values", lambda q, k, v: (q @ k.mT).softmax(-2) @ v),
    ],
)
def test_what_cannot_be_followed_is_named_and_not_guessed(name: str, function: Attention) -> None:
    seen = watched(Plain(function), *inputs())
    assert (len(seen.calls), len(seen.missed)) == (0, 1)
    assert name in seen.sentences[0]
    assert not seen.honest


@pytest.mark.parametrize(
    "function",
    [
        lambda q, k, v: (q @ k.mT).nan_to_num(0.0).softmax(-1) @ v,
        lambda q, k, v: (q @ k.mT).clamp(-1, 1).softmax(-1) @ v,
        lambda q, k, v: torch.add(q @ k.mT, 1, alpha=2).softmax(-1) @ v,
        lambda q, k, v: (q @ k.mT).reshape(2, 3, 7, 5).softmax(-1) @ v[:, :, :5],
        lambda q, k, v: overwritten(q @ k.mT).softmax(-1) @ v,
        lambda q, k, v: F.cosine_similarity(q[..., None, :], k[..., None, :, :], -1).softmax(-1) @ v,
        lambda q, k, v: (q[..., None, :] + k[..., None, :, :]).tanh().sum(-1).softmax(-1) @ v,
        lambda q, k, v: ((q @ k.mT).sort().values.softmax(-1)[..., None] * v[:, :, None].repeat(1, 1, 5, 1, 1)).sum(-2),
    ],
    ids=["not a number", "clamped", "added", "reshaped", "written", "cosine", "additive", "values of its own"],
)  # fmt: skip
def test_scores_of_unknown_making_are_taken_as_they_came(function: Attention) -> None:
    q, k, v = inputs()
    seen = watched(Plain(function), q, k, v)
    assert seen.honest, seen.sentences
    assert "Its scores are taken as they came." in seen.sentences[0]
    (call,) = seen.calls
    assert sorted(call.shapes) == ["values", "weights"]
    assert seen.trace.explain("scores", (0, 0, 0, 2)).operation == "given"
    np.testing.assert_allclose(seen.trace["weights"].sum(-1), 1.0, atol=1e-6)
    np.testing.assert_allclose(seen.trace["mixed"].reshape(-1), function(q, k, v).reshape(-1), atol=1e-6)
    written = gf.watch(Plain(function).eval()).run(q, k, v, write={"mixed": torch.zeros_like})
    assert not written.answer.any()


def test_a_softmax_that_weighs_nothing_is_none() -> None:
    seen = watched(Plain(lambda q, k, v: (q @ k.mT).softmax(-1).sum(-1)), *inputs())
    assert (seen.calls, seen.verdict) == ([], "all seen")


def overwritten(scores: Tensor) -> Tensor:
    scores[..., 0] = 1.0
    return scores


def test_matrices_multiplied_by_hand_are_not_taken_for_attention() -> None:
    class ByHand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Parameter(draw(11, 5)), nn.Parameter(draw(3, 11, seed=1))

        def forward(self, x: Tensor) -> Tensor:
            return (torch.relu(x @ self.first.T) @ self.last.T).softmax(-1)

    for x in (draw(7, 5), draw(2, 7, 5)):
        seen = watched(ByHand(), x)
        assert (seen.calls, seen.missed) == ([], [])
