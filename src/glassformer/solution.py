"""A worked solution: a worksheet's trace, stage by stage, ready to be shown. It does not know where it is shown."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glassformer.arithmetic import Array
from glassformer.errors import InputError, nearest
from glassformer.stages import Stage
from glassformer.trace import Entry, Explanation, Trace, json_values
from glassformer.worked import work
from glassformer.worksheet import Worksheet, example_names, from_mapping, read_example, read_file


@dataclass(frozen=True)
class Shown:
    """One stage of a solution: what the catalogue says of it, and its numbers without the axes nobody asked for."""

    stage: Stage
    plain: str
    latex: str
    axes: tuple[str, ...]
    values: Array
    given: bool
    repeats: str = ""  # the symbol of the stage whose numbers these are, one for one

    @property
    def name(self) -> str:
        """The stage's name."""
        return self.stage.name

    def matrices(self) -> list[tuple[str, Array]]:
        """One matrix, or one per head with its name."""
        rows = np.atleast_2d(self.values)
        if rows.ndim == 2:
            return [("", rows)]
        return [(f"head {i + 1}", head) for i, head in enumerate(rows)]


@dataclass(frozen=True)
class Solution:
    """A worksheet, worked."""

    name: str  # where the worksheet came from
    sheet: Worksheet
    trace: Trace

    def stages(self) -> list[Shown]:
        """Every stage, in the order of the computation."""
        return [self._shown(entry) for entry in self.trace.entries.values()]

    def _shown(self, entry: Entry) -> Shown:
        axes, values = entry.axes, entry.values
        while values.ndim > 2 and values.shape[0] == 1:  # one batch; one head
            axes, values = axes[1:], values[0]
        plain, latex = self.trace.formula(entry.address)
        given = entry.stage.way(entry.how) is None
        repeats = self._repeats(entry)
        if repeats:
            plain, latex = f"{entry.stage.symbol} = {repeats}", f"{entry.stage.latex} = {repeats}"
        return Shown(entry.stage, plain, latex, axes, values, given, repeats)

    def _repeats(self, entry: Entry) -> str:
        sources = self.trace.operands(entry.address)
        if entry.stage.name not in ("joined", "output", "queries", "keys", "values") or len(sources) != 1:
            return ""
        source = self.trace.entry(sources[0] or "")
        same = entry.values.size == source.values.size and bool((entry.values.ravel() == source.values.ravel()).all())
        return (self._repeats(source) or source.stage.symbol) if same else ""

    def labels(self, axis: str) -> list[str]:
        """What stands beside the rows or columns of an axis: its tokens, if there are any."""
        if axis == "Tq":
            return list(self.trace.about["tokens"])
        return list(self.trace.about["context_tokens"]) if axis == "Tk" else []

    def explain(self, number: str | None = None) -> Explanation:
        """The arithmetic of one number, such as `weights[1,2]`; by default the largest weight of the last query."""
        address, index = self.trace.find(number) if number else self._largest_weight()
        return self.trace.explain(address, index)

    def _largest_weight(self) -> tuple[str, tuple[int, ...]]:
        weights = self.trace["weights"]
        last = weights.shape[2] - 1
        return "weights", (0, 0, last, int(weights[0, 0, last].argmax()))

    def to_dict(self) -> dict[str, Any]:
        """The solution as JSON-ready data, in full precision."""
        stages = [
            {
                "name": shown.name,
                "symbol": shown.stage.symbol,
                "axes": list(shown.axes),
                "formula": shown.latex,
                "meaning": shown.stage.meaning,
                "given": shown.given,
                "values": json_values(shown.values),
            }
            for shown in self.stages()
        ]
        return {"example": self.name, "title": self.sheet.title, "tokens": list(self.sheet.tokens), "stages": stages}

    def to_json(self) -> str:
        """The solution as one JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)


def explain(source: str | Path | dict[str, Any] | Worksheet = "i-love-ai") -> Solution:
    """Works an example (by name), a worksheet file (by path), or givens (as a mapping): `explain("masked")`."""
    if isinstance(source, Worksheet):
        return Solution(source.name, source, work(source))
    if isinstance(source, dict):
        return explain(from_mapping(source))
    if str(source) in example_names():
        return explain(read_example(str(source)))
    if not Path(source).suffix and not Path(source).exists():
        hint = nearest(str(source), example_names())
        raise InputError(f"'{source}' is neither an example nor a worksheet file (.toml, .yaml, .json); {hint}")
    return explain(read_file(source))
