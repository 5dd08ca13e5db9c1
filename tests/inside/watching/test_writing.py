"""Writing in a model that is not ours: what follows from a change is what hooks and hands come to without us."""

from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import transformers as hf
from helpers.watched_models import FUNCTIONS, NanoGPT, Plain, fused_encoder
from helpers.watching import draw, inputs
from torch import Tensor, nn

import glassformer as gf

hf.logging.set_verbosity_error()
IDS = torch.tensor([[3, 14, 15, 9, 26, 5, 30], [8, 9, 7, 9, 3, 23, 8]])


def gpt2(how: str = "eager") -> Any:
    torch.manual_seed(1)
    config = hf.GPT2Config(n_embd=15, n_layer=3, n_head=3, n_positions=11, vocab_size=31, initializer_range=0.4)
    model = hf.GPT2LMHeadModel(config).eval()
    model.set_attn_implementation(how)
    return model


def bert(how: str = "eager") -> Any:
    torch.manual_seed(2)
    sizes = {"hidden_size": 15, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20}
    model = hf.BertForMaskedLM(hf.BertConfig(**sizes, vocab_size=31, initializer_range=0.4)).eval()
    model.set_attn_implementation(how)
    return model


def without_head_1(mixed: Tensor) -> Tensor:
    mixed[:, 1] = 0.0
    return mixed


def with_hook(module: nn.Module, hook: Any, model: nn.Module, *args: Any) -> Any:
    """The model's answer with a hook before a module: how others switch a head off."""
    handle = module.register_forward_pre_hook(hook)
    try:
        return model(*args)
    finally:
        handle.remove()


