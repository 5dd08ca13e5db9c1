"""The drop-in against the original: whatever torch answers with numbers, ours answers with the same ones."""

import functools
import inspect
import itertools
import math
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.attention import Attention
from glassformer.layers.multihead import MultiheadAttention
from glassformer.stages.recorder import record

B, H, TQ, TK, D = 2, 3, 5, 7, 33  # width 11 per head
SHAPES = [{}, {"kdim": 13, "vdim": 17}]
CONSTRUCTIONS = [
    {"bias": bias, "add_bias_kv": learned, "add_zero_attn": zero, "batch_first": first, **widths}
    for bias, learned, zero, first, widths in itertools.product(*[(True, False)] * 4, SHAPES)
]
TOLERANCE = {torch.float64: 1e-12, torch.float32: 5e-6}


def pair(dtype: torch.dtype = torch.float64, **options: Any) -> tuple[MultiheadAttention, nn.MultiheadAttention]:
    """Ours and torch's with the same weights; biases are drawn, for zeros would hide a mistake."""
    theirs = nn.MultiheadAttention(D, options.pop("num_heads", H), dtype=dtype, **options)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.randn_like(parameter) / 4)
    return MultiheadAttention.from_torch(theirs), theirs


def sequences(module: nn.MultiheadAttention, *, alone: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """A query, key and value of prime sizes that fit the module."""
    dtype = module.out_proj.weight.dtype
    rows = [(TQ, D), (TK, module.kdim), (TK, module.vdim)]
    if alone:
        return tuple(torch.randn(*size, dtype=dtype) for size in rows)  # type: ignore[return-value]
    whole = [torch.randn(B, *size, dtype=dtype) for size in rows]
    return tuple(x if module.batch_first else x.transpose(0, 1) for x in whole)  # type: ignore[return-value]


def some(*shape: int) -> Tensor:
    """A random mask in torch's sense, True = blocked; nobody is blocked from the first key."""
    mask = torch.rand(*shape) < 0.4
    mask[..., 0] = False
    return mask


def as_numbers(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def masks(dtype: torch.dtype) -> dict[str, dict[str, Tensor]]:
    """Every kind of mask torch takes; where both are given it wants them of one kind."""
    own, each, padding = some(TQ, TK), some(B * H, TQ, TK), some(B, TK)
    slope, slopes = torch.randn(TQ, TK, dtype=dtype), torch.randn(B * H, TQ, TK, dtype=dtype)
    return {
        "none": {},
        "one": {"attn_mask": own},
        "per head": {"attn_mask": each},
        "padding": {"key_padding_mask": padding},
        "one, padding": {"attn_mask": own, "key_padding_mask": padding},
        "per head, padding": {"attn_mask": each, "key_padding_mask": padding},
        "−∞": {"attn_mask": as_numbers(own, dtype)},
        "−∞, padding −∞": {"attn_mask": as_numbers(each, dtype), "key_padding_mask": as_numbers(padding, dtype)},
        "added": {"attn_mask": slope},
        "added, padding −∞": {"attn_mask": slopes, "key_padding_mask": as_numbers(padding, dtype)},
        "added and −∞": {"attn_mask": slopes + as_numbers(each, dtype)},
        "padding added": {"key_padding_mask": torch.randn(B, TK, dtype=dtype)},
    }


def assert_same(
    ours: MultiheadAttention, theirs: nn.MultiheadAttention, inputs: tuple[Tensor, ...], **options: Any
) -> None:
    """Outputs, weights and every gradient, also the one through the returned weights."""
    answers, gradients = [], []
    for module in (ours, theirs):
        leaves = [x.detach().clone().requires_grad_() for x in inputs]
        output, weights = module(*leaves, **options)
        found = [output] if weights is None else [output, weights]
        loss = sum((x * torch.linspace(-1, 1, x.numel(), dtype=x.dtype).view(x.shape)).sum() for x in found)
        answers.append(found)
        gradients.append(torch.autograd.grad(loss, [*leaves, *module.parameters()], allow_unused=True))
    assert len(answers[0]) == len(answers[1]) == (2 if options.get("need_weights", True) else 1)
    assert answers[0][0].is_contiguous()  # so that .view() works as it did
    for mine, wanted in zip([*answers[0], *gradients[0]], [*answers[1], *gradients[1]], strict=True):
        tolerance = TOLERANCE[inputs[0].dtype] * max(1.0, wanted.abs().max().item())
        torch.testing.assert_close(mine, wanted, rtol=0, atol=tolerance)


# --- equal numbers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", CONSTRUCTIONS, ids=lambda options: " ".join(f"{k}={v}" for k, v in options.items()))
def test_equal_numbers_for_every_construction_and_mask(options: dict[str, Any]) -> None:
    ours, theirs = pair(**options)
    inputs = sequences(theirs)
    for given in masks(torch.float64).values():
        assert_same(ours, theirs, inputs, **given, average_attn_weights=False)
        assert_same(ours, theirs, inputs, **given, need_weights=False)


@pytest.mark.parametrize("kind", masks(torch.float32))
@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True, "add_zero_attn": True}, {"kdim": 13}], ids=str)
def test_equal_numbers_in_single_precision(options: dict[str, Any], kind: str) -> None:
    ours, theirs = pair(torch.float32, **options)
    given = masks(torch.float32)[kind]
    for flags in ({}, {"average_attn_weights": False}, {"need_weights": False}):
        assert_same(ours, theirs, sequences(theirs), **given, **flags)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"kdim": 13, "vdim": 17}], ids=str)
