"""Attention without a softmax of products, in the spellings that people use: none of it may be vouched for unseen.

Each is a function of rows and of what linear layers made of them, all B T D, with D as in `hidden_attention`.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from helpers.hidden_attention import WIDTH

Way = Callable[..., Tensor]


class Rows(nn.Module):
    """As many linear layers of the same rows as a function asks for, and that function."""

    def __init__(self, way: Way) -> None:
        super().__init__()
        self.way = way
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH) for _ in range(way.__code__.co_argcount - 1))

    def forward(self, x: Tensor) -> Tensor:
        return self.way(x, *(layer(x) for layer in self.layers))


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


# --- linear attention, and its recurrences ------------------------------------------------------------------------


def linear_with_elu(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    q, k = F.elu(q) + 1, F.elu(k) + 1
    return (q @ (k.mT @ v)) / (q @ k.sum(1)[..., None])


def linear_plain(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q @ (k.mT @ v)


def linear_of_softmaxes(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q.softmax(-1) @ (k.softmax(1).mT @ v)


def linear_and_causal(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    states = torch.einsum("btd,bte->btde", k.relu(), v).cumsum(1)
    norm = torch.einsum("btd,btd->bt", q.relu(), k.relu().cumsum(1))[..., None]
    return torch.einsum("btd,btde->bte", q.relu(), states) / (norm + 1)


def linear_by_sums(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q[..., None] * (k[..., :, None] * v[..., None, :]).cumsum(1)).sum(2)


def linear_step_by_step(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    state, rows = torch.zeros(x.shape[0], WIDTH, WIDTH), []
    for t in range(x.shape[1]):
        state = 0.9 * state + k[:, t, :, None] * v[:, t, None, :]
        rows.append((q[:, t, :, None] * state).sum(1))
    return torch.stack(rows, 1)


def retention(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    places = torch.arange(x.shape[1])
    return ((q @ k.mT) * (0.9 ** (places[:, None] - places)).tril()) @ v


def gated_linear(x: Tensor, q: Tensor, k: Tensor, v: Tensor, gate: Tensor) -> Tensor:
    state, rows = torch.zeros(x.shape[0], WIDTH, WIDTH), []
    fading = torch.exp(F.logsigmoid(gate) / 16)
    for t in range(x.shape[1]):
        state = fading[:, t, :, None] * state + k[:, t, :, None] * v[:, t, None, :]
        rows.append(torch.einsum("bd,bde->be", q[:, t], state))
    return torch.stack(rows, 1)


def delta_rule(x: Tensor, q: Tensor, k: Tensor, v: Tensor, rate: Tensor) -> Tensor:
    state, rows, k = torch.zeros(x.shape[0], WIDTH, WIDTH), [], F.normalize(k, dim=-1)
    for t in range(x.shape[1]):
        old = torch.einsum("bd,bde->be", k[:, t], state)
        state = state + torch.einsum("bd,be->bde", k[:, t], rate[:, t, :1].sigmoid() * (v[:, t] - old))
        rows.append(torch.einsum("bd,bde->be", q[:, t], state))
    return torch.stack(rows, 1)


def matrix_memory(x: Tensor, q: Tensor, k: Tensor, v: Tensor, enter: Tensor, forget: Tensor) -> Tensor:
    state, norm, rows = torch.zeros(x.shape[0], WIDTH, WIDTH), torch.zeros(x.shape[0], WIDTH), []
    enter, forget = enter[..., :1].exp(), forget[..., :1].sigmoid()
    for t in range(x.shape[1]):
        state = forget[:, t, :, None] * state + enter[:, t, :, None] * (v[:, t, :, None] @ k[:, t, None])
        norm = forget[:, t] * norm + enter[:, t] * k[:, t]
        rows.append((state @ q[:, t, :, None])[..., 0] / (norm * q[:, t]).sum(-1, keepdim=True).abs().clamp(min=1))
    return torch.stack(rows, 1)


def random_features(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    matrix = drawn(WIDTH, 8)
    q, k = (torch.exp(each @ matrix - each.square().sum(-1, keepdim=True) / 2) for each in (q, k))
    return (q @ (k.mT @ v)) / (q @ k.sum(1, keepdim=True).mT)


def undivided(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT / x.shape[1]) @ v


# --- powers over their sum, step by step or column by column ------------------------------------------------------


def receptance(x: Tensor, r: Tensor, k: Tensor, v: Tensor) -> Tensor:
    above = below = torch.zeros(x.shape[0], WIDTH)
    rows = []
    for t in range(x.shape[1]):
        power = torch.exp(k[:, t])
        rows.append(torch.sigmoid(r[:, t]) * (above + power * v[:, t]) / (below + power))
        above, below = 0.5 * above + power * v[:, t], 0.5 * below + power
    return torch.stack(rows, 1)


def receptance_with_a_maximum(x: Tensor, r: Tensor, k: Tensor, v: Tensor) -> Tensor:
    above = below = torch.zeros_like(k[:, 0])
    most, rows = torch.zeros_like(above) - 1e38, torch.zeros_like(k)
    for t in range(x.shape[1]):
        top = torch.maximum(most, k[:, t] + 0.1)
        old, new = torch.exp(most - top), torch.exp(k[:, t] + 0.1 - top)
        rows[:, t] = (old * above + new * v[:, t]) / (old * below + new)
        top = torch.maximum(most - 0.3, k[:, t])
        old, new = torch.exp(most - 0.3 - top), torch.exp(k[:, t] - top)
        above, below, most = old * above + new * v[:, t], old * below + new, top
    return rows * r.sigmoid()


def without_attention_by_name(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    bias = torch.exp(drawn(x.shape[1], x.shape[1]))
    return q.sigmoid() * (bias @ (torch.exp(k) * v)) / (bias @ torch.exp(k))


def shares_of_each_column(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q.sigmoid() * (k.softmax(1) * v).sum(1, keepdim=True)


def a_loop_of_powers(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    rows = []
    for t in range(x.shape[1]):
        above = below = torch.zeros(x.shape[0], 1)
        for s in range(t + 1):
            power = torch.exp((q[:, t] * k[:, s]).sum(-1, keepdim=True))
            above, below = above + power * v[:, s], below + power
        rows.append(above / below)
    return torch.stack(rows, 1)


def a_loop_of_softmaxes(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    rows = []
    for t in range(x.shape[1]):
        shares = torch.stack([(q[:, t] * k[:, s]).sum(-1) for s in range(x.shape[1])], -1).softmax(-1)
        rows.append(torch.stack([shares[:, s, None] * v[:, s] for s in range(x.shape[1])]).sum(0))
    return torch.stack(rows, 1)


# --- other shares, and none ---------------------------------------------------------------------------------------


def sparsemax(scores: Tensor) -> Tensor:
    falling = scores.sort(-1, descending=True)[0]
    sums, ranks = falling.cumsum(-1), torch.arange(1, scores.shape[-1] + 1)
    size = (1 + ranks * falling > sums).sum(-1, keepdim=True)
    return (scores - (sums.gather(-1, size - 1) - 1) / size).clamp(min=0)


def additive(q: Tensor, k: Tensor) -> Tensor:
    return torch.tanh(q[:, :, None] + k[:, None]).sum(-1)


def sparsemax_of_additive_scores(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sparsemax(additive(q, k)) @ v


def sparsemax_added_up(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (sparsemax(additive(q, k))[..., None] * v[:, None]).sum(2)


def sparsemax_of_products(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sparsemax(q @ k.mT) @ v


def sparsemax_of_one_question(x: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sparsemax(k.sum(-1))[:, None] @ v


def sigmoid_of_additive_scores(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return additive(q, k).sigmoid() @ v


def sigmoid_added_up(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (additive(q, k).sigmoid()[..., None] * v[:, None]).sum(2)


def sigmoid_over_its_sum(x: Tensor, k: Tensor) -> Tensor:
    gate = k[..., :1].sigmoid()
    return (gate * x).sum(1) / gate.sum(1)


def absolute_over_its_sum(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (q @ k.mT).abs()
    return (weights / weights.sum(-1, keepdim=True)) @ v


def squares_over_their_sum(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.einsum("bid,bjd->bij", q, k).square()
    return torch.einsum("bij,bjd->bid", weights / (weights.sum(-1, keepdim=True) + 1e-6), v)


def bells(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.exp(-(q[:, :, None] - k[:, None]).square().sum(-1)) @ v


def inverse_distances(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (1 / (1 + torch.cdist(q, k))) @ v


def squared_relu(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).relu().square() @ v


# --- known designs ------------------------------------------------------------------------------------------------


def turing_machine(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    shares = (3 * F.cosine_similarity(q[:, :, None], k[:, None], dim=-1)).softmax(-1) ** 2
    return ((shares / shares.sum(-1, keepdim=True))[..., None] * v[:, None]).sum(2)


def memory_network(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    asked = q[:, 0]
    for _ in range(2):
        asked = asked + (v * (k * asked[:, None]).sum(2).softmax(-1)[..., None]).sum(1)
    return asked


def slots(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    shares = (k @ q[:, :3].mT).softmax(-1) + 1e-8
    shares = shares / shares.sum(1, keepdim=True)
    return shares @ (shares.mT @ v)


def capsules(x: Tensor, q: Tensor) -> Tensor:
    votes = q[:, :, None] * drawn(3, WIDTH)
    scores = torch.zeros(votes.shape[:-1])
    for _ in range(2):
        outputs = (scores.softmax(2)[..., None] * votes).sum(1)
        scores = scores + (votes * outputs[:, None]).sum(-1)
    return outputs


def nearest_three(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores, places = (q @ k.mT).topk(3, -1)
    chosen = torch.stack([rows[where] for rows, where in zip(v, places, strict=True)])
    return (scores.softmax(-1)[..., None] * chosen).sum(2)


def graph(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    n = x.shape[1]
    ask, answer = torch.arange(n).repeat_interleave(n), torch.arange(n).repeat(n)
    scores = F.leaky_relu(q[0, ask].sum(-1) + k[0, answer].sum(-1))
    powers = (scores - torch.full((n,), -1e9).scatter_reduce(0, ask, scores, "amax")[ask]).exp()
    shares = powers / torch.zeros(n).scatter_add(0, ask, powers)[ask]
    return torch.zeros(n, WIDTH).index_add(0, ask, shares[:, None] * v[0, answer])


def dense_graph(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.leaky_relu(q.sum(-1)[:, :, None] + k.sum(-1)[:, None]).softmax(-1) @ v


def transport(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    for _ in range(3):
        scores = scores - scores.logsumexp(-1, keepdim=True)
        scores = scores - scores.logsumexp(-2, keepdim=True)
    return scores.exp() @ v


def synthesizer(x: Tensor, q: Tensor, v: Tensor) -> Tensor:
    return (q.relu() @ drawn(WIDTH, x.shape[1])).softmax(-1) @ v


def soft_experts(x: Tensor, v: Tensor) -> Tensor:
    scores = x @ drawn(WIDTH, 4)
    return scores.softmax(2) @ F.gelu(scores.softmax(1).mT @ v)


def pooled_question(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q * torch.einsum("bn,bnd->bd", x.sum(-1).softmax(-1), k)[:, None] + v


def best_of_random_ones(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.gumbel_softmax(q @ k.mT, hard=True) @ v


def largest_kept(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT
    return scores.masked_fill(scores < scores.topk(3, -1)[0][..., -1:], -math.inf).softmax(-1) @ v


def differentiated(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.func.jvp(lambda values: (q @ k.mT).softmax(-1) @ values, (v,), (v,))[0]


# --- one question, or none ----------------------------------------------------------------------------------------


def fits_added_up(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q[:, :1] * k).sum(-1, keepdim=True) * v).sum(1)


def fits_in_a_product(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.bmm((q[:, :1].expand_as(k) * k).sum(2)[:, None].tanh(), v)


class OneForEach(nn.Module):
    """A layer that makes one number of each row, and what is done with these and with other rows."""

    def __init__(self, way: Way, width: int = WIDTH) -> None:
        super().__init__()
        self.way, self.one, self.values = way, nn.Linear(width, 1), nn.Linear(WIDTH, WIDTH)
        self.channel = nn.Conv1d(WIDTH, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.way(self, x, self.values(x))


def _one_for_a_pair(model: OneForEach, x: Tensor, v: Tensor) -> Tensor:
    scores = model.one(torch.cat([x[:, :1].expand_as(x), x, x[:, :1] - x], -1).relu())
    return torch.where(x[..., :1] > 0, scores, torch.zeros_like(scores)).mT @ v


_ONE_FOR_EACH: dict[str, Callable[[], nn.Module]] = {
    "one for a pair": lambda: OneForEach(_one_for_a_pair, 3 * WIDTH),
    "one for a row": lambda: OneForEach(lambda m, x, v: torch.einsum("bt,btd->bd", m.one(x).squeeze(-1).sigmoid(), v)),
    "one channel": lambda: OneForEach(lambda m, x, v: m.channel(x.mT) @ v),
    "one over the length of all": lambda: OneForEach(
        lambda m, x, v: v * (F.normalize(m.one(x), dim=1) * x).sum(1, keepdim=True)
    ),
    "one over the sum of all": lambda: OneForEach(lambda m, x, v: ((w := m.one(x)) * v).sum(1) / w.sum(1)),
    "one over the largest": lambda: OneForEach(lambda m, x, v: ((w := m.one(x)) / w.amax(1, keepdim=True) * v).sum(1)),
}


def one_softmax_for_all_pairs(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).flatten(1).softmax(1).unflatten(1, (7, 7)) @ v


def a_list_of_rows_softmaxed_down(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).view(-1, 7).softmax(0).view(-1, 7, 7) @ v


def a_list_of_rows_for_one_text(x: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).view(-1, 7).softmax(1) @ v[0]


class External(nn.Module):
    """A softmax down the rows, shares along them again, and learned values."""

    def __init__(self) -> None:
        super().__init__()
        self.keys, self.values = nn.Linear(WIDTH, 4, bias=False), nn.Linear(4, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        weights: Tensor = self.keys(x).softmax(1)
        return self.values(weights / weights.sum(2, keepdim=True))  # type: ignore[no-any-return]


class ReAttention(nn.Module):
    """Weights that are normalised once more, as if they were features."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm, self.talk = norm, nn.Conv2d(1, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return (self.norm(self.talk((x @ x.mT).softmax(-1)[:, None]))[:, 0] * 0.5) @ x  # type: ignore[no-any-return]


