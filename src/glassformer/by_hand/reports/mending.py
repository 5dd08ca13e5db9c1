"""Writes a mended copy of notes: every wrong number, and all that followed from it, put right. Never over the notes."""

import json
import re
from pathlib import Path

from glassformer.by_hand.check import check_text
from glassformer.by_hand.checking.findings import Correction, Report
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.sheets import with_cells
from glassformer.errors import InputError

_ROUNDS = 5


def mended_text(document: Document, corrections: list[Correction], *, strict: bool = False) -> str:
    """The text with its corrections; digits that were cut off are rounded only for a `strict` reader."""
    text = document.text
    for correction in reversed(corrections):
        if strict or not correction.mild:
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


def mended_path(path: Path) -> Path:
    """`notes.md` → `notes.corrected.md`."""
    return path.with_name(f"{path.stem}.corrected{path.suffix}")


def mend(document: Document, corrections: list[Correction], suffix: str = ".md", *, strict: bool = False) -> str:
    """The mended text, checked again until nothing is left to correct: one correction may show another."""
    text = mended_text(document, corrections, strict=strict)
    for _ in range(_ROUNDS):
        report = check_text(text, document.file, suffix)
        rest = [c for c in report.corrections[document.file] if strict or not c.mild]
        if not rest:
            break
        text = mended_text(report.documents[0], rest, strict=strict)
    return text


def write_mended(report: Report, *, strict: bool = False) -> list[Path]:
    """Writes a copy beside each file that has something to correct, and says where."""
    written = []
    for document in report.documents:
        corrections = [c for c in report.corrections.get(document.file, []) if strict or not c.mild]
        path = Path(document.file)
        if not corrections or not path.is_file():
            continue
        if document.converted:
            raise InputError(
                f"{document.file} is {document.converted}, which is read but not written; correct it by hand."
            )
        target = mended_path(path)
        if path.suffix.lower() == ".xlsx":
            target.write_bytes(with_cells(path.read_bytes(), document, {c.offset: c.text for c in corrections}))
        elif path.suffix.lower() == ".ipynb":
            target.write_text(_notebook(path, document, corrections), encoding="utf-8")
        else:
            target.write_text(mend(document, corrections, path.suffix.lower(), strict=strict), encoding="utf-8")
        written.append(target)
    return written


def _notebook(path: Path, document: Document, corrections: list[Correction]) -> str:
    """The notebook with its Markdown cells corrected, and all else as it was."""
    content = json.loads(path.read_text(encoding="utf-8-sig"))
    starts = [start for start, _ in document.parts]
    for start, label in document.parts:
        end = next((other for other in starts if other > start), len(document.text))
        own = [Correction(c.offset - start, c.length, c.text) for c in corrections if start <= c.offset < end]
        if own and label.startswith("cell "):  # an output is mended by running its cell
            piece = Document(document.file, document.text[start:end].rstrip("\n"))
            source = mended_text(piece, own, strict=True)
            content["cells"][int(label.removeprefix("cell ")) - 1]["source"] = source.splitlines(keepends=True)
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
