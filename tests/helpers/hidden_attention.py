"""Models in which an attention may run unseen beside one that is seen, and models that run none: what must be told."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Hidden = Callable[[Tensor], Tensor]  # rows B T D in, rows B T D out
WIDTH = 5


class Beside(nn.Module):
    """An attention that anybody can see, and beside it another one."""

    def __init__(self, hidden: Hidden | nn.Module) -> None:
        super().__init__()
        self.open = nn.Linear(WIDTH, WIDTH)
        self.hidden = hidden

    def forward(self, x: Tensor) -> Tensor:
        q = self.open(x)
        return F.scaled_dot_product_attention(q, x, x) + self.hidden(x)


class ByHand(nn.Module):
    """To be compiled or scripted."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.matmul(torch.softmax(torch.matmul(x, x.transpose(-2, -1)), dim=-1), x)


class Additive(nn.Module):
    """Bahdanau's scores: a small network of query and key."""

    def __init__(self, summed: bool = False) -> None:
        super().__init__()
        self.q, self.k, self.v = nn.Linear(WIDTH, 7), nn.Linear(WIDTH, 7), nn.Linear(7, 1)
        self.summed = summed

    def forward(self, x: Tensor) -> Tensor:
        scores = self.v(torch.tanh(self.q(x)[:, :, None] + self.k(x)[:, None])).squeeze(-1)
        weights = scores.softmax(-1)
        return (weights[..., None] * x[:, None]).sum(2) if self.summed else weights @ x


class Memory(nn.Module):
    """Keys that are learned; the values too, unless they are the rows."""

    def __init__(self, values: bool) -> None:
        super().__init__()
        self.keys = nn.Linear(WIDTH, 11)
        self.values = nn.Linear(11, WIDTH) if values else None

    def forward(self, x: Tensor) -> Tensor:
        weights = self.keys(x).softmax(-1 if self.values is not None else 1)
        return self.values(weights) if self.values is not None else weights @ (weights.mT @ x)


class Pooling(nn.Module):
    """One learned question to all rows."""

    def __init__(self) -> None:
        super().__init__()
        self.score = nn.Linear(WIDTH, 1)

    def forward(self, x: Tensor) -> Tensor:
        return (self.score(x).softmax(1) * x).sum(1, keepdim=True).expand_as(x)


class OwnFunction(torch.autograd.Function):
    """A function with a gradient of its own."""

    @staticmethod
    def forward(ctx: object, x: Tensor) -> Tensor:  # type: ignore[override]
        with torch._C.DisableTorchFunction():
            return (x @ x.mT).softmax(-1) @ x


@torch.library.custom_op("hidden_attention::attend", mutates_args=())
def attend(q: Tensor, k: Tensor) -> Tensor:
    """An operation of another library."""
    return (q @ k.mT).softmax(-1) @ k


def straight_to_aten(x: Tensor) -> Tensor:
    """Past torch's functions."""
    weights = torch.ops.aten._softmax.default(torch.ops.aten.bmm.default(x, x.mT), -1, False)
    return torch.ops.aten.bmm.default(torch.ops.aten.cos.default(weights).acos(), x)


def behind_a_curtain(x: Tensor) -> Tensor:
    """Where no function is overridden."""
    with torch._C.DisableTorchFunctionSubclass(), torch._C.DisableTorchFunction():
        return (x @ x.mT).softmax(-1) @ x


def kernel_behind_a_curtain(x: Tensor) -> Tensor:
    """torch's own kernel, there."""
    with torch._C.DisableTorchFunction():
        return F.scaled_dot_product_attention(x, x, x)


def in_a_thread(x: Tensor) -> Tensor:
    """Another thread works it out."""
    found: list[Tensor] = []
    thread = threading.Thread(target=lambda: found.append(F.scaled_dot_product_attention(x, x, x)))
    thread.start()
    thread.join()
    return found[0]


_POOL = ThreadPoolExecutor(1)


