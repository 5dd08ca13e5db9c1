"""Models of other tools, brought in: a folder of transformers becomes a card, weights and tokens of ours. Everything in
it is hostile until checked, and nothing in it is run.

Only the files named below are opened, each up to a size; config.json is a closed form; the size of the model is worked
out before anything is allocated; names, shapes and kinds of number must be those that the config asks for, and every
number finite. Pickles and archives are not opened at all.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from glassformer.errors import InputError, counted
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.layout import Layout, Settled, State, to_ours
from glassformer.exchange.layouts.table import LAYOUTS
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens, unlike_tokens
from glassformer.exchange.vocabularies.older_token_files import FILES, content_of
from glassformer.models import weights
from glassformer.models.card import Card
from glassformer.models.config import to_dict
from glassformer.models.registry import configure
from glassformer.storage import parse_json
from glassformer.text.tokens import LARGEST_FILE, Tokens

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
LARGEST_CONFIG = 1_000_000  # bytes
ROOM = 64_000_000  # bytes of a file of weights beyond what its model needs: heads that are not taken in
NEWER = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")  # the first stands for all older files
BUFFERS = (".attn.bias", ".attn.masked_bias", ".position_ids", ".rotary_emb.inv_freq")  # worked anew here
AGAIN = ("lm_head.weight", "embed_tokens.weight")  # the embedding once more, where it is shared
OLDER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # as the first BERTs are kept
_PART = re.compile(r"model-\d{5}-of-\d{5}\.safetensors")
WORKED_WITH = (torch.float32, torch.float16, torch.bfloat16)

_POOLED = "pooling_mode_"

# What is taken in as another: the body of a model whose head has no place here.
ALIASES = {
    "BertForMaskedLM": "BertModel", "BertForPreTraining": "BertModel", "RobertaForMaskedLM": "RobertaModel",
    "XLMRobertaModel": "RobertaModel", "XLMRobertaForMaskedLM": "RobertaModel",
    "XLMRobertaForSequenceClassification": "RobertaForSequenceClassification", "CamembertModel": "RobertaModel",
    "CamembertForMaskedLM": "RobertaModel", "CamembertForSequenceClassification": "RobertaForSequenceClassification",
}  # fmt: skip
_LEARNT = {"language model": ("generate", "stream"), "translator": ("translate", "pairs")}


class Foreigner(NamedTuple):
    """A model that was brought in: all that a run folder keeps of it."""

    card: Card
    state: dict[str, Tensor]
    tokens: Tokens


def bring_in_folder(folder: Path, ignore: Collection[str] = ()) -> Foreigner:
    """The model of a folder of transformers; `ignore`, keys of its config that somebody knows to change nothing."""
    said = parse_json(contents(folder / "config.json", LARGEST_CONFIG), folder / "config.json")
    layout = _layout(said)
    config = ForeignConfig(said)
    settled = layout.read(config)
    config.done(ignore)
    labels = _labels(said) if layout.family == "classifier" and not layout.headless else ()
    more = {"classes": len(labels)} if labels else {}
    model, settings = settled.model, {**settled.settings, **more, **_pooling(folder, layout)}
    asked = configure(model, **settings)
    _must_hold_as_many(folder, settings)
    outlined = weights.outline(model, asked)
    tensors = _named_alike(_tensors(folder, outlined), layout)
    if layout.headless and settings["pooling"] == "first" and f"{layout.before}pooler.dense.weight" in tensors:
        settings["pooler"] = True
        outlined = weights.outline(model, configure(model, **settings))
    made = configure(model, **settings)
    state = _state(tensors, layout, made, outlined)
    files = _token_files(folder)
    start, never = _written(said, _generation(folder), layout)
    tokens = foreign_tokens(
        files, str(said.get("model_type")), made.vocabulary, start=start, never=never, ids=_ids_of_parts(said),
        cutter=content_of(said.get("tokenizer_class")),
    )  # fmt: skip
    return Foreigner(_card(layout, settled, made, labels, folder.name), state, tokens)


def _token_files(folder: Path) -> dict[str, bytes]:
    texts = NEWER if (folder / NEWER[0]).exists() else (*NEWER, *FILES)
    return {name: contents(folder / name, LARGEST_FILE) for name in texts if (folder / name).exists()}


def _card(layout: Layout, settled: Settled, config: Any, labels: tuple[str, ...], name: str) -> Card:
    task, objective = _LEARNT.get(layout.family, ("classify", "masked" if layout.headless else "classes"))
    return Card(
        task=task, model=settled.model, config=to_dict(config), objective=objective, labels=labels,
        longest=config.length, data=f"{name} ({layout.architecture})",
    )  # fmt: skip


# --- files ------------------------------------------------------------------------------------------------------


def contents(path: Path, most: int) -> bytes:
    """The bytes of a plain file that is not too large."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    size = path.stat().st_size
    if size > most:
        raise InputError(f"{path} has {size:,} bytes; at most {most:,} are read.")
    with path.open("rb") as file:
        return _no_pointer(file.read(most + 1), path)