def test_one_sequence_alone(options: dict[str, Any], average: bool, first: bool) -> None:
    ours, theirs = pair(batch_first=first, **options)
    inputs = sequences(theirs, alone=True)
    for given in ({}, {"attn_mask": some(TQ, TK), "key_padding_mask": some(TK)}, {"attn_mask": some(H, TQ, TK)}):
        assert_same(ours, theirs, inputs, **given, average_attn_weights=average)
        assert_same(ours, theirs, inputs, **given, need_weights=False)
    assert ours(*inputs)[0].shape == (TQ, D)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("need_weights", [True, False])
def test_self_and_cross_attention(need_weights: bool, grad: bool, training: bool) -> None:
    for heads in (3, 11, 1):
        ours, theirs = (module.train(training) for module in pair(num_heads=heads, batch_first=True))
        x, context = torch.randn(B, TK, D, dtype=torch.float64), torch.randn(B, TQ, D, dtype=torch.float64)
        for inputs in ((x, x, x), (x, context, context), (x, x, x * 2), (x, x * 2, x), (context, x, x * 2)):
            with torch.set_grad_enabled(grad):
                mine, wanted = (module(*inputs, need_weights=need_weights) for module in (ours, theirs))
            torch.testing.assert_close(mine, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"add_zero_attn": True}], ids=str)
@pytest.mark.parametrize("need_weights", [True, False])
def test_the_causal_hint(need_weights: bool, options: dict[str, Any]) -> None:
    ours, theirs = pair(batch_first=True, **options)
    x = torch.randn(B, TK, D, dtype=torch.float64)
    future = torch.ones(TK, TK, dtype=torch.bool).triu(1)
    if not (options and not need_weights):  # there torch forgets the extra keys: is_causal counts them as late ones
        assert_same(ours, theirs, (x, x, x), attn_mask=future, is_causal=True, need_weights=need_weights)
    with_mask = ours(x, x, x, attn_mask=future, need_weights=need_weights)
    by_word = ours(x, x, x, is_causal=True, need_weights=need_weights)  # torch wants a mask beside it
    torch.testing.assert_close(by_word, with_mask, rtol=0, atol=1e-12)


