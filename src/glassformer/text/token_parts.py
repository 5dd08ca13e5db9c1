"""How a tokenizer of another tool is put together: from a closed list of parts, none of which runs a pattern of its
file.

Every part, every key and every value is one that stands below, or an error. A pattern must be one of those that are
known; what is put in another's place is never longer; a table of characters must be one that SentencePiece brings.
"""

import base64
import binascii
import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from glassformer.errors import InputError
from glassformer.text.token_kinds import CUT, Specials, with_specials

NEVER = -1_000_000.0  # the score of a piece that no text is cut into
LONGEST_PIECE = 256  # characters of a piece with a score: each place of a text is compared with all that begin there
LONGEST_WORD = 1_000  # characters of a word that is looked up in pieces: the time grows with its square
MOST_PARTS = 16  # in a row
SMALLEST_SCORE = -1_000.0  # of a piece that texts are cut into

_LETTERS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"  # GPT-2's
PATTERNS = frozenset({_LETTERS, CUT % "", CUT % "{1,3}", " {2,}", r"\s+", r"\d", r"\d+", r"\p{N}", r"\p{N}{1,3}"})
TABLES = frozenset({  # of SentencePiece's own rules, in several versions
    "cab969cc39d743f8402e6fd752a0916e71839bcb27171ca72191336b7f71b4bc",
    "0942789e0111452f1cc446f70036e26d24458c3c7858c53cc12ca4d87531279b",
    "48fb27e7e6ba55e9dea974925e58d5687b10bfa4d1559cdfbe3480435c852100",
    "1e2c7b43d3ee9755ceaa2ac335e253d8703604e0249ee1e81156c92b46423844",
    "7e46d9e08af4b6a37991b04fb8388644c1595a0abcd0f26d6a5d575e2a3663ea",
    "2c03512e62f9ed965ec90d85314211b63b5b8aa0395311ea2147eec9ff738907",
    "d8dfef3d6db0eef0742f8b55a73aee7fce6c1e21d26a09b8d3d4b52c42a791cb",
})  # fmt: skip

Check = Callable[[Any], bool]


Pieces = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class Targets:
    """How translations are cut, where that is otherwise than what is translated: a table of characters, as it stands in
    files, and pieces with their scores."""

    table: str
    pieces: Pieces


@dataclass(frozen=True)
class Parts:
    """The parts of one tokenizer, as JSON: normalizer, pre-tokenizer, decoder, and what its model is told beside its
    vocabulary and merges; the scores of its pieces, where they have any; pieces beyond its vocabulary, which stand for
    what is unknown; and how translations are cut, if otherwise."""

    skeleton: str
    scores: tuple[float, ...] = ()
    beyond: Pieces = ()
    targets: Targets | None = None

    @property
    def of_two_languages(self) -> bool:
        """Whether there are pieces without an id, or ids that no text is cut into."""
        return bool(self.beyond) or NEVER in self.scores

    @property
    def reads_only(self) -> bool:
        """Whether most of what can be written is no piece that texts are cut into: it stands for another language, and
        nobody says how that is cut."""
        return self.targets is None and 10 * self.scores.count(NEVER) > len(self.scores)

    def of_targets(self, vocabulary: Sequence[str]) -> "Parts | None":
        """The parts that cut translations into the same vocabulary, if they are others."""
        if self.targets is None:
            return None
        known, scores = set(vocabulary), dict(self.targets.pieces)
        skeleton = json.loads(self.skeleton) | {"normalizer": _written_by(self.targets.table)}
        return Parts(
            json.dumps(skeleton, ensure_ascii=False, sort_keys=True),
            tuple(scores.get(name, NEVER) for name in vocabulary),
            tuple((piece, score) for piece, score in self.targets.pieces if piece not in known),
        )


def _written_by(table: str) -> dict[str, str] | None:
    return {"type": "Precompiled", "precompiled_charsmap": table} if table else None


def _is(*kinds: type) -> Check:
    return lambda value: type(value) in kinds


def _among(*values: Any) -> Check:
    return lambda value: any(type(value) is type(each) and value == each for each in values)


def _short(most: int, least: int = 0) -> Check:
    return lambda value: isinstance(value, str) and least <= len(value) <= most


def _pattern(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) != 1:
        return False
    ((kind, said),) = value.items()
    if not isinstance(said, str):
        return False
    return (kind == "String" and 1 <= len(said) <= 16) or (kind == "Regex" and said in PATTERNS)


