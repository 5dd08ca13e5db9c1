"""An attention worked again on our core, and compared with what the model got."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from helpers.watched_models import FUNCTIONS, Plain, VisionBlock
from helpers.watching import draw, inputs, watched
from torch import Tensor

import glassformer as gf

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_stages_shown_reproduce_the_answer(function: Attention) -> None:
    seen = watched(Plain(function), *inputs())
    weights, values = torch.tensor(seen.trace["weights"]), torch.tensor(seen.trace["values"])
    mixed = weights @ values.repeat_interleave(weights.shape[1] // values.shape[1], 1)
    torch.testing.assert_close(mixed.reshape(seen.answer.shape), seen.answer, atol=5e-6, rtol=0)


def test_half_precision_is_compared_as_coarsely_as_it_is() -> None:
    seen = watched(Plain(F.scaled_dot_product_attention), *(t.bfloat16() for t in inputs()))
    (call,) = seen.calls
    assert call.agrees
    assert call.rebuilt is not None
    assert 0.0 < call.rebuilt.error < 0.02
    assert seen.trace["weights"].dtype == np.float32


def test_autocast_does_not_reach_the_rebuilding() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        seen = watched(VisionBlock().eval(), draw(2, 7, 15))
    assert seen.honest, seen.sentences


def test_rows_that_are_nan_in_the_model_are_told() -> None:
    blind = torch.ones(5, 7, dtype=torch.bool)
    blind[2] = False
    seen = gf.watch(Plain(lambda q, k, v: (q @ k.mT).masked_fill(~blind, -math.inf).softmax(-1) @ v)).run(*inputs())
    assert seen.answer[:, :, 2].isnan().all()
    assert not seen.trace["mixed"][:, :, 2].any()
    assert not seen.honest
    assert "places, where a query may look at nothing" in seen.sentences[0]


def test_numbers_that_are_nan_before_are_no_rows_that_see_nothing() -> None:
    q, k, v = inputs()
    q[0, 0, 1, 2] = math.nan
    seen = gf.watch(Plain(lambda q, k, v: (q @ k.mT).softmax(-1) @ v)).run(q, k, v)
    assert seen.verdict == "cannot tell"
    assert "got NaN in" in seen.sentences[0]
    assert "nothing" not in seen.sentences[0]


def test_a_wrong_rebuilding_would_be_told() -> None:
    """The base of what was scaled is changed behind our back: the numbers cannot be right, and are not called so."""

    def treacherous(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q = q.clone()
        scaled = q * 2
        q.add_(1)
        return (scaled @ k.mT).softmax(-1) @ v

    seen = watched(Plain(treacherous), *inputs())
    assert not seen.honest
    assert "more than the" in seen.sentences[0]


@pytest.mark.parametrize("bend", [F.silu, F.gelu, F.relu, torch.sigmoid])
def test_what_is_hidden_has_no_weight_after_any_bend(bend: Callable[[Tensor], Tensor]) -> None:
    def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return bend((q @ k.mT).masked_fill(torch.ones(5, 7, dtype=torch.bool).triu(3), -1e4)) / 7 @ v

    seen = watched(Plain(attention), *inputs())
    assert seen.honest, seen.sentences
    assert not seen.trace["weights"][..., 0, 3:].any()
