"""Layers: each against somebody else's implementation of it, and what they refuse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers import shapes
from helpers.variants import shaken
from jaxtyping import TypeCheckError
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.layers.attention import Attention, attend, causal_mask, padding_mask
from glassformer.layers.blocks import (
    ACTIVATIONS,
    Block,
    FeedForward,
    Gated,
    LayerNorm,
    RMSNorm,
    block,
    decoder_block,
    encoder_block,
    norm_of,
)
from glassformer.layers.cache import BlockCache
from glassformer.stages.watchers import Watcher, nothing


def explicit(name: str, value: Tensor, how: str = "") -> Tensor:
    """A watcher that rewrites every stage with a copy, so that nothing comes from a kernel."""
    return value.clone()


# --- norms ------------------------------------------------------------------------------------------------------


def test_a_layer_norm_by_hand() -> None:
    rows = torch.tensor([[[1.0, 3.0]]], dtype=torch.float64)
    normed = LayerNorm(2, epsilon=0.0).double()(rows)
    assert normed.tolist() == [[[-1.0, 1.0]]]


def test_an_rms_norm_by_hand() -> None:
    rows = torch.tensor([[[1.0, 7.0]]], dtype=torch.float64)
    torch.testing.assert_close(RMSNorm(2, epsilon=0.0).double()(rows), rows / 5)


def test_a_norm_has_its_own_epsilon_unless_another_is_given() -> None:
    assert [norm_of("layer")(3).epsilon, norm_of("rms")(3).epsilon] == [1e-5, 1e-6]
    assert norm_of("layer", 1e-12)(3).epsilon == 1e-12
    row = torch.tensor([[3.0, 4.0]])  # mean square 12.5
    torch.testing.assert_close(norm_of("rms", 0.5)(2)(row), row / 13.0**0.5)


def test_queries_keys_and_values_may_be_all_that_has_a_bias() -> None:
    names = [name for name, _ in block(6, 2, 11, bias=False, qkv_bias=True).named_parameters() if "bias" in name]
    own = [name for name in names if "norm" not in name]
    assert own == [f"attention.layer.{name}.bias" for name in ("query", "key", "value")]


@pytest.mark.parametrize("see", [nothing, explicit])
@pytest.mark.parametrize("bias", [True, False])
def test_layer_norm_is_torchs(see: Watcher, bias: bool) -> None:
    ours, theirs = LayerNorm(7, epsilon=1e-3, bias=bias), nn.LayerNorm(7, eps=1e-3, bias=bias)
    shaken(ours)
    theirs.load_state_dict(ours.state_dict())
    rows = torch.randn(2, 3, 5, 7)
    torch.testing.assert_close(ours(rows, see=see), theirs(rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("see", [nothing, explicit])
def test_rms_norm_is_torchs(see: Watcher) -> None:
    ours, theirs = RMSNorm(7, epsilon=1e-3), nn.RMSNorm(7, eps=1e-3)
    shaken(ours)
    theirs.load_state_dict(ours.state_dict())
    rows = torch.randn(2, 3, 5, 7)
    torch.testing.assert_close(ours(rows, see=see), theirs(rows), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("norm", [LayerNorm, RMSNorm])
def test_the_gradients_of_norms_are_right(norm: type[nn.Module]) -> None:
    module = norm(5).double()
    rows = torch.randn(2, 3, 5, dtype=torch.float64, requires_grad=True)
    for see in (nothing, explicit):
        assert torch.autograd.gradcheck(lambda x, see=see: module(x, see=see), rows)


# --- feed-forward -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("activation", "bend"), [("relu", nn.ReLU()), ("gelu", nn.GELU()), ("tanh gelu", nn.GELU("tanh"))]
)
def test_a_convolution_of_kernel_size_1_is_the_feed_forward_network(activation: str, bend: nn.Module) -> None:
    ours = FeedForward(6, 11, activation=activation)
    widen, narrow = nn.Conv1d(6, 11, kernel_size=1), nn.Conv1d(11, 6, kernel_size=1)
    for convolution, linear in ((widen, ours.expand), (narrow, ours.contract)):
        convolution.weight.data, convolution.bias.data = linear.weight.data[:, :, None], linear.bias.data
    x = torch.randn(2, 5, 6)
    convolved = narrow(bend(widen(x.transpose(1, 2)))).transpose(1, 2)
    torch.testing.assert_close(ours(x), convolved, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("activation", "bend"),
    [
        ("swiglu", lambda gate: gate / (1 + torch.exp(-gate))),
        ("geglu", lambda gate: gate * (1 + torch.erf(gate / 2**0.5)) / 2),
        ("reglu", lambda gate: (gate + gate.abs()) / 2),
    ],
)
def test_a_gated_activation_by_hand(activation: str, bend: Callable[[Tensor], Tensor]) -> None:
    module, x = FeedForward(6, 11, activation=activation), torch.randn(2, 5, 6)
    assert module.gate is not None
    torch.testing.assert_close(module(x), module.contract(bend(module.gate(x)) * module.expand(x)))


def test_a_gate_is_told_by_the_table_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added from outside has its second matrix."""
    monkeypatch.setattr(ACTIVATIONS, "data", dict(ACTIVATIONS.data))
    ACTIVATIONS.add("bilinear", Gated(lambda gate: gate))
    module, x = FeedForward(6, 11, activation="bilinear"), torch.randn(2, 5, 6)
    assert module.gate is not None
    torch.testing.assert_close(module(x), module.contract(module.gate(x) * module.expand(x)))


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_gradients_of_feed_forward_are_right(activation: str) -> None:
    module = FeedForward(3, 5, activation=activation).double()
    assert torch.autograd.gradcheck(module, torch.randn(2, 3, 3, dtype=torch.float64, requires_grad=True))


