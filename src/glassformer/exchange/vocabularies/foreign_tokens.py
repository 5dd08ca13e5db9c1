"""Tokens of other tools: a tokenizer.json of theirs, or what older files say, as tokens of ours. Nothing of a file is
run: its parts are those of a kind that is known, or of a closed list. It knows no model.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from glassformer.errors import InputError
from glassformer.exchange.vocabularies.older_token_files import BEYOND, TARGETS, as_tokenizer_json, content_of
from glassformer.exchange.vocabularies.settings_beside import bent, unspoken
from glassformer.storage import parse_json
from glassformer.text.token_kinds import FOREIGN, OTHER_KINDS, SPECIAL, Specials, assemble
from glassformer.text.token_parts import Parts, checked_parts, scored_pieces
from glassformer.text.tokens import LARGEST_FILE, MOST_TOKENS, Tokens, by_id, pairs

Frame = tuple[tuple[str, ...], tuple[str, ...]]  # the names of what stands before and after a text that is read

# What a part may say or leave out without cutting a text otherwise.
_IDLE = {
    "trim_offsets": (True, False, None), "use_regex": (True,), "dropout": (None,), "fuse_unk": (False,),
    "byte_fallback": (False,), "ignore_merges": (False,), "continuing_subword_prefix": (None, ""),
    "end_of_word_suffix": (None, ""), "add_prefix_space": (False,), "unk_token": (),
}  # fmt: skip
_PARTS = ("normalizer", "pre_tokenizer", "decoder")
_ROLES = {  # for each part that a special token plays: what their files call it, the first that is there counts
    "pad": ("pad_token", "eos_token", "sep_token"),
    "start": ("cls_token", "bos_token", "eos_token"),
    "end": ("sep_token", "eos_token"),
    "mask": ("mask_token",),
}


def foreign_tokens(
    files: Mapping[str, bytes], kind_of_model: str, size: int, *, start: int | None = None, never: tuple[int, ...] = (),
    ids: Mapping[str, int] = MappingProxyType({}), cutter: str = "",
) -> Tokens:  # fmt: skip
    """The tokens of a folder, filled up to as many as its model knows; `kind_of_model` is what its config calls it, and
    `cutter` what it calls that which cuts text.
    `start` is the id that a model writes on from, where its config says so, `never` are ids that it does not write,
    `ids` those that it gives to the parts special tokens play, which count where no file of tokens names one."""
    if "tokenizer.json" in files:
        content = _parsed(files["tokenizer.json"])
        if content.get("added_tokens") and _are_ours(content):
            return Tokens.from_bytes(files["tokenizer.json"], "tokenizer.json")
        content = bent(content, files, kind_of_model, cutter)
    else:
        content = as_tokenizer_json(files, kind_of_model, cutter)
    beyond, targets = content.pop(BEYOND, ()), content.pop(TARGETS, None)
    kind = _kind_of(content)
    parts = checked_parts(content, beyond, targets) if kind == FOREIGN else None
    vocabulary, special, cut = _vocabulary(content, parts)
    merges = pairs([_pair(each) for each in _list(content["model"].get("merges"))])
    by_config = {role: vocabulary[each] for role, each in ids.items() if 0 <= each < len(vocabulary)}
    named = by_config | _named(files, special) | _unknown(content["model"], vocabulary)
    return made(
        kind, vocabulary, merges, special, named, size, _frame(content.get("post_processor")), parts=parts, cut=cut,
        start=start, never=never,
    )  # fmt: skip


def unlike_tokens(files: Mapping[str, bytes], kind_of_model: str, cutter: str = "") -> str:
    """A sentence where transformers cuts texts otherwise than a folder's tokenizer.json; nothing if it does not."""
    if "tokenizer.json" not in files:
        return ""
    content = _parsed(files["tokenizer.json"])
    return "" if content.get("added_tokens") and _are_ours(content) else unspoken(content, files, kind_of_model, cutter)


def _unknown(model: Mapping[str, Any], vocabulary: list[str]) -> dict[str, str]:
    """The token for what is not known, as the model itself has it: settings beside it may name one it does not use."""
    name, id_ = model.get("unk_token"), model.get("unk_id")
    if type(id_) is int and 0 <= id_ < len(vocabulary):
        name = vocabulary[id_]
    return {"unknown": name} if isinstance(name, str) and name else {}


