"""Tokens: text to ids and back, by characters, words or parts of words. Knows no model, no file format, no padding.

Four kinds of our own, each one `tokenizers.Tokenizer` underneath, all with the same five special tokens in front:

    character  every character by itself
    word       lower-cased words and punctuation marks; a word keeps its apostrophe, `<br />` is a space
    bpe        parts of words, merged by how often they meet; a character never seen is unknown
    byte-bpe   the same over UTF-8 bytes: nothing is ever unknown

A text that says "<pad>" is five ordinary characters: no text can make a special token. Tokens of other tools come with
their own vocabulary and special tokens, in one of the kinds that token_kinds.py knows.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, trainers

from glassformer.errors import InputError, nearest
from glassformer.text.token_kinds import (
    FOREIGN,
    IN_BYTES,
    KINDS,
    OTHER_KINDS,
    OWN,
    SPECIAL,
    Kind,
    Specials,
    assemble,
    seen_bytes,
)

if TYPE_CHECKING:
    from glassformer.text.token_parts import Led, Parts

Ids = NDArray[np.int64]

LARGEST_FILE = 50_000_000  # bytes of a tokenizer.json
MOST_TOKENS = 1_000_000
TEXTS_AT_ONCE = 1000  # the library keeps far more about a text than its ids; they are let go between chunks


@dataclass(frozen=True)
class Encoded:
    """A text as ids. `text[begin:end]` is where each token stands; `words` numbers the words the tokens belong to."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int | None, ...]


