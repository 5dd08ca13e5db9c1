"""The one table of what a run can be exported to, and the way there: files, then the export opened again and compared.
A target is one row. It knows no run folder.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from glassformer.choices import Choices, Later
from glassformer.errors import InputError
from glassformer.exchange.parity import Opened, Parity, compared
from glassformer.extras import needing, to_install
from glassformer.objectives.objective import Trained
from glassformer.storage import MANIFEST, parse_json, write_file, write_folder

REPORT = "parity.json"


@dataclass(frozen=True, kw_only=True)
class Target:
    """One row of the table.

    sentence    what it is, in a few words
    files       a trained model → all files of the export, by name; an InputError says what it cannot hold
    opened      folder, trained model → the export, as the tool that it is for opens it
    extra       what brings the packages that write and open it; nothing where none are needed
    """

    sentence: str
    files: Callable[[Trained], Mapping[str, bytes]]
    opened: Callable[[Path, Trained], Opened]
    extra: str


TARGETS: Choices[Target] = Choices(
    "export",
    {
        "hf": Target(
            sentence="a folder that transformers opens",
            files=Later("glassformer.exchange.hugging_face:folder_files"),
            opened=Later("glassformer.exchange.hugging_face:opened_by_transformers"),
            extra="exchange",
        ),
        "onnx": Target(
            sentence="graphs for ONNX Runtime, the cache of a writer passed in and out",
            files=Later("glassformer.exchange.programs.onnx_program:onnx_files"),
            opened=Later("glassformer.exchange.programs.onnx_program:opened_by_onnx"),
            extra="engines",
        ),
        "ctranslate2": Target(
            sentence="a folder for CTranslate2, of a language model in a layout that it knows",
            files=Later("glassformer.exchange.programs.ctranslate2_program:ctranslate2_files"),
            opened=Later("glassformer.exchange.programs.ctranslate2_program:opened_by_ctranslate2"),
            extra="ctranslate2",
        ),
        "gguf": Target(
            sentence="a file for llama.cpp, of a language model whose arithmetic it has",
            files=Later("glassformer.exchange.gguf_file:gguf_files"),
            opened=Later("glassformer.exchange.gguf_file:opened_from_gguf"),
            extra="gguf",
        ),
        "torch": Target(
            sentence="a program that torch runs without Glassformer",
            files=Later("glassformer.exchange.programs.torch_program:program_files"),
            opened=Later("glassformer.exchange.programs.torch_program:opened_by_torch"),
            extra="",
        ),
    },
)


def export_model(trained: Trained, to: str, out: Path, texts: Sequence[str], where: str) -> Parity:
    """Writes the export beside its place, opens it there, and compares it on some texts; `where` these come from. Only
    then is it put in its place, with the report, which comes back: who is stopped before leaves nothing behind."""
    target, model = TARGETS[to], _identity(trained)
    _check_place(out, to, model)
    with needing(target.extra, f"The export to {to}"):
        files = target.files(trained)
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent, ignore_cleanup_errors=True) as beside:
        for name, content in files.items():
            write_file(Path(beside) / name, content)
        parity = replace(_compared(target, trained, Path(beside), texts, where), to=to, model=model)
    write_folder(out, {**files, REPORT: parity.to_bytes()})
    (out / MANIFEST).unlink()  # other tools may ask what it is
    return parity


def _identity(trained: Trained) -> str:
    """A number for what is exported, by which the same model is known again: its task, its settings and its weights."""
    card = trained.card
    found = hashlib.sha256(repr((card.task, card.objective, card.model, card.config, card.labels)).encode())
    for name, value in sorted(trained.model.state_dict().items()):
        found.update(name.encode() + value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return found.hexdigest()[:16]


def _check_place(out: Path, to: str, model: str) -> None:
    """Refuses a place where something else stands; what was exported there of the same model is made anew."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not (out / REPORT).is_file():
        raise InputError(f"{out} is there already, and is no export; choose another --out.")
    there = parse_json((out / REPORT).read_bytes(), out / REPORT)
    if (there.get("to"), there.get("model")) != (to, model):
        raise InputError(
            f"{out} holds an export of another model, or for another tool, and it would be lost; choose another --out, "
            "or remove that folder."
        )


def _compared(target: Target, trained: Trained, out: Path, texts: Sequence[str], where: str) -> Parity:
    try:
        return compared(trained, target.opened(out, trained), texts, where)
    except ModuleNotFoundError as error:
        return Parity(
            checked=False, passed=False, from_=where,
            why_not=f"the export could not be opened, since {error.name} is not installed "
            f"({to_install(error, target.extra) or 'bring it in'}); whether it is the same model is not known.",
        )  # fmt: skip
    except RuntimeError as error:  # of the other tool
        said = next(iter(str(error).splitlines()), type(error).__name__)
        return Parity(
            checked=False, passed=False, from_=where,
            why_not=f"the export was written, but it broke when it was asked ({said:.200}); do not use it.",
        )  # fmt: skip
