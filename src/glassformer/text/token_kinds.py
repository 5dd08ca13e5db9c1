"""The kinds of tokens: the parts that each cuts text with, ours and those of other tools, and which tokens are special.
It knows no vocabulary.

A kind of another tool is written down here part by part. A file of theirs is compared with it and never run: no pattern
of a stranger's file is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

PAD, UNKNOWN, START, END, MASK = range(5)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")  # their names, by id

FOREIGN = "foreign"  # the kind of tokens that are put together from parts of another tool, in token_parts.py

WORDS = r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{N}+|[^\s\p{L}\p{M}\p{N}]"
# Qwen's and Llama 3's, which differ in how many figures stand together.
CUT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@dataclass(frozen=True)
class Specials:
    """The special tokens of a vocabulary: all their names, and the ids of those that have a part to play. `before` and
    `after` stand around every text that a model reads. `cut` are ordinary tokens that are cut out of a text before all
    others, `never` ids that are not written."""

    names: tuple[str, ...]
    pad: int
    start: int
    end: int
    unknown: int | None = None
    mask: int | None = None
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    cut: tuple[str, ...] = field(default=(), repr=False)  # which is part of an older identity
    never: tuple[int, ...] = field(default=(), repr=False)


OWN = Specials(SPECIAL, PAD, START, END, UNKNOWN, MASK)


@dataclass(frozen=True)
class Kind:
    """One way to cut text: the parts its tokenizer is put together from, and the usual size of its vocabulary."""

    vocabulary: int
    min_frequency: int
    pre_tokenizer: Callable[[], Any]
    decoder: Callable[[], Any]
    normalizer: Callable[[], Any] | None = None
    merges: bool = False
    alphabet: Callable[[], list[str]] = list  # what is known before any text is seen
    model: Mapping[str, Any] = field(default_factory=dict)  # what its merges, or its pieces, are told beside
    pieces: bool = False  # whether words are looked up in pieces, the longest first, without merges


def _word_decoder() -> Any:
    """Spaces between words, but none before a comma or after an opening bracket."""
    close_up = [
        decoders.Replace(Regex(r" (?=[.,:;!?%)\]}…])"), ""),
        decoders.Replace(Regex(r"(?<=[(\[{]) "), ""),
    ]
    return decoders.Sequence([decoders.WordPiece(prefix="##", cleanup=False), decoders.Fuse(), *close_up])


def _cut_then_bytes(figures: str) -> Any:
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CUT % figures), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def _wordpiece(*, lowercase: bool) -> Kind:
    """BERT's: words and marks, each in the longest pieces that are known."""
    return Kind(
        vocabulary=30_522,
        min_frequency=2,
        normalizer=lambda: normalizers.BertNormalizer(lowercase=lowercase),
        pre_tokenizer=pre_tokenizers.BertPreTokenizer,
        decoder=lambda: decoders.WordPiece(prefix="##", cleanup=True),
        pieces=True,
    )


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "character": Kind(
            vocabulary=10_000,
            min_frequency=1,
            pre_tokenizer=lambda: pre_tokenizers.FixedLength(1),
            decoder=decoders.Fuse,
        ),
        "word": Kind(
            vocabulary=20_000,
            min_frequency=3,
            normalizer=normalizers.Lowercase,
            pre_tokenizer=lambda: pre_tokenizers.Sequence(
                [
                    pre_tokenizers.Split(Regex(r"<br\s*/?>"), "removed"),
                    pre_tokenizers.Split(Regex(WORDS), "removed", invert=True),
                ]
            ),
            decoder=_word_decoder,
        ),
        "bpe": Kind(
            vocabulary=8_000,
            min_frequency=2,
            pre_tokenizer=lambda: pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()]),
            decoder=decoders.Metaspace,
            merges=True,
        ),
        "byte-bpe": Kind(
            vocabulary=8_000,
            min_frequency=2,
            pre_tokenizer=lambda: pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoder=decoders.ByteLevel,
            merges=True,
            alphabet=lambda: sorted(pre_tokenizers.ByteLevel.alphabet()),
        ),
    }
)  # that are learnt from texts here
OTHER_KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "gpt2": Kind(
            vocabulary=50_257,
            min_frequency=2,
            pre_tokenizer=lambda: pre_tokenizers.ByteLevel(add_prefix_space=False),
            decoder=decoders.ByteLevel,
            merges=True,
        ),
        "qwen": Kind(
            vocabulary=151_936,
            min_frequency=2,
            normalizer=normalizers.NFC,
            pre_tokenizer=lambda: _cut_then_bytes(""),
            decoder=decoders.ByteLevel,
            merges=True,
        ),
        "llama3": Kind(
            vocabulary=128_256,
            min_frequency=2,
            pre_tokenizer=lambda: _cut_then_bytes("{1,3}"),
            decoder=decoders.ByteLevel,
            merges=True,
            model={"ignore_merges": True},
        ),
        "llama": Kind(
            vocabulary=32_000,
            min_frequency=2,
            normalizer=lambda: normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
            pre_tokenizer=lambda: None,
            decoder=lambda: decoders.Sequence(
                [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
            ),
            merges=True,
            model={"byte_fallback": True, "fuse_unk": True},
        ),
        "wordpiece": _wordpiece(lowercase=True),
        "cased wordpiece": _wordpiece(lowercase=False),
    }
)  # that come from other tools


