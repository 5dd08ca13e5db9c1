"""Patching: numbers of a twin's pass put into the pass of a text, one place or one part at a time, and the margin then.

A place that turns the answer holds what the twins differ in. Stage by stage that shows where it goes. It knows stages
by name, and no words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from glassformer.inside.parts import title
from glassformer.inside.why.margins import Margin, Prompted

_STREAM = re.compile(r"(?:source\.|target\.)?embedded|.+\.feed_forward\.added|self\.output")
_PARTS = re.compile(r".*(?:mixed|contracted)")


@dataclass(frozen=True)
class PatchedStage:
    """The stream after one stage: for each group of places the margin when the twin's rows are put there, and which
    answer is then the likeliest of all.

    written     whether the rows are those of what the model has written, or of the text
    """

    address: str
    title: str
    written: bool
    groups: tuple[tuple[int, ...], ...]  # places of the row as a whole
    margins: tuple[float, ...]
    tops: tuple[int, ...]


@dataclass(frozen=True)
class PatchedPart:
    """The margin when all that a head, or a feed-forward network, hands on is the twin's, and the likeliest answer."""

    title: str
    margin: float
    top: int


def patched_stages(
    margin: Margin, given: Prompted, twin: Prompted, groups: Sequence[tuple[int, ...]]
) -> list[PatchedStage]:
    """Stage by stage along the stream; both texts have as many tokens."""
    kept = _kept(margin, twin, _STREAM)
    asked = [(address, group) for address in kept for group in groups if _stands_in(margin, given, address, group)]
    found = _margins(margin, given, [_RowsFrom(address, kept[address], _local(margin, given, address, group))
                                     for address, group in asked])  # fmt: skip
    stages = []
    for address in kept:
        mine = [(group, *each) for (where, group), each in zip(asked, found, strict=True) if where == address]
        if mine:
            some, margins, tops = zip(*mine, strict=True)
            stages.append(PatchedStage(address, _title(address), _is_written(margin, address), some, margins, tops))
    return stages


def patched_parts(margin: Margin, given: Prompted, twin: Prompted) -> list[PatchedPart]:
    """Every head, and every feed-forward network, by itself."""
    kept = _kept(margin, twin, _PARTS)
    patches, names = [], []
    for address, values in kept.items():
        scope, _, stage = address.rpartition(".")
        heads = range(values.shape[1]) if stage == "mixed" else [None]
        for head in heads:
            patches.append(_RowsFrom(address, values, None, head))
            names.append(title(scope) + ("" if head is None else f" · head {head + 1}"))
    found = _margins(margin, given, patches)
    return [PatchedPart(name, *each) for name, each in zip(names, found, strict=True)]


@dataclass(frozen=True)
class _RowsFrom:
    """One patch: where, the twin's values, and which rows or which head of them; None is all."""

    address: str
    values: Tensor
    rows: tuple[int, ...] | None
    head: int | None = None

    def put(self, into: Tensor) -> None:
        """`into` is one text's values, without the batch's axis."""
        if self.head is not None:
            into[self.head] = self.values[0, self.head]
        elif self.rows is None:
            into[:] = self.values[0]
        else:
            into[list(self.rows)] = self.values[0, list(self.rows)]


def _margins(margin: Margin, given: Prompted, patches: Sequence[_RowsFrom]) -> list[tuple[float, int]]:
    found: list[tuple[float, int]] = []
    for begin, rows in margin.batches([given] * len(patches)):
        logits = margin.logits(rows, _Patcher(patches[begin : begin + len(rows)]))
        found += zip(margin.of(logits).tolist(), logits.argmax(-1).tolist(), strict=True)
    return found


def _kept(margin: Margin, twin: Prompted, which: re.Pattern[str]) -> dict[str, Tensor]:
    keeper = _Keeper(which)
    margin.of_ids([twin], keeper)
    return keeper.kept


class _Keeper:
    """Keeps the stages whose names fit."""

    def __init__(self, which: re.Pattern[str]) -> None:
        self.which = which
        self.kept: dict[str, Tensor] = {}

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        if self.which.fullmatch(name):
            self.kept[name] = value
        return value


class _Patcher:
    """In each row of a batch another patch."""

    def __init__(self, patches: Sequence[_RowsFrom]) -> None:
        self.patches = patches

    def __call__(self, name: str, value: Any, how: str = "") -> Any:
        mine = [(i, patch) for i, patch in enumerate(self.patches) if patch.address == name]
        if not mine:
            return value
        changed = value.clone()
        for i, patch in mine:
            patch.put(changed[i])
        return changed


# --- which rows are whose -----------------------------------------------------------------------------------------


def _is_written(margin: Margin, address: str) -> bool:
    return margin.family == "translator" and address.startswith(("target", "decoder"))


def _stands_in(margin: Margin, given: Prompted, address: str, group: tuple[int, ...]) -> bool:
    """Whether a stage has rows for these places: a translator has two streams."""
    if margin.family != "translator":
        return True
    return _is_written(margin, address) == (group[0] >= len(given.ids))


def _local(margin: Margin, given: Prompted, address: str, group: tuple[int, ...]) -> tuple[int, ...]:
    shift = len(given.ids) if _is_written(margin, address) else 0
    return tuple(place - shift for place in group)


def _title(address: str) -> str:
    scope = address.rpartition(".")[0].removesuffix(".feed_forward")
    if address.endswith("embedded"):
        return f"{scope} embedding".strip()
    return f"after {title(scope)}" if not address.endswith("output") else "after self-attention"
