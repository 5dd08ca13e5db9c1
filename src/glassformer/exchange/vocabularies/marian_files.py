"""The files that a Marian's tokenizer is kept in, written from tokens that came from such: two models of SentencePiece,
one for each language, and vocab.json, which numbers the pieces of both. It knows no model.

A tokenizer.json cuts by one vocabulary, all of whose pieces have ids. A Marian's source language has pieces without
one, and ids that only the other language has: so it is written back as it came.
"""

import base64
import json

from glassformer.errors import InputError
from glassformer.exchange.vocabularies.foreign_tokens import filler
from glassformer.exchange.vocabularies.older_token_files import SPACED, WORDS_APART
from glassformer.exchange.vocabularies.sentence_pieces import sentence_model
from glassformer.text.token_parts import NEVER, Parts
from glassformer.text.tokens import Tokens

NAMES = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>"}  # as MarianTokenizer has them


def are_of_two_languages(tokens: Tokens) -> bool:
    """Whether no tokenizer.json can hold them."""
    parts = tokens.parts
    return parts is not None and (parts.targets is not None or bool(parts.beyond) or parts.reads_only)


def marian_files(tokens: Tokens) -> dict[str, bytes]:
    """source.spm, target.spm and vocab.json of such tokens, or an error that says why there are none."""
    parts, specials = tokens.parts, tokens.specials
    if parts is None or parts.targets is None:
        raise InputError(
            "These tokens are those of two languages, and nobody says how the second is cut: the folder that they came "
            "from had no target.spm. Import it again with that file."
        )
    roles = {"unk_token": tokens.unknown, "eos_token": tokens.end, "pad_token": tokens.pad}
    named = {role: None if each is None else tokens.name(each) for role, each in roles.items()}
    if named != NAMES or (specials.before, specials.after) != ((), (tokens.end,)) or not _as_marian_cuts(parts):
        raise InputError("These tokens are those of two languages, but are not put together as a Marian's.")
    names = [tokens.name(each) for each in range(len(tokens))]
    silent = {*specials.names}
    source = [
        (name, score) for name, score in zip(names, parts.scores, strict=True) if score != NEVER and name not in silent
    ]
    ids = {name: each for each, name in enumerate(names) if name != filler(each)}
    written = (json.loads(parts.skeleton)["normalizer"] or {}).get("precompiled_charsmap", "")
    return {
        "source.spm": sentence_model([*source, *parts.beyond], base64.b64decode(written)),
        "target.spm": sentence_model(parts.targets.pieces, base64.b64decode(parts.targets.table)),
        "vocab.json": (json.dumps(ids, ensure_ascii=False, indent=1) + "\n").encode(),
    }


def _as_marian_cuts(parts: Parts) -> bool:
    said = json.loads(parts.skeleton)
    written = said["normalizer"]
    return (
        said["pre_tokenizer"] == WORDS_APART and said["decoder"] == SPACED and not said["model"].get("byte_fallback")
        and (written is None or written["type"] == "Precompiled")
    )  # fmt: skip
