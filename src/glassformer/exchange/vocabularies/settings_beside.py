"""What the settings beside a tokenizer.json say otherwise than it. transformers lets them stand above the file, and,
where they say nothing, its own usual values; here they do where they speak. It knows no model.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from glassformer.exchange.vocabularies.older_token_files import CUTTERS, content_of, settings

_LOWER = (
    ("do_lower_case", "lowercase", True),
    ("strip_accents", "strip_accents", None),
    ("tokenize_chinese_chars", "handle_chinese_chars", True),
)
_PREFIX = (("add_prefix_space", "add_prefix_space", False),)
# By what cuts: a part of tokenizer.json, its type, and of each setting its name, its name there, its usual value.
_BENT = {
    "BertTokenizer": ("normalizer", "BertNormalizer", _LOWER),
    "GPT2Tokenizer": ("pre_tokenizer", "ByteLevel", _PREFIX),
    "RobertaTokenizer": ("pre_tokenizer", "ByteLevel", _PREFIX),
}
_USUAL = {"bert": "BertTokenizer", "gpt2": "GPT2Tokenizer", "roberta": "RobertaTokenizer"}  # by the kind of model


class _Bend(NamedTuple):
    """A setting that differs from a tokenizer.json: its name, where it stands there, what it says, what is said there,
    and whether it is spoken of at all."""

    name: str
    place: tuple[str, str]
    wanted: bool | None
    there: Any
    spoken: bool


def bent(
    content: Mapping[str, Any], files: Mapping[str, bytes], kind_of_model: str, cutter: str = ""
) -> dict[str, Any]:
    """A tokenizer.json as the settings beside it bend it, where they speak."""
    found = dict(content)
    for each in _bends(content, files, kind_of_model, cutter):
        if each.spoken:
            part, name = each.place
            found[part] = {**found[part], name: each.wanted}
    return found


def unspoken(content: Mapping[str, Any], files: Mapping[str, bytes], kind_of_model: str, cutter: str = "") -> str:
    """A sentence where transformers cuts texts otherwise than a tokenizer.json, since settings are silent; nothing
    where it does not."""
    silent = [each for each in _bends(content, files, kind_of_model, cutter) if not each.spoken]
    if not silent:
        return ""
    words = {True: "true", False: "false", None: "null"}
    told = " and ".join(
        f"tokenizer.json has {words.get(each.there, 'another value')} for `{each.name}`, of which "
        f"tokenizer_config.json says nothing, and there that means {words[each.wanted]}"
        for each in silent
    )
    return f"transformers cuts texts otherwise: {told}. Here they are cut as tokenizer.json says."


def _bends(content: Mapping[str, Any], files: Mapping[str, bytes], kind_of_model: str, cutter: str) -> list[_Bend]:
    said = settings(files)
    cutter = content_of(said.get("tokenizer_class")) or cutter or _USUAL.get(kind_of_model, "")
    cutter = cutter.removesuffix("Fast")
    name = "BertTokenizer" if cutter in CUTTERS["bert"] else cutter
    part, kind, names = _BENT.get(name, ("", "", ()))
    there = content.get(part)
    if not isinstance(there, dict) or there.get("type") != kind:
        return []
    found = []
    for theirs, ours, usual in names:
        value = said.get(theirs)
        spoken = isinstance(value, bool) or (theirs in said and value is usual)  # null is a word, too
        wanted = value if spoken else usual
        if there.get(ours) is not wanted:
            found.append(_Bend(theirs, (part, ours), wanted, there.get(ours), spoken))
    return found
