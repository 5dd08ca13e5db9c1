"""Whether the numbers of a tensor are shares: none below zero, and along one axis they add up to one; or the same as
those of another. Numbers only."""

import torch
from torch import Tensor

_NEARLY, _ROUNDING = 1e-3, 1e-5


def add_up_to_one(tensor: Tensor, axis: int) -> bool:
    """Whether all along this axis are shares of one; ones and zeros, up to rounding, choose and do not weigh."""
    if tensor.ndim < -axis or tensor.shape[axis] < 2 or not tensor.numel() or not tensor.is_floating_point():
        return False
    with torch._C.DisableTorchFunction(), torch.no_grad():
        numbers = tensor.detach()
        if bool((numbers.select(axis, 0) < 0).any()):  # most tensors end here
            return False
        sums = numbers.sum(axis, dtype=torch.float64 if numbers.dtype == torch.float64 else torch.float32)
        rounding = max(_ROUNDING, 4 * float(torch.finfo(numbers.dtype).eps))
        beside = sums - numbers.amax(axis)  # where one has nearly all, the rest must be what it lacks
        adds_up = bool(((sums - 1.0).abs() <= rounding + _NEARLY * beside).all()) and bool((numbers >= 0).all())
        return adds_up and bool(((numbers > torch.finfo(numbers.dtype).eps) & (numbers < 1)).any())


def alike(tensor: Tensor) -> tuple[object, ...]:
    """What tensors of the same numbers have in common, to nine digits, however they lie; nothing if all are zero."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        numbers = tensor.detach()
        numbers = numbers if numbers.is_complex() else numbers.double()
        if not bool(numbers.any()):
            return ()
        return numbers.numel(), *(f"{each.item():.9g}" for each in (numbers.sum(), numbers.square().sum()))


def all_halves(tensor: Tensor) -> bool:
    """Whether every number is about a half: gates of an untrained model, which add up to one where two lie together."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return tensor.ndim > 2 and bool(((tensor.detach() - 0.5).abs() <= _NEARLY).all())
