"""The one table of layouts, and which of them holds a model exactly. It opens no file."""

from typing import Any

from glassformer.choices import Choices, Later
from glassformer.errors import InputError
from glassformer.exchange.layouts.layout import Layout

_CAUSAL, _ENCODERS = "glassformer.exchange.layouts.causal", "glassformer.exchange.layouts.encoders"
_TRANSLATORS = "glassformer.exchange.layouts.translators"

LAYOUTS: Choices[Layout] = Choices(
    "layout",
    {
        "GPT2LMHeadModel": Later(f"{_CAUSAL}:GPT2"),
        "Qwen3ForCausalLM": Later(f"{_CAUSAL}:QWEN3"),
        "LlamaForCausalLM": Later(f"{_CAUSAL}:LLAMA"),
        "MistralForCausalLM": Later(f"{_CAUSAL}:MISTRAL"),
        "Qwen2ForCausalLM": Later(f"{_CAUSAL}:QWEN2"),
        "ApertusForCausalLM": Later(f"{_CAUSAL}:APERTUS"),
        "BertForSequenceClassification": Later(f"{_ENCODERS}:BERT"),
        "BertModel": Later(f"{_ENCODERS}:BERT_BODY"),
        "RobertaForSequenceClassification": Later(f"{_ENCODERS}:ROBERTA"),
        "RobertaModel": Later(f"{_ENCODERS}:ROBERTA_BODY"),
        "PegasusForConditionalGeneration": Later(f"{_TRANSLATORS}:PEGASUS"),
        "MarianMTModel": Later(f"{_TRANSLATORS}:MARIAN"),
    },
)


def layout_for(family: str, config: Any, *, headless: bool = False) -> Layout:
    """The first layout that holds such a model exactly; if there is none, an error that says what is in the way."""
    known = [each for each in LAYOUTS.values() if each.family == family and each.headless == headless]
    found = [(each.misfits(config) if hasattr(config, "positions") else None, each) for each in known]
    for reasons, layout in found:
        if reasons == []:
            return layout
    told = [(reasons, layout) for reasons, layout in found if reasons]
    if not told:
        raise InputError(f"No layout of transformers holds a {type(config).__name__.removesuffix('Config')} {family}.")
    nearest = min(told, key=lambda pair: len(pair[0]))
    raise InputError(
        f"No layout of transformers holds this {family} exactly. The nearest is {nearest[1].architecture}, but "
        f"{'; '.join(nearest[0])}."
    )
