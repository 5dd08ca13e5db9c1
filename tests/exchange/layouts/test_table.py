"""Which layout a model gets, and what is said when there is none."""

from typing import Any

import pytest

from glassformer.errors import InputError
from glassformer.exchange.layouts.table import LAYOUTS, layout_for
from glassformer.models.registry import MODELS, configure


@pytest.mark.parametrize(
    ("model", "settings", "architecture"),
    [
        ("gpt", {}, "GPT2LMHeadModel"),
        ("modern", {}, "Qwen3ForCausalLM"),
        ("modern", {"activation": "relu"}, "ApertusForCausalLM"),
        ("modern", {"query_key_norm": False}, "LlamaForCausalLM"),
        ("modern", {"query_key_norm": False, "qkv_bias": True}, "Qwen2ForCausalLM"),
        ("translator", {}, "PegasusForConditionalGeneration"),
        ("translator", {"norm_first": False}, "MarianMTModel"),
        ("bert", {}, "BertForSequenceClassification"),
    ],
)
def test_the_first_that_holds_it(model: str, settings: dict[str, Any], architecture: str) -> None:
    assert layout_for(MODELS[model].family, configure(model, **settings)).architecture == architecture


def test_an_encoder_alone_has_a_layout_of_its_own() -> None:
    config = configure("bert", pooling="mean", pooler=False)
    assert layout_for("classifier", config, headless=True).architecture == "BertModel"
    with pytest.raises(InputError, match="but pooling is mean"):
        layout_for("classifier", config)


def test_every_layout_stands_under_its_own_name() -> None:
    assert all(LAYOUTS[name].architecture == name for name in LAYOUTS)


def test_what_is_in_the_way_is_told_for_the_nearest() -> None:
    with pytest.raises(InputError, match="The nearest is Qwen3ForCausalLM, but weigher is sigmoid"):
        layout_for("language model", configure("modern", weigher="sigmoid"))
    with pytest.raises(InputError, match="holds a Recurrent classifier"):
        layout_for("classifier", configure("rnn"))
