"""Names as people write them, and the one spelling each gets here: W^Q, Wq and W_{q} are all W_Q.

Also which stage of the catalogue a name usually stands for. Knows nothing of values.
"""

import re
from types import MappingProxyType

from glassformer.stages.catalogue import CATALOGUE

_GREEK = "alpha beta gamma delta epsilon varepsilon theta lambda mu sigma tau phi xi eta pi omega"
GREEK = MappingProxyType(
    dict(
        zip(
            _GREEK.split(),
            ["α", "β", "γ", "δ", "ε", "ε", "θ", "λ", "μ", "σ", "τ", "φ", "ξ", "η", "π", "ω"],
            strict=True,
        )
    )
)

FUNCTIONS = MappingProxyType(
    {
        **{
            name: name
            for name in [
                "softmax",
                "sigmoid",
                "exp",
                "sqrt",
                "relu",
                "log",
                "tanh",
                "sin",
                "cos",
                "mean",
                "sum",
                "gelu",
                "max",
                "log2",
                "log10",
            ]
        },
        "softargmax": "softmax",
        "soft(arg)max": "softmax",
        "var": "variance",
        "variance": "variance",
        "ln": "log",
        "transpose": "transpose",
        "layernorm": "layernorm",
        "dot": "dot",
        **dict.fromkeys(["crossentropy", "ce", "celoss", "crossentropyloss"], "cross entropy"),
        **dict.fromkeys(["bce", "binarycrossentropy", "bceloss"], "binary cross entropy"),
        **dict.fromkeys(["mse", "meansquarederror", "mseloss"], "mean squared error"),
        **dict.fromkeys(["conv", "conv1d", "conv2d", "convolve", "convolution"], "convolution"),
        **dict.fromkeys(["maxpool", "maxpooling", "maxpool1d", "maxpool2d"], "max pooling"),
        **dict.fromkeys(["globalmaxpool", "globalmaxpooling"], "global max pooling"),
        "floor": "floor",
        "ceil": "ceil",
        "concat": "concat",
        **{name: name for name in ["interleave", "unroll", "slide", "blockmax", "columnmax", "wholemax"]},
        **{name: name for name in ["lastrow", "largestplace", "unitdelay", "pickedfrom"]},
    }
)

# Said of a matrix, these words are not part of its name.
_FILLERS = {
    "the",
    "matrix",
    "matrices",
    "vector",
    "vectors",
    "our",
    "of",
    "final",
    "is",
    "are",
    "then",
    "so",
    "get",
    "we",
}

# What people call a stage; the catalogue's own names are added below. Other single letters mean too many things.
_WORDS = {
    "inputs": "X|input|inputs|embedding|embeddings|tokens",
    "queries": "Q|query|queries",
    "keys": "K|key|keys",
    "values": "V|value|values",
    "scores": "score|scores|raw score|raw scores|attention score|attention scores|dot products",
    "scaled": "scaled|scaled score|scaled scores|scaled attention scores",
    "masked": "masked|masked score|masked scores|masked scaled scores",
    "mask": "M|mask|causal mask",
    "weights": "weights|weight|attention weights|attention weight|attn weights|attn|att weigh|attention matrix|softmax",
    "mixed": "mixed|context vectors|context vector|weighted sum|attention",
    "output": "output|outputs|attention output|result",
    "query_weight": "W_Q",
    "key_weight": "W_K",
    "value_weight": "W_V",
    "output_weight": "W_O",
}


def _stage_words() -> dict[str, str]:
    table = {name: name for name in CATALOGUE}
    for stage, words in _WORDS.items():
        table |= dict.fromkeys(words.split("|"), stage)
    return table


STAGE_WORDS = MappingProxyType(_stage_words())


def canonical(text: str) -> str:
    """The one spelling of a symbol: `W^{Q}`, `Wq` → `W_Q`; `d_{k}`, `dk`, `d'` → `d_k`; words in lower case."""
    text = re.sub(r"[{}\s\\$]", "", text) if not re.search(r"[A-Za-z]{2,}\s", text) else " ".join(text.split())
    if match := re.fullmatch(r"[Ww][_^]?\(?([QqKkVvOo0])\)?", text):
        return "W_" + match[1].upper().replace("0", "O")
    if match := re.fullmatch(r"[Ww][_^]?([QqKkVvOo])[_^]?\(?(\d+)\)?", text):
        return f"W_{match[1].upper()}{match[2]}"
    if match := re.fullmatch(r"[Ww][_^]\(?(\d+)\)?[_^]?([QqKkVvOo])", text):
        return f"W_{match[2].upper()}{match[1]}"
    if re.fullmatch(r"d_?k|d'|d_?\{?key\}?|d_?head|D_?K", text):
        return "d_k"
    if match := re.fullmatch(r"([A-Za-z])(\d+)", text):
        return f"{match[1]}_{match[2]}"
    if not re.search(r"\^[(\[<]", text):  # o^(1) is not o_1
        text = text.replace("^", "_").replace("(", "").replace(")", "")
    return name_of_words(text) if re.search(r"[A-Za-z]{3,}", text) and "_" not in text else text


def name_of_words(text: str) -> str:
    """A name made of words: lower case but for single letters, without the words that only point."""
    lower = [word if len(word) == 1 else word.lower() for word in re.split(r"[\s_]+", text)]
    kept = [word for word in lower if word and word not in _FILLERS]
    return " ".join(kept) or " ".join(text.lower().split())


def stage_of(name: str) -> str | None:
    """The stage of the catalogue that a name usually stands for, or None."""
    return STAGE_WORDS.get(name)


def is_plain_word(name: str) -> bool:
    """Whether it is a word of ordinary language, such as a token's, and not a symbol or a stage."""
    return re.fullmatch(r"[^\W\d_]{2,}(?: \w+)*", name) is not None and name.islower() and stage_of(name) is None


def base_and_suffix(name: str) -> tuple[str, str]:
    """`q_1` → (`q`, `1`); a name without one has an empty suffix."""
    base, _, suffix = name.partition("_")
    return base, suffix
