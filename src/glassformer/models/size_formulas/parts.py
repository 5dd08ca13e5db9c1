"""One part of a model in numbers, and what a family of models comes to: formulas in letters, and their values.

Knows no family, and builds nothing. The letters of heads and widths are those of attention.py.
"""

from dataclasses import dataclass
from types import MappingProxyType

from glassformer.models.size_formulas.quantities import Quantity

LETTERS = MappingProxyType(
    {
        "N": "tokens of the vocabulary",
        "Y": "classes",
        "D": "width",
        "T": "longest text",
        "E": "encoder blocks",
        "L": "blocks",
        "H": "heads",
        "G": "key/value heads",
        "K": "key width of a head",
        "V": "value width of a head",
        "F": "hidden width",
        "S": "state",
        "C": "filters",
        "M": "words in a window",
        "W": "windows",
        "P": "n-grams",
    }
)


@dataclass(frozen=True)
class PartSize:
    """One part of a model: its parameters by formula, and its FLOPs for one text."""

    part: str
    formula: str
    numbers: str
    count: int
    flops: int


def row(part: str, weights: Quantity, flops: int = 0) -> PartSize:
    """A row from its formula."""
    return PartSize(part, weights.letters, weights.numbers, weights.value, flops)


@dataclass
class FamilySizes:
    """What a family has to say of itself: its parts, and what it keeps while training and while writing."""

    letters: dict[str, int]
    rows: list[PartSize]
    kept: int
    remembered: int = 0
