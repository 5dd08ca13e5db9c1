"""Weights are followed through factors, sums and cuts; written stages reach the answer through them."""

from collections.abc import Callable

import pytest
import torch
from helpers.reworked_attention import SPELLINGS, Otherwise
from helpers.watching import explained, inputs, watched
from helpers.weights_by_place import OWN, READ, ByPlace, from_steps, rows
from torch import Tensor, nn

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


class Holding(nn.Module):
    """Rows with numbers beside them: some that it was made with, some that it keeps of what it reads."""

    def __init__(self, function: Callable[["Holding", Tensor], Tensor]) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.function, self.layer = function, nn.Linear(5, 7)
        self.places, self.kept = torch.randn(7, 7), torch.zeros(2, 7, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.function(self, x)


def _kept(model: Holding, x: Tensor) -> Tensor:
    model.kept.copy_(x)
    return model.layer(model.kept).softmax(-1)  # type: ignore[no-any-return]


_BY_HAND: dict[str, Callable[[Holding, Tensor], Tensor]] = {
    "of a layer": lambda m, x: m.layer(x).softmax(-1),
    "of products": lambda m, x: (x @ x.mT / 2).softmax(-1),
    "hardened": lambda m, x: m.layer(x).sigmoid(),
    "kept in between": _kept,
}


def test_weights_by_place_may_be_kept_by_a_module() -> None:
    x = torch.randn(2, 7, 5)
    seen = gf.watch(Holding(lambda m, x: (0.5 * (x @ x.mT).softmax(-1) + m.places.softmax(-1)) @ x)).run(x)
    assert seen.honest, seen.sentences
    assert "weight_addend" in seen.trace


@pytest.mark.parametrize("name", _BY_HAND)
def test_other_weights_that_are_worked_out_from_what_is_read_are_not_passed_over(name: str) -> None:
    more = _BY_HAND[name]
    seen = gf.watch(Holding(lambda m, x: ((x @ x.mT).softmax(-1) + more(m, x)) @ x)).run(torch.randn(2, 7, 5))
    assert seen.verdict == "some not seen", seen.sentences


def test_what_is_read_may_not_pass_for_the_modules_own() -> None:
    model = Holding(lambda m, x: ((x @ x.mT).softmax(-1) + m.layer(x).softmax(-1)) @ x)
    model.example = torch.randn(2, 7, 5)  # type: ignore[assignment]
    assert gf.watch(model).run(model.example).verdict == "some not seen"


@pytest.mark.parametrize("name", OWN)
def test_weights_by_place_are_added_and_made_to_add_up_again(name: str) -> None:
    model, renormal = OWN[name]
    model.steps = None
    for seen in (gf.watch(model).run(rows()), watched(model, rows())):  # at first it works out its steps
        assert seen.honest, seen.sentences
        assert ("renormalised" in seen.trace) == renormal
        explained(seen, "")
    kept = [torch.from_numpy(seen.trace[name]) for name in ("weights", "weight_factor", "weight_addend", "values")]
    weights, factor, addend, values = (each.double() for each in kept)
    joined = weights * factor + addend
    mixed = (joined / joined.sum(-1, keepdim=True) if renormal else joined) @ values
    torch.testing.assert_close(torch.from_numpy(seen.trace["mixed"]).double(), mixed, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", READ)
def test_added_weights_that_hang_on_what_is_read_are_not_vouched_for(name: str) -> None:
    x = rows()
    seen = gf.watch(ByPlace(lambda m, x: READ[name](m, x).softmax(-1))).run(x)
    assert seen.verdict == "some not seen", seen.sentences
    model = ByPlace(READ[name], renormal=False)
    with gf.watch(model) as seen, torch.no_grad():
        model(x)
    assert seen.verdict == "some not seen", seen.sentences


def test_a_gate_of_each_token_makes_weights_by_place_hang_on_what_is_read() -> None:
    model = ByPlace(lambda m, x: from_steps(m, x).softmax(-1), gate=lambda m, x: m.layer(x)[:, None, :, :1].sigmoid())
    assert gf.watch(model).run(rows()).verdict == "some not seen"


@pytest.mark.parametrize("kind", [nn.Parameter, nn.Buffer])
def test_a_weight_of_the_model_that_is_read_is_no_weight_of_the_model(kind: Callable[[Tensor], Tensor]) -> None:
    model = ByPlace(lambda m, x: m.layer(x)[:, None].softmax(-1))
    model.example = kind(rows())
    assert gf.watch(model).run(model.example[:]).verdict == "some not seen"


@pytest.mark.parametrize("read", [3, "three", 0.5])
def test_numbers_and_text_of_python_may_choose_among_the_models_own(read: object) -> None:
    class Choosing(ByPlace):
        def forward(self, x: Tensor, read: object = None) -> Tensor:
            self.more = lambda m, x: m.tables[hash(read) % 2].softmax(-1)
            return super().forward(x)

    model = Choosing(from_steps)
    assert gf.watch(model).run(rows()).honest
    assert gf.watch(model).run(rows(), read).verdict == "some not seen"