class Seq2Seq(nn.Module):
    """Weights of a layer, as long as the text, over the states of a recurrent network."""

    def __init__(self) -> None:
        super().__init__()
        self.score, self.read = nn.Linear(2 * WIDTH, 7), nn.GRU(WIDTH, WIDTH, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        states, last = torch.zeros(x.shape[0], 7, WIDTH), None
        for i in range(7):
            states[:, i : i + 1], last = self.read(x[:, i : i + 1], last)
        shares = F.softmax(self.score(torch.cat((x[:, 0], states[:, -1]), 1)), dim=1)
        return torch.bmm(shares[:, None], states)


_WAYS: tuple[Way, ...] = (
    linear_with_elu, linear_plain, linear_of_softmaxes, linear_and_causal, linear_by_sums, linear_step_by_step,
    retention, gated_linear, delta_rule, matrix_memory, random_features, undivided, receptance,
    receptance_with_a_maximum, without_attention_by_name, shares_of_each_column, a_loop_of_powers, a_loop_of_softmaxes,
    sparsemax_of_additive_scores, sparsemax_added_up, sparsemax_of_products, sparsemax_of_one_question,
    sigmoid_of_additive_scores, sigmoid_added_up, sigmoid_over_its_sum, absolute_over_its_sum, squares_over_their_sum,
    bells, inverse_distances, squared_relu, turing_machine, memory_network, slots, capsules, nearest_three, graph,
    dense_graph, transport, synthesizer, soft_experts, pooled_question, best_of_random_ones, largest_kept,
    differentiated, fits_added_up, fits_in_a_product,
    one_softmax_for_all_pairs, a_list_of_rows_softmaxed_down, a_list_of_rows_for_one_text,
)  # fmt: skip

OTHERWISE: dict[str, Callable[[], nn.Module]] = {
    **{way.__name__.replace("_", " "): (lambda way=way: Rows(way)) for way in _WAYS},  # type: ignore[misc]
    **_ONE_FOR_EACH,
    "sequence to sequence": Seq2Seq,
    "external": External,
    "re-attention": lambda: ReAttention(nn.LayerNorm(7)),
    "re-attention by groups": lambda: ReAttention(nn.GroupNorm(1, 1)),
    "re-attention by batches": lambda: ReAttention(nn.BatchNorm2d(1)),
}
