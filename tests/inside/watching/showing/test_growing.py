"""A text written token by token is one growing matrix, equal to one pass over the whole text."""

from typing import Any

import numpy as np
import pytest
import torch
from helpers.hugging_folders import MAKERS
from helpers.watched_models import NanoGPT
from helpers.watching import draw

import glassformer as gf
from glassformer.inside.watching.showing.growing import joined

IDS = torch.tensor([[5, 17, 33, 60]])


def written(name: str, how: str) -> tuple[Any, Any, Any]:
    torch.manual_seed(4)
    model = MAKERS[name]().eval()
    model.set_attn_implementation(how)
    with torch.no_grad(), gf.watch(model, keep=["attention", "*module_output"]) as seen:
        text = model.generate(IDS, max_new_tokens=5, min_new_tokens=5, do_sample=False)
    return model, seen, text


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_the_steps_of_gpt2_are_one_pass(how: str) -> None:
    model, seen, text = written("gpt2", how)
    whole = joined(seen.trace, seen.calls)
    assert not any("@" in each for each in whole)
    with torch.no_grad():
        once = gf.watch(model, keep="*").run(text[:, :-1])
    for stage in ("queries", "keys", "scores", "masked", "weights", "mixed"):
        address = f"transformer.h.1.attn.{stage}"
        np.testing.assert_allclose(whole[address], once.trace[address], atol=1e-5, err_msg=stage)
    np.testing.assert_allclose(
        whole["transformer.h.0.module_output"], once.trace["transformer.h.0.module_output"], atol=1e-5
    )
    why = whole.explain("transformer.h.1.attn.weights", (1, 6, 2))
    assert why.result == pytest.approx(why.number, abs=1e-6)


def test_looking_at_another_text_grows_in_queries_alone() -> None:
    _, seen, _ = written("t5", "eager")
    whole = joined(seen.trace, seen.calls)
    assert whole["decoder.block.1.layer.1.EncDecAttention.weights"].shape == (1, 3, 5, 4)
    assert whole["decoder.block.1.layer.0.SelfAttention.weights"].shape == (1, 3, 5, 5)
    assert whole["encoder.block.0.layer.0.SelfAttention.weights"].shape == (1, 3, 4, 4)


def test_layers_that_share_their_weights_are_not_joined() -> None:
    model = NanoGPT().eval()
    with gf.watch(model) as seen:
        model(draw(1, 5, 15))
        model(draw(1, 5, 15, seed=2))
    assert list(joined(seen.trace, seen.calls)) == list(seen.trace)
