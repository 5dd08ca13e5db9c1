"""Configs of GPT-2, Llama, Qwen and Apertus: told and read back, and what is not known is refused."""

from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.causal import PLAIN, theirs
from glassformer.exchange.layouts.layout import Layout
from glassformer.exchange.layouts.table import LAYOUTS
from glassformer.models.registry import configure

SIZES = {"vocabulary": 29, "width": 12, "layers": 2, "heads": 3, "hidden": 13, "length": 23, "epsilon": 1e-4}


@pytest.mark.parametrize(
    ("name", "model", "settings"),
    [
        ("GPT2LMHeadModel", "gpt", {"activation": "relu", "tied": False}),
        ("LlamaForCausalLM", "modern", {"query_key_norm": False, "bias": True, "key_width": 6, "kv_heads": 1}),
        ("Qwen2ForCausalLM", "modern", {"query_key_norm": False, "qkv_bias": True, "key_width": 4}),
        ("Qwen3ForCausalLM", "modern", {"key_width": 6, "rotary_base": 500, "activation": "geglu"}),
        ("ApertusForCausalLM", "modern", {"key_width": 4, "activation": "squared relu"}),
    ],
)
def test_what_is_told_is_read_back(name: str, model: str, settings: dict[str, Any]) -> None:
    config = configure(model, **SIZES, **settings)
    said = ForeignConfig(LAYOUTS[name].told(config))
    found = LAYOUTS[name].read(said)
    said.done()
    assert found.model == model
    again = configure(model, **found.settings)
    unlike = {each for each in vars(config) if getattr(config, each) != getattr(again, each)}
    assert unlike <= {"dropout", "attention_dropout"}


QWEN3 = {
    "model_type": "qwen3", "vocab_size": 29, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 13,
    "num_hidden_layers": 2, "max_position_embeddings": 23, "head_dim": 4,
}  # fmt: skip


def read_whole(layout: Layout, said: ForeignConfig) -> None:
    layout.read(said)
    said.done()


