"""Exports, opened by the tools they are for and called as our models are, so that what is promised of ours can be tried
on them. Nobody can look inside, and they cannot be trained. It knows no promise.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

from glassformer.errors import InputError
from glassformer.exchange.export import REPORT
from glassformer.exchange.layouts.table import LAYOUTS
from glassformer.stages.watchers import Watcher, nothing


@dataclass(frozen=True)
class OpenedExport:
    """A model of another tool, called as ours: its family, what it is, and the tool that works it."""

    model: nn.Module
    family: str
    kind: str
    tool: str


@dataclass(frozen=True)
class Outside:
    """What is known of a model from outside."""

    vocabulary: int
    length: int
    scorer: str = "dot product"


def open_export(folder: Path) -> OpenedExport:
    """The export in a folder that `glassformer export` wrote."""
    if not (folder / REPORT).is_file():
        raise InputError(f"{folder} is no export: there is no {REPORT} in it.")
    for name, tool in (("model.bin", "CTranslate2"), ("model.gguf", "llama.cpp")):
        if (folder / name).is_file():
            raise InputError(
                f"{folder} is for {tool}, which keeps its cache and its batches to itself, so that most promises "
                f"cannot be tried there. {REPORT} says how far it is from its run; certify the run."
            )
    if any(folder.glob("*.onnx")):
        return _by_onnx(folder)
    if (folder / "config.json").is_file():
        return _by_transformers(folder)
    raise InputError(
        f"{folder} is a program of torch.export: it has one way to answer and no cache, so that most promises have no "
        f"meaning for it. {REPORT} says how far it is from its run; certify the run."
    )


# --- ONNX Runtime -------------------------------------------------------------------------------------------------


class _Shell(nn.Module):
    """Stands where an engine has our model beside it: its measures, and no weights."""

    def __init__(self, known: Outside) -> None:
        super().__init__()
        self.config, self.longest = known, known.length
        self.order = SimpleNamespace(longest=known.length)
        self.here = nn.Parameter(torch.empty(0))


def _by_onnx(folder: Path) -> OpenedExport:
    from glassformer.engines.onnx_models import OnnxClassifier, OnnxLanguageModel, OnnxTranslator

    kinds: dict[str, Callable[..., nn.Module]] = {
        "classifier": OnnxClassifier, "translator": OnnxTranslator, "language model": OnnxLanguageModel,
    }  # fmt: skip
    place = folder / "model.json"
    if not place.is_file():
        raise InputError(f"There is no {place.name} in {folder}, which says what the graphs are; export the run again.")
    said = json.loads(place.read_text(encoding="utf-8"))
    known = Outside(said["vocabulary"], said["length"], said["scorer"])
    files = {path.name: path.read_bytes() for path in folder.glob("*.onnx")}
    return OpenedExport(
        kinds[said["family"]](_Shell(known), files).eval(), said["family"], said["model"], "ONNX Runtime"
    )


# --- transformers -------------------------------------------------------------------------------------------------


def _by_transformers(folder: Path) -> OpenedExport:
    import transformers

    from glassformer.inside.hugging_face import quietly

    names = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or [""]
    layout = LAYOUTS[names[0]]
    with quietly(transformers.logging):
        there = getattr(transformers, layout.architecture).from_pretrained(
            folder, local_files_only=True, attn_implementation="sdpa"
        )
    kinds: dict[str, type[_Theirs]] = {
        "classifier": TheirClassifier, "translator": TheirTranslator, "language model": TheirLanguageModel,
    }  # fmt: skip
    return OpenedExport(kinds[layout.family](there).eval(), layout.family, layout.architecture, "transformers")


class _Theirs(nn.Module):
    def __init__(self, there: Any) -> None:
        super().__init__()
        self.there = there
        config = there.config
        self.longest = int(config.max_position_embeddings)
        self.config = Outside(int(config.vocab_size), self.longest)
        self.order = SimpleNamespace(longest=self.longest)

    @property
    def embedding(self) -> nn.Module:
        """What makes rows of ids."""
        return self.there.get_input_embeddings()  # type: ignore[no-any-return]

    def new_cache(self) -> "list[TheirCache]":
        """An empty memory for one batch of texts."""
        return [TheirCache()]


class TheirCache:
    """What a model of transformers remembers of a batch of texts."""

    def __init__(self) -> None:
        self.past: Any = None
        self.length = 0

    def keep(self, rows: Tensor) -> None:
        """Goes on with these texts only, in this order."""
        self.past.reorder_cache(rows)

    reorder = keep


class TheirClassifier(_Theirs):
    """A classifier, or an encoder alone, whose rows are its answers."""

    def forward(self, ids: Tensor, real: Tensor, *, see: Watcher = nothing) -> Tensor:
        """Logits for each class, or rows for each token."""
        found = self.there(input_ids=ids, attention_mask=real.long())
        return found.logits if "logits" in found else found.last_hidden_state  # type: ignore[no-any-return]


class TheirLanguageModel(_Theirs):
    """A decoder that goes on with texts."""

    def forward(
        self,
        ids: Tensor,
        real: Tensor | None = None,
        *,
        positions: Tensor | None = None,
        cache: list[TheirCache] | None = None,
        see: Watcher = nothing,
    ) -> Tensor:
        """Scores for the id after each one."""
        memory = cache[0] if cache else TheirCache()
        end = memory.length + ids.shape[1]
        at = torch.arange(memory.length, end)[None] if positions is None else positions
        seen = torch.ones(len(ids), end, dtype=torch.bool) if real is None else real
        found = self.there(
            input_ids=ids, attention_mask=seen.long(), position_ids=at.expand_as(ids), past_key_values=memory.past,
            use_cache=bool(cache),
        )  # fmt: skip
        memory.past, memory.length = found.past_key_values, end
        return found.logits  # type: ignore[no-any-return]


class TheirTranslator(_Theirs):
    """An encoder and a decoder."""

    @property
    def embedding(self) -> nn.Module:
        """What makes rows of the ids that are written."""
        return self.there.get_decoder().embed_tokens  # type: ignore[no-any-return]

    def forward(self, source: Tensor, source_real: Tensor, target: Tensor, *, see: Watcher = nothing) -> Tensor:
        """Teacher forcing: the whole target at once."""
        return self.decode(target, self.encode(source, source_real), source_real)

    def encode(self, source: Tensor, source_real: Tensor) -> Tensor:
        """One row per source id."""
        found = self.there.get_encoder()(input_ids=source, attention_mask=source_real.long())
        return found.last_hidden_state  # type: ignore[no-any-return]

    def decode(
        self, target: Tensor, context: Tensor, source_real: Tensor, *, cache: list[TheirCache] | None = None
    ) -> Tensor:
        """Scores for the id after each of `target`; with a cache, these are new ids."""
        memory = cache[0] if cache else TheirCache()
        found = self.there(
            encoder_outputs=(context,), attention_mask=source_real.long(), decoder_input_ids=target,
            past_key_values=memory.past, use_cache=bool(cache),
        )  # fmt: skip
        memory.past, memory.length = found.past_key_values, memory.length + target.shape[1]
        return found.logits  # type: ignore[no-any-return]
