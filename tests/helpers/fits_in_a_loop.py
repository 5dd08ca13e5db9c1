"""How well rows fit, one number for each of them, and other rows that are multiplied by it and added one after another:
attention spelled as a loop, in several ways; and models that look like it and hold none."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

_WIDTH = 16
Fit = Callable[["Rows", Tensor, Tensor], Tensor]


class Rows(nn.Module):
    """Queries, keys, values and what scores may need."""

    def __init__(self, way: Callable[["Rows", Tensor, Tensor, Tensor, Tensor], Tensor]) -> None:
        super().__init__()
        self.way = way
        self.q, self.k, self.v = (nn.Linear(_WIDTH, _WIDTH) for _ in range(3))
        self.both, self.one = nn.Linear(2 * _WIDTH, _WIDTH), nn.Linear(_WIDTH, 1)
        self.bilinear = nn.Bilinear(_WIDTH, _WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.way(self, x, self.q(x), self.k(x), self.v(x))


def dot(q: Tensor, k: Tensor) -> Tensor:
    return (q * k).sum(-1, keepdim=True)


# --- how well rows fit one row ------------------------------------------------------------------------------------

FITS: dict[str, Fit] = {
    "sigmoid": lambda _, q, k: dot(q, k).sigmoid(),
    "relu": lambda _, q, k: dot(q, k).relu(),
    "tanh": lambda _, q, k: dot(q, k).tanh(),
    "no bend": lambda _, q, k: dot(q, k),
    "mean": lambda _, q, k: (q * k).mean(-1, keepdim=True),
    "in a product": lambda _, q, k: q @ k.mT,
    "a layer of both": lambda own, q, k: own.one(torch.relu(own.both(torch.cat([q, k.expand_as(q)], -1)))).sigmoid(),
    "a layer of their sum": lambda own, q, k: own.one(torch.tanh(q + k)).sigmoid(),
    "a bilinear layer": lambda own, q, k: own.bilinear(q, k.expand_as(q).contiguous()).sigmoid(),
    "a distance": lambda _, q, k: 1 / (1 + (q - k).square().sum(-1, keepdim=True)),
    "a norm": lambda _, q, k: (q - k).norm(dim=-1, keepdim=True).tanh(),
    "pairwise": lambda _, q, k: (-F.pairwise_distance(q, k.expand_as(q), keepdim=True)).sigmoid(),
    "complex": lambda _, q, k: dot(torch.complex(q, q.flip(-1)), torch.complex(k, -k.flip(-1))).abs().tanh(),
    "spread": lambda _, q, k: dot(q, k).sigmoid().expand_as(q),
    "a filter": lambda _, q, k: (
        torch.cat([F.conv1d(one.T[None], other.mT[None]) for one, other in zip(q, k, strict=True)]).mT
    ),
}


def looped(fit: Fit) -> Callable[[Rows, Tensor, Tensor, Tensor, Tensor], Tensor]:
    def way(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        mixed = torch.zeros_like(v)
        for j in range(x.shape[1]):
            mixed = mixed + fit(own, q, k[:, j : j + 1]) * v[:, j : j + 1]
        return mixed

    return way


# --- how rows are added up ----------------------------------------------------------------------------------------


def running_mean(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The softmax itself."""
    whole, mixed = dot(q, k[:, :1]), v[:, :1]
    for j in range(1, x.shape[1]):
        score = dot(q, k[:, j : j + 1])
        mixed = mixed + torch.sigmoid(score - whole) * (v[:, j : j + 1] - mixed)
        whole = torch.logaddexp(whole, score)
    return mixed