def test_beside_a_mask_the_causal_hint_is_only_a_hint() -> None:
    ours, theirs = pair()
    inputs, mask = sequences(theirs), some(TQ, TK)
    wanted, _ = theirs(*inputs, attn_mask=mask, is_causal=True)  # asked for weights, torch follows the mask
    for need_weights in (True, False):  # so do we, whatever is asked
        output, _ = ours(*inputs, attn_mask=mask, is_causal=True, need_weights=need_weights)
        torch.testing.assert_close(output, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("need_weights", [True, False])
def test_an_added_mask_can_be_learned(need_weights: bool) -> None:
    ours, theirs = pair()
    inputs = sequences(theirs)
    gradients = []
    for module in (ours, theirs):
        learned = torch.zeros(TQ, TK, dtype=torch.float64, requires_grad=True)  # zeros, as one would begin with
        output, _ = module(*inputs, attn_mask=learned, need_weights=need_weights)
        gradients += torch.autograd.grad(output.square().sum(), learned)
    assert gradients[0].any()
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


@pytest.mark.parametrize("need_weights", [True, False])
def test_dropout_draws_what_torch_draws(need_weights: bool) -> None:
    ours, theirs = pair(dropout=0.4)
    inputs = sequences(theirs)
    answers = []
    for module in (ours, theirs):
        torch.manual_seed(11)
        answers.append(module(*inputs, need_weights=need_weights, average_attn_weights=False))
    torch.testing.assert_close(*answers, rtol=0, atol=1e-12)
    assert need_weights is False or (answers[0][1] == 0).any()
    torch.testing.assert_close(ours.eval()(*inputs), theirs.eval()(*inputs), rtol=0, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"add_zero_attn": True}, {"dropout": 0.4}], ids=str)
def test_asking_for_the_weights_changes_no_number(options: dict[str, Any]) -> None:
    ours, theirs = pair(torch.float32, **options)
    inputs = sequences(theirs)
    for given in masks(torch.float32).values():
        outputs = []
        for need_weights, watched in itertools.product((False, True), repeat=2):
            torch.manual_seed(11)
            ask = functools.partial(record, ours) if watched else ours
            answer = ask(*inputs, **given, need_weights=need_weights)
            outputs.append(answer[0][0] if watched else answer[0])
        assert all(torch.equal(outputs[0], other) for other in outputs[1:])


def test_evaluating_is_the_same_model_as_training() -> None:
    ours, _ = pair(torch.float32, batch_first=True)
    x, padding = torch.randn(B, TK, D), some(B, TK)
    wanted = ours(x, x, x, key_padding_mask=padding)
    ours.eval()
    for context in (torch.enable_grad, torch.no_grad, torch.inference_mode):
        with context():
            assert all(map(torch.equal, ours(x, x, x, key_padding_mask=padding), wanted))


# --- a row that may look at nothing -----------------------------------------------------------------------------


def empty_rows() -> dict[str, dict[str, Tensor]]:
    padding, own = torch.zeros(B, TK, dtype=torch.bool), some(TK, TK)
    padding[1], own[2] = True, True
    each = some(B * 2, TK, TK)
    each[3, 4] = True
    return {
        "padding": {"key_padding_mask": padding},
        "padding −∞": {"key_padding_mask": as_numbers(padding, torch.float32)},
        "one": {"attn_mask": own},
        "one −∞": {"attn_mask": as_numbers(own, torch.float32)},
        "added and −∞": {"attn_mask": torch.randn(TK, TK) + as_numbers(own, torch.float32)},
        "per head": {"attn_mask": each},
        "both": {"attn_mask": own, "key_padding_mask": padding},
    }


@pytest.mark.parametrize("kind", empty_rows())
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("mode", ["train", "eval", "no_grad"])
def test_a_row_that_sees_nothing_gives_zeros_where_torch_gives_nan(kind: str, need_weights: bool, mode: str) -> None:
    theirs = nn.MultiheadAttention(22, 2, batch_first=True)  # an even number of heads: torch's fast path too
    nn.init.normal_(theirs.out_proj.bias)
    ours = MultiheadAttention.from_torch(theirs)
    x = torch.randn(B, TK, 22)
    given = empty_rows()[kind]
    for module in (ours, theirs):
        module.train(mode == "train")
    with torch.set_grad_enabled(mode != "no_grad"):
        output, weights = ours(x, x, x, **given, need_weights=need_weights, average_attn_weights=False)
        wanted, _ = theirs(x, x, x, **given, need_weights=need_weights)
    shown = ours(x, x, x, **given, average_attn_weights=False)[1].sum(-1)  # B H Tq
    sees_nothing = (shown == 0).all(1)
    assert (shown == 0).any()
    assert output.isfinite().all()
    assert torch.equal(output[sees_nothing], ours.out_proj.bias.expand_as(output[sees_nothing]))  # nothing, plus b_O
    torch.testing.assert_close(shown[shown != 0], torch.ones_like(shown[shown != 0]))
    assert weights is None or weights.isfinite().all()
    known = wanted.isfinite()
    torch.testing.assert_close(output[known], wanted[known], rtol=0, atol=5e-6)
    if mode != "no_grad":
        output.sum().backward()
        assert all(parameter.grad.isfinite().all() for parameter in ours.parameters())


