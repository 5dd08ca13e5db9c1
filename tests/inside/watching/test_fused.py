"""What torch runs in one kernel stays there, and is opened in a second pass."""

from typing import Any

import pytest
import torch
from helpers.watched_models import fused_encoder
from helpers.watching import draw, watched
from torch import Tensor, nn

import glassformer as gf

# torch warns of what its own encoder does with padding, watched or not, and of an encoder that cannot do it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
    pytest.mark.filterwarnings("ignore:enable_nested_tensor is True, but self.use_nested_tensor is False:UserWarning"),
]


class KernelNames(torch.utils._python_dispatch.TorchDispatchMode):
    """Notes which kernels torch really ran."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("padded", [False, True])
def test_the_fused_encoder_stays_fused_and_is_opened_in_a_second_pass(padded: bool) -> None:
    encoder, x = fused_encoder(), draw(3, 7, 12)
    padding = torch.arange(7) >= torch.tensor([[7], [4], [5]]) if padded else None
    with torch.no_grad():
        with KernelNames() as kernels:
            seen = gf.watch(encoder).run(x, None, padding)
        assert kernels.names.count("aten._transformer_encoder_layer_fwd.default") == 2
        assert torch.equal(seen.answer, encoder(x, None, padding))
    assert seen.honest, seen.sentences
    assert [call.fused for call in seen.calls] == ["", ""]
    assert all(call.repeated is not None and 0.0 < call.repeated.error < 5e-6 for call in seen.calls)
    assert "The model may run in one kernel; these steps are from a second pass." in seen.sentences[0]


def test_a_layer_of_its_own_kind_that_gives_several_tensors_is_compared_whole() -> None:
    class WithItsInput(nn.TransformerEncoderLayer):
        """Attends to what was before, too, and hands on what it was given."""

        def forward(self, x: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:  # type: ignore[override]
            both = torch.cat([before, x], 1)
            return self.norm1(x + self.self_attn(x, both, both, need_weights=False)[0]), x

    layer = WithItsInput(12, 2, 20, batch_first=True).eval()
    with torch.no_grad():
        seen = gf.watch(layer).run(draw(2, 5, 12), draw(2, 3, 12))
        answer = layer(draw(2, 5, 12), draw(2, 3, 12))
    assert all(map(torch.equal, seen.answer, answer))
    assert seen.honest, seen.sentences


def test_a_fused_module_that_a_second_pass_contradicts_is_told() -> None:
    class Forgetful(nn.MultiheadAttention):
        """Gives another answer each time."""

        runs = 0

        def forward(self, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor | None]:
            self.runs += 1
            output, weights = super().forward(*args, **kwargs)
            return output * self.runs, weights

    attention, x = Forgetful(12, 2, batch_first=True).eval(), draw(3, 7, 12)
    with torch.no_grad():
        seen = gf.watch(attention).run(x, x, x)
    assert not seen.honest
    assert "more than the" in seen.sentences[0]


def test_a_module_that_cannot_be_opened_is_told() -> None:
    layer = fused_encoder().layers[0]
    nested = torch._nested_tensor_from_mask(draw(3, 7, 12), torch.arange(7) < torch.tensor([[7], [4], [5]]))
    with torch.no_grad():
        seen = gf.watch(layer).run(nested)
    assert seen.calls == []
    assert "it ran in one kernel, and cannot run without" in seen.sentences[0]
    assert not seen.honest


def test_nested_watches_of_a_fused_encoder() -> None:
    encoder, x = fused_encoder(), draw(3, 7, 12)
    with torch.no_grad():
        alone = encoder(x)
        with gf.watch(encoder) as outer, gf.watch(encoder) as inner:
            assert torch.equal(encoder(x), alone)
    for seen in (outer, inner):
        assert [call.path for call in seen.calls] == ["layers.0.self_attn", "layers.1.self_attn"]
        assert [call.fused for call in seen.calls] == ["", ""]
        assert seen.honest, seen.sentences


def test_a_default_device_keeps_torch_from_its_kernel_and_so_do_we() -> None:
    encoder, x = fused_encoder(), draw(3, 7, 12)
    with torch.no_grad(), torch.device("cpu"):
        seen = watched(encoder, x)
    assert [call.fused for call in seen.calls] == [None, None]
    assert seen.honest


@pytest.mark.parametrize("layers", [0, 2])
def test_a_fused_layer_answers_as_it_does_unwatched_where_torch_casts(layers: int) -> None:
    layer = nn.TransformerEncoderLayer(12, 2, 20, batch_first=True)
    model = (nn.TransformerEncoder(layer, layers) if layers else layer).eval()
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        seen = watched(model, draw(3, 7, 12))
    assert seen.answer.dtype == torch.bfloat16
