"""Folders: which files make up a corpus, and which part each belongs to. Looks at names alone, opens nothing.

A folder may hold train, valid and test files; the same as pairs of parallel files (train.en, train.de); a folder of
texts for each label; or, to generate, texts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from glassformer.errors import InputError
from glassformer.text.files.columns import Columns
from glassformer.text.files.tables import FORMATS, format_of
from glassformer.text.files.text_files import STDIN
from glassformer.text.samples import Plain
from glassformer.text.tasks import TASKS

# How the parts are called in file and folder names, and by us.
PART_NAMES: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("train", "training"), "train"),
        **dict.fromkeys(("valid", "validation", "val", "dev"), "valid"),
        "test": "test",
    }
)
NO_LABELS = ("unsup", "unsupervised", "unlabelled", "unlabeled")  # folders of texts that nobody labelled


@dataclass(frozen=True)
class Files:
    """Files that are read together.

    table      rows with columns
    parallel   two texts whose lines belong together
    document   one text, of a label if it lay in a label's folder
    lines      a text whose every line is a document
    """

    kind: str
    paths: tuple[Path, ...]
    label: str = ""


Parts = dict[str, list[Files]]


def files_of_parts(source: Path | Sequence[Path], task: str, columns: Columns) -> Parts:
    """The files of each part. What is not split yet is all train."""
    if not isinstance(source, Path):
        return {"train": _several(list(source), task)}
    if source != STDIN and _is_folder(source):
        return _folder(source, task, columns)
    return {"train": [_single(source, task)]}


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:  # a name that is too long for any
        raise InputError(f"{str(path)[:200]} cannot be read: {error.strerror}.") from error


def _single(path: Path, task: str) -> Files:
    if Plain in TASKS[task].samples and (format_of(path) == ".txt" or format_of(path) not in FORMATS):
        return Files("document", (path,))
    return Files("table", (path,))


def _several(paths: Sequence[Path], task: str) -> list[Files]:
    if not paths:
        raise InputError("No file was given.")
    tables = [format_of(path) in FORMATS and format_of(path) != ".txt" for path in paths]
    if TASKS[task].has_only_pairs and len(paths) == 2 and not any(tables):
        return [Files("parallel", tuple(paths))]
    if TASKS[task].has_only_pairs and any(tables) and not all(tables):
        whole = paths[tables.index(True)]
        raise InputError(
            f"{' and '.join(map(str, paths))} are no pair: {whole} is a table, which holds both sides in its columns. "
            "Give two files of plain text, line by line in either language, or tables alone."
        )
    return [_single(path, task) for path in paths]


def _folder(folder: Path, task: str, columns: Columns) -> Parts:
    try:
        inside = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
        parts = {part: [path for path in inside if _part(path) == part] for part in ("train", "valid", "test")}
        if parts["train"]:
            found = {part: _part_files(paths, task, columns) for part, paths in parts.items()}
        else:
            found = {"train": _part_files([path for path in inside if path.name != "README.md"], task, columns)}
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror}.") from error
    if not found["train"]:
        raise InputError(
            f"{folder} holds nothing to train on: expected train, valid and test files, "
            f"a folder of .txt files for each label, or files ending in {', '.join(FORMATS)}."
        )
    return {part: files for part, files in found.items() if files}


def _part(path: Path) -> str:
    """The part a file or folder name speaks of: train.csv, test_2016.en.gz, dev-00000-of-00002.parquet."""
    word = re.match("[a-z]+", path.name.lower())
    return PART_NAMES.get(word[0], "") if word else ""


def _part_files(paths: Sequence[Path], task: str, columns: Columns) -> list[Files]:
    found: list[Files] = []
    for folder in (path for path in paths if path.is_dir()):
        inner = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        if any(path.is_dir() for path in inner):  # train/ with a folder for each label in it
            found += _part_files([path for path in inner if path.is_dir()], task, columns)
        elif not TASKS[task].has_labels or folder.name.lower() not in NO_LABELS:
            found += [Files("document", (path,), folder.name) for path in inner if format_of(path) == ".txt"]
    files = [path for path in paths if path.is_file()]
    if TASKS[task].has_only_pairs and any(format_of(path) not in FORMATS for path in files):
        return found + _parallel(files, columns)
    return found + [_single(path, task) for path in files if format_of(path) in FORMATS]


def _parallel(files: Sequence[Path], columns: Columns) -> list[Files]:
    """Pairs of files that differ only in their language's ending."""
    endings = sorted({format_of(path) for path in files} - {*FORMATS, ""})
    wanted = [f".{name}" for name in (columns.source, columns.target) if name is not None] or endings
    if len(wanted) != 2:
        raise InputError(
            f"{files[0].parent} has files in {', '.join(ending.lstrip('.') for ending in endings)}; "
            "name the language to translate from (source) and the one to translate to (target)."
        )
    sides = [sorted(path for path in files if format_of(path) == ending) for ending in wanted]
    if len(sides[0]) != len(sides[1]) or not sides[0]:
        counts = " and ".join(f"{len(side)} ending in {ending}" for side, ending in zip(sides, wanted, strict=True))
        raise InputError(f"{files[0].parent} has {counts}; each needs its partner.")
    return [Files("parallel", pair) for pair in zip(*sides, strict=True)]
