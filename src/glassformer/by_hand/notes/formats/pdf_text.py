"""Reads the text layer of PDF files, and of it only lines that it can be trusted with: plain arithmetic on one line.

A text layer forgets how signs are set: an exponent stands beside its base, a fraction falls apart, columns run
together, a minus sign may be lost. So a line is read only if all of it has one size and one baseline, and nothing but
numbers, signs and a name in it; every other line with a claim is counted as not checkable. Understands no mathematics.
"""

import io
import logging
import re
from dataclasses import dataclass, field

from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.formats.pen import Pen
from glassformer.errors import InputError

MOST_PAGES = 200
_UNSOUND = re.compile(r"\ufffd|\(cid:\d+\)")  # signs that were lost: others may be, too
_NUMBER = r"[-−+]?\d+(?:\.\d+)?"
_TERM = rf"(?:\({_NUMBER}\)|{_NUMBER})(?:\({_NUMBER}\))*"
_PLAIN = re.compile(rf"(?:[^\W\d_][\w ]{{0,30}}[=:]\s*)?{_TERM}(?:\s*[-−+×*·/÷=≈]\s*{_TERM})+")
_CLAIM = re.compile(r"[=≈][^=≈]*\d")
WHY = "a line of a PDF whose text layer does not keep how it is set (exponents, fractions, columns, signs)"


@dataclass
class _Line:
    """Pieces of text on one baseline, and the sizes they are set in."""

    height: float
    text: str = ""
    sizes: set[float] = field(default_factory=set)


def read_pdf(data: bytes, file: str) -> Document:
    """The notes in the text layer of a PDF; lines count within its pages."""
    try:
        import pypdf
    except ImportError as error:
        raise InputError(f"Reading {file} needs pypdf: pip install 'glassformer[documents]'.") from error
    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # what is wrong with a file is said below, once
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            return Document(file, "", unreadable=[(0, "this PDF is locked by a password")])
        pages = [_lines_of(page) for page in reader.pages[:MOST_PAGES]]
    except Exception as error:  # the library raises whatever a broken file makes it raise
        return Document(file, "", unreadable=[(0, f"this PDF cannot be read ({type(error).__name__}: {error})")])
    if not any(line.text.strip() for lines in pages for line in lines):
        return Document(file, "", unreadable=[(0, "this PDF has no text layer: its pages are pictures")])
    document = _document(pages, file)
    if len(reader.pages) > MOST_PAGES:
        document.unreadable.append((0, f"of {len(reader.pages)} pages the first {MOST_PAGES} are read"))
    return document


def _lines_of(page: object) -> list[_Line]:
    lines: list[_Line] = []

    def keep(text: str, _: object, matrix: list[float], __: object, size: float) -> None:
        if not text.strip():
            if lines and text:
                lines[-1].text += " "
            return
        height, scale = float(matrix[5]), abs(float(matrix[3])) or 1.0
        if not lines or abs(lines[-1].height - height) > 0.5:
            lines.append(_Line(height))
        lines[-1].text += text.replace("\n", " ")
        lines[-1].sizes.add(round(size * scale, 1))

    page.extract_text(visitor_text=keep)  # type: ignore[attr-defined]
    return lines


def _document(pages: list[list[_Line]], file: str) -> Document:
    """Every line with a claim, read if it is plain, and else passed over."""
    pen = Pen()
    parts: list[tuple[int, int]] = []  # the line at which each page begins, and its number
    doubtful: list[int] = []
    sound = not any(_UNSOUND.search(line.text) for lines in pages for line in lines)
    for number, lines in enumerate(pages, start=1):
        parts.append((len(pen.lines), number))
        for i, line in enumerate(lines):
            text = re.sub(r"\s+", " ", line.text).strip()
            if not _CLAIM.search(text):
                continue
            bare = text.lstrip("= ").rstrip(" .,;")  # a name with an index before it is a line of its own
            if sound and _PLAIN.fullmatch(bare) and _CLAIM.search(bare) and _stands_alone(lines, i):
                text = bare
            else:
                doubtful.append(len(pen.lines))
                text = ""
            pen.write(text, i + 1)
            pen.end_line()
            pen.paragraph()
    document = pen.document(file, "a PDF")
    starts = [0]
    for line_text in document.text.split("\n"):
        starts.append(starts[-1] + len(line_text) + 1)
    last = len(starts) - 1
    document.parts = [(starts[min(line, last)], f"page {number}") for line, number in parts]
    document.passed_over += [(starts[min(line, last)], WHY) for line in doubtful]
    return document


def _stands_alone(lines: list[_Line], i: int) -> bool:
    """One size, and nothing set close to it that may belong to it: an exponent, a numerator, an index.

    What stands before a line that begins with = belongs to the name on its left.
    """
    line = lines[i]
    reach = 0.9 * max(line.sizes, default=0.0)
    near = (
        lines[i + 1 : i + 5]
        if line.text.lstrip().startswith("=")
        else [*lines[max(0, i - 4) : i], *lines[i + 1 : i + 5]]
    )
    return len(line.sizes) == 1 and not any(abs(other.height - line.height) < reach for other in near)
