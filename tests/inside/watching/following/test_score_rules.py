"""Scores are followed through whatever strangers do to them, and what is rebuilt equals what they got."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch
from helpers.reworked_attention import SPELLINGS, Otherwise
from helpers.watched_models import Plain
from helpers.watching import draw, explained, inputs, watched
from torch import Tensor, nn

import glassformer as gf

_BESIDE_THE_USUAL = (
    "rescaled", "biased", "masked", "talked_scores", "talked_weights", "reweighted", "joined_weights", "renormalised",
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
    if "queries" in seen.trace:  # else scores are taken as they came
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


# --- a write comes to what the model would do -----------------------------------------------------------------------

PLACES = torch.linspace(0.2, 1.0, 35).view(5, 7)
HEADS = torch.tensor([0.9, 0.3, -0.5]).view(3, 1, 1)
FUTURE = torch.ones(5, 7, dtype=torch.bool).triu(3)
Step = Callable[[Tensor], Tensor]
FACTORS: dict[str, Step] = {
    "none": lambda z: z,
    "number": lambda z: z * 0.4,
    "one tensor of one": lambda z: z * torch.tensor([0.4]),
    "alike": lambda z: z * torch.full((3, 1, 1), 0.4),
    "head": lambda z: z * HEADS,
    "head by its power": lambda z: HEADS.exp() * z,
    "divided": lambda z: z / HEADS,
    "query": lambda z: z * PLACES[:, :1],
    "key": lambda z: z * PLACES[0],
    "place": lambda z: z * PLACES,
    "in place": lambda z: z.mul_(PLACES),
    "twice": lambda z: z * 0.5 * HEADS * PLACES,
    "after a bias": lambda z: (z + PLACES) * HEADS,
    "before a bias": lambda z: z * HEADS - PLACES,
    "capped": lambda z: 2.0 * torch.tanh(z * HEADS / 2.0),
    "below its top": lambda z: (z - z.amax(-1, keepdim=True)) * 0.4,
}
MASKS: dict[str, Step] = {
    "none": lambda z: z,
    "added": lambda z: z + torch.zeros(5, 7).masked_fill(FUTURE, -1e9),
    "added -inf": lambda z: z + torch.zeros(5, 7).masked_fill(FUTURE, float("-inf")),
    "filled": lambda z: z.masked_fill(FUTURE, float("-inf")),
    "product and sum": lambda z: z * (~FUTURE).float() - 1e9 * FUTURE.float(),
    "above the lowest": lambda z: torch.max(z.masked_fill(FUTURE, float("-inf")), torch.tensor(-3e38)),
}
AS_THEY_CAME = {
    ("capped", "product and sum"),
    ("below its top", "product and sum"),
    ("below its top", "above the lowest"),
}
CHANGES: dict[str, tuple[str, Step]] = {
    "scores gone": ("scores", torch.zeros_like),
    "scores changed": ("scores", lambda z: 0.5 * z.flip(-1) + 0.1),
    "queries": ("queries", lambda q: 1.0 - 2.0 * q),
    "keys": ("keys", lambda k: 0.5 * k.flip(-2)),
}


def _by_hand(step: Step, address: str = "", change: Step = torch.clone) -> Tensor:
    """The answer, had the model gone on with the change."""
    q, k, v = inputs()
    q, k = (change(each) if address == name else each for each, name in ((q, "queries"), (k, "keys")))
    scores = q @ k.mT
    return step(change(scores) if address == "scores" else scores).softmax(-1) @ v


def _with_masks(steps: Iterable[str]) -> list[Any]:
    """Each step with each mask; two of the masks in the default tests, the others in the slow ones."""
    marks = {mask: [] if mask in ("none", "filled") else [pytest.mark.slow] for mask in MASKS}
    return [
        pytest.param(step, mask, marks=marks[mask])
        for step, mask in product(steps, MASKS)
        if (step, mask) not in AS_THEY_CAME and ("best" not in step or mask == "none")
    ]  # some row may see none


@pytest.mark.parametrize(("factor", "mask"), _with_masks(FACTORS))
def test_what_is_written_comes_to_what_the_model_would_do(factor: str, mask: str) -> None:
    def step(scores: Tensor) -> Tensor:
        return MASKS[mask](FACTORS[factor](scores))

    model = Plain(lambda q, k, v: step(q @ k.mT).softmax(-1) @ v).eval()
    seen = watched(model, *inputs())
    assert seen.honest, seen.sentences
    assert seen.calls[0].biased == ("bias" in factor)
    assert seen.calls[0].rescaled == (factor not in ("none", "number", "one tensor of one", "alike", "below its top"))
    explained(seen, "")
    for address, change in CHANGES.values():
        written = gf.watch(model).run(*inputs(), write={address: change})
        torch.testing.assert_close(written.answer, _by_hand(step, address, change), rtol=1e-5, atol=1e-5)


BENDS: dict[str, Step] = {
    "clamp": lambda z: z.clamp(-1, 1),
    "clamp that does nothing yet": lambda z: z.clamp(-50, 50),
    "square": lambda z: z * z,
    "silu by hand": lambda z: z * torch.sigmoid(0.5 * z),
    "its own mean": lambda z: z + z.mean(-2, keepdim=True),
    "its own spread": lambda z: z / z.std(),
    "the best three": lambda z: z.masked_fill(z < z.topk(3).values[..., -1:], float("-inf")),
    "the best three, written": lambda z: torch.where(z >= z.topk(3).values[..., -1:], z, -1e9),
}


@pytest.mark.parametrize(("bend", "mask"), _with_masks(BENDS))
def test_what_is_no_factor_and_no_sum_is_taken_as_it_came(bend: str, mask: str) -> None:
    """The first stage is then what the last such step gave: nothing before it is shown, or may be written."""
    model = Plain(lambda q, k, v: (MASKS[mask](BENDS[bend](q @ k.mT)) + PLACES).softmax(-1) @ v).eval()
    seen = watched(model, *inputs())
    assert seen.honest, seen.sentences
    assert "Its scores are taken as they came." in seen.sentences[0]
    assert "queries" not in seen.trace
    explained_but_for_scores = [name for name in ("scaled", "biased", "masked", "weights") if name in seen.trace]
    for name in explained_but_for_scores:
        why = seen.trace.explain(name, (1, 2, 4, 6))
        assert why.result == pytest.approx(why.number, rel=1e-5)
    shown = torch.tensor(seen.trace["masked" if "masked" in seen.trace else "biased"])
    q, k, v = inputs()
    torch.testing.assert_close(shown.softmax(-1) @ v, (MASKS[mask](BENDS[bend](q @ k.mT)) + PLACES).softmax(-1) @ v)
    assert float(seen.trace["bias"].max()) == pytest.approx(1.0) if "bias" in seen.trace else mask == "above the lowest"
    written = gf.watch(model).run(q, k, v, write={"scores": torch.zeros_like})
    hidden = shown == -float("inf")
    real = PLACES.expand(2, 3, 5, 7) if "bias" in seen.trace else torch.zeros(2, 3, 5, 7)
    torch.testing.assert_close(written.answer, real.masked_fill(hidden, -float("inf")).softmax(-1) @ v)
    with pytest.raises(gf.InputError, match="No stage 'queries' was passed"):
        gf.watch(model).run(q, k, v, write={"queries": torch.zeros_like})
