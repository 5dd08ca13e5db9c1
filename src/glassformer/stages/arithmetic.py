"""How one number of a stage comes from the numbers of its operands, spelled out term by term as on paper.

It reads the table of operations (`operations.py`) and works a number from it in plain float64: handed the index, the
stage that was made (for its shape) and the operands. It knows no operation by name and no model, and it takes no result
from the model, so that the model can be checked against it.
"""

import functools
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.stages import operations
from glassformer.stages.calculator import CONSTANTS, SIGNS, Tree, tree

Array = NDArray[np.generic]
Index = tuple[int, ...]
Formatter = Callable[[float], str]


@dataclass(frozen=True)
class Cell:
    """One number of one operand: where it stands and what it is."""

    address: str
    index: Index
    value: float


@dataclass(frozen=True)
class Operand:
    """An operand's numbers under its address."""

    address: str
    values: Array

    def cell(self, *index: int) -> Cell:
        """The cell at `index`; an axis of size 1 serves every place, and missing leading axes are left out."""
        wanted = index[len(index) - self.values.ndim :]
        place = tuple(0 if size == 1 else i for i, size in zip(wanted, self.values.shape, strict=True))
        return Cell(self.address, place, float(self.values[place]))


@dataclass(frozen=True)
class Term:
    """One term of the working: its value, the cells it is made of, and how it is written."""

    value: float
    cells: tuple[Cell, ...]
    pattern: str  # "{} × {}", filled with the cells' values

    def spell(self, number: Formatter) -> str:
        """The term as on paper."""
        return self.pattern.format(*(_bracketed(number(cell.value)) for cell in self.cells))


@dataclass(frozen=True)
class Working:
    """The terms, and the result they give. `pattern` says how they combine; without one they are added up."""

    terms: tuple[Term, ...]
    result: float
    pattern: str = ""

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return math.fsum(term.value for term in self.terms)

    def sides(self, number: Formatter) -> list[str]:
        """The right-hand side as on paper, then with every term worked out: `1 × 2 + 3 × 4`, `2 + 12`."""
        spelled = self._combine([term.spell(number) for term in self.terms])
        worked_out = self._combine([_bracketed(number(term.value)) for term in self.terms])
        return [spelled] if len(self.terms) < 2 or worked_out == spelled else [spelled, worked_out]

    def _combine(self, terms: Sequence[str]) -> str:
        summed, listed = " + ".join(terms), ", ".join(terms)
        return self.pattern.format(*terms, sum=summed, list=listed) if self.pattern else summed


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith(("-", "−")) else text


# --- from the table ---------------------------------------------------------------------------------------------


def _worked(operation: str, index: Index, made: Operand, *operands: Operand | None) -> Working:
    """One number: the first case of the operation that holds here, with its cells put in."""
    for case, resolved in zip(operations.OPERATIONS[operation], operations.resolved(operation), strict=True):
        work = _Work(index, made, operands)
        for name, found in resolved["let"].items():
            work.names[name] = work.value(found)
        if resolved["when"] is None or work.value(resolved["when"]):
            return work.whole(case, [list(work.terms(each)) for each in resolved["terms"]])
    raise LookupError(f"No case of '{operation}' holds at {index}.")


class _Work:
    """The place of one number, and what the names of the table mean there."""

    def __init__(self, index: Index, made: Operand, operands: Sequence[Operand | None]) -> None:
        self.index, self.made, self.operands = index, made, operands
        self.names: dict[str, Any] = {**CONSTANTS, **dict(zip("bh", index, strict=False))}
        self.names |= dict(zip("cr", reversed(index), strict=False))

    def operand(self, sign: int | str) -> Operand | None:
        if sign == "m":
            return self.made
        return self.operands[int(sign)] if int(sign) < len(self.operands) else None  # a way may name no bias at all

    def value(self, found: Tree) -> Any:
        """What a tree comes to."""
        if isinstance(found, str):
            return self.names[found]
        if not isinstance(found, list):
            return found
        sign, *parts = found
        if sign == "cell":
            return self.cell(*parts).value
        if sign == "has":
            return self.operand(parts[0]) is not None
        if sign == "size":
            return self._there(parts[0]).values.shape[parts[1]]
        if sign == "each":
            return [self.value(parts[1]) for _ in self.running(parts[0])]
        return SIGNS[sign](*(self.value(part) for part in parts))

    def cell(self, sign: int | str, places: list[Tree]) -> Cell:
        """A cell of an operand that is there."""
        place: list[int] = []
        for each in places:
            whole = {"*": self.index, "^": self.index[:-1]}.get(each) if isinstance(each, str) else None
            place += whole if whole is not None else [int(self.value(each))]
        return self._there(sign).cell(*place)

    def _there(self, sign: int | str) -> Operand:
        operand = self.operand(sign)
        if operand is None:
            raise LookupError(f"There is no operand {sign}.")
        return operand

    def running(self, count: Tree) -> Iterator[int]:
        """Every i below a count."""
        for i in range(int(self.value(count))):
            self.names["i"] = i
            yield i

    def terms(self, term: dict[str, Tree]) -> Iterator[Term]:
        """The terms that one text of the table stands for: none, one, or many."""
        if any(self.operand(sign) is None for _, sign, _ in term["cells"]):
            return
        for _ in self.running(term.get("each", 1)):
            if self.value(term.get("where", 1)):
                cells = tuple(self.cell(*each) for _, *each in term["cells"])
                self.names |= {f"{{{k}}}": cell.value for k, cell in enumerate(cells)}
                yield Term(self.value(term["value"]), cells, term["pattern"])

    def whole(self, case: operations.Case, groups: list[list[Term]]) -> Working:
        """The terms put together: how that is written, and what it comes to."""
        terms = tuple(term for group in groups for term in group)
        total = math.fsum(term.value for term in terms)
        if not case.whole:
            return Working(terms, total)
        starts = itertools.accumulate((len(group) for group in groups), initial=0)
        places = {str(k): start for k, (start, group) in enumerate(zip(starts, groups, strict=False)) if group}
        places |= {"c": self.index[-1]} if "{c}" in case.whole else {}
        places |= {"r": self.index[-2]} if "{r}" in case.whole else {}
        figures = {"n": max(len(terms), 1), **{name: self.names[name] for name in case.let}}
        values: dict[str, Any] = {"sum": total, "terms": [term.value for term in terms], **figures}
        values |= {name: terms[place].value for name, place in places.items()}
        self.names |= {f"{{{name}}}": value for name, value in values.items()}
        written = _without_absent(case.whole, places)
        worked = case.worth or written.partition(", since ")[0]
        signs = {name: f"{{{place}}}" for name, place in places.items()}
        signs |= {name: f"{figure:g}" for name, figure in figures.items()}
        pattern = re.sub(r"\{(\w+)\}", lambda match: signs.get(match[1], match[0]), written)
        return Working(terms, float(self.value(tree(worked))), pattern)


def _without_absent(whole: str, places: Mapping[str, int]) -> str:
    """`{0}< + {1}>` without the parts whose terms are not there."""

    def kept(match: re.Match[str]) -> str:
        return match[1] if all(name in places for name in re.findall(r"\{(\w+)\}", match[1])) else ""

    return re.sub(r"<([^>]*)>", kept, whole)


OPERATIONS: MappingProxyType[str, Callable[..., Working]] = MappingProxyType(
    {name: functools.partial(_worked, name) for name in operations.OPERATIONS}
)
