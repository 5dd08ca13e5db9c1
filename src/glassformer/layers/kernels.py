"""Functions that torch has too, but slow on CPUs: a norm, activations, turning, dropout and a loss in fewer passes.

Each is also called as torch has it, for compiling and exporting. Where the backward pass is written out, a test holds
it to torch's own.
"""

import math
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor
from torch.autograd.function import once_differentiable


def rms_norm(rows: Float[Tensor, "*rows D"], weight: Float[Tensor, "D"], epsilon: float) -> Float[Tensor, "*rows D"]:
    """x / √(mean of squares + ε) · w."""
    if _differentiated(rows, weight):
        return _RmsNorm.apply(rows, weight, epsilon)  # type: ignore[no-any-return, no-untyped-call]
    if rows.dtype != weight.dtype:  # in mixed precision: worked in the weights' own, as torch's kernel takes one only
        return F.rms_norm(rows.to(weight.dtype), weight.shape, weight, epsilon).to(rows.dtype)
    return F.rms_norm(rows, weight.shape, weight, epsilon)


def squared_relu(rows: Float[Tensor, "*rows D"]) -> Float[Tensor, "*rows D"]:
    """max(x, 0)²."""
    if _differentiated(rows):
        return _SquaredRelu.apply(rows)  # type: ignore[no-any-return, no-untyped-call]
    return F.relu(rows).square()


def tanh_gelu(rows: Float[Tensor, "*rows D"]) -> Float[Tensor, "*rows D"]:
    """x · ½ (1 + tanh(√(2/π) (x + 0.044715 x³))), GPT-2's bend."""
    if _differentiated(rows):
        return _TanhGelu.apply(rows)  # type: ignore[no-any-return, no-untyped-call]
    return F.gelu(rows, approximate="tanh")


def turned(
    rows: Float[Tensor, "B H T K"], cosines: Float[Tensor, "#B 1 T R"], sines: Float[Tensor, "#B 1 T R"]
) -> Float[Tensor, "B H T K"]:
    """Each pair of columns a = r and b = r+R by its angle: a·cos − b·sin and b·cos + a·sin."""
    if _differentiated(rows) and rows.dtype == cosines.dtype and not (cosines.requires_grad or sines.requires_grad):
        return _Turned.apply(rows, cosines, sines)  # type: ignore[no-any-return, no-untyped-call]
    a, b, rest = _halves(rows, cosines.shape[-1])
    return torch.cat([a * cosines - b * sines, b * cosines + a * sines, rest], dim=-1)


def cross_entropy(logits: Float[Tensor, "M N"], wanted: Int[Tensor, "M"], smoothing: float = 0.0) -> Float[Tensor, ""]:
    """−log of the wanted share, summed over the rows; smoothing wants a little of every class."""
    if _differentiated(logits) and logits.dtype == torch.float32:
        return _CrossEntropy.apply(logits, wanted, smoothing)  # type: ignore[no-any-return, no-untyped-call]
    return F.cross_entropy(logits.float(), wanted, reduction="sum", label_smoothing=smoothing)


