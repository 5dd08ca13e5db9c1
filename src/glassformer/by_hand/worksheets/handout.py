"""A worked trace made ready to be shown: its stages without idle axes, and one number spelled out in words and figures.

It decides what is said, never how it looks, and knows no terminal and no torch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from glassformer.stages import notation
from glassformer.stages.arithmetic import Array, Index
from glassformer.stages.remarks import remarks_on
from glassformer.stages.stage import Stage
from glassformer.stages.trace import Entry, Explanation, Trace

IN_COLUMNS = "Tokens stand in columns, and every matrix before what it works on."
# Stages that may hand on just what they were handed, and why there is then nothing to do.
_IDLE = MappingProxyType(
    {"queries": "no W_Q", "keys": "no W_K", "values": "no W_V", "joined": "one head", "output": "no W_O"}
)
_COPIES = ("same", "split heads", "join heads", "cut", "stack", "unroll", "last row", "delay",
    "three side by side", "cut first", "cut second", "cut third")  # fmt: skip
_OF_IDS = ("written_ids", "target_ids", "chosen_id", "next_ids", "forced_ids")


@dataclass(frozen=True)
class ShownStage:
    """One stage: what the catalogue says of it, and its numbers without the axes nobody asked for."""

    stage: Stage
    address: str
    plain: str
    latex: str
    meaning: str
    axes: tuple[str, ...]
    values: Array
    given: bool
    rows: tuple[str, ...] = ()  # the tokens beside the rows, and above the columns
    columns: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()  # the single numbers that went in: β = 1/√d_k = 0.7071
    remarks: tuple[str, ...] = ()  # what is asked most about it: why K is turned over
    copied: bool = False  # handed on from another part as it is, and no given
    repeats: str = ""  # the symbol of the stage whose numbers these are, because there was nothing to do
    hidden: NDArray[np.bool_] | None = None  # where a weight is 0 because the query may not look

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The values as a person would have them: rounding noise is 0, but a small share is a share."""
        shares = self.name in ("weights", "dropped")
        return self.values.astype(np.float64) if shares else notation.without_noise(self.values)

    def decimals(self, precision: int) -> int:
        """How many decimals every number of this stage has."""
        return notation.decimals_needed(self.numbers, precision)

    def heads(self) -> list[tuple[str, Index]]:
        """One matrix, or one per head: each with its name and where it stands in the values."""
        count = self.values.shape[0] if self.values.ndim > 2 else 0
        return [(f"head {i}", (i,)) for i in range(count)] or [("", ())]

    def idle(self) -> str:
        """Why there was nothing to do."""
        return _IDLE[self.name]


@dataclass(frozen=True)
class WorkedNumber:
    """One number's arithmetic, ready to be written down."""

    place: str  # weights[1,2]
    where: str  # which row and column that is, and which it was made from
    formula: str
    latex: str
    role: str
    copy_of: str  # the place whose number this is, if it is a copy
    steps: tuple[str, ...]  # the sides of the equation, the last of them the number itself
    reason: str  # what there is to say after the last: "given", "since it is hidden"
    rounded: bool  # the figures are shown rounded


@dataclass(frozen=True)
class Handout:
    """All that a page shows of a solution."""

    title: str
    about: str
    tokens: tuple[str, ...]
    context_tokens: tuple[str, ...]  # where they are not the same
    stages: tuple[ShownStage, ...]
    number: WorkedNumber
    precision: int
    in_columns: bool = False  # tokens stand in columns

    def given(self) -> list[ShownStage]:
        """What was handed in."""
        return [shown for shown in self.stages if shown.given and not shown.copied]

    def made(self) -> list[list[ShownStage]]:
        """What was made, in order; stages that repeat the same one follow each other in one group."""
        groups: list[list[ShownStage]] = []
        for shown in self.stages:
            if shown.given or not shown.values.ndim:
                continue
            if shown.repeats and groups and groups[-1][0].repeats == shown.repeats:
                groups[-1].append(shown)
            else:
                groups.append([shown])
        return groups


# The parts of a block, and what they are called.
_PARTS = MappingProxyType({"self": "self-attention", "cross": "cross-attention", "feed_forward": "feed-forward"})


def part_of(address: str) -> str:
    """The part of a block that a stage belongs to, in words: `self-attention: norm`."""
    return ": ".join(_PARTS.get(each, each) for each in address.split(".")[:-1])