def by_lerp(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = v[:, :1].expand_as(v)
    for j in range(1, x.shape[1]):
        mixed = torch.lerp(mixed, v[:, j : j + 1].expand_as(v), dot(q, k[:, j : j + 1]).sigmoid())
    return mixed


def by_addcmul(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(v)
    for j in range(x.shape[1]):
        mixed = torch.addcmul(mixed, v[:, j : j + 1], dot(q, k[:, j : j + 1]).sigmoid())
    return mixed


def taken_off(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(v)
    for j in range(x.shape[1]):
        mixed -= v[:, j : j + 1] * dot(q, k[:, j : j + 1]).relu()
    return mixed


def divided(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(v)
    for j in range(x.shape[1]):
        mixed = mixed + v[:, j : j + 1] / (1 + dot(q, k[:, j : j + 1]).abs())
    return mixed


def normed_each_time(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(v)
    for j in range(x.shape[1]):
        mixed = F.layer_norm(mixed + dot(q, k[:, j : j + 1]).sigmoid() * v[:, j : j + 1], (_WIDTH,))
    return mixed


def rolled(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sum((dot(q, k.roll(r, 1)).sigmoid() * v.roll(r, 1) for r in range(x.shape[1])), torch.zeros_like(v))


def shifted_by_a_pad(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = dot(q, k).sigmoid() * v
    for r in range(1, 4):
        before = [F.pad(rows, (0, 0, r, 0))[:, : x.shape[1]] for rows in (k, v)]
        mixed = mixed + dot(q, before[0]).sigmoid() * before[1]
    return mixed


def layers_of_each(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sum((dot(q, own.k(row)[:, None]).tanh() * own.v(row)[:, None] for row in x.unbind(1)), torch.zeros_like(v))


def a_gate_of_each(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    rows = [x[:, j : j + 1] for j in range(x.shape[1])]
    return sum((own.one(row).sigmoid() * own.v(row) for row in rows), torch.zeros_like(v[:, :1]))


def stacked_and_summed(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.stack([FITS["a bilinear layer"](own, q, k[:, j : j + 1]) * v[:, j : j + 1] for j in range(5)]).mean(0)


def stacked_so_far(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.stack([dot(q, k[:, j : j + 1]).sigmoid() * v[:, j : j + 1] for j in range(5)]).cumsum(0)[-1]


_WAYS = (
    running_mean, by_lerp, by_addcmul, taken_off, divided, normed_each_time, rolled, shifted_by_a_pad, layers_of_each,
    a_gate_of_each, stacked_and_summed, stacked_so_far,
)  # fmt: skip
IN_A_LOOP: dict[str, Callable[[], nn.Module]] = {
    **{f"loop: {name}": (lambda fit=fit: Rows(looped(fit))) for name, fit in FITS.items()},  # type: ignore[misc]
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
}


# --- and what is none ---------------------------------------------------------------------------------------------


def normed_by_hand(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    for layer in (own.q, own.k, own.v):
        x = x + layer(x * torch.rsqrt((x * x).mean(-1, keepdim=True)))
        ahead = x - x.mean(-1, keepdim=True)
        x = x + layer(ahead / (ahead * ahead).mean(-1, keepdim=True).sqrt())
    return x


def norms_of_gated_parts(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Rows that were multiplied by moved ones, and then scaled by their own norms."""
    rows = own.q(k * torch.cat([q[..., 8:], q[..., :8]], -1).roll(1, 1))
    for layer in (own.q, own.k, own.v):
        rows = rows + layer(rows * torch.rsqrt(rows.square().mean(-1, keepdim=True)))
    return rows


def norms_of_places(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    for layer in (own.q, own.k, own.v):
        ahead = x - x.mean(1, keepdim=True)
        x = x + layer(ahead / (ahead.square().mean(1, keepdim=True) + 1e-5).sqrt())
    return x


def answers_by_their_fit(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return dot(q, k).sigmoid() * k + dot(q, v).sigmoid() * v


def halted(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The same row again and again, as long as it takes."""
    state, whole, left = x, torch.zeros_like(x), torch.ones(())
    for _ in range(4):
        state = torch.tanh(own.q(state) + x)
        share = own.one(state).sigmoid()
        whole, left = whole + share * left * state, left * (1 - share)
    return whole


def neighbours_in_layers(own: Rows, x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    for layer in (own.q, own.k, own.v):
        x = x + layer(x.roll(1, 1) * x).relu()
    return x


_NONE = (normed_by_hand, norms_of_gated_parts, norms_of_places, answers_by_their_fit, halted, neighbours_in_layers)
NO_LOOP: dict[str, Callable[[], nn.Module]] = {
    way.__name__.replace("_", " "): (lambda way=way: Rows(way))  # type: ignore[misc]
    for way in _NONE
}
