"""Files of tokens that are older than tokenizer.json, told as the tokenizer.json that they stand for: vocab.txt of
BERT, vocab.json with merges.txt, and models of SentencePiece. Nothing of them is run. It knows no model.
"""

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassformer.errors import InputError
from glassformer.exchange.vocabularies.sentence_pieces import CONTROL, NORMAL, UNKNOWN, Sentences, sentences
from glassformer.storage import parse_json
from glassformer.text.token_kinds import CUT
from glassformer.text.token_parts import NEVER
from glassformer.text.tokens import LARGEST_FILE

FILES = (
    "vocab.txt", "vocab.json", "merges.txt", "added_tokens.json", "source.spm", "target.spm", "tokenizer.model",
    "sentencepiece.bpe.model", "spiece.model",
)  # fmt: skip
# What a tokenizer.json has no place for: pieces for which no id stands, and how translations are cut.
BEYOND, TARGETS = "beyond", "targets"
_LONGEST_PIECE = 256  # characters
# What cuts text as these files say, by the names that settings have for it; none is usual.
CUTTERS = {
    "bert": ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"),
    "gpt2": ("GPT2Tokenizer",), "roberta": ("RobertaTokenizer",), "qwen2": ("Qwen2Tokenizer",),
    "qwen3": ("Qwen2Tokenizer",), "llama": ("LlamaTokenizer",), "mistral": ("LlamaTokenizer",),
    "marian": ("MarianTokenizer",), "pegasus": ("PegasusTokenizer",),
}  # fmt: skip
SPACED = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
WORDS_APART = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, SPACED]}


def as_tokenizer_json(files: Mapping[str, bytes], kind_of_model: str, cutter: str = "") -> dict[str, Any]:
    """What a tokenizer.json would say in place of these files; `cutter` is what the model's config calls that which
    cuts text, where the settings of the tokens say nothing."""
    cutter = content_of(settings(files).get("tokenizer_class")) or cutter
    older = any(name in files for name in FILES)
    if older and cutter and cutter.removesuffix("Fast") not in CUTTERS.get(kind_of_model, ()):
        raise InputError(
            f"The folder has no tokenizer.json, and its text is cut by a {cutter:.50}, which is not known for a "
            f"{kind_of_model:.50}. Where its own tool can write a tokenizer.json, that is read."
        )
    if "source.spm" in files and "vocab.json" in files and kind_of_model == "marian":
        said = _marian(sentences(files["source.spm"]), _numbered(files["vocab.json"]))
        return {**said, TARGETS: _targets(files["target.spm"])} if "target.spm" in files else said
    if "vocab.json" in files and "merges.txt" in files and kind_of_model in ("gpt2", "roberta", "qwen2", "qwen3"):
        return _in_bytes(files, kind_of_model)
    if "vocab.txt" in files and kind_of_model == "bert":
        return _bert(files)
    if "tokenizer.model" in files and kind_of_model in ("llama", "mistral"):
        return _merged(sentences(files["tokenizer.model"]), settings(files))
    if "spiece.model" in files and kind_of_model == "pegasus":
        return _pegasus(sentences(files["spiece.model"], own=True), settings(files))
    raise InputError(
        "The folder has no tokenizer.json, nor what may stand in its place: vocab.txt of a BERT, vocab.json with "
        "merges.txt, tokenizer.model of a Llama, source.spm with vocab.json of a Marian, spiece.model of a Pegasus. "
        "Without it no text can be read."
    )


# --- BERT's, and those in bytes ---------------------------------------------------------------------------------


def _bert(files: Mapping[str, bytes]) -> dict[str, Any]:
    names = _lines(files["vocab.txt"], "vocab.txt")
    said = settings(files)
    unknown = content_of(said.get("unk_token")) or "[UNK]"
    special = [name for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if name in names]
    for name in ("[CLS]", "[SEP]", unknown):
        if name not in names:
            raise InputError(f"vocab.txt has no {name}, which its tokenizer needs.")
    return {
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "strip_accents": said.get("strip_accents"),
            "handle_chinese_chars": said.get("tokenize_chinese_chars", True) is True,
            "lowercase": said.get("do_lower_case", True) is True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "post_processor": {"type": "BertProcessing", "cls": ["[CLS]", 0], "sep": ["[SEP]", 0]},
        "added_tokens": [_special(name, names.index(name)) for name in special],
        "model": {
            "type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": _each_once(names, "vocab.txt"),
        },
    }  # fmt: skip


def _in_bytes(files: Mapping[str, bytes], kind_of_model: str) -> dict[str, Any]:
    """GPT-2's, RoBERTa's and Qwen's: merges of bytes, one to a line."""
    vocabulary = _numbered(files["vocab.json"])
    lines = _lines(files["merges.txt"], "merges.txt")
    merges = [line.split(" ") for line in lines if line and not line.startswith("#version")]
    said = settings(files)
    plain = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    if said.get("add_prefix_space") is True:
        plain["add_prefix_space"] = True
    qwen = kind_of_model.startswith("qwen")
    cut = {"type": "Split", "pattern": {"Regex": CUT % ""}, "behavior": "Isolated", "invert": False}
    around = {"type": "RobertaProcessing", "cls": ["<s>", 0], "sep": ["</s>", 0]}
    return {
        "normalizer": {"type": "NFC"} if qwen else None,
        "pre_tokenizer": (
            {"type": "Sequence", "pretokenizers": [cut, {**plain, "use_regex": False}]} if qwen else plain
        ),
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "post_processor": around if kind_of_model == "roberta" else _ends(said, begins=False),
        "added_tokens": _added(files, vocabulary),
        "model": {"type": "BPE", "unk_token": None, "vocab": vocabulary, "merges": merges},
    }


