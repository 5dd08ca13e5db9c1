"""The files of tokens that stand in an export, and what cuts texts by them there: one tokenizer.json, or where two
languages are cut by pieces of their own, what a Marian has. It knows no model.
"""

import json
import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from tokenizers import Tokenizer

from glassformer.exchange.vocabularies.marian_files import NAMES, are_of_two_languages, marian_files
from glassformer.text.tokens import Tokens

SETTINGS = "tokenizer_config.json"


def token_files(tokens: Tokens, longest: int) -> dict[str, bytes]:
    """All that cuts texts, by name; `longest`, how many tokens of a text are read."""
    if not are_of_two_languages(tokens):
        return {"tokenizer.json": tokens.to_bytes()}
    said = {"tokenizer_class": "MarianTokenizer", "separate_vocabs": False, "model_max_length": longest, **NAMES}
    return {**marian_files(tokens), SETTINGS: (json.dumps(said, indent=2) + "\n").encode()}


def cutter_of(folder: Path) -> Callable[[str], list[int]]:
    """What gives the ids of a text in an export for a tool that has no tokenizers of its own."""
    if not (folder / "source.spm").exists():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        return lambda text: list(tokenizer.encode(text).ids)
    import_module("sentencepiece")  # who has not got it is told so by its name
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Recommended: pip install sacremoses")  # it is not used to cut texts
        marian = import_module("transformers").MarianTokenizer.from_pretrained(folder, local_files_only=True)
    return lambda text: list(marian(text)["input_ids"])
