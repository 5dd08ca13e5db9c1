"""Reads what students hand in: the files of a folder, and the numbers written for each name of a sheet. Marks nothing.

Students write as they like: 1/3, decimal commas, small letters. What cannot be read in the shape
of the sheet is not guessed: it has a reason instead.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from glassformer.by_hand.checking.ledger import Ledger
from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, is_printed, names_in
from glassformer.by_hand.notes.reading import open_bytes
from glassformer.by_hand.notes.statements import Reading, read_statements
from glassformer.by_hand.numbers.comparison import entries_of
from glassformer.by_hand.numbers.intervals import LOCAL
from glassformer.errors import InputError

Cell = tuple[str, int, int]  # symbol, row and column, from 0
_FINE = 6  # decimals of a fraction


class HandIn:
    """The numbers of one hand-in, for the cells of a sheet, and why a name could not be read."""

    def __init__(self, text: str, suffix: str, numbers: Mapping[Cell, Number]) -> None:
        self.cells: dict[Cell, Number] = {}
        self.unread: dict[str, str] = {}
        # A digit for every ? and a point for a decimal comma: nothing moves, and every place is read like any other.
        marked = text.replace("?", "0")
        pointed = re.sub(r"(?<=\d),(?=\d)", ".", marked)
        readings = [read(each.encode(), "hand-in", suffix) for each in dict.fromkeys((marked, pointed))]
        for symbol in dict.fromkeys(symbol for symbol, _, _ in numbers):
            own = {cell for cell in numbers if cell[0] == symbol}
            self._take(symbol, own, readings)

    def _take(self, symbol: str, own: set[Cell], readings: list[Reading]) -> None:
        why = ""
        for reading in readings:
            for node, problem in _written_for(symbol, reading):
                cells = {} if node is None else _entries(symbol, node, Ledger(reading))
                if set(cells) == own:
                    self.cells |= cells
                    return
                why = why or problem or (_shapes(cells, own) if cells else "not only numbers")
        if why:
            self.unread[symbol] = why


def _shapes(written: Collection[Cell], asked: Collection[Cell]) -> str:
    """`1×2 is written, 2×1 is asked for`."""
    sizes = [(max(i for _, i, _ in cells) + 1, max(j for _, _, j in cells) + 1) for cells in (written, asked)]
    return "{}×{} is written, {}×{} is asked for".format(*sizes[0], *sizes[1])


def read(data: bytes, file: str, suffix: str) -> Reading:
    """The statements of a text."""
    return read_statements(open_bytes(data, file, suffix))


def printed_cells(reading: Reading) -> dict[Cell, Number]:
    """The last numbers printed for each name."""
    found: dict[Cell, Number] = {}
    for statement in reading.statements:
        first, last = statement.sides[0].node, statement.sides[-1].node
        if isinstance(first, Name) and last is not None and is_printed(last):
            found = {cell: number for cell, number in found.items() if cell[0] != first.text}
            rows = enumerate(entries_of(last))
            found |= {(first.text, i, j): number for i, row in rows for j, number in enumerate(row)}
    return found


def _written_for(symbol: str, reading: Reading) -> Iterator[tuple[Node | None, str]]:
    """What was written for a name, the latest first: after its equals signs, or under it."""
    for statement in reversed(reading.statements):
        first, last = statement.sides[0].node, statement.sides[-1]
        alone = len(statement.sides) == 1
        names = {statement.caption} if alone else {first.text} if isinstance(first, Name) else set()
        if {name.casefold() for name in names} == {symbol.casefold()}:
            yield last.node, last.why


def _entries(symbol: str, node: Node, ledger: Ledger) -> dict[Cell, Number]:
    """The entries of a matrix as numbers; one that is worked out, such as 1/3, with many digits."""
    rows = node.rows if isinstance(node, Matrix) else ((node,),)
    found: dict[Cell, Number] = {}
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            number = entry if isinstance(entry, Number) else _worked_out(entry, ledger)
            if number is None:
                return {}
            found[symbol, i, j] = number
    return found


def _worked_out(entry: Node, ledger: Ledger) -> Number | None:
    if names_in(entry):
        return None
    try:
        value = ledger.evaluator()(entry)
    except InputError:
        return None
    if not value.is_scalar:
        return None
    number = float(value.middle(LOCAL)[0, 0])
    return Number(f"{abs(number):.{_FINE}f}", entry.span, -1 if number < 0 else 1)


def hand_ins(folder: Path, leave_out: frozenset[Path] = frozenset()) -> list[tuple[Path, str]]:
    """Every file of a folder, with the student's name: its path in the folder without the ending."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}; give the folder with the students' files.")
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.resolve() not in leave_out)
    shown = [path for path in files if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    if not shown:
        raise InputError(f"The folder {folder} is empty; put the students' files into it.")
    stems = [re.sub(r"\.[A-Za-z0-9]+$", "", path.relative_to(folder).as_posix()) for path in shown]
    doubled = {stem for stem in stems if stems.count(stem) > 1}
    return [
        (path, path.relative_to(folder).as_posix() if stem in doubled else stem)
        for path, stem in zip(shown, stems, strict=True)
    ]
