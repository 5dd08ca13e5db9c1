"""A worked solution: a worksheet and its trace, to be asked, kept as JSON, or written down. It draws nothing itself."""

import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from glassformer.by_hand.worksheets.handout import Handout, ShownStage, spell_out, stages_of
from glassformer.by_hand.worksheets.markdown import handout_to_markdown, to_latex
from glassformer.by_hand.worksheets.text_page import solution_page
from glassformer.by_hand.worksheets.topics import meant, named
from glassformer.by_hand.worksheets.worked import work
from glassformer.by_hand.worksheets.worksheet import Worksheet, example_names, from_mapping, read_example, read_file
from glassformer.drawing.terminal import page_width
from glassformer.errors import InputError
from glassformer.stages.arithmetic import Index
from glassformer.stages.column_trace import ColumnTrace, in_columns
from glassformer.stages.trace import Explanation, Trace, json_values

FORMAT = "glassformer-explain/1"
_IMAGES = ("image convolution", "max pooling")


@dataclass(frozen=True)
class Solution:
    """A worksheet, worked. Print it to read it."""

    name: str  # where the worksheet came from
    sheet: Worksheet
    trace: Trace

    def scaled_by(self, scale: float) -> "Solution":
        """The same worksheet, with another β before the softmax."""
        if self.sheet.layer != "attention":
            raise InputError(f"β is the scale of an attention; this is a worksheet of the layer '{self.sheet.layer}'.")
        if not math.isfinite(scale):
            raise InputError(f"The scale must be a finite number; it is {scale}.")
        return explain(replace(self.sheet, scale=scale, key_width=None))

    def in_columns(self) -> "Solution":
        """The same numbers in the column convention: tokens in columns, q = W x, S = Kᵀ Q, H = V A."""
        if not self.has_columns:
            raise InputError(f"A worksheet of {self.sheet.layer} has no tokens that could stand in columns.")
        return self if isinstance(self.trace, ColumnTrace) else replace(self, trace=in_columns(self.trace))

    @property
    def has_columns(self) -> bool:
        """Whether there are tokens that could stand in columns."""
        return self.sheet.layer not in _IMAGES

    def stages(self) -> list[ShownStage]:
        """Every stage, in the order of the computation."""
        return stages_of(self.trace)

    def explain(self, number: str | None = None) -> Explanation:
        """The arithmetic of one number, such as `weights[1,2]`; by default the largest weight of the last query.

        Where there are no weights, it is the largest number of the last row of the result.
        """
        address, index = self.trace.find(number) if number else self._largest()
        return self.trace.explain(address, index)

    def _largest(self) -> tuple[str, Index]:
        trace = self.trace.in_rows if isinstance(self.trace, ColumnTrace) else self.trace
        address = "weights" if "weights" in trace else list(trace)[-1]
        values = trace[address]
        before = (0,) * (values.ndim - 2) + ((values.shape[-2] - 1,) if values.ndim > 1 else ())
        index: Index = (*before, int(values[before].argmax())) if values.ndim else ()
        return address, self.trace.turned(address, index) if isinstance(self.trace, ColumnTrace) else index

    def handout(self, precision: int = 4, number: str | None = None) -> Handout:
        """All that a page shows, with so many decimals, and one number spelled out."""
        if not 2 <= precision <= 15:
            raise InputError(f"The precision is {precision}; expected 2 to 15 decimals.")
        context_tokens = self.sheet.context_tokens if self.sheet.context_tokens != self.sheet.tokens else ()
        return Handout(
            self.sheet.title,
            self.sheet.about,
            tuple(self.sheet.tokens),
            tuple(context_tokens),
            tuple(stages_of(self.trace, precision)),
            spell_out(self.trace, self.explain(number), precision),
            precision,
            isinstance(self.trace, ColumnTrace),
        )

    def to_markdown(self, precision: int = 4, number: str | None = None) -> str:
        """A worked solution to paste into notes."""
        return handout_to_markdown(self.handout(precision, number))

    def to_latex(self, precision: int = 4, number: str | None = None) -> str:
        """The same as a LaTeX fragment."""
        return to_latex(self.handout(precision, number))

    def to_dict(self) -> dict[str, Any]:
        """The solution as JSON-ready data, in full precision."""
        stages = [
            {
                "name": shown.address,
                "symbol": shown.stage.symbol,
                "axes": list(shown.axes),
                "formula": shown.latex,
                "plain": shown.plain,
                "meaning": shown.meaning,
                "given": shown.given,
                "values": json_values(shown.values),
            }
            for shown in self.stages()
        ]
        return {
            "format": FORMAT,
            "example": self.name,
            **({"tokens_in": "columns"} if isinstance(self.trace, ColumnTrace) else {}),
            "title": self.sheet.title,
            "about": self.sheet.about,
            "tokens": list(self.sheet.tokens),
            "context_tokens": list(self.sheet.context_tokens or self.sheet.tokens),
            "heads": self.sheet.heads,
            "stages": stages,
        }

    def to_json(self) -> str:
        """The solution as one JSON document."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return "\n".join(line.plain for line in solution_page(self.handout(), page_width(100)))

    def __repr__(self) -> str:
        return f"Solution({self.name!r}, {len(self.trace)} stages; print it, or ask .explain('weights[0,0]'))"

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.to_markdown()


def explain(source: str | Path | dict[str, Any] | Worksheet = "i-love-ai") -> Solution:
    """Works an example (by name), a worksheet file (by path), or givens (as a mapping): `explain("masked")`."""
    if isinstance(source, Worksheet):
        return Solution(source.name, source, work(source))
    if isinstance(source, dict):
        return explain(from_mapping(source))
    if str(source) in example_names():
        return explain(read_example(str(source)))
    if not Path(source).suffix and not Path(source).exists():
        if (name := named(str(source), example_names())) is not None:
            return explain(read_example(name))
        hint = meant(str(source), example_names())
        raise InputError(f"'{source}' is neither an example nor a worksheet file (.toml, .yaml, .json); {hint}")
    return explain(read_file(source))
