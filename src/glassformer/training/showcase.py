"""What to show of a model: a text to begin with, some answers, the first wrong ones among them. It scores nothing."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from glassformer.objectives.objective import Verdict
from glassformer.objectives.predictions import Writing
from glassformer.objectives.table import objective_of
from glassformer.objectives.writing import streamed
from glassformer.text.samples import Sample, text_of
from glassformer.training.prepare import Prepared

FIRST, WRONG = 4, 6  # how many are shown, if there are so many
LONGEST = 600  # characters of a text
SHORT = 120  # characters of a text to begin with


@dataclass(frozen=True)
class Example:
    """What was given to a model, what would be right, and what it said."""

    given: str
    right: str
    said: str


def examples(samples: Sequence[Sample], verdict: Verdict, *, writes: bool) -> list[Example]:
    """The first wrong answers; where a model writes, the first of all as well, for a wrong one may be a good one."""
    every = zip(samples, verdict.right, verdict.answers, strict=True)
    found = [Example(text_of(sample), right, said) for sample, right, said in every]
    first = found[:FIRST] if writes else []
    return [*first, *[each for each in found[len(first) :] if each.said != each.right][:WRONG]]


def showcase(prepared: Prepared, verdict: Verdict, samples: Sequence[Sample]) -> list[dict[str, str]]:
    """The same as plain data, long texts cut. A model that goes on with a text writes one instead."""
    objective, tokens = objective_of(prepared.card), prepared.tokens
    if objective.goes_on:
        some: Any = prepared.model
        how = Writing(seed=prepared.card.seed)
        written = "".join(streamed(some, tokens, objective.prompt(tokens, ""), how, goes_on=True))
        return [asdict(Example("", "", written))]
    return [
        {name: _cut(text) for name, text in asdict(each).items()}
        for each in examples(samples, verdict, writes=objective.writes)
    ]


def opening(samples: Sequence[Sample]) -> str:
    """A text to begin with, one of those given: the first short one; if all are long, how the first begins."""
    texts = [" ".join(text_of(sample).split()) for sample in samples]
    short = next((text for text in texts if 0 < len(text) <= SHORT), "")
    return short or next(iter(texts), "")[:SHORT].rsplit(" ", 1)[0]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[:LONGEST].rstrip() + " …"