@pytest.mark.parametrize("name", ["Qwen3ForCausalLM", "GPT2LMHeadModel"])
def test_a_decoder_may_call_itself_one(name: str) -> None:
    whole: dict[str, Any] = (
        {**QWEN3, "is_decoder": True} if name[0] == "Q" else {"model_type": "gpt2", "is_decoder": True}
    )
    read_whole(LAYOUTS[name], ForeignConfig(whole))
    crossed = ForeignConfig({**whole, "add_cross_attention": True})
    with pytest.raises(InputError, match="`add_cross_attention` is True"):
        read_whole(LAYOUTS[name], crossed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rope_scaling": {"rope_type": "yarn", "factor": 8.0}}, "in the way 'yarn'"),
        ({"rope_parameters": {"rope_type": "default", "rope_theta": 5.5}}, "must be a whole number"),
        ({"rope_parameters": {"factor": 2.0}}, "`factor`"),
        ({"use_sliding_window": True, "sliding_window": 22}, "`sliding_window` is 22; only null, or all 23"),
        ({"use_sliding_window": True, "max_position_embeddings": 4099}, "is not said, by which is meant 4,096"),
        ({"use_mrope": True}, "only false"),
        ({"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 5}, "`sliding_window` is 5"),
        ({"layer_types": ["full_attention", "chunked_attention"]}, "'chunked_attention'"),
        ({"attention_bias": True}, "`attention_bias` is true"),
        ({"num_attention_heads": 0}, "cannot be shared out"),
        ({"hidden_act": "xielu"}, "'xielu'; silu or swish or gelu or relu can be taken in"),
        ({"quantization_config": {"bits": 4}}, "`quantization_config`"),
    ],
)
def test_what_is_not_known_is_refused(changes: dict[str, Any], message: str) -> None:
    def read(content: dict[str, Any]) -> None:
        said = ForeignConfig(content)
        LAYOUTS["Qwen3ForCausalLM"].read(said)
        said.done()

    read(QWEN3)  # without them it is taken in
    with pytest.raises(InputError, match=message):
        read({**QWEN3, **changes})


def test_the_first_word_that_means_it() -> None:
    assert theirs(PLAIN, "tanh gelu") == "gelu_new"


def test_what_is_not_said_is_what_transformers_takes() -> None:
    assert LAYOUTS["Qwen3ForCausalLM"].read(ForeignConfig(QWEN3)).settings["kv_heads"] == 32  # which do not fit
    llama = {**QWEN3, "model_type": "llama"}
    assert LAYOUTS["LlamaForCausalLM"].read(ForeignConfig(llama)).settings["kv_heads"] == 0
    apertus = {**QWEN3, "model_type": "apertus", "hidden_act": "relu2", "rope_theta": 100.0}
    with pytest.raises(InputError, match="does not say `rope_type`"):  # it would be stretched
        LAYOUTS["ApertusForCausalLM"].read(ForeignConfig(apertus))
    whole = {**apertus, "rope_parameters": {"rope_type": "default", "rope_theta": 500.0}}
    found = LAYOUTS["ApertusForCausalLM"].read(ForeignConfig(whole)).settings
    assert (found["rotary_base"], found["epsilon"]) == (500, 1e-5)


LONG = {
    "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}  # fmt: skip


@pytest.mark.parametrize(
    ("told", "stretch"),
    [(LONG, "llama3 8 1 4 32"), ({"type": "linear", "factor": 2.5}, "linear 2.5"), ({"rope_type": "default"}, "")],
)
def test_a_rotation_that_is_stretched_comes_in_and_goes_out(told: dict[str, Any], stretch: str) -> None:
    llama = {**QWEN3, "model_type": "llama", "rope_scaling": told}
    read = LAYOUTS["LlamaForCausalLM"].read(ForeignConfig(llama)).settings
    assert read["rotary_stretch"] == stretch
    config = configure("modern", **{**read, "kv_heads": 0, "key_width": 0})
    out = LAYOUTS["LlamaForCausalLM"].told(config)["rope_parameters"]
    wanted = {("rope_type" if key == "type" else key): value for key, value in told.items()}
    assert {key: value for key, value in out.items() if key != "rope_theta"} == wanted
    with pytest.raises(InputError, match="in two ways"):
        LAYOUTS["LlamaForCausalLM"].read(
            ForeignConfig({**llama, "rope_scaling": LONG, "rope_parameters": {"rope_type": "linear", "factor": 3.0}})
        )


def test_a_rotation_that_is_stretched_beyond_the_longest_text_only_is_not_stretched() -> None:
    llama = {**QWEN3, "model_type": "llama"}
    for told in ({"type": "dynamic", "factor": 2.0}, {"rope_type": "dynamic", "factor": 4.0}):
        read = LAYOUTS["LlamaForCausalLM"].read(ForeignConfig({**llama, "rope_scaling": told}))
        assert read == LAYOUTS["LlamaForCausalLM"].read(ForeignConfig(llama))
    for other in ({"type": "dynamic"}, {"type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 11}):
        with pytest.raises(InputError):
            LAYOUTS["LlamaForCausalLM"].read(ForeignConfig({**llama, "rope_scaling": other}))


def test_a_mistral_is_a_llama_that_looks_back_on_all() -> None:
    mistral = {**QWEN3, "model_type": "mistral", "sliding_window": None}
    layout = LAYOUTS["MistralForCausalLM"]
    assert layout.read(ForeignConfig(mistral)).settings["query_key_norm"] is False
    layout.read(ForeignConfig({**mistral, "sliding_window": QWEN3["max_position_embeddings"]}))
    with pytest.raises(InputError, match="`sliding_window` is 7"):
        layout.read(ForeignConfig({**mistral, "sliding_window": 7}))
    del mistral["sliding_window"]
    layout.read(ForeignConfig(mistral))  # 4,096 is meant, and no text has as many
    with pytest.raises(InputError, match="by which is meant 4,096"):
        layout.read(ForeignConfig({**mistral, "max_position_embeddings": 4099}))


def test_a_window_that_no_text_is_longer_than_is_none() -> None:
    for said in ({"use_sliding_window": True, "sliding_window": 23}, {"use_sliding_window": False, "sliding_window": 5},
                 {"layer_types": ["full_attention", "sliding_attention"], "sliding_window": 4096}):  # fmt: skip
        content = ForeignConfig({**QWEN3, **said})
        assert LAYOUTS["Qwen3ForCausalLM"].read(content) == LAYOUTS["Qwen3ForCausalLM"].read(ForeignConfig(QWEN3))
        content.done()
