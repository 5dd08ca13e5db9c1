"""Watching a foreign model: every attention is found, rebuilt and compared, and the model notices nothing."""

import math
import threading
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from helpers.hidden_attention import HIDDEN, WIDTH, Beside, ByHand, rows
from helpers.watched_models import FUTURE, NanoGPT, Plain, VisionBlock, fused_encoder
from helpers.watching import draw, explained, inputs, watched
from torch import Tensor, nn
from torch.nn.modules import module as torch_hooks
from torch.overrides import _get_current_function_mode_stack
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

import glassformer as gf
from glassformer.inside.watching.seen import Seen

# torch warns of what its own encoder does with padding, watched or not, and of an encoder that cannot do it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
    pytest.mark.filterwarnings("ignore:enable_nested_tensor is True, but self.use_nested_tensor is False:UserWarning"),
]


# --- functions of all spellings -----------------------------------------------------------------------------------


def test_a_number_by_pencil() -> None:
    q, k, v = torch.tensor([[2.0]]), torch.tensor([[math.log(3.0) / 2], [0.0]]), torch.tensor([[8.0], [4.0]])
    seen = watched(Plain(lambda q, k, v: (q @ k.T).softmax(-1) @ v), q, k, v)
    np.testing.assert_allclose(seen.trace["weights"], [[[[0.75, 0.25]]]])
    np.testing.assert_allclose(seen.trace["mixed"], [[[[7.0]]]])
    assert seen.trace.explain("mixed", (0, 0)).operation == "mix"


# --- models of other people ---------------------------------------------------------------------------------------


def test_a_hand_written_gpt() -> None:
    seen = watched(NanoGPT(), draw(2, 7, 15))
    assert [call.path for call in seen.calls] == ["transformer.h.0.attn", "transformer.h.1.attn"]
    assert seen.honest
    assert all(call.causal and call.kind == "softmax" for call in seen.calls)
    assert seen.trace["transformer.h.1.attn.weights"].shape == (2, 3, 7, 7)
    explained(seen, "transformer.h.1.attn")
    assert seen.sentences[0] == (
        "transformer.h.0.attn (softmax): 3 heads, 7 queries × 7 keys, batch of 2, causal. "
        "Rebuilt and real: equal to the last bit."
    )


def test_a_vision_block_with_queries_scaled_before() -> None:
    block = VisionBlock().eval()
    x = draw(2, 7, 15)
    seen = watched(block, x)
    (call,) = seen.calls
    assert seen.honest
    assert call.scale == pytest.approx(block.scale)
    q = block.qkv(block.norm(x))[..., :15].detach().view(2, 7, 5, 3).transpose(1, 2)
    np.testing.assert_allclose(seen.trace["queries"], q, atol=1e-6)  # before they were scaled


@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("batch_first", [True, False])
def test_the_transformer_of_torch(gradients: bool, batch_first: bool) -> None:
    model = nn.Transformer(12, 2, 2, 2, 20, batch_first=batch_first).eval()
    source, target = draw(3, 7, 12), draw(3, 5, 12, seed=1)
    if not batch_first:
        source, target = source.transpose(0, 1), target.transpose(0, 1)
    padding = torch.arange(7) >= torch.tensor([[7], [4], [5]])
    future = nn.Transformer.generate_square_subsequent_mask(5)
    with torch.set_grad_enabled(gradients):
        seen = watched(
            model, source, target, tgt_mask=future, tgt_is_causal=True, src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )  # fmt: skip
    assert seen.honest, seen.sentences
    assert [call.path for call in seen.calls] == [
        "encoder.layers.0.self_attn",
        "encoder.layers.1.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.0.multihead_attn",
        "decoder.layers.1.self_attn",
        "decoder.layers.1.multihead_attn",
    ]
    assert [call.causal for call in seen.calls] == [False, False, True, False, True, False]
    assert all(call.masked and call.kind == "mha" for call in seen.calls)
    assert seen.trace["decoder.layers.0.multihead_attn.weights"].shape == (3, 2, 5, 7)
    assert not seen.trace["encoder.layers.1.self_attn.weights"][1, :, :, 4:].any()
    explained(seen, "decoder.layers.1.multihead_attn")
    assert seen.trace.formula("decoder.layers.1.multihead_attn.keys")[0] == "K = C W_K + b_K"


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 5, "vdim": 3}])
@pytest.mark.parametrize("need_weights", [True, False])
def test_the_multihead_attention_of_torch(options: dict[str, Any], need_weights: bool) -> None:
    attention = nn.MultiheadAttention(15, 3, batch_first=True, **options).eval()
    context, values = draw(2, 7, attention.kdim, seed=1), draw(2, 7, attention.vdim, seed=2)
    padding = torch.tensor([[False] * 5 + [True] * 2] * 2)
    seen = watched(attention, draw(2, 5, 15), context, values, key_padding_mask=padding, need_weights=need_weights)
    (call,) = seen.calls
    assert seen.honest, seen.sentences
    assert call.shapes["weights"][:3] == (2, 3, 5)
    assert call.masked
    assert not seen.trace["weights"][..., 5:7].any()