def _no_pointer(data: bytes, path: Path) -> bytes:
    if data.startswith(b"version https://git-lfs"):
        raise InputError(f"{path} is only a pointer to the file, which git-lfs keeps elsewhere: run `git lfs pull`.")
    return data


def _must_hold_as_many(folder: Path, settings: Mapping[str, Any]) -> None:
    """Refuses a config with more layers than its weights have tensors, before so many are laid out."""
    layers = sum(value for name, value in settings.items() if name.endswith("layers"))
    path = _weights_of(folder)
    if path.name == INDEX:
        names = _places(path).keys()
    else:
        with path.open("rb") as file:
            names = weights.header(_no_pointer(file.read(8 + weights.LARGEST_HEADER), path), path).keys()
    held = len(names - {"__metadata__"})
    if layers > held:
        raise InputError(
            f"The weights do not fit: config.json asks for {layers:,} layers, and they are {held:,} tensors."
        )


def _weights_of(folder: Path) -> Path:
    """The file of the folder's weights, or the index of several."""
    for name in (WEIGHTS, INDEX):
        if (folder / name).is_file():
            return folder / name
    pickled = [each.name for each in folder.iterdir() if each.suffix in (".bin", ".pt", ".pth", ".ckpt", ".h5")]
    hint = f" {pickled[0]} may run code when it is opened, and is not read." if pickled else ""
    raise InputError(f"{folder} has no {WEIGHTS}.{hint} Save it with `save_pretrained`.")


def _tensors(folder: Path, outlined: torch.nn.Module) -> dict[str, Tensor]:
    """All tensors of the folder's weights; their files may not be much larger than its model."""
    needed = sum(value.numel() for value in (*outlined.parameters(), *outlined.buffers()))
    path, most = _weights_of(folder), 8 * needed + ROOM
    return _of_several_files(path, most) if path.name == INDEX else weights.from_bytes(contents(path, most), path)


def _places(path: Path) -> dict[str, str]:
    """Which file has which tensor, as an index says."""
    places = parse_json(contents(path, LARGEST_FILE), path).get("weight_map")
    if not isinstance(places, dict) or not all(
        isinstance(name, str) and _PART.fullmatch(name) for name in places.values()
    ):
        raise InputError(
            f"{path} must say by `weight_map` which file, such as model-00001-of-00002.safetensors, has what."
        )
    return places


def _of_several_files(path: Path, most: int) -> dict[str, Tensor]:
    """The tensors of all files that the index names, each of which must hold what the index says."""
    folder, places = path.parent, _places(path)
    found: dict[str, Tensor] = {}
    for name in sorted(set(places.values())):
        data = contents(folder / name, most)
        most -= len(data)
        tensors = weights.from_bytes(data, folder / name)
        if tensors.keys() != {tensor for tensor, place in places.items() if place == name}:
            raise InputError(f"{folder / name} does not hold the tensors that {path.name} says it does.")
        found |= tensors
    return found


def _layout(said: Mapping[str, Any]) -> Layout:
    names = said.get("architectures")
    if not isinstance(names, list) or len(names) != 1 or not isinstance(names[0], str):
        raise InputError(f"config.json must name one architecture; it names {names!r:.100}.")
    name = ALIASES.get(names[0], names[0])
    if name not in LAYOUTS:
        raise InputError(f"A {names[0]:.100} cannot be taken in. Known are: {', '.join(sorted({*LAYOUTS, *ALIASES}))}.")
    return LAYOUTS[name]


