"""A trace cut into parts a person can find: embedding, attention, feed-forward, answer; and who stands on each axis.

It reads scopes, axes and operands; it knows no model. Of stages it knows by name only what a module hands on, since
that does not make one part of all that the module holds.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from glassformer.stages.trace import Entry, Trace

# How the words of an address are read out; a number is a block, and anything else stays as it is.
_WORDS = MappingProxyType(
    {"self": "self-attention", "cross": "cross-attention", "feed_forward": "feed-forward", "final_norm": "final norm"}
)
# What a list of layers is called, and one of them.
_LISTS = MappingProxyType({"blocks": "block", "block": "block", "h": "block", "layers": "layer", "layer": "layer"})

_HANDED_ON = "module_output"

# What stands before the axes that the catalogue names: by the first of these, or for rows of any kind by their number.
_LEADING = MappingProxyType({"Tq": ("B", "H"), "T": ("B", "H"), "L": ("H", "…")})
_ROWS = ((), ("B",), ("B", "T"), ("B", "H", "T"))


@dataclass(frozen=True)
class Texts:
    """The tokens on the axes. What lies in one of `context_scopes` is about the context; the rest is about `own`."""

    own: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    context_scopes: tuple[str, ...] = ("source", "encoder")
    classes: tuple[str, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)  # of those words of the vocabulary that are worth showing

    def on_axis(self, address: str, axis: str, *, last: bool, other: bool) -> str | None:
        """Which of these stands on an axis, if any. `last`: it is the last one; `other`: keys are another text's."""
        if axis == "N":
            name = "classes" if last and self.classes else "names"
            return name if getattr(self, name) else None
        if axis not in ("T", "Tq", "Tk"):
            return None
        inside = bool(self.context) and address.partition(".")[0] in self.context_scopes
        text = "context" if inside or (other and axis == "Tk") else "own"
        return text if getattr(self, text) else None


@dataclass
class Part:
    """A run of stages that belong together."""

    id: str
    title: str
    entries: list[Entry]

    @property
    def is_attention(self) -> bool:
        """Some of it is a table of queries against keys, and there are values to be mixed by it."""
        roles = {entry.stage.role for entry in self.entries}
        return "value" in roles and any(_is_pairs(entry) for entry in self.entries)

    @property
    def heads(self) -> int:
        """How many heads; 0 where there are none to speak of."""
        return max(
            (entry.values.shape[axes(entry).index("H")] for entry in self.entries if _is_pairs(entry)), default=0
        )


def axes(entry: Entry) -> tuple[str, ...]:
    """One name per axis, where the catalogue leaves some open: a norm's rows stand in a batch, maybe in heads."""
    named = tuple(axis for axis in entry.stage.axes if axis != "…")
    extra = entry.values.ndim - len(named)
    leading = _LEADING.get(named[0] if named else "")
    return (leading[:extra] if leading else _ROWS[extra]) + named


def _is_pairs(entry: Entry) -> bool:
    found = axes(entry)
    return found[-2:] == ("Tq", "Tk") and "H" in found and entry.stage.role == "score" and entry.values.ndim == 4


def parts_of(trace: Trace) -> list[Part]:
    """The parts, in the order of the computation."""
    runs = list(_runs(trace))
    ids = [scope for scope, _ in runs]
    parts = []
    for place, (scope, entries) in enumerate(runs):
        name = scope if ids.count(scope) == 1 or scope else f"{scope}#{ids[:place].count(scope)}"
        part = Part(name, "", entries)
        part.title = title(scope) if scope else _root_title(part, place, len(runs))
        parts.append(part)
    return parts


def _runs(trace: Trace) -> Iterator[tuple[str, list[Entry]]]:
    own = (entry for entry in trace.entries.values() if entry.stage.name != _HANDED_ON)
    scopes = {entry.scope.rstrip(".") for entry in own} - {""}
    run: list[Entry] = []
    here = None
    for entry in trace.entries.values():
        scope = _outermost(entry.scope.rstrip("."), scopes)
        if run and scope != here:
            yield here or "", run
            run = []
        here = scope
        run.append(entry)
    if run:
        yield here or "", run


def _outermost(scope: str, scopes: set[str]) -> str:
    """A norm inside a sub-layer belongs to it."""
    words = scope.split(".")
    return next((".".join(words[:n]) for n in range(1, len(words)) if ".".join(words[:n]) in scopes), scope)


def _root_title(part: Part, place: int, count: int) -> str:
    if part.is_attention:
        return "attention"
    if count == 1:
        return "the model"
    return "embedding" if place == 0 else "answer" if place == count - 1 else "between"


def title(scope: str) -> str:
    """`encoder.0.self` → `encoder · block 1 · self-attention`"""
    words = []
    found = scope.split(".")
    for word, before, after in zip(found, ["", *found], [*found[1:], ""], strict=False):
        if re.fullmatch(r"\d+", word):
            words.append(f"{_LISTS.get(before, 'block')} {int(word) + 1}")
        elif word not in _LISTS or not re.fullmatch(r"\d+", after):
            words.append(_WORDS.get(word, word.replace("_", " ")))
    if scope in ("source", "target"):
        words.append("embedding")
    return " · ".join(words)


# --- the way of a head ------------------------------------------------------------------------------------------


def lanes(trace: Trace, part: Part) -> dict[str, list[str]]:
    """Where the stages of an attention stand: three lanes that lead into one, and what goes in at the side."""
    inside = {entry.address: entry for entry in part.entries}
    pairs = [entry.address for entry in part.entries if _is_pairs(entry) and _is_step(trace, entry, inside)]
    first = pairs[0]
    order = list(inside)
    main = [
        address
        for address in order[order.index(first) :]
        if address == first or (_is_step(trace, inside[address], inside) and _is_shown(inside[address]))
    ]
    mixed = next((address for address in main if address not in pairs), None)
    found = {
        "query": _lane(trace, first, 0, inside),
        "key": _lane(trace, first, 1, inside),
        "value": _lane(trace, mixed, 1, inside) if mixed else [],
        "main": main,
    }
    found["from"] = list(
        dict.fromkeys(_source(trace, found[name]) for name in ("query", "key", "value") if found[name])
    )
    found["from"] = [address for address in found["from"] if address]
    return found


def _is_step(trace: Trace, entry: Entry, inside: dict[str, Entry]) -> bool:
    return bool(trace.operands(entry.address)) or (_is_pairs(entry) and entry.how == "given")


def _is_shown(entry: Entry) -> bool:
    """A whole matrix with rows for tokens; the means and variances inside a norm are not on the way."""
    return entry.values.ndim >= 3


def _lane(trace: Trace, address: str | None, place: int, inside: dict[str, Entry]) -> list[str]:
    operands = trace.operands(address) if address else []
    here = operands[place] if place < len(operands) else None
    lane: list[str] = []
    while here in inside and set(axes(inside[here])) & {"H", "G"} and axes(inside[here])[0] == "B":
        entry = inside[here]
        if not entry.same_as:
            lane.insert(0, here)
        below = trace.operands(here)
        here = entry.same_as or (below[0] if below else None)
    return lane


def _source(trace: Trace, lane: list[str]) -> str:
    operands = trace.operands(lane[0]) if lane else []
    return (operands[0] or "") if operands else ""
