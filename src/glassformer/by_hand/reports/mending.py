"""Mends notes: every number that is certainly wrong, and all that followed from it, put right. Never over the notes.

Digits cut off, doubtful numbers, and findings that hang on what a name usually means are left as they are.
"""

import difflib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Correction, Report
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.sheets import with_cells
from glassformer.errors import InputError
from glassformer.storage import write_file

_ROUNDS = 5


@dataclass(frozen=True)
class Mended:
    """A corrected copy of one file: what changes, line by line, and the whole content."""

    file: str
    diff: str
    content: bytes


def mended_text(document: Document, corrections: list[Correction]) -> str:
    """The text with its certain corrections."""
    text = document.text
    for correction in reversed(corrections):
        if correction.certain:
            end = correction.offset + correction.length
            number, rest = correction.text, text[end:]
            if any(p.drawing and p.span.start <= correction.offset < p.span.end for p in document.passages):
                number, rest = _in_column(number, correction.length, rest)
            text = text[: correction.offset] + number + rest
    return text


def _in_column(number: str, room: int, rest: str) -> tuple[str, str]:
    """In a drawing what follows on the line keeps its column: a longer number takes its room from the next gap."""
    wider = len(number) - room
    gap = re.match(rf"([^\n]*?\S  ) {{{wider}}}", rest) if wider > 0 else None
    return number.rjust(room), rest if gap is None else gap[1] + rest[gap.end() :]


def mend(document: Document, corrections: list[Correction], suffix: str = ".md") -> str:
    """The mended text, checked again until nothing is left to correct: one correction may show another."""
    text = mended_text(document, corrections)
    for _ in range(_ROUNDS):
        report = check_text(text, document.file, suffix)
        rest = [correction for correction in report.corrections[document.file] if correction.certain]
        if not rest:
            break
        text = mended_text(report.documents[0], rest)
    return text


def mended_copies(report: Report) -> list[Mended]:
    """A copy of each file that has something to correct; nothing is written."""
    copies = []
    for document in report.documents:
        corrections = [c for c in report.corrections.get(document.file, []) if c.certain]
        if corrections:
            copies.append(_mended(document, corrections))
    return copies


def _mended(document: Document, corrections: list[Correction]) -> Mended:
    if document.converted:
        raise InputError(f"{document.file} is {document.converted}, which is read but not written; correct it by hand.")
    path = Path(document.file)
    suffix = path.suffix.lower()
    if suffix == ".xlsx":
        text = mended_text(document, corrections)
        content = with_cells(path.read_bytes(), document, {c.offset: c.text for c in corrections})
    elif suffix == ".ipynb":
        text = mended_text(document, corrections)
        content = _notebook(path, document, corrections).encode()
    else:
        text = mend(document, corrections, suffix or ".md")
        content = text.encode()
    return Mended(document.file, _diff(document.file, document.text, text), content)


def _diff(file: str, before: str, after: str) -> str:
    """The lines that change, each with its neighbours."""
    names = file, f"{file} (corrected)"
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), *names, n=1, lineterm="")
    return "".join(f"{line}\n" for line in changes)


def _notebook(path: Path, document: Document, corrections: list[Correction]) -> str:
    """The notebook with its Markdown cells corrected, and all else as it was."""
    content = json.loads(path.read_text(encoding="utf-8-sig"))
    starts = [start for start, _ in document.parts]
    for start, label in document.parts:
        end = next((other for other in starts if other > start), len(document.text))
        own = [Correction(c.offset - start, c.length, c.text) for c in corrections if start <= c.offset < end]
        if own and label.startswith("cell "):  # an output is mended by running its cell
            piece = Document(document.file, document.text[start:end].rstrip("\n"))
            source = mended_text(piece, own)
            content["cells"][int(label.removeprefix("cell ")) - 1]["source"] = source.splitlines(keepends=True)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def write_copies(copies: list[Mended], out: Path) -> list[Path]:
    """Writes corrected copies: one to `out`, several (or one, if it is a folder) into it under their own names."""
    is_folder = out.is_dir() or len(copies) > 1
    targets = [out / Path(copy.file).name if is_folder else out for copy in copies]
    if len(set(targets)) < len(targets):
        raise InputError(f"Two of the notes have one name, and cannot both stand in {out}; correct them one by one.")
    for target in targets:
        if target.exists():
            raise InputError(f"{target} is there already and is not written over; name another place with --out.")
    for copy, target in zip(copies, targets, strict=True):
        write_file(target, copy.content)
    return targets
