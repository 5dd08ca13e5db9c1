"""What modules hand on: kept under their paths, written, and otherwise left alone."""

from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from helpers.watched_models import NanoGPT, fused_encoder
from helpers.watching import draw
from torch import Tensor, nn
from torch.nn.modules import module as torch_hooks

import glassformer as gf
from glassformer.inside.watching.module_outputs import first_tensor


class Pair(NamedTuple):
    rows: Tensor
    more: int


class Gives(nn.Module):
    """Hands its rows on in some wrapping."""

    def __init__(self, wrapping: Any) -> None:
        super().__init__()
        self.wrapping = wrapping

    def forward(self, x: Tensor) -> Any:
        return self.wrapping(x)


class Around(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Any:
        return self.inner(x)


WRAPPINGS = [lambda x: x + 1, lambda x: (x + 1, 3), lambda x: Pair(x + 1, 3), lambda x: {"n": 3, "rows": x + 1}]


def test_every_module_has_its_output_kept() -> None:
    model, x = NanoGPT().eval(), draw(2, 7, 15)
    seen = gf.watch(model, keep="*").run(x)
    paths = {path for path, module in model.named_modules() if not isinstance(module, nn.ModuleList | nn.ModuleDict)}
    kept = {each.removesuffix("module_output").rstrip(".") for each in seen.trace if each.endswith("module_output")}
    assert kept == paths
    np.testing.assert_array_equal(seen.trace["module_output"], seen.answer.detach())
    assert seen.trace.explain("module_output", (0, 1, 2)).operation == "given"
    assert torch.equal(seen.answer, model(x))
    assert seen.honest


def test_nothing_is_kept_of_modules_unless_asked() -> None:
    seen = gf.watch(NanoGPT()).run(draw(2, 7, 15))
    assert not any(each.endswith("module_output") for each in seen.trace)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_an_output_is_written_in_any_wrapping(wrapping: Any) -> None:
    model, x = Around(Gives(wrapping)).eval(), draw(2, 3)
    seen = gf.watch(model).run(x, write={"inner.module_output": torch.zeros_like})
    before, after = wrapping(x), seen.answer
    assert type(before) is type(after)
    found = first_tensor(after)
    assert found is not None
    assert not found[1].any()
    if isinstance(before, tuple):
        assert after[1] == 3


def test_what_has_no_numbers_has_no_output() -> None:
    assert first_tensor(torch.tensor([1, 2])) is None
    assert first_tensor("words") is None
    assert first_tensor((None, torch.ones(2)))[0] == 1  # type: ignore[index]


def test_a_module_that_runs_again_has_a_second_address() -> None:
    model = nn.Sequential(shared := nn.Linear(3, 3), nn.ReLU(), shared).eval()
    seen = gf.watch(model, keep="*").run(draw(2, 3))
    assert [each for each in seen.trace if each.startswith("0")] == ["0.module_output", "0@2.module_output"]


def test_fused_layers_are_kept_once() -> None:
    with torch.no_grad():
        seen = gf.watch(fused_encoder(), keep="*module_output").run(draw(2, 7, 12))
    assert not any("@2" in each for each in seen.trace)
    assert "module_output" in seen.trace
    np.testing.assert_allclose(seen.trace["layers.1.module_output"], seen.answer, atol=1e-5)


def test_the_hook_is_gone_after_an_exception() -> None:
    class Fails(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            raise RuntimeError("no")

    before = len(torch_hooks._global_forward_hooks)
    with pytest.raises(RuntimeError):
        gf.watch(Fails(), keep="*").run(draw(2))
    assert len(torch_hooks._global_forward_hooks) == before
