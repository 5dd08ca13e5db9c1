"""Writes a document of another format out as notes in Markdown, and remembers which line of the file each line is from.

What was said where is all it knows; it reads no format itself.
"""

import re
from dataclasses import dataclass, field

from glassformer.by_hand.notes.documents import Document, cut
from glassformer.by_hand.notes.macros import read_macros, without_definitions
from glassformer.by_hand.notes.plain_spelling import plainly
from glassformer.by_hand.notes.programs.fences import read_programs
from glassformer.by_hand.notes.tables.markdown_tables import read_tables


@dataclass
class Pen:
    """A growing text, line by line."""

    lines: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    current: str = ""
    origin: int = 0

    def write(self, text: str, origin: int) -> None:
        """Adds to the current line; line breaks in the text begin new ones."""
        first, *rest = text.split("\n")
        self._add(first, origin)
        for i, line in enumerate(rest):
            self.end_line()
            self._add(line, origin + i + 1)

    def _add(self, text: str, origin: int) -> None:
        self.origin = self.origin or origin
        self.current += text

    def end_line(self) -> None:
        """Ends the current line, even if nothing stands in it."""
        self.lines.append(self.current.rstrip())
        self.origins.append(self.origin or (self.origins[-1] if self.origins else 1))
        self.current, self.origin = "", 0

    def paragraph(self) -> None:
        """Ends the current line if anything stands in it, and leaves one free."""
        if self.current.strip():
            self.end_line()
        self.current, self.origin = "", 0
        if self.lines and self.lines[-1]:
            self.end_line()

    def document(self, file: str, what: str) -> Document:
        """The notes, cut into passages; `what` says what they were written out from."""
        self.paragraph()
        text = "\n".join(self.lines) + "\n"
        written = plainly(without_definitions(text), ".md")
        document = Document(file, text, read_as=written, macros=read_macros(text), converted=what)
        document.origins = [*self.origins, self.origins[-1] if self.origins else 1]
        cut(document)
        read_tables(document)
        read_programs(document)
        return document


def table_lines(rows: list[list[str]]) -> list[str]:
    """A table in Markdown; its first row is the heading."""
    width = max((len(row) for row in rows), default=0)
    if width < 2 or len(rows) < 2:
        return [" ".join(row) for row in rows]
    whole = [[re.sub(r"\s+", " ", cell).replace("|", "/").strip() for cell in row] for row in rows]
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in whole]
    return [lines[0], "|" + "---|" * width, *lines[1:]]
