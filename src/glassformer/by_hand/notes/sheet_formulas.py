"""Formulas in the cells of a workbook, worked out on the numbers shown beside them: what agrees counts as checked.

A spreadsheet works its formulas out by itself, so what does not agree is more likely a function that is read wrongly
here: it is left alone. Only arithmetic and a short list of functions is known; nothing is run.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from glassformer.by_hand.notes.programs.array_functions import FUNCTIONS, UnknownValueError, array_product
from glassformer.by_hand.notes.programs.python_values import Program

MOST_FORMULAS = 2000
LONGEST = 300  # signs of one formula
Place = tuple[int, int]  # row and column, counted from 0
_REF = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,6})(?::\$?([A-Z]{1,3})\$?(\d{1,6}))?(?![A-Za-z0-9_(!])")
_ANCHOR = re.compile(r"(?:_xlfn\.)?ANCHORARRAY\((\$?[A-Z]{1,3}\$?\d{1,6})\)|(\$?[A-Z]{1,3}\$?\d{1,6})#")
_KNOWN: dict[str, Callable[..., Any]] = {
    "MMULT": array_product,
    "TRANSPOSE": lambda x: np.asarray(x).T,
    "SUMPRODUCT": lambda *parts: np.sum(np.prod(np.broadcast_arrays(*parts), axis=0)),
    "AVERAGE": np.mean,
    "LN": np.log,
    "SIGMOID": FUNCTIONS["sigmoid"],
    "SOFTMAX": lambda x: np.exp(x) / np.sum(np.exp(x)),
    "RELU": lambda x: np.maximum(x, 0),
    "POWER": np.power,
} | {name.upper(): getattr(np, name) for name in ("sum", "max", "min", "exp", "sqrt", "tanh", "abs", "sin", "cos")}


def agreeing(
    formulas: dict[Place, tuple[str, Place]], number: Callable[[Place], float | None]
) -> Iterator[tuple[Place, Place]]:
    """The corners of every block whose formula gives the numbers shown; `formulas` has text and last cell of each."""
    ends = {start: end for start, (_, end) in formulas.items()}
    for start, (formula, end) in list(formulas.items())[:MOST_FORMULAS]:
        shown = _block(start, end, number)
        if shown is None or len(formula) > LONGEST:
            continue
        try:
            value = np.asarray(_worked(formula, ends, number), dtype=float)
        except (UnknownValueError, SyntaxError, ValueError, TypeError):
            continue
        if value.size == shown.size and np.allclose(value.reshape(shown.shape), shown, rtol=1e-6, atol=1e-9):
            yield start, end


def _worked(formula: str, ends: dict[Place, Place], number: Callable[[Place], float | None]) -> Any:
    """What a formula gives, by the walk through a syntax tree that programs get."""
    program = Program(known=dict(_KNOWN))
    spilled = _ANCHOR.sub(lambda match: _spill(match[1] or match[2], ends), formula.lstrip("=").replace("_xlfn.", ""))
    if re.search(r"[\"'!{}<>=&]", spilled):
        raise UnknownValueError("a formula that is not followed")

    def named(match: re.Match[str]) -> str:
        first = place_of(match[1], match[2])
        last = place_of(match[3], match[4]) if match[3] else first
        block = _block(first, last, number)
        if block is None:
            raise UnknownValueError("a cell without a number")
        name = f"r{len(program.known)}"
        program.known[name] = block if match[3] else float(block[0, 0])
        return name

    code = _REF.sub(named, spilled).replace("^", "**").replace("%", "/100")
    last = program.run(code.strip())
    if last is None:
        raise UnknownValueError("a formula that is not followed")
    return program.value(last.value)


def _spill(anchor: str, ends: dict[Place, Place]) -> str:
    match = _REF.fullmatch(anchor)
    if match is None or (end := ends.get(place_of(match[1], match[2]))) is None:
        raise UnknownValueError("a block that is not known")
    return f"{anchor}:{_letters(end[1])}{end[0] + 1}"


def place_of(letters: str, digits: str) -> Place:
    """`B3` is row 2, column 1, counted from 0."""
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(digits) - 1, column - 1


def _letters(column: int) -> str:
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _block(first: Place, last: Place, number: Callable[[Place], float | None]) -> np.ndarray | None:
    (top, left), (bottom, right) = first, last
    if not (0 <= bottom - top < 200 and 0 <= right - left < 200):
        return None
    rows = [[number((r, c)) for c in range(left, right + 1)] for r in range(top, bottom + 1)]
    if any(entry is None for row in rows for entry in row):
        return None
    return np.array(rows, dtype=float)