@pytest.mark.parametrize(
    ("word", "message"), [("rellu", "'rellu'; did you mean 'relu'"), ("xyz", "'xyz'; known: geglu, gelu, reglu, relu,")]
)
def test_an_unknown_activation_is_refused_and_the_nearest_named(word: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        FeedForward(6, 11, activation=word)


# --- blocks against torch's -------------------------------------------------------------------------------------


def copy_attention(theirs: nn.MultiheadAttention, ours: Attention) -> None:
    weights, biases = theirs.in_proj_weight.data.chunk(3), theirs.in_proj_bias.data.chunk(3)
    for linear, weight, bias in zip((ours.query, ours.key, ours.value), weights, biases, strict=True):
        assert linear is not None
        linear.weight.data, linear.bias.data = weight, bias
    assert ours.output is not None
    ours.output.load_state_dict(theirs.out_proj.state_dict())


def copy_block(theirs: Any, ours: Any) -> None:
    """The weights of torch's encoder or decoder layer, put into ours."""
    norms = [theirs.norm1, theirs.norm2]
    sublayers: list[Any] = [ours.attention, ours.feed_forward]
    copy_attention(theirs.self_attn, ours.attention.layer)
    if ours.cross is not None:
        norms.append(theirs.norm3)
        sublayers.insert(1, ours.cross)
        copy_attention(theirs.multihead_attn, ours.cross.layer)
    for sublayer, norm in zip(sublayers, norms, strict=True):
        sublayer.norm.load_state_dict(norm.state_dict())
    ours.feed_forward.layer.expand.load_state_dict(theirs.linear1.state_dict())
    ours.feed_forward.layer.contract.load_state_dict(theirs.linear2.state_dict())


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_an_encoder_block_is_torchs_encoder_layer(norm_first: bool, activation: str) -> None:
    theirs = nn.TransformerEncoderLayer(
        6, 2, 11, dropout=0.0, activation=activation, norm_first=norm_first, batch_first=True
    )
    shaken(theirs)
    ours = encoder_block(6, 2, 11, norm_first=norm_first, activation=activation)
    copy_block(theirs, ours)
    x, real = torch.randn(3, 5, 6), torch.arange(5) < torch.tensor([[5], [3], [1]])
    wanted = theirs(x, src_key_padding_mask=~real)
    for see in (nothing, explicit):
        torch.testing.assert_close(ours(x, mask=padding_mask(real), see=see), wanted, rtol=5e-6, atol=5e-6)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_decoder_block_is_torchs_decoder_layer(norm_first: bool, activation: str) -> None:
    theirs = nn.TransformerDecoderLayer(
        6, 2, 11, dropout=0.0, activation=activation, norm_first=norm_first, batch_first=True
    )
    shaken(theirs)
    ours = decoder_block(6, 2, 11, norm_first=norm_first, activation=activation)
    copy_block(theirs, ours)
    x, context, real = torch.randn(3, 5, 6), torch.randn(3, 7, 6), torch.arange(7) < torch.tensor([[7], [3], [1]])
    wanted = theirs(x, context, tgt_mask=~causal_mask(5, 5), memory_key_padding_mask=~real)
    for see in (nothing, explicit):
        answer = ours(x, context, context_mask=padding_mask(real), see=see)
        torch.testing.assert_close(answer, wanted, rtol=5e-6, atol=5e-6)


def test_dropout_is_drawn_only_while_training() -> None:
    module, x = block(6, 2, 11, dropout=0.5), torch.randn(2, 5, 6)
    assert not torch.equal(module(x), module(x))
    module.eval()
    assert torch.equal(module(x), module(x))


# --- what blocks refuse -----------------------------------------------------------------------------------------


def test_a_context_where_nobody_reads_it_is_refused() -> None:
    x = torch.randn(2, 5, 6)
    with pytest.raises(InputError, match="without it takes none"):
        encoder_block(6, 2, 11)(x, x)
    with pytest.raises(InputError, match="needs a `context`"):
        decoder_block(6, 2, 11)(x, cache=BlockCache())


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(InputError, match="width of 7 cannot be divided evenly among 2 heads"):
        block(7, 2, 11)


def test_a_block_names_the_width_it_wants() -> None:
    with pytest.raises(InputError, match=r"\[batch, tokens, 6\]; it has \[2, 5, 7\]"):
        Block(encoder_block(6, 2, 11, norm_first=False).attention, encoder_block(6, 2, 11).feed_forward)(
            torch.randn(2, 5, 7)
        )


def test_attend_by_itself_is_what_a_block_runs() -> None:
    module, x = Attention(6, 2, learned=""), torch.randn(2, 5, 6)
    rows = x.view(2, 5, 2, 3).transpose(1, 2)
    assert torch.equal(module(x), attend(rows, rows, rows).transpose(1, 2).flatten(2))


def test_shapes_are_checked_in_every_call_here_and_elsewhere_in_the_first_of_a_test() -> None:
    network, rows = FeedForward(3, 5), torch.ones(1, 2, 3)
    for _ in range(shapes.FIRST_CALLS):  # two checks each: of what is given, and of what is given back
        network(rows)
    with pytest.raises(TypeCheckError, match="B T D"):
        network(rows[0])
    shapes.begin_test(Path("tests", "runs", "test_run.py"))
    with pytest.raises(TypeCheckError, match="B T D"):
        network(rows[0])
    for _ in range(shapes.FIRST_CALLS):
        network(rows)
    assert torch.equal(network(rows[0]), network(rows)[0])
