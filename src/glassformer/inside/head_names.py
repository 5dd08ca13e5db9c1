"""What a head does, by measures: the share of its weight on the cells that a name means, over many looks.

What flows to the first token and to the token itself is told apart, and taken out before any other name is tried; a
name is given only where its number is large and well above that of a head that looks everywhere alike. Induction is
judged on random tokens that come twice, for in a text of a reader's much else may lead there. It loads no model.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glassformer.inside.looks import Look
from glassformer.stages.trace import Entry

Weights = NDArray[np.float64]
Measured = tuple[dict[str, float], dict[str, float]]  # of a pattern, and of one that looks everywhere alike
FEWEST = 50  # looks that a name rests on
ABOVE = 0.2  # over a head that looks everywhere alike
# From which share on a head is called so.
NAMES = MappingProxyType(
    {
        "previous token": 0.5,
        "next token": 0.5,
        "same token": 0.4,
        "induction": 0.4,
        "punctuation": 0.5,
        "itself": 0.5,
        "first token": 0.5,
        "broad": 0.9,
    }
)
APART = ("itself", "first token")  # told of every head, and taken out before others are tried


@dataclass(frozen=True)
class HeadName:
    """What a head is called, if anything, with its number, and the same of all weight, nothing taken out; how much goes
    to the first token and to itself; and, where it was judged, how much to what followed last time."""

    name: str
    share: float
    of_all: float
    first: float
    itself: float
    looks: int
    induction: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON-ready data, in three digits."""
        rounded = {each: round(getattr(self, each), 3) for each in ("share", "of_all", "first", "itself")}
        followed = {} if self.induction is None else {"induction": round(self.induction, 3)}
        return {"name": self.name, "looks": self.looks, **rounded, **followed}


def head_names(looks: Iterable[Look], repeated: Iterable[Look] = ()) -> dict[str, HeadName]:
    """A name for each head, `encoder.0.self/1`, from many looks at one model; none from too few. `repeated` are looks
    at random tokens that come twice, for induction."""
    found = _gathered(looks, _measured)
    twice = _gathered(repeated, _followed)
    return {key: _named(each, twice.get(key, [])) for key, each in found.items()}


def _gathered(looks: Iterable[Look], judge: Callable[[Look, Entry, Weights], Measured]) -> dict[str, list[Measured]]:
    """What was measured of each head, look by look."""
    found: dict[str, list[Measured]] = {}
    for look in looks:
        for entry in look.trace.entries.values():
            if entry.stage.name == "weights" and entry.values.ndim == 4 and entry.values.shape[-1] > 2:
                for head, weights in enumerate(entry.values[0].astype(np.float64)):
                    key = f"{entry.scope.rstrip('.')}/{head}"
                    found.setdefault(key, []).append(judge(look, entry, weights))
    return found


def _measured(look: Look, entry: Entry, weights: Weights) -> Measured:
    """The measures of one pattern, and those of one that looks alike at whatever it may."""
    crosses = entry.scope + "context" in look.trace
    name = look.texts.on_axis(entry.address, "Tk", last=True, other=crosses) or "own"
    tokens = getattr(look.texts, name)[: weights.shape[-1]]
    allowed = _allowed(look, entry, weights)
    uniform = allowed / np.maximum(allowed.sum(-1, keepdims=True), 1)
    return tuple(measures(each, tokens, allowed, crosses) for each in (weights, uniform))  # type: ignore[return-value]


def _followed(look: Look, entry: Entry, weights: Weights) -> Measured:
    """Where all came twice: how much goes to the token after the one that stood here the first time."""
    half = len(weights) // 2
    r, c = np.indices(weights.shape)
    first, diagonal, after = c == 0, r == c, (r >= half) & (c == r - half + 1)
    allowed = np.where(first | diagonal, 0.0, _allowed(look, entry, weights))
    uniform = allowed / np.maximum(allowed.sum(-1, keepdims=True), 1)
    shares = {"induction": _rest(weights, first | diagonal), _of_all("induction"): weights}
    return {name: _share(each, after, allowed) for name, each in shares.items()}, {
        "induction": _share(uniform, after, allowed)
    }


