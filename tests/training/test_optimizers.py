"""How weights move: matrices by Muon, the rest by AdamW, tables at a rate of their own."""

import pytest
import torch
from helpers.small_lessons import lessons_for
from helpers.small_models import small

from glassformer.training.loop import Loop, Plan
from glassformer.training.optimizers import Muon, evened, optimizers_for


@pytest.mark.parametrize("shape", [(5, 7), (7, 5), (11, 11)])
def test_evening_keeps_directions_and_makes_sizes_alike(shape: tuple[int, int]) -> None:
    matrix = torch.randn(3, *shape)
    left, _, right = torch.linalg.svd(matrix, full_matrices=False)
    sizes = torch.linalg.svdvals(evened(matrix))
    assert sizes.min() > 0.3
    assert sizes.max() < 1.3
    aligned = torch.diagonal(left.mT @ evened(matrix) @ right.mT, dim1=-2, dim2=-1)
    torch.testing.assert_close(aligned.sort().values, sizes.sort().values, rtol=1e-3, atol=1e-3)


def test_muon_moves_matrices_and_adamw_the_rest() -> None:
    model = small("modern")
    first, second = optimizers_for(model, "muon", 1e-3, 0.1)
    assert isinstance(first, Muon)
    in_muon = {id(weight) for group in first.param_groups for weight in group["params"]}
    in_adamw = {id(weight) for group in second.param_groups for weight in group["params"]}
    assert not in_muon & in_adamw
    assert in_muon | in_adamw == {id(weight) for weight in model.parameters()}
    assert id(model.embedding.weight) in in_adamw
    assert all(weight.ndim == 2 for group in first.param_groups for weight in group["params"])
    undecayed = {id(each) for group in second.param_groups if group["weight_decay"] == 0 for each in group["params"]}
    assert undecayed == {id(weight) for weight in model.parameters() if weight.ndim < 2}


def test_muon_looks_where_its_momentum_leads() -> None:
    """By hand: m₁ = 0.05 g₁, m₂ = 0.95 m₁ + 0.05 g₂, and the second step is evened from 0.05 g₂ + 0.95 m₂."""
    first, second = torch.randn(3, 5, generator=torch.manual_seed(7)), torch.randn(3, 5)
    weight = torch.nn.Parameter(torch.zeros(3, 5))
    muon = Muon([weight], lr=0.1)
    for gradient in (first, second):
        before = weight.detach().clone()
        weight.grad = gradient.clone()
        muon.step()
    momentum = 0.95 * 0.05 * first + 0.05 * second
    expected = -0.1 * 0.2 * 5**0.5 * evened((0.05 * second + 0.95 * momentum)[None])[0]
    torch.testing.assert_close(weight.detach() - before, expected, rtol=0, atol=5e-6)


def test_tables_may_learn_at_a_rate_of_their_own() -> None:
    lessons, model = lessons_for("classes", dropout=0.0)
    loop = Loop(model, lessons, Plan(steps=7, learning_rate=0.01, table_rate=0.0, warm_up=0.0, weight_decay=0.0))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    loop.step()
    moved = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    assert "embedding.weight" not in moved
    assert {name for name, _ in model.named_parameters()} - moved == {"embedding.weight"}
