"""Watching a foreign model: every attention is found, rebuilt and compared, and the model notices nothing."""

import math
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from helpers.watched_models import FUNCTIONS, FUTURE, NanoGPT, Plain, VisionBlock
from torch import Tensor, nn
from torch.nn.modules import module as torch_hooks
from torch.overrides import _get_current_function_mode_stack

import glassformer as gf
from glassformer.inside.watching.seen import Seen

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]

# torch warns of what its own encoder does with padding, watched or not, and of an encoder that cannot do it.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage:UserWarning"),
    pytest.mark.filterwarnings("ignore:enable_nested_tensor is True, but self.use_nested_tensor is False:UserWarning"),
]


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values with sizes that cannot be mistaken: B 2, H 3, Tq 5, Tk 7, K 3, V 4."""
    return draw(2, 3, 5, 3), draw(2, 3, 7, 3, seed=1), draw(2, 3, 7, 4, seed=2)


def watched(model: nn.Module, *args: Any, **kwargs: Any) -> Seen:
    """Watches a run, and holds that it gives the very bits of an unwatched one."""
    torch.manual_seed(3)
    alone = model(*args, **kwargs)
    torch.manual_seed(3)
    seen = gf.watch(model).run(*args, **kwargs)
    alone, answer = (out if isinstance(out, Tensor) else out[0] for out in (alone, seen.answer))
    assert torch.equal(alone, answer)
    return seen


def explained(seen: Seen, scope: str) -> None:
    """The last number of every stage that was made is reproduced by its arithmetic."""
    for name in ("scores", "scaled", "capped", "biased", "masked", "weights", "mixed"):
        address = f"{scope}.{name}" if scope else name
        if address in seen.trace:
            values = seen.trace[address]
            why = seen.trace.explain(address, tuple(size - 1 for size in values.shape))
            assert why.operation != "given"
            assert why.result == pytest.approx(why.number, rel=1e-5, abs=5e-6)


# --- functions of all spellings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_spelling_is_read_and_rebuilt(function: Attention) -> None:
    heads, groups, scale, causal, masked, biased = FUNCTIONS[function]
    seen = watched(Plain(function), *inputs())
    (call,) = seen.calls
    assert seen.honest, seen.sentences
    assert call.kind == ("sdpa" if function.__name__.startswith("kernel") else "softmax")
    assert call.rebuilt_error is not None
    assert call.rebuilt_error < 5e-6
    assert (call.shapes["weights"][1], call.shapes["keys"][1]) == (heads, groups)
    assert call.scale == pytest.approx(scale)
    n_queries, n_keys = call.shapes["weights"][2:]
    assert (n_queries, n_keys) == (5, 7)
    assert (call.masked, call.biased) == (masked, biased)
    hides_the_future = masked and not (seen.trace["weights"] * np.triu(np.ones((5, 7)), 3)).any()
    assert call.causal == causal == hides_the_future
    explained(seen, "")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_stages_shown_reproduce_the_answer(function: Attention) -> None:
    seen = watched(Plain(function), *inputs())
    weights, values = torch.tensor(seen.trace["weights"]), torch.tensor(seen.trace["values"])
    mixed = weights @ values.repeat_interleave(weights.shape[1] // values.shape[1], 1)
    torch.testing.assert_close(mixed.reshape(seen.answer.shape), seen.answer, atol=5e-6, rtol=0)


def test_a_number_by_pencil() -> None:
    q, k, v = torch.tensor([[2.0]]), torch.tensor([[math.log(3.0) / 2], [0.0]]), torch.tensor([[8.0], [4.0]])
    seen = watched(Plain(lambda q, k, v: (q @ k.T).softmax(-1) @ v), q, k, v)
    np.testing.assert_allclose(seen.trace["weights"], [[[[0.75, 0.25]]]])
    np.testing.assert_allclose(seen.trace["mixed"], [[[[7.0]]]])
    assert seen.trace.explain("mixed", (0, 0)).operation == "mix"


def test_half_precision_is_compared_as_coarsely_as_it_is() -> None:
    seen = watched(Plain(F.scaled_dot_product_attention), *(t.bfloat16() for t in inputs()))
    (call,) = seen.calls
    assert call.agrees
    assert call.rebuilt is not None
    assert 0.0 < call.rebuilt.error < 0.02
    assert seen.trace["weights"].dtype == np.float32


def test_autocast_does_not_reach_the_rebuilding() -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):
        seen = watched(VisionBlock().eval(), draw(2, 7, 15))
    assert seen.honest, seen.sentences


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


def fused_encoder(n_layers: int = 2) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(12, 2, 20, batch_first=True)
    return nn.TransformerEncoder(layer, n_layers).eval()


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


@pytest.mark.parametrize("model", [NanoGPT(dropout=0.5), nn.TransformerEncoderLayer(15, 3, 20)], ids=["hand", "torch"])
def test_with_dropout_the_stages_are_those_before_it(model: nn.Module) -> None:
    x = draw(2, 7, 15)
    seen = watched(model.train(), x)
    call = seen.calls[0]
    assert call.dropout in (0.5, 0.1)
    assert not seen.honest
    assert "the stages are those before dropout" in seen.sentences[0]
    dropless = watched(model.eval(), x)
    np.testing.assert_allclose(seen.trace[f"{call.scope}.weights"], dropless.trace[f"{call.scope}.weights"], atol=1e-6)
    assert dropless.honest


def test_kernel_dropout_is_told() -> None:
    seen = watched(Plain(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)), *inputs())
    assert (seen.calls[0].rebuilt_error, seen.calls[0].dropout) == (None, 0.5)
    assert not seen.honest


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("relu", lambda q, k, v: (q @ k.mT).relu() @ v),
        ("cat", lambda q, k, v: torch.cat([q @ k.mT, q[..., :2]], -1).softmax(-1)[..., :-2] @ v),
        ("a product before the weights were complete", lambda q, k, v: (q @ k.mT).exp() @ v),
        ("mul", lambda q, k, v: ((q @ k.mT).softmax(-1) * 0.5) @ v),
        ("add", lambda q, k, v: torch.add(q @ k.mT, 1, alpha=2).softmax(-1) @ v),
        ("softmax along another axis", lambda q, k, v: (q @ k.mT).softmax(-2) @ v),
        ("reshape", lambda q, k, v: (q @ k.mT).reshape(2, 3, 7, 5).softmax(-1) @ v[:, :, :5]),
        ("no product with values", lambda q, k, v: (q @ k.mT).softmax(-1).sum(-1)),
        ("__setitem__", lambda q, k, v: overwritten(q @ k.mT).softmax(-1) @ v),
        ("dropout", lambda q, k, v: F.dropout(q @ k.mT, 0.5).softmax(-1) @ v),
    ],
)
def test_what_cannot_be_followed_is_named_and_not_guessed(name: str, function: Attention) -> None:
    seen = watched(Plain(function), *inputs())
    assert (len(seen.calls), len(seen.missed)) == (0, 1)
    assert name in seen.sentences[0]
    assert not seen.honest


def overwritten(scores: Tensor) -> Tensor:
    scores[..., 0] = 1.0
    return scores


def test_rows_that_are_nan_in_the_model_are_told() -> None:
    blind = torch.ones(5, 7, dtype=torch.bool)
    blind[2] = False
    seen = gf.watch(Plain(lambda q, k, v: (q @ k.mT).masked_fill(~blind, -math.inf).softmax(-1) @ v)).run(*inputs())
    assert seen.answer[:, :, 2].isnan().all()
    assert not seen.trace["mixed"][:, :, 2].any()
    assert not seen.honest
    assert "got NaN in" in seen.sentences[0]


def test_a_wrong_rebuilding_would_be_told() -> None:
    """The base of what was scaled is changed behind our back: the numbers cannot be right, and are not called so."""

    def treacherous(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        q = q.clone()
        scaled = q * 2
        q.add_(1)
        return (scaled @ k.mT).softmax(-1) @ v

    seen = watched(Plain(treacherous), *inputs())
    assert not seen.honest
    assert "more than the" in seen.sentences[0]


def test_no_attention_is_said_so() -> None:
    seen = watched(nn.Sequential(nn.Linear(5, 3), nn.ReLU(), nn.Softmax(-1)), draw(2, 5))
    assert seen.sentences == ["No attention was seen: the model ran none that can be caught."]
    assert (seen.calls, seen.missed, seen.honest) == ([], [], False)


def test_matrices_multiplied_by_hand_are_not_taken_for_attention() -> None:
    class ByHand(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Parameter(draw(11, 5)), nn.Parameter(draw(3, 11, seed=1))

        def forward(self, x: Tensor) -> Tensor:
            return (torch.relu(x @ self.first.T) @ self.last.T).softmax(-1)

    for x in (draw(7, 5), draw(2, 7, 5)):
        seen = watched(ByHand(), x)
        assert (seen.calls, seen.missed) == ([], [])


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
    assert seen.honest
    assert len(seen.calls) == 1


def test_a_default_device_keeps_torch_from_its_kernel_and_so_do_we() -> None:
    encoder, x = fused_encoder(), draw(3, 7, 12)
    with torch.no_grad(), torch.device("cpu"):
        seen = watched(encoder, x)
    assert [call.fused for call in seen.calls] == [None, None]
    assert seen.honest


def test_the_trace_can_be_kept() -> None:
    trace = watched(NanoGPT(), draw(2, 7, 15)).trace
    assert gf.Trace.from_json(trace.to_json()).to_json() == trace.to_json()


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


def test_the_mask_of_the_models_is_what_the_docstrings_say() -> None:
    assert FUTURE[4].tolist() == [False] * 7
    assert FUTURE[0].tolist() == [False] * 3 + [True] * 4