def test_training_stays_finite_whatever_the_masks() -> None:
    ours = MultiheadAttention(10, 2, batch_first=True)
    step = torch.optim.SGD(ours.parameters(), lr=1e-3)
    emptied = 0
    for _ in range(200):
        own, padding = torch.rand(5, 5) < torch.rand(()), torch.rand(3, 5) < torch.rand(())
        x = torch.randn(3, 5, 10)
        output, weights = ours(x, x, x, attn_mask=own, key_padding_mask=padding)
        emptied += int((weights.sum(-1) == 0).any())
        step.zero_grad()
        (output.square().sum() + weights.square().sum()).backward()
        step.step()
        assert output.isfinite().all()
        assert all(parameter.isfinite().all() for parameter in ours.parameters())
    assert emptied > 100


# --- a drop-in --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["__init__", "forward"])
def test_the_signature_is_torchs(name: str) -> None:
    mine = inspect.signature(getattr(MultiheadAttention, name)).parameters
    wanted = inspect.signature(getattr(nn.MultiheadAttention, name)).parameters
    plain = {key: (each.kind, each.default) for key, each in mine.items() if key != "see"}
    assert plain == {key: (each.kind, each.default) for key, each in wanted.items()}
    assert list(plain) == list(wanted)
    if name == "forward":
        assert mine["see"].kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("options", CONSTRUCTIONS, ids=str)
def test_the_same_seed_gives_the_same_weights(options: dict[str, Any]) -> None:
    states = []
    for kind in (MultiheadAttention, nn.MultiheadAttention):
        torch.manual_seed(3)
        states.append(kind(D, H, **options).state_dict())
    assert states[0].keys() == states[1].keys()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])


@pytest.mark.parametrize("options", [{}, {"kdim": 13, "add_bias_kv": True}, {"bias": False, "vdim": 17}], ids=str)
def test_from_torch_and_back(options: dict[str, Any]) -> None:
    ours, theirs = pair(dropout=0.25, add_zero_attn=True, batch_first=True, **options)
    theirs.out_proj.weight.requires_grad_(False)
    theirs.eval()
    ours = MultiheadAttention.from_torch(theirs)
    back = ours.to_torch()
    for module in (ours, back):
        assert not module.training
        assert {name: p.requires_grad for name, p in module.named_parameters()} == {
            name: p.requires_grad for name, p in theirs.named_parameters()
        }
        for name in ("embed_dim", "num_heads", "head_dim", "kdim", "vdim", "dropout", "batch_first", "add_zero_attn"):
            assert getattr(module, name) == getattr(theirs, name)
    inputs = sequences(theirs)
    torch.testing.assert_close(ours(*inputs), theirs(*inputs), rtol=0, atol=1e-12)
    assert all(map(torch.equal, back(*inputs), theirs(*inputs)))
    with torch.no_grad():
        theirs.out_proj.weight.zero_()
    assert ours.out_proj.weight.any()  # a copy, not a share


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("mode", ["train", "eval", "no_grad"])
def test_inside_torchs_encoder_layer(mode: str, norm_first: bool) -> None:
    layer = nn.TransformerEncoderLayer(22, 2, 31, dropout=0.0, batch_first=True, norm_first=norm_first)
    x, padding, own = torch.randn(B, TK, 22), some(B, TK), some(TK, TK)
    given = [(), (own,), (own, padding), (own.float() * -2.5,)]
    wanted = [layer(x, *each) for each in given]  # while training: evaluating, torch takes added numbers for a mask
    layer.self_attn = MultiheadAttention.from_torch(layer.self_attn)
    layer.train(mode == "train")
    with torch.set_grad_enabled(mode != "no_grad"):
        answers = [layer(x, *each) for each in given]
        torch.testing.assert_close(answers, wanted, rtol=0, atol=5e-6)
        padding[1] = True
        assert layer(x, src_key_padding_mask=padding).isfinite().all()


