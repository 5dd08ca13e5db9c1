"""Numbers that weigh rows without a product of rows: windows that move, neighbours side by side, filters, logarithms.

Each says which mark begins here; `pairs.py` follows them. It looks at sizes and marks only.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import ADDING, MULTIPLYING, SUBTRACTING, WINDOWS
from glassformer.inside.watching.beneath.lying import own_size, repeated_along
from glassformer.inside.watching.beneath.marks import Carried, Marks, WeightMark

LAID = (
    "numbers for rows, or for pairs of them, multiply other rows: attention without a softmax, or a layer of its kind"
)
GATED = "one number for each row multiplies it before rows are added up: attention without a softmax, or a gate"
_THREE = 3
Doubts = list[tuple[str, str]]


class Making(Protocol):
    """Makes a mark of its own number."""

    def __call__(self, kind: str, name: str, lengths: Iterable[int] = ...) -> WeightMark: ...


def summed_up(new: Making, name: str, operands: Sequence[Carried]) -> set[WeightMark]:
    """Numbers for pairs and others that were added to them, summed up as powers: in logarithms, rows times shares."""
    return {new("blend", name)} if any(m.kind == "pair" for each in operands for m in each.marks) else set()


def blended(marks: Marks) -> Doubts:
    """Such sums, where they become numbers again."""
    return [(mark.made_by, LAID) for mark in marks if mark.kind == "blend"][:1]


def placed(new: Making, name: str, operands: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """How far from each place one number of a row is: a window that moves over the text."""
    moving = [each for each in operands if not each.fixed]
    if name not in ADDING | SUBTRACTING or len(moving) != 1 or any(each.learned for each in operands):
        return set()
    if not moving[0].tensor.ndim:
        return set()
    grown = repeated_along(moving[0].tensor, result)
    single = any(mark.kind == "single" for mark in moving[0].marks)
    width = moving[0].tensor.shape[-1]
    columns = any(mark.kind == "columns" and width in (mark.lengths or {width}) for mark in moving[0].marks)
    return {new("fit", name)} if (single and grown) or (-1 in grown and not columns) else set()


def crossed_over(name: str, operands: Sequence[Carried]) -> Doubts:
    """One number for each row says how much of it is taken, and how much of another row: a `lerp`."""
    if name != "lerp" or len(operands) < _THREE:
        return []
    one, other, share = operands[:_THREE]
    single = [mark for mark in share.marks if mark.kind == "single"]
    across = own_size(share.tensor) < own_size(one.tensor) and one.source != other.source
    return [(single[0].made_by, GATED)] if single and across else []


def windows(new: Making, name: str, operands: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """The neighbours of each row side by side; and numbers that were laid across them."""
    if name in WINDOWS and not operands[0].fixed and result.numel() > operands[0].tensor.numel():
        n_neighbours = result.shape[-1] if name == "unfold" else result.shape[1] // operands[0].tensor.shape[1]
        return {new("windows", name, (n_neighbours,))}
    if name not in MULTIPLYING or len(operands) != 2:
        return set()
    for window, other in (operands, operands[::-1]):
        sides = [mark for mark in window.marks if mark.kind == "windows"]
        moving = not other.fixed and other.tensor.numel() > 1 and own_size(other.tensor) < result.numel()
        apart = not any(mark.kind == "windows" for mark in other.marks)
        if moving and apart and sides and not are_shares(other):
            return {new("windowed", name, sides[0].lengths)}
    return set()


def filtered(operands: Sequence[Carried]) -> Doubts:
    """Numbers for rows that serve as the kernel of a convolution."""
    if any(each.fixed for each in operands):
        return []
    marks = [mark for each in operands for mark in each.marks]
    return [(m.made_by, LAID) for m in marks if m.kind in ("product", "weighed", "pair", "laid", "fit")][:1]


def are_shares(operand: Carried) -> bool:
    """Whether it is followed as a softmax is, under its name or as powers that are still to be divided."""
    return any(m.kind in ("weights", "spread", "bent") or (m.kind == "mixed" and m.usual) for m in operand.marks)
