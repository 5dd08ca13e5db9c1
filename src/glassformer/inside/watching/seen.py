"""What a watch has seen: a trace, one entry for each attention, and in plain words how far all of it can be trusted.

It keeps, tells and can be looked at. It knows nothing of how attention is caught or rebuilt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from glassformer.errors import InputError, counted
from glassformer.inside.looks import Look
from glassformer.inside.parts import Texts
from glassformer.inside.shown import Shown
from glassformer.inside.watching.lens import Lens
from glassformer.stages.arithmetic import Array
from glassformer.stages.trace import Trace

Verdict = Literal["all seen", "some not seen", "cannot tell"]


@dataclass(frozen=True)
class Comparison:
    """Two outputs that should be the same: how far they are apart, and how far rounding alone may bring them."""

    error: float
    allowed: float
    nans: int = 0  # places where the model itself got NaN

    @property
    def agrees(self) -> bool:
        """Whether rounding explains the difference."""
        return self.error <= self.allowed and not self.nans

    def __str__(self) -> str:
        if self.nans:
            return f"the model itself got NaN in {self.nans} places, where a query may look at nothing"
        if self.error == 0.0:
            return "equal to the last bit"
        verdict = "within rounding" if self.agrees else f"more than the {self.allowed:.0e} that rounding explains"
        return f"{self.error:.1e} apart at most, {verdict}"


@dataclass(frozen=True)
class AttentionCall:
    """One attention that was caught.

    path      the module that ran it, as `named_modules` has it
    scope     where its stages stand in the trace: the path, with `@2` from the second call on
    kind      `sdpa` (torch's kernel), `mha` (torch's multi-head attention) or `softmax` (written by hand)
    shapes    of queries, keys, values and weights
    causal    whether no query saw a later key
    masked    whether something was hidden; `biased` whether numbers were added to the scores
    dropout   the share of the weights that was dropped; the stages are those before it
    rebuilt   the rebuilt output, and weights where they can be had, against the real ones; None if nothing could be
    written   the stages that were written; `rebuilt` is then that of the pass before, without the change
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
        groups = self.shapes["keys"][1]
        sharing = f" sharing {counted(groups, 'set')} of keys and values" if groups != heads else ""
        facts = [f"{heads} heads{sharing}" if heads > 1 else "1 head", f"{n_queries} queries × {n_keys} keys"]
        facts += [f"batch of {batch}"] if batch > 1 else []
        facts += [word for word, holds in (("causal", self.causal), ("biased", self.biased)) if holds]
        facts += ["masked"] if self.masked and not self.causal else []
        told = [f"{self.scope or 'The model'} ({self.kind}): {', '.join(facts)}."]
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


def facts_of_attention(trace: Trace, scope: str) -> dict[str, Any]:
    """What the stages of one attention say of it."""
    masked = f"{scope}mask" in trace
    return {
        "shapes": {name: trace[scope + name].shape for name in ("queries", "keys", "values", "weights")},
        "scale": float(trace[f"{scope}scale"]),
        "causal": masked and _hides_the_future(trace[f"{scope}mask"], trace[f"{scope}weights"].shape),
        "masked": masked,
        "biased": f"{scope}bias" in trace,
    }


def _hides_the_future(mask: Array, shape: tuple[int, ...]) -> bool:
    n_queries, n_keys = shape[-2:]
    future = ~np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)  # the last query stands at the last key
    return bool(future.any()) and not (mask & future).any()


@dataclass
class Seen:
    """What was seen: `trace` under the addresses of the modules, `calls` in order, `answer` if the watch ran the model.

    missed    attentions that were noticed and could not be rebuilt: where, and why
    unsure    what could hold an attention and cannot be looked into: where, and why
    outside   how many ran outside the model that was watched
    before    the same pass without the change, where something was written
    """

    trace: Trace = field(default_factory=Trace)
    calls: list[AttentionCall] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    unsure: list[tuple[str, str]] = field(default_factory=list)
    outside: int = 0
    answer: Any = None
    before: "Seen | None" = None
    through: Callable[[int], Lens] | None = field(default=None, repr=False, compare=False)  # made by who ran the model

    @property
    def verdict(self) -> Verdict:
        """`all seen`: all that ran is here, and equals the model's own; `some not seen`; or `cannot tell`."""
        if self.missed:
            return "some not seen"
        return "cannot tell" if self.unsure or not all(call.agrees for call in self.calls) else "all seen"

    @property
    def honest(self) -> bool:
        """True if attention was seen and the verdict is `all seen`."""
        return bool(self.calls) and self.verdict == "all seen"

    @property
    def sentences(self) -> list[str]:
        """All of it in words, one sentence or two for each attention."""
        told = [str(call) for call in self.calls]
        told += [
            f"{path or 'The model'}: an attention was noticed but not rebuilt: {why}." for path, why in self.missed
        ]
        if not told and not self.unsure:
            told.append("No attention was seen: the model ran none that can be caught.")
        told += [f"{path or 'The model'}: it cannot be told whether attention ran: {why}." for path, why in self.unsure]
        if self.outside:
            told.append(f"{self.outside} more ran outside the model that is watched.")
        return told

    def lens(self, top: int = 5) -> Lens:
        """The logit lens: what each layer would say, next token by next token; `top` likely ones are kept.

        The model runs again, once for each layer and thrice to try whether the question is fair; else it refuses.
        """
        if self.through is None:
            raise InputError("The lens runs the model again: look with `seen = gf.watch(model).run(…)`.")
        if top < 1:
            raise InputError(f"`top` is {top}; it counts the tokens to keep of each layer.")
        return self.through(top)

    def look(self, tokens: Sequence[str] = (), context: Sequence[str] = (), *, title: str = "") -> Shown:
        """The same view as of a model of ours, of the first text of the batch: to be saved, or shown in a notebook.

        tokens    what stands at each place, as words; `context` those of another text that was looked at, if any
        """
        if not self.calls:
            raise InputError(f"There is nothing to look at. {' '.join(self.sentences)}")
        trust = "each rebuilt, and equal to the model's own numbers" if self.honest else " ".join(self.sentences)
        texts = Texts(own=tuple(tokens), context=tuple(context))
        return Shown(Look(self.trace, texts, title, about=f"{len(self.calls)} attentions: {trust}"))

    def __repr__(self) -> str:
        more = "" if self.honest else ", see .sentences"
        return f"Seen({len(self.calls)} attentions, {len(self.trace)} stages; {self.verdict}{more})"