def in_a_pool(x: Tensor) -> Tensor:
    """A thread that was there before, and writes into what it is given."""
    room = torch.empty_like(x)

    def work() -> None:
        with torch.inference_mode(x.is_inference()), torch.no_grad():
            torch.matmul((x @ x.mT).softmax(-1), x, out=room)

    _POOL.submit(work).result()
    return room


def in_numpy(x: Tensor) -> Tensor:
    """Not torch at all."""
    import numpy as np

    rows = x.detach().numpy()
    powers = np.exp(rows @ rows.swapaxes(1, 2))
    return torch.from_numpy((powers / powers.sum(-1, keepdims=True)) @ rows)


def in_numpy_and_copied(x: Tensor) -> Tensor:
    """Not torch at all, and no shared memory."""
    import numpy as np

    rows = np.array(x.detach().tolist(), dtype=np.float32)
    powers = np.exp(rows @ rows.swapaxes(1, 2))
    return torch.tensor((powers / powers.sum(-1, keepdims=True)) @ rows)


def by_distance(x: Tensor) -> Tensor:
    """The nearer, the more."""
    return (-torch.cdist(x, x)).softmax(-1) @ x


def by_distance_one_by_one(x: Tensor) -> Tensor:
    """In a loop over the keys."""
    weights = (-torch.cdist(x, x)).softmax(-1)
    total = torch.zeros_like(x)
    for i in range(x.shape[1]):
        total = total + weights[..., i : i + 1] * x[:, i : i + 1]
    return total


def in_one_go(x: Tensor) -> Tensor:
    """The sum is divided by last, as fused kernels do it."""
    powers = (-torch.cdist(x, x)).exp()
    return (powers @ x) / powers.sum(-1, keepdim=True)


def by_powers(x: Tensor) -> Tensor:
    """Powers over their sum, of distances."""
    powers = torch.exp(-torch.cdist(x, x))
    return (powers * (1.0 / powers.sum(-1, keepdim=True))) @ x


def by_logarithms(x: Tensor) -> Tensor:
    """A logarithm in between."""
    distances = -torch.cdist(x, x)
    return (distances - distances.logsumexp(-1, keepdim=True)).exp() @ x


def by_log_softmax(x: Tensor) -> Tensor:
    """The softmax that losses use."""
    return F.log_softmax(-torch.cdist(x, x), -1).exp() @ x


def mapped(x: Tensor) -> Tensor:
    """One text at a time, by a transformation."""
    return torch.vmap(lambda rows: (rows @ rows.mT).softmax(-1) @ rows)(x)


def nested(x: Tensor) -> Tensor:
    """Rows of several lengths in one tensor."""
    rows = torch.nested.nested_tensor(list(x.unsqueeze(1)), layout=torch.strided)
    return torch.nested.to_padded_tensor(F.scaled_dot_product_attention(rows, rows, rows), 0.0).squeeze(1)


def with_averaged_heads(x: Tensor) -> Tensor:
    """The mean of two heads' weights."""
    weights = torch.stack([(-torch.cdist(x, x)).softmax(-1), (x @ x.mT).softmax(-1)])
    return weights.mean(0) @ x


def bent(x: Tensor) -> Tensor:
    """Scores through a curve that nobody expects."""
    return F.mish(x @ x.mT) @ x


def by_angle(x: Tensor) -> Tensor:
    """The smaller the angle, the more."""
    x = F.normalize(x, dim=-1)
    return (1 - (x @ x.mT * 0.99).acos() / torch.pi) ** 2 @ x


def by_convolution_bag(x: Tensor) -> Tensor:
    """A weighted bag of rows."""
    weights = (-torch.cdist(x[0], x[0])).softmax(-1)
    places = torch.arange(x.shape[1]).expand(x.shape[1], -1).contiguous()
    return F.embedding_bag(places, x[0], per_sample_weights=weights, mode="sum").expand_as(x)


