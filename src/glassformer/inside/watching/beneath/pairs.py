"""Scores that become weights without a softmax: rows that meet rows, and others again, as in linear attention.

A product of rows with rows, one row laid against all others, or a distance begins a mark; where its numbers then add up
other rows, that may have been an attention, and no softmax says so. A state-space layer does the same and is told by
its step: one number that lets the state fade, as a power, and scales what enters it. It follows kernels by name, and
rebuilds nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import (
    ADDING,
    CAREFUL,
    DISTANCES,
    ENDING,
    JOINING,
    MULTIPLYING,
    POWERS,
    PRODUCTS,
    STEPS,
    SUBTRACTING,
    SUMS,
    TURNING,
    bends,
)  # fmt: skip
from glassformer.inside.watching.beneath.marks import Carried, Meeting, WeightMark

PAIRS = frozenset(("product", "weighed", "pair", "laid", "step", "fade", "columns"))
TWICE = "rows meet rows, and others again, without a softmax: linear attention, or a layer of its kind"
LAID = "numbers worked out for pairs of rows multiply other rows: attention without a softmax, or a layer of its kind"
Doubts = list[tuple[str, str]]


class Pairs:
    """What goes on with marks of these kinds, and what is to be doubted.

    product   rows that met rows in a product; `weighed` if it was then laid across others, not yet added up
    pair      numbers for pairs of rows of another origin; `laid` if across others
    step      a positive number that scales; `fade` its power
    columns   the last axis is what a layer made of one row
    """

    def __init__(self, new: Callable[[str, str], WeightMark]) -> None:
        self._new = new

    def after(
        self, name: str, operands: Sequence[Carried], result: Tensor, met: Sequence[Meeting]
    ) -> tuple[set[WeightMark], Doubts]:
        """The marks of the result, and doubts with their reason; `met` are the weights that met others here."""
        if name in PRODUCTS:
            return self._product(name, operands, met)
        if name in ENDING:
            return {self._new("columns", name)}, []
        onwards: set[WeightMark] = set()
        for operand in operands:
            others = [other for other in operands if other.tensor is not operand.tensor]
            for mark in operand.marks:
                if mark.kind in PAIRS:
                    onwards |= _kept(name, mark, operand, others, result)
        moving = [each for each in operands if not each.fixed and each.tensor.numel() > 1]
        if name in STEPS:
            onwards.add(self._new("step", name))
        two_ways = len(moving) > 1 and all(result.numel() > each.tensor.numel() for each in moving)
        weighing = any(mark.kind in ("weights", "spread") for each in operands for mark in each.marks)
        if two_ways and name in MULTIPLYING and not weighing:
            onwards.add(self._new("product", "outer product"))
        elif (two_ways and name in ADDING | SUBTRACTING) or (name in DISTANCES and len(moving) > 1):
            onwards.add(self._new("pair", name))
        return onwards, _doubts(name, operands)

    def _product(self, name: str, factors: Sequence[Carried], met: Sequence[Meeting]) -> tuple[set[WeightMark], Doubts]:
        doubts: Doubts = []
        onwards = {mark for each in factors for mark in each.marks if mark.kind in ("step", "fade")}
        if any(factor.fixed for factor in factors) or len(factors) < 2:
            onwards |= {mark for each in factors for mark in each.marks if mark.kind in ("pair", "laid")}
            last = factors[-1]
            columns = last.fixed and last.tensor.ndim > 1 and last.tensor.shape[-1] > 1
            return onwards | ({self._new("columns", name)} if columns else set()), doubts
        for factor in factors:
            others = {mark.number for other in factors if other.tensor is not factor.tensor for mark in other.marks}
            for mark in factor.marks:
                if mark.kind in ("product", "weighed") and mark.number not in others and not _state(factors):
                    doubts.append((mark.made_by, TWICE))
                elif mark.kind in ("pair", "laid") and mark.number not in others and not _state(factors):
                    doubts.append((mark.made_by, LAID))
        if not met and not any(mark.kind == "weights" for each in factors for mark in each.marks):
            onwards.add(self._new("product", name))
            onwards |= {mark for each in factors for mark in each.marks if mark.kind == "product"}
        return onwards, doubts[:1]


def _state(operands: Sequence[Carried]) -> bool:
    """Whether one step both scales and fades: a state-space layer."""
    marks = [mark for each in operands for mark in each.marks]
    return bool({m.number for m in marks if m.kind == "step"} & {m.number for m in marks if m.kind == "fade"})


def _doubts(name: str, operands: Sequence[Carried]) -> Doubts:
    if name not in SUMS or name == "cumsum":
        return []
    marks = [mark for each in operands for mark in each.marks]
    if _state(operands):
        return []
    if any(mark.kind == "weighed" for mark in marks):
        return [(mark.made_by, TWICE) for mark in marks if mark.kind == "weighed"][:1]
    return [(mark.made_by, LAID) for mark in marks if mark.kind == "laid"][:1]


def _kept(name: str, mark: WeightMark, operand: Carried, others: Sequence[Carried], result: Tensor) -> set[WeightMark]:
    """What becomes of one mark in a call that is no product."""
    tensor, kind = operand.tensor, mark.kind
    careful = name in CAREFUL
    if kind == "columns":
        return set() if name in TURNING or (result.ndim != tensor.ndim and name in ("select", "unbind")) else {mark}
    if kind in ("step", "fade"):
        return {replace(mark, kind="fade")} if name in POWERS else {mark} if careful else set()
    moving = [each for each in others if not each.fixed and each.tensor.numel() > 1]
    if kind in ("pair", "laid"):
        if name in MULTIPLYING and moving:
            return {replace(mark, kind="laid")} if result.numel() > tensor.numel() else {mark}
        return {mark} if kind == "pair" or (careful and name not in SUMS) else set()
    if bends(name):
        return set()
    if name in ADDING | SUBTRACTING | JOINING:  # a state that grows; with other rows it is rows again
        alike = all(any(m.kind in ("product", "weighed") for m in each.marks) for each in moving)
        return {mark} if alike else set()
    if name in MULTIPLYING and moving:
        broadcast = result.numel() > tensor.numel() or any(result.numel() > each.tensor.numel() for each in moving)
        return {mark, replace(mark, kind="weighed")} if broadcast else {mark}
    if kind == "weighed" and name in SUMS and name != "cumsum":
        return {replace(mark, kind="product")}
    return {mark}