def _are_ours(content: Mapping[str, Any]) -> bool:
    """Whether these are tokens of our own, which went out and come back."""
    names = [each.get("content") for each in _list(content["added_tokens"], "added tokens") if isinstance(each, dict)]
    return names == list(SPECIAL)


def made(
    kind: str, vocabulary: list[str], merges: list[tuple[str, str]], added: list[str], named: Mapping[str, str],
    size: int, frame: Frame = ((), ()), *, parts: Parts | None = None, cut: Sequence[str] = (),
    start: int | None = None, never: tuple[int, ...] = (),
) -> Tokens:  # fmt: skip
    """Tokens from their parts. `named` says which special token plays which part; ids that no token has are filled up
    with names that no text can say."""
    if not len(vocabulary) <= size <= MOST_TOKENS:
        raise InputError(f"The model knows {size:,} tokens, but its tokenizer has {len(vocabulary):,}.")
    fillers = [filler(i) for i in range(len(vocabulary), size)]
    whole = [*vocabulary, *fillers]
    ids = {name: i for i, name in enumerate(whole)}
    roles = {role: ids.get(name) for role, name in named.items()}
    if roles.get("end") is None:
        raise InputError(
            "Nobody says which token ends a text (eos_token in tokenizer_config.json, or eos_token_id in config.json)."
        )
    end = int(roles["end"])  # type: ignore[arg-type]
    strange = [name for part in frame for name in part if name not in ids]
    if strange:
        raise InputError(f"tokenizer.json puts {strange[0]!r:.50} around each text, which is no token.")
    before, after = (tuple(ids[name] for name in part) for part in frame)
    if (start is not None and not 0 <= start < size) or any(not 0 <= each < size for each in never):
        raise InputError(f"config.json names a token that there is not: the model knows {size:,}.")
    writes = [whole[each] for each in (*never, *([] if start is None else [start]))]
    specials = Specials(
        names=tuple(dict.fromkeys([*added, *frame[0], *frame[1], *(n for n in named.values() if n in ids), *writes,
                                   *fillers])),
        pad=end if roles.get("pad") is None else int(roles["pad"]),  # type: ignore[arg-type]
        start=next(each for each in (start, roles.get("start"), end) if each is not None),
        end=end, unknown=roles.get("unknown"), mask=roles.get("mask"), before=before, after=after,
        cut=tuple(cut), never=never,
    )  # fmt: skip
    if parts is not None and parts.scores:
        parts = replace(parts, scores=(*parts.scores, *[0.0] * (size - len(parts.scores))))  # special ones, never cut
    return Tokens(kind, whole, merges, specials, parts)


def filler(each: int) -> str:
    """The name of an id that no token has."""
    return f"<|unused {each}|>"


def _frame(part: Any) -> Frame:
    """What a post-processor puts around a text."""
    if part is None or (isinstance(part, dict) and part.get("type") == "ByteLevel"):
        return (), ()
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("BertProcessing", "RobertaProcessing"):
        ends = [part.get(name) for name in ("cls", "sep")]
        if all(isinstance(each, list) and each and isinstance(each[0], str) for each in ends):
            return (ends[0][0],), (ends[1][0],)
    if kind == "Sequence" and isinstance(part.get("processors"), list):
        frames = [frame for frame in map(_frame, part["processors"]) if frame != ((), ())]
        if len(frames) < 2:
            return frames[0] if frames else ((), ())
    if kind == "TemplateProcessing" and isinstance(part.get("single"), list):
        names = [_piece(each) for each in part["single"]]
        if names.count("") == 1 and None not in names:
            place = names.index("")
            return tuple(names[:place]), tuple(names[place + 1 :])  # type: ignore[arg-type]
    raise InputError(f"tokenizer.json puts something around each text that is not known here: {part!r:.100}.")


def _piece(piece: Any) -> str | None:
    """The name of a special token in a template; of the text itself, nothing."""
    if isinstance(piece, dict) and isinstance(piece.get("Sequence"), dict):
        return "" if piece["Sequence"].get("id") == "A" else None
    special = piece.get("SpecialToken") if isinstance(piece, dict) else None
    name = special.get("id") if isinstance(special, dict) else None
    return name if isinstance(name, str) and name else None


