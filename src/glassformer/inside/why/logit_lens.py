"""The logit lens: what a model that writes would say after each block, if its last norm and head read that row already.

The readout was trained for the last block alone, so early rows are often noise; whoever shows them says so.
"""

import re
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from glassformer.inside.parts import title
from glassformer.inside.why.margins import Margin, Prompted

WARNING = "The readout was trained for the last block; early rows are often noise."
_AFTER = re.compile(r"(?:blocks|decoder)\.\d+\.feed_forward\.added")


@dataclass(frozen=True)
class LensRow:
    """After one block: the token it would write, how likely, and the margin of the answer there."""

    title: str
    token: int
    share: float
    margin: float


def logit_lens(margin: Margin, given: Prompted) -> list[LensRow]:
    """One row for each block, the last one being the answer itself; none for a model that does not write."""
    model: Any = margin.model
    if margin.family == "classifier" or getattr(model, "final_norm", None) is None:
        return []
    rows: dict[str, Tensor] = {}

    def see(name: str, value: Any, how: str = "") -> Any:
        if _AFTER.fullmatch(name):
            rows[name] = value[0, -1]
        return value

    margin.of_ids([given], see)
    found = []
    for address, row in rows.items():
        with torch.no_grad():
            logits = model.head(model.final_norm(row[None, None]))[0, 0]  # N
        share, token = logits.softmax(-1).max(-1)
        scope = title(address.removesuffix(".feed_forward.added"))
        gained = float(logits[margin.answer] - logits[margin.rival])
        found.append(LensRow(f"after {scope}", int(token), float(share), gained))
    return found