def zeroed(_module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Head 1 of three, 5 columns each, is zeros before the output projection."""
    rows = given[0].clone()
    rows[..., 5:10] = 0.0
    return (rows, *given[1:])


# --- heads and weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["eager", "sdpa"])
@pytest.mark.parametrize("stage", ["mixed", "weights"])
def test_a_head_of_gpt2_is_switched_off(how: str, stage: str) -> None:
    model = gpt2(how)
    with torch.no_grad():
        wanted = with_hook(model.transformer.h[1].attn.c_proj, zeroed, model, IDS).logits
        alone = model(IDS).logits
        seen = gf.watch(model).run(IDS, write={f"transformer.h.1.attn.{stage}": without_head_1})
    torch.testing.assert_close(seen.answer.logits, wanted, rtol=0, atol=2e-5)
    assert seen.before is not None
    assert torch.equal(seen.before.answer.logits, alone)
    assert not torch.allclose(alone, wanted, atol=0.05)
    assert torch.equal(model(IDS).logits.detach(), alone) or torch.allclose(model(IDS).logits, alone, atol=1e-5)
    assert seen.verdict == "all seen"
    assert seen.calls[1].written == (stage,)
    assert f"Written: {stage}. Before that" in seen.sentences[1]
    assert not seen.trace["transformer.h.1.attn.mixed"][:, 1].any()


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_a_head_of_bert_is_switched_off(how: str) -> None:
    model = bert(how)
    with torch.no_grad():
        wanted = with_hook(model.bert.encoder.layer[0].attention.output.dense, zeroed, model, IDS).logits
        seen = gf.watch(model).run(IDS, write={"bert.encoder.layer.0.attention.self.mixed": without_head_1})
    torch.testing.assert_close(seen.answer.logits, wanted, rtol=0, atol=2e-5)


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_weights_that_are_set_are_mixed_with(how: str) -> None:
    model = gpt2(how)
    attention = model.transformer.h[0].attn

    def means(_module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        rows = attention.c_attn(model.transformer.h[0].ln_1(hidden[0]))[..., 30:]
        return (rows.mean(1, keepdim=True).repeat(1, 7, 1), *given[1:])

    hidden: list[Tensor] = []
    handle = model.transformer.h[0].register_forward_pre_hook(lambda _, given: hidden.insert(0, given[0]))
    with torch.no_grad():
        wanted = with_hook(attention.c_proj, means, model, IDS).logits
        handle.remove()
        uniform = np.full((2, 3, 7, 7), 1 / 7)
        seen = gf.watch(model).run(IDS, write={"transformer.h.0.attn.weights": uniform})
    torch.testing.assert_close(seen.answer.logits, wanted, rtol=0, atol=2e-5)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_what_heads_came_to_is_written_in_every_spelling(function: Any) -> None:
    model = Plain(function).eval()
    seen = gf.watch(model).run(*inputs(), write={"mixed": lambda mixed: 2 * mixed})
    assert seen.before is not None
    assert seen.answer.shape == seen.before.answer.shape
    torch.testing.assert_close(seen.answer, 2 * seen.before.answer, rtol=0, atol=1e-5)


def test_an_output_that_is_handed_in_is_written_too() -> None:
    def into(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        out = torch.zeros(2, 3, 5, 4)
        torch.matmul((q @ k.mT).softmax(-1), v, out=out)
        return out

    seen = gf.watch(Plain(into).eval()).run(*inputs(), write={"mixed": torch.zeros_like})
    assert not seen.answer.any()


def test_weights_that_are_used_twice_are_written_twice() -> None:
    def twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        weights = (q @ k.mT).softmax(-1)
        return weights @ v + weights @ v.square()

    seen = gf.watch(Plain(twice).eval()).run(*inputs(), write={"weights": torch.zeros_like})
    assert [call.written for call in seen.calls] == [("weights",), ("weights",)]
    assert not seen.answer.any()


# --- torch's own modules ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gradients", [True, False])
def test_a_head_of_torchs_encoder_is_switched_off(gradients: bool) -> None:
    """A second encoder is told by its weights: without the columns that read head 1."""
    model, x = fused_encoder(), draw(2, 7, 12)
    other = fused_encoder()
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        other.layers[1].self_attn.out_proj.weight[:, 6:] = 0.0  # type: ignore[union-attr, index]
    with torch.set_grad_enabled(gradients):
        seen = gf.watch(model).run(x, write={"layers.1.self_attn.mixed": without_head_1})
        torch.testing.assert_close(seen.answer, other(x), rtol=0, atol=5e-6)
    assert seen.before is not None
    assert not torch.allclose(seen.answer, seen.before.answer, atol=1e-3)


@pytest.mark.parametrize("averaged", [True, False])
def test_the_weights_that_multihead_attention_tells_are_the_written_ones(averaged: bool) -> None:
    class Tells(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = nn.MultiheadAttention(12, 3, batch_first=True)

        def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
            return self.attention(x, x, x, average_attn_weights=averaged)  # type: ignore[no-any-return]

    uniform = torch.full((2, 3, 7, 7), 1 / 7)
    seen = gf.watch(Tells().eval()).run(draw(2, 7, 12), write={"attention.weights": uniform})
    torch.testing.assert_close(seen.answer[1], torch.full_like(seen.answer[1], 1 / 7))


# --- from another run ---------------------------------------------------------------------------------------------


def test_activations_are_patched_from_another_text() -> None:
    model, address = gpt2("sdpa"), "transformer.h.1.module_output"
    with torch.no_grad():
        other = gf.watch(model, keep=[address]).run(IDS.flip(1))
        assert list(other.trace) == [address]
        seen = gf.watch(model).run(IDS, write={address: other.trace[address]})
        torch.testing.assert_close(seen.answer.logits, model(IDS.flip(1)).logits, rtol=0, atol=1e-5)
    assert seen.trace.entry(address).written
    assert seen.verdict == "all seen"


def test_a_cache_is_the_same_for_both_passes() -> None:
    model = gpt2("eager")
    with torch.no_grad():
        first = model(IDS[:, :4], use_cache=True)
        wanted = model(IDS).logits[:, 4:]
        seen = gf.watch(model).run(
            IDS[:, 4:], past_key_values=first.past_key_values, write={"transformer.h.0.attn.weights": lambda w: w * 1}
        )
    assert seen.before is not None
    torch.testing.assert_close(seen.answer.logits, wanted, rtol=0, atol=2e-5)
    torch.testing.assert_close(seen.before.answer.logits, wanted, rtol=0, atol=2e-5)


# --- refused ------------------------------------------------------------------------------------------------------


def test_a_wrong_address_is_refused_with_the_nearest() -> None:
    with pytest.raises(gf.InputError, match=r"No stage 'transformer\.h\.0\.attn\.wieghts'.*did you mean"):
        gf.watch(NanoGPT().eval()).run(draw(2, 7, 15), write={"transformer.h.0.attn.wieghts": torch.zeros(1)})


def test_a_wrong_shape_and_an_error_in_a_change_are_the_callers() -> None:
    watch = gf.watch(NanoGPT().eval())
    with pytest.raises(gf.InputError, match=r"is \[2, 3, 7, 7\] of torch\.float32; what was written there is \[1\]"):
        watch.run(draw(2, 7, 15), write={"transformer.h.0.attn.weights": torch.zeros(1)})
    with pytest.raises(ZeroDivisionError):
        watch.run(draw(2, 7, 15), write={"transformer.h.0.attn.weights": lambda weights: weights * (1 // 0)})


def test_no_writing_while_training() -> None:
    with pytest.raises(gf.InputError, match=r"call model\.eval\(\) before you write"):
        gf.watch(NanoGPT().train()).run(draw(2, 7, 15), write={"transformer.h.0.attn.weights": torch.zeros(1)})


def test_what_was_not_rebuilt_as_the_model_has_it_is_not_written() -> None:
    def dropping(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)

    with pytest.raises(gf.InputError, match="was not rebuilt as the model has it"):
        gf.watch(Plain(dropping).eval()).run(*inputs(), write={"weights": torch.zeros_like})