def test_inside_torchs_decoder_layer() -> None:
    layer = nn.TransformerDecoderLayer(22, 2, 31, dropout=0.0)
    x, memory = torch.randn(TQ, B, 22), torch.randn(TK, B, 22)
    future = nn.Transformer.generate_square_subsequent_mask(TQ)
    wanted = layer(x, memory, tgt_mask=future, tgt_is_causal=True)
    layer.self_attn = MultiheadAttention.from_torch(layer.self_attn)
    layer.multihead_attn = MultiheadAttention.from_torch(layer.multihead_attn)
    torch.testing.assert_close(layer(x, memory, tgt_mask=future, tgt_is_causal=True), wanted, rtol=0, atol=5e-6)


def test_a_hook_on_the_output_projection_fires_once() -> None:
    ours, theirs = pair()
    fired = []
    ours.out_proj.register_forward_hook(lambda *_: fired.append(1))
    ours(*sequences(theirs))
    assert fired == [1]


@pytest.mark.slow
def test_it_can_be_compiled_and_exported() -> None:
    program = """
import torch
from glassformer.layers.multihead import MultiheadAttention
ours = MultiheadAttention(22, 2, batch_first=True).eval()
x, numbers = torch.randn(2, 7, 22), torch.randn(7, 7).masked_fill(torch.ones(7, 7).triu(1).bool(), -torch.inf)
numbers[3] = -torch.inf
for options in ({"attn_mask": numbers}, {"attn_mask": numbers == -torch.inf, "need_weights": False}):
    wanted = ours(x, x, x, **options)
    compiled = torch.compile(ours, fullgraph=True, backend="eager")(x, x, x, **options)
    exported = torch.export.export(ours, (x, x, x), options).module()(x, x, x, **options)
    for mine, each in [*zip(compiled, wanted), *zip(exported, wanted)]:
        assert (mine is None and each is None) or torch.allclose(mine, each, atol=1e-6)
    assert wanted[0].isfinite().all()
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=250)


# --- what it says no to -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"attn_mask": torch.zeros(TQ, TK, dtype=torch.int64)}, "attn_mask.*boolean.*int64"),
        ({"key_padding_mask": torch.zeros(B, TK, dtype=torch.uint8)}, "key_padding_mask.*boolean.*uint8"),
        ({"attn_mask": torch.zeros(TK, TQ, dtype=torch.bool)}, r"\[7, 5\]; expected \[5, 7\] or \[6, 5, 7\]"),
        ({"attn_mask": torch.zeros(B, TQ, TK, dtype=torch.bool)}, r"\[2, 5, 7\]; expected"),
        ({"attn_mask": torch.zeros(B, H, TQ, TK, dtype=torch.bool)}, "expected"),
        ({"key_padding_mask": torch.zeros(TK, B, dtype=torch.bool)}, r"\[7, 2\]; expected \[2, 7\]"),
        ({"key_padding_mask": torch.zeros(TK, dtype=torch.bool)}, r"\[7\]; expected \[2, 7\]"),
    ],
    ids=str,
)
def test_bad_masks_are_named(options: dict[str, Tensor], message: str) -> None:
    ours, theirs = pair()
    with pytest.raises(InputError, match=message):
        ours(*sequences(theirs), **options)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(TQ, B, 31), (TK, B, D), (TK, B, D)], r"`query` must have shape \[tokens, batch, 33\]; it has \[5, 2, 31\]"),
        ([(TQ, B, D), (TK, B, 13), (TK, B, D)], "`key` must have shape"),
        ([(TQ, B, D), (TK, D), (TK, D)], "`key` must have shape"),
        ([(1, TQ, B, D), (TK, B, D), (TK, B, D)], "`query` must have shape"),
        ([(TQ, D), (TK, D), (TK, 31)], r"`value` must have shape \[tokens, 33\]"),
        ([(TQ, B, D), (TK, B, D), (11, B, D)], "equally long"),
        ([(TQ, B, D), (TK, 3, D), (TK, 3, D)], "one batch"),
    ],
    ids=str,
)
def test_bad_shapes_are_named(shapes: list[tuple[int, ...]], message: str) -> None:
    ours, _ = pair()
    with pytest.raises(InputError, match=message):
        ours(*(torch.zeros(shape, dtype=torch.float64) for shape in shapes))


REFUSED: dict[str, tuple[list[tuple[int, ...]], dict[str, Tensor]]] = {
    "four axes": ([(1, 3, 4, 6), (3, 4, 6), (3, 4, 6)], {}),
    "a key alone": ([(3, 4, 6), (3, 6), (3, 4, 6)], {}),
    "a query alone": ([(3, 6), (3, 4, 6), (3, 4, 6)], {}),
    "width": ([(3, 4, 7)] * 3, {}),
    "lengths": ([(3, 4, 6), (3, 4, 6), (5, 4, 6)], {}),
    "padding of three axes": ([(3, 4, 6)] * 3, {"key_padding_mask": torch.zeros(1, 4, 3, dtype=torch.bool)}),
    "padding too long": ([(3, 4, 6)] * 3, {"key_padding_mask": torch.zeros(4, 5, dtype=torch.bool)}),
    "mask of four axes": ([(3, 4, 6)] * 3, {"attn_mask": torch.zeros(1, 1, 3, 3, dtype=torch.bool)}),
    "mask of two": ([(3, 4, 6)] * 3, {"attn_mask": torch.zeros(2, 3, dtype=torch.bool)}),
    "mask of three": ([(3, 4, 6)] * 3, {"attn_mask": torch.zeros(3, 3, 3, dtype=torch.bool)}),
    "mask of whole numbers": ([(3, 4, 6)] * 3, {"attn_mask": torch.zeros(3, 3, dtype=torch.int64)}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_torch_refuses_is_refused_with_an_error_of_the_same_kind(name: str) -> None:
    shapes, masks = REFUSED[name]
    given = [torch.zeros(shape) for shape in shapes]
    with pytest.raises((AssertionError, RuntimeError)) as theirs:
        nn.MultiheadAttention(6, 2)(*given, **masks)
    with pytest.raises(InputError) as ours:
        MultiheadAttention(6, 2)(*given, **masks)
    assert isinstance(ours.value, type(theirs.value))


def test_heads_that_do_not_divide_are_an_assertion_as_in_torch() -> None:
    for kind in (nn.MultiheadAttention, MultiheadAttention):
        with pytest.raises(AssertionError):
            kind(5, 2)
        with pytest.raises(ValueError, match="0"):
            kind(0, 2)


def test_a_bias_in_other_numbers_is_added_and_other_rows_are_named() -> None:
    """torch's own tests ask for the first; the second it leaves to its kernel."""
    ours, theirs = pair(dropout=0.0)
    for module in (ours, theirs):
        assert module.in_proj_bias is not None
        nn.init.normal_(module.in_proj_bias, generator=torch.Generator().manual_seed(0))
        module.in_proj_bias = nn.Parameter(module.in_proj_bias.half())
    rows = sequences(theirs)
    torch.testing.assert_close(ours(*rows)[0], theirs(*rows)[0], atol=1e-12, rtol=0)
    with pytest.raises(InputError, match=r"`query` is torch.float32, and the weights are torch.float64") as refused:
        ours(*(each.float() for each in rows))
    assert isinstance(refused.value, RuntimeError)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors is in prototype stage")
