"""Tokens: text to ids and back, by characters, words or parts of words. Knows no model, no file format, no padding.

Four kinds, each one `tokenizers.Tokenizer` underneath, all with the same five special tokens in front:

    character  every character by itself
    word       lower-cased words and punctuation marks; a word keeps its apostrophe, `<br />` is a space
    bpe        parts of words, merged by how often they meet; a character never seen is unknown
    byte-bpe   the same over UTF-8 bytes: nothing is ever unknown

A text that says "<pad>" is five ordinary characters: no text can make a special token.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from glassformer.errors import InputError, nearest

Ids = NDArray[np.int64]

PAD, UNKNOWN, START, END, MASK = range(5)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")  # their names, by id
NEVER_SAID = (PAD, START, END, MASK)  # not part of any text, so left out when ids become text

WORDS = r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*|\p{N}+|[^\s\p{L}\p{M}\p{N}]"
LARGEST_FILE = 50_000_000  # bytes of a tokenizer.json
MOST_TOKENS = 1_000_000
TEXTS_AT_ONCE = 1000  # the library keeps far more about a text than its ids; they are let go between chunks


@dataclass(frozen=True)
class Encoded:
    """A text as ids. `text[begin:end]` is where each token stands; `words` numbers the words the tokens belong to."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int | None, ...]


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


def _word_decoder() -> Any:
    """Spaces between words, but none before a comma or after an opening bracket."""
    close_up = [
        decoders.Replace(Regex(r" (?=[.,:;!?%)\]}…])"), ""),
        decoders.Replace(Regex(r"(?<=[(\[{]) "), ""),
    ]
    return decoders.Sequence([decoders.WordPiece(prefix="##", cleanup=False), decoders.Fuse(), *close_up])


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
)