def test_separate_matrices_of_one_width() -> None:
    class Pool(nn.Module):
        """Calls torch's function with three matrices of its own."""

        def __init__(self) -> None:
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(12, 12) for _ in range(4))

        def forward(self, x: Tensor) -> Tensor:
            bias = torch.cat([self.q.bias, self.k.bias, self.v.bias])
            return F.multi_head_attention_forward(
                x[:1], x, x, 12, 3, None, bias, None, None, False, 0.0, self.o.weight, self.o.bias,
                use_separate_proj_weight=True, q_proj_weight=self.q.weight, k_proj_weight=self.k.weight,
                v_proj_weight=self.v.weight, training=self.training,
            )[0]  # fmt: skip

    seen = watched(Pool(), draw(7, 2, 12))
    assert seen.honest, seen.sentences
    assert seen.trace["weights"].shape == (2, 3, 1, 7)


def test_our_own_attention_is_seen_as_well() -> None:
    attention, x = gf.Attention(12, 3, causal=True), draw(2, 5, 12)
    seen = watched(attention, x)
    _, own = gf.record(attention, x)
    assert seen.honest
    for stage in ("queries", "scores", "masked", "weights"):
        np.testing.assert_array_equal(seen.trace[stage], own[stage])


# --- what must be said --------------------------------------------------------------------------------------------


def test_kernel_dropout_is_told() -> None:
    seen = watched(Plain(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)), *inputs())
    assert (seen.calls[0].rebuilt_error, seen.calls[0].dropout) == (None, 0.5)
    assert not seen.honest


def test_attention_outside_the_model_is_counted_and_not_kept() -> None:
    model, other = Plain(F.scaled_dot_product_attention), Plain(F.scaled_dot_product_attention)
    with gf.watch(model) as seen:
        model(*inputs())
        other(*inputs())
    assert (len(seen.calls), seen.outside) == (1, 1)
    assert seen.sentences[-1] == "1 more ran outside the model that is watched."


def test_only_modules_can_be_watched() -> None:
    with pytest.raises(gf.InputError, match=r"Only a torch\.nn\.Module can be watched; this is a function"):
        gf.watch(inputs)  # type: ignore[arg-type]


# --- watching is without effect -----------------------------------------------------------------------------------


def test_gradients_are_the_same() -> None:
    model, x = NanoGPT(), draw(2, 7, 15)
    model(x).square().sum().backward()
    alone = [weight.grad.clone() for weight in model.parameters() if weight.grad is not None]
    model.zero_grad()
    gf.watch(model).run(x).answer.square().sum().backward()
    assert all(torch.equal(a, b.grad) for a, b in zip(alone, model.parameters(), strict=True) if b.grad is not None)


def test_a_second_call_has_an_address_of_its_own() -> None:
    model = Plain(F.scaled_dot_product_attention)
    with gf.watch(model) as seen:
        model(*inputs())
        model(*inputs())
    assert [call.scope for call in seen.calls] == ["", "@2"]
    np.testing.assert_array_equal(seen.trace["@2.weights"], seen.trace["weights"])


