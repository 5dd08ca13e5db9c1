"""Attention by ways that others may take: past torch and back, by kernels that are seldom used, without a softmax.

Each is a function of rows and of what linear layers made of them, all B T D, with D as in `hidden_attention`. None may
be vouched for unseen. Beside them is what only looks like it.
"""

import ctypes
import math
import threading
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH
from helpers.weighing_otherwise import Rows, Way, drawn

_ALL = torch.arange(7)
_ASKS, _ANSWERS = _ALL.repeat_interleave(7), _ALL.repeat(7)  # every pair of rows, as the edges of a graph


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).softmax(-1) @ v


# --- past torch, and written over what was there -------------------------------------------------------------------


def _by_numpy(q: Tensor, k: Tensor, v: Tensor) -> np.ndarray:
    queries, keys, values = (each.detach().numpy() for each in (q, k, v))
    powers = np.exp(queries @ keys.swapaxes(-1, -2))
    return powers / powers.sum(-1, keepdims=True) @ values  # type: ignore[no-any-return]


def numpy_over_a_copy(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = v.detach().clone()
    mixed.numpy()[:] = _by_numpy(q, k, v)
    return mixed + x


def numpy_as_the_answer(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = v.detach().clone()
    mixed.numpy()[:] = _by_numpy(q, k, v)
    return mixed


def a_thread_over_a_copy(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = v.detach() + 1
    rows = [each.detach() for each in (q, k, v)]
    thread = threading.Thread(target=lambda: mixed.copy_(attend(*rows)))
    thread.start()
    thread.join()
    return mixed + x


def memory_over_a_copy(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = v.detach().clone()
    numbers = np.ascontiguousarray(_by_numpy(q, k, v), dtype=np.float32)
    ctypes.memmove(mixed.data_ptr(), numbers.ctypes.data, numbers.nbytes)
    return mixed + x


def _number_by_number(q: Tensor, k: Tensor, v: Tensor) -> list[list[float]]:
    queries, keys, values = q[0].tolist(), k[0].tolist(), v[0].tolist()
    rows = []
    for query in queries:
        powers = [math.exp(sum(map(float.__mul__, query, key))) for key in keys]
        rows.append([sum(p * v for p, v in zip(powers, column, strict=True)) / sum(powers)
                     for column in zip(*values, strict=True)])  # fmt: skip
    return rows


def written_number_by_number(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.empty(7, WIDTH)
    for i, row in enumerate(_number_by_number(q, k, v)):
        for j, number in enumerate(row):
            mixed[i, j] = number
    return mixed + x


def numbers_in_full(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    rows = [torch.stack([torch.full((), number) for number in row]) for row in _number_by_number(q, k, v)]
    return torch.stack(rows) + x


def numbers_beside_a_sum(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores, mixed = (q[0, :1] @ k[0].T)[0].tolist(), torch.zeros(WIDTH)
    whole = sum(map(math.exp, scores))
    for score, row in zip(scores, v[0], strict=True):
        mixed = torch.add(mixed, row, alpha=math.exp(score) / whole)
    return mixed + x


# --- by kernels that are seldom used ------------------------------------------------------------------------------


def in_place_product(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.zeros(7, WIDTH).addmm_((-torch.cdist(q[0], k[0])).softmax(-1), v[0])


def least_squares(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.linalg.lstsq(5 * torch.eye(7) + q @ k.mT, v).solution


def several_at_once(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (-torch.cdist(q[0, :1], k[0])[0]).softmax(0)
    return torch.stack(torch._foreach_mul(list(v[0]), list(weights))).sum(0) + x  # type: ignore[call-overload, no-any-return]


def gated_segments(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    fit = (q[0, _ASKS] * k[0, _ANSWERS]).sum(-1, keepdim=True).sigmoid()
    return torch.segment_reduce(fit * v[0, _ANSWERS], "sum", lengths=torch.full((7,), 7), axis=0) + x


def shares_of_edges(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    powers = F.leaky_relu(q[0, _ASKS].sum(-1) + k[0, _ANSWERS].sum(-1)).exp()
    shares = powers / torch.zeros(7).scatter_reduce(0, _ASKS, powers, "sum")[_ASKS]
    places = _ASKS[:, None].expand(-1, WIDTH)
    return torch.zeros(7, WIDTH).scatter_reduce(0, places, shares[:, None] * v[0, _ANSWERS], "sum") + x


def numbers_of_edges(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    ends = (q[0, :, :1])[_ASKS] + (k[0, :, :1])[_ANSWERS]
    shares = torch.cat([ends.tanh().squeeze(-1), torch.ones(7)])  # each row looks at itself too
    edges = torch.cat([_ASKS, _ALL]), torch.cat([_ANSWERS, _ALL])
    return torch.zeros(7, WIDTH).index_add(0, edges[0], shares[:, None] * v[0, edges[1]]) + x


def divided_in_one_call(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    powers = (-torch.cdist(k, q[:, :1])).exp()
    return torch.addcdiv(torch.zeros_like(v), powers * v, powers.sum(1, keepdim=True)).sum(1, keepdim=True) + x


def over_powers(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    powers = torch.cdist(q, k).exp()[..., None]
    return (v[:, None] / powers).sum(2) / (1 / powers).sum(2)


def gradient_of_a_loss(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    with torch.enable_grad():
        asks = q.detach().requires_grad_()
        loss = F.cross_entropy((asks @ k.detach().mT).flatten(0, 1), torch.arange(7).repeat(2), reduction="sum")
        return torch.autograd.grad(loss, asks)[0]


def scores_as_filters(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.conv1d(v[:1], (q[0] @ k[0].T).sigmoid()[:, :, None]) + x


# --- without a softmax --------------------------------------------------------------------------------------------


def those_that_fit(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.mT) > 0).float() @ v


def ones_that_fit(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.where((q @ k.mT) > 0, 1.0, 0.0) @ v


def those_alike(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q.sign()[:, :, None] == k.sign()[:, None]).float().mean(-1) @ v


def those_above_the_middle(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    return (scores >= scores.quantile(0.5, -1, keepdim=True)).float() @ v


def those_above_the_median(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    return ((scores > scores.median(-1, keepdim=True)[0])[..., None] * v[:, None]).sum(2)


def in_steps(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.tensor([0.0, 0.1, 0.3, 0.6])[torch.bucketize(q @ k.mT, torch.tensor([-1.0, 0.0, 1.0]))] @ v


def numbers_of_a_layer(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(F.pad(q, (0, 7 - WIDTH))) @ v


def a_window_that_moves(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    middle = 7 * q[..., :1].sigmoid()
    return torch.exp(-((_ALL - middle) ** 2)) @ v


def a_window_with_edges(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (1 - (_ALL - 7 * q[..., :1].sigmoid()).abs() / 3).clamp(min=0) @ v


def neighbours_by_a_layer(x: Tensor, q: Tensor) -> Tensor:
    return (F.pad(q, (0, 0, 1, 1)).unfold(1, 3, 1) * q[..., None, :3]).sum(-1)


def one_column_of_a_layer(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q[..., :1].sigmoid() * v).sum(1, keepdim=True) + x


def one_of_three_parts(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    gate, _ = q.split([1, WIDTH - 1], -1)
    return gate.tanh().mT @ v + x


def in_logarithms(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    mixed = torch.logsumexp(scores[..., None] + v.abs().log()[:, None], 2)
    return (mixed - torch.logsumexp(scores, -1, keepdim=True)).exp()


def _packed(rows: Tensor) -> Tensor:
    q, k, v = rows.chunk(3, -1)
    return attend(q, k, v)


def _over(rows: Tensor) -> None:
    rows.copy_(attend(rows, rows, rows))


_OPS = torch.library.Library("by_other_ways", "DEF")
_OPS.define("packed(Tensor rows) -> Tensor")
_OPS.impl("packed", _packed, "CompositeExplicitAutograd")
_OPS.define("over(Tensor(a!) rows) -> ()")
_OPS.impl("over", _over, "CompositeExplicitAutograd")


def packed_for_a_stranger(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.ops.by_other_ways.packed(torch.cat([q, k, v], -1).detach())  # type: ignore[no-any-return]


def a_stranger_writes(x: Tensor, q: Tensor) -> Tensor:
    q = q.detach().clone()
    torch.ops.by_other_ways.over(q)
    return q + x


_WAYS: tuple[Way, ...] = (
    numpy_over_a_copy, numpy_as_the_answer, a_thread_over_a_copy, memory_over_a_copy, written_number_by_number,
    numbers_in_full, numbers_beside_a_sum, in_place_product, least_squares, several_at_once, gated_segments,
    shares_of_edges, numbers_of_edges, divided_in_one_call, over_powers, gradient_of_a_loss, scores_as_filters,
    those_that_fit, ones_that_fit, those_alike, those_above_the_middle, those_above_the_median, in_steps,
    numbers_of_a_layer, a_window_that_moves, a_window_with_edges, neighbours_by_a_layer, one_column_of_a_layer,
    one_of_three_parts, packed_for_a_stranger, a_stranger_writes, in_logarithms,
)  # fmt: skip
BY_OTHER_WAYS: dict[str, Callable[[], nn.Module]] = {
    way.__name__.replace("_", " "): (lambda way=way: Rows(way))
    for way in _WAYS  # type: ignore[misc]
}

# What torch hands over whole in inference mode, and not in pieces.
WHOLE: dict[str, Way] = {
    "three in one": lambda x, q, k, v: torch.einsum("bqd,bkd,bke->bqe", q, k, v),
    "a chain": lambda x, q, k, v: torch.linalg.multi_dot([q[0], k[0].mT, v[0]]) + x,
    "correlations": lambda x, q, k, v: torch.corrcoef(q[0]) @ v,
}


# --- and what is none ---------------------------------------------------------------------------------------------


class Bells(nn.Module):
    """How near each row is to points that the model has learned, and a layer."""

    def __init__(self) -> None:
        super().__init__()
        self.points, self.layer = nn.Parameter(drawn(11, WIDTH)), nn.Linear(11, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(torch.exp(-torch.cdist(x, self.points[None].expand(2, -1, -1))))  # type: ignore[no-any-return]


class Styled(nn.Module):
    """A filter whose columns are scaled by what was read, the same at every place."""

    def __init__(self) -> None:
        super().__init__()
        self.filter, self.style = nn.Parameter(drawn(1, 8, 1, 3, 3)), nn.Linear(WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        filters = self.filter * self.style(x.mean(1))[:, None, :, None, None]
        filters = filters * filters.square().sum((2, 3, 4), keepdim=True).rsqrt()
        return F.conv2d(x[None], filters.view(16, 1, 3, 3), padding=1, groups=2)


class LogarithmicCells(nn.Module):
    """Gates that let each column of a state fade, worked out for all rows at once by sums of powers."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.row = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate(x)
        stays, enters = (-F.softplus(gate)).cumsum(1), -F.softplus(-gate) + F.softplus(self.row(x)).log()
        return (stays + (enters - stays).logcumsumexp(1)).exp()


def balanced_shares(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    powers = (a.flatten(0, 1) @ drawn(WIDTH, 4)).exp().T
    powers = powers / powers.sum()
    powers = powers / powers.sum(1, keepdim=True) / 4
    shares = (powers / powers.sum(0, keepdim=True)).T
    return -(shares * (b.flatten(0, 1) @ drawn(WIDTH, 4)).log_softmax(1)).sum(1)


def steps_between_bins(x: Tensor, a: Tensor) -> Tensor:
    edges = F.pad(a.softmax(-1).cumsum(-1), (1, 0))
    place = torch.searchsorted(edges.contiguous(), x[..., :1].sigmoid()).clamp(1, WIDTH) - 1
    low, high = edges.gather(-1, place), edges.gather(-1, place + 1)
    return (x[..., :1].sigmoid() - low) / (high - low)


def one_number_spread_out(x: Tensor, a: Tensor) -> Tensor:
    return a * (torch.tensor(2.5).expand(2, 7, 1) - 1)


def a_product_beside_nothing(x: Tensor, a: Tensor) -> Tensor:
    return torch.baddbmm(torch.empty(2, 7, 7), a, x.mT, beta=0, alpha=0.5)


NONE_THOUGH: dict[str, Callable[[], nn.Module]] = {
    "bells": Bells,
    "styled": Styled,
    "logarithmic cells": LogarithmicCells,
    "a recurrent layer": lambda: nn.GRU(WIDTH, 3, batch_first=True, bidirectional=True),
    "balanced shares": lambda: Rows(balanced_shares),
    "steps between bins": lambda: Rows(steps_between_bins),
    "a product beside nothing": lambda: Rows(a_product_beside_nothing),
    "one number spread out": lambda: Rows(one_number_spread_out),
}
