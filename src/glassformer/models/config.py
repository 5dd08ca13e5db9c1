"""What a model is made of, as plain numbers: one small dataclass per family. It builds nothing and needs no torch.

Every field has its sentence. A config goes to a dictionary and back; an unknown key is an error, so that a file can
neither name code nor lose a setting in silence. Which words a setting may say is not known here: it is handed in.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from glassformer.errors import InputError, kind_of, nearest

Config = TypeVar("Config")


MOST_LAYERS = 1000  # deeper is a slip of the finger, or of a stranger's file
MOST_WORDS = 2**21 - 1  # of a vocabulary, three of which make one number of 64 bits


def setting(default: Any, sentence: str) -> Any:
    """A field with its sentence."""
    return field(default=default, metadata={"help": sentence})


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig:
    """RNN, GRU and LSTM classifiers: read from left to right, answer from the last state."""

    vocabulary: int = setting(20_000, "Tokens of the vocabulary.")
    classes: int = setting(2, "Classes to choose from.")
    width: int = setting(128, "Width of the embeddings.")
    state: int = setting(64, "Numbers the network remembers.")
    layers: int = setting(1, "Recurrent layers.")
    lstm: bool = setting(False, "LSTM cells in place of plain ones.")
    both_ways: bool = setting(False, "Read from right to left as well.")
    gru: bool = setting(False, "GRU cells in place of plain ones.")
    word_dropout: float = setting(0.0, "Share of the words left out while training, at most.")

    def __post_init__(self) -> None:
        if self.lstm and self.gru:
            raise InputError("A recurrent network has LSTM cells or GRU cells; set lstm or gru to false.")

    @property
    def gates(self) -> int:
        """How many matrices of each kind a cell has: one for its new state, the others for its gates."""
        return 4 if self.lstm else 3 if self.gru else 1


@dataclass(frozen=True, kw_only=True)
class NgramConfig:
    """The linear classifier of n-grams."""

    vocabulary: int = setting(100_000, "Tokens of the vocabulary.")
    classes: int = setting(2, "Classes to choose from.")
    ngrams: int = setting(1_000_000, "N-grams of one to three words that it knows, at most: those most texts have.")

    def __post_init__(self) -> None:
        if self.vocabulary >= MOST_WORDS:
            raise InputError(f"Three words in a row need a vocabulary below {MOST_WORDS:,}; it is {self.vocabulary:,}.")


@dataclass(frozen=True, kw_only=True)
class DenseConfig:
    """The MLP classifier: all words of a fixed length side by side."""

    vocabulary: int = setting(20_000, "Tokens of the vocabulary.")
    classes: int = setting(2, "Classes to choose from.")
    width: int = setting(128, "Width of the embeddings.")
    length: int = setting(500, "Tokens it looks at; longer texts are cut.")
    hidden: tuple[int, ...] = setting((1024, 128), "Widths of the hidden layers.")


@dataclass(frozen=True, kw_only=True)
class ConvolutionConfig:
    """The convolutional classifiers: windows of words, then windows of windows."""

    vocabulary: int = setting(20_000, "Tokens of the vocabulary.")
    classes: int = setting(2, "Classes to choose from.")
    width: int = setting(128, "Width of the embeddings.")
    length: int = setting(500, "Tokens it looks at; longer texts are cut.")
    filters: tuple[int, ...] = setting((128, 256), "Filters of each convolution.")
    kernel: int = setting(7, "Tokens in a window.")
    stride: int = setting(3, "Tokens from one window to the next.")
    hidden: int = setting(128, "Width of the hidden layer.")
    pooled: bool = setting(False, "Keep only the largest answer of each filter, wherever it stands.")


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Classifiers that attend: without any weights, with one layer, or a whole Transformer encoder."""

    vocabulary: int = setting(20_000, "Tokens of the vocabulary.")
    classes: int = setting(2, "Classes to choose from.")
    width: int = setting(128, "Width of the embeddings.")
    length: int = setting(512, "Tokens it looks at; longer texts are cut.")
    layers: int = setting(1, "Transformer blocks; 0 is one attention by itself.")
    heads: int = setting(4, "Heads of each attention.")
    key_width: int = setting(0, "Key width of a head; 0 is the width shared out among the heads.")
    value_width: int = setting(0, "Value width of a head; 0 is the key width.")
    hidden: int = setting(256, "Width of the feed-forward networks.")
    learned: bool = setting(True, "Learned queries, keys and values; without them a text only meets itself.")
    positions: str = setting("rotary", "How it knows the order of its tokens.")
    rotary_base: int = setting(10_000, "Of rotary positions: the larger, the slower the slowest pair turns.")
    norm: str = setting("rms", "How rows are normed.")
    norm_first: bool = setting(True, "The norm before each layer (True) or after it (False).")
    epsilon: float = setting(0.0, "What a norm adds before it divides; 0 is the norm's own.")
    embedding_norm: bool = setting(False, "A norm before the first block, as BERT has it.")
    activation: str = setting("gelu", "The activation function of the feed-forward networks.")
    bias: bool = setting(True, "Whether attention and feed-forward networks add one.")
    dropout: float = setting(0.1, "Share dropped after each layer while training.")
    attention_dropout: float = setting(0.0, "Share of attention weights dropped while training; slow on CPUs.")
    word_dropout: float = setting(0.0, "Share of the words left out while training, at most.")
    pooling: str = setting("mean", "Which rows answer for the text.")
    pooler: bool = setting(False, "One more layer, bent by tanh, before the head, as BERT has it.")


