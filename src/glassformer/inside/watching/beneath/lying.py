"""How tensors lie in memory and beside one another: which axis is still the same, and along which one is repeated.

It looks at sizes, steps and storages, never at numbers or marks.
"""

import math
from typing import NamedTuple

from torch import Tensor

from glassformer.inside.watching.beneath.kernels import ADDING, DIVIDING, MULTIPLYING, SUBTRACTING, TURNING
from glassformer.inside.watching.beneath.origins import storage_of


class Column(NamedTuple):
    """How one column lies in the memory of all: of so many numbers, and neighbours at least so far apart."""

    size: int
    step: int


def column_of(tensor: Tensor) -> Column:
    """How a tensor lies."""
    steps = [step for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size > 1 and step]
    return Column(own_size(tensor), min(steps, default=1))


def is_moved(name: str, axis: int, tensor: Tensor, result: Tensor) -> bool:
    """Whether an axis, counted from the end, may be another one now."""
    if name in TURNING or min(tensor.ndim, result.ndim) < -axis:
        return True
    if tensor.shape[axis] == 1 and name in MULTIPLYING | DIVIDING | ADDING | SUBTRACTING:
        return False  # laid along it, and sizes are matched from the end
    if tensor.ndim == result.ndim:
        return tensor.shape[axis] != result.shape[axis]
    alike = tensor.shape[axis:] == result.shape[axis:] and tensor.stride()[axis:] == result.stride()[axis:]
    return not alike or storage_of(tensor) != storage_of(
        result
    )  # texts laid one behind the other have the same columns


def columns_gone(tensor: Tensor, result: Tensor) -> bool:
    """Whether the last axis was added up, or only one of it is left."""
    before, after = tuple(tensor.shape), tuple(result.shape)
    return len(before) > 1 and (after == before[:-1] or (after == (*before[:-1], 1) and before[-1] > 1))


def one_column(name: str, tensor: Tensor, result: Tensor) -> bool:
    """Whether one number of each row is left, and no axis for it."""
    alike = result.shape == tensor.shape[:-1] and result.stride() == tensor.stride()[:-1]
    return name in ("select", "unbind") and alike and not lies_across(tensor)


def lies_across(tensor: Tensor) -> bool:
    """Whether neighbours along the last axis are not neighbours in memory: it was turned, and shares its marks."""
    return tensor.ndim > 0 and tensor.shape[-1] > 1 and tensor.stride(-1) != 1


def laid_against(name: str, tensor: Tensor, result: Tensor) -> bool:
    """Whether the last axis is not its own any more: a new one, or that of what it was laid against."""
    new = name in MULTIPLYING | DIVIDING | ADDING | SUBTRACTING or name in ("unsqueeze", "expand")
    return new and tensor.ndim > 0 and result.shape[-1] != tensor.shape[-1]


def own_size(tensor: Tensor) -> int:
    """How many numbers it has, those that are the same again not counted."""
    return math.prod(size for size, step in zip(tensor.shape, tensor.stride(), strict=True) if step)


def repeated_along(tensor: Tensor, result: Tensor) -> frozenset[int]:
    """The axes, counted from the end, along which it is the same row again."""
    sizes = [(1, 0)] * (result.ndim - tensor.ndim) + list(zip(tensor.shape, tensor.stride(), strict=True))
    again = (size < whole or (step == 0 and whole > 1) for (size, step), whole in zip(sizes, result.shape, strict=True))
    return frozenset(axis - result.ndim for axis, same in enumerate(again) if same)
