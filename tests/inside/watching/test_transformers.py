"""Watching the models of Hugging Face's `transformers`, with random weights: nothing is downloaded.

Each runs with the attention they write by hand ("eager") and with torch's kernel ("sdpa"). Their own
`output_attentions` is the independent witness of the weights.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch
import transformers as hf
from torch import Tensor, nn

import glassformer as gf
from glassformer.inside.watching.seen import Seen

hf.logging.set_verbosity_error()

LENGTH, TARGET_LENGTH = 7, 5
_SPECIAL = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
_WORDS = {"vocab_size": 31, **_SPECIAL}


def _gpt2() -> nn.Module:
    return hf.GPT2LMHeadModel(hf.GPT2Config(n_embd=15, n_layer=2, n_head=3, n_positions=11, **_WORDS))


def _bert() -> nn.Module:
    sizes = {"hidden_size": 15, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 20}
    return hf.BertModel(hf.BertConfig(**sizes, max_position_embeddings=11, **_WORDS))


def _llama() -> nn.Module:
    heads = {"num_attention_heads": 6, "num_key_value_heads": 2}
    return hf.LlamaForCausalLM(
        hf.LlamaConfig(hidden_size=24, num_hidden_layers=2, intermediate_size=20, **heads, **_WORDS)
    )


def _t5() -> nn.Module:
    sizes = {"d_model": 15, "d_kv": 4, "num_layers": 2, "num_heads": 3, "d_ff": 20}
    return hf.T5ForConditionalGeneration(hf.T5Config(**sizes, decoder_start_token_id=0, **_WORDS))


def _marian() -> nn.Module:
    heads = {"encoder_attention_heads": 3, "decoder_attention_heads": 3, "encoder_ffn_dim": 20, "decoder_ffn_dim": 20}
    sizes = {"d_model": 15, "encoder_layers": 2, "decoder_layers": 2, "max_position_embeddings": 11}
    return hf.MarianMTModel(hf.MarianConfig(**sizes, **heads, decoder_start_token_id=0, **_WORDS))


MAKERS: dict[str, Callable[[], nn.Module]] = {
    "gpt2": _gpt2, "bert": _bert, "llama": _llama, "t5": _t5, "marian": _marian,
}  # fmt: skip
_TWO = ("encoder", "decoder")
PATHS = {
    "gpt2": [f"transformer.h.{i}.attn" for i in range(2)],
    "bert": [f"encoder.layer.{i}.attention.self" for i in range(2)],
    "llama": [f"model.layers.{i}.self_attn" for i in range(2)],
    "t5": [
        *(f"encoder.block.{i}.layer.0.SelfAttention" for i in range(2)),
        *(f"decoder.block.{i}.layer.{end}" for i in range(2) for end in ("0.SelfAttention", "1.EncDecAttention")),
    ],
    "marian": [
        *(f"model.encoder.layers.{i}.self_attn" for i in range(2)),
        *(f"model.decoder.layers.{i}.{end}" for i in range(2) for end in ("self_attn", "encoder_attn")),
    ],
}


@cache
def model(name: str) -> Any:
    torch.manual_seed(5)
    made = MAKERS[name]()
    with torch.no_grad():  # larger weights than they begin with, so that no two keys are alike
        for weight in made.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return made.eval()


def batch(name: str, padded: str = "right") -> dict[str, Tensor]:
    """Two texts, the second with two tokens of padding at one end."""
    generator = torch.Generator().manual_seed(6)
    ids = torch.randint(3, 31, (2, LENGTH), generator=generator)
    real = torch.ones(2, LENGTH, dtype=torch.long)
    if padded:
        real[1, (slice(-2, None) if padded == "right" else slice(2))] = 0
    given = {"input_ids": ids, "attention_mask": real}
    if name in ("t5", "marian"):
        given["decoder_input_ids"] = torch.randint(3, 31, (2, TARGET_LENGTH), generator=generator)
    return given


def watched(name: str, how: str, **given: Any) -> tuple[Seen, Any]:
    """Watches a run, and holds that it gives the very bits of an unwatched one."""
    model(name).set_attn_implementation(how)
    with torch.no_grad():
        alone = model(name)(**given)
        seen = gf.watch(model(name)).run(**given)
    assert torch.equal(alone[0], seen.answer[0])
    return seen, alone


@pytest.mark.parametrize("padded", ["", "right", "left"])
@pytest.mark.parametrize("how", ["eager", "sdpa"])
@pytest.mark.parametrize("name", MAKERS)
def test_every_attention_is_found_and_rebuilt(name: str, how: str, padded: str) -> None:
    seen, _ = watched(name, how, **batch(name, padded))
    assert seen.honest, seen.sentences
    assert [call.path for call in seen.calls] == PATHS[name]
    assert {call.kind for call in seen.calls} == {"sdpa" if how == "sdpa" else "softmax"}
    assert max(call.rebuilt_error or 0.0 for call in seen.calls) < 2e-5


@pytest.mark.parametrize("name", MAKERS)
def test_the_weights_are_those_the_model_itself_tells(name: str) -> None:
    given = batch(name)
    seen, answer = watched(name, "eager", **given, output_attentions=True)
    if name in ("t5", "marian"):
        both = zip(answer.decoder_attentions, answer.cross_attentions, strict=True)
        told = [*answer.encoder_attentions, *(weights for pair in both for weights in pair)]
    else:
        told = list(answer.attentions)
    for path, weights in zip(PATHS[name], told, strict=True):
        np.testing.assert_allclose(seen.trace[f"{path}.weights"], weights, atol=1e-6)


@pytest.mark.parametrize("how", ["eager", "sdpa"])
@pytest.mark.parametrize("name", MAKERS)
def test_any_number_is_explained(name: str, how: str) -> None:
    seen, _ = watched(name, how, **batch(name))
    for stage in ("scores", "scaled", "weights", "mixed"):
        why = seen.trace.explain(f"{PATHS[name][-1]}.{stage}", (1, 2, 3, 2))
        assert why.operation in ("dot", "scale", "softmax", "mix")
        assert why.result == pytest.approx(why.number, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("how", ["eager", "sdpa"])
def test_what_is_special_about_each(how: str) -> None:
    llama, _ = watched("llama", how, **batch("llama", ""))
    assert llama.calls[0].shapes["keys"] == (2, 2, LENGTH, 4)  # two sets of keys for six heads
    assert llama.calls[0].shapes["queries"] == (2, 6, LENGTH, 4)
    assert all(call.causal for call in llama.calls)
    t5, _ = watched("t5", how, **batch("t5"))
    assert [call.scale for call in t5.calls] == [1.0] * 6  # T5 does not scale, and adds a number for distance
    assert [call.biased for call in t5.calls] == [True, True, True, False, True, False]
    marian, _ = watched("marian", how, **batch("marian"))
    assert [call.causal for call in marian.calls] == [False, False, True, False, True, False]
    cross = f"{PATHS['marian'][3]}.weights"
    assert marian.trace[cross].shape == (2, 3, TARGET_LENGTH, LENGTH)
    assert not marian.trace[cross][1, ..., -2:].any()  # padding is not looked at
    bert, _ = watched("bert", how, **batch("bert"))
    assert all(call.masked and not call.causal for call in bert.calls)


def test_writing_a_text_gives_every_step_an_address() -> None:
    gpt = model("gpt2")
    gpt.set_attn_implementation("sdpa")
    ids = batch("gpt2", "")["input_ids"][:1]
    options = {"max_new_tokens": 3, "do_sample": False, "attention_mask": torch.ones_like(ids)}
    with gf.watch(gpt) as seen:
        written = gpt.generate(ids, **options)
    assert torch.equal(written, gpt.generate(ids, **options))
    assert seen.honest
    lengths = [call.shapes["weights"][-2:] for call in seen.calls if call.path == PATHS["gpt2"][0]]
    assert lengths == [(7, 7), (1, 8), (1, 9)]  # the cache: one new query, all keys so far
    assert f"{PATHS['gpt2'][0]}@3.weights" in seen.trace