def _table(value: Any) -> bool:
    try:
        return hashlib.sha256(base64.b64decode(value, validate=True)).hexdigest() in TABLES
    except (TypeError, ValueError, binascii.Error):
        return False


_FLAG, _MAYBE = _is(bool), _is(bool, type(None))
_BEHAVIOUR = _among("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
_IN_BYTES = {"add_prefix_space": _FLAG, "trim_offsets": _FLAG, "use_regex": _FLAG}
_SPACED = {
    "replacement": _short(1, 1), "str_rep": _short(1, 1), "add_prefix_space": _FLAG, "split": _FLAG,
    "prepend_scheme": _among("always", "first", "never"),
}  # fmt: skip
_REPLACED = {"pattern": _pattern, "content": _short(16)}
_NO_KEYS: Mapping[str, Check] = MappingProxyType({})

# Each part with its keys; one that holds others in a row has the name of its list instead.
_ALLOWED: Mapping[str, Mapping[str, Mapping[str, Check] | str]] = MappingProxyType({
    "normalizer": {
        "Sequence": "normalizers", "NFC": _NO_KEYS, "NFD": _NO_KEYS, "NFKC": _NO_KEYS, "NFKD": _NO_KEYS,
        "Lowercase": _NO_KEYS, "StripAccents": _NO_KEYS, "Nmt": _NO_KEYS, "Replace": _REPLACED,
        "Strip": {"strip_left": _FLAG, "strip_right": _FLAG}, "Prepend": {"prepend": _short(8)},
        "Precompiled": {"precompiled_charsmap": _table},
        "BertNormalizer": {
            "clean_text": _FLAG, "handle_chinese_chars": _FLAG, "strip_accents": _MAYBE, "lowercase": _FLAG,
        },
    },
    "pre_tokenizer": {
        "Sequence": "pretokenizers", "ByteLevel": _IN_BYTES, "Whitespace": _NO_KEYS, "WhitespaceSplit": _NO_KEYS,
        "BertPreTokenizer": _NO_KEYS, "Metaspace": _SPACED, "UnicodeScripts": _NO_KEYS,
        "Digits": {"individual_digits": _FLAG}, "Punctuation": {"behavior": _BEHAVIOUR},
        "CharDelimiterSplit": {"delimiter": _short(1, 1)},
        "Split": {"pattern": _pattern, "behavior": _BEHAVIOUR, "invert": _FLAG},
    },
    "decoder": {
        "Sequence": "decoders", "ByteLevel": _IN_BYTES, "ByteFallback": _NO_KEYS, "Fuse": _NO_KEYS,
        "Metaspace": _SPACED, "Replace": _REPLACED, "BPEDecoder": {"suffix": _short(16)},
        "WordPiece": {"prefix": _short(8), "cleanup": _FLAG},
        "Strip": {"content": _short(1, 1), "start": _among(0, 1), "stop": _among(0, 1)},
    },
})  # fmt: skip
_MODELS: Mapping[str, Mapping[str, Check]] = MappingProxyType({
    "BPE": {
        "dropout": _among(None), "unk_token": _is(str, type(None)),
        "continuing_subword_prefix": _among(None, ""),
        "end_of_word_suffix": lambda value: value is None or _short(16)(value),
        "fuse_unk": _FLAG, "byte_fallback": _FLAG, "ignore_merges": _FLAG,
    },
    "WordPiece": {
        "unk_token": _is(str), "continuing_subword_prefix": _short(16),
        "max_input_chars_per_word": lambda value: type(value) is int and 1 <= value <= LONGEST_WORD,
    },
    "WordLevel": {"unk_token": _is(str)},
    "Unigram": {"unk_id": lambda value: type(value) is int and value >= 0, "byte_fallback": _FLAG},
})  # fmt: skip


def checked_parts(content: Mapping[str, Any], beyond: Sequence[Any] = (), targets: Any = None) -> Parts:
    """The parts of a tokenizer.json, if each of them is known; `beyond` and `targets`, what it has no place for."""
    model = {key: value for key, value in content["model"].items() if key not in ("vocab", "merges")}
    model.setdefault("type", "Unigram" if isinstance(content["model"].get("vocab"), list) else "BPE")
    if not isinstance(model["type"], str) or model["type"] not in _MODELS:
        raise InputError(f"tokenizer.json: a model of the type {model['type']!r:.50} is not known here.")
    _must_fit("model", model, _MODELS[model["type"]])
    for part in _ALLOWED:
        _must_be_known(part, content.get(part))
    skeleton = {part: content.get(part) for part in _ALLOWED} | {"model": model}
    said = json.dumps(skeleton, ensure_ascii=False, sort_keys=True)
    if model["type"] != "Unigram":
        if targets is not None:
            raise InputError("translations are cut otherwise only where pieces have scores.")
        return Parts(said)
    scores = tuple(score for _, score in _checked_scores(content["model"].get("vocab")))
    return Parts(said, scores, tuple(_checked_scores(beyond)), None if targets is None else _checked_targets(targets))


def _checked_targets(targets: Any) -> Targets:
    if not isinstance(targets, dict) or targets.keys() != {"table", "pieces"}:
        raise InputError("how translations are cut must be told by a table and pieces.")
    if targets["table"] != "" and not _table(targets["table"]):
        raise InputError("translations are written with a table of characters that is not known here.")
    pieces = tuple(_checked_scores(targets["pieces"]))
    if len(dict(pieces)) < len(pieces) or not pieces:
        raise InputError("translations are cut into pieces, one at least, each of which stands once.")
    return Targets(targets["table"], pieces)


def _must_be_known(name: str, part: Any, deep: int = 0) -> None:
    if part is None:
        return
    kind = part.get("type") if isinstance(part, dict) else None
    allowed = _ALLOWED[name].get(kind) if isinstance(kind, str) else None
    if allowed is None or deep > 1:
        raise InputError(f"tokenizer.json: the {name} {part!r:.100} is not known here.")
    if not isinstance(allowed, str):
        _must_fit(name, part, allowed)
        if part["type"] == "Replace" and len(part["content"]) > max(map(len, part["pattern"].values())):
            raise InputError(f"tokenizer.json: the {name} {part!r:.100} makes texts longer; that is not taken in.")
        return
    row = part.get(allowed)
    if set(part) != {"type", allowed} or not isinstance(row, list) or len(row) > MOST_PARTS:
        raise InputError(f"tokenizer.json: the {name} {part!r:.100} is not known here.")
    for each in row:
        _must_be_known(name, each, deep + 1)


def _must_fit(name: str, part: Mapping[str, Any], keys: Mapping[str, Check]) -> None:
    for key, value in part.items():
        if key != "type" and (key not in keys or not keys[key](value)):
            raise InputError(
                f"tokenizer.json: `{key:.50}` of the {name} {part['type']} is {value!r:.100}; that is not known "
                "here, and no pattern of a file is run."
            )


def _checked_scores(vocabulary: Any) -> list[tuple[str, float]]:
    pieces = scored_pieces(vocabulary)
    for piece, score in pieces:
        if score != NEVER and not SMALLEST_SCORE <= score <= 0.0:
            raise InputError(f"tokenizer.json: the score of {piece!r:.50} is {score}; it must be from −1,000 to 0.")
        if len(piece) > LONGEST_PIECE:
            raise InputError(
                f"tokenizer.json: a piece has {len(piece):,} characters; at most {LONGEST_PIECE} are known."
            )
    return pieces


def scored_pieces(vocabulary: Any) -> list[tuple[str, float]]:
    """A vocabulary in which each token has a score."""

    def is_scored(each: Any) -> bool:
        return (
            isinstance(each, list) and len(each) == 2 and isinstance(each[0], str)
            and type(each[1]) in (int, float) and math.isfinite(each[1])
        )  # fmt: skip

    if not isinstance(vocabulary, list | tuple) or not all(map(is_scored, vocabulary)):
        raise InputError("tokenizer.json: its vocabulary must give each token a score.")
    return [(piece, float(score)) for piece, score in vocabulary]


# --- putting them together ---------------------------------------------------------------------------------------


def tokenizers_of(
    parts: Parts, vocabulary: Sequence[str], merges: Sequence[tuple[str, str]], specials: Specials
) -> "tuple[Tokenizer, Tokenizer | Led]":
    """A tokenizer of another tool, and the one that cuts texts: the same, but where pieces have scores, among which a
    special one would be found in a text."""
    unknown = _unknown_of(parts)
    if unknown not in (range(len(vocabulary)) if parts.scores else (None, *vocabulary)):
        raise InputError(f"what stands for unknown tokens, {unknown!r:.50}, is not in the vocabulary.")
    whole = with_specials(_put_together(parts, vocabulary, merges), vocabulary, specials)
    if not parts.scores:
        return whole, whole
    bare, names = _cutting(parts, vocabulary, frozenset(specials.names))
    if not parts.of_two_languages:
        return whole, with_specials(_put_together(bare, names, merges), names, replace(specials, names=()))
    cutter = with_specials(_put_together(bare, names, merges), names, replace(specials, names=(), cut=()))
    codes = {name: vocabulary.index(name) for name in specials.cut}
    return whole, Led(cutter, codes, len(vocabulary) if specials.unknown is None else specials.unknown)


class Cut(NamedTuple):
    """A text that was cut, as tokenizers tell it."""

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    word_ids: list[int | None]


@dataclass(frozen=True)
class Led:
    """Cuts as another does, but for a language's code at the very start of a text, as in `>>de<< Good morning.`: that
    is one token, unknown where there is none of that name. Anywhere else it is text, as to MarianTokenizer."""

    cutter: Tokenizer
    codes: Mapping[str, int]
    unknown: int

    def encode(self, text: str, *, add_special_tokens: bool = True) -> Cut:
        """One text, and where in it each token stands."""
        return self.encode_batch_fast([text], add_special_tokens=add_special_tokens)[0]

    def encode_batch_fast(self, texts: Sequence[str], *, add_special_tokens: bool = True) -> list[Cut]:
        """Several texts."""
        codes = [_code_of(text) for text in texts]
        rest = [text[len(code) :] for text, code in zip(texts, codes, strict=True)]
        found = self.cutter.encode_batch(rest, add_special_tokens=add_special_tokens)
        return [self._led(*each) for each in zip(codes, found, strict=True)]

    def _led(self, code: str, rest: Any) -> Cut:
        if not code:
            return Cut(rest.ids, rest.tokens, rest.offsets, rest.word_ids)
        by = len(code)
        return Cut(
            [self.codes.get(code, self.unknown), *rest.ids], [code, *rest.tokens],
            [(0, by), *((begin + by, end + by) for begin, end in rest.offsets)],
            [0, *(None if word is None else word + 1 for word in rest.word_ids)],
        )  # fmt: skip


def _code_of(text: str) -> str:
    """What stands at the start of a text between >> and <<, with these."""
    end = text.find("<<") if text.startswith(">>") else -1
    return text[: end + 2] if end >= 0 else ""


def _unknown_of(parts: Parts) -> str | int | None:
    """The token that stands for what is not known, by its name, or where pieces have scores by its number."""
    model = json.loads(parts.skeleton)["model"]
    found: str | int | None = model.get("unk_id" if parts.scores else "unk_token") or None
    return 0 if parts.scores and model.get("unk_id") == 0 else found


def _put_together(parts: Parts, vocabulary: Sequence[str], merges: Sequence[tuple[str, str]]) -> Tokenizer:
    """The tokenizer of these parts, without special tokens."""
    skeleton = json.loads(parts.skeleton)
    found: dict[str, Any] = {}
    if parts.scores:
        found["vocab"] = list(zip(vocabulary, parts.scores, strict=True))
    else:
        found["vocab"] = {token: number for number, token in enumerate(vocabulary)}
    if skeleton["model"]["type"] == "BPE":
        found["merges"] = list(merges)
    whole = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "post_processor": None,
        **skeleton, "model": {**skeleton["model"], **found},
    }  # fmt: skip
    try:
        return Tokenizer.from_str(json.dumps(whole))
    except Exception as error:  # the library has no error of its own
        raise InputError(f"its parts do not fit together: {' '.join(str(error).split()):.200}") from error


def _cutting(parts: Parts, vocabulary: Sequence[str], silent: frozenset[str]) -> tuple[Parts, list[str]]:
    """The same for cutting texts, where pieces have scores, with those beyond the vocabulary behind it. What no text is
    cut into goes by a name with a space in it, which no cut text has."""
    hidden = [score == NEVER or token in silent for token, score in zip(vocabulary, parts.scores, strict=True)]
    names = [f" {i}" if hide else token for i, (token, hide) in enumerate(zip(vocabulary, hidden, strict=True))]
    scores = [0.0 if hide else score for score, hide in zip(parts.scores, hidden, strict=True)]
    more = [piece for piece, _ in parts.beyond]
    if len({*vocabulary, *more}) < len(vocabulary) + len(more) or "" in more:
        raise InputError("a piece beyond the vocabulary is empty, or stands twice.")
    return Parts(parts.skeleton, (*scores, *(score for _, score in parts.beyond))), [*names, *more]
