"""Numbers that weigh rows without a product of rows: windows that move, neighbours side by side, filters, logarithms.

Each says which mark begins here; `pairs.py` follows them. It looks at sizes and marks only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, Protocol

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import (
    ADDING,
    CAREFUL,
    CHOOSING,
    DISTANCES,
    DIVIDING,
    EXTREMES,
    JOINING,
    MULTIPLYING,
    PRODUCTS,
    SUBTRACTING,
    SUMS,
    WINDOWS,
)  # fmt: skip
from glassformer.inside.watching.beneath.lying import columns_gone, own_size, repeated_along
from glassformer.inside.watching.beneath.marks import Carried, Marks, WeightMark
from glassformer.inside.watching.beneath.origins import storage_of

LAID = (
    "numbers for rows, or for pairs of them, multiply other rows: attention without a softmax, or a layer of its kind"
)
GATED = "one number for each row multiplies it before rows are added up: attention without a softmax, or a gate"
_TWO, _THREE = 2, 3
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


def faced(new: Making, name: str, operands: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """Rows beside rows of another place: the same one for all of them, or several that were moved; and their fit."""
    moving = [each for each in operands if not each.fixed and each.tensor.numel() > 1]
    if len(moving) != _TWO or result.ndim < 1:
        return set()
    one, other = moving
    tie = frozenset((one.root, other.root))
    if name in PRODUCTS | DISTANCES or name == "convolution":
        return {replace(new("fitting", name), spread=tie)}
    if name in JOINING:
        again = [repeated_along(each.tensor, each.tensor) for each in moving]
    elif name in MULTIPLYING | ADDING | SUBTRACTING and len(operands) == _TWO:
        again = [repeated_along(each.tensor, result) for each in moving]
    else:
        return set()
    moved = name in MULTIPLYING and one.source != other.source
    beside = bool(again[0]) != bool(again[1]) or moved
    if not beside or result.shape[-1] < _TWO or any(-1 in axes for axes in again):
        return set()
    return {replace(new("facing", name), spread=tie)}


def layered(new: Making, name: str, factors: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """What a layer makes of rows beside rows: columns still, or how well they fit; or one number of each row alone."""
    moving = [each for each in factors if not each.fixed]
    facing = [mark for each in factors for mark in each.marks if mark.kind == "facing"]
    if len(moving) == _TWO:  # a bilinear layer
        facing.append(replace(new("facing", name), spread=frozenset(each.root for each in moving)))
    if not result.ndim or result.shape[-1] > 1:
        return set(facing)
    if facing:
        return {replace(mark, kind="fitting") for mark in facing}
    layer = [storage_of(each.tensor) for each in factors if each.fixed]
    ties = (layer[0], moving[0].root) if len(moving) == 1 and layer else None
    return {replace(new("fitting", name), spread=ties)} if ties else set()


def fits_kept(
    name: str, mark: WeightMark, operand: Carried, moving: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    """What becomes of rows beside rows, of one number that says how well they fit, and of rows that it multiplies."""
    tensor, careful = operand.tensor, name in CAREFUL
    if mark.kind == "facing":
        if name in SUMS | EXTREMES:
            return {replace(mark, kind="fitting")} if columns_gone(tensor, result) else set()
        alike = tensor.ndim > 0 and result.shape[-1:] == tensor.shape[-1:] and (careful or not moving)
        return {mark} if alike and not (moving and name in ADDING | SUBTRACTING) else set()  # with others, rows again
    if mark.kind == "fitted":
        return {mark} if careful or not moving else set()
    own = all(any(m.number == mark.number for m in each.marks) for each in moving)  # as a norm scales its own row
    if name in SUMS | EXTREMES or (moving and own and name in MULTIPLYING | DIVIDING):
        return set()
    one_each = not tensor.ndim or tensor.shape[-1] == 1 or tensor.stride(-1) == 0
    if name in MULTIPLYING | DIVIDING and moving and one_each and result.ndim and result.shape[-1] > 1:
        rows = (mark.spread, operand.source, *(each.source for each in moving))
        return {replace(mark, kind="fitted", spread=rows)}
    grown = result.numel() > tensor.numel() and name not in CHOOSING | JOINING | {"expand"}
    return {mark} if (careful or not moving) and not grown else set()


def fitted_rows(name: str, kept: Sequence[set[WeightMark]], args: Sequence[Any]) -> Doubts:
    """Rows by how well they fit, added to others that were multiplied so, one by one or laid beside one another."""
    lots = [[mark for mark in marks if mark.kind == "fitted"] for marks in kept]
    pairs: Iterable[tuple[WeightMark, WeightMark]] = ()  # a long loop has many: the first that tells is enough
    if name in ADDING | SUBTRACTING:
        pairs = (pair for one, other in combinations(lots, 2) for pair in product(one, other))
    elif name in SUMS and _along_rows(args):
        pairs = combinations([mark for lot in lots for mark in lot], 2)
    return next(([(one.made_by, GATED)] for one, other in pairs if _of_one_loop(one, other)), [])


def _along_rows(args: Sequence[Any]) -> bool:
    """Whether a sum goes along some axes, and not along the columns alone."""
    axes = args[1] if len(args) > 1 else None
    axes = [axes] if isinstance(axes, int) else axes
    return (
        isinstance(axes, list | tuple) and bool(axes) and any(axis % args[0].ndim != args[0].ndim - 1 for axis in axes)
    )


def _of_one_loop(one: WeightMark, other: WeightMark) -> bool:
    """Whether the same lots of rows fit, and not the same rows."""
    alike = isinstance(one.spread, tuple) and isinstance(other.spread, tuple) and one.spread[0] == other.spread[0]
    return alike and one.spread != other.spread