class Tokens:
    """A vocabulary of one kind. Equal vocabularies are equal, wherever they came from.

    kind        character, word, bpe or byte-bpe
    vocabulary  the tokens in the order of their ids, the special ones first
    merges      for the two kinds of bpe: which two tokens become one, the most frequent first
    """

    pad, unknown, start, end, mask = PAD, UNKNOWN, START, END, MASK

    def __init__(self, kind: str, vocabulary: Sequence[str], merges: Sequence[tuple[str, str]] = ()) -> None:
        _check_vocabulary(vocabulary, merges)
        self.kind = kind
        self._tokenizer = _assemble(_kind(kind), vocabulary, merges)
        self.identity = hashlib.sha256(self._tokenizer.to_str().encode()).hexdigest()

    @staticmethod
    def train(
        kind: str, texts: Iterable[str], *, vocabulary: int | None = None, min_frequency: int | None = None
    ) -> "Tokens":
        """The vocabulary of some texts: at most `vocabulary` tokens, special ones included, each seen `min_frequency`
        times or more. The same texts always give the same tokens."""
        parts = _kind(kind)
        size = parts.vocabulary if vocabulary is None else vocabulary
        often = parts.min_frequency if min_frequency is None else min_frequency
        smallest = len(SPECIAL) + len(parts.alphabet()) + 1
        if not smallest <= size <= MOST_TOKENS:
            raise InputError(
                f"A {kind} vocabulary has from {smallest} to {MOST_TOKENS:,} tokens; {size} were asked for."
            )
        if often < 1:
            raise InputError(f"min_frequency counts how often a token must be seen, 1 or more; it is {often}.")
        checked = _not_all_blank(texts)
        if kind == "character":
            return Tokens(kind, [*SPECIAL, *_characters(checked, size - len(SPECIAL), often)])
        trained = _assemble(parts, SPECIAL, ())
        options: dict[str, Any] = {
            "vocab_size": size,
            "min_frequency": often,
            "special_tokens": list(SPECIAL),
            "show_progress": False,
        }
        if parts.merges:
            trained.train_from_iterator(checked, trainers.BpeTrainer(initial_alphabet=parts.alphabet(), **options))
        else:
            trained.train_from_iterator(checked, trainers.WordLevelTrainer(**options))
        model = json.loads(trained.to_str())["model"]
        by_id = sorted(model["vocab"], key=model["vocab"].__getitem__)
        return Tokens(kind, by_id, [(left, right) for left, right in model.get("merges", ())])

    # --- text to ids, and back ---

    def encode(self, text: str) -> Encoded:
        """The ids of a text, and where in it each token stands."""
        encoding = self._tokenizer.encode(_sound(text))
        return Encoded(tuple(encoding.ids), tuple(encoding.offsets), tuple(encoding.word_ids))

    def encode_many(self, texts: Sequence[str]) -> list[Ids]:
        """The ids of each text, without the places: quicker, and small enough to keep for a whole corpus."""
        ids: list[Ids] = []
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = [_sound(text) for text in texts[begin : begin + TEXTS_AT_ONCE]]
            encodings = self._tokenizer.encode_batch_fast(chunk)
            ids.extend(np.array(encoding.ids, dtype=np.int64) for encoding in encodings)
        return ids

    def standardised(self, text: str) -> str:
        """The text as it is before it is cut: for words in small letters, with one space between any two and no
        `<br />`; for the other kinds as it stands."""
        if self.kind != "word":
            return text
        lowered = self._tokenizer.normalizer.normalize_str(_sound(text))
        return " ".join(word for word, _ in self._tokenizer.pre_tokenizer.pre_tokenize_str(lowered))

    def decode(self, ids: Iterable[int] | Ids) -> str:
        """The text of some ids. An unknown token shows as <unk>; the other special ones say nothing."""
        said = [each for each in self._known(ids) if each not in NEVER_SAID]
        return str(self._tokenizer.decode(said, skip_special_tokens=False))

    def strings(self, ids: Iterable[int] | Ids) -> list[str]:
        """What a person sees for each id: its text, `<s>` and the like, or `<0xC3>` for a part of a character."""
        names = [str(self._tokenizer.id_to_token(each)) for each in self._known(ids)]
        if self.kind == "bpe":
            return [name.replace("▁", " ") for name in names]
        if self.kind == "byte-bpe":
            return [name if name in SPECIAL else _seen(name) for name in names]
        return names

    def _known(self, ids: Iterable[int] | Ids) -> list[int]:
        listed, size = [int(each) for each in ids], len(self)
        for each in listed:
            if not 0 <= each < size:
                raise InputError(f"There is no token {each}: this vocabulary has ids 0 to {size - 1}.")
        return listed

    def __len__(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    # --- the file ---

    def save(self, path: str | Path) -> None:
        """Writes `tokenizer.json`, which other libraries read too. The same tokens give the same bytes."""
        Path(path).write_bytes(self.to_bytes())

    def to_bytes(self) -> bytes:
        """What such a file holds."""
        return self._tokenizer.to_str(pretty=True).encode() + b"\n"

    @staticmethod
    def load(path: str | Path) -> "Tokens":
        """Reads a `tokenizer.json` of ours. Only vocabulary and merges are taken from it: no pattern of a stranger's
        file is ever run."""
        path = Path(path)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise InputError(f"{path} has {path.stat().st_size:,} bytes; at most {LARGEST_FILE:,} are read.")
            return Tokens.from_bytes(path.read_bytes(), str(path))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from error

    @staticmethod
    def from_bytes(data: bytes, name: str = "This") -> "Tokens":
        """The same from what such a file holds; `name` is what errors call it."""
        if len(data) > LARGEST_FILE:
            raise InputError(f"{name} has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
        try:
            content = json.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name} is not a tokenizer.json: {' '.join(str(error).split())}") from error
        try:
            return _from_content(content)
        except InputError as error:
            raise InputError(f"{name} is not a tokenizer.json of ours: {error}") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tokens) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"Tokens({self.kind}, {len(self)} tokens, {self.identity[:8]})"


# --- putting a tokenizer together -------------------------------------------------------------------------------


def _kind(name: str) -> Kind:
    if name not in KINDS:
        raise InputError(f"There is no kind of token called '{name}'; {nearest(name, KINDS)}")
    return KINDS[name]


