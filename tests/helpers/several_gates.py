"""Numbers that layers make of rows and that add up rows, as attention does, in more spellings; and some that do not."""

import functools
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH
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


# --- weights in a loop, along edges and in kernels that are seldom used -------------------------------------------


def fits_added_one_by_one(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    gates = torch.sigmoid((q[:, :1] * k).sum(-1))
    return functools.reduce(torch.add, [gates[:, i, None] * v[:, i] for i in range(7)])


def one_column_after_another(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    gates = (q @ k.mT).sigmoid()
    return torch.stack([(gates * column[:, None]).sum(-1) for column in v.unbind(-1)], -1)


def counted_with_weights(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    gates, places = (q[0] @ k[0].mT).sigmoid().detach(), torch.arange(7).repeat_interleave(7)
    return torch.stack([torch.bincount(places, weights=(gates * column).flatten()) for column in v[0].detach().mT], -1)


def counted_with_shares(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    shares, places = (q[0] @ k[0].mT).softmax(-1).detach(), torch.arange(7).repeat_interleave(7)
    return torch.stack([torch.bincount(places, weights=(shares * column).flatten()) for column in v[0].detach().mT], -1)


def gated_edges(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    ends = torch.arange(7).repeat(2)
    starts = (ends + torch.tensor([1, 2]).repeat_interleave(7)) % 7
    gates = (q[:, ends] + k[:, starts]).sigmoid()
    sums = torch.zeros_like(v).index_add(1, ends, gates)
    return torch.zeros_like(v).index_add(1, ends, gates * v[:, starts]) / (sums + 1e-6)


def neighbours_by_shares(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    shares = q[..., :3].softmax(-1).mT[:, None]
    return (shares * F.unfold(v.mT[:, :, None], (1, 3), padding=(0, 1)).view(2, WIDTH, 3, 7)).sum(2)


def a_scan_of_powers(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q[:, :1] * k).sum(-1)
    top, whole, mixed = scores[:, 0], torch.ones(2), v[:, 0]
    for step in range(1, 7):
        new = torch.maximum(top, scores[:, step])
        whole = whole * (top - new).exp() + (scores[:, step] - new).exp()
        mixed = mixed * (top - new).exp()[:, None] + v[:, step] * (scores[:, step] - new).exp()[:, None]
        top = new
    return mixed / whole[:, None]


def one_number_spread_out(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q[..., :1].sigmoid().expand_as(v) * v).sum(1)


def one_number_repeated(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q[..., :1].tanh().repeat(1, 1, WIDTH) * v).mean(1)


def one_number_again_and_again(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return torch.addcmul(x, q[..., :1].repeat_interleave(WIDTH, -1), v).sum(1)


def fits_spread_out(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    fits = (q[:, -1:].expand_as(k) * k).sum(-1)
    return (fits.unsqueeze(2).expand_as(v) * v).sum(1)


_WAYS: tuple[Way, ...] = (
    two_gates, all_columns, from_the_other_side, by_letters, stacked, joined, laid_across, fits_added_one_by_one,
    one_column_after_another, counted_with_weights, counted_with_shares, gated_edges, neighbours_by_shares,
    a_scan_of_powers, one_number_spread_out, one_number_repeated, one_number_again_and_again, fits_spread_out,
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


def spread_out_and_not_added_up(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return q[..., :1].sigmoid().expand_as(v) * v


def spread_out_elsewhere(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    number = q[..., :1]
    return number.expand_as(v) * v + (number * x[..., :1]).sum(1, keepdim=True)


_NONE: tuple[Way, ...] = (
    moments, moments_of_bent_rows, turned_pair_by_pair, squeezed_and_excited, gates_of_columns,
    spread_out_and_not_added_up, spread_out_elsewhere,
)  # fmt: skip
NO_GATES: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _NONE},  # type: ignore[misc]
    "squeezed filters": lambda: Filters(lambda maps, rows: maps.mean((2, 3)).sigmoid()[..., None, None] * maps),
}
