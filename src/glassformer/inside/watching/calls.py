"""One attention that was caught: what it was, and how far what was rebuilt is from what the model got. Facts only."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassformer.errors import counted
from glassformer.inside.watching.following.score_steps import LOW
from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Trace


@dataclass(frozen=True)
class Comparison:
    """Two outputs that should be the same: how far they are apart, and how far rounding alone may bring them."""

    error: float
    allowed: float
    nans: int = 0  # places where the model itself got NaN
    blind: bool = False  # whether what is rebuilt is a number in each of these, as where a query may look at nothing

    @property
    def agrees(self) -> bool:
        """Whether rounding explains the difference."""
        return self.error <= self.allowed and not self.nans

    def __str__(self) -> str:
        if self.nans:
            why = ", where a query may look at nothing" if self.blind else ""
            return f"the model itself got NaN in {counted(self.nans, 'place')}{why}"
        if self.error == 0.0:
            return "equal to the last bit"
        if not math.isfinite(self.error):
            return "not finite in the same places"
        verdict = "within rounding" if self.agrees else f"more than the {self.allowed:.0e} that rounding explains"
        return f"{self.error:.1e} apart at most, {verdict}"


@dataclass(frozen=True)
class AttentionCall:
    """One attention that was caught.

    path      the module that ran it, as `named_modules` has it; the same whenever it runs
    scope     where its stages stand in the trace: the path, with `@2` from the second call on
    kind      `sdpa` or `flex` (torch's kernels), `mha` (torch's multi-head attention) or `softmax` (written by hand)
    shapes    of queries, keys, values and weights; without the first two where scores are taken as they came
    causal    whether no query saw a later key, but for those from which all is hidden
    scale     the one number that all scores are multiplied by
    masked    whether something was hidden; `biased` whether numbers were added to the scores
    rescaled  whether scores are multiplied by numbers that are not all the same, such as one for each head
    dropout   the share of the weights that was dropped; the stages are those before it
    rebuilt   the rebuilt output, and weights where they can be had, against the real ones; None if nothing could be
    written   the stages that were written; `rebuilt` is then that of the pass before, without the change
    standing  what is not known of the axes of `shapes`, in words
    fused     the module that torch may have run in one kernel; `repeated` compares a second, open pass with it
    """

    path: str
    scope: str
    kind: str
    shapes: dict[str, tuple[int, ...]]
    scale: float
    causal: bool
    masked: bool
    biased: bool
    dropout: float
    rebuilt: Comparison | None
    written: tuple[str, ...] = ()
    standing: str = ""
    rescaled: bool = False
    fused: str | None = None
    repeated: Comparison | None = None

    @property
    def rebuilt_error(self) -> float | None:
        """The largest difference between a number of the rebuilt output and of the real one."""
        return None if self.rebuilt is None else self.rebuilt.error

    @property
    def agrees(self) -> bool:
        """Whether what was rebuilt is what the model got."""
        compared = [self.rebuilt] if self.fused is None else [self.rebuilt, self.repeated]
        return not self.dropout and all(each is not None and each.agrees for each in compared)

    def after(self, fused: str, repeated: Comparison | None) -> "AttentionCall":
        """The same call, seen in a second pass of the module `fused`."""
        return replace(self, fused=fused, repeated=repeated)

    def __str__(self) -> str:
        batch, heads, n_queries, n_keys = self.shapes["weights"]
        groups = self.shapes["values"][1]
        sharing = f" sharing {counted(groups, 'set')} of keys and values" if groups != heads else ""
        facts = [
            f"{heads} heads{sharing}" if heads > 1 else "1 head",
            f"{counted(n_queries, 'query', 'queries')} × {counted(n_keys, 'key')}",
        ]
        facts += [f"batch of {batch}"] if batch > 1 else []
        facts += [
            word
            for word, holds in (("causal", self.causal), ("rescaled", self.rescaled), ("biased", self.biased))
            if holds
        ]
        facts += ["masked"] if self.masked and not self.causal else []
        told = [f"{self.scope if self.path else f'The model{self.scope}'} ({self.kind}): {', '.join(facts)}."]
        told += [f"{self.standing}."] if self.standing else []
        told += [] if "queries" in self.shapes else ["Its scores are taken as they came."]
        if self.dropout:
            told.append(f"A share of {self.dropout:g} of the weights was dropped: the stages are those before dropout,")
            told.append("and the output cannot be compared.")
            told += [f"The weights before dropout and the real ones: {self.rebuilt}."] if self.rebuilt else []
        else:
            told += [f"Written: {', '.join(self.written)}. Before that:"] if self.written else []
            told.append(f"Rebuilt and real: {self.rebuilt}.")
        if self.fused is not None:
            whom = self.fused or "The model"
            told.append(f"{whom} may run in one kernel; these steps are from a second pass.")
            told.append(f"The two: {self.repeated}." if self.repeated else "The second pass failed.")
        return " ".join(told)


_SHAPES = ("queries", "keys", "values", "weights")


def facts_of_attention(trace: Trace, scope: str) -> dict[str, Any]:
    """What the stages of one attention say of it."""
    mask, bias = (trace[address] if (address := scope + name) in trace else None for name in ("mask", "bias"))
    shape = trace[f"{scope}weights"].shape
    hidden = np.zeros((1,) * 4, bool) if mask is None else np.logical_not(mask)
    if bias is not None:  # where a row is hidden as a whole, by large numbers, they are shown as numbers
        hidden = hidden | np.less_equal(bias, LOW)
    return {
        "shapes": {name: trace[scope + name].shape for name in _SHAPES if scope + name in trace},
        "rescaled": f"{scope}rescaled" in trace,
        "scale": float(trace[f"{scope}scale"]),
        "causal": bool(hidden.any()) and _hides_the_future(hidden, shape),
        "masked": bool(hidden.any()),
        "biased": bias is not None and bool(np.where(hidden, 0.0, bias).any()),
    }


def _hides_the_future(hidden: Array, shape: tuple[int, ...]) -> bool:
    """Whether no query saw a later key, but for those from which all is hidden."""
    n_queries, n_keys = shape[-2:]
    future = ~np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)  # the last query stands at the last key
    seen = np.logical_not(np.broadcast_to(hidden, (*hidden.shape[:-2], n_queries, n_keys)))
    whole = hidden.all(-1, keepdims=True) if hidden.shape[-1] == n_keys else np.zeros((1,) * 4, bool)
    return bool(future.any()) and not (seen & future & ~whole).any()