def _assemble(kind: Kind, vocabulary: Sequence[str], merges: Sequence[tuple[str, str]]) -> Tokenizer:
    ids = {token: number for number, token in enumerate(vocabulary)}
    if kind.merges:
        unknown = None if kind.alphabet() else SPECIAL[UNKNOWN]
        tokenizer = Tokenizer(models.BPE(vocab=ids, merges=list(merges), unk_token=unknown))
    else:
        tokenizer = Tokenizer(models.WordLevel(vocab=ids, unk_token=SPECIAL[UNKNOWN]))
    if kind.normalizer is not None:
        tokenizer.normalizer = kind.normalizer()
    tokenizer.pre_tokenizer = kind.pre_tokenizer()
    tokenizer.decoder = kind.decoder()
    tokenizer.add_special_tokens(list(SPECIAL))
    tokenizer.encode_special_tokens = True  # "<pad>" in a text is text
    return tokenizer


def _characters(texts: Iterable[str], most: int, min_frequency: int) -> list[str]:
    """The most frequent characters, in the order of the alphabet."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(text)
    often = [char for char, count in counts.items() if count >= min_frequency]
    return sorted(sorted(often, key=lambda char: (-counts[char], char))[:most])


def _not_all_blank(texts: Iterable[str]) -> Iterator[str]:
    """The texts one by one; an error at the end if there was nothing in them."""
    found = False
    for text in texts:
        found = found or bool(text.strip())
        yield _sound(text)
    if not found:
        raise InputError("There is no text to learn tokens from: every text is empty or blank.")


def _sound(text: str) -> str:
    """The text itself, unless it holds half a character, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"The text has half a character (U+{ord(text[error.start]):04X}) at place {error.start}; remove it."
        ) from error
    return text


# --- reading one back -------------------------------------------------------------------------------------------


def _skeleton(content: Mapping[str, Any]) -> dict[str, Any]:
    """All of a tokenizer.json but its vocabulary and merges."""
    model = {key: value for key, value in content["model"].items() if key not in ("vocab", "merges")}
    return {**content, "model": model}


def _from_content(content: Any) -> Tokens:
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise InputError("it must hold a model, a pre-tokenizer and a decoder.")
    found = _skeleton(content)
    for name, kind in KINDS.items():
        if found == _skeleton(json.loads(_assemble(kind, SPECIAL, ()).to_str())):
            return Tokens(name, _by_id(content["model"].get("vocab")), _pairs(content["model"].get("merges", [])))
    raise InputError(f"its parts are those of none of our kinds ({', '.join(KINDS)}).")


def _by_id(vocabulary: Any) -> list[str]:
    if not isinstance(vocabulary, dict) or any(type(number) is not int for number in vocabulary.values()):
        raise InputError("its vocabulary must give each token a whole number.")
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[token] for token in tokens] != list(range(len(tokens))):
        raise InputError(f"its {len(tokens)} ids must be 0 to {len(tokens) - 1}, each once.")
    return tokens


def _pairs(merges: Any) -> list[tuple[str, str]]:
    def is_pair(pair: Any) -> bool:
        return isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)

    if not isinstance(merges, list) or not all(is_pair(pair) for pair in merges):
        raise InputError("its merges must be pairs of tokens.")
    return [(left, right) for left, right in merges]


def _check_vocabulary(vocabulary: Sequence[str], merges: Sequence[tuple[str, str]]) -> None:
    if tuple(vocabulary[: len(SPECIAL)]) != SPECIAL:
        raise InputError(f"a vocabulary begins with {' '.join(SPECIAL)}.")
    if len(vocabulary) > MOST_TOKENS:
        raise InputError(f"a vocabulary has at most {MOST_TOKENS:,} tokens; this one has {len(vocabulary):,}.")
    known = set(vocabulary)
    if len(known) < len(vocabulary) or "" in known:
        raise InputError("each token of a vocabulary is a text of its own; one is empty or stands twice.")
    for token in vocabulary:
        _sound(token)
    for left, right in merges:
        if not {left, right, left + right} <= known:
            raise InputError(f"the merge of {left!r} and {right!r} needs both, and their sum, in the vocabulary.")


# --- bytes ------------------------------------------------------------------------------------------------------


def _byte_names() -> dict[str, int]:
    """The printable character that stands for each byte: itself where it can be seen, else one from U+0100 on."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


_BYTES = MappingProxyType(_byte_names())


def _seen(name: str) -> str:
    data = bytes(_BYTES[char] for char in name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in data)