def test_nested_tensors_are_refused_with_the_way_out() -> None:
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(22, 2, 31, batch_first=True), 1).eval()
    encoder.layers[0].self_attn = MultiheadAttention.from_torch(encoder.layers[0].self_attn)
    padding = torch.tensor([[False] * TK, [False] * 3 + [True] * (TK - 3)])
    with torch.no_grad():
        with pytest.raises(InputError, match="use_nested_tensor = False"):
            encoder(torch.randn(B, TK, 22), src_key_padding_mask=padding)
        encoder.use_nested_tensor = False
        assert encoder(torch.randn(B, TK, 22), src_key_padding_mask=padding).isfinite().all()


@pytest.mark.parametrize("sizes", [(33, 2), (0, 1), (33, 0), (-3, 3)])
def test_widths_that_do_not_divide(sizes: tuple[int, int]) -> None:
    with pytest.raises(InputError, match=f"{sizes[0]} cannot be divided evenly among {sizes[1]} heads"):
        MultiheadAttention(*sizes)


# --- seen through -----------------------------------------------------------------------------------------------


def test_its_stages_are_those_of_attention() -> None:
    ours, theirs = pair(batch_first=True)
    attention = Attention(D, H).double()
    linears = (attention.query, attention.key, attention.value)
    with torch.no_grad():
        for linear, weight, bias in zip(
            linears, theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True
        ):
            linear.weight.copy_(weight)
            linear.bias.copy_(bias)
    attention.output.load_state_dict(theirs.out_proj.state_dict())
    x, context, mask = torch.randn(B, TQ, D).double(), torch.randn(B, TK, D).double(), some(TQ, TK)
    for inputs, options in (((x,), {}), ((x, context), {"mask": mask})):
        blocked = {"attn_mask": ~options["mask"]} if options else {}
        answer, wanted = record(attention, *inputs, **options)
        source = inputs[-1]
        (output, _), trace = record(ours, x, source, source, **blocked)
        assert list(trace) == list(wanted)
        torch.testing.assert_close(output, answer, rtol=0, atol=1e-12)
        for address in trace:
            assert trace.entry(address).how == wanted.entry(address).how
            torch.testing.assert_close(trace[address], wanted[address], rtol=0, atol=1e-12, equal_nan=False)


