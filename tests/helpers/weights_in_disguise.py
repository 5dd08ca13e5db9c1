"""Attention whose weights leave the usual path: number by number, as whole numbers, as a kernel, through a spectrum.

Each is a function of rows and of what linear layers made of them, as in `weighing_otherwise`.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH
from helpers.weighing_otherwise import OneForEach, Rows, Way


def number_by_number(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    rows = []
    for asked in q[0, :2]:
        powers = [math.exp((asked @ key).item()) for key in k[0]]
        rows.append(sum(power / sum(powers) * row for power, row in zip(powers, v[0], strict=True)))
    return torch.stack(rows)  # type: ignore[arg-type]


def tensor_by_tensor(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    powers = [torch.exp(torch.dot(q[0, 0], key)) for key in k[0]]
    total = torch.stack(powers).sum()
    return sum(power / total * row for power, row in zip(powers, v[0], strict=True))  # type: ignore[return-value]


def bend_by_bend(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sum(torch.dot(q[0, 0], key).sigmoid() * row for key, row in zip(k[0], v[0], strict=True))  # type: ignore[return-value]


def by_autocorrelation(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    spectrum = torch.fft.rfft(q, dim=1) * torch.fft.rfft(k, dim=1).conj()
    best, delays = torch.fft.irfft(spectrum, n=7, dim=1).mean(-1).topk(3, -1)
    shares, mixed = best.softmax(-1), torch.zeros_like(v)
    for i in range(3):
        places = (torch.arange(7) + delays[:, i : i + 1]) % 7
        mixed = mixed + shares[:, i, None, None] * v.gather(1, places[..., None].expand(-1, -1, WIDTH))
    return mixed


def by_complex_scores(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    turned, values = torch.complex(q, k), torch.complex(v, x)
    return torch.view_as_real((turned @ turned.conj().mT).abs().softmax(-1).to(values.dtype) @ values).flatten(2)


def values_as_a_kernel(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (-torch.cdist(q, k)).softmax(-1)
    return F.conv1d(weights[:1].mT, v[0].mT[..., None])


def shares_as_a_kernel(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    kernel = q.mean(1)[:, :3].softmax(-1).repeat_interleave(WIDTH, 0)[:, None]
    return F.conv1d(v.mT.reshape(1, -1, 7), kernel, padding=1, groups=2 * WIDTH)


def step_by_step_towards(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    shares, mixed = (-torch.cdist(q[:, :1], k)).softmax(-1)[:, 0], torch.zeros_like(v[:, 0])
    for t in range(7):
        mixed = torch.lerp(mixed, v[:, t], shares[:, t : t + 1])
    return mixed


def in_whole_numbers(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights, values = ((rows * 127).round().int() for rows in ((-torch.cdist(q, k)).softmax(-1)[0], v[0]))
    return (weights @ values).float() / 127**2


def bent_twice(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.erf(torch.tanh(q @ k.mT)) @ v


def bent_and_smoothed(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.avg_pool1d(torch.atan(q @ k.mT), 3, 1, 1) @ v


def normed_products(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.layer_norm(q @ k.mT, (7,)) @ v


def by_parts_of_spectra(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    def fitted(letters: str, one: Tensor, other: Tensor) -> Tensor:
        real = torch.einsum(letters, one.real, other.real) - torch.einsum(letters, one.imag, other.imag)
        return torch.complex(
            real, torch.einsum(letters, one.real, other.imag) + torch.einsum(letters, one.imag, other.real)
        )

    asking, asked = torch.fft.rfft(q, dim=1), torch.fft.rfft(k, dim=1)
    scores = fitted("bxe,bye->bxy", asking, asked)
    weights = torch.complex(scores.real.tanh(), scores.imag.tanh())
    return torch.fft.irfft(fitted("bxy,bye->bxe", weights, asked), n=7, dim=1)


def joined_pairs(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    pairs = torch.cat([q[:, :, None].expand(-1, -1, 7, -1), k[:, None].expand(-1, 7, -1, -1)], -1)
    return pairs.relu().mean(-1) @ v


def solved(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.linalg.solve(torch.eye(7) + 0.01 * (q @ k.mT), v)


def turned_and_gathered(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q[..., None] * k.mT[:, None]).sum(2).softmax(-1)
    return weights.gather(-1, weights.argsort(-1)) @ v


def shares_that_shares_add_up(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return (q.softmax(1) * k.softmax(-1)).sum(1)


def shares_of_a_layer_in_order(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return F.pad(q, (0, 2)).softmax(-1).sort(-1)[0] @ v


def pooled_and_mixed(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return 0.5 * q @ (k.softmax(1).mT @ v)


def pooled_and_mixed_by_letters(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    pooled = torch.einsum("bdn,ben->bde", k.mT.softmax(-1), v.mT)
    return torch.einsum("bde,bdn->ben", pooled, q.mT)


def pooled_by_a_sum_and_mixed(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q @ (k.softmax(1).mT[..., None] * v[:, None]).sum(2)


def filled_by_a_stranger(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    room = torch.zeros_like(v)
    with torch._C._DisableTorchDispatch():  # as a kernel that is not torch's would
        room.copy_((q @ k.mT).softmax(-1) @ v)
    return room + x


def rows_rolled(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    shares = q[..., :3].softmax(-1)
    return sum(shares[..., i : i + 1] * v.roll(i, 1) for i in range(3))  # type: ignore[return-value]


def rows_turned_round(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    shares = q[..., :2].softmax(-1)
    return shares[..., :1] * v + shares[..., 1:] * v.flip(1)


def rows_chosen_and_laid_together(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    beside = torch.stack([v[:, (torch.arange(7) + i) % 7] for i in range(3)], -1)
    return (q[..., :3].softmax(-1)[:, :, None] * beside).sum(-1)


def between_the_extremes(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    least, most = scores.amin(-1, keepdim=True), scores.amax(-1, keepdim=True)
    return (scores - least) / (most - least) @ v


def by_cosines(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.cosine_similarity(q[:, :, None], k[:, None], dim=-1) @ v


def in_bytes(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k, v = ((rows * 20).round().to(torch.int8).float() / 20 for rows in (q, k, v))
    return torch.erf(q @ k.mT) @ v


def two_by_two_in_a_loop(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    mixed = torch.zeros_like(v)
    for i in range(7):
        for j in range(i + 1):
            mixed[:, i] += (q[:, i] * k[:, j]).sum(-1, keepdim=True) * v[:, j]
    return mixed


class Quantized(nn.Module):
    """Scores and what they weigh are quantized numbers of torch."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        def coarse(rows: Tensor) -> Tensor:
            return torch.quantize_per_tensor(rows, 0.05, 64, torch.quint8)

        q, k, v = (coarse(layer(x)) for layer in self.layers)
        scores = torch.ops.quantized.matmul(q, k.transpose(1, 2).contiguous(), 0.05, 64)
        return torch.ops.quantized.matmul(coarse(scores.dequantize().tanh()), v, 0.05, 64).dequantize()