def labels(trace: Trace, axis: str, address: str = "") -> tuple[str, ...]:
    """The tokens that stand on an axis, if there are any; in self-attention the keys are the queries' own."""
    axis = "Tq" if address.startswith("self.") and axis == "Tk" else axis
    name = {"T": "tokens", "Tq": "tokens", "Tk": "context_tokens", "N": "vocabulary"}.get(axis, "")
    return tuple(str(word) for word in trace.about.get(name, ()))


# --- stages -----------------------------------------------------------------------------------------------------


def stages_of(trace: Trace, precision: int = 4) -> list[ShownStage]:
    """Every stage, in the order of the computation."""
    return [_shown(trace, entry, precision) for entry in trace.entries.values()]


def _shown(trace: Trace, entry: Entry, precision: int) -> ShownStage:
    values, axes = _squeezed(entry.values), entry.axes[entry.values.ndim - _squeezed(entry.values).ndim :]
    plain, latex = trace.formula(entry.address)
    repeats = _repeats(trace, entry)
    if repeats is not None:
        plain = f"{entry.stage.symbol} = {repeats.symbol}"
        latex = f"{entry.stage.latex} = {repeats.latex}"
    way = entry.stage.way(entry.how)
    return ShownStage(
        stage=entry.stage,
        address=entry.address,
        plain=plain,
        latex=latex,
        meaning=trace.worded((way.meaning if way else "") or entry.stage.meaning),
        axes=axes,
        values=values,
        given=way is None,
        rows=labels(trace, axes[-2], entry.address) if len(axes) > 1 else (),
        columns=_words_of(trace, entry) or (labels(trace, axes[-1], entry.address) if axes else ()),
        facts=tuple(_facts(trace, entry, precision)),
        remarks=tuple(remarks_on(trace, entry)),
        copied=bool(entry.same_as) and way is None,
        repeats=repeats.symbol if repeats else "",
        hidden=_hidden(trace, entry),
    )


def _words_of(trace: Trace, entry: Entry) -> tuple[str, ...]:
    """The words whose ids these are."""
    words = trace.about.get("vocabulary", ())
    return tuple(str(words[int(id_)]) for id_ in entry.values) if words and entry.stage.name in _OF_IDS else ()


def _squeezed(values: Array) -> Array:
    while values.ndim > 2 and values.shape[0] == 1:  # one batch; one head
        values = values[0]
    return values


def _repeats(trace: Trace, entry: Entry) -> Stage | None:
    """The stage whose numbers these are, one for one: there is one head, or no matrix, so nothing was done."""
    way = entry.stage.way(entry.how)
    if way is None or entry.written or entry.stage.name not in _IDLE:
        return None
    source = trace.entry(trace.operands(entry.address)[0] or "")
    split, joined = entry.values.shape[1], source.values.shape[1]
    one_head = {"split heads": split == 1, "join heads": joined == 1, "same": True}
    if not one_head.get(way.operation, False):
        return None
    return _repeats(trace, source) or source.stage


def _facts(trace: Trace, entry: Entry, precision: int) -> list[str]:
    """The single numbers that went in, and those they were made of."""
    single = [trace.entry(name) for name in trace.operands(entry.address) if name and trace[name].ndim == 0]
    facts = []
    for each in single:
        written = notation.plain(precision)(float(each.values))
        facts += [f"{trace.formula(each.address)[0]} = {written}", *_facts(trace, each, precision)]
    return facts


def _hidden(trace: Trace, entry: Entry) -> NDArray[np.bool_] | None:
    mask = entry.scope + "mask"
    if entry.stage.name not in ("weights", "dropped") or mask not in trace:
        return None
    return ~np.asarray(_squeezed(np.broadcast_to(trace[mask], entry.values.shape)), dtype=np.bool_)


# --- one number -------------------------------------------------------------------------------------------------


