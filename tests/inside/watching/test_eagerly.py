"""What was compiled runs as it was written while somebody watches, and compiles again afterwards."""

import subprocess
import sys


def test_compiled_parts_run_and_flexible_attention_is_noticed() -> None:
    """In a process of its own: shape annotations are not to be compiled."""
    program = """
import warnings
warnings.simplefilter("ignore")
import torch, glassformer as gf
from torch.nn.attention.flex_attention import flex_attention
class Flexible(torch.nn.Module):
    def forward(self, q): return flex_attention(q, q, q)
q = torch.randn(2, 3, 5, 8)
seen = gf.watch(Flexible()).run(q)
assert torch.equal(seen.answer, Flexible()(q))
assert not seen.honest and "flex_attention" in seen.sentences[0], seen.sentences
linear = torch.nn.Linear(8, 8)
compiled = torch.compile(linear, backend="eager")
assert torch.equal(gf.watch(compiled).run(q).answer, linear(q))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=240)


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