@dataclass(frozen=True, kw_only=True)
class TranslatorConfig:
    """The encoder–decoder Transformer."""

    vocabulary: int = setting(8_000, "Tokens of the vocabulary, shared by both languages.")
    width: int = setting(128, "Width of the embeddings.")
    length: int = setting(256, "Longest sentence, in tokens.")
    encoder_layers: int = setting(4, "Blocks of the encoder.")
    decoder_layers: int = setting(4, "Blocks of the decoder.")
    heads: int = setting(4, "Heads of each attention.")
    key_width: int = setting(0, "Key width of a head; 0 is the width shared out among the heads.")
    value_width: int = setting(0, "Value width of a head; 0 is the key width.")
    hidden: int = setting(256, "Width of the feed-forward networks.")
    positions: str = setting("sinusoidal", "How it knows the order of its tokens.")
    norm: str = setting("layer", "How rows are normed.")
    epsilon: float = setting(0.0, "What a norm adds before it divides; 0 is the norm's own.")
    norm_first: bool = setting(True, "The norm before each layer (True) or after it (False).")
    activation: str = setting("relu", "The activation function of the feed-forward networks.")
    bias: bool = setting(True, "Whether attention and feed-forward networks add one.")
    dropout: float = setting(0.1, "Share dropped after each layer while training.")
    attention_dropout: float = setting(0.0, "Share of attention weights dropped while training; slow on CPUs.")
    scaled_embedding: bool = setting(True, "Scale the embeddings by √width, as the paper does.")


@dataclass(frozen=True, kw_only=True)
class LanguageModelConfig:
    """Decoder-only models: GPT as in GPT-2, and the modern layout."""

    vocabulary: int = setting(256, "Tokens of the vocabulary.")
    width: int = setting(128, "Width of the embeddings.")
    length: int = setting(256, "Longest text it can look back on, in tokens.")
    layers: int = setting(4, "Blocks.")
    heads: int = setting(4, "Heads of each attention.")
    key_width: int = setting(0, "Key width of a head; 0 is the width shared out among the heads.")
    value_width: int = setting(0, "Value width of a head; 0 is the key width.")
    kv_heads: int = setting(0, "Key/value heads shared by groups of heads; 0 is one for each.")
    hidden: int = setting(512, "Width of the feed-forward networks.")
    positions: str = setting("rotary", "How it knows the order of its tokens.")
    rotary_base: int = setting(10_000, "Of rotary positions: the larger, the slower the slowest pair turns.")
    rotary_stretch: str = setting("", "Of rotary positions: how they are slowed for long texts, such as 'linear 4'.")
    norm: str = setting("rms", "How rows are normed.")
    epsilon: float = setting(0.0, "What a norm adds before it divides; 0 is the norm's own.")
    query_key_norm: bool = setting(True, "Normalise queries and keys.")
    activation: str = setting("swiglu", "The activation function of the feed-forward networks.")
    bias: bool = setting(False, "Whether projections add one.")
    qkv_bias: bool = setting(False, "Whether queries, keys and values add one, even if nothing else does.")
    dropout: float = setting(0.0, "Share dropped after each layer while training.")
    attention_dropout: float = setting(0.0, "Share of attention weights dropped while training; slow on CPUs.")
    tied: bool = setting(True, "The matrix of the output is the embedding's own.")
    scorer: str = setting("dot product", "How queries and keys come to a score.")
    weigher: str = setting("softmax", "How scores become weights.")


def to_dict(config: Any) -> dict[str, Any]:
    """A config as plain data; tuples become lists."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(config).items()}


def from_dict(kind: type[Config], content: dict[str, Any], choices: Mapping[str, Collection[str]]) -> Config:
    """A config from plain data: every key known, every value of the kind its default has. `choices` are the words that
    a setting may say."""
    known = {each.name: each.default for each in fields(kind)}  # type: ignore[arg-type]
    checked = {}
    for name, value in content.items():
        if name not in known:
            raise InputError(f"There is no setting '{name:.100}' here; {nearest(name[:100], known)}")
        checked[name] = _checked(name, value, known[name])
        if name in choices and value not in choices[name]:
            raise InputError(f"{name} cannot be '{value:.100}'; {nearest(value[:100], choices[name])}")
    return kind(**checked)


def _checked(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and value and all(_is_count(each) for each in value[:MOST_LAYERS]):
            _check_depth(name, len(value))
            return tuple(value)
        raise InputError(f"{name} must be a list of whole numbers from 1 up; it is {value!r:.100}.")
    if isinstance(default, float) and isinstance(value, int | float) and not isinstance(value, bool):
        if 0.0 <= value < 1.0:
            return float(value)
        raise InputError(f"{name} must be a share from 0 up to, not including, 1; it is {value!r:.100}.")
    if isinstance(default, int) and not isinstance(default, bool):
        if _is_count(value) or (type(value) is int and value == 0 and (default == 0 or name == "layers")):
            if name.endswith("layers"):
                _check_depth(name, value)
            return value
        raise InputError(f"{name} must be a whole number from 1 up; it is {value!r:.100}.")
    if type(value) is not type(default):
        raise InputError(f"{name} must be {kind_of(default)}; it is {value!r:.100}.")
    return value


def _check_depth(name: str, layers: int) -> None:
    if layers > MOST_LAYERS:
        raise InputError(f"{name} asks for {layers:,} layers; at most {MOST_LAYERS:,} can be built.")


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 2**31
