"""Where a page opens: at the head that tells most. It reads patterns; what they are about it does not know."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Trace

JSON = dict[str, Any]


def opening(trace: Trace, parts: list[JSON]) -> JSON | None:
    """Of a translator, the head of a cross-attention whose pattern says most of which word comes from which. None where
    no text looks at another: there a page opens at its first attention."""
    crossing = [part["pattern"] for part in parts if part["pattern"] and _crosses(trace, part["pattern"])]
    told = [(told_by(head), address, i) for address in crossing for i, head in enumerate(trace[address][0])]
    if not told:
        return None
    _, address, head = max(told, key=lambda each: each[0])
    return {"at": address, "head": head}


def told_by(pattern: Array) -> float:
    """How much a query tells of the key it looks at: the entropy of the mean row, less the mean entropy of the rows.

    Nothing if all rows are alike, however sharp they are; most if each row has one key of its own.
    """
    rows = pattern[pattern.sum(-1) > 0].astype(np.float64)  # one that looks at nothing tells nothing
    if not len(rows):
        return 0.0
    shares = rows / rows.sum(-1, keepdims=True)
    return _entropy(shares.mean(0)) - float(np.mean([_entropy(row) for row in shares]))


def _entropy(shares: NDArray[np.float64]) -> float:
    some = shares[shares > 0]
    return float(-(some * np.log(some)).sum())


def _crosses(trace: Trace, pattern: str) -> bool:
    return trace.entry(pattern).scope + "context" in trace