def in_half_the_graph(x: Tensor) -> Tensor:
    """Scattered along edges, as graph networks do."""
    n = x.shape[1]
    ask, answer = torch.arange(n).repeat_interleave(n), torch.arange(n).repeat(n)
    powers = (x[0, ask] - x[0, answer]).square().sum(-1).neg().exp()
    shares = powers / torch.zeros(n).index_add(0, ask, powers)[ask]
    return torch.zeros_like(x[0]).index_add(0, ask, shares[:, None] * x[0, answer]).expand_as(x)


def not_added_up(x: Tensor) -> Tensor:
    """Weights of rows, multiplied with the rows, and left so."""
    return x * (x @ x.new_ones(WIDTH)).softmax(-1)[..., None]


HIDDEN: dict[str, Callable[[], Hidden]] = {
    "scripted": lambda: torch.jit.script(ByHand()),
    "traced": lambda: torch.jit.trace(ByHand(), torch.ones(2, 7, WIDTH)),
    "additive": Additive,
    "additive, summed": lambda: Additive(summed=True),
    "learned keys": lambda: Memory(values=False),
    "learned keys and values": lambda: Memory(values=True),
    "pooling": Pooling,
    "own gradient": lambda: OwnFunction.apply,
    "other library": lambda: lambda x: attend(x, x),
    **{
        function.__name__.replace("_", " "): (lambda function=function: function)  # type: ignore[misc]
        for function in (
            straight_to_aten, behind_a_curtain, kernel_behind_a_curtain, in_a_thread, in_a_pool, in_numpy,
            in_numpy_and_copied, by_distance, by_distance_one_by_one, in_one_go, by_powers, by_logarithms,
            by_log_softmax, mapped, nested, with_averaged_heads, bent, by_angle, by_convolution_bag, in_half_the_graph,
            not_added_up,
        )
    },
}  # fmt: skip


# --- models that run no attention ---------------------------------------------------------------------------------


class Experts(nn.Module):
    """Each row goes to two of four small networks, in the shares of a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, 4)
        self.up, self.down = nn.Parameter(torch.randn(4, WIDTH, 7)), nn.Parameter(torch.randn(4, 7, WIDTH))
        self.last = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        shares, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
        shares = shares / shares.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("btd,btedh->bteh", x, self.up[chosen]))
        rows = torch.einsum("bteh,btehd->bted", hidden, self.down[chosen])
        return self.last(x + (rows * shares[..., None]).sum(2))


class Recurrent(nn.Module):
    """An LSTM and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.head = nn.LSTM(WIDTH, 7, batch_first=True, bidirectional=True), nn.Linear(14, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0]).log_softmax(-1)


class Convolution(nn.Module):
    """Convolutions, norms, a pooled answer."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv1d(7, 11, 3), nn.BatchNorm1d(11), nn.GELU(), nn.AdaptiveAvgPool1d(1))
        self.head = nn.Linear(11, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.layers(x).flatten(1)).softmax(-1)


class Contrast(nn.Module):
    """Two towers and how well they fit: scores, but nothing is mixed by them."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Linear(WIDTH, 7), nn.Linear(WIDTH, 7)

    def forward(self, x: Tensor) -> Tensor:
        left, right = (F.normalize(tower(x).mean(1), dim=-1) for tower in (self.left, self.right))
        return left @ right.T * 14.0


class SoftGate(nn.Module):
    """A softmax as a gate, column by column, then an ordinary layer."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.last(self.gate(x).softmax(-1) * x)


def perceptron() -> nn.Module:
    """Two layers."""
    return nn.Sequential(nn.Linear(WIDTH, 11), nn.ReLU(), nn.Linear(11, 3), nn.Softmax(-1))


PEACEFUL: dict[str, Callable[[], nn.Module]] = {
    "perceptron": perceptron,
    "experts": Experts,
    "recurrent": Recurrent,
    "convolution": Convolution,
    "contrast": Contrast,
    "softmax gate": SoftGate,
}


def rows(seed: int = 0) -> Tensor:
    return torch.randn(2, 7, WIDTH, generator=torch.Generator().manual_seed(seed))
