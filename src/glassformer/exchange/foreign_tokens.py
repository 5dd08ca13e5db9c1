"""Tokens of other tools: a tokenizer.json or a vocab.txt of theirs, as tokens of one of the kinds that are known.
Nothing of a file is run: its parts are compared with ours, and only vocabulary and merges are taken. It knows no model.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glassformer.errors import InputError
from glassformer.storage import parse_json
from glassformer.text.token_kinds import OTHER_KINDS, SPECIAL, Specials, assemble
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
    "unknown": ("unk_token",),
    "mask": ("mask_token",),
}


def foreign_tokens(files: Mapping[str, bytes], kind_of_model: str, size: int) -> Tokens:
    """The tokens of a folder, filled up to as many as its model knows; `kind_of_model` is what its config calls it."""
    if "tokenizer.json" in files:
        content = _parsed(files["tokenizer.json"])
        if content.get("added_tokens") and _are_ours(content):
            return Tokens.from_bytes(files["tokenizer.json"], "tokenizer.json")
        kind = _kind_of(content)
        vocabulary, added = _vocabulary(content)
        merges = pairs([_pair(each) for each in _list(content["model"].get("merges"))])
        frame = _frame(content.get("post_processor"))
    elif "vocab.txt" in files and kind_of_model == "bert":
        kind, merges, frame = _cased(files), [], (("[CLS]",), ("[SEP]",))
        vocabulary = _lines(files["vocab.txt"])
        added = [name for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if name in vocabulary]
    else:
        raise InputError(
            "The folder has no tokenizer.json (nor, of a BERT, a vocab.txt); without it no text can be read."
        )
    return made(kind, vocabulary, merges, added, _named(files, added), size, frame)


def _are_ours(content: Mapping[str, Any]) -> bool:
    """Whether these are tokens of our own, which went out and come back."""
    names = [each.get("content") for each in _list(content["added_tokens"], "added tokens") if isinstance(each, dict)]
    return names == list(SPECIAL)


def made(
    kind: str, vocabulary: list[str], merges: list[tuple[str, str]], added: list[str], named: Mapping[str, str],
    size: int, frame: Frame = ((), ()),
) -> Tokens:  # fmt: skip
    """Tokens from their parts. `named` says which special token plays which part; ids that no token has are filled up
    with names that no text can say."""
    if not len(vocabulary) <= size <= MOST_TOKENS:
        raise InputError(f"The model knows {size:,} tokens, but its tokenizer has {len(vocabulary):,}.")
    fillers = [f"<|unused {i}|>" for i in range(len(vocabulary), size)]
    whole = [*vocabulary, *fillers]
    ids = {name: i for i, name in enumerate(whole)}
    roles = {role: ids.get(name) for role, name in named.items()}
    if roles.get("end") is None:
        raise InputError("Nobody says which token ends a text (eos_token, in tokenizer_config.json).")
    end = int(roles["end"])  # type: ignore[arg-type]
    strange = [name for part in frame for name in part if name not in ids]
    if strange:
        raise InputError(f"tokenizer.json puts {strange[0]!r:.50} around each text, which is no token.")
    before, after = (tuple(ids[name] for name in part) for part in frame)
    specials = Specials(
        names=tuple(dict.fromkeys([*added, *frame[0], *frame[1], *(n for n in named.values() if n in ids), *fillers])),
        pad=end if roles.get("pad") is None else int(roles["pad"]),  # type: ignore[arg-type]
        start=end if roles.get("start") is None else int(roles["start"]),  # type: ignore[arg-type]
        end=end, unknown=roles.get("unknown"), mask=roles.get("mask"), before=before, after=after,
    )  # fmt: skip
    return Tokens(kind, whole, merges, specials)


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
    """The kind whose parts these are."""
    for name, kind in OTHER_KINDS.items():
        bare = Specials(("<e>", "<u>"), 0, 0, 0, 1)
        ours = json.loads(assemble(kind, ["<e>", "<u>"], [], bare).to_str())
        model = {key: value for key, value in content["model"].items() if key not in ("vocab", "merges", "unk_token")}
        if all(_same(content.get(part), ours[part]) for part in _PARTS) and _same(
            {"type": ours["model"]["type"], **model}, {**ours["model"], "vocab": None, "merges": None}
        ):
            return name
    raise InputError(
        "tokenizer.json cuts text in a way that is not known here, and its patterns are not run; known are those of "
        f"{', '.join(OTHER_KINDS)}."
    )


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


def _vocabulary(content: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """All tokens by id, those that were added too, and the names of the added ones, which must be special."""
    found = content["model"].get("vocab")
    if not isinstance(found, dict):
        raise InputError("tokenizer.json: its vocabulary must give each token a whole number.")
    whole, names = dict(found), []
    for each in content.get("added_tokens") or []:
        if not isinstance(each, dict) or not isinstance(each.get("content"), str) or type(each.get("id")) is not int:
            raise InputError("tokenizer.json: an added token must have a content and an id.")
        if each.get("special") is not True:
            raise InputError(
                f"tokenizer.json adds {each['content']!r:.50}, which is cut out of texts but is no special token; "
                "that is not known here."
            )
        if whole.setdefault(each["content"], each["id"]) != each["id"]:
            raise InputError(f"tokenizer.json gives {each['content']!r:.50} two ids.")
        names.append(each["content"])
    return by_id(whole), names


def _list(value: Any, what: str = "merges") -> list[Any]:
    if value is not None and not isinstance(value, list):
        raise InputError(f"tokenizer.json: its {what} must be a list.")
    return value or []


def _pair(merge: Any) -> Any:
    """A merge as a pair: older files write both parts in one text, with a blank between them."""
    return merge.split(" ") if isinstance(merge, str) else merge


def _lines(data: bytes) -> list[str]:
    if len(data) > LARGEST_FILE:
        raise InputError(f"vocab.txt has {len(data):,} bytes; at most {LARGEST_FILE:,} are read.")
    try:
        return data.decode().rstrip("\n").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"vocab.txt is no text in UTF-8: {error}") from error


def _cased(files: Mapping[str, bytes]) -> str:
    lower = _settings(files).get("do_lower_case", True)
    return "wordpiece" if lower is True else "cased wordpiece"


def _settings(files: Mapping[str, bytes]) -> dict[str, Any]:
    data = files.get("tokenizer_config.json")
    return parse_json(data, Path("tokenizer_config.json")) if data else {}


def _named(files: Mapping[str, bytes], added: list[str]) -> dict[str, str]:
    """Which special token plays which part: as their files say, else by the names that everybody uses."""
    said: dict[str, Any] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        said |= parse_json(files[name], Path(name)) if name in files else {}
    found = {}
    for role, keys in _ROLES.items():
        names = [_content(said.get(key)) for key in keys]
        known = [name for name in names if name] or [name for name in _USUAL[role] if name in added]
        if known:
            found[role] = known[0]
    return found


_USUAL = {
    "pad": ("[PAD]", "<pad>"),
    "start": ("[CLS]", "<s>", "<|begin_of_text|>", "<|endoftext|>"),
    "end": ("[SEP]", "</s>", "<|end_of_text|>", "<|endoftext|>"),
    "unknown": ("[UNK]", "<unk>"),
    "mask": ("[MASK]", "<mask>"),
}


def _content(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else ""
