"""Inputs to watch a model on, and a watched run that gives the very bits of an unwatched one."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

import glassformer as gf
from glassformer.inside.watching.seen import Seen


def draw(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def inputs() -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values with sizes that cannot be mistaken: B 2, H 3, Tq 5, Tk 7, K 3, V 4."""
    return draw(2, 3, 5, 3), draw(2, 3, 7, 3, seed=1), draw(2, 3, 7, 4, seed=2)


def watched(model: nn.Module, *args: Any, **kwargs: Any) -> Seen:
    """Watches a run, and holds that it gives the very bits of an unwatched one."""
    torch.manual_seed(3)
    alone = model(*args, **kwargs)
    torch.manual_seed(3)
    seen = gf.watch(model).run(*args, **kwargs)
    alone, answer = (out if isinstance(out, Tensor) else out[0] for out in (alone, seen.answer))
    assert torch.equal(alone, answer)
    return seen


def explained(seen: Seen, scope: str) -> None:
    """The last number of every stage that was made is reproduced by its arithmetic."""
    for name in ("scores", "scaled", "capped", "biased", "masked", "weights", "mixed"):
        address = f"{scope}.{name}" if scope else name
        if address in seen.trace:
            values = seen.trace[address]
            why = seen.trace.explain(address, tuple(size - 1 for size in values.shape))
            assert why.operation != "given"
            assert why.result == pytest.approx(why.number, rel=1e-5, abs=5e-6)
