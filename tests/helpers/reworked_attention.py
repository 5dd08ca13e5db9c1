"""Attentions that strangers write otherwise than by a plain softmax of products, each with the stages it shows."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FUTURE = torch.ones(5, 7, dtype=torch.bool).triu(3)


class Otherwise(nn.Module):
    """A function of queries, keys and values, 2 3 5 3, 2 3 7 3 and 2 3 7 4, that may use learned matrices."""

    def __init__(self, function: Callable[..., Tensor]) -> None:
        super().__init__()
        torch.manual_seed(5)
        self.function = function
        self.talk, self.talk_more, self.over_heads = nn.Conv2d(3, 3, 1), nn.Conv2d(3, 3, 1), nn.Linear(3, 3)
        self.matrix, self.asking = nn.Parameter(torch.randn(3, 3)), nn.Parameter(torch.randn(2, 3))
        self.one, self.four, self.narrow = nn.Linear(3, 1), nn.Linear(3, 4), nn.Conv1d(3, 1, 1)
        self.norm = nn.BatchNorm2d(3).eval()
        self.norm.running_mean, self.norm.running_var = torch.tensor([0.1, -0.2, 0.3]), torch.tensor([0.5, 2.0, 1.0])
        self.places, self.gate = nn.Parameter(torch.randn(3, 5, 7)), nn.Parameter(torch.randn(3, 1, 1))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return self.function(self, q, k, v)  # type: ignore[no-any-return]


def talkative(model: Otherwise, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Heads talk before and after; then a gate, and rows that add up again."""
    weights = model.talk(0.5 * (q @ k.mT)).masked_fill(FUTURE, -math.inf).softmax(-1)
    weights = model.talk_more(weights) * torch.sigmoid(q.sum(-1, keepdim=True))
    return weights / (weights.sum(-1, keepdim=True) + 1e-3) @ v


