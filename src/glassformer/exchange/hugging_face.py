"""A model as a folder that `transformers` opens, and how that folder answers when it is opened there. What stands under
which name, the layouts know; what may be exported, export.py.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from torch import Tensor

from glassformer import __version__
from glassformer.errors import InputError
from glassformer.exchange.layouts.layout import Layout, to_theirs
from glassformer.exchange.layouts.table import layout_for
from glassformer.exchange.parity import Opened
from glassformer.exchange.readmes.calling import code, how_much
from glassformer.exchange.vocabularies.written_tokens import SETTINGS, cutter_of, token_files
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.objectives.predictions import room
from glassformer.objectives.table import objective_of
from glassformer.text.tokens import Tokens


def layout_of(trained: Trained) -> Layout:
    """The layout that holds this model exactly, or an error that says why there is none."""
    card = trained.card
    return layout_for(MODELS[card.model].family, card.settings, headless=objective_of(card).predict is None)


def folder_files(trained: Trained) -> dict[str, bytes]:
    """All files of the folder, by name."""
    layout, config, tokens = layout_of(trained), trained.card.settings, trained.tokens
    if layout.architecture.startswith("Qwen2") and tokens.kind != "qwen":
        raise InputError("transformers cuts text for a Qwen2 in Qwen's way, whatever its tokenizer.json says.")
    state = {name: value.detach().cpu() for name, value in trained.model.state_dict().items()}
    tensors = to_theirs(layout.outward(state, config), layout.slots(config))
    told = {**layout.told(config), **_labels(trained), **_special_ids(tokens, config)}
    told = {"architectures": [layout.architecture], **told, "dtype": "float32"}
    writes = {"_from_model_config": False, **_special_ids(tokens, config), **_never_written(tokens)}
    return {
        "config.json": _json(told),
        "model.safetensors": safetensors.torch.save(_apart(tensors), {"format": "pt"}),
        **_token_files(trained),
        **({"generation_config.json": _json(writes)} if not hasattr(config, "classes") else {}),
        "README.md": _readme(trained, layout).encode(),
    }


def _apart(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Each tensor with memory of its own, as the file wants it."""
    return {name: value.clone() for name, value in tensors.items()}


def _labels(trained: Trained) -> dict[str, Any]:
    labels = trained.card.labels
    if not labels:
        return {}
    return {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}


def _special_ids(tokens: Tokens, config: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"bos_token_id": tokens.start, "eos_token_id": tokens.end, "pad_token_id": tokens.pad}
    if hasattr(config, "decoder_layers"):
        found |= {"decoder_start_token_id": tokens.start, "forced_eos_token_id": None}
    return found


def _never_written(tokens: Tokens) -> dict[str, Any]:
    never = tokens.specials.never
    return {"bad_words_ids": [[each] for each in never]} if never else {}


def _token_files(trained: Trained) -> dict[str, bytes]:
    """What cuts texts there, with its settings."""
    found = token_files(trained.tokens, room(trained.card))
    return {SETTINGS: _json(_tokenizer_config(trained)), **found}


def _tokenizer_config(trained: Trained) -> dict[str, Any]:
    tokens = trained.tokens
    roles = {"pad": tokens.pad, "unk": tokens.unknown, "bos": tokens.start, "eos": tokens.end, "mask": tokens.mask}
    named = {f"{role}_token": tokens.name(each) for role, each in roles.items() if each is not None}
    return {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": room(trained.card),
        "clean_up_tokenization_spaces": False,
        "padding_side": "left" if MODELS[trained.card.model].family == "language model" else "right",
        **named,
    }


_NO_POOLER = (
    "Its answers are the rows of its tokens. It has no pooler: transformers draws one at random and says so, and "
    "`pooler_output` means nothing."
)


def _readme(trained: Trained, layout: Layout) -> str:
    card = trained.card
    lines = [
        f"# {card.model} to {card.task}", "",
        f"Trained with Glassformer {__version__} on {card.data or 'data that were not named'}, seed {card.seed}; "
        f"laid out as `{layout.architecture}` of transformers.", "", how_much(trained, "hf"), "",
        code(trained, "hf", layout.architecture), *_together(trained),
        *([_NO_POOLER, ""] if _has_no_pooler(trained, layout) else []),
        "`parity.json` says how closely its answers are those of the run it came from.", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _has_no_pooler(trained: Trained, layout: Layout) -> bool:
    """Whether it is an encoder alone, and what transformers has behind its rows was never taught or not kept."""
    return layout.headless and not trained.card.settings.pooler


def _together(trained: Trained) -> list[str]:
    """How several texts are read at once, where nothing is put behind them."""
    if MODELS[trained.card.model].family == "language model":
        return []
    return ['Several texts at once: `tokenizer(texts, padding=True, truncation=True, return_tensors="pt")`.', ""]


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()


# --- how it answers there ---------------------------------------------------------------------------------------


def opened_by_transformers(folder: Path, trained: Trained) -> Opened:
    """The folder, opened by transformers: what it computes, what it writes, and how it cuts text."""
    import transformers

    from glassformer.inside.hugging_face import quietly

    layout = layout_of(trained)
    with quietly(transformers.logging):
        there, loading = getattr(transformers, layout.architecture).from_pretrained(
            folder, local_files_only=True, output_loading_info=True, attn_implementation="sdpa"
        )
    unasked = tuple(f"{start}pooler." for start in ("", layout.before) if _has_no_pooler(trained, layout))
    strange = [
        f"{kind}: {', '.join(told)}"
        for kind, names in loading.items()
        if (told := sorted(name for name in map(str, names) if not name.startswith(unasked)))
    ]
    family = MODELS[trained.card.model].family

    def answers(ids: Tensor, real: Tensor, target: Tensor | None = None) -> Tensor:
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": real.long()}
        if target is not None:
            given["decoder_input_ids"] = target
        with torch.inference_mode():
            found = there.eval()(**given)
        return found.last_hidden_state if layout.headless else found.logits  # type: ignore[no-any-return]

    def writes(ids: Tensor, longest: int) -> list[int]:
        with torch.inference_mode():
            found = there.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=longest, do_sample=False, num_beams=1
            )[0].tolist()
        return found[1:] if family == "translator" else found[ids.shape[1] :]  # type: ignore[no-any-return]

    cut = _cutter(folder)

    def cuts(text: str) -> list[int]:
        with quietly(transformers.logging):  # of a text that is longer than the model reads, whole on purpose
            return cut(text)

    return Opened(answers, writes if family != "classifier" else None, cuts, strange)


def _cutter(folder: Path) -> Callable[[str], list[int]]:
    """As transformers itself finds the tokenizer of a folder."""
    import transformers

    if not (folder / "tokenizer.json").exists():
        return cutter_of(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    return lambda text: list(tokenizer(text)["input_ids"])