# --- their files ------------------------------------------------------------------------------------------------


def _parsed(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST_FILE:
        raise InputError(f"tokenizer.json has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
    content = parse_json(data, Path("tokenizer.json"))
    if not isinstance(content.get("model"), dict):
        raise InputError("tokenizer.json says nothing of a model.")
    return content


def _kind_of(content: Mapping[str, Any]) -> str:
    """The kind whose parts these are, if it has a name."""
    for name, kind in OTHER_KINDS.items():
        bare = Specials(("<e>", "<u>"), 0, 0, 0, 1)
        ours = json.loads(assemble(kind, ["<e>", "<u>"], [], bare).to_str())
        model = {key: value for key, value in content["model"].items() if key not in ("vocab", "merges", "unk_token")}
        if all(_same(content.get(part), ours[part]) for part in _PARTS) and _same(
            {"type": ours["model"]["type"], **model}, {**ours["model"], "vocab": None, "merges": None}
        ):
            return name
    return FOREIGN


def _same(theirs: Any, ours: Any) -> bool:
    """Whether a part does the same as ours; what does nothing may be missing."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return all(_idle(key, theirs, ours) or _same(theirs.get(key), ours.get(key)) for key in {*theirs, *ours})
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(theirs) == len(ours) and all(map(_same, theirs, ours))
    return bool(type(theirs) is type(ours) and theirs == ours)


def _idle(key: str, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> bool:
    if key in ("vocab", "merges", "unk_token"):
        return True
    quiet = _IDLE.get(key, ())
    usual = quiet[0] if quiet else None
    return bool(quiet) and theirs.get(key, usual) in quiet and ours.get(key, usual) in quiet


def _vocabulary(content: Mapping[str, Any], parts: Parts | None) -> tuple[list[str], list[str], list[str]]:
    """All tokens by id, those that were added too; the names of the special ones, and of the others that were added."""
    found = content["model"].get("vocab")
    if parts is not None and parts.scores:
        found = {token: number for number, (token, _) in enumerate(scored_pieces(found))}
    if not isinstance(found, dict):
        raise InputError("tokenizer.json: its vocabulary must give each token a whole number.")
    whole, special, cut = dict(found), list[str](), list[str]()
    for each in content.get("added_tokens") or []:
        if not isinstance(each, dict) or not isinstance(each.get("content"), str) or type(each.get("id")) is not int:
            raise InputError("tokenizer.json: an added token must have a content and an id.")
        if whole.setdefault(each["content"], each["id"]) != each["id"]:
            raise InputError(f"tokenizer.json gives {each['content']!r:.50} two ids.")
        (special if each.get("special") is True else cut).append(each["content"])
        if each.get("special") is not True and any(each.get(way) for way in ("lstrip", "rstrip", "single_word")):
            raise InputError(
                f"tokenizer.json adds {each['content']!r:.50}, which is cut out of texts with what stands beside it; "
                "that is not known here."
            )
    if parts is not None and parts.scores and {*cut} - found.keys():
        raise InputError(
            "tokenizer.json adds tokens to pieces with scores that are not special; that is not known here."
        )
    return by_id(whole), special, cut


def _list(value: Any, what: str = "merges") -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise InputError(f"tokenizer.json: its {what} must be a list.")
    return value or []


def _pair(merge: Any) -> Any:
    """A merge as a pair: older files write both parts in one text, with a blank between them."""
    return merge.split(" ") if isinstance(merge, str) else merge


def _named(files: Mapping[str, bytes], added: list[str]) -> dict[str, str]:
    """Which special token plays which part: as their files say, else by the names that everybody uses."""
    said: dict[str, Any] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        said |= parse_json(files[name], Path(name)) if name in files else {}
    found = {}
    for role, keys in _ROLES.items():
        names = [content_of(said.get(key)) for key in keys]
        known = [name for name in names if name] or [name for name in _USUAL[role] if name in added]
        if known:
            found[role] = known[0]
    return found


_USUAL = {
    "pad": ("[PAD]", "<pad>"),
    "start": ("[CLS]", "<s>", "<|begin_of_text|>", "<|endoftext|>"),
    "end": ("[SEP]", "</s>", "<|end_of_text|>", "<|endoftext|>"),
    "mask": ("[MASK]", "<mask>"),
}
