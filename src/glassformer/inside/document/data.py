"""A look as one JSON document: what the page draws, and nothing else. Every fact of a stage comes from the catalogue.

What is too large for a page is cut to what matters (a vocabulary to the words at hand), or left out, and it says so.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from glassformer.errors import InputError
from glassformer.inside.document import packing
from glassformer.inside.document.trees import formula_tree, symbol_tree
from glassformer.inside.first_view import opening
from glassformer.inside.looks import Look
from glassformer.inside.parts import Part, axes, lanes, parts_of
from glassformer.stages.arithmetic import Array
from glassformer.stages.operations import OPERATIONS, resolved
from glassformer.stages.remarks import remarks_on
from glassformer.stages.trace import Entry, Trace
from glassformer.stages.written_places import runs

FORMAT = "glassformer-view/1"
WHOLE_VOCABULARY = 64  # up to so many words a vocabulary is shown whole
LEFT_OUT = "Left out of this file to keep it small."
SMALL = 512  # numbers up to which a stage always comes along
LONG = 96  # tokens from which on the small pictures of heads are made here, and not by the page
_SMALL = 48  # their size

JSON = dict[str, Any]


@dataclass(frozen=True)
class PageFit:
    """What was done to keep a page small."""

    rounded: bool = False
    without: frozenset[str] = frozenset()


def view_data(
    look: Look, *, limit: int | None = None, packed: bool = True, later: bool = False, shown: str | None = None
) -> JSON:
    """The document for `mount`.

    limit    bytes it may have: to keep it, numbers are rounded to six decimals, then the largest matrices left out
    packed   all numbers in one compressed text; else each stage has its own, for a server that compresses anyway
    later    tables of queries against keys come without numbers; the page asks for one head at a time
    shown    a stage: only its part, the patterns and what is small come along; the page asks for the rest
    """
    fit = PageFit(without=frozenset(_pairs(look.trace)) if later else frozenset())
    if shown is not None:
        fit = replace(fit, without=fit.without | _elsewhere(look, shown))
        later = True
    document = _document(look, fit, packed, later)
    if limit is None or _size(document) <= limit:
        return document
    fit = replace(fit, rounded=True)
    document = _document(look, fit, packed, later)
    while _size(document) > limit:
        largest = _largest(look, fit.without, _size(document) - limit)
        if not largest:
            raise InputError(f"This page cannot be made as small as {limit:,} bytes; allow more, or shorten the text.")
        fit = replace(fit, without=fit.without | largest)
        document = _document(look, fit, packed, later)
    return document


def stage_numbers(look: Look, address: str, head: int | None = None) -> JSON:
    """The numbers of one stage, or of one head of it, for a page that asks for them: `{kind, base64}`."""
    entry = look.trace.entry(address)
    values, _ = _cut(look, entry)
    return dict(packing.encoded_array(values if head is None else values[:, head]))


def _size(document: JSON) -> int:
    return len(json.dumps(document, separators=(",", ":")))


def _largest(look: Look, without: frozenset[str], excess: int) -> frozenset[str]:
    """The next matrices to go: what is given before what is made, the largest first, until about enough is gone."""
    trace = look.trace
    left = [entry for entry in trace.entries.values() if entry.address not in without and not entry.same_as]
    left = [entry for entry in left if entry.values.size > 1024]
    left.sort(key=lambda entry: (bool(trace.operands(entry.address)), -_cut(look, entry)[0].size))
    chosen: set[str] = set()
    for entry in left:
        if excess <= 0:
            break
        chosen.add(entry.address)
        excess -= _cut(look, entry)[0].size * 3
    return frozenset(chosen)


def _pairs(trace: Trace) -> list[str]:
    return [entry.address for entry in trace.entries.values() if axes(entry)[-2:] == ("Tq", "Tk")]


def _elsewhere(look: Look, shown: str) -> frozenset[str]:
    """The stages whose numbers can wait: those of other parts, and weights, unless they are small or patterns."""
    parts = parts_of(look.trace)
    here = {entry.address for part in parts for entry in part.entries if any(shown == e.address for e in part.entries)}
    patterns = {_pattern(look.trace, part) for part in parts if part.is_attention}
    return frozenset(
        entry.address
        for entry in look.trace.entries.values()
        if entry.values.size > SMALL
        and entry.address not in patterns
        and (entry.address not in here or not look.trace.operands(entry.address))
    )


def _pattern(trace: Trace, part: Part) -> str:
    """The last table of queries against keys: where a head looks."""
    return [each for each in lanes(trace, part)["main"] if axes(trace.entry(each))[-2:] == ("Tq", "Tk")][-1]


# --- the document -----------------------------------------------------------------------------------------------


def _document(look: Look, fit: PageFit, packed: bool, later: bool) -> JSON:
    parcel = packing.Parcel(fit.rounded) if packed else None
    parts = parts_of(look.trace)
    home = {entry.address: part for part in parts for entry in part.entries}
    stages = [
        _stage(look, entry, home[entry.address], _numbers(look, entry, fit, parcel, later))
        for entry in look.trace.entries.values()
    ]
    shown = [_part(look.trace, part, look.texts.context_scopes if look.texts.context else ()) for part in parts]
    formulas: list[Any] = []
    meanings: list[Any] = []
    for stage in stages:
        stage["formula"] = _once(formulas, stage["formula"])
        stage["symbol_tree"] = _once(formulas, stage["symbol_tree"])
        stage["meaning"] = _once(meanings, stage["meaning"])
    return {
        "format": FORMAT,
        "title": look.title,
        "about": look.about,
        "texts": _texts(look),
        "stages": stages,
        "parts": shown,
        "opening": opening(look.trace, shown),
        "formulas": formulas,
        "meanings": meanings,
        "operations": operations_of(stages),
        "answer": look.answer,
        "rounded": fit.rounded,
        "packed": parcel.closed() if parcel else None,
    }


def operations_of(stages: Sequence[JSON]) -> JSON:
    """The operations these stages were made by, for a page that has no Python to ask."""
    used = {stage["operation"] for stage in stages}
    return {name: resolved(name) for name in OPERATIONS if name in used}


def _once(said: list[Any], one: Any) -> int:
    """Where a formula or a sentence stands in the list; the blocks of a model share most of theirs."""
    if one not in said:
        said.append(one)
    return said.index(one)


def _texts(look: Look) -> JSON:
    texts = look.texts
    return {
        "own": list(texts.own),
        "context": list(texts.context),
        "classes": list(texts.classes),
        "names": {str(number): name for number, name in texts.names.items()},
    }


def _numbers(look: Look, entry: Entry, fit: PageFit, parcel: packing.Parcel | None, later: bool) -> JSON:
    """Where the numbers are, which of a long axis were kept, and if they are missing, why."""
    values, kept = _cut(look, entry)
    found: JSON = {"stored": list(values.shape), "kept": kept, "numbers": None, "why": ""}
    if entry.same_as and not entry.written:
        return found
    if entry.address in fit.without:
        found["why"] = "later" if later else LEFT_OUT
        return found
    found["numbers"] = parcel.add(values) if parcel else packing.encoded_array(values)
    return found


def _cut(look: Look, entry: Entry) -> tuple[Array, dict[str, list[int]]]:
    """The values without the words of the vocabulary that nobody asked about."""
    values, kept = entry.values, {}
    words = sorted(look.texts.names)
    for place, axis in enumerate(axes(entry)):
        classes = place == values.ndim - 1 and look.texts.classes
        if axis == "N" and words and not classes and values.shape[place] > WHOLE_VOCABULARY:
            values = np.take(values, words, axis=place)
            kept[str(place)] = words
    return values, kept


def _stage(look: Look, entry: Entry, part: Part, numbers: JSON) -> JSON:
    trace = look.trace
    named = axes(entry)
    way = entry.stage.way(entry.how)
    plain, _ = trace.formula(entry.address)
    same = entry.same_as if entry.same_as and not entry.written else ""
    return {
        "address": entry.address,
        "name": entry.stage.name,
        "symbol": entry.stage.symbol,
        "symbol_tree": symbol_tree(entry.stage),
        "role": entry.stage.role,
        "meaning": (way.meaning if way else "") or entry.stage.meaning,
        "remarks": remarks_on(trace, entry),
        "axes": list(named),
        "shape": list(entry.values.shape),
        "labels": [_label(look, entry, place, axis) for place, axis in enumerate(named)],
        "slices": _slices(part, entry),
        "formula": formula_tree(trace, entry.address),
        "plain": plain,
        "operation": _operation(trace, entry),
        "operands": [same] if same else trace.operands(entry.address),
        "same_as": same,
        "written": entry.written,
        **({"unlike": runs(entry.unlike)} if entry.written else {}),
        "shares": entry.stage.name in ("weights", "dropped"),
        "hidden": _hidden(trace, entry),
        "truth": entry.values.dtype.kind == "b",
        "part": part.id,
        **numbers,
    }


def _label(look: Look, entry: Entry, place: int, axis: str) -> str | None:
    """Whose tokens stand on an axis: as the address says if there are as many, else another text of that length."""
    other = entry.scope + "context" in look.trace
    name = look.texts.on_axis(entry.address, axis, last=place == entry.values.ndim - 1, other=other)
    if name not in ("own", "context"):
        return name
    fit = [each for each in (name, "own", "context") if len(getattr(look.texts, each)) == entry.values.shape[place]]
    return fit[0] if fit else None


def _operation(trace: Trace, entry: Entry) -> str:
    """`given`, `written`, or the operation that made it, where nobody wrote, from operands that are all there."""
    if entry.written and (entry.same_as or entry.unlike is None):
        return "written"
    if entry.same_as:
        return "same"
    way = entry.stage.way(entry.how)
    if way is None:
        return "given"
    found = zip(trace.operands(entry.address), way.operands, strict=True)
    return way.operation if all(each or wanted.endswith("?") for each, wanted in found) else "given"


def _hidden(trace: Trace, entry: Entry) -> str | None:
    """The mask that says which of these numbers are nobody's."""
    mask = entry.scope + "mask"
    after = list(trace).index(entry.address) > list(trace).index(mask) if mask in trace else False
    return mask if after and axes(entry)[-2:] == ("Tq", "Tk") else None


