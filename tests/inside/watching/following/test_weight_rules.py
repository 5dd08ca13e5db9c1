"""Weights are followed through factors, sums and cuts; written stages reach the answer through them."""

import pytest
import torch
from helpers.reworked_attention import SPELLINGS, Otherwise
from helpers.watching import inputs

import glassformer as gf


@pytest.mark.parametrize("name", ["talkative", "relu over n", "two lots of keys", "pooled", "product and sum"])
def test_what_heads_came_to_is_written_in_other_spellings_too(name: str) -> None:
    model = Otherwise(SPELLINGS[name][2]).eval()
    seen = gf.watch(model).run(*inputs(), write={"mixed": lambda mixed: 2 * mixed})
    assert seen.before is not None
    torch.testing.assert_close(seen.answer, 2 * seen.before.answer, rtol=0, atol=1e-5)


def test_a_gate_that_is_written_open_is_no_gate() -> None:
    gated = Otherwise(SPELLINGS["gated"][2]).eval()
    seen = gf.watch(gated).run(*inputs(), write={"weight_factor": torch.ones_like})
    q, k, v = inputs()
    torch.testing.assert_close(seen.answer, (q @ k.mT).softmax(-1) @ v, rtol=0, atol=1e-5)
