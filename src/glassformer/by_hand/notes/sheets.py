"""Reads CSV and Excel sheets: a block of numbers under or beside its name, which may be a formula (`Q = X W_Q`).

The cells become statements with their places in the sheet. What formulas of the spreadsheet give: sheet_formulas.py.
"""

import csv
import io
import re
import warnings
from bisect import bisect_right
from collections.abc import Mapping

from glassformer.by_hand.grammar.expressions import Matrix, Node, Number, Span
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.notes.sheet_formulas import Place, agreeing, place_of
from glassformer.errors import InputError

Grid = list[list[str]]
MOST_CELLS = 1_000_000
LARGEST_WITH_FORMULAS = 3_000_000  # bytes
_COMMA = re.compile(r"^([-+−]?\d+),(\d+%?)$")


def read_csv(text: str, file: str, delimiter: str | None) -> Document:
    """A CSV file; the delimiter is the one that occurs most often unless given."""
    if delimiter is None:
        in_numbers = len(re.findall(r"(?<=\d),(?=\d)", text))
        only_decimals = ";" in text and text.count(",") == in_numbers
        delimiter = ";" if only_decimals else max(",;\t", key=text.count)
    try:
        grid = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text), delimiter=delimiter)]
    except csv.Error as error:
        return Document(file, text, unreadable=[(0, f"this is not a CSV file: {error}")])
    if delimiter == ";":  # then a comma stands before the decimals
        grid = [[_COMMA.sub(r"\1.\2", cell) for cell in row] for row in grid]
    return _document([("", grid)], file, delimiter)


def read_xlsx(data: bytes, file: str) -> Document:
    """An Excel workbook, sheet by sheet, with the values that were last shown."""
    try:
        import openpyxl
    except ImportError as error:
        raise InputError(f"Reading {file} needs openpyxl: pip install 'glassformer[sheets]'.") from error
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), data_only=True, read_only=True)
        sheets = []
        for sheet in book.worksheets:
            rows = sheet.iter_rows(values_only=True, max_row=20_000, max_col=500)
            sheets.append((sheet.title, [["" if cell is None else str(cell).strip() for cell in row] for row in rows]))
        formulas = _formulas(data) if len(data) <= LARGEST_WITH_FORMULAS else {}
    except Exception as error:  # the library raises whatever the zip or the XML in it raises
        return Document(file, "", unreadable=[(0, f"this is not an Excel workbook ({type(error).__name__}: {error})")])
    return _document(sheets, file, "\t", formulas)


def _formulas(data: bytes) -> dict[str, dict[Place, tuple[str, Place]]]:
    """Of each sheet its formulas: where each stands, what it says, and the last cell that it fills."""
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what else is in the book is no concern of ours
        book = openpyxl.load_workbook(io.BytesIO(data))
    answer: dict[str, dict[Place, tuple[str, Place]]] = {}
    for sheet in book.worksheets:
        found = answer.setdefault(sheet.title, {})
        for row in sheet.iter_rows(max_row=min(sheet.max_row, 2000), max_col=min(sheet.max_column, 200)):
            for cell in row:
                here = ((cell.row or 1) - 1, (cell.column or 1) - 1)
                text, filled = getattr(cell.value, "text", cell.value), getattr(cell.value, "ref", "")
                if isinstance(text, str) and text.startswith("="):
                    last = re.fullmatch(r"[A-Z]+\d+:([A-Z]+)(\d+)", filled or "")
                    found[here] = (text, place_of(last[1], last[2]) if last else here)
    return answer


