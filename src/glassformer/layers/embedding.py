"""The two ends of every model: from ids to rows, and from rows to logits. They know no text, only ids.

The legend of shapes is the one of attention.py; N is the vocabulary, or the classes.
"""

import math
from collections.abc import Callable

import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from glassformer.choices import Choices
from glassformer.errors import InputError
from glassformer.layers.attention import project
from glassformer.stages.watchers import Watcher, nothing


class Embedding(nn.Module):
    """One learned row for each word of the vocabulary, stretched by √D where the paper does."""

    def __init__(self, vocabulary: int, d_model: int, *, scaled: bool = False) -> None:
        super().__init__()
        self.weight = nn.Embedding(vocabulary, d_model).weight
        self.scale = math.sqrt(d_model) if scaled else None
        if scaled:
            nn.init.normal_(self.weight, std=d_model**-0.5)

    def forward(self, ids: Int[Tensor, "B T"], *, see: Watcher = nothing) -> Float[Tensor, "B T D"]:
        """The row of each id."""
        ids, weight = see("ids", ids), see("embedding_weight", self.weight)
        try:
            rows = F.embedding(ids, weight)
        except IndexError as error:
            raise InputError(
                f"An id of {int(ids.max())} (smallest {int(ids.min())}) is outside the vocabulary of {len(weight)}; "
                "was the text read with another tokenizer?"
            ) from error
        if self.scale is not None:
            rows = rows * see("embedding_scale", rows.new_tensor(self.scale))
        return see("embedded", rows, "looked up")


class Head(nn.Module):
    """Rows to logits by one matrix, which may be the embedding's own (tied)."""

    def __init__(self, d_model: int, n_out: int, *, bias: bool = True, tied: Embedding | None = None) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, n_out, bias=bias)
        if tied is not None:
            self.linear.weight = tied.weight

    def forward(
        self, rows: Float[Tensor, "*rows D"], counted: Bool[Tensor, "*rows"] | None = None, *, see: Watcher = nothing
    ) -> Float[Tensor, "*rows N"] | Float[Tensor, "M N"]:
        """One score for each class or word; rows that were not pooled are shown as `rows`.

        counted     the rows to answer for, one after the other: a large vocabulary is not worked in vain
        """
        if rows.ndim == 3:
            rows = see("rows", rows)
        if counted is not None:
            rows = rows[counted]  # M D
        return see("logits", project(self.linear, rows, "logit", see))


class Pooler(nn.Module):
    """One more layer between the row of a text and its head: tanh(p W + b), as BERT has it."""

    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.linear = nn.Linear(d_model, d_model)

    def forward(self, pooled: Float[Tensor, "B D"], *, see: Watcher = nothing) -> Float[Tensor, "B D"]:
        """The row, turned and bent."""
        return see("pooler_row", see("pooler_sum", project(self.linear, pooled, "pooler", see)).tanh())


# --- From the rows of a text to one -------------------------------------------------------------------------------


def mean_of_real(
    rows: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"], see: Watcher = nothing
) -> Float[Tensor, "B D"]:
    """The mean over the real tokens; padding does not count."""
    rows, real = see("rows", rows), see("real", real)
    total = rows.masked_fill(~real[..., None], 0.0).sum(1)
    return see("pooled", total / real.sum(1, keepdim=True).clamp(min=1), "mean")


def first_row(rows: Float[Tensor, "B T D"], real: Bool[Tensor, "B T"], see: Watcher = nothing) -> Float[Tensor, "B D"]:
    """The row of the first token, which has looked at all others."""
    return see("pooled", see("rows", rows)[:, 0], "first")


Pooling = Callable[[Tensor, Tensor, Watcher], Tensor]
POOLINGS: Choices[Pooling] = Choices("pooling", {"mean": mean_of_real, "first": first_row})
