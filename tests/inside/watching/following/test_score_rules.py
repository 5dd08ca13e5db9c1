"""Scores are followed through whatever strangers do to them, and what is rebuilt equals what they got."""

import numpy as np
import pytest
import torch
from helpers.reworked_attention import SPELLINGS, Otherwise
from helpers.watched_models import Plain
from helpers.watching import draw, explained, inputs, watched
from torch import Tensor, nn

_BESIDE_THE_USUAL = (
    "biased", "masked", "talked_scores", "talked_weights", "reweighted", "joined_weights", "renormalised",
)  # fmt: skip


@pytest.mark.parametrize("name", SPELLINGS)
def test_every_other_spelling_is_read_and_rebuilt(name: str) -> None:
    weigher, stages, function = SPELLINGS[name]
    seen = watched(Otherwise(function).eval(), *inputs())
    (call,) = seen.calls
    assert seen.honest, seen.sentences
    assert call.rebuilt_error is not None
    assert call.rebuilt_error < 5e-6
    assert seen.trace.entry("weights").how == weigher
    assert {stage for stage in _BESIDE_THE_USUAL if stage in seen.trace} == stages
    explained(seen, "")


def test_distances_by_pencil() -> None:
    """From (0, 0) it is 5 to (3, 4) and 0 to (0, 0)."""
    query, keys = torch.zeros(1, 2), torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    seen = watched(Plain(lambda q, k, v: (-torch.cdist(q, k)).softmax(-1) @ v), query, keys, torch.eye(2))
    assert seen.trace["scores"].tolist() == [[[[5.0, 0.0]]]]
    assert float(seen.trace["scale"]) == -1.0
    why = seen.trace.explain("scores", (0, 0, 0, 0))
    assert (why.formula, why.result) == ("S = ‖Q − K‖, row by row", 5.0)
    np.testing.assert_allclose(seen.trace["weights"][0, 0, 0], np.exp([-5, 0]) / np.exp([-5, 0]).sum(), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda m, q, k, v: torch.einsum(
            "bte,bted->btd", m.four(k[:, 0]).softmax(-1), torch.stack([k[:, 0] * i for i in range(4)], 2)
        ),
        lambda m, q, k, v: m.four(k[:, 0]).softmax(-1),
        lambda m, q, k, v: torch.relu(m.matrix @ k.mT).mT @ m.matrix,
    ],
    ids=["experts", "classes", "layers"],
)
def test_layers_are_not_taken_for_attention(function: object) -> None:
    seen = watched(Otherwise(function).eval(), *inputs())  # type: ignore[arg-type]
    assert (seen.calls, seen.missed) == ([], [])


def test_a_softmax_over_what_a_layer_gives_is_not_vouched_for_as_attention() -> None:
    seen = watched(nn.Sequential(nn.Linear(5, 7), nn.Softmax(-1), nn.Linear(7, 3)), draw(2, 11, 5))
    assert (seen.calls, seen.verdict) == ([], "cannot tell")


def test_two_attentions_multiplied_are_not_guessed() -> None:
    def twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return ((q @ k.mT).softmax(-1) * (q @ k.mT / 2).softmax(-1)) @ v

    assert watched(Plain(twice), *inputs()).verdict == "some not seen"