def with_cells(data: bytes, document: Document, numbers: Mapping[int, str]) -> bytes:
    """The workbook with other numbers in some cells, named by their offsets in the document; all else as it was."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data))
    starts = [start for start, _ in document.parts]
    for offset, number in numbers.items():
        sheet = bisect_right(starts, offset) - 1
        before = document.text[starts[sheet] : offset].split("\n")
        cell = book.worksheets[sheet].cell(len(before), before[-1].count("\t") + 1)
        if isinstance(cell.value, str) and cell.value.startswith("="):
            raise InputError(
                f"{document.file}: cell {cell.coordinate} should be {number}, but holds the formula {cell.value}; "
                "correct the formula by hand."
            )
        cell.value = float(number) if isinstance(cell.value, float) or not number.lstrip("-").isdigit() else int(number)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _document(
    sheets: list[tuple[str, Grid]],
    file: str,
    delimiter: str,
    formulas: dict[str, dict[Place, tuple[str, Place]]] | None = None,
) -> Document:
    pieces: list[str] = []
    length, parts, passages = 0, [], []
    unreadable: list[tuple[int, str]] = []
    for title, grid in sheets:
        start = length
        if title:
            parts.append((start, f"sheet {title}"))
        offsets: list[list[int]] = []
        for row in _without_empty_end(grid):
            offsets.append([])
            for cell in row:
                offsets[-1].append(length)
                pieces.append(cell + delimiter)
                length += len(cell) + 1
            if row:
                pieces[-1], length = pieces[-1][:-1], length - 1
            pieces.append("\n")
            length += 1
        if sum(len(row) for row in grid) > MOST_CELLS:
            unreadable.append((start, f"a sheet of more than {MOST_CELLS:,} cells is not read"))
            continue
        blocks = _Blocks(grid, offsets, unreadable)
        passages += blocks.passages()
        passages += blocks.worked((formulas or {}).get(title, {}))
    return Document(file, "".join(pieces), passages, unreadable, parts)


def _without_empty_end(grid: Grid) -> Grid:
    """Rows end at their last cell that says something, and the sheet at its last such row."""
    for row in grid:
        while row and not row[-1]:
            row.pop()
    while grid and not grid[-1]:
        grid.pop()
    return grid


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace("−", "-").removesuffix("%"))
    except ValueError:
        return False
    return cell.lower().lstrip("+-−")[:3] not in ("nan",)


class _Blocks:
    """Finds named blocks in one sheet."""

    def __init__(self, grid: Grid, offsets: list[list[int]], unreadable: list[tuple[int, str]]) -> None:
        self.grid, self.offsets, self.unreadable = grid, offsets, unreadable

    def number_at(self, row: int, column: int) -> bool:
        return row < len(self.grid) and column < len(self.grid[row]) and _is_number(self.grid[row][column])

    def passages(self) -> list[Passage]:
        found = []
        for r, row in enumerate(self.grid):
            for c, cell in enumerate(row):
                if cell and not _is_number(cell):
                    found += self._named(r, c, cell)
        return found

    def worked(self, formulas: dict[Place, tuple[str, Place]]) -> list[Passage]:
        """A claim for every block that its formula gives."""

        def number(place: Place) -> float | None:
            if not self.number_at(*place):
                return None
            node = self._number(*place)
            return node.value

        found = []
        for (top, left), (bottom, right) in agreeing(formulas, number):
            rows = tuple(tuple(self._number(r, c) for c in range(left, right + 1)) for r in range(top, bottom + 1))
            matrix = Matrix(rows, Span(rows[0][0].span.start, rows[-1][-1].span.end))
            found.append(Passage("given", matrix.span, sides=(matrix, matrix), caption=formulas[top, left][0][:60]))
        return found

    def _named(self, r: int, c: int, cell: str) -> list[Passage]:
        if self.number_at(r, c + 1):
            block = self._block(r, c + 1)
        elif self.number_at(r + 1, c):
            block = self._block(r + 1, c)
        else:
            block = None
        if block is None and "=" not in cell:
            return []
        try:
            sides = self._sides(cell, self.offsets[r][c])
        except UnreadableError as error:
            self.unreadable.append((self.offsets[r][c], str(error)))
            return []
        sides += [block] if block is not None else []
        if not sides or len(sides) < 2:
            return []
        return [Passage("given", Span(sides[0].span.start, sides[-1].span.end), sides=tuple(sides))]

    def _sides(self, cell: str, start: int) -> list[Node]:
        sides: list[Node] = []
        for part in cell.split("="):
            if part.strip():
                sides.append(parse(lex(Ground(part, start, "text"))))
            start += len(part) + 1
        return sides

    def _block(self, top: int, left: int) -> Matrix:
        width = 0
        while self.number_at(top, left + width):
            width += 1
        rows = []
        for r in range(top, len(self.grid)):
            beside = self.grid[r][left - 1] if left > 0 and left - 1 < len(self.grid[r]) else ""
            whole = all(self.number_at(r, left + i) for i in range(width))
            if not whole or (r > top and beside and not _is_number(beside) and "=" in beside):
                break
            rows.append(tuple(self._number(r, left + i) for i in range(width)))
        last = rows[-1][-1]
        return Matrix(tuple(rows), Span(rows[0][0].span.start, last.span.end))

    def _number(self, r: int, c: int) -> Number:
        cell, start = self.grid[r][c].replace("−", "-"), self.offsets[r][c]
        text = cell.lstrip("+-").removesuffix("%")
        text = "inf" if text.lower().startswith("inf") else text
        return Number(text, Span(start, start + len(cell)), -1 if cell.startswith("-") else 1, cell.endswith("%"))