def _added(files: Mapping[str, bytes], vocabulary: Mapping[str, int]) -> list[dict[str, Any]]:
    """Tokens that were added: those with numbers of their own, and those that their settings name."""
    numbered = settings(files).get("added_tokens_decoder") or {}
    if not isinstance(numbered, dict):
        raise InputError("tokenizer_config.json: `added_tokens_decoder` must give tokens by their ids.")
    found = {}
    for id_, token in numbered.items():
        if not re.fullmatch("[0-9]{1,9}", id_):
            said = id_ if len(id_) < 20 else f"{id_[:20]}…"
            raise InputError(
                f"tokenizer_config.json: `added_tokens_decoder` must give tokens by their ids; not '{said}'."
            )
        if isinstance(token, dict) and isinstance(token.get("content"), str):
            found[token["content"]] = {**token, "id": int(id_)}
    if "added_tokens.json" in files:
        for name, id_ in _numbered(files["added_tokens.json"], "added_tokens.json").items():
            found.setdefault(name, _special(name, id_))
    for name in named_specials(files):
        if name in vocabulary:
            found.setdefault(name, _special(name, vocabulary[name]))
    for name in ("<|endoftext|>", "<s>", "<pad>", "</s>", "<unk>", "<mask>"):  # what these tokenizers name themselves
        if name in vocabulary:
            found.setdefault(name, _special(name, vocabulary[name]))
    return list(found.values())


def _special(name: str, id_: int) -> dict[str, Any]:
    return {"content": name, "id": id_, "special": True}


# --- SentencePiece ----------------------------------------------------------------------------------------------


def _marian(model: Sentences, ids: Mapping[str, int]) -> dict[str, Any]:
    """Cut by the pieces of the source language, numbered by vocab.json, which has those of both."""
    scores = _marians_scores(model, "source.spm")
    names = _dense(ids, "vocab.json")
    special = [name for name in ("</s>", "<unk>", "<pad>") if name in ids]
    if len(special) < 3:
        raise InputError("vocab.json must have </s>, <unk> and <pad>, as a Marian's has.")
    languages = [name for name in names if name.startswith(">>") and name.endswith("<<") and len(name) > 4]
    return {
        **_unigram([(name, scores.get(name, NEVER)) for name in names], ids["<unk>"], model.table),
        BEYOND: [[piece, score] for piece, score in scores.items() if piece not in ids],
        "post_processor": _around((), ("</s>",)),
        "added_tokens": [
            *(_special(name, ids[name]) for name in special),
            *({"content": name, "id": ids[name], "special": False} for name in languages),
        ],
    }


def _targets(data: bytes) -> dict[str, Any]:
    """How translations are cut: by the pieces of the other language, under the same ids."""
    model = sentences(data)
    scores = _marians_scores(model, "target.spm")
    return {"table": base64.b64encode(model.table).decode(), "pieces": [[*each] for each in scores.items()]}


def _marians_scores(model: Sentences, name: str) -> dict[str, float]:
    if model.merged or not model.tidy or model.in_bytes:
        raise InputError(
            f"{name} is none of Marian's kind: pieces with scores, several spaces being one, and no bytes for what is "
            "unknown."
        )
    _each_once([piece.text for piece in model.pieces], name)
    return {piece.text: piece.score for piece in model.pieces if piece.kind == NORMAL}


_MASKS = 103  # ids that a Pegasus has before its pieces, for what was masked when it learnt


def _pegasus(model: Sentences, said: Mapping[str, Any]) -> dict[str, Any]:
    """Its pieces stand behind the names of masks, but for the first two, pad and end."""
    first = [piece.text for piece in model.pieces[:3]]
    if (
        model.merged
        or not model.tidy
        or model.in_bytes
        or first != ["<pad>", "</s>", "<unk>"]
        or said.get("offset", _MASKS) != _MASKS
    ):
        raise InputError("spiece.model is none of Pegasus' kind: pieces with scores, <pad>, </s> and <unk> first.")
    special = [*first[:2], "<mask_1>", "<mask_2>", *(f"<unk_{i}>" for i in range(2, _MASKS))]
    whole = [*((name, 0.0) for name in special), *((piece.text, piece.score) for piece in model.pieces[2:])]
    _each_once([name for name, _ in whole], "spiece.model")
    return {
        **_unigram(whole, len(special), model.table),
        "post_processor": _around((), ("</s>",)),
        "added_tokens": [_special(name, i) for i, name in enumerate([*special, "<unk>"])],
    }


