"""One number that a layer makes of each row: how it comes out of the columns, and what becomes of it.

Columns are what a layer made of one row, along the last axis. One of them, or their sum, says of each row one thing,
and may come to weigh it. So may several, once they were bent, as gates are. `pairs.py` says where that is doubted. It
looks at sizes, steps in memory and marks only.
"""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import (
    CAREFUL,
    CHOOSING,
    DISTANCES,
    EXTREMES,
    JOINING,
    MULTIPLYING,
    REPEATING,
    SUMS,
    TURNING,
    bends,
)  # fmt: skip
from glassformer.inside.watching.beneath.lying import (
    Column,
    column_of,
    columns_gone,
    laid_against,
    lies_across,
    one_column,
    repeated_along,
)  # fmt: skip
from glassformer.inside.watching.beneath.marks import Carried, WeightMark
from glassformer.inside.watching.beneath.origins import storage_of


def as_it_lies(operand: Carried) -> frozenset[WeightMark]:
    """Its marks, but for those of one column of the memory that it lies in and that is larger."""
    size, step = column_of(operand.tensor)
    return frozenset(
        mark for mark in operand.marks
        if not (mark.kind == "single" and isinstance(mark.spread, Column))
        or (size <= mark.spread.size and step >= mark.spread.step)
    )  # fmt: skip


def among_columns(mark: WeightMark, tensor: Tensor, result: Tensor) -> bool:
    """Whether one column was laid beside others, as in rows that are turned by their places: joined, or stacked."""
    if result.ndim == tensor.ndim:
        return mark.axis == -1 and result.shape[-1] > tensor.shape[-1]
    return mark.axis is None and tuple(result.shape[:-1]) == tuple(tensor.shape)


def columns_kept(name: str, mark: WeightMark, operand: Carried, result: Tensor) -> set[WeightMark]:
    """What becomes of columns: one of them, or their sum, is one number for each row."""
    tensor = operand.tensor
    gone = name in TURNING | DISTANCES or (result.ndim != tensor.ndim and name in ("select", "unbind"))
    gone = gone or lies_across(tensor)
    if gone and one_column(name, tensor, result):
        return {replace(mark, kind="single", axis=None, spread=column_of(result))}
    if not gone and name in ("slice", "select", "split", "split_with_sizes", "unbind") and columns_gone(tensor, result):
        axis = -1 if result.ndim == tensor.ndim else None
        return {replace(mark, kind="single", axis=axis, spread=column_of(result))}
    if not gone and name == "sum" and columns_gone(tensor, result):
        crossed = any(each.kind == "crossed" for each in operand.marks)  # how well two rows fit
        return set() if crossed else {replace(mark, kind="single", axis=-1 if result.ndim == tensor.ndim else None)}
    return set() if gone or columns_gone(tensor, result) or laid_against(name, tensor, result) else {mark}


def singles_kept(
    name: str, mark: WeightMark, operand: Carried, moving: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    """What becomes of one number for each row, or of how well rows fit."""
    tensor, kind, careful = operand.tensor, mark.kind, name in CAREFUL
    several = name in CHOOSING | JOINING  # as the ends of a graph's edges are looked up, and joined with others
    grown = result.numel() > tensor.numel() and not several
    if name in REPEATING and grown:
        return {_spread_out(mark, tensor, result)}
    if mark.across and not grown:
        grown = name in MULTIPLYING and not mark.lengths.isdisjoint(tensor.shape)
    if kind == "single" and name in MULTIPLYING and moving and grown:
        along = repeated_along(tensor, result)  # the columns of what it gates
        axis = next(iter(along)) if len(along) == 1 else mark.axis
        rows = moving[0].source if len(moving) == 1 else None
        return {replace(mark, kind="gated", spread=(operand.source, rows), axis=axis)}
    if kind == "fit" and name in MULTIPLYING and moving and grown:
        return {replace(mark, kind="laid", spread=(operand.source, moving[0].source if len(moving) == 1 else None))}
    placed_still = kind == "fit" and name == "sum" and result.shape[-1:] == tensor.shape[-1:]
    keeps = placed_still if name in SUMS else careful or not moving
    return {mark} if keeps and not grown else set()


def _spread_out(mark: WeightMark, tensor: Tensor, result: Tensor) -> WeightMark:
    """The same number again along some axes, as if it were laid across what it will multiply; these are its lengths."""
    along = repeated_along(tensor, result)
    axis = next(iter(along)) if len(along) == 1 else None
    return replace(mark, across=True, lengths=frozenset(result.shape[each] for each in along), axis=axis, spread=None)


def gates_begun(name: str, operand: Carried, result: Tensor) -> set[WeightMark]:
    """Columns that were bent, each for itself, may weigh the rows that they were made of."""
    if not bends(name) or name in SUMS | EXTREMES or operand.tensor.shape != result.shape or result.ndim < _TEXTS:
        return set()
    gates: set[WeightMark] = set()
    for mark in operand.marks:
        axis = -1 if mark.kind == "columns" and not lies_across(operand.tensor) else 1 if mark.kind == "maps" else None
        if axis is not None and result.shape[axis] > 1:
            width = frozenset((result.shape[axis],))
            gates.add(replace(mark, kind="gates", lengths=width, axis=result.stride(axis), spread=None))
    return gates


def gates_joined(mark: WeightMark, result: Tensor) -> WeightMark:
    """One column beside others, each of which may weigh its row."""
    width = frozenset((result.shape[-1],))
    return replace(mark, kind="gates", lengths=width, axis=result.stride(-1), spread=None)


def gates_kept(
    name: str, mark: WeightMark, operand: Carried, moving: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    """What becomes of gates: laid across other rows they are `fanned`, whose sum along their own rows is a weighing."""
    tensor, columns = operand.tensor, _columns_of(operand.tensor, mark)
    if columns is None:
        return {mark} if storage_of(result) == storage_of(tensor) else set()
    if name in MULTIPLYING and moving and result.numel() > tensor.numel():
        rows = [i - tensor.ndim for i in range(tensor.ndim) if i != columns and tensor.shape[i] > 1]
        return {replace(mark, kind="fanned", lengths=frozenset(rows), axis=None)}
    if result.shape == tensor.shape and (name in CAREFUL or bends(name)) and name not in SUMS:
        return {replace(mark, axis=result.stride(columns))}
    return {mark} if storage_of(result) == storage_of(tensor) else set()


def adds_rows_up(factors: Sequence[Carried], factor: Carried, mark: WeightMark) -> bool:
    """Whether a product adds up the rows of gates, and not the columns of each; with themselves they are moments."""
    columns, tensor = _columns_of(factor.tensor, mark), factor.tensor
    others = [each.tensor for each in factors if each.tensor is not tensor]
    if columns is None or any(storage_of(other) == storage_of(tensor) for other in others):
        return False
    axis = (-1 if factor is factors[0] or tensor.ndim < _TEXTS else -2) % tensor.ndim
    return columns != axis and tensor.shape[axis] > 1


def _columns_of(tensor: Tensor, mark: WeightMark) -> int | None:
    """The axis of the columns, as long as they are as many as they were and as far apart in memory."""
    known = (i for i in range(tensor.ndim) if tensor.stride(i) == mark.axis and tensor.shape[i] in mark.lengths)
    return next(known, None)


_TEXTS = 2