def spell_out(trace: Trace, explanation: Explanation, precision: int, *, first: int = 0) -> WorkedNumber:
    """A number's arithmetic in the figures of the page, with its row and column in words; `first` is what the first of
    them is called, 0 beside addresses and 1 among people."""
    entry = trace.entry(explanation.address)
    result = _figure(trace, explanation, precision)
    steps, reason = _steps(trace, explanation, precision, first)
    copy_of = ""
    if explanation.operation in _COPIES or (explanation.operation == "mask" and explanation.number > -np.inf):
        source = explanation.operands[0]
        steps, copy_of = [], trace.place(source.address, source.index)
    figures = [term.value for term in explanation.terms] + [cell.value for cell in explanation.operands]
    return WorkedNumber(
        place=trace.place(explanation.address, explanation.index),
        where=_where(trace, explanation, first),
        formula=explanation.formula if steps or copy_of else "",
        latex=explanation.latex,
        role=entry.stage.role,
        copy_of=copy_of,
        steps=(*steps, result),
        reason=reason,
        rounded=bool(steps) and any(notation.is_rounded(each, precision) for each in figures),
    )


def _figure(trace: Trace, explanation: Explanation, precision: int) -> str:
    """The number with the same digits as in its matrix."""
    shown = _shown(trace, trace.entry(explanation.address), precision)
    if shown.values.dtype.kind == "b":
        return "✓" if explanation.number else "·"
    if not shown.values.ndim:
        return notation.plain(precision)(explanation.number)
    number = shown.numbers[explanation.index[len(explanation.index) - shown.values.ndim :]]
    return notation.aligned(float(number), shown.decimals(precision), precision)


def _steps(trace: Trace, explanation: Explanation, precision: int, first: int) -> tuple[list[str], str]:
    """The sides of the equation before the number itself, and what there is to say after it."""
    if trace.entry(explanation.address).stage.name == "mask":
        return [], f"{explanation.operation}: {_rule(trace, explanation, explanation.number > 0, first)}"
    if explanation.operation in ("given", "written"):
        return [], explanation.operation
    if explanation.operation == "mask":
        return [], f"since {_rule(trace, explanation, explanation.number > -np.inf, first)}"
    sides = explanation.working.sides(notation.plain(precision))
    *steps, last = sides
    last, _, reason = last.partition(", since ")
    steps = [] if reason else [*steps, last]  # with a reason, the last side is the number itself
    return steps, f"since {reason}" if reason else ""


def _rule(trace: Trace, explanation: Explanation, allowed: bool, first: int) -> str:
    """`“first” may not look at “second”`"""
    address = explanation.address
    places = dict(zip(trace.entry(address).axes[-2:], explanation.index[-2:], strict=True))
    names = [_named(trace, axis, places[axis], address, first) for axis in ("Tq", "Tk")]
    return f"{names[0]} {'may' if allowed else 'may not'} look at {names[1]}"


def _named(trace: Trace, axis: str, i: int, address: str, first: int) -> str:
    words = labels(trace, axis, address)
    return f"“{words[i]}”" if i < len(words) else f"{'query' if axis == 'Tq' else 'key'} {i + first}"


def _where(trace: Trace, explanation: Explanation, first: int) -> str:
    """`row “AI”, column “love” of S, from row “AI” of Q and row “love” of K`"""
    if not explanation.index:
        return ""  # a single number is nowhere in particular
    here = _region(trace, explanation.address, [explanation.index], first)
    if explanation.operation in ("given", "written", "mask", *_COPIES):
        return here
    indices: dict[str, list[Index]] = {}
    for cell in explanation.operands:
        indices.setdefault(cell.address, []).append(cell.index)
    sources = [_region(trace, address, found, first) for address, found in indices.items()]
    if not sources:
        return here
    return f"{here}, from {' and '.join([', '.join(sources[:-1]), sources[-1]] if sources[1:] else sources)}"


def _region(trace: Trace, address: str, indices: Sequence[Index], first: int) -> str:
    """What all of the indices share, in words: `head 0, row “AI” of Q`; the axes they run along are left out."""
    entry = trace.entry(address)
    words = []
    for k, (axis, size) in enumerate(zip(entry.axes, entry.values.shape, strict=True)):
        if len({index[k] for index in indices}) > 1 or (
            size == 1 and (k < len(entry.axes) - 2 or axis.startswith("…"))
        ):
            continue
        i = indices[0][k]
        kind = {0: "column", 1: "row", 2: "head"}.get(len(entry.axes) - 1 - k, "batch")
        tokens = labels(trace, axis, address)
        words.append(f"{kind} “{tokens[i]}”" if i < len(tokens) else f"{kind} {i + first}")
    return f"{', '.join(words)} of {entry.stage.symbol}" if words else entry.stage.symbol