def _unigram(pieces: list[tuple[str, float]], unknown: int, table: bytes) -> dict[str, Any]:
    written = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(table).decode()}
    return {
        "normalizer": written if table else None,
        "pre_tokenizer": WORDS_APART,
        "decoder": SPACED,
        "model": {"type": "Unigram", "unk_id": unknown, "vocab": [list(piece) for piece in pieces]},
    }


def _merged(model: Sentences, said: Mapping[str, Any]) -> dict[str, Any]:
    """Llama's: pieces that are merged by their scores, and bytes for what is not known."""
    if said.get("add_prefix_space") is False:
        raise InputError("tokenizer_config.json puts no space before a text, which is not known of a tokenizer.model.")
    if not model.merged or model.table or model.tidy or not model.in_bytes:
        raise InputError("tokenizer.model is none of Llama's kind: pieces that are merged, with bytes for the rest.")
    names = _each_once([piece.text for piece in model.pieces], "tokenizer.model")
    special = [piece.text for piece in model.pieces if piece.kind in (UNKNOWN, CONTROL)]
    normal = [(piece.text, piece.score) for piece in model.pieces if piece.kind == NORMAL]
    return {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
        "post_processor": _ends({"bos_token": "<s>", "eos_token": "</s>", **said}, begins=True),
        "added_tokens": [_special(name, names[name]) for name in special],
        "model": {
            "type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "vocab": names,
            "merges": [list(pair) for pair in merges_of(normal, names)],
        },
    }  # fmt: skip


def merges_of(scored: list[tuple[str, float]], ids: Mapping[str, int]) -> list[tuple[str, str]]:
    """Which two pieces become one, in which order: of two neighbours, those first whose sum scores best."""
    found = []
    for piece, score in scored:
        if len(piece) > _LONGEST_PIECE:  # each of its places could be where two meet
            said = f"A piece of tokenizer.model has {len(piece):,} characters; at most {_LONGEST_PIECE} are merged."
            raise InputError(said)
        splits = [(piece[:cut], piece[cut:]) for cut in range(1, len(piece))]
        known = sorted((ids[a], ids[b], a, b) for a, b in splits if a in ids and b in ids)
        found += [(-score, order, pair) for order, pair in enumerate(known)]
    return [(a, b) for _, _, (_, _, a, b) in sorted(found, key=lambda each: each[:2])]


def _ends(said: Mapping[str, Any], *, begins: bool) -> dict[str, Any] | None:
    """What stands around a text: its first and last token, where settings ask for them, and where nothing is said the
    first if that `begins` such texts."""
    names = [content_of(said.get(name)) for name in ("bos_token", "eos_token")]
    asked = said.get("add_bos_token"), said.get("add_eos_token")
    wanted = [begins if asked[0] is None else asked[0] is True, asked[1] is True]
    if any(each and not name for each, name in zip(wanted, names, strict=True)):
        raise InputError("tokenizer_config.json puts a token around each text, and does not say which.")
    before, after = (((name,) if each else ()) for each, name in zip(wanted, names, strict=True))
    return _around(before, after) if before or after else None


def _around(before: tuple[str, ...], after: tuple[str, ...]) -> dict[str, Any]:
    names = [{"SpecialToken": {"id": name}} for name in before], [{"SpecialToken": {"id": name}} for name in after]
    return {"type": "TemplateProcessing", "single": [*names[0], {"Sequence": {"id": "A"}}, *names[1]]}


# --- what several share -----------------------------------------------------------------------------------------


def settings(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What tokenizer_config.json says; nothing where there is none."""
    data = files.get("tokenizer_config.json")
    return parse_json(data, Path("tokenizer_config.json")) if data else {}


def named_specials(files: Mapping[str, bytes]) -> list[str]:
    """The special tokens that the settings beside a tokenizer name."""
    said: dict[str, Any] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        said |= parse_json(files[name], Path(name)) if name in files else {}
    return [content_of(value) for key, value in said.items() if key.endswith("_token") and content_of(value)]


def content_of(value: Any) -> str:
    """The text of a token, however it is told."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else ""


def _numbered(data: bytes, name: str = "vocab.json") -> dict[str, int]:
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name} has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
    found = parse_json(data, Path(name))
    if any(type(number) is not int for number in found.values()):
        raise InputError(f"{name} must give each token a whole number.")
    return found


def _dense(ids: Mapping[str, int], name: str) -> list[str]:
    found = sorted(ids, key=ids.__getitem__)
    if [ids[token] for token in found] != list(range(len(found))):
        raise InputError(f"{name}: its {len(found):,} ids must be 0 to {len(found) - 1:,}, each once.")
    return found


def _each_once(names: list[str], name: str) -> dict[str, int]:
    found = {token: number for number, token in enumerate(names)}
    if len(found) < len(names):
        raise InputError(f"{name} has a token twice.")
    return found


def _lines(data: bytes, name: str) -> list[str]:
    return _text(data, name).replace("\r\n", "\n").rstrip("\n").split("\n")


def _text(data: bytes, name: str) -> str:
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name} has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is no text in UTF-8: {error}") from error