@pytest.mark.parametrize("kind", ["none", "per head, padding", "−∞, padding −∞", "added and −∞", "padding added"])
@pytest.mark.parametrize(
    "options",
    [{}, {"kdim": 13}, {"add_bias_kv": True}, {"add_zero_attn": True, "bias": False}, {"dropout": 0.4}],
    ids=str,
)
def test_every_shown_number_can_be_explained(options: dict[str, Any], kind: str) -> None:
    ours, theirs = pair(**options)
    query, key, value = sequences(theirs)
    _, trace = record(ours, query, key, key if ours.kdim == ours.vdim else value, **masks(torch.float64)[kind])
    for address in trace:
        values = trace[address]
        for place in range(0, values.size, max(1, values.size // 3)):
            index = tuple(int(i) for i in torch.unravel_index(torch.tensor(place), values.shape))
            explanation = trace.explain(address, index)
            assert explanation.result == pytest.approx(float(values[index]), rel=1e-9, abs=1e-12)
    operations = {address: trace.explain(address, (0,) * trace[address].ndim).operation for address in trace}
    extended = ours.bias_k is not None or ours.add_zero_attn
    assert operations["queries"] == "project to heads"
    assert operations["keys"] == ("given" if extended else "project to heads")
    assert operations["values"] == ("given" if extended or ours.kdim != ours.vdim else "project to heads")
    assert operations["scores"] == "dot"
    assert operations["mixed"] == "mix"
    assert ("bias" in trace) == ("added" in kind)  # −∞ and 0 are a mask, not numbers to add


def test_writing_the_weights_changes_what_follows_and_what_is_returned() -> None:
    ours, theirs = pair()
    inputs = sequences(theirs)
    even = torch.full((B, H, TQ, TK), 1 / TK, dtype=torch.float64)
    (output, weights), trace = record(ours, *inputs, write={"weights": even})
    assert torch.equal(weights, even.mean(1))
    joined = torch.from_numpy(trace["values"]).mean(2).flatten(1)  # B D
    torch.testing.assert_close(output, ours.out_proj(joined).expand(TQ, B, D), rtol=0, atol=1e-12)