def assemble(
    kind: Kind, vocabulary: Sequence[str], merges: Sequence[tuple[str, str]], specials: Specials = OWN
) -> Tokenizer:
    """A tokenizer, put together from the parts of its kind."""
    ids = {token: number for number, token in enumerate(vocabulary)}
    name = None if specials.unknown is None else vocabulary[specials.unknown]
    if kind.merges:
        unknown = None if kind.alphabet() else name
        tokenizer = Tokenizer(models.BPE(vocab=ids, merges=list(merges), unk_token=unknown, **kind.model))
    elif kind.pieces:
        tokenizer = Tokenizer(models.WordPiece(vocab=ids, unk_token=str(name)))
    else:
        tokenizer = Tokenizer(models.WordLevel(vocab=ids, unk_token=str(name)))
    if kind.normalizer is not None:
        tokenizer.normalizer = kind.normalizer()
    before = kind.pre_tokenizer()
    if before is not None:
        tokenizer.pre_tokenizer = before
    tokenizer.decoder = kind.decoder()
    return with_specials(tokenizer, vocabulary, specials)


def with_specials(tokenizer: Tokenizer, vocabulary: Sequence[str], specials: Specials) -> Tokenizer:
    """The same tokenizer, told which tokens are special and what stands around a text."""
    tokenizer.add_special_tokens(list(specials.names))
    tokenizer.add_tokens([AddedToken(name, normalized=False) for name in specials.cut])
    tokenizer.encode_special_tokens = True  # "<pad>" in a text is text
    if specials.before or specials.after:
        tokenizer.post_processor = _framed(vocabulary, specials)
    return tokenizer


def _framed(vocabulary: Sequence[str], specials: Specials) -> Any:
    around = [[vocabulary[each] for each in part] for part in (specials.before, specials.after)]
    used = {vocabulary[each]: each for each in (*specials.before, *specials.after)}
    return processors.TemplateProcessing(
        single=[*around[0], "$A", *around[1]],
        pair=[*around[0], "$A", *around[1], "$B:1", *(f"{name}:1" for name in around[1])],
        special_tokens=list(used.items()),
    )


# --- bytes ------------------------------------------------------------------------------------------------------


def _byte_names() -> dict[str, int]:
    """The printable character that stands for each byte: itself where it can be seen, else one from U+0100 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


IN_BYTES = ("byte-bpe", "gpt2", "qwen", "llama3")
_BYTES = MappingProxyType(_byte_names())


def seen_bytes(name: str) -> str:
    """The text of a token of bytes; each byte by its number where they are a part of a character."""
    data = bytes(_BYTES[char] for char in name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in data)