def by_place_too(model: Otherwise, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Weights by what was read and weights by place, as much of either as a gate of each head says."""
    gate = model.gate.sigmoid()
    weights = (1.0 - gate) * (q @ k.mT).softmax(-1) + gate * model.places.softmax(-1)
    weights /= weights.sum(-1).unsqueeze(-1)
    return weights @ v


def _last(tensor: Tensor) -> Tensor:
    return tensor.permute(0, 2, 3, 1)


def _back(tensor: Tensor) -> Tensor:
    return tensor.permute(0, 3, 1, 2)


def _over_sum(weights: Tensor, more: float = 0.0) -> Tensor:
    return weights / (weights.sum(-1, keepdim=True) + more)


def _two_lots(q: Tensor, k: Tensor) -> Tensor:
    first = (0.5 * (q @ k.mT)).masked_fill(FUTURE, -math.inf)
    return torch.cat([first, 0.5 * (q @ (k[:, :, :2] + 1).mT)], -1).softmax(-1)


# The name of the weigher, the stages beside the usual ones, and how it is written.
SPELLINGS: dict[str, tuple[str, set[str], Callable[..., Tensor]]] = {
    "relu over n": ("relu", {"reweighted"}, lambda m, q, k, v: F.relu(q @ k.mT / 3**0.5) / 7 @ v),
    "relu by clamp": ("relu", set(), lambda m, q, k, v: (q @ k.mT).clamp(min=0) @ v),
    "relu, hidden after": ("relu", {"masked"}, lambda m, q, k, v: F.relu(q @ k.mT).masked_fill(FUTURE, 0) @ v),
    "relu squared": ("squared relu", set(), lambda m, q, k, v: F.relu(q @ k.mT) ** 2 @ v),
    "relu over its sum": ("relu", {"renormalised"}, lambda m, q, k, v: _over_sum(F.relu(q @ k.mT), 1e-6) @ v),
    "relu, then softmax": (
        "softmax", {"masked"},
        lambda m, q, k, v: (F.relu(q @ k.mT) / 2).masked_fill(FUTURE, -1e9).softmax(-1) @ v,
    ),
    "silu": ("silu", {"reweighted"}, lambda m, q, k, v: F.silu(q @ k.mT) / 7 @ v),
    "gelu": ("gelu", set(), lambda m, q, k, v: F.gelu(q @ k.mT) @ v),
    "leaky": ("softmax", set(), lambda m, q, k, v: F.leaky_relu(q @ k.mT, 0.2).softmax(-1) @ v),
    "tempered": ("softmax", {"rescaled"}, lambda m, q, k, v: ((q @ k.mT) * m.gate).softmax(-1) @ v),
    "gated": (
        "softmax", {"reweighted"},
        lambda m, q, k, v: ((q @ k.mT).softmax(-1) * torch.sigmoid(q.sum(-1, keepdim=True))) @ v,
    ),
    "with signs": (
        "softmax", {"reweighted"},
        lambda m, q, k, v: ((q @ k.mT).abs().softmax(-1) * (q @ k.mT).sign()) @ v,
    ),
    "cut and renormalised": (
        "softmax", {"reweighted", "renormalised"},
        lambda m, q, k, v: _over_sum((q @ k.mT).softmax(-1).masked_fill(FUTURE, 0)) @ v,
    ),
    "by normalize": (
        "softmax", {"reweighted", "renormalised"},
        lambda m, q, k, v: F.normalize((q @ k.mT).softmax(-1) * (~FUTURE).float(), p=1, dim=-1) @ v,
    ),
    "slots": (
        "softmax over queries", {"joined_weights", "renormalised"},
        lambda m, q, k, v: _over_sum((0.5 * (q @ k.mT)).softmax(-2) + 1e-3) @ v,
    ),
    "slots, keys first": (
        "softmax over queries", {"renormalised"},
        lambda m, q, k, v: ((w := (k @ q.mT).softmax(-1)) / (w.sum(-2, keepdim=True) + 1e-6)).mT @ v,
    ),
    "slots by normalize": (
        "softmax over queries", {"renormalised"}, lambda m, q, k, v: F.normalize((q @ k.mT).softmax(2), p=1, dim=3) @ v
    ),
    "powers after their logarithm": (
        "softmax", set(), lambda m, q, k, v: ((w := q @ k.mT) - w.logsumexp(-1, keepdim=True)).exp() @ v
    ),
    "a little more": ("softmax", {"joined_weights"}, lambda m, q, k, v: ((q @ k.mT).softmax(-1) + 1e-3) @ v),
    "powers, hidden": ("softmax", {"masked"}, lambda m, q, k, v: _over_sum((q @ k.mT).exp() * (~FUTURE).float()) @ v),
    "powers over more": ("softmax", {"reweighted"}, lambda m, q, k, v: _over_sum((q @ k.mT).exp(), 0.5) @ v),
    "powers times": (
        "softmax", set(), lambda m, q, k, v: ((w := (q @ k.mT).exp()) * (1 / w.sum(-1, keepdim=True))) @ v
    ),
    "talking, by convolution": (
        "softmax", {"talked_scores", "masked"},
        lambda m, q, k, v: m.talk(0.5 * (q @ k.mT)).masked_fill(FUTURE, -math.inf).softmax(-1) @ v,
    ),
    "talking, by layers": (
        "softmax", {"talked_scores", "talked_weights"},
        lambda m, q, k, v: _back(m.over_heads(_last(_back(m.over_heads(_last(q @ k.mT))).softmax(-1)))) @ v,
    ),
    "talking, by einsum": (
        "softmax", {"talked_weights"},
        lambda m, q, k, v: torch.einsum("bhij,hg->bgij", (q @ k.mT).softmax(-1), m.matrix) @ v,
    ),
    "talkative": ("softmax", {"talked_scores", "masked", "talked_weights", "reweighted", "renormalised"}, talkative),
    "by place too": ("softmax", {"reweighted", "joined_weights", "renormalised"}, by_place_too),
    "talking and batch norm": (
        "softmax", {"talked_weights", "reweighted"}, lambda m, q, k, v: 0.5 * m.norm(m.talk((q @ k.mT).softmax(-1))) @ v
    ),
    "where, by a tensor": (
        "softmax", {"masked"},
        lambda m, q, k, v: torch.where(FUTURE, torch.full((5, 7), -9e15), q @ k.mT).softmax(-1) @ v,
    ),
    "by keywords": (
        "softmax", set(), lambda m, q, k, v: torch.softmax(input=torch.matmul(input=q, other=k.mT), dim=-1) @ v
    ),
    "distances": ("softmax", set(), lambda m, q, k, v: (-torch.cdist(q, k)).softmax(-1) @ v),
    "squared distances": ("softmax", set(), lambda m, q, k, v: (-(torch.cdist(q, k) ** 2) * 0.3).softmax(-1) @ v),
    "a sink in front": (
        "quiet softmax", {"biased"},
        lambda m, q, k, v: torch.cat([q[..., :1], q @ k.mT], -1).softmax(-1)[..., 1:] @ v,
    ),
    "two lots of keys": (
        "softmax", {"masked"}, lambda m, q, k, v: (w := _two_lots(q, k))[..., :7] @ v + w[..., 7:] @ v[:, :, 3:5]
    ),
    "two lots, split": (
        "softmax", {"masked"},
        lambda m, q, k, v: (w := _two_lots(q, k).split([7, 2], -1))[0] @ v + w[1] @ v[:, :, 3:5],
    ),
    "product and sum": (
        "softmax", set(), lambda m, q, k, v: ((q @ k.mT).softmax(-1).unsqueeze(-1) * v.unsqueeze(2)).sum(-2)
    ),
    "rows in one list": (
        "softmax", set(), lambda m, q, k, v: (q @ k.mT).view(-1, 7).softmax(1).view(2, 3, -1, 7) @ v
    ),
    # a matrix of the model asks
    "pooled, rows in one list": (
        "softmax", set(),
        lambda m, q, k, v: torch.bmm(m.one(k[:, 0].reshape(-1, 3).tanh()).view(-1, 7).softmax(1).unsqueeze(1), v[:, 0]),
    ),
    "pooled, a picture": (
        "softmax", set(),
        lambda m, q, k, v: torch.einsum("bsn,bdn->bsd", m.talk(k).flatten(2).softmax(-1), v[..., :3].flatten(2)),
    ),
    "pooled": ("softmax", set(), lambda m, q, k, v: (m.one(k[:, 0]).softmax(1) * v[:, 0]).sum(1)),
    "pooled, hidden": (
        "softmax", {"masked"},
        lambda m, q, k, v: (
            m.one(k[:, 0].tanh()).squeeze(2).masked_fill(FUTURE[:2], -1e9).softmax(1).unsqueeze(2) * v[:, 0]
        ).sum(dim=1),
    ),
    "pooled by bmm": ("softmax", set(), lambda m, q, k, v: torch.bmm(m.one(k[:, 0]).softmax(1).mT, v[:, 0])),
    "pooled by einsum": (
        "softmax", set(), lambda m, q, k, v: torch.einsum("bt,btd->bd", m.one(k[:, 0]).squeeze(-1).softmax(-1), v[:, 0])
    ),
    "pooled by convolution": (
        "softmax", set(), lambda m, q, k, v: (m.narrow(k[:, 0].mT).softmax(-1) * v[:, 0].mT).sum(-1)
    ),
    "several questions": (
        "softmax", set(), lambda m, q, k, v: torch.einsum("bth,btd->bhd", m.four(k[:, 0]).softmax(1), v[:, 0])
    ),
    "learned questions": ("softmax", set(), lambda m, q, k, v: (m.asking @ k[:, 0].mT).softmax(-1) @ v[:, 0]),
    "one vector asks": (
        "softmax", set(), lambda m, q, k, v: ((k[:, 0] @ m.asking[0]).softmax(1).unsqueeze(-1) * v[:, 0]).sum(1)
    ),
    "additive": (
        "softmax", set(),
        lambda m, q, k, v: m.one((q[:, 0, :, None] + k[:, 0, None]).tanh()).squeeze(-1).softmax(-1) @ v[:, 0],
    ),
}  # fmt: skip
