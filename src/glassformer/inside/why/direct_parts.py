"""Blocks and heads: the margin as a sum of what each of them adds to the stream directly, and the margin without each
head and each feed-forward network. It reads stages by name; it knows no text and no words.

Every sub-layer adds to one stream of rows, which the last norm scales and the head reads. With the scales of the norms
held as they are, the margin is linear in all that was added, so it is exactly the sum of the slopes times what was
added: embedding, positions, every head, every feed-forward network, every bias. That is the direct way alone: what a
head does for later layers counts as theirs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.parts import title
from glassformer.inside.why.margins import Margin, Prompted, Tried

MOST_PARTS = 256  # that are tried one by one
_ADDED = frozenset(
    {"embedded", "position_rows", "mixed", "contracted", "norm_bias", "output_bias", "logit_bias", "pooler_bias"}
)
_SCALES = frozenset({"variance", "mean_square"})


@dataclass(frozen=True)
class DirectPart:
    """What one place in the model adds to the margin directly; of what is no head, `head` is None."""

    address: str
    head: int | None
    title: str
    value: float


@dataclass(frozen=True)
class Directly:
    """All parts, in the order of the computation, and what they miss the margin by."""

    parts: tuple[DirectPart, ...]
    error: float

    @property
    def blocks(self) -> dict[str, float]:
        """The same by block: all that stands in one, and the rest."""
        found: dict[str, float] = {}
        for part in self.parts:
            words = part.address.split(".")
            inside = len(words) > 1 and words[1].isdigit()
            name = title(".".join(words[:2])) if inside else "biases" if part.address.endswith("bias") else "embedding"
            found[name] = found.get(name, 0.0) + part.value
        return found


def direct_parts(margin: Margin, given: Prompted) -> Directly | None:
    """The margin of what is given, part by part; None for a model without a stream of rows."""
    held = _Held()
    with torch.enable_grad():
        whole = margin.seen([given], held)[0]
    if not any(address.endswith(".mixed") for address in held.added) or not whole.requires_grad:
        return None
    slopes = torch.autograd.grad(whole, list(held.added.values()), allow_unused=True)
    parts = [
        part
        for (address, rows), slope in zip(held.added.items(), slopes, strict=True)
        if slope is not None
        for part in _parts(address, (rows * slope).detach())
    ]
    error = float(margin.of_ids([given])[0]) - sum(part.value for part in parts)
    return Directly(tuple(parts), error)


class _Held:
    """A watcher that makes all that is added a beginning of its own, and holds the scales of the norms."""

    def __init__(self) -> None:
        self.added: dict[str, Tensor] = {}
        self._bent: Tensor | None = None

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        stage = name.rpartition(".")[2]
        if stage in _SCALES:
            return value.detach().clone()
        if stage in _ADDED:
            self.added[name] = value.detach().clone().requires_grad_()
            return self.added[name]
        if stage == "pooler_sum":
            self._bent = value
        if stage == "pooler_row" and self._bent is not None:  # the bend's own ratio is held, as if it were a scale
            ratio = (value / self._bent).detach()
            return self._bent * torch.where(self._bent == 0, torch.ones_like(ratio), ratio)
        return value


def part_title(address: str, head: int | None) -> str:
    """`encoder.0.self.mixed` → `encoder · block 1 · self-attention · head 1`; of a network its block alone."""
    scope = title(address.rpartition(".")[0])
    return scope if head is None else f"{scope} · head {head + 1}".removeprefix(" · ")


def _parts(address: str, products: Tensor) -> list[DirectPart]:
    scope, _, stage = address.rpartition(".")
    if stage == "mixed":  # B H T V
        return [
            DirectPart(address, head, part_title(address, head), float(each.sum()))
            for head, each in enumerate(products[0])
        ]
    names = {"embedded": "embedding", "position_rows": "positions", "contracted": title(scope)}
    name = names.get(stage, f"{title(scope)} · bias" if scope else "bias of the answer")
    return [DirectPart(address, None, name, float(products.sum()))]


# --- heads and networks switched off ------------------------------------------------------------------------------


def switched_off(margin: Margin, given: Prompted) -> dict[tuple[str, int | None], Tried]:
    """For each head and each feed-forward network, also of an encoder, by how much the margin is less when it gives
    zeros, and the answer then."""
    shown = _Parts()
    usual = float(margin.of_ids([given], shown)[0])
    parts = shown.found[:MOST_PARTS]
    found: dict[tuple[str, int | None], Tried] = {}
    for begin, rows in margin.batches([given] * len(parts)):
        some = parts[begin : begin + len(rows)]
        found |= dict(zip(some, margin.tried(rows, usual, _Off(some)), strict=True))
    return found


class _Parts:
    """Finds the heads, by what they mixed, and the networks, by what they hand on; of these `head` is None."""

    def __init__(self) -> None:
        self.found: list[tuple[str, int | None]] = []

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        if name.endswith("mixed") and value.ndim == 4:
            self.found += [(name, head) for head in range(value.shape[1])]
        elif name.endswith("contracted"):
            self.found.append((name, None))
        return value


class _Off:
    """In each row of a batch another head or network gives zeros."""

    def __init__(self, parts: Sequence[tuple[str, int | None]]) -> None:
        self.parts = parts

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        rows = [(i, head) for i, (address, head) in enumerate(self.parts) if address == name]
        if not rows:
            return value
        quiet = value.clone()
        for i, head in rows:
            quiet[i if head is None else (i, head)] = 0.0
        return quiet
