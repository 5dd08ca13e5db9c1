"""The one table of models: each name, its task, its config and what is built from it. It knows no text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from torch import nn

from glassformer.errors import InputError, nearest
from glassformer.models import config as configs
from glassformer.models.classifiers import (
    ConvolutionClassifier,
    DenseClassifier,
    EncoderClassifier,
    RecurrentClassifier,
)
from glassformer.models.language_model import LanguageModel
from glassformer.models.translator import Translator

TASKS = ("classify", "translate", "generate")


@dataclass(frozen=True)
class Kind:
    """One row of the table: the default config is the model as the notes or its family have it."""

    task: str
    default: Any
    make: Callable[[Any], nn.Module]
    sentence: str


MODELS: Mapping[str, Kind] = MappingProxyType(
    {
        "rnn": Kind(
            "classify", configs.RecurrentConfig(), RecurrentClassifier,
            "Reads word by word and answers from its last state.",
        ),
        "bilstm": Kind(
            "classify", configs.RecurrentConfig(layers=2, lstm=True, both_ways=True), RecurrentClassifier,
            "Two layers of LSTM cells, reading both ways.",
        ),
        "mlp": Kind(
            "classify", configs.DenseConfig(), DenseClassifier,
            "All words side by side, then dense layers.",
        ),
        "conv": Kind(
            "classify", configs.ConvolutionConfig(), ConvolutionClassifier,
            "Windows of seven words, then windows of windows.",
        ),
        "conv-pool": Kind(
            "classify", configs.ConvolutionConfig(filters=(128, 128), pooled=True), ConvolutionClassifier,
            "The same, keeping the best window of each filter.",
        ),
        "bare-attention": Kind(
            "classify", configs.EncoderConfig(layers=0, heads=1, learned=False, positions="none"), EncoderClassifier,
            "Attention without any weights: softmax(D Dᵀ / √d) D.",
        ),
        "attention": Kind(
            "classify", configs.EncoderConfig(layers=0), EncoderClassifier,
            "One attention with learned queries, keys and values.",
        ),
        "transformer": Kind(
            "classify", configs.EncoderConfig(), EncoderClassifier,
            "A Transformer encoder.",
        ),
        "translator": Kind(
            "translate", configs.TranslatorConfig(), Translator,
            "The encoder–decoder Transformer.",
        ),
        "gpt": Kind(
            "generate",
            configs.LanguageModelConfig(
                positions="learned", norm="layer", query_key_norm=False, activation="tanh gelu", bias=True, dropout=0.1,
                attention_dropout=0.1,
            ),
            LanguageModel,
            "GPT as in GPT-2.",
        ),
        "modern": Kind(
            "generate", configs.LanguageModelConfig(), LanguageModel,
            "Rotary positions, RMS norms, normed queries and keys, SwiGLU, no biases.",
        ),
    }
)  # fmt: skip


def kind_of(name: str) -> Kind:
    """The table's row for a name, or an error that suggests the nearest."""
    if name not in MODELS:
        raise InputError(f"There is no model called '{name}'; {nearest(name, MODELS)}")
    return MODELS[name]


def configure(name: str, **settings: Any) -> Any:
    """The model's config with some settings changed, each checked."""
    default = kind_of(name).default
    content = {**configs.to_dict(default), **settings}
    return configs.from_dict(type(default), content)


def build(name: str, config: Any | None = None) -> nn.Module:
    """The module, with fresh weights."""
    kind = kind_of(name)
    return kind.make(kind.default if config is None else replace(config))