def without_head(path: Path) -> str:
    """A sentence where only the encoder of a model is taken in, without the head that it has there."""
    place = path / "config.json"
    name = parse_json(contents(place, LARGEST_CONFIG), place)["architectures"][0] if place.is_file() else ""
    if not name.endswith(("ForMaskedLM", "ForPreTraining")):
        return ""
    return f"Of this {name} the encoder was taken in; its head, which names hidden words, was not."


def unlike_writing(folder: Path, tokens: Tokens) -> list[str]:
    """Sentences where transformers cuts the texts of a folder, or ends what its model writes, otherwise than we do."""
    place = folder / "config.json"
    if not place.is_file():
        return []
    said = parse_json(contents(place, LARGEST_CONFIG), place)
    cut = unlike_tokens(_token_files(folder), str(said.get("model_type")), content_of(said.get("tokenizer_class")))
    ends = _endings(said, _generation(folder)) if _layout(said).family == "language model" else []
    other = [tokens.name(each) if each < len(tokens) else str(each) for each in ends]
    ended = f"transformers ends what is written at {' and at '.join(other)}; here only {tokens.name(tokens.end)} does."
    return [*filter(None, [cut]), *([ended] if ends and ends != [tokens.end] else [])]


def _endings(said: Mapping[str, Any], more: Mapping[str, Any]) -> list[int]:
    """The ids that end a text there: by generation_config.json, else by config.json."""
    found = more.get("eos_token_id") if "eos_token_id" in more else said.get("eos_token_id")
    return [each for each in (found if isinstance(found, list) else [found]) if type(each) is int and each >= 0]


