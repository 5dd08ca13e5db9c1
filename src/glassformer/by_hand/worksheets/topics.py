"""What lectures call the thing that an example works: words to be asked for it by. It reads no worksheet."""

from types import MappingProxyType

from glassformer.errors import nearest

# By example; spelled as `plain` leaves them, small and without spaces, hyphens and brackets.
_TOPICS = {
    "i-love-ai": "attention selfattention scaleddotproduct dotproductattention scores qkv",
    "thinking-machines": "softmax softargmax weights",
    "no-weights": "context contextualizedrepresentation",
    "cross": "crossattention encoderdecoderattention",
    "masked": "maskedselfattention maskedattention causal causalattention causalselfattention gpt mask",
    "two-heads": "multihead multiheadattention heads mha",
    "stacked-projections": "inproj projections stacked",
    "rnn-step": "rnn rnncell recurrent",
    "lstm-step": "lstm bilstm lstmcell",
    "gru-step": "gru grucell",
    "convolution": "conv conv1d cnn",
    "image-convolution": "conv2d",
    "max-pooling": "pooling maxpool maxpool2d",
    "global-max-pooling": "globalpooling maxpool1d",
    "one-convolution": "1convolution",
    "feed-forward": "ffn mlp",
    "add-and-norm": "norm layernorm addnorm residual",
    "positional-encoding": "positions position pe embedding",
    "encoder-block": "encoder transformer block",
    "decoder-block": "decoder predictor",
    "decoding-step": "decoding inference greedy unitdelay logits",
    "teacher-forcing": "training",
}
TOPICS = MappingProxyType({word: name for name, words in _TOPICS.items() for word in words.split()})


def plain(words: str) -> str:
    """Letters and figures alone, small: "I love AI", i-love-ai and I_love_AI are one."""
    return "".join(sign for sign in words.casefold() if sign.isalnum())


def named(words: str, names: list[str]) -> str | None:
    """The example of this name, however it is spelled."""
    return {plain(name): name for name in names}.get(plain(words))


def meant(words: str, names: list[str]) -> str:
    """A sentence part that helps where no example has the name: the one that works this, or the nearest by its name."""
    topic = TOPICS.get(plain(words))
    if topic is not None:
        return f"'{topic}' works it."
    if len(words.split()) > 2:
        return f'a sentence of your own is worked by --sentence "{words}".'
    return nearest(words, names)
