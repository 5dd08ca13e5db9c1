"""Scores that become weights without a softmax: rows that meet rows, and others again, as in linear attention.

A product of rows with rows, one row laid against all others, or a distance begins a mark; where its numbers then add up
other rows, that may have been an attention, and no softmax says so. A state-space layer does the same and is told by
its step: one number that lets the state fade, as a power, and scales what enters it. One number that a layer makes of
each row may be such a weight too, where a product adds up rows by it. It follows kernels by name, and rebuilds nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.watching.beneath.columns import (
    adds_rows_up,
    among_columns,
    as_it_lies,
    columns_kept,
    gates_begun,
    gates_joined,
    gates_kept,
    singles_kept,
)  # fmt: skip
from glassformer.inside.watching.beneath.kernels import (
    ADDING,
    CAREFUL,
    CHOOSING,
    COMPARING,
    DISTANCES,
    DIVIDING,
    ENDING,
    EXTREMES,
    JOINING,
    LOG_SUMS,
    MULTIPLYING,
    OF_PICTURES,
    POWERS,
    PRODUCTS,
    RANKING,
    ROOTS,
    STEPS,
    SUBTRACTING,
    SUMS,
    bends,
)  # fmt: skip
from glassformer.inside.watching.beneath.lying import (
    is_moved,
    lies_across,
    own_size,
    repeated_along,
)  # fmt: skip
from glassformer.inside.watching.beneath.marks import Carried, Meeting, WeightMark
from glassformer.inside.watching.beneath.origins import WHOLE, storage_of
from glassformer.inside.watching.beneath.summing import (
    TWICE,
    are_powers,
    doubts_of_sums,
    of_a_state_space,
    step_by_step,
)
from glassformer.inside.watching.beneath.windows import (
    GATED,
    LAID,
    Doubts,
    Making,
    are_shares,
    blended,
    crossed_over,
    faced,
    filtered,
    fits_kept,
    fitted_rows,
    layered,
    placed,
    summed_up,
    windows,
)  # fmt: skip

PAIRS = frozenset((
    "product", "weighed", "pooled", "pair", "laid", "step", "fade", "columns", "single", "whole", "gated", "crossed",
    "fit", "blend", "windows", "windowed", "read", "held", "before",
    "maps", "gates", "fanned", "summed", "facing", "fitting", "fitted",
))  # fmt: skip
KEPT = "they meet rows in a product, and may be an earlier call's weights or its state"
ONE = "one number for each row adds up other rows in a product: attention without a softmax, or a layer of its kind"


class Pairs:
    """What goes on with marks of these kinds, and what is to be doubted.

    product   rows that met rows in a product; `weighed` if it was then laid across others, not yet added up
    pooled    what weights have made of rows: several, which others may add up once more; `axis` is the step in memory
              from one to the next
    pair      numbers for pairs of rows of another origin; `laid` if across others
    step      a positive number that scales; `fade` its power
    columns   the last axis is what a layer made of one row; `single` if that is one number (with a `spread`: one of so
              many that lie in a larger memory), `whole` what several of these came to, and `gated` rows that were
              multiplied by them. Over its whole it is a `fit`
    crossed   one row times each of several, place by place; its `lengths` are the axes along which they are several,
              counted from the end. Added up along the columns it is a `fit`, one number for each of them
    maps      columns that a filter made at each place of a picture, along the second axis
    gates     columns that were bent; `axis` is the step in memory from one to the next, `lengths` how many they are.
              Laid across other rows they are `fanned`; `lengths` are then the axes of their own rows
    summed    what one number for each row has added up. Where a softmax comes next it was scores: how well two columns
              fit over all rows
    facing    rows beside one row, or beside rows that were moved; `fitting` one number for each that says how well they
              fit, and `fitted` rows that it multiplies. `spread` begins with what both were worked out from
    blend     powers of pairs and of what was added to them, summed up and still logarithms
    held      numbers that the model has kept from before and that are none of its weights; `read` what it is called
              with, `before` whatever else was there
    windows   the neighbours of each row, side by side: `lengths` says how many; `windowed` if others multiply them
    """

    def __init__(self, new: Making) -> None:
        self._new = new
        self._crossings: dict[tuple[int, int], int] = {}  # the same two lots of rows, each with each, have one number

    def after(
        self, name: str, operands: Sequence[Carried], result: Tensor, args: Sequence[Any], met: Sequence[Meeting]
    ) -> tuple[set[WeightMark], Doubts]:
        """The marks of the result, and doubts with their reason; `met` are the weights that met others here."""
        operands = [each._replace(marks=as_it_lies(each)) for each in operands]
        if name in PRODUCTS:
            return self._product(name, operands, result, met)
        if name == "convolution":
            one = result.ndim > 2 and result.shape[1] == 1 and not operands[0].fixed
            marks = {replace(self._new("single", name), axis=1 - result.ndim)} if one else set()
            marks |= {self._new("maps", name)} if result.ndim > 2 and not (one or operands[0].fixed) else set()
            marks |= faced(self._new, name, operands[:2], result)
            return marks, [] if met else filtered(operands[:2])
        if name in LOG_SUMS:
            return summed_up(self._new, name, operands), []
        if name in POWERS and (blends := blended(operands[0].marks)):
            return set(), blends
        if name in ENDING:
            return self._normed(name, operands[0], result), []
        kept: list[set[WeightMark]] = []
        for operand in operands:
            others = [other for other in operands if other.tensor is not operand.tensor]
            kept.append(set())
            for mark in operand.marks:
                if mark.kind == "pooled":
                    kept[-1] |= _pooled_kept(name, mark, operand, others, result)
                elif mark.kind in PAIRS:
                    kept[-1] |= _kept(name, mark, operand, others, result)
        onwards = set().union(*kept, *(gates_begun(name, each, result) for each in operands))
        if name in COMPARING and any(mark.kind in ("product", "pair") for each in operands for mark in each.marks):
            onwards = {self._new("pair", name)}
        onwards |= placed(self._new, name, operands, result) | windows(self._new, name, operands, result)
        onwards |= self._fitting(name, operands, result, args) | self._shared(name, operands)
        onwards |= faced(self._new, name, operands, result)
        moving = [each for each in operands if not each.fixed and each.tensor.numel() > 1]
        if name in STEPS:
            onwards.add(self._new("step", name))
        two_ways = len(moving) > 1 and all(result.numel() > own_size(each.tensor) for each in moving)
        weighing = any(mark.kind in ("weights", "spread") for each in operands for mark in each.marks)
        if two_ways and name in MULTIPLYING and not weighing:
            onwards.add(self._new("product", "outer product"))
        elif met and name in SUMS and result.ndim > 2:  # pooled by a product place by place and a sum
            onwards.add(self._new("pooled", name))
        elif (two_ways and name in ADDING | SUBTRACTING | COMPARING) or (name in DISTANCES and len(moving) > 1) or (
            name in JOINING and len({repeated_along(each.tensor, each.tensor) for each in moving} - {frozenset()}) > 1
        ):  # fmt: skip
            onwards.add(self._new("pair", name))
        in_a_loop = name in ADDING and not any(map(are_shares, operands)) and step_by_step(kept)
        in_a_loop = in_a_loop or fitted_rows(name, kept, args)
        return onwards, in_a_loop or crossed_over(name, operands) or doubts_of_sums(name, operands, args)

    def _normed(self, name: str, operand: Carried, result: Tensor) -> set[WeightMark]:
        """After a norm: its columns lie along the last axis, or, of a picture, along the second."""
        kept = {mark for mark in operand.marks if mark.kind == "fitted"}
        if name in OF_PICTURES and result.ndim > 2:
            maps = {mark for mark in operand.marks if mark.kind == "maps"} | kept
            return maps | {mark for mark in operand.marks if mark.kind == "single" and mark.axis == 1 - result.ndim}
        singles = (mark for mark in operand.marks if mark.kind == "single" and mark.axis is None)
        along_the_rows = {replace(mark, spread=None) for mark in singles}
        return {self._new("columns", name)} | along_the_rows | kept

    def _fitting(self, name: str, operands: Sequence[Carried], result: Tensor, args: Sequence[Any]) -> set[WeightMark]:
        """One row against several: first place by place, then added up."""
        moving = [each.tensor for each in operands if not each.fixed and each.tensor.numel() > 1]
        if name in MULTIPLYING and len(moving) == 2:
            several = [repeated_along(tensor, result) for tensor in moving]
            one, other = several
            apart = storage_of(moving[0]) != storage_of(moving[1])
            alike = not (one or other) and apart  # one row and one, as in a loop
            if not alike and bool(one) == bool(other):
                return set()
            made = self._new("crossed", name, one or other)
            whose = storage_of(moving[0]), storage_of(moving[1])
            return {replace(made, number=self._crossings.setdefault(whose, made.number)) if alike else made}
        crossed = [mark for each in operands for mark in each.marks if mark.kind == "crossed"]
        dims = args[1] if len(args) > 1 else None
        if name not in ("sum", "mean") or not crossed or not isinstance(dims, list | tuple):
            return set()
        n_axes = operands[0].tensor.ndim
        columns = [dim % n_axes for dim in dims] == [n_axes - 1]  # along rows it would be a sum of gated ones
        fitting = [mark for mark in crossed if columns and -1 not in mark.lengths]
        axis = -1 if result.ndim == n_axes else None
        return {
            self._new("fit", mark.made_by) if mark.lengths else replace(mark, kind="single", axis=axis)
            for mark in fitting
        }

    def _shared(self, name: str, operands: Sequence[Carried]) -> set[WeightMark]:
        """Numbers, one for each row, over what all of them came to."""
        if name not in DIVIDING or len(operands) < 2 or are_powers(operands[0]):
            return set()
        wholes = {mark.number for mark in operands[1].marks if mark.kind == "whole"}
        shared = [mark for mark in operands[0].marks if mark.kind == "single" and mark.number in wholes]
        return {self._new("fit", mark.made_by) for mark in shared}

    def _product(
        self, name: str, factors: Sequence[Carried], result: Tensor, met: Sequence[Meeting]
    ) -> tuple[set[WeightMark], Doubts]:
        doubts: Doubts = []
        onwards = {mark for each in factors for mark in each.marks if mark.kind in ("step", "fade")}
        if any(factor.fixed for factor in factors) or len(factors) < 2:
            onwards |= {mark for each in factors for mark in each.marks if mark.kind in ("pair", "laid")}
            onwards |= layered(self._new, name, factors, result)
            last = factors[-1]
            doubts = [(mark.made_by, GATED) for each in factors for mark in each.marks if _summed(factors, each, mark)]
            if not last.fixed or last.tensor.ndim < 2 or all(factor.fixed for factor in factors):
                return onwards, doubts[:1]
            made = self._new("columns" if last.tensor.shape[-1] > 1 else "single", name, (result.shape[-1],))
            return onwards | {replace(made, axis=-1)}, doubts[:1]
        for factor in factors:
            others = {mark.number for other in factors if other.tensor is not factor.tensor for mark in other.marks}
            for mark in factor.marks:
                twice = mark.kind in ("product", "weighed") and not of_a_state_space(factors)
                twice = twice or (mark.kind == "pooled" and not met and _added_up(factors, factor, mark))
                if twice and mark.number not in others:
                    doubts.append((mark.made_by, TWICE))
                elif _multiplies(factors, factor, mark) and (mark.kind == "columns" or mark.number not in others):
                    doubts.append((mark.made_by, LAID))
                elif mark.kind == "held":
                    doubts.append((mark.made_by, KEPT))
                elif _one_for_each(factors, factor, mark):
                    doubts.append((mark.made_by, ONE))
                    onwards.add(self._new("summed", name))
        if met and result.ndim > 1:
            axis = -2 if any(mark.kind in ("weights", "bent") for mark in factors[0].marks) else -1
            onwards |= (
                {replace(self._new("pooled", name), axis=result.stride(axis))} if result.shape[axis] > 1 else set()
            )
        if not met and not any(mark.kind == "weights" for each in factors for mark in each.marks):
            onwards.add(self._new("product", name))
            onwards |= faced(self._new, name, factors, result)
            onwards |= {mark for each in factors for mark in each.marks if mark.kind == "product"}
        return onwards, doubts[:1]


def _summed(factors: Sequence[Carried], factor: Carried, mark: WeightMark) -> bool:
    """Whether gated rows are added up in a product with numbers that the model was not taught, such as ones."""
    untaught = all(each.fixed and not each.learned for each in factors if each is not factor)
    if mark.kind != "gated" or not untaught or len(factors) < 2 or are_shares(factor):
        return False
    return _adds_up(factors, factor) and (factor is not factors[0] or mark.axis != -1)


def _added_up(factors: Sequence[Carried], factor: Carried, mark: WeightMark) -> bool:
    """Whether the rows of what was pooled are added up in this product, and not the columns of each."""
    along = -1 if factor is factors[0] or factor.tensor.ndim == 1 else -2
    rows = _rows_of(factor.tensor, mark)
    return rows is None or rows == along % factor.tensor.ndim


def _rows_of(tensor: Tensor, mark: WeightMark) -> int | None:
    """The axis along which pooled rows follow each other, known by the step from one to the next in memory."""
    return next((i for i in range(tensor.ndim) if tensor.shape[i] > 1 and tensor.stride(i) == mark.axis), None)


def _pooled_kept(
    name: str, mark: WeightMark, operand: Carried, others: Sequence[Carried], result: Tensor
) -> set[WeightMark]:
    """What becomes of pooled rows in a call that is no product: with other rows added, or bent, they are rows again."""
    moving = [each for each in others if not each.fixed and each.tensor.numel() > 1]
    alike = all(any(each.kind == "pooled" for each in other.marks) for other in moving)
    if name not in CAREFUL or name in SUMS or (name in ADDING | SUBTRACTING | JOINING and not alike):
        return set()
    if storage_of(result) == storage_of(operand.tensor):
        return {mark}
    rows = _rows_of(operand.tensor, mark) if result.shape == operand.tensor.shape else None
    return {replace(mark, axis=None if rows is None else result.stride(rows))}


def _weighing(factor: Carried) -> bool:
    """Whether it is known as weights by another way."""
    return any(mark.kind in ("weights", "spread", "bent", "mixed") for mark in factor.marks)


def _as_weights(numbers: Carried, rows: Carried) -> bool:
    """Whether numbers that a layer made of one row add up rows that another layer made, of other rows than experts."""
    whole = any(mark.kind == "columns" and rows.tensor.shape[-1] in mark.lengths for mark in rows.marks)
    tall = rows.tensor.ndim > 2 and rows.tensor.shape[-2] > 1 and rows.tensor.shape[-2] not in rows.fan
    turned = lies_across(numbers.tensor) or lies_across(rows.tensor)
    return whole and tall and not turned and not _weighing(numbers)


def _multiplies(factors: Sequence[Carried], factor: Carried, mark: WeightMark) -> bool:
    """Whether numbers for pairs, or those that a layer made of one row, multiply other rows."""
    if mark.kind == "columns":
        return factor is factors[0] and _as_weights(factor, factors[-1])
    return mark.kind in ("pair", "laid", "fit") and not of_a_state_space(factors)


def _one_for_each(factors: Sequence[Carried], factor: Carried, mark: WeightMark) -> bool:
    """Whether one number for each row, or each of several, adds up other rows."""
    if mark.kind == "single":
        return not (_weighing(factor) or of_a_state_space(factors)) and _adds_up(factors, factor)
    return mark.kind == "gates" and not _shared_out(factors) and adds_rows_up(factors, factor, mark)


def _shared_out(factors: Sequence[Carried]) -> bool:
    """Whether one of them is followed as weights or powers, or as a state."""
    powers = any(mark.kind == "power" and mark.usual for each in factors for mark in each.marks)
    return powers or of_a_state_space(factors) or any(map(_weighing, factors))


def _adds_up(factors: Sequence[Carried], factor: Carried) -> bool:
    """Whether more than one is added up."""
    tensor = factor.tensor
    return tensor.ndim > 0 and tensor.shape[-1 if factor is factors[0] or tensor.ndim == 1 else -2] > 1


def _is_a_state(name: str, operand: Carried, others: Sequence[Carried], result: Tensor) -> bool:
    """Whether what the model has kept is still that, perhaps faded or grown by a product of rows, and not a row."""
    moving = [each for each in others if not each.fixed and each.tensor.numel() > 1]
    grown = result.numel() > operand.tensor.numel() and name in MULTIPLYING | ADDING | SUBTRACTING
    products = all(any(mark.kind in ("product", "weighed") for mark in each.marks) for each in moving)
    return not grown and (products or name not in ADDING | SUBTRACTING)


def _kept(name: str, mark: WeightMark, operand: Carried, others: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """What becomes of one mark in a call that is no product."""
    tensor, kind = operand.tensor, mark.kind
    careful = name in CAREFUL
    moving = [each for each in others if not each.fixed and each.tensor.numel() > 1]
    if kind == "columns":
        return columns_kept(name, mark, operand, result)
    if kind == "before":
        return set()
    if kind == "read":  # over their own sum they are still that
        return {mark} if careful and all(any(m.kind == "read" for m in each.marks) for each in moving) else set()
    if kind == "held":
        return {mark} if careful and _is_a_state(name, operand, others, result) else set()
    if kind in ("maps", "fanned"):
        return {mark} if careful and name not in SUMS and result.shape == tensor.shape else set()
    if kind in ("blend", "windows", "windowed", "summed"):
        return {mark} if careful and name not in SUMS else set()
    if operand.tensor.dtype == torch.bool and name not in MULTIPLYING and any(not each.fixed for each in others):
        return set()  # it only chooses among them
    if name in CHOOSING and mark.made_by == RANKING and operand.tensor.dtype in WHOLE:  # it says which
        return set()
    if kind in ("step", "fade"):
        return {replace(mark, kind="fade")} if name in POWERS else {mark} if careful else set()
    if kind in ("facing", "fitting", "fitted"):
        return fits_kept(name, mark, operand, moving, result)
    if kind == "gates":
        return gates_kept(name, mark, operand, moving, result)
    if kind == "single" and name in JOINING and among_columns(mark, tensor, result):
        return {gates_joined(mark, result)}
    if kind == "single" and storage_of(result) != storage_of(tensor):
        mark = replace(mark, spread=None)
    if kind in ("single", "gated") and mark.axis is not None and is_moved(name, mark.axis, tensor, result):
        mark = replace(mark, axis=None)
    if kind == "crossed":
        return {mark} if careful and not moving and result.shape == tensor.shape else set()
    if kind in ("whole", "gated"):
        return {mark} if careful or not moving else set()
    if kind == "single" and name == "cumsum":  # one for each row still
        return {mark, replace(mark, kind="whole")}
    if kind == "single" and name in ROOTS:  # a norm, which a row is divided by
        return set()
    if kind == "single" and (name in SUMS or (result.numel() < tensor.numel() and not moving and not careful)):
        return {replace(mark, kind="whole")}
    if kind in ("single", "fit"):
        return singles_kept(name, mark, operand, moving, result)
    if kind in ("pair", "laid"):
        if name in MULTIPLYING and moving:
            return {replace(mark, kind="laid")} if result.numel() > tensor.numel() else {mark}
        return {mark} if kind == "pair" or (careful and name not in SUMS) else set()
    if bends(name) and name not in EXTREMES:
        return set()
    if name in ADDING | SUBTRACTING | JOINING:  # a state that grows; with other rows it is rows again
        alike = all(any(m.kind in ("product", "weighed", "read", "held") for m in each.marks) for each in moving)
        return {mark} if alike else set()
    if name in MULTIPLYING and moving:
        broadcast = result.numel() > tensor.numel() or any(result.numel() > each.tensor.numel() for each in moving)
        return {mark, replace(mark, kind="weighed")} if broadcast else {mark}
    if kind == "weighed" and name in SUMS and name != "cumsum":
        return {replace(mark, kind="product")}
    return {mark}