class GatedPlaces(nn.Module):
    """One number for each place of a picture, after a batch norm; then places are added up in one way or another."""

    def __init__(self, weigh: Callable[[Tensor], Tensor], add_up: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.one, self.norm, self.weigh, self.add_up = nn.Conv2d(WIDTH, 1, 1), nn.BatchNorm2d(1), weigh, add_up

    def forward(self, x: Tensor) -> Tensor:
        picture = x.mT[..., None]
        return self.add_up(self.weigh(self.norm(self.one(picture))) * picture)


def _shares_of_places(scores: Tensor) -> Tensor:
    return scores.flatten(2).softmax(-1).view(scores.shape)


def _halting(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    stop = model.one(x).sigmoid()
    left = torch.cat([torch.ones_like(stop[:, :1]), 1 - stop[:, :-1]], 1).cumprod(1)
    return (stop * left * v).sum(1)


def _added_one_by_one(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    gates, mixed = model.one(x).tanh(), torch.zeros_like(v[:, 0])
    for t in range(7):
        mixed = mixed + gates[:, t] * v[:, t]
    return mixed


def _added_in_one_call(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    gates, mixed = model.one(x).sigmoid(), torch.zeros_like(v[:, 0])
    for t in range(7):
        mixed = torch.addcmul(mixed, gates[:, t], v[:, t])
    return mixed


def _highway(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    gate = model.one(x).sigmoid()
    return gate * v + (1 - gate) * x


def _along_edges(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    ask, answer = torch.arange(7).repeat_interleave(7), torch.arange(7).repeat(7)
    gate = model.one(x[0, ask] - x[0, answer]).sigmoid()
    return torch.zeros_like(v[0]).index_add(0, ask, gate * v[0, answer])


class MixedFrames(nn.Module):
    """Each column has shares of its own of two pictures, the same at every place: filters are several, pictures too."""

    def __init__(self) -> None:
        super().__init__()
        self.filter, self.shares = nn.Conv2d(1, 3, 3, padding=1), nn.Linear(3, 3)

    def forward(self, x: Tensor) -> Tensor:
        frames = torch.stack([self.filter(each[None, None]) for each in x], 1)
        shares = self.shares(frames.mean((-2, -1))).softmax(1)
        return (shares[..., None, None] * frames).sum(1)


_WAYS: tuple[Way, ...] = (
    number_by_number, tensor_by_tensor, bend_by_bend, by_autocorrelation, by_complex_scores, values_as_a_kernel,
    shares_as_a_kernel, step_by_step_towards, in_whole_numbers, filled_by_a_stranger, rows_rolled, rows_turned_round,
    rows_chosen_and_laid_together, between_the_extremes, by_cosines, in_bytes, two_by_two_in_a_loop,
)  # fmt: skip
_HALF_SEEN: tuple[Way, ...] = (
    bent_twice, bent_and_smoothed, normed_products, by_parts_of_spectra, pooled_and_mixed, pooled_and_mixed_by_letters,
    pooled_by_a_sum_and_mixed, joined_pairs, solved, turned_and_gathered, shares_of_a_layer_in_order,
    shares_that_shares_add_up,
)  # fmt: skip
HALF_SEEN = {way.__name__.replace("_", " "): way for way in _HALF_SEEN}  # weights that may not be all that weighs

DISGUISED: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
    "gated and added up": lambda: OneForEach(lambda m, x, v: (m.one(x).sigmoid() * v).sum(1)),
    "halting": lambda: OneForEach(_halting),
    "along edges": lambda: OneForEach(_along_edges),
    "gated and added one by one": lambda: OneForEach(_added_one_by_one),
    "gated and added in one call": lambda: OneForEach(_added_in_one_call),
    "gated and added so far": lambda: OneForEach(lambda m, x, v: (m.one(x).sigmoid() * v).cumsum(1)),
    "gated and added by ones": lambda: OneForEach(lambda m, x, v: torch.ones(1, 7) @ (m.one(x).sigmoid() * v)),
    "gated, turned, added": lambda: OneForEach(lambda m, x, v: (m.one(x).sigmoid() * v).mT @ torch.full((7, 1), 0.1)),
    "quantized": Quantized,
    "mixed frames": MixedFrames,
    "normed shares of places": lambda: GatedPlaces(_shares_of_places, lambda weighed: weighed + 1),
    "normed gates of places": lambda: GatedPlaces(torch.sigmoid, lambda weighed: weighed.sum((2, 3))),
    "normed gates, then pooled": lambda: GatedPlaces(torch.sigmoid, lambda weighed: F.avg_pool2d(weighed, (7, 1))),
}


# --- and what is none, though it looks like it --------------------------------------------------------------------


class ChosenAnswers(nn.Module):
    """Each row's two best answers of four, in the shares of a softmax over these two."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, 4)
        self.experts = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        best, which = self.router(x).topk(2, -1)
        answers = torch.stack([expert(x) for expert in self.experts], 2)
        chosen = answers.gather(2, which[..., None].expand(-1, -1, -1, WIDTH))
        return (best.softmax(-1)[..., None] * chosen).sum(2)


class SelectedFilters(nn.Module):
    """Each column has shares of its own of two filters, the same at every place of a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv2d(2, 3, size, padding=size // 2) for size in (1, 3))
        self.shares = nn.Linear(3, 6)

    def forward(self, x: Tensor) -> Tensor:
        answers = torch.stack([each(x[None]) for each in self.filters], 1)
        shares = self.shares(answers.sum(1).mean((-2, -1))).view(1, 2, 3, 1, 1).softmax(1)
        return (shares * answers).sum(1)


class PartedColumns(nn.Module):
    """Each half of a picture's columns has a filter; shares of the two, the same at every place, add up their answers.

    With one filter for both they may as well be two pictures.
    """

    def __init__(self, n_filters: int = 2) -> None:
        super().__init__()
        filters = [nn.Conv2d(2, 3, 3, padding=1) for _ in range(n_filters)]
        self.wide, self.filters = nn.Conv2d(1, 4, 1), nn.ModuleList(filters[i % n_filters] for i in range(2))
        self.norm, self.shares = nn.BatchNorm2d(3), nn.Linear(3, 6)

    def forward(self, x: Tensor) -> Tensor:
        parts = self.wide(x[:, None]).split(2, 1)
        answers = torch.stack(
            [self.norm(each(part)).relu_() for each, part in zip(self.filters, parts, strict=True)], 1
        )
        shares = self.shares(answers.sum(1).mean((-2, -1))).view(-1, 2, 3, 1, 1).softmax(1)
        return (shares * answers).sum(1)


def _gated_and_normed(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    rows = x.flatten(0, 1)  # the texts one behind the other
    gated = (model.one(rows).sigmoid() * v.flatten(0, 1)).view(x.shape)
    return gated * (gated**2).mean(-1, keepdim=True).rsqrt()


def matched_both_ways(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.mT).softmax(-1) * (q @ k.mT).softmax(-2)


def lengths_along_others(x: Tensor, q: Tensor, k: Tensor) -> Tensor:
    fit = (q * k).sum(-1)
    along = q - fit.unsqueeze(-1) * k  # what of each row does not lie along another
    return (fit.unsqueeze(-1) * k).sum(-1) + (along * along).sum(-1)


UNDISGUISED: dict[str, Callable[[], nn.Module]] = {
    "chosen answers": ChosenAnswers,
    "filters": SelectedFilters,
    "parted columns": PartedColumns,
    "matched both ways": lambda: Rows(matched_both_ways),
    "lengths along others": lambda: Rows(lengths_along_others),
    "gated and normed": lambda: OneForEach(_gated_and_normed),
    "a highway": lambda: OneForEach(_highway),
}
