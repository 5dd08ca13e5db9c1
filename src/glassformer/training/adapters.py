"""Which weights of a model move, and LoRA: matrices that stay, plus a product of two narrow ones that learns. It knows
no loss and no parent.

A model is finetuned with fewer numbers in motion: its first blocks may stay as they are (freeze), or every matrix of
its blocks may stay, and only the product of two narrow matrices be added to it (lora). When training is over, the
product is added once and for all: what is kept is an ordinary model.
"""

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from glassformer.errors import InputError

STACKS = ("encoder", "blocks", "decoder")  # where the blocks of a model stand, the first to read first
BEFORE = ("embedding.", "order.", "embedding_norm.")  # what stands before the first block


class LowRank(nn.Module):
    """W + B A, with A of r rows and B of r columns; B begins as zero, so that nothing is changed yet. Scaled by 1, as
    the learning rate says how far it moves."""

    def __init__(self, rows: int, columns: int, rank: int) -> None:
        super().__init__()
        self.narrow = nn.Parameter(torch.randn(rank, columns) / columns**0.5)
        self.wide = nn.Parameter(torch.zeros(rows, rank))

    def forward(self, weight: Tensor) -> Tensor:
        """The matrix with what was learnt."""
        return weight + self.wide @ self.narrow


def blocks_of(model: nn.Module) -> list[tuple[str, nn.Module]]:
    """The blocks of a model in the order they read, each with its name."""
    found = [(stack, getattr(model, stack, None)) for stack in STACKS]
    return [
        (f"{stack}.{i}.", each)
        for stack, blocks in found
        if isinstance(blocks, nn.ModuleList)
        for i, each in enumerate(blocks)
    ]


def freeze(model: nn.Module, count: int) -> None:
    """The embedding and the first so many blocks do not learn."""
    if not count:
        return
    blocks = blocks_of(model)
    if count > len(blocks):
        raise InputError(f"freeze={count} blocks cannot stay as they are: this model has {len(blocks)}.")
    still = (*BEFORE, *(name for name, _ in blocks[:count]))
    for name, weight in model.named_parameters():
        if name.startswith(still):
            weight.requires_grad_(False)


def add_lora(model: nn.Module, rank: int) -> None:
    """Every matrix of the blocks stays, and learns by a product of this rank beside it; all else but the head stays."""
    if not rank:
        return
    matrices = [each for _, block in blocks_of(model) for each in block.modules() if isinstance(each, nn.Linear)]
    if not matrices:
        raise InputError(f"lora={rank} is for the matrices of blocks; this model has none.")
    narrowest = min(min(each.weight.shape) for each in matrices)
    if rank > narrowest:
        raise InputError(
            f"lora={rank} is no narrower than a matrix of this model, which has {narrowest} columns or rows."
        )
    for name, weight in model.named_parameters():
        weight.requires_grad_(name.startswith(("head.", "pooler.")))
    for each in matrices:
        rows, columns = each.weight.shape
        parametrize.register_parametrization(each, "weight", LowRank(rows, columns, rank))


def merge_lora(model: nn.Module) -> None:
    """What was learnt beside the matrices is added to them: an ordinary model again."""
    for each in list(model.modules()):
        if parametrize.is_parametrized(each, "weight"):
            parametrize.remove_parametrizations(each, "weight", leave_parametrized=True)
    model.requires_grad_(True)
