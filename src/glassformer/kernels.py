"""Three functions that torch has too, but slow on processors: a norm, a bend and dropout, in fewer passes.

Each is also called as torch has it, for compiling and exporting. Where the way back is worked by hand, a test holds it
to torch's own.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable


def rms_norm(rows: Float[Tensor, "*rows D"], weight: Float[Tensor, "D"], epsilon: float) -> Float[Tensor, "*rows D"]:
    """x / √(mean of squares + ε) · w."""
    if _differentiated(rows, weight):
        return _RmsNorm.apply(rows, weight, epsilon)  # type: ignore[no-any-return, no-untyped-call]
    return F.rms_norm(rows, weight.shape, weight, epsilon)


def squared_relu(rows: Float[Tensor, "*rows D"]) -> Float[Tensor, "*rows D"]:
    """max(x, 0)²."""
    if _differentiated(rows):
        return _SquaredRelu.apply(rows)  # type: ignore[no-any-return, no-untyped-call]
    return F.relu(rows).square()


def dropout(rows: Float[Tensor, "*rows"], rate: float) -> Float[Tensor, "*rows"]:
    """Sets a share of the entries to zero at random and stretches the others by 1 / (1 − share).

    Four entries are decided by one drawn number of 64 bits, so the share is a multiple of 1/65536.
    """
    if torch.compiler.is_compiling() or rows.device.type != "cpu":
        return F.dropout(rows, rate)
    zeros = round(rate * _LEVELS)
    drawn = torch.empty((rows.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    lots = drawn.view(torch.int16)[: rows.numel()].view(rows.shape)  # from −32768 to 32767
    kept = (lots >= zeros - _LEVELS // 2).to(rows.dtype)
    return rows * kept.mul_(_LEVELS / max(_LEVELS - zeros, 1))


_LEVELS = 2**16


def _differentiated(*tensors: Tensor) -> bool:
    if torch.compiler.is_compiling() or not torch.is_grad_enabled():
        return False
    return any(each.requires_grad for each in tensors) and tensors[0].device.type == "cpu"


class _RmsNorm(torch.autograd.Function):
    """y = n·w with n = x·r and r = 1/√(mean x² + ε), so that dx = r·(g·w − n·mean(g·w·n)) and dw = Σ g·n."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, epsilon: float) -> Tensor:
        r = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square().div(x.shape[-1]).add(epsilon).rsqrt()
        ctx.save_for_backward(x, weight, r)
        normed: Tensor = x * r
        return normed.mul_(weight)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        x, weight, r = ctx.saved_tensors
        gradient, n = gradients[0], x * r
        stretched = gradient * n
        pull = (stretched @ weight).unsqueeze(-1) / x.shape[-1]  # rows 1
        return (gradient * weight).sub_(n.mul_(pull)).mul_(r), stretched.reshape(-1, len(weight)).sum(0), None


class _SquaredRelu(torch.autograd.Function):
    """y = m² with m = max(x, 0), so that dx = 2·g·m."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        m = F.relu(x)
        ctx.save_for_backward(m)
        return m.square()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (m,) = ctx.saved_tensors
        gradient: Tensor = gradients[0] * m
        return gradient.mul_(2)