def dropout(rows: Float[Tensor, "*rows"], rate: float) -> Float[Tensor, "*rows"]:
    """Sets a share of the entries to zero at random and stretches the others by 1 / (1 − share).

    Four entries are decided by one drawn number of 64 bits, so the share is right to 1/65536.
    """
    if torch.compiler.is_compiling() or rows.device.type != "cpu":
        return F.dropout(rows, rate)
    zeros = round(rate * _LEVELS)
    drawn = torch.empty((rows.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    lots = drawn.view(torch.int16)[: rows.numel()].view(rows.shape)  # from −32768 to 32767
    kept = (lots >= zeros - _LEVELS // 2).to(rows.dtype)
    return rows * kept.mul_(1 / (1 - rate))


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
        pull = (stretched * weight).mean(-1, keepdim=True)  # rows 1
        back = torch.addcmul(gradient * weight, n, pull, value=-1).mul_(r)
        return back, stretched.sum_to_size(weight.shape), None  # heads are strided: nothing here copies them


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


class _TanhGelu(torch.autograd.Function):
    """½ (1 + tanh(u/2)) is the sigmoid s(u), which is quicker: y = x·s(u) with u = αx + βx³.

    So dx = g·(s + x·s·(1−s)·u′) with u′ = α + 3βx².
    """

    ALPHA = 2 * math.sqrt(2 / math.pi)
    BETA = ALPHA * 0.044715

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        s = torch.addcmul(x.new_tensor(_TanhGelu.ALPHA), x, x, value=_TanhGelu.BETA).mul_(x).sigmoid_()
        ctx.save_for_backward(x, s)
        return x * s

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        x, s = ctx.saved_tensors
        steep = torch.addcmul(x.new_tensor(_TanhGelu.ALPHA), x, x, value=3 * _TanhGelu.BETA)  # u′
        bend = torch.addcmul(s, s, s, value=-1).mul_(x)  # s − s² first: far out it is 0
        return torch.addcmul(s, bend, steep).mul_(gradients[0])


def _halves(rows: Tensor, pairs: int) -> tuple[Tensor, Tensor, Tensor]:
    return rows[..., :pairs], rows[..., pairs : 2 * pairs], rows[..., 2 * pairs :]


class _Turned(torch.autograd.Function):
    """The backward pass of a turn is the turn by the opposite angle."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        ctx.save_for_backward(cosines, sines)
        return _Turned.turn(x, cosines, sines)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        cosines, sines = ctx.saved_tensors
        return _Turned.turn(gradients[0], cosines, -sines), None, None

    @staticmethod
    def turn(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """Written straight into the answer, half by half."""
        answer = torch.empty_like(x)
        (a, b, rest), (first, second, last) = (_halves(each, cosines.shape[-1]) for each in (x, answer))
        torch.mul(a, cosines, out=first).sub_(b * sines)
        torch.mul(b, cosines, out=second).add_(a * sines)
        last.copy_(rest)
        return answer


class _CrossEntropy(torch.autograd.Function):
    """loss = l − (1−s)·z[wanted] − s·mean z with l = log Σ eᶻ, so that dz = eᶻ⁻ˡ − s/N, less 1−s where wanted.

    Worked a few rows at a time, which stay in the processor's cache: with a large vocabulary all rows together are the
    largest thing in training, and every further copy of them costs more than the arithmetic.
    """

    NUMBERS = 2**18  # at a time

    @staticmethod
    def forward(ctx: Any, logits: Tensor, wanted: Tensor, smoothing: float) -> Tensor:
        few = max(1, _CrossEntropy.NUMBERS // logits.shape[1])
        largest = torch.cat([rows.amax(1, keepdim=True) for rows in torch.split(logits, few)])  # M 1
        total = torch.cat(
            [
                (rows - top).exp_().sum(1, keepdim=True)
                for rows, top in zip(torch.split(logits, few), torch.split(largest, few), strict=True)
            ]
        )
        picked = logits.gather(1, wanted[:, None]) - largest
        logs = total.log()
        ctx.save_for_backward(logits, wanted, logs + largest)
        ctx.smoothing, ctx.few = smoothing, few
        losses = logs - (1 - smoothing) * picked
        if smoothing > 0.0:
            losses -= smoothing * (logits.mean(1, keepdim=True) - largest)
        return losses.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        logits, wanted, logs = ctx.saved_tensors
        answer = torch.empty_like(logits)
        parts = (each.split(ctx.few) for each in (answer, logits, wanted[:, None], logs))
        for part, rows, classes, log in zip(*parts, strict=True):
            torch.sub(rows, log, out=part).exp_()
            if ctx.smoothing > 0.0:
                part.sub_(ctx.smoothing / logits.shape[1])
            part.scatter_add_(1, classes, torch.full_like(log, ctx.smoothing - 1))
            part.mul_(gradients[0])
        return answer, None, None
