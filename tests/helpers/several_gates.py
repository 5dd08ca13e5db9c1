"""Several numbers that a layer makes of each row: where they add up rows, as attention does, and where they do not."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.weighing_otherwise import Rows, Way


def two_gates(x: Tensor, q: Tensor) -> Tensor:
    return q[..., :2].sigmoid().mT @ x


def all_columns(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return q.sigmoid().mT @ v


def from_the_other_side(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return v.mT @ F.softplus(q)


def by_letters(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("btg,btd->bgd", q.tanh(), v)


def stacked(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("btg,btd->bgd", torch.stack([q[..., 0].sigmoid(), q[..., 1].sigmoid()], -1), v)


def joined(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.cat([q[..., :1].sigmoid(), q[..., 1:2].sigmoid()], -1).mT @ v


def laid_across(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q.sigmoid()[..., None] * v[:, :, None]).mean(1)


class Filters(nn.Module):
    """Maps of a picture, made by filters, say how much of each place is taken, as in a token learner."""

    def __init__(self, way: Callable[[Tensor, Tensor], Tensor], n_maps: int = 3) -> None:
        super().__init__()
        self.way = way
        self.picture, self.maps = nn.Conv2d(1, 4, 1), nn.Conv2d(4, n_maps, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        picture = self.picture(x[:, None])
        return self.way(self.maps(picture).sigmoid(), picture)


_WAYS: tuple[Way, ...] = (
    all_columns, from_the_other_side, by_letters, stacked, joined, laid_across,
)  # fmt: skip
SEVERAL_GATES: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
    "filters, place by place": lambda: Filters(lambda maps, rows: (maps[:, :, None] * rows[:, None]).mean((-1, -2))),
    "filters, in a list": lambda: Filters(
        lambda maps, rows: (maps.flatten(2)[..., None] * rows.flatten(2).mT[:, None]).sum(2)
    ),
    "filters, by letters": lambda: Filters(lambda maps, rows: torch.einsum("bsij,bcij->bsc", maps, rows)),
    "filters, in a product": lambda: Filters(lambda maps, rows: maps.flatten(2) @ rows.flatten(2).mT),
}


# --- and what is none ---------------------------------------------------------------------------------------------


def moments(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return q.mT @ v


def moments_of_bent_rows(x: Tensor, q: Tensor) -> Tensor:
    rows = q.relu()
    return rows.mT @ rows


def turned_pair_by_pair(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    """Rows that are turned by their places, two columns at a time, and how well they fit."""
    angles = torch.arange(7.0)[:, None] * torch.tensor([1.0, 0.5, 0.1, 0.01])

    def turned(rows: Tensor) -> Tensor:
        rows = torch.cat([rows, x], -1)
        ahead, rest = rows[..., :8].unflatten(-1, (4, 2)), rows[..., 8:]
        one, other = ahead.unbind(-1)
        across = torch.stack([-other, one], -1).flatten(-2)
        whole = ahead.flatten(-2) * angles.repeat_interleave(2, -1).cos()
        return torch.cat([whole + across * angles.repeat_interleave(2, -1).sin(), rest], -1)

    return turned(q) @ turned(k).mT


def pooled_to_a_size(x: Tensor, q: Tensor) -> Tensor:
    gate = q[..., :1].sigmoid() * q
    return F.adaptive_avg_pool2d(gate[:, None], (7, 2))


def squeezed_and_excited(x: Tensor, q: Tensor) -> Tensor:
    gates = q.mean(1).relu().sigmoid()
    return (gates[:, :, None] * x.mT).mean(2)


def gates_of_columns(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q.sigmoid() * v).mean(1)


_NONE: tuple[Way, ...] = (
    moments, moments_of_bent_rows, turned_pair_by_pair, squeezed_and_excited, gates_of_columns,
)  # fmt: skip
NO_GATES: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _NONE},  # type: ignore[misc]
    "squeezed filters": lambda: Filters(lambda maps, rows: maps.mean((2, 3)).sigmoid()[..., None, None] * maps),
}
