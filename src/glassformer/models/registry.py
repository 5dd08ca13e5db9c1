"""The one table of models: each name, its family, its config and what is built from it. It knows no task."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from glassformer.choices import Choices, Later
from glassformer.models import config as configs

# For each setting that is a word: the words it may say. These are the tables themselves, so that what is added to one
# can be chosen at once.
WORDS: Mapping[str, Collection[str]] = Choices(
    "setting",
    {
        "positions": Later("glassformer.layers.positions:SCHEMES"),
        "norm": Later("glassformer.layers.blocks:NORMS"),
        "activation": Later("glassformer.layers.blocks:ACTIVATIONS"),
        "pooling": Later("glassformer.layers.embedding:POOLINGS"),
        "scorer": Later("glassformer.models.language_model:SCORERS"),
        "weigher": Later("glassformer.layers.attention:WEIGHERS"),
    },
)

RECURRENT = Later("glassformer.models.recurrent:RecurrentClassifier")
NGRAMS = Later("glassformer.models.ngrams:NgramClassifier")
DENSE = Later("glassformer.models.classifiers:DenseClassifier")
CONVOLUTION = Later("glassformer.models.classifiers:ConvolutionClassifier")
ENCODER = Later("glassformer.models.classifiers:EncoderClassifier")
TRANSLATOR = Later("glassformer.models.translator:Translator")
LANGUAGE_MODEL = Later("glassformer.models.language_model:LanguageModel")


@dataclass(frozen=True)
class ModelKind:
    """One row of the table: the default config is the model as the notes or its family have it.

    All models of a family are called alike: a classifier with ids and where they are real; a translator with a source,
    where it is real, and a target; a language model with ids alone.
    """

    family: str  # classifier, translator or language model
    default: Any
    make: Callable[[Any], nn.Module]
    sentence: str
    counts: bool = False  # whether the training texts are counted, by its `count`, before it learns


MODELS: Choices[ModelKind] = Choices(
    "model",
    {
        "ngrams": ModelKind(
            "classifier", configs.NgramConfig(), NGRAMS,
            "One to three words in a row, weighted by naive Bayes: linear, and quick.", counts=True,
        ),
        "rnn": ModelKind(
            "classifier", configs.RecurrentConfig(), RECURRENT,
            "Reads word by word and answers from its last state.",
        ),
        "gru": ModelKind(
            "classifier", configs.RecurrentConfig(gru=True), RECURRENT,
            "The same, with gates that decide what its state keeps.",
        ),
        "bilstm": ModelKind(
            "classifier", configs.RecurrentConfig(layers=2, lstm=True, both_ways=True), RECURRENT,
            "Two layers of LSTM cells, reading both ways.",
        ),
        "mlp": ModelKind(
            "classifier", configs.DenseConfig(), DENSE,
            "All words side by side, then dense layers.",
        ),
        "conv": ModelKind(
            "classifier", configs.ConvolutionConfig(), CONVOLUTION,
            "Windows of seven words, then windows of windows.",
        ),
        "conv-pool": ModelKind(
            "classifier", configs.ConvolutionConfig(filters=(128, 128), pooled=True), CONVOLUTION,
            "The same, keeping the best window of each filter.",
        ),
        "bare-attention": ModelKind(
            "classifier", configs.EncoderConfig(layers=0, heads=1, learned=False, positions="none"), ENCODER,
            "Attention without parameters: softmax(D Dᵀ / √d) D.",
        ),
        "attention": ModelKind(
            "classifier", configs.EncoderConfig(layers=0), ENCODER,
            "One attention with learned queries, keys and values.",
        ),
        "transformer": ModelKind(
            "classifier", configs.EncoderConfig(), ENCODER,
            "A Transformer encoder.",
        ),
        "bert": ModelKind(
            "classifier",
            configs.EncoderConfig(
                layers=4, hidden=512, positions="learned", norm="layer", norm_first=False, epsilon=1e-12,
                embedding_norm=True, pooling="first", pooler=True, attention_dropout=0.1,
            ),
            ENCODER,
            "A Transformer encoder as in BERT.",
        ),
        "translator": ModelKind(
            "translator", configs.TranslatorConfig(), TRANSLATOR,
            "The encoder–decoder Transformer.",
        ),
        "gpt": ModelKind(
            "language model",
            configs.LanguageModelConfig(
                positions="learned", norm="layer", query_key_norm=False, activation="tanh gelu", bias=True, dropout=0.1,
                attention_dropout=0.1,
            ),
            LANGUAGE_MODEL,
            "GPT as in GPT-2.",
        ),
        "modern": ModelKind(
            "language model", configs.LanguageModelConfig(), LANGUAGE_MODEL,
            "Rotary positions, RMS norms, normed queries and keys, SwiGLU, no biases.",
        ),
    },
)  # fmt: skip


def configure(name: str, **settings: Any) -> Any:
    """The model's config with some settings changed, each checked."""
    return config_from(name, {**configs.to_dict(MODELS[name].default), **settings})


def config_from(name: str, content: dict[str, Any]) -> Any:
    """The model's config from plain data, as a file keeps it, each value checked."""
    return configs.from_dict(type(MODELS[name].default), content, WORDS)


def build(name: str, config: Any | None = None) -> nn.Module:
    """The module, with fresh weights."""
    kind = MODELS[name]
    return kind.make(kind.default if config is None else replace(config))