class Tokens:
    """A vocabulary of one kind. Equal vocabularies are equal, wherever they came from.

    kind        character, word, bpe or byte-bpe
    vocabulary  the tokens in the order of their ids, the special ones first
    merges      for the two kinds of bpe: which two tokens become one, the most frequent first
    specials    which tokens are special, where they are not our five
    parts       how they are put together, where that is none of the kinds with a name
    """

    def __init__(
        self,
        kind: str,
        vocabulary: Sequence[str],
        merges: Sequence[tuple[str, str]] = (),
        specials: Specials = OWN,
        parts: "Parts | None" = None,
    ) -> None:
        if (kind in KINDS) != (specials == OWN):
            raise InputError(
                f"tokens of the kind {kind} have special tokens of {'ours' if specials != OWN else 'theirs'}."
            )
        _check_vocabulary(vocabulary, merges, specials)
        self.kind, self.specials = kind, specials
        self.pad, self.start, self.end = specials.pad, specials.start, specials.end
        self.unknown, self.mask = specials.unknown, specials.mask
        if (kind == FOREIGN) != (parts is not None):
            raise InputError(f"tokens of the kind {FOREIGN}, and no others, are told their parts.")
        self._cutter: Tokenizer | Led
        if parts is None:
            self._tokenizer = self._cutter = assemble(_kind(kind), vocabulary, merges, specials)
        else:
            from glassformer.text.token_parts import tokenizers_of

            self._tokenizer, self._cutter = tokenizers_of(parts, vocabulary, merges, specials)
        own = None if parts is None else parts.of_targets(vocabulary)
        self.for_targets = self if own is None else Tokens(kind, vocabulary, merges, specials, own)
        said = self._tokenizer.to_str() + ("" if specials == OWN else repr(specials))
        said += "" if own is None else self.for_targets.identity
        self.identity: str = hashlib.sha256(said.encode()).hexdigest()
        self._in_bytes = kind in IN_BYTES or (parts is not None and '"ByteLevel"' in parts.skeleton)
        self.parts = parts
        self.reads_only = parts is not None and parts.reads_only
        named = {self._tokenizer.token_to_id(name) for name in specials.names}
        two = parts is not None and parts.of_two_languages
        self._others = {token: i for i, token in enumerate(vocabulary) if token not in specials.names} if two else {}
        self._silent = frozenset(named - {specials.unknown})  # not part of any text, so left out when ids become text

    @staticmethod
    def train(
        kind: str, texts: Iterable[str], *, vocabulary: int | None = None, min_frequency: int | None = None
    ) -> "Tokens":
        """The vocabulary of some texts: at most `vocabulary` tokens, special ones included, each seen `min_frequency`
        times or more. The same texts always give the same tokens."""
        if kind in OTHER_KINDS:
            raise InputError(f"Tokens of the kind {kind} come from another tool; they are not learnt here.")
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
        trained = assemble(parts, SPECIAL, ())
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

    def encode(self, text: str, *, bare: bool = False) -> Encoded:
        """The ids of a text, and where in it each token stands; `bare`, without what stands around a text that is
        read (ours have nothing there)."""
        encoding = self._cutter.encode(_sound(text), add_special_tokens=not bare)
        return Encoded(tuple(self._ids(encoding)), tuple(encoding.offsets), tuple(encoding.word_ids))

    def _ids(self, encoding: Any) -> Sequence[int]:
        """The ids of a text that was cut. Where the pieces are those of one language and the vocabulary has two, what
        is unknown to the first may be known to the second, and a piece of the first may have no id."""
        ids: Sequence[int] = encoding.ids
        if not self._others:
            return ids
        return [
            each if each < len(self) and each != self.unknown else self._others.get(token, self.nothing)
            for each, token in zip(ids, encoding.tokens, strict=True)
        ]

    def encode_many(self, texts: Sequence[str], *, bare: bool = False) -> list[Ids]:
        """The ids of each text, without the places: quicker, and small enough to keep for a whole corpus."""
        ids: list[Ids] = []
        for begin in range(0, len(texts), TEXTS_AT_ONCE):
            chunk = [_sound(text) for text in texts[begin : begin + TEXTS_AT_ONCE]]
            encodings = self._cutter.encode_batch_fast(chunk, add_special_tokens=not bare)
            ids.extend(np.array(self._ids(encoding), dtype=np.int64) for encoding in encodings)
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
        said = [each for each in self._known(ids) if each not in self._silent]
        return str(self._tokenizer.decode(said, skip_special_tokens=False))

    def strings(self, ids: Iterable[int] | Ids) -> list[str]:
        """What a person sees for each id: its text, `<s>` and the like, or `<0xC3>` for a part of a character."""
        names = [str(self._tokenizer.id_to_token(each)) for each in self._known(ids)]
        if self.kind in ("bpe", "llama"):
            return [name.replace("▁", " ") for name in names]
        if self._in_bytes:
            whole = {*self.specials.names, *self.specials.cut}
            return [name if name in whole else seen_bytes(name) for name in names]
        return [name.replace("▁", " ") for name in names] if self.kind == FOREIGN else names

    def name(self, each: int) -> str:
        """What the vocabulary calls an id."""
        return str(self._tokenizer.id_to_token(self._known([each])[0]))

    @property
    def nothing(self) -> int:
        """The id that stands for a text without any token: an unknown one, or, where nothing is unknown, an end."""
        return self.end if self.unknown is None else self.unknown

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

    def special_bytes(self) -> bytes | None:
        """Of tokens of another tool: their kind and their special tokens, which no tokenizer.json tells. Ours: none."""
        if self.specials == OWN:
            return None
        more = {"beyond": self.parts.beyond, "targets": self.parts.targets} if self.parts else {}
        told = {name: asdict(value) if is_dataclass(value) else value for name, value in more.items() if value}
        said = {"kind": self.kind, **asdict(self.specials), **told}
        return (json.dumps(said, ensure_ascii=False, indent=2) + "\n").encode()

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
    def from_bytes(data: bytes, name: str = "This", special: bytes | None = None) -> "Tokens":
        """The same from what such a file holds; `name` is what errors call it, `special` what `special_bytes` gave."""
        if len(data) > LARGEST_FILE:
            raise InputError(f"{name} has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
        try:
            content = json.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name} is not a tokenizer.json: {' '.join(str(error).split())}") from error
        try:
            return _from_content(content) if special is None else _from_others(content, special)
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
    if name in OTHER_KINDS:
        return OTHER_KINDS[name]
    if name not in KINDS:
        raise InputError(f"There is no kind of token called '{name}'; {nearest(name, KINDS)}")
    return KINDS[name]


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
        if found == _skeleton(json.loads(assemble(kind, SPECIAL, ()).to_str())):
            return Tokens(name, by_id(content["model"].get("vocab")), pairs(content["model"].get("merges", [])))
    raise InputError(f"its parts are those of none of our kinds ({', '.join(KINDS)}).")


