"""Attention as somebody spelled it who tried to slip through: seldom kernels, other names of bits, windows that move.

None may be vouched for unseen. Beside them is what looks like it, and was called so once.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH
from helpers.weighing_otherwise import Rows, Way, drawn

_PLACES = torch.arange(7.0)


def added_row_by_row(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights, mixed = (q[0] @ k[0].mT).softmax(-1), torch.zeros_like(v[0])
    for place in range(7):
        mixed = mixed.addr(weights[:, place], v[0, place])
    return mixed


def in_two_lines(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q[0] @ k[0].mT).softmax(-1)
    return F.bilinear(weights, torch.ones(7, 1), v[0].mT[..., None].contiguous())


def kept_as_bytes(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    stored = (q @ k.mT).softmax(-1).to(torch.float8_e4m3fn).view(torch.uint8).clone()
    return stored.view(torch.float8_e4m3fn).float() @ v


def kept_as_whole_numbers(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    stored = (q @ k.mT).softmax(-1).bfloat16().view(torch.int16)
    return torch.cat([stored[:, :3], stored[:, 3:]], 1).view(torch.bfloat16).float() @ v


def a_window_that_goes_on(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.exp(-((q[..., :1].exp().cumsum(1) - _PLACES) ** 2)) @ v


def several_windows(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    bells = torch.exp(-((q[..., :3, None].exp() - _PLACES) ** 2))
    return (k[..., :3, None].exp() * bells).sum(2) @ v


def integrate_and_fire(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    sums = q[..., :1].sigmoid()[..., 0].cumsum(1)
    return F.relu(1 - (sums[:, None] - _PLACES[None, :, None]).abs()) @ v


def by_rank(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).argsort(-1).argsort(-1).float() / 21 @ v


def between_two_rows(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return torch.lerp(x.roll(1, 1), x, (q * k).sum(-1, keepdim=True).sigmoid())


def gated_with_the_row_before(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    gate = (q * k).sum(-1, keepdim=True).sigmoid()
    return gate * x + (1 - gate) * x.roll(1, 1)


def sums_of_gates(x: Tensor, q: Tensor) -> Tensor:
    return (q[..., :1].sigmoid().cumsum(1) * x).sum(1, keepdim=True)


def gates_normed_along_the_text(x: Tensor, q: Tensor) -> Tensor:
    return (F.layer_norm(q[..., 0], (7,))[..., None] * x).sum(1, keepdim=True)


def breaking_a_stick(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    taken = 1 - torch.exp(-F.relu(q.sum(-1, keepdim=True)))
    return (taken * (1 - taken + 1e-10).cumprod(1) * v).sum(1, keepdim=True)


class StateOfBefore(nn.Module):
    """Linear attention, one row a call: what was there before is in a state that the model keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.state = nn.Linear(WIDTH, 3 * WIDTH), torch.zeros(2, WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.layer(x[:, :1]).chunk(3, -1)
        self.state = self.state + k.mT @ v
        return q @ self.state


class WeightsOfBefore(nn.Module):
    """Weights that were worked out once, in an earlier call, and are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = F.relu(drawn(2, 7, 7))

    def forward(self, x: Tensor) -> Tensor:
        return self.weights @ x


_WAYS: tuple[Way, ...] = (
    added_row_by_row, in_two_lines, kept_as_bytes, kept_as_whole_numbers, a_window_that_goes_on, several_windows,
    integrate_and_fire, by_rank, between_two_rows, gated_with_the_row_before, sums_of_gates,
    gates_normed_along_the_text, breaking_a_stick,
)  # fmt: skip
AS_A_NEWCOMER: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
    "a state of before": StateOfBefore,
    "weights of before": WeightsOfBefore,
}


# --- and what is none ---------------------------------------------------------------------------------------------


class Graph(nn.Module):
    """Two layers of a graph convolution, with biases."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, 11), nn.Linear(11, 3)
        edges = (drawn(7, 7) > 0).float() + torch.eye(7)
        self.register_buffer("edges", edges)

    def forward(self, x: Tensor) -> Tensor:
        return self.edges @ self.second(F.relu(self.edges @ self.first(x[0])))  # type: ignore[no-any-return]


class InAList(nn.Module):
    """Layers that stand in a plain list, so that torch does not know them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Linear(WIDTH, 11), nn.Linear(11, 3)]

    def forward(self, x: Tensor) -> Tensor:
        return self.layers[1](F.relu(self.layers[0](x)))  # type: ignore[no-any-return]


class Mixture(nn.Module):
    """The mean of a mixture: several answers of a layer to a row, by shares that another makes of it."""

    def __init__(self) -> None:
        super().__init__()
        self.shares, self.means = nn.Linear(WIDTH, 3), nn.Linear(WIDTH, 6)

    def forward(self, x: Tensor) -> Tensor:
        means = self.means(x).view(2, 7, 3, 2)
        return (self.shares(x).softmax(-1).unsqueeze(-1) * means).sum(-2)  # type: ignore[no-any-return]


def into_fresh_memory(x: Tensor, a: Tensor) -> Tensor:
    place = torch.empty(2, 7, WIDTH)
    with torch.no_grad():
        torch.tanh(a.detach(), out=place)
    return place + x


NONE_AFTER_ALL: dict[str, Callable[[], nn.Module]] = {
    "a graph": Graph,
    "in a list": InAList,
    "a mixture": Mixture,
    "into fresh memory": lambda: Rows(into_fresh_memory),
    "a frozen script": lambda: torch.jit.freeze(
        torch.jit.script(nn.Sequential(nn.Linear(WIDTH, 11), nn.ReLU(), nn.Linear(11, 3)).eval())
    ),
}