def test_watches_may_be_nested_and_each_sees_its_own() -> None:
    model, x = NanoGPT(), draw(2, 7, 15)
    first = model.transformer["h"][0]  # type: ignore[union-attr, index]
    with gf.watch(model) as outer, gf.watch(first) as inner:
        model(x)
    assert [call.path for call in outer.calls] == ["transformer.h.0.attn", "transformer.h.1.attn"]
    assert [call.path for call in inner.calls] == ["attn"]
    assert (outer.outside, inner.outside) == (0, 1)
    assert outer.honest
    assert inner.honest


def test_threads_do_not_see_each_other() -> None:
    model, other = NanoGPT(), fused_encoder()
    seen_there: list[Seen] = []
    with gf.watch(other) as seen, torch.no_grad():
        thread = threading.Thread(target=lambda: seen_there.append(gf.watch(model).run(draw(2, 7, 15))))
        bystander = threading.Thread(target=lambda: other(draw(3, 7, 12)))
        for each in (thread, bystander):
            each.start()
            each.join()
    assert (len(seen.calls), len(seen_there[0].calls)) == (0, 2)


class Stop(BaseException):
    """Not an error: somebody presses Ctrl-C."""


@pytest.mark.parametrize("reason", [RuntimeError, Stop])
def test_whatever_happens_nothing_is_left_behind(reason: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = fused_encoder()

    def fails(*_: Any) -> None:
        raise reason("on the way")

    monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", fails)
    with torch.no_grad(), pytest.raises(reason, match="on the way"):
        gf.watch(encoder).run(draw(3, 7, 12))
    assert _get_current_function_mode_stack() == []
    assert not torch_hooks._has_any_global_hook()


def test_a_failing_model_may_be_caught_inside_the_watch() -> None:
    model = nn.MultiheadAttention(12, 2, batch_first=True).eval()
    x = draw(3, 7, 12)
    with torch.no_grad(), gf.watch(model) as seen:
        with pytest.raises(AssertionError, match="embedding"):
            model(draw(3, 7, 5), x, x)
        model(x, x, x)
    assert len(seen.calls) == 1
    assert seen.calls[0].agrees
    assert not seen.honest  # one of the two passes is not whole
    assert "it ended with AssertionError" in seen.sentences[-1]


def test_the_mask_of_the_models_is_what_the_docstrings_say() -> None:
    assert FUTURE[4].tolist() == [False] * 7
    assert FUTURE[0].tolist() == [False] * 3 + [True] * 4


def test_nested_watches_each_have_their_verdict() -> None:
    model = Beside(HIDDEN["by angle"]())
    with gf.watch(model) as outer, gf.watch(model.open) as inner:
        model(rows())
    assert (outer.verdict, inner.verdict) == ("some not seen", "all seen")
    assert inner.calls == []


def test_a_model_that_watches_a_part_of_itself() -> None:
    class Curious(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.part = NanoGPT()

        def forward(self, x: Tensor) -> Tensor:
            inner = gf.watch(self.part).run(x)
            assert inner.honest, inner.sentences
            return inner.answer

    seen = watched(Curious(), torch.randn(2, 7, 15))
    assert seen.honest, seen.sentences
    assert len(seen.calls) == 2


def test_a_failing_model_leaves_nothing_behind() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        gf.watch(Beside(ByHand())).run(torch.randn(2, 7, WIDTH + 1))
    assert _get_current_function_mode_stack() == []
    assert _get_current_dispatch_mode_stack() == []


def test_a_softmax_in_coarser_numbers_is_compared_as_such() -> None:
    """In float64 with a softmax in float32, as several models have it."""

    def coarse(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return (q @ k.mT).softmax(-1, dtype=torch.float32).to(torch.float64) @ v

    seen = watched(Plain(coarse), *(each.double() for each in inputs()))
    assert seen.honest, seen.sentences
    assert seen.calls[0].rebuilt_error < 1e-6  # type: ignore[operator]


def test_linear_attention_is_told_and_not_vouched_for() -> None:
    def linear(x: Tensor) -> Tensor:
        return F.elu(x) @ (F.elu(x).mT @ x)

    seen = watched(Beside(linear), rows())
    assert seen.verdict == "cannot tell"
    assert "rows meet rows, and others again, without a softmax" in seen.sentences[-1]
    assert watched(Beside(nn.Identity()), rows()).verdict == "all seen"
