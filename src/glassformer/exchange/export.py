"""The one table of what a run can be exported to, and the way there: files, then the export opened again and compared.
A target is one row. It knows no run folder.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from glassformer.choices import Choices, Later
from glassformer.errors import InputError
from glassformer.exchange.parity import Opened, Parity, compared
from glassformer.objectives.objective import Trained
from glassformer.storage import MANIFEST, write_file, write_folder

REPORT = "parity.json"


@dataclass(frozen=True, kw_only=True)
class Target:
    """One row of the table.

    sentence    what it is, in a few words
    files       a trained model → all files of the export, by name; an InputError says what it cannot hold
    opened      folder, trained model → the export, as the tool that it is for opens it
    package     what must be installed to open it
    """

    sentence: str
    files: Callable[[Trained], Mapping[str, bytes]]
    opened: Callable[[Path, Trained], Opened]
    package: str


TARGETS: Choices[Target] = Choices(
    "export",
    {
        "hf": Target(
            sentence="a folder that transformers opens",
            files=Later("glassformer.exchange.hugging_face:folder_files"),
            opened=Later("glassformer.exchange.hugging_face:opened_by_transformers"),
            package="transformers",
        ),
        "onnx": Target(
            sentence="graphs for ONNX Runtime, the cache of a writer passed in and out",
            files=Later("glassformer.exchange.programs.onnx_program:onnx_files"),
            opened=Later("glassformer.exchange.programs.onnx_program:opened_by_onnx"),
            package="onnxruntime",
        ),
        "ctranslate2": Target(
            sentence="a folder for CTranslate2, of a language model in a layout that it knows",
            files=Later("glassformer.exchange.programs.ctranslate2_program:ctranslate2_files"),
            opened=Later("glassformer.exchange.programs.ctranslate2_program:opened_by_ctranslate2"),
            package="ctranslate2",
        ),
        "gguf": Target(
            sentence="a file for llama.cpp, of a language model whose arithmetic it has",
            files=Later("glassformer.exchange.gguf_file:gguf_files"),
            opened=Later("glassformer.exchange.gguf_file:opened_from_gguf"),
            package="gguf transformers",
        ),
        "torch": Target(
            sentence="a program that torch runs without Glassformer",
            files=Later("glassformer.exchange.programs.torch_program:program_files"),
            opened=Later("glassformer.exchange.programs.torch_program:opened_by_torch"),
            package="torch",
        ),
    },
)


def export_model(trained: Trained, to: str, out: Path, texts: Sequence[str], where: str) -> Parity:
    """Writes the export into a new folder, opens it there, and compares it on some texts; `where` these come from.
    The report stands beside the export, and comes back."""
    target = TARGETS[to]
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / REPORT).is_file())):
        raise InputError(f"{out} is there already, and is no export; choose another --out.")
    write_folder(out, target.files(trained))
    (out / MANIFEST).unlink()  # other tools may ask what it is
    parity = _compared(target, trained, out, texts, where)
    write_file(out / REPORT, parity.to_bytes())
    return parity


def _compared(target: Target, trained: Trained, out: Path, texts: Sequence[str], where: str) -> Parity:
    try:
        again = target.opened(out, trained)
    except ModuleNotFoundError as error:
        return Parity(
            checked=False, passed=False, from_=where,
            why_not=f"the export could not be opened, since {error.name} is not installed "
            f"(pip install {target.package}); whether it is the same model is not known.",
        )  # fmt: skip
    try:
        return compared(trained, again, texts, where)
    except RuntimeError as error:  # of the other tool
        said = next(iter(str(error).splitlines()), type(error).__name__)
        return Parity(
            checked=False, passed=False, from_=where,
            why_not=f"the export was written, but it broke when it was asked ({said:.200}); do not use it.",
        )  # fmt: skip