def _from_others(content: Any, said: bytes) -> Tokens:
    """Tokens of another tool as we wrote them: put together anew, they must give the same file."""
    kind, specials, beyond, targets = _special(said)
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise InputError("it must hold a model, a pre-tokenizer and a decoder.")
    listed, merges = content["model"].get("vocab"), pairs(content["model"].get("merges", []))
    if kind == FOREIGN:
        from glassformer.text.token_parts import checked_parts, scored_pieces

        parts = checked_parts(content, beyond, targets)
        vocabulary = [token for token, _ in scored_pieces(listed)] if parts.scores else by_id(listed)
        found = Tokens(kind, vocabulary, merges, specials, parts)
    else:
        found = Tokens(kind, by_id(listed), merges, specials)
    if json.loads(found.to_bytes()) != content:
        raise InputError(f"its parts are not those of the kind {kind}.")
    return found


def _special(said: bytes) -> tuple[str, Specials, list[Any], Any]:
    """What `special_tokens.json` holds, every value of its kind, but for how translations are cut: unchecked."""
    if len(said) > LARGEST_FILE:
        raise InputError(f"its special tokens take {len(said):,} bytes; at most {LARGEST_FILE:,} are read.")
    try:
        content = json.loads(said.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"its special tokens are not told in JSON: {' '.join(str(error).split())}") from error
    names = {each.name for each in fields(Specials)}
    usual: dict[str, Any] = {"cut": [], "never": [], "beyond": [], "targets": None}  # older files do not say them
    content = {**usual, **content} if isinstance(content, dict) else usual
    beyond, targets = content.pop("beyond"), content.pop("targets")
    if content.keys() != {"kind", *names} or not isinstance(beyond, list):
        raise InputError(f"its special tokens must be told by kind, {', '.join(sorted(names))}.")
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in content.items()
    }
    kind = plain.pop("kind")
    lists = {"names": str, "before": int, "after": int, "cut": str, "never": int}
    if not all(
        isinstance(plain[name], tuple) and all(type(each) is of for each in plain[name]) for name, of in lists.items()
    ):
        raise InputError("its special tokens must be told as lists of names and ids.")
    return str(kind), Specials(**plain), beyond, targets


def by_id(vocabulary: Any) -> list[str]:
    if not isinstance(vocabulary, dict) or any(type(number) is not int for number in vocabulary.values()):
        raise InputError("its vocabulary must give each token a whole number.")
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[token] for token in tokens] != list(range(len(tokens))):
        raise InputError(f"its {len(tokens)} ids must be 0 to {len(tokens) - 1}, each once.")
    return tokens


def pairs(merges: Any) -> list[tuple[str, str]]:
    def is_pair(pair: Any) -> bool:
        return isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)

    if not isinstance(merges, list) or not all(is_pair(pair) for pair in merges):
        raise InputError("its merges must be pairs of tokens.")
    return [(left, right) for left, right in merges]


def _check_vocabulary(vocabulary: Sequence[str], merges: Sequence[tuple[str, str]], specials: Specials) -> None:
    if specials == OWN and tuple(vocabulary[: len(SPECIAL)]) != SPECIAL:
        raise InputError(f"a vocabulary begins with {' '.join(SPECIAL)}.")
    _check_specials(vocabulary, specials)
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


def _check_specials(vocabulary: Sequence[str], specials: Specials) -> None:
    known = set(vocabulary)
    strange = [name for name in (*specials.names, *specials.cut) if name not in known] if specials != OWN else []
    if strange:
        raise InputError(f"the special token {strange[0]!r:.100} is not in the vocabulary.")
    some = (specials.pad, specials.start, specials.end, *specials.before, *specials.after)
    maybe = [each for each in (specials.unknown, specials.mask, *specials.never) if each is not None]
    for each in (*some, *maybe):
        if type(each) is not int or not 0 <= each < len(vocabulary) or vocabulary[each] not in specials.names:
            raise InputError(f"the id {each!r:.100} is that of no special token.")
