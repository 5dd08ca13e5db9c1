"""What a model answered, in words and probabilities: a class, the next token, or a translation with its alignment.

Made from the numbers of a trace and the names of ids. It runs no model and draws nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.stages.arithmetic import Array
from glassformer.stages.notation import plain

Names = Callable[[Sequence[int]], list[str]]
CANDIDATES = 8  # how many are worth showing
_figure = plain(3)


@dataclass(frozen=True)
class Candidate:
    """One possible answer: its probability, and where its logit stands."""

    id: int
    name: str
    share: float
    index: tuple[int, ...]
    text: str  # the share's arithmetic

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data."""
        return {
            "id": self.id,
            "name": self.name,
            "share": self.share,
            "index": list(self.index),
            "text": self.text,
        }


def shares(logits: Array) -> NDArray[np.float64]:
    """Softmax: e^ℓ / Σ e^ℓ over the last axis, in float64."""
    wide = logits.astype(np.float64)
    raised = np.exp(wide - wide.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


def come_to_shares(logits: Array) -> bool:
    """Whether the softmax of them is one: no NaN, nothing infinitely large, and no row of −∞ alone."""
    return bool(np.isfinite(logits.max(-1)).all())


def _raised(logit: np.float64) -> str:
    written = _figure(float(logit))
    return f"e^({written})" if logit < 0 else f"e^{written}"


def candidates(logits: Array, row: tuple[int, ...], ids: Sequence[int], names: Sequence[str]) -> list[Candidate]:
    """These ids with their probabilities, from one row of logits."""
    line = logits[row].astype(np.float64)
    whole = shares(line)
    few = len(line) <= 4
    total = " + ".join(_raised(each) for each in line) if few else f"Σ e^ℓ over all {len(line):,}"
    return [
        Candidate(
            each, name, float(whole[each]), (*row, each),
            f"{_raised(line[each])} / ({total}) = {whole[each]:.4g}",
        )
        for each, name in zip(ids, names, strict=True)
    ]  # fmt: skip


def likeliest_ids(logits: Array, count: int = CANDIDATES) -> list[int]:
    """The ids of the largest logits, largest first; of equals the smaller id."""
    return [int(each) for each in np.argsort(-logits.astype(np.float64), kind="stable")[:count]]


def class_answer(logits: Array, labels: Sequence[str]) -> dict[str, Any]:
    """All classes, the most likely first."""
    order = likeliest_ids(logits[0], len(labels))
    items = candidates(logits, (0,), order, [labels[each] for each in order])
    return {"kind": "classes", "items": [item.to_dict() for item in items]}


def next_steps(logits: Array, follows: Sequence[int | None], names: Names) -> list[dict[str, Any]]:
    """For each position the candidates for the token after it, and the probability of the one that really follows."""
    steps = []
    for row, given in enumerate(follows):
        order = likeliest_ids(logits[0, row])
        items = candidates(logits, (0, row), order, names(order))
        wanted = None if given is None else candidates(logits, (0, row), [given], names([given]))[0].to_dict()
        steps.append({"row": row, "items": [item.to_dict() for item in items], "given": wanted})
    return steps


def worth_showing(logits: Array, others: Sequence[int]) -> list[int]:
    """The ids that some position holds likely, and the others that were asked for."""
    rows = logits.reshape(-1, logits.shape[-1])
    return sorted({each for row in rows for each in likeliest_ids(row)} | set(others))


def first_difference(left: Sequence[int], right: Sequence[int]) -> int | None:
    """The first place where two sequences part, or None."""
    if list(left) == list(right):
        return None
    pairs = enumerate(zip(left, right, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(left), len(right)))