def _rest(weights: Weights, without: NDArray[np.bool_]) -> Weights:
    """What flows elsewhere, each row as shares of it."""
    kept = np.where(without, 0.0, weights)
    total = kept.sum(-1, keepdims=True)
    return np.asarray(np.divide(kept, total, out=np.zeros_like(kept), where=total > 1e-9), dtype=np.float64)


def _allowed(look: Look, entry: Entry, weights: Weights) -> Weights:
    mask = entry.scope + "mask"
    if mask not in look.trace:
        return np.ones_like(weights)
    whole = np.broadcast_to(look.trace[mask], entry.values.shape)[0, 0]
    return np.asarray(whole, dtype=np.float64)


def measures(weights: Weights, tokens: Sequence[str], allowed: Weights, crosses: bool) -> dict[str, float]:
    """The share of weight on the cells of each name, mean over the rows that could look there."""
    rows, columns = weights.shape
    r, c = np.indices(weights.shape)
    first, diagonal = c == 0, (r == c) & (not crosses)
    found = {"first token": _share(weights, first, allowed), "itself": _share(weights, diagonal, allowed)}
    rest = _rest(weights, first | diagonal)
    words = [token.strip().lower() for token in tokens] + [""] * (columns - len(tokens))
    marks = np.array([bool(word) and all(_is_mark(sign) for sign in word) for word in words])
    end = np.array([token in ("</s>", "<s>", "<eos>") for token in tokens] + [False] * (columns - len(tokens)))
    places = {"punctuation": np.broadcast_to(marks | end, weights.shape)}
    if not crosses and rows == columns:
        same = np.array([[one == other and one != "" for other in words] for one in words])
        places |= {"previous token": c == r - 1, "next token": c == r + 1, "same token": same & (c < r)}
    open_cells = np.where(first | diagonal, 0.0, allowed)
    found |= {name: _share(rest, where, open_cells) for name, where in places.items()}
    found |= {_of_all(name): _share(weights, where, open_cells) for name, where in places.items()}
    some = np.where(weights > 0, weights, 1.0)
    room = np.maximum(allowed.sum(-1), 1)
    entropy = -(weights * np.log(some)).sum(-1)
    many = room > 2
    found["broad"] = float(np.mean(entropy[many] / np.log(room[many]))) if many.any() else 0.0
    return found


def _of_all(name: str) -> str:
    """The measure of a name with nothing taken out."""
    return f"{name}, of all"


def _share(weights: Weights, where: NDArray[np.bool_], allowed: Weights) -> float:
    """Mean over the rows in which there is such a cell to look at, and another one."""
    able = ((where & (allowed > 0)).any(-1)) & (allowed.sum(-1) > 1)
    return float((weights * where).sum(-1)[able].mean()) if able.any() else math.nan


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


def _named(found: list[Measured], twice: list[Measured]) -> HeadName:
    def mean(which: int, name: str) -> float:
        values = [each[which][name] for each in (*found, *twice) if not math.isnan(each[which].get(name, math.nan))]
        return float(np.mean(values)) if values else 0.0

    first, itself = mean(0, "first token"), mean(0, "itself")
    fits = []
    judged = [name for name in NAMES if name != "induction" or len(twice) >= FEWEST]
    for name in judged:
        share = mean(0, name)
        above = share - mean(1, name) if name != "broad" else ABOVE
        if share >= NAMES[name] and above >= ABOVE:
            fits.append((name, share))
    enough = len(found) >= FEWEST
    sharp = [each for each in fits if each[0] != "broad"]
    name, share = max(sharp or fits, key=lambda each: each[1]) if fits and enough else ("", 0.0)
    of_all = share if name in ("", "broad", *APART) else mean(0, _of_all(name))
    followed = mean(0, "induction") if "induction" in judged else None
    return HeadName(name, share, of_all, first, itself, len(found), followed)