def _labels(said: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the classes, by their numbers."""
    found = said.get("id2label") or {str(i): f"LABEL_{i}" for i in range(2)}
    if not isinstance(found, dict) or sorted(found) != sorted(map(str, range(len(found)))):
        raise InputError("config.json: `id2label` must give the numbers from 0 up a name each.")
    kind = said.get("problem_type")
    if kind not in (None, "single_label_classification") or len(found) < 2:
        raise InputError(
            f"config.json: `problem_type` is {kind!r:.50} with {counted(len(found), 'class', 'classes')}; what is "
            "taken in chooses one of two classes or more."
        )
    names = [found[str(i)] for i in range(len(found))]
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise InputError("config.json: `id2label` must give each class a name of its own.")
    return tuple(names)


def _generation(folder: Path) -> Mapping[str, Any]:
    """How texts are written, where newer folders say so beside config.json."""
    path = folder / "generation_config.json"
    return parse_json(contents(path, LARGEST_CONFIG), path) if path.is_file() else {}


def _written(said: Mapping[str, Any], more: Mapping[str, Any], layout: Layout) -> tuple[int | None, tuple[int, ...]]:
    """Of a translator: the id that it writes on from, and those that it must not write, by both files."""
    if layout.family != "translator":
        return None, ()
    starts = [each.get("decoder_start_token_id") for each in (more, said)]
    never: dict[int, None] = {}
    for name, each in (("config.json", said), ("generation_config.json", more)):
        if each.get("forced_bos_token_id") is not None:
            raise InputError(f"{name}: `forced_bos_token_id` says how each translation begins; that is not known here.")
        words = each.get("bad_words_ids") or []
        if not isinstance(words, list) or not all(
            isinstance(word, list) and len(word) == 1 and type(word[0]) is int for word in words
        ):
            raise InputError(f"{name}: `bad_words_ids` must be single ids; it is {words!r:.100}.")
        never |= dict.fromkeys(word[0] for word in words)
    return next((each for each in starts if type(each) is int), 0), tuple(never)


def _ids_of_parts(said: Mapping[str, Any]) -> dict[str, int]:
    """Which ids play which part; where several end a text, none of them."""
    names = {"pad": "pad_token_id", "start": "bos_token_id", "end": "eos_token_id"}
    return {role: said[name] for role, name in names.items() if type(said.get(name)) is int}


def _pooling(folder: Path, layout: Layout) -> dict[str, Any]:
    """Which rows answer for a text: as sentence-transformers says beside it, else the first."""
    if not layout.headless:
        return {}
    return {"pooling": "mean" if _ways_of_pooling(folder) == ["mean"] else "first", "pooler": False}


def _ways_of_pooling(folder: Path) -> list[str]:
    """What sentence-transformers makes of the rows of a text: mean, cls and others; nothing where it does not say."""
    path = folder / "1_Pooling" / "config.json"
    said = parse_json(contents(path, LARGEST_CONFIG), path) if path.is_file() else {}
    if isinstance(said.get("pooling_mode"), str):
        return [said["pooling_mode"]]
    ways = [name.removeprefix(_POOLED) for name, value in said.items() if name.startswith(_POOLED) and value is True]
    return [way.removesuffix("_tokens").removesuffix("_token") for way in ways]


def unlike_vectors(folder: Path) -> str:
    """How sentence-transformers makes one vector of a text otherwise than we do, in words; nothing if it does not."""
    ways, path = _ways_of_pooling(folder), folder / "modules.json"
    modules: Any = []
    if path.is_file():
        modules = parse_json(b'{"modules": ' + contents(path, LARGEST_CONFIG) + b"}", path)["modules"]
    if not isinstance(modules, list) or not all(isinstance(each, dict) for each in modules):
        raise InputError(f"{path} must be a list of modules.")
    kinds = [str(each.get("type")).rsplit(".", 1)[-1] for each in modules]
    more = [kind for kind in kinds if kind not in ("Transformer", "Pooling")]
    if ways in ([], ["mean"]) and not more:
        return ""
    steps = [*(f"pooling by {way:.40}" for way in ways), *(f"then {kind:.40}" for kind in more[:3])]
    return (
        f"sentence-transformers makes its vectors otherwise ({', '.join(steps)}): here a vector is the mean of what "
        "all tokens have become."
    )


# --- weights ----------------------------------------------------------------------------------------------------


def _named_alike(tensors: Mapping[str, Tensor], layout: Layout) -> dict[str, Tensor]:
    """The tensors under the names that a whole model has: a body by itself leaves out what stands before them, and
    older files call a norm's weights otherwise."""
    names = {name: _newer(name) for name in tensors if not name.endswith(BUFFERS)}
    kept = {names[name]: tensors[name] for name in names}
    if len(kept) < len(names):
        raise InputError(
            "The weights do not fit: a norm has both its older and its newer names, such as gamma and weight."
        )
    if any(name.startswith(layout.before) for name in kept):
        return kept
    return {name if name in AGAIN else layout.before + name: value for name, value in kept.items()}


def _newer(name: str) -> str:
    for older, newer in OLDER.items():
        if name.endswith(older):
            return name.removesuffix(older) + newer
    return name


def _state(tensors: Mapping[str, Tensor], layout: Layout, config: Any, outlined: torch.nn.Module) -> State:
    """Our weights from theirs, if all of them have a place."""
    slots = [each for each in layout.slots(config) if each.theirs in tensors or each.ours[0] not in layout.optional]
    known = {slot.theirs for slot in slots}
    shapes = {name: tuple(value.shape) for name, value in outlined.state_dict().items()} | layout.shapes(config)
    wanted = {name: _number(name, tensors[name]) for name in known if name in tensors}
    state = layout.inward(to_ours(wanted, slots, shapes), config)
    if getattr(config, "tied", False):
        state["head.linear.weight"] = state["embedding.weight"]
    _refuse_strangers(tensors, known, layout, state["embedding.weight"])
    if layout.headless:
        blank = {name: torch.zeros(shapes[name]) for name in ("head.linear.weight", "head.linear.bias")}
        state = {**state, **blank}
    return weights.fitting(state, outlined)


def _number(name: str, value: Tensor) -> Tensor:
    """In 32 bits, if it is made of finite numbers of a kind that is worked with."""
    if value.dtype not in WORKED_WITH:
        raise InputError(f"'{name}' is kept in {value.dtype}; float32, float16 and bfloat16 can be taken in.")
    if not bool(torch.isfinite(value).all()):
        raise InputError(f"'{name}' has numbers that are not finite; such a model can answer nothing.")
    return value.float()


def _refuse_strangers(tensors: Mapping[str, Tensor], known: set[str], layout: Layout, embedding: Tensor) -> None:
    for name in sorted(tensors.keys() - known):
        if name.endswith(AGAIN) and tensors[name].shape == embedding.shape:
            if not torch.equal(tensors[name].float(), embedding):
                raise InputError(f"'{name}' is not the embedding, though the config says that they are shared.")
        elif not name.startswith((*layout.unused, f"{layout.before}pooler.")):
            raise InputError(f"The weights do not fit: '{name:.100}' belongs to no part of this model.")
