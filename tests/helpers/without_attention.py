"""Models that look a little like attention and run none: gates, experts, losses, means, states. No alarm for these."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH
from helpers.weighing_otherwise import Rows, Way, drawn

# --- losses and expected values -----------------------------------------------------------------------------------


def entropy(x: Tensor, a: Tensor) -> Tensor:
    shares = a.softmax(-1)
    return -(shares * shares.log()).sum(-1)


def soft_labels(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return -(a.softmax(-1) * b.log_softmax(-1)).sum(-1).mean()


def divergence(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return F.kl_div(a.log_softmax(-1), b.softmax(-1), reduction="batchmean")


def contrastive_loss(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return -((a[:, 0] @ b[:, 0].T) / 0.1).softmax(-1).diag().log().mean()


def two_towers(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    scores = F.normalize(a.mean(1), dim=-1) @ F.normalize(b.mean(1), dim=-1).T
    return F.cross_entropy(10 * scores, torch.arange(x.shape[0]))


def redundancy(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (a.flatten(0, 1).T @ b.flatten(0, 1) / 14 - torch.eye(WIDTH)).square().sum()


def overlap(x: Tensor, a: Tensor) -> Tensor:
    shares, target = a.sigmoid(), (x > 0).float()
    return 1 - 2 * (shares * target).sum() / (shares.sum() + target.sum())


def expected_rank(x: Tensor, a: Tensor) -> Tensor:
    return (a.softmax(-1) * torch.arange(WIDTH)).sum(-1)


def distribution_of_returns(x: Tensor, a: Tensor) -> Tensor:
    return a.softmax(-1) @ torch.linspace(-1, 1, WIDTH)


def mixture_density(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (a.softmax(-1) * b).sum(-1)


def actor_and_critic(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (a.softmax(-1) * (b - a.log_softmax(-1))).sum(-1, keepdim=True)


def focal(x: Tensor, a: Tensor) -> Tensor:
    likely = x.log_softmax(-1).gather(-1, torch.zeros(2, 7, 1, dtype=torch.long)).flatten()
    return (-((1 - likely.exp()) ** 2) * likely).sum()


def entropy_down_the_rows(x: Tensor, a: Tensor) -> Tensor:
    return (x.softmax(1) * x.log_softmax(1)).sum(1)


def teacher_and_student(x: Tensor, a: Tensor) -> Tensor:
    whole = F.kl_div(x.flip(1).log_softmax(1), x.softmax(1), reduction="sum")
    return whole + (-x.softmax(2).chunk(2)[0] * x.log_softmax(2).chunk(2)[1]).sum(-1).mean()


def expected_number(x: Tensor, a: Tensor) -> Tensor:
    return torch.mm(a[:, 0].softmax(1), torch.arange(float(WIDTH))[:, None])


# --- gates, means, products ---------------------------------------------------------------------------------------


def squeeze_and_excite(x: Tensor, a: Tensor) -> Tensor:
    return a * a.mean(1, keepdim=True).sigmoid()


def shares_as_a_gate(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return (a.abs() / a.abs().sum(-1, keepdim=True)) * b


def written_row_by_row(x: Tensor, a: Tensor) -> Tensor:
    rows = torch.empty_like(a)
    for length in (torch.arange(0, 7, 2), torch.arange(1, 7, 2)):
        rows[:, length] = a[:, length].relu()
    return rows


def gated_and_averaged(x: Tensor, a: Tensor) -> Tensor:
    rows = x * a[..., :1].sigmoid()
    return (rows - rows.mean(-1, keepdim=True)) / (rows.var(-1, keepdim=True) + 1).sqrt()


def sigmoid_by_powers(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return b * a.exp() / (1 + a.exp())


def mean_of_those_there(x: Tensor, a: Tensor) -> Tensor:
    there = (torch.arange(7) < torch.tensor([5, 7])[:, None]).float()
    return torch.bmm((there / there.sum(1, keepdim=True))[:, None], a)


def counted_places(x: Tensor, a: Tensor) -> Tensor:
    return a + (torch.ones(7, dtype=torch.bool).cumsum(0, dtype=torch.float32) / 7)[:, None]


def largest_row(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return F.one_hot((a @ b.mT).argmax(-1), x.shape[1]).float() @ x


def codebook(x: Tensor, a: Tensor) -> Tensor:
    codes = drawn(11, WIDTH)
    return a + (F.one_hot(torch.cdist(a, codes).argmin(-1), 11).float() @ codes - a).detach()


def second_moments(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    moments = (a.mT @ b).flatten(1)
    return F.normalize(moments.sign() * moments.abs().sqrt(), dim=-1)


def interactions(x: Tensor, a: Tensor) -> Tensor:
    return torch.cat([a.mean(1), torch.bmm(a, a.mT).flatten(1)], 1)


def drawn_around_a_mean(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return a + torch.exp(0.5 * b) * torch.randn_like(a)


def fourier(x: Tensor, a: Tensor) -> Tensor:
    return torch.fft.fft2(a).real


def neighbours(x: Tensor, a: Tensor) -> Tensor:
    near = torch.ones(7, 7).tril(1).triu(-1)
    degree = near.sum(-1).rsqrt()
    near = degree[:, None] * near * degree
    return near @ (near @ a).relu()


def drawn_by_powers(x: Tensor, a: Tensor) -> Tensor:
    return F.gumbel_softmax(a, hard=True)


_WAYS: tuple[Way, ...] = (
    entropy, soft_labels, divergence, contrastive_loss, two_towers, redundancy, overlap, expected_rank,
    distribution_of_returns, mixture_density, actor_and_critic, squeeze_and_excite, shares_as_a_gate,
    sigmoid_by_powers, mean_of_those_there, counted_places, largest_row, codebook, second_moments, interactions,
    drawn_around_a_mean, fourier, neighbours, focal, entropy_down_the_rows, teacher_and_student, expected_number,
    drawn_by_powers, gated_and_averaged, written_row_by_row,
)  # fmt: skip


# --- experts ------------------------------------------------------------------------------------------------------


class Mixture(nn.Module):
    """The answers of four experts to each row, all of them or two, added up in the shares of a softmax."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.router, self.last = how, nn.Linear(WIDTH, 4), nn.Linear(WIDTH, WIDTH)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(WIDTH, 6), nn.ReLU(), nn.Linear(6, WIDTH)) for _ in "four")
        self.stack = nn.Parameter(drawn(4, WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        shares = self.router(x).softmax(-1)
        return self.last(getattr(self, self.how)(x, shares))

    def one_by_one(self, x: Tensor, shares: Tensor) -> Tensor:
        total = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            total = total + shares[..., i : i + 1] * expert(x)
        return total

    def added_up(self, x: Tensor, shares: Tensor) -> Tensor:
        return (torch.stack([expert(x) for expert in self.experts], -1) * shares[..., None, :]).sum(-1)

    def in_a_product(self, x: Tensor, shares: Tensor) -> Tensor:
        return (shares[..., None, :] @ torch.stack([expert(x) for expert in self.experts], -2)).squeeze(-2)

    def in_one_matrix(self, x: Tensor, shares: Tensor) -> Tensor:
        return torch.einsum("bte,bted->btd", shares, torch.einsum("btd,edf->btef", x, self.stack).relu())

    def two_of_them(self, x: Tensor, shares: Tensor) -> Tensor:
        shares, chosen = shares.topk(2, -1)
        answers = torch.stack([expert(x) for expert in self.experts], 2)
        return (answers.gather(2, chosen[..., None].expand(-1, -1, -1, WIDTH)) * shares[..., None]).sum(2)

    def two_and_then_shares(self, x: Tensor, shares: Tensor) -> Tensor:
        scores, chosen = self.router(x).topk(2, -1)
        total = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            total = total + expert(x) * (scores.softmax(-1) * (chosen == i)).sum(-1, keepdim=True)
        return total

    def sent_and_fetched(self, x: Tensor, shares: Tensor) -> Tensor:
        rows, flat = x.flatten(0, 1), shares.flatten(0, 1)
        mine = F.one_hot(flat.argmax(-1), 4)
        place = F.one_hot(((mine.cumsum(0) - 1) * mine).sum(-1).clamp(max=7), 8)
        sent = (mine[..., None] * place[:, None]).float()
        given = torch.einsum("sec,sm->ecm", sent, rows)
        answers = torch.stack([expert(given[i]) for i, expert in enumerate(self.experts)])
        return torch.einsum("sec,ecm->sm", sent * flat[..., None], answers).view_as(x)


# --- states -------------------------------------------------------------------------------------------------------


class Selective(nn.Module):
    """A state-space layer whose step depends on the row, as in Mamba."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.norm, self.step = how, nn.RMSNorm(WIDTH), nn.Linear(WIDTH, WIDTH)
        self.enter, self.leave, self.rate = nn.Linear(WIDTH, 3), nn.Linear(WIDTH, 3), nn.Parameter(drawn(WIDTH, 3))

    def forward(self, x: Tensor) -> Tensor:
        step, enter, leave, rate = F.softplus(self.step(x)), self.enter(x), self.leave(x), -self.rate.exp()
        if self.how == "in matrices":
            step = step[..., :1]
            sums = (step * rate[0, 0]).cumsum(1)
            return self.norm(((leave @ enter.mT) * torch.exp(sums - sums.mT).tril()) @ (x * step))
        if self.how == "at once":
            sums = 0.1 * (step[..., None] * rate).cumsum(1)
            states = ((step * x)[..., None] * enter[:, :, None] * torch.exp(-sums)).cumsum(1) * sums.exp()
            return self.norm((states * leave[:, :, None]).sum(-1))
        fading = torch.exp(torch.einsum("bld,dn->bldn", step, rate))
        entering = torch.einsum("bld,bln,bld->bldn", step, enter, x)
        state, rows = torch.zeros(x.shape[0], WIDTH, 3), []
        for t in range(x.shape[1]):
            state = fading[:, t] * state + entering[:, t]
            rows.append((state @ leave[:, t, :, None])[..., 0])
        return self.norm(torch.stack(rows, 1))


class GatedCells(nn.Module):
    """An LSTM by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.read, self.remember = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 4 * WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        hidden = cell = torch.zeros(x.shape[0], WIDTH)
        for t in range(x.shape[1]):
            enter, forget, new, leave = (self.read(x[:, t]) + self.remember(hidden)).chunk(4, -1)
            cell = forget.sigmoid() * cell + enter.sigmoid() * new.tanh()
            hidden = leave.sigmoid() * cell.tanh()
        return hidden


class LongFilter(nn.Module):
    """A gated convolution as long as the text, by Fourier's way."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.filter = nn.Parameter(drawn(WIDTH, 7))

    def forward(self, x: Tensor) -> Tensor:
        gated = torch.fft.rfft((self.k(x) * self.v(x)).mT, 14)
        return self.q(x) * torch.fft.irfft(torch.fft.rfft(self.filter, 14) * gated, 14)[..., :7].mT


class TurnedPoints(nn.Module):
    """A matrix for each cloud of points, made of the points, turns every one of them; twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(WIDTH, WIDTH**2), nn.Linear(WIDTH, WIDTH**2)
        self.middle, self.last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        turned = torch.bmm(x, self.first(x.amax(1)).view(-1, WIDTH, WIDTH) + torch.eye(WIDTH))
        rows = self.middle(turned).relu()
        return self.last(torch.bmm(rows, self.second(rows.amax(1)).view(-1, WIDTH, WIDTH)))


class ChosenNorms(nn.Module):
    """Several means of the same rows in shares that the model has learned, whatever it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.shares = nn.Parameter(drawn(3))

    def forward(self, x: Tensor) -> Tensor:
        shares = self.shares.softmax(0)
        return x - (shares[0] * x.mean(-1, keepdim=True) + shares[1] * x.mean(1, keepdim=True) + shares[2] * x.mean())


class Graph(nn.Module):
    """Rows added up along a graph that was handed in, bent, and a layer after it."""

    def __init__(self, normalised: bool) -> None:
        super().__init__()
        self.normalised, self.first, self.second = normalised, nn.Linear(WIDTH, WIDTH), nn.Parameter(drawn(WIDTH, 3))

    def forward(self, x: Tensor) -> Tensor:
        rows = torch.mm(x[1, :WIDTH], self.first(x[0, :WIDTH])).relu()
        return torch.mm(rows, F.normalize(self.second) if self.normalised else self.second)


class Streams(nn.Module):
    """Four streams of each row, mixed by numbers made of the row itself; twice."""

    def __init__(self) -> None:
        super().__init__()
        self.router, self.mixing, self.mending = nn.Linear(WIDTH, 4), nn.Linear(4, 16), nn.Linear(4, 4)
        self.layer, self.norm = nn.Linear(WIDTH, WIDTH), nn.RMSNorm(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        streams = torch.stack([x, 2 * x, 3 * x, x + 1])
        for _ in range(2):
            matrix = self.mixing(self.router(self.norm(streams[0])).tanh()).unflatten(-1, (4, 4)).mT
            guess = (streams.permute(1, 2, 3, 0) @ matrix).permute(3, 0, 1, 2) + streams
            active = self.layer(self.norm(guess[0])).relu() + guess[0]
            shares = (self.mending(self.router(self.norm(active)).tanh()) + 1).permute(2, 0, 1)[..., None]
            streams = (active - guess[0]).repeat(4, 1, 1, 1) * shares + guess
        return streams.mean(0)


WITHOUT: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
    **{
        f"experts {how.replace('_', ' ')}": (lambda how=how: Mixture(how))  # type: ignore[misc]
        for how in (
            "one_by_one", "added_up", "in_a_product", "in_one_matrix", "two_of_them", "two_and_then_shares",
            "sent_and_fetched",
        )
    },
    **{f"state space {how}": (lambda how=how: Selective(how)) for how in ("in matrices", "at once", "by steps")},  # type: ignore[misc]
    "gated cells": GatedCells,
    "long filter": LongFilter,
    "turned points": TurnedPoints,
    "streams": Streams,
    "chosen norms": ChosenNorms,
    "graph": lambda: Graph(normalised=False),
    "graph, normalised": lambda: Graph(normalised=True),
}  # fmt: skip
