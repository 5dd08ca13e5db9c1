"""A model as ONNX files for other programs: the graphs, its tokenizer, and how to call them; and the same read back by
ONNX Runtime. It knows no run folder.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from glassformer.engines.model_graphs import graphs_of
from glassformer.engines.onnx_models import Stepper, run_by_onnx
from glassformer.exchange.parity import Opened, written
from glassformer.exchange.readmes.calling import code, how_much, longest_for
from glassformer.exchange.vocabularies.marian_files import are_of_two_languages
from glassformer.exchange.vocabularies.written_tokens import cutter_of, token_files
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.objectives.table import objective_of

_TOGETHER = (
    "Several texts go in one batch if they are filled up to one length with 0; `real` is true where a token stands, "
    "and false where it was filled up. Texts that are read are filled up on the right, texts that are gone on with "
    "on the left, where `positions` counts the tokens of each text alone."
)
_STEPS = (
    "A step takes new ids with their positions, and the cache: `past_…` are empty (0 along the axis of tokens) "
    "at first, then what the step before gave back as `present_…`. `real` covers the past and the new ids."
)
_OF_TWO = "`source.spm`, `target.spm` and `vocab.json` are a Marian's, and cut"
_NO_HEAD = "Its answers are the `rows`; the `logits` are those of a head that nobody has taught."
_FILES = (
    "{cutting} text into tokens, `model.json` names classes and sizes, and `parity.json` says how closely "
    "the answers are those of the run it came from."
)


def onnx_files(trained: Trained) -> dict[str, bytes]:
    """All files of the export, by name."""
    graphs = graphs_of(trained.model)
    readme = _readme(trained, graphs).encode()
    about = (json.dumps(_about(trained), indent=2) + "\n").encode()
    cutting = token_files(trained.tokens, longest_for(trained, "onnx"))
    return {**graphs, **cutting, "model.json": about, "README.md": readme}


def _about(trained: Trained) -> dict[str, Any]:
    """What no graph says of itself."""
    settings = trained.card.settings
    return {
        "family": MODELS[trained.card.model].family, "model": trained.card.model, "vocabulary": settings.vocabulary,
        "length": getattr(settings, "length", trained.card.longest),
        "scorer": getattr(settings, "scorer", "dot product"), "labels": list(trained.card.labels),
    }  # fmt: skip


def opened_by_onnx(folder: Path, trained: Trained) -> Opened:
    """The export in ONNX Runtime, called as our model is."""
    model: Any = run_by_onnx(trained.model, {path.name: path.read_bytes() for path in folder.glob("*.onnx")})
    asked = model.read if objective_of(trained.card).predict is None else model

    def answers(*given: Tensor) -> Tensor:
        with torch.inference_mode():
            return asked(*given)  # type: ignore[no-any-return]

    def writes(ids: Tensor, longest: int) -> list[int]:
        return written(replace(trained, model=model), ids[0].numpy(), longest)

    does_write = MODELS[trained.card.model].family != "classifier"
    return Opened(answers, writes if does_write else None, cutter_of(folder))


def _readme(trained: Trained, graphs: Mapping[str, bytes]) -> str:
    card = trained.card
    lines = [
        f"# {card.model} to {card.task}, for ONNX Runtime", "", how_much(trained, "onnx"), "", code(trained, "onnx"),
        *([f"The classes are, in order: {', '.join(card.labels)}.", ""] if card.labels else []), _TOGETHER, "",
        *([_NO_HEAD, ""] if objective_of(card).predict is None else []),
    ]  # fmt: skip
    if "step.onnx" in graphs:
        lines += [_STEPS, ""]
    two = are_of_two_languages(trained.tokens)
    lines += [_FILES.format(cutting=_OF_TWO if two else "`tokenizer.json` cuts"), ""]
    for name, content in graphs.items():
        stepper = Stepper(content)
        lines += [f"## {name}", "", "| | name | type | shape |", "|---|---|---|---|"]
        for way, values in (("in", stepper.given), ("out", stepper.given_back)):
            lines += [f"| {way} | `{each}` | {kind} | {shape} |" for each, kind, shape in values]
        lines += [""]
    return "\n".join(lines)