def _slices(part: Part, entry: Entry) -> int:
    """How many heads share the columns, side by side."""
    last = (axes(entry) or ("",))[-1]
    if not part.heads or last not in ("HK", "HV", "GK", "GV"):
        return 0
    if last[0] == "H":
        return part.heads
    shared = (each.values.shape[1] for each in part.entries if "G" in axes(each))
    return next(shared, part.heads)


def _part(trace: Trace, part: Part, context_scopes: Sequence[str]) -> JSON:
    attention = part.is_attention
    found: JSON = {
        "id": part.id,
        "title": part.title,
        "column": "context" if part.id.partition(".")[0] in context_scopes else "own",
        "heads": part.heads,
        "stages": [entry.address for entry in part.entries],
        "lanes": lanes(trace, part) if attention else None,
        "pattern": None,
        "small": None,
    }
    if attention:
        found["pattern"] = _pattern(trace, part)
        weights = trace[found["pattern"]]
        if max(weights.shape[-2:]) > LONG:
            found["small"] = _small(weights[0])
    return found


def _small(weights: Array) -> JSON:
    """Each head's pattern made small by keeping the largest of each patch."""
    heads = [_shrunk(head) for head in weights.astype(np.float64)]
    shape = list(heads[0].shape)
    return {"shape": [len(heads), *shape], **packing.encoded_array(np.stack(heads).astype(np.float32))}


def _shrunk(head: Array) -> Array:
    for axis in (0, 1):
        places = np.linspace(0, head.shape[axis], min(_SMALL, head.shape[axis]), endpoint=False).astype(int)
        head = np.maximum.reduceat(head, np.unique(places), axis=axis)
    return head
