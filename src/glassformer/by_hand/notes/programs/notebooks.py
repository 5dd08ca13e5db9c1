"""Opens a Jupyter notebook: its Markdown cells as notes, its code cells as programs beside their outputs.

Nothing is run. Cells that were run out of order, or not at all, prove nothing. Understands no mathematics.
"""

import json
import re
from typing import Any

from glassformer.by_hand.notes.documents import Document, cut
from glassformer.by_hand.notes.programs.cells import Cells, Output
from glassformer.by_hand.notes.tables.markdown_tables import read_tables

LONGEST_OUTPUT = 100_000
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def read_notebook(text: str, file: str) -> Document:
    """The document of a notebook; places count within the cells."""
    try:
        content = json.loads(text)
        cells = content["cells"]
        if not all(isinstance(cell, dict) for cell in cells):
            raise TypeError("a cell is no object")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Document(file, "", unreadable=[(0, f"this is not a Jupyter notebook ({type(error).__name__}: {error})")])
    writer = _Writer()
    for number, cell in enumerate(cells, start=1):
        writer.add(number, cell)
    document = Document(file, writer.text, parts=writer.parts)
    for start, end in writer.notes:
        piece = Document(file, document.text[start:end])
        cut(piece)
        document.passages += [passage.moved(start) for passage in piece.passages]
        document.unreadable += [(offset + start, why) for offset, why in piece.unreadable]
        document.passed_over += [(offset + start, why) for offset, why in piece.passed_over]
    read_tables(document)
    if _is_python(content):
        program = Cells(document, in_order=writer.in_order)
        for code, outputs in writer.programs:
            program.add(code, outputs)
    document.passages.sort(key=lambda passage: passage.span.start)
    return document


def _is_python(content: dict[str, Any]) -> bool:
    metadata = content.get("metadata")
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    language = kernel.get("language", "python") if isinstance(kernel, dict) else "python"
    return str(language).lower().startswith("python")


def _joined(source: Any) -> str:
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).replace("\r\n", "\n").replace("\r", "\n")


class _Writer:
    """Writes the cells one under the other, and remembers where each begins."""

    def __init__(self) -> None:
        self.text = ""
        self.parts: list[tuple[int, str]] = []
        self.notes: list[tuple[int, int]] = []  # stretches of Markdown
        self.programs: list[tuple[str, list[Output]]] = []
        self.counts: list[int | None] = []

    @property
    def in_order(self) -> bool:
        """Whether every code cell was run once, from the first to the last."""
        ran = [count for count in self.counts if count is not None]
        return bool(ran) and ran == list(range(ran[0], ran[0] + len(ran))) and None not in self.counts

    def add(self, number: int, cell: dict[str, Any]) -> None:
        source = _joined(cell.get("source"))
        if cell.get("cell_type") == "markdown":
            start = self._put(source.rstrip("\n"), f"cell {number}")
            self.notes.append((start, len(self.text)))
        elif cell.get("cell_type") == "code" and source.strip():
            self.text += "```python\n"
            self._put(source.rstrip("\n"), f"cell {number}", close="\n```\n\n")
            count = cell.get("execution_count")
            self.counts.append(count if isinstance(count, int) else None)
            outputs = cell.get("outputs")
            self.programs.append((source, self._outputs(number, outputs if isinstance(outputs, list) else [])))

    def _put(self, text: str, label: str, close: str = "\n\n") -> int:
        start = len(self.text)
        self.parts.append((start, label))
        self.text += text + close
        return start

    def _outputs(self, number: int, outputs: list[Any]) -> list[Output]:
        """What was printed, as one text, and the value that the last line shows."""
        kinds = [each for each in outputs if isinstance(each, dict)]
        streams = [_joined(each.get("text")) for each in kinds if each.get("name") == "stdout"]
        values = [each["data"] for each in kinds if each.get("output_type") == "execute_result" and "data" in each]
        shown = [_joined(value.get("text/plain")) for value in values if isinstance(value, dict)]
        answer = []
        for raw, is_value in [("".join(streams), False), *((value, True) for value in shown)]:
            text = _COLOURS.sub("", raw)
            if text.strip() and len(text) <= LONGEST_OUTPUT:
                self.text += "```text\n"
                start = self._put(text.rstrip("\n"), f"output of cell {number}", close="\n```\n\n")
                answer.append(Output(text, start, is_value))
        return answer
