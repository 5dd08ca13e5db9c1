"""With nobody looking, a block compiles and exports whole, and nothing of the watching is left in it.

Tracing and the shape checks of the other tests do not mix, so this file runs itself once as a plain program, which
reports what it found.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers import variants
from torch import Tensor, nn
from torch.fx import GraphModule

from glassformer.layers.attention import Attention, sigmoid
from glassformer.layers.blocks import block
from glassformer.layers.positions import Positions
from glassformer.models.registry import build, configure

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("compile")]  # the gate runs it

COMPILED = (
    "padded", "cross", "rotary and norm", "alibi", "t5", "sigmoid", "quiet softmax", "dense synthesizer", "swiglu",
)  # fmt: skip
COUNTING = ("alibi", "t5")  # schemes that make a bias of distances, tried in whole models


def names_of(graph: GraphModule) -> list[str]:
    """What a graph calls, in order, without its inputs and its answer."""
    return [str(node.target) for node in graph.graph.nodes if node.op not in ("placeholder", "output", "get_attr")]


def seen_by_compile(module: nn.Module, *inputs: Tensor) -> list[str]:
    """The one graph that `torch.compile` makes of a module."""
    graphs: list[GraphModule] = []

    def keep(graph: GraphModule, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    torch.compile(module, fullgraph=True, backend=keep)(*inputs)
    (graph,) = graphs
    return names_of(graph)


def gap_when_compiled(name: str, backend: str) -> float:
    """How far a compiled block is from itself, forward and backward."""
    variant = variants.make(name)
    torch.compiler.reset()  # each variant is a new program, not a recompilation of the last
    leaves = list(variant.block.parameters())
    compiled = torch.compile(variant.block, fullgraph=True, backend=backend)
    answers = [variant(), compiled(*variant.inputs, **variant.options)]
    gradients = [torch.autograd.grad(answer.square().sum(), leaves, allow_unused=True) for answer in answers]
    pairs = [answers, *([one, other] for one, other in zip(*gradients, strict=True) if one is not None)]
    return max((one - other).abs().max().item() / max(1.0, one.abs().max().item()) for one, other in pairs)


def gap_when_exported(name: str) -> float:
    """How far an exported block is from itself."""
    variant = variants.make(name)
    exported = torch.export.export(variant.block.eval(), variant.inputs, dict(variant.options)).module()
    return (exported(*variant.inputs, **variant.options) - variant()).abs().max().item()


def gap_at_another_length() -> float:
    """A block and its positions, exported once for every batch and length."""
    module = nn.Sequential(Positions.sinusoidal(64, 6), block(6, 2, 11, causal=True)).eval()
    sizes = {0: torch.export.Dim("batch", min=1, max=64), 1: torch.export.Dim("length", min=2, max=64)}
    exported = torch.export.export(module, (torch.randn(2, 5, 6),), dynamic_shapes=({**sizes},)).module()
    x = torch.randn(3, 13, 6)
    return (exported(x) - module(x)).abs().max().item()


def model_gaps(kind: str) -> dict[str, float]:
    """How far a whole model that counts distances is from itself: compiled, exported, and at another length."""
    torch.compiler.reset()
    config = configure("translator", vocabulary=31, width=12, heads=3, hidden=7, encoder_layers=1, decoder_layers=1,
                       length=13, positions=kind)  # fmt: skip
    model = build("translator", config).eval()
    length = torch.export.Dim("length", min=2, max=64)
    sizes = {1: length}

    def texts(tokens: int) -> tuple[Tensor, ...]:
        ids = torch.randint(31, (2, tokens))
        return ids, torch.arange(tokens) < torch.tensor([[tokens], [3]]), ids

    exported = torch.export.export(model, texts(7), dynamic_shapes=(sizes, sizes, sizes)).module()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    short, long = texts(7), texts(29)
    found = {"compiled": (compiled, short), "exported": (exported, short), "longer": (exported, long)}
    return {name: (made(*given) - model(*given)).abs().max().item() for name, (made, given) in found.items()}


def report() -> dict[str, Any]:
    """Everything the tests below ask about."""
    torch.set_num_threads(1)
    torch.manual_seed(17)
    x = torch.randn(2, 5, 6)
    attention, by_sigmoid = Attention(6, 2, causal=True), Attention(6, 2, weigher=sigmoid)
    dropping = variants.make("post-norm", dropout=0.3)
    return {
        "compiled": seen_by_compile(attention, x),
        "compiled sigmoid": seen_by_compile(by_sigmoid, x),
        "compiled dropout": seen_by_compile(dropping.block.train(), *dropping.inputs),
        "exported": names_of(torch.export.export(attention, (x,)).module()),
        "compile gaps": {name: gap_when_compiled(name, "aot_eager") for name in COMPILED},
        "machine code gap": gap_when_compiled("padded", "inductor" if shutil.which("c++") else "aot_eager"),
        "export gaps": {name: gap_when_exported(name) for name in COMPILED},
        "model gaps": {kind: model_gaps(kind) for kind in COUNTING},
        "length gap": gap_at_another_length(),
    }


@pytest.fixture(name="found", scope="module")
def run_once() -> dict[str, Any]:
    """The report of this file as a program of its own."""
    helpers = str(Path(__file__).parent.parent)
    environment = {**os.environ, "JAXTYPING_DISABLE": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": helpers}
    done = subprocess.run(
        [sys.executable, str(Path(__file__))], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.parametrize("way", ["compiled", "exported"])
def test_scores_to_mixed_are_one_fused_node(found: dict[str, Any], way: str) -> None:
    calls = found[way]
    assert sum("scaled_dot_product_attention" in call for call in calls) == 1
    assert sum("linear" in call for call in calls) == 4
    assert not [
        call for call in calls if any(step in call for step in ("softmax", "matmul", "bmm", "masked_fill", "mul"))
    ]


@pytest.mark.parametrize("way", ["compiled", "compiled sigmoid", "compiled dropout", "exported"])
def test_nothing_of_the_watching_is_left(found: dict[str, Any], way: str) -> None:
    assert found[way]
    assert not [call for call in found[way] if any(word in call for word in ("see", "nothing", "itness", "copy"))]


def test_sigmoid_attention_compiles_to_its_four_verbs(found: dict[str, Any]) -> None:
    calls = found["compiled sigmoid"]
    assert sum("sigmoid" in call for call in calls) == 1
    assert sum("matmul" in call for call in calls) == 2


@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_block_gives_the_same_numbers(found: dict[str, Any], name: str) -> None:
    assert found["compile gaps"][name] <= 5e-6


def test_a_block_compiled_to_machine_code_gives_the_same_numbers(found: dict[str, Any]) -> None:
    assert found["machine code gap"] <= 1e-5


@pytest.mark.parametrize("name", COMPILED)
def test_an_exported_block_gives_the_same_numbers(found: dict[str, Any], name: str) -> None:
    assert found["export gaps"][name] <= 5e-6


@pytest.mark.parametrize("kind", COUNTING)
@pytest.mark.parametrize("way", ["compiled", "exported", "longer"])
def test_a_model_that_counts_distances_compiles_whole_for_every_length(
    found: dict[str, Any], kind: str, way: str
) -> None:
    assert found["model gaps"][kind][way] <= 5e-6


def test_one_export_serves_every_length(found: dict[str, Any]) -> None:
    assert found["length gap"] <= 5e-6


if __name__ == "__main__":
    print(json.dumps(report()))
