"""The one table of optimizers: how weights move, and whether what was kept of them is theirs. Knows weights, gradients
and which layers hold tables; no loss, no data.

Muon turns the momentum of a matrix into the nearest matrix whose directions all count alike (Newton–Schulz), so that no
direction is learnt only because it is loud. It is worked in float32, and matrices of one shape are worked together: on
processors without bfloat16 that is many times quicker than one by one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import AdamW, Optimizer

from glassformer.choices import Choices
from glassformer.errors import GlassformerError
from glassformer.layers.embedding import Embedding
from glassformer.layers.positions import BucketBias, Positions

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)  # of the quintic that pulls all singular values towards 1
_ITERATIONS = 5


def evened(matrices: Tensor) -> Tensor:
    """Matrices (M rows columns) with all singular values brought near 1, directions kept."""
    a, b, c = _COEFFICIENTS
    tall = matrices.shape[-2] > matrices.shape[-1]
    x: Tensor = matrices.mT if tall else matrices
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(_ITERATIONS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return x.mT if tall else x


class Muon(Optimizer):
    """Momentum, evened. The size of a step matches AdamW's, so that one learning rate serves both."""

    def __init__(
        self,
        weights: Iterable[Tensor] | Iterable[dict[str, Any]],
        *,
        lr: float = 1e-3,
        momentum: float = 0.95,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(weights, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Moves every weight that has a gradient."""
        for group in self.param_groups:
            by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    by_shape[weight.shape].append(weight)
            for weights in by_shape.values():
                self._move(weights, group)

    def _move(self, weights: list[Tensor], group: dict[str, Any]) -> None:
        momentum, lr = group["momentum"], group["lr"]
        ahead = []
        for weight in weights:
            assert weight.grad is not None
            memory = self.state[weight].setdefault("momentum", torch.zeros_like(weight))
            memory.lerp_(weight.grad, 1 - momentum)
            ahead.append(weight.grad.lerp(memory, momentum))  # Nesterov: look where the momentum leads
        size = 0.2 * max(weights[0].shape) ** 0.5  # the root mean square of an AdamW step
        for weight, move in zip(weights, evened(torch.stack(ahead).float()), strict=True):
            weight.mul_(1 - lr * group["weight_decay"]).add_(move.to(weight.dtype), alpha=-lr * size)


# --- which weights are moved by what ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Weights:
    """The weights of a model by what they are: tables (embeddings, positions) are looked up row by row; matrices map
    rows to rows; vectors are biases and norms, and do not decay."""

    tables: list[Tensor]
    matrices: list[Tensor]
    vectors: list[Tensor]

    @classmethod
    def of(cls, model: nn.Module) -> "Weights":
        """All weights of a model that are to move."""
        known = {id(table) for table in _tables(model)}
        weights = [weight for weight in model.parameters() if weight.requires_grad]
        return cls(
            tables=[weight for weight in weights if id(weight) in known],
            matrices=[weight for weight in weights if weight.ndim >= 2 and id(weight) not in known],
            vectors=[weight for weight in weights if weight.ndim < 2],
        )

    def groups(self, rates: "Rates") -> list[dict[str, Any]]:
        """As an optimizer takes them: each with its decay, and its `share` of the learning rate."""
        groups: list[dict[str, Any]] = [
            {"params": self.tables, "weight_decay": rates.weight_decay, "share": rates.table_rate},
            {"params": self.matrices, "weight_decay": rates.weight_decay, "share": 1.0},
            {"params": self.vectors, "weight_decay": 0.0, "share": 1.0},
        ]
        return [each for each in groups if each["params"]]


@dataclass(frozen=True)
class Rates:
    """How far weights move. Tables have a share of the learning rate: AdamW moves a row that is seen once as far as one
    that is seen always, so that rare words are learnt by heart."""

    lr: float
    weight_decay: float
    table_rate: float = 1.0


def adamw(weights: Weights, rates: Rates) -> list[Optimizer]:
    """AdamW for all."""
    return [AdamW(weights.groups(rates), lr=rates.lr, betas=(0.9, 0.98), fused=True)]


def muon(weights: Weights, rates: Rates) -> list[Optimizer]:
    """Muon for the matrices inside the blocks, and AdamW for all else."""
    flat = [weight for weight in weights.matrices if weight.ndim == 2]
    others = replace(weights, matrices=[weight for weight in weights.matrices if weight.ndim != 2])
    if not flat:
        return adamw(weights, rates)
    first = Muon([{"params": flat, "share": 1.0}], lr=rates.lr, weight_decay=rates.weight_decay)
    return [first, *adamw(others, rates)]


MakeOptimizers = Callable[[Weights, Rates], list[Optimizer]]
OPTIMIZERS: Choices[MakeOptimizers] = Choices("optimizer", {"muon": muon, "adamw": adamw})


def optimizers_for(
    model: nn.Module, kind: str, lr: float, weight_decay: float, table_rate: float = 1.0
) -> list[Optimizer]:
    """What moves the weights of a model; every group has a `share` of the learning rate, which the loop sets."""
    return OPTIMIZERS[kind](Weights.of(model), Rates(lr, weight_decay, table_rate))


def _tables(model: nn.Module) -> Iterator[Tensor]:
    """Embeddings, what is tied to them, and positions are looked up row by row; they are no map from rows to rows."""
    for module in model.modules():
        if isinstance(module, Embedding | BucketBias):
            yield module.weight
        elif isinstance(module, Positions):
            yield module.table


def check_kept(
    tensors: Mapping[str, Tensor], model: nn.Module, optimizers: Sequence[Optimizer], *, averaged: bool
) -> None:  # fmt: skip
    """Refuses the state of a run with other sizes, another optimizer, or no average of weights where one is wanted."""
    own = {name: value.shape for name, value in model.state_dict().items()}
    kept = {
        kind: {name.removeprefix(kind): value.shape for name, value in tensors.items() if name.startswith(kind)}
        for kind in ("model.", "average.", "optimizer.")
    }
    if kept["model."] != own:
        raise UnlikeError("its model has other weights")
    if averaged and kept["average."] != own:
        raise UnlikeError("it has no average of weights")
    moved = [[weight.shape for group in each.param_groups for weight in group["params"]] for each in optimizers]
    for name, shape in kept["optimizer."].items():
        i, key = map(int, name.split(".")[:2])
        if i >= len(moved) or key >= len(moved[i]) or (shape and shape != moved[i][key]):
            raise UnlikeError("it is of another optimizer")


class UnlikeError(GlassformerError):
    """A state that is not that of this model and these optimizers."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"The checkpoint is not one of the run that config.toml describes: {why}. Was config.toml edited? Take it "
            "from a copy; to go on with other settings, train anew, in another folder."
        )
