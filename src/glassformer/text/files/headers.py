"""Headers: whether the first row of a table names its columns, judged by the rows below it. It knows no usual names."""

import re
from collections import Counter
from collections.abc import Sequence

LOOKED_AT = 1000  # rows below
LONGEST = 30  # signs of a name
FEWEST = 10  # rows, below which a value may be rare by chance
OFTEN = 5  # times that a label stands there, on average
_JOINED = re.compile(r"[^\W_]+(_[^\W_]+)+")  # words joined as people join them in names of columns
_NAME = re.compile(r"[^\W\d_]\w*([ _-]\w+){0,2}")  # what people call columns: no full stop, no comma
_COUNTED = re.compile(r"(.*[^\W\d_][ _-]?)(\d{1,2})")  # a name and its number
_NUMBER = re.compile(r"[+-]?(\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?%?")


def is_number(cell: str) -> bool:
    """Whether a cell holds a number and nothing else."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def are_numbers(cells: Sequence[str]) -> bool:
    """Whether a row is no header, for its cells are numbers, or some of them one and the same number. Columns that are
    counted, 0, 1, 2, …, have names."""
    numbers = [cell.strip() for cell in cells if is_number(cell)]
    if len(numbers) == len(cells):
        return numbers not in ([str(i) for i in range(len(cells))], [str(i + 1) for i in range(len(cells))])
    return len(set(numbers)) < len(numbers)


def why_header(first: Sequence[str], below: Sequence[Sequence[str]]) -> str:
    """What shows that a row of no usual names is a header; empty if nothing does."""
    if any(not name or len(name) > LONGEST or is_number(name) for name in first):
        return ""
    rows = [row for row in below[:LOOKED_AT] if len(row) == len(first)]
    if (stem := _numbered(first)) and stem not in map(_numbered, rows):
        return f"'{first[0]}' and '{first[1]}' differ in their numbers only"
    for name, column in zip(first, zip(*rows, strict=True), strict=False):
        if len(rows) > 1 and all(is_number(cell) for cell in column):
            return f"below '{name}' stand only numbers"
        counts = Counter(cell.strip() for cell in column)
        is_label = len(rows) >= FEWEST and len(counts) * OFTEN <= len(rows) and min(counts.values()) > 1
        if is_label and name not in counts:
            return f"'{name}' is not one of the {len(counts)} values that its column repeats"
        if len(rows) >= FEWEST and _JOINED.fullmatch(name) and not any(_JOINED.fullmatch(cell) for cell in counts):
            return f"'{name}' is joined as nothing below it is"
    return ""


def may_be_names(first: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row that nothing shows to be a header could still be one: a few words in each cell, and none of them
    stands below again."""
    if len(first) < 2 or any(len(cell) > LONGEST or not _NAME.fullmatch(cell) for cell in first):
        return False
    rows = [row for row in below[:LOOKED_AT] if len(row) == len(first)]
    return not any(name == cell.strip() for row in rows for name, cell in zip(first, row, strict=True))


def _numbered(cells: Sequence[str]) -> str:
    """What several cells begin with that are numbered, as Question 1 and Question 2; else nothing."""
    found = [_COUNTED.fullmatch(cell.strip()) for cell in cells]
    stems = {match and match[1] for match in found}
    different = {match and match[2] for match in found}
    return (stems.pop() or "") if len(stems) == 1 < len(different) == len(cells) else ""


def is_sentence(cells: Sequence[str]) -> bool:
    """Whether a row of one cell is too long to be the name of a column."""
    return len(cells) == 1 and len(cells[0].strip()) > LONGEST


def named(cells: Sequence[str]) -> tuple[str, ...]:
    """The names of columns; one without a name goes by its number, unless another is called so."""
    names = [name.strip() for name in cells]
    return tuple(name or ("" if str(i) in names else str(i)) for i, name in enumerate(names, 1))
