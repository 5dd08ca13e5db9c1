"""What to show of a model: a handful of its answers, the first wrong ones among them. It judges nothing itself."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from glassformer.objectives.evaluation import Verdict
from glassformer.objectives.predictions import Writing, pieces
from glassformer.text.samples import Labelled, Pair, Sample, text_of
from glassformer.training.prepare import Prepared

FIRST, WRONG = 4, 6  # how many are shown, if there are so many
LONGEST = 600  # characters of a text


@dataclass(frozen=True)
class Shown:
    """What was given to a model, what would be right, and what it said."""

    given: str
    right: str
    said: str


def shown(samples: Sequence[Sample], answers: Sequence[str]) -> list[Shown]:
    """The first wrong answers; where a model writes, the first of all as well, for a wrong one may be a good one."""
    both = [Shown(text_of(sample), _right(sample), said) for sample, said in zip(samples, answers, strict=True)]
    writes = bool(samples) and isinstance(samples[0], Pair)
    first = both[:FIRST] if writes else []
    return [*first, *[each for each in both[len(first) :] if each.said != each.right][:WRONG]]


def showcase(prepared: Prepared, verdict: Verdict, samples: Sequence[Sample]) -> list[dict[str, str]]:
    """The same as plain data, long texts cut. A model of language writes a text instead."""
    if prepared.card.objective == "stream":
        some: Any = prepared.model
        text = "".join(pieces(some, prepared.card, prepared.tokens, "", Writing(seed=prepared.card.seed)))
        return [asdict(Shown("", "", text))]
    return [
        {name: _cut(text) for name, text in asdict(each).items()} for each in shown(samples, verdict.answers)
    ]  # fmt: skip


def _right(sample: Sample) -> str:
    return sample.label if isinstance(sample, Labelled) else sample.target if isinstance(sample, Pair) else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"
