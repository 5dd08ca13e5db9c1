"""Where rows are added up outside of a product, by a sum, by pooling or one after another: what is to be doubted there.

It looks at marks, sizes and axes only; `pairs.py` says how numbers for rows come about.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import DIVIDING, GATHERING, POOLING, SUMS
from glassformer.inside.watching.beneath.marks import Carried, WeightMark
from glassformer.inside.watching.beneath.windows import GATED, LAID, Doubts, are_shares

TWICE = "rows meet rows, and others again, without a softmax: linear attention, or a layer of its kind"


def doubts_of_sums(name: str, operands: Sequence[Carried], args: Sequence[Any]) -> Doubts:
    if name in DIVIDING and len(operands) > 1 and not are_powers(operands[0]):
        wholes = {mark.number for mark in operands[1].marks if mark.kind == "whole"}
        return [(m.made_by, LAID) for m in operands[0].marks if m.kind == "gated" and m.number in wholes][:1]
    if name not in SUMS | POOLING:
        return []
    marks = [mark for each in operands for mark in each.marks]
    if of_a_state_space(operands):
        return []
    gated = [m for m in operands[-1].marks if m.kind == "gated" and not are_shares(operands[-1])]
    if any(_rows_added_up(name, args, mark, operands[-1].tensor) for mark in gated):
        return [(gated[0].made_by, GATED)]
    dims = _dims(name, operands[-1].tensor, args)
    fanned = [mark for mark in operands[-1].marks if mark.kind == "fanned" and mark.lengths & dims]
    if fanned and not are_shares(operands[-1]):
        return [(fanned[0].made_by, GATED)]
    if name == "cumsum":
        return []
    gone = {operands[-1].tensor.shape[dim] for dim in dims}
    if windowed := [mark for mark in marks if mark.kind == "windowed" and mark.lengths & gone]:
        return [(windowed[0].made_by, LAID)]
    if any(mark.kind == "weighed" for mark in marks):
        return [(mark.made_by, TWICE) for mark in marks if mark.kind == "weighed"][:1]
    return [(mark.made_by, LAID) for mark in marks if mark.kind == "laid"][:1]


def step_by_step(kept: Sequence[set[WeightMark]]) -> Doubts:
    """Gated rows added to others that another of the same numbers has gated, as in a loop over the text."""
    gated = [[mark for mark in marks if mark.kind in ("gated", "laid")] for marks in kept]
    pairs = [(a, b) for one, other in combinations(gated, 2) for a in one for b in other if a.number == b.number]
    return [(a.made_by, GATED) for a, b in pairs if a.spread != b.spread][:1]


def of_a_state_space(operands: Sequence[Carried]) -> bool:
    """Whether one step both scales and fades: a state-space layer."""
    marks = [mark for each in operands for mark in each.marks]
    return bool({m.number for m in marks if m.kind == "step"} & {m.number for m in marks if m.kind == "fade"})


def are_powers(operand: Carried) -> bool:
    """Whether they are positive, so that their shares are followed as such."""
    return any(mark.kind in ("power", "mixed", "weights") for mark in operand.marks)


def _rows_added_up(name: str, args: Sequence[Any], mark: WeightMark, tensor: Tensor) -> bool:
    """Whether rows are added up, each whole: the columns are left apart."""
    if name in GATHERING | POOLING:
        return True
    dims = args[1] if len(args) > 1 else None
    dims = [dims] if name == "cumsum" else dims
    if not isinstance(dims, list | tuple) or not dims or len(dims) == tensor.ndim:
        return False
    return mark.axis is None or all(dim % tensor.ndim - tensor.ndim != mark.axis for dim in dims)


def _dims(name: str, tensor: Tensor, args: Sequence[Any]) -> frozenset[int]:
    """The axes that are added up, counted from the end; of a picture that is pooled, all but text and columns."""
    if name in POOLING:
        return frozenset(range(2 - tensor.ndim, 0))
    dims = args[1] if len(args) > 1 and isinstance(args[1], list | tuple) else []
    return frozenset(dim % tensor.ndim - tensor.ndim for dim in dims if isinstance(dim, int))
