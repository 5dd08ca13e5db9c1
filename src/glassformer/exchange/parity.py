"""Whether an export is the same model: its answers beside ours on the same texts, the largest difference, what both
write, how both cut text. It knows no format and writes no file.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from glassformer.engines.parity import TOLERANCE, bar_of
from glassformer.errors import counted
from glassformer.models.language_model import Continuation
from glassformer.models.registry import MODELS
from glassformer.models.sampling import Stop, gather, likeliest, stream
from glassformer.models.translator import Translation
from glassformer.objectives.objective import Trained
from glassformer.objectives.predictions import padded_tensors
from glassformer.objectives.table import objective_of
from glassformer.text import batches

BAR = TOLERANCE  # the largest difference of a logit that is still the same model, if rounding alone does no more
LONGEST = 23  # ids that are written to each text
WRITTEN = 100  # texts that are written to, at most


@dataclass(frozen=True)
class Opened:
    """An export, opened again by the tool it is for.

    answers     ids, where they are real, and a translator's target → logits (of an encoder alone: its rows)
    writes      ids of one text, how many at most → what is written greedily, its end included; None where none is
    cuts        text → ids; None where the export has no tokenizer of its own
    strange     what the tool had to say when it opened the folder: names missing or left over
    """

    answers: Callable[..., Tensor]
    writes: Callable[[Tensor, int], list[int]] | None = None
    cuts: Callable[[str], list[int]] | None = None
    strange: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Parity:
    """The report that is written beside an export."""

    checked: bool
    passed: bool
    texts: int = 0
    from_: str = ""  # where the texts come from
    largest_difference: float | None = None
    bar: float = BAR
    written_alike: int = 0
    ties: int = 0  # of these, texts that part where two tokens are equally likely but for rounding
    written: int = 0
    cut_alike: int = 0
    cut: int = 0
    strange: tuple[str, ...] = ()
    why_not: str = ""
    to: str = ""  # for which tool
    model: str = ""  # what was exported, as a number

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a difference that is no number is null."""
        told = {name.rstrip("_"): value for name, value in asdict(self).items()}
        return {**told, "largest_difference": self.largest_difference if self._is_number else None}

    def to_bytes(self) -> bytes:
        """As JSON."""
        return (json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n").encode()

    @property
    def _is_number(self) -> bool:
        return self.largest_difference is not None and math.isfinite(self.largest_difference)

    @property
    def sentence(self) -> str:
        """The report in one line."""
        if not self.checked:
            return f"NOT CHECKED: {self.why_not}"
        far = f"largest difference of an answer {self.largest_difference:.1e}"
        far += f" (large numbers: up to {self.bar:.1e} is rounding)" if self.passed and self.bar > BAR else ""
        far = far if self._is_number else "an answer is no number, or has another shape,"
        parts = [f"{far} on {counted(self.texts, 'text')}"]
        if self.written:
            ties = f" ({self.ties} but for a tie of the likeliest tokens)" if self.ties else ""
            parts.append(f"{self.written_alike} of {self.written} written alike{ties}")
        if self.cut:
            parts.append(f"{self.cut_alike} of {self.cut} cut into the same tokens")
        verdict = "the same model" if self.passed else "NOT THE SAME MODEL"
        return f"{verdict}: {', '.join([*parts, *self.strange])}"


def compared(trained: Trained, again: Opened, texts: Sequence[str], where: str) -> Parity:
    """Our model and its export, beside each other on some texts."""
    rows = [row for row in _rows(trained, texts) if len(row)]
    if not rows:
        return Parity(checked=False, passed=False, from_=where, why_not="there was no text to compare the two on.")
    gaps = [_gap(trained, again, row) for row in rows]
    gap, bar = max(gaps), BAR
    if BAR < gap < math.inf:
        worst = rows[gaps.index(gap)]
        bar = bar_of(trained.model, lambda model: _asked(trained, model, worst))
    some = rows[:WRITTEN] if again.writes else []
    alike, ties = _written_alike(trained, again, some, bar if gap <= bar else 0.0)
    cuts = [text for text in texts if not _names_special(trained, text)] if again.cuts else []
    cut_alike = sum(list(trained.tokens.encode(text).ids) == again.cuts(text) for text in cuts if again.cuts)
    passed = gap <= bar and alike == len(some) and cut_alike == len(cuts) and not again.strange
    return Parity(
        checked=True, passed=bool(passed), texts=len(rows), from_=where, largest_difference=gap, bar=bar,
        written_alike=alike, ties=ties, written=len(some), cut_alike=cut_alike, cut=len(cuts),
        strange=tuple(again.strange),
    )  # fmt: skip


def _names_special(trained: Trained, text: str) -> bool:
    """Whether a text has the name of a special token in it: text to us, the token itself to others."""
    return any(name in text for name in trained.tokens.specials.names)


def _rows(trained: Trained, texts: Sequence[str]) -> list[Any]:
    """The ids of each text, with room for what is written to it."""
    prompt = objective_of(trained.card).prompt
    longest = getattr(trained.card.settings, "length", trained.card.longest)
    room = max(1, longest - LONGEST if MODELS[trained.card.model].family == "language model" else longest)
    return batches.shortened([prompt(trained.tokens, text) for text in texts], room).rows


def _one(trained: Trained, row: Any) -> tuple[Tensor, Tensor]:
    return padded_tensors(trained.model, [row])


def _gap(trained: Trained, again: Opened, row: Any) -> float:
    """The largest difference of an answer to one text."""
    with torch.inference_mode():
        return _apart(_asked(trained, trained.model, row), again.answers(*_given(trained, row)))


def _given(trained: Trained, row: Any) -> tuple[Tensor, ...]:
    """What is asked of a text. A translator is led by the text itself, turned round."""
    ids, real = _one(trained, row)
    if MODELS[trained.card.model].family != "translator":
        return ids, real
    return ids, real, torch.from_numpy(np.append([trained.tokens.start], row[::-1][: len(row) - 1]))[None]


def _asked(trained: Trained, model: Any, row: Any) -> Tensor:
    """The answer of our model, or of a copy of it, to one text: of an encoder alone, its rows."""
    given, alone = _given(trained, row), objective_of(trained.card).predict is None
    answer: Tensor = model.read(*given) if alone else model(*given)
    return answer


def _apart(ours: Tensor, theirs: Tensor) -> float:
    """The largest difference: endless where one is no number, which `max` would pass over, or the shape is another."""
    found = float((ours - theirs).abs().max()) if ours.shape == theirs.shape else math.inf
    return math.inf if math.isnan(found) else found


def _written_alike(trained: Trained, again: Opened, rows: Sequence[Any], bar: float) -> tuple[int, int]:
    """To how many texts both write the same, and how many of these part at a tie: where logits that may differ by the
    bar are no farther apart, either token may come out as the likeliest."""
    alike, ties = 0, 0
    for row in rows:
        theirs = list(again.writes(_one(trained, row)[0], LONGEST)) if again.writes else []
        same = written(trained, row) == theirs
        tied = not same and bar > 0.0 and _but_for_ties(trained, row, theirs, 2 * bar)
        alike, ties = alike + (same or tied), ties + tied
    return alike, ties


def _but_for_ties(trained: Trained, row: Any, theirs: Sequence[int], within: float) -> bool:
    """Whether each id that they write is as likely to our model as its likeliest, within so much of a logit."""
    ids, real = _one(trained, row)
    if len(theirs) != LONGEST and theirs[-1:] != [trained.tokens.end]:
        return False
    if MODELS[trained.card.model].family == "language model":
        longest = trained.model.longest
        if longest is not None and len(row) + len(theirs) - 1 > longest:
            return False
    for place, id_ in enumerate(theirs):
        before = torch.tensor([theirs[:place]], dtype=torch.long)
        with torch.inference_mode():
            if MODELS[trained.card.model].family == "translator":
                begun = torch.cat([torch.tensor([[trained.tokens.start]]), before], dim=1)
                logits = trained.model(ids, real, begun)[0, -1]
                logits[list(trained.tokens.specials.never)] = -math.inf
            else:
                grown = torch.cat([ids, before], dim=1)
                logits = trained.model(grown, torch.ones_like(grown, dtype=torch.bool))[0, -1]
        if id_ >= len(logits) or not float(logits.max() - logits[id_]) <= within:
            return False
    return True


def written(trained: Trained, row: Any, longest: int = LONGEST) -> list[int]:
    """What our model writes greedily, its end included."""
    ids, real = _one(trained, row)
    family, end = MODELS[trained.card.model].family, trained.tokens.end
    writer: Any = (
        Translation(trained.model, ids, real, trained.tokens.start, trained.tokens.specials.never)
        if family == "translator"
        else Continuation(trained.model, [row.tolist()])
    )
    answer = gather(1, stream(writer, Stop(longest=longest, endings=((end,),)), likeliest))[0]
    return list(answer.ids)
