"""EngineParity: a model is equal to itself, and one with a changed weight is told apart."""

import copy

import pytest
import torch
from helpers.small_models import SMALL, small
from torch import nn

from glassformer.engines.parity import TOLERANCE, EngineParity, compared


@pytest.mark.parametrize("name", SMALL)
def test_a_model_is_equal_to_itself_and_not_to_another(name: str) -> None:
    model = small(name)
    assert compared(model, model).exact
    other = copy.deepcopy(model)
    with torch.no_grad():
        for weight in other.parameters():
            weight.add_(0.05 * torch.randn_like(weight))
    found = compared(model, other)
    assert not found.exact
    assert found.largest > 1e-3


def test_a_synthesizer_is_compared_on_texts_of_one_length() -> None:
    model = small("modern", scorer="dense synthesizer", positions="none", query_key_norm=False)
    assert compared(model, model).exact


class Exactly(nn.Module):
    """A model worked in float64, and rounded at the end."""

    def __init__(self, model: nn.Module, shift: float = 0.0) -> None:
        super().__init__()
        self.model, self.shift = copy.deepcopy(model).double(), shift

    def forward(self, ids: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.model(ids, real)
        return found.float() + self.shift


def test_large_logits_may_differ_by_what_rounding_does_to_them_and_by_no_more() -> None:
    model = small("transformer")
    with torch.no_grad():
        model.head.linear.weight *= 1e5
    found = compared(model, Exactly(model))
    assert TOLERANCE < found.largest <= found.bar
    assert found.exact
    assert not compared(model, Exactly(model, shift=20 * found.bar)).exact
    assert compared(small("transformer"), small("transformer")).bar == TOLERANCE


def test_what_is_not_a_number_is_no_equality() -> None:
    model, other = small("transformer"), small("transformer")
    with torch.no_grad():
        next(other.parameters()).fill_(float("nan"))
    assert compared(model, other).largest == float("inf")


def test_it_is_told_in_words() -> None:
    parity = EngineParity(0.25, 0.5, 4, 1)
    assert (
        parity.said()
        == "logits differ by 2.5e-01 at most, the most likely is the same in 50.0 %, 1 of 4 texts are equal"
    )
    assert parity.to_dict() == {"largest": 0.25, "agreeing": 0.5, "texts": 4, "equal": 1, "bar": 1e-4}
    assert not EngineParity(0.0, 1.0, 4, 3).exact
