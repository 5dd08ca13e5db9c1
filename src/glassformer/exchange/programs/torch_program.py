"""A model as a program of torch.export, which runs where torch is, without Glassformer; and how it answers there. What
torch.export would tie to one number of texts, as it does recurrent layers, is refused.
"""

import io
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import Dim, ExportedProgram

from glassformer.errors import InputError
from glassformer.exchange.parity import Opened
from glassformer.exchange.readmes.calling import code, how_much, longest_for
from glassformer.exchange.vocabularies.written_tokens import cutter_of, token_files
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.objectives.table import objective_of

PROGRAM = "model.pt2"


class Answering(nn.Module):
    """A model with nothing but tensors to be called with; of an encoder without a head, its rows."""

    def __init__(self, model: Any, *, rows: bool) -> None:
        super().__init__()
        self.model, self.rows = model, rows

    def forward(self, ids: Tensor, real: Tensor, target: Tensor | None = None) -> Tensor:
        """Logits, or rows."""
        if target is not None:
            return self.model(ids, real, target)  # type: ignore[no-any-return]
        return self.model.read(ids, real) if self.rows else self.model(ids, real)  # type: ignore[no-any-return]


def program_files(trained: Trained) -> dict[str, bytes]:
    """The program and the tokenizer."""
    kept = io.BytesIO()
    torch.export.save(exported(trained), kept)
    return {
        PROGRAM: kept.getvalue(),
        **token_files(trained.tokens, longest_for(trained, "torch")),
        "README.md": _readme(trained).encode(),
    }


def exported(trained: Trained) -> ExportedProgram:
    """The program: any number of texts, of any length that the model reads."""
    family, longest = MODELS[trained.card.model].family, _longest(trained)
    if longest < 4:
        raise InputError(f"A program needs texts of 4 tokens or more; this model takes {longest}.")
    ids = torch.arange(6).reshape(2, 3) % trained.card.settings.vocabulary
    batch, length = Dim("batch", min=1, max=4096), Dim("length", min=1, max=longest)
    given: tuple[Any, ...] = (ids, torch.ones_like(ids, dtype=torch.bool))
    shapes: tuple[Any, ...] = ({0: batch, 1: length}, {0: batch, 1: length})
    if family == "translator":
        written = ids[:, :2].contiguous()  # of a part of `ids`, its strides would be written down too
        given, shapes = (*given, written), (*shapes, {0: batch, 1: Dim("written", min=1, max=longest)})
    module = Answering(trained.model, rows=objective_of(trained.card).predict is None).eval()
    try:
        with torch.no_grad():
            return torch.export.export(
                module, given, dynamic_shapes=shapes, prefer_deferred_runtime_asserts_over_guards=True
            )
    except RuntimeError as error:
        raise InputError(
            f"torch.export cannot write a {trained.card.model} down for any number of texts of any length "
            f"({str(error).splitlines()[0]:.120}); export it with --to onnx."
        ) from error


def _longest(trained: Trained) -> int:
    if MODELS[trained.card.model].family == "language model":
        return longest_for(trained, "torch")
    return int(getattr(trained.card.settings, "length", trained.card.longest))


def opened_by_torch(folder: Path, trained: Trained) -> Opened:
    """The program, read back by torch."""
    program = torch.export.load(folder / PROGRAM).module()

    def answers(*given: Tensor) -> Tensor:
        with torch.inference_mode():
            return program(*given)  # type: ignore[no-any-return]

    return Opened(answers, cuts=cutter_of(folder))


def _readme(trained: Trained) -> str:
    card = trained.card
    labels = f"The classes are, in order: {', '.join(card.labels)}.\n\n" if card.labels else ""
    return (
        f"# {card.model} to {card.task}, for torch\n\n{how_much(trained, 'torch')}\n\n"
        f"{code(trained, 'torch')}\n{labels}"
        "`parity.json` says how closely its answers are those of the run it came from.\n"
    )
