"""Gated positional attention, as in ConViT: weights by what is read and weights by place, made to add up again."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

HEADS, LENGTH, WIDTH = 3, 7, 5
More = Callable[["ByPlace", Tensor], Tensor]


class ByPlace(nn.Module):
    """Rows, 2 × 7 × 15; what is added to the weights of its three heads is whatever a function says."""

    def __init__(self, more: More, gate: More | None = None, renormal: bool = True) -> None:
        super().__init__()
        torch.manual_seed(7)
        self.more, self.gate_of, self.renormal = more, gate, renormal
        width = HEADS * WIDTH
        self.qk, self.v, self.by_place = nn.Linear(width, 2 * width), nn.Linear(width, width), nn.Linear(3, HEADS)
        self.layer, self.pick = nn.Linear(width, LENGTH), nn.Linear(width, 2)
        self.gate, self.tables = nn.Parameter(torch.randn(HEADS)), nn.Parameter(torch.randn(2, HEADS, LENGTH, LENGTH))
        self.words = nn.Parameter(torch.randn(11, LENGTH))
        self.register_buffer("room", torch.zeros(2, LENGTH, width))
        self.steps: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k = self.qk(x).reshape(batch, length, 2, HEADS, WIDTH).permute(2, 0, 3, 1, 4)
        v = self.v(x).reshape(batch, length, HEADS, WIDTH).transpose(1, 2)
        gate = self.gate.view(1, -1, 1, 1).sigmoid() if self.gate_of is None else self.gate_of(self, x)
        weights = (1.0 - gate) * (q @ k.mT * WIDTH**-0.5).softmax(-1) + gate * self.more(self, x)
        if self.renormal:
            weights /= weights.sum(-1).unsqueeze(-1)
        return (weights @ v).transpose(1, 2).reshape(batch, length, width)


def rows() -> Tensor:
    return torch.randn(2, LENGTH, HEADS * WIDTH, generator=torch.Generator().manual_seed(0))


def from_steps(model: ByPlace, x: Tensor) -> Tensor:
    """A number for each head and pair of places, from how far they are apart; worked out once, and kept."""
    if model.steps is None:
        steps = torch.zeros(1, LENGTH, LENGTH, 3)
        apart = torch.arange(LENGTH, dtype=torch.float32).view(1, -1) - torch.arange(LENGTH).view(-1, 1)
        steps[..., 2], steps[..., 1], steps[..., 0] = apart**2, apart, apart.abs()
        model.steps = steps.to(device=x.device, dtype=x.dtype)
    return model.by_place(model.steps.expand(len(x), -1, -1, -1)).permute(0, 3, 1, 2)  # type: ignore[no-any-return]


def _order(x: Tensor) -> Tensor:
    return x[0, :, 0].argsort()


def _whole(x: Tensor) -> Tensor:
    return (3 * x[0, :, 0].abs()).long().clamp(0, 10)


def _in_place(write: Callable[[Tensor, Tensor], object]) -> More:
    def more(model: ByPlace, x: Tensor) -> Tensor:
        with torch.no_grad():
            write(model.room, x)
        return model.layer(model.room)[:, None]  # type: ignore[no-any-return]

    return more


def _by_a_norm(room: Tensor, x: Tensor) -> None:
    F.batch_norm(x, room[0, :, 0], room[1, :, 0], training=True)


def _by_numpy(room: Tensor, x: Tensor) -> None:
    room.numpy()[:] = x.numpy()


OWN: dict[str, tuple[ByPlace, bool]] = {  # and whether rows are made to add up again
    "from steps": (ByPlace(lambda m, x: from_steps(m, x).softmax(-1)), True),
    "a table": (ByPlace(lambda m, x: m.tables[1].softmax(-1)), True),
    "shares down the columns": (ByPlace(lambda m, x: from_steps(m, x).softmax(-2)), True),
    "shares of heads": (ByPlace(lambda m, x: from_steps(m, x).softmax(1)), True),
    "no shares": (ByPlace(lambda m, x: m.tables[0].abs()), True),
    "rows that do not add up": (ByPlace(lambda m, x: from_steps(m, x).softmax(-2), renormal=False), False),
}

# Numbers that hang on what is read, each by another way.
READ: dict[str, More] = {
    "a layer": lambda m, x: m.layer(x)[:, None],
    "a table for each text": lambda m, x: m.tables[m.pick(x.mean(1)).argmax(-1)],
    "one table of two": lambda m, x: m.tables.index_select(0, m.pick(x.mean((0, 1))).argmax(-1, keepdim=True)),
    "columns in another order": lambda m, x: m.tables[0][:, _order(x)],
    "columns gathered": lambda m, x: m.tables[0].gather(-1, _order(x).expand(HEADS, LENGTH, LENGTH)),
    "words": lambda m, x: F.embedding(x[..., 0].argsort(), m.words)[:, None],
    "hidden": lambda m, x: m.tables[0].masked_fill((x[..., 0] > 0)[:, None, None], -1.0),
    "one of two": lambda m, x: torch.where(x.mean() > 0, m.tables[0], m.tables[1]),
    "if": lambda m, x: m.tables[0] if x.mean() > 0 else m.tables[1],
    "a number of Python": lambda m, x: m.tables[0] * x.mean().item(),
    "full of a number": lambda m, x: m.tables[0] * torch.full((LENGTH, LENGTH), x[0, 0, 0].item()),
    "a table by its number": lambda m, x: m.tables[int(m.pick(x.mean((0, 1))).argmax())],
    "words of Python": lambda m, x: torch.stack([m.words[i] for i in _whole(x).tolist()]),
    "how many": lambda m, x: m.tables[0] * torch.arange(float((x > 0).nonzero().shape[0]))[:LENGTH],
    "spelled": lambda m, x: m.tables[0] * len(f"{x.flatten()[:9]}"),
    "copied": _in_place(lambda room, x: room.copy_(x)),
    "copied in a list": _in_place(lambda room, x: torch._foreach_copy_([room], [x])),
    "put out": _in_place(lambda room, x: torch.mul(x, 2.0, out=room)),
    "by a batch norm": _in_place(_by_a_norm),
    "by numpy": _in_place(_by_numpy),
    "by data": _in_place(lambda room, x: setattr(room, "data", x)),
    "zeros written over": lambda m, x: (torch.zeros(2, LENGTH, LENGTH) * m.layer(x)).add_(m.layer(x))[:, None],
}
