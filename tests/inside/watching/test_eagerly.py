"""What was compiled runs as it was written while somebody watches, and compiles again afterwards."""

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_compiled_parts_run_and_flexible_attention_is_rebuilt() -> None:
    """In a process of its own: shape annotations are not to be compiled."""
    program = """
import warnings
warnings.simplefilter("ignore")
import torch, glassformer as gf
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
class Flexible(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.options = options
    def forward(self, q): return flex_attention(q, q[:, ::2], q[:, ::2], enable_gqa=True, **self.options)
slopes = torch.tensor([0.5, 0.1, 0.2, 0.3])
def biased(score, text, head, query, key): return score + slopes[head] * (key - query)
def capped(score, text, head, query, key): return 3 * torch.tanh(biased(score, text, head, query, key) / 3)
causal = create_block_mask(lambda text, head, query, key: query >= key, None, None, 5, 5, device="cpu")
q = torch.randn(2, 4, 5, 8)
both = {"score_mod": biased, "block_mask": causal}
for options in ({}, {"score_mod": biased}, {"block_mask": causal, "scale": 0.7}, both):
    model = Flexible(**options).eval()
    seen = gf.watch(model).run(q)
    assert torch.equal(seen.answer, model(q))
    (call,) = seen.calls
    assert seen.honest and call.kind == "flex", seen.sentences
    assert (call.causal, call.biased) == ("block_mask" in options, "score_mod" in options)
    assert call.shapes["keys"][1] == 2
seen = gf.watch(Flexible(score_mod=capped).eval()).run(q)
assert seen.honest and "taken as they came" in seen.sentences[0] and "queries" not in seen.trace
changed = gf.watch(model).run(q, write={"weights": lambda weights: 0 * weights})
assert not changed.answer.any() and changed.before.answer.any()
linear = torch.nn.Linear(8, 8)
compiled = torch.compile(linear, backend="eager")
assert torch.equal(gf.watch(compiled).run(q).answer, linear(q))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=240)


@pytest.mark.slow
def test_compiled_parts_run_openly_and_compile_again_afterwards() -> None:
    """In a process of its own: shape annotations are not to be compiled."""
    program = """
import torch, glassformer as gf
class ByHand(torch.nn.Module):
    def forward(self, x): return (x @ x.mT).softmax(-1) @ x
runs = []
def backend(graph, _):
    def run(*args):
        runs.append(1)
        return graph(*args)
    return run
x = torch.randn(2, 7, 5)
for before in (True, False):
    torch._dynamo.reset()
    compiled = torch.compile(ByHand(), backend=backend)
    if before: compiled(x)
    runs.clear()
    seen = gf.watch(compiled).run(x)
    assert seen.honest and len(seen.calls) == 1 and not runs, seen.sentences
    compiled(x)
    assert runs
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=240)
