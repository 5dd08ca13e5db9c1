"""Samples: the three kinds a model learns from, and how they are split. Knows no files, no tokens, no model.

A `Pair` is a sentence and its translation, or a prompt and its answer: either way the target is what must be written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from glassformer.errors import InputError, counted

SPLIT_OFF = 0.1  # the share kept for validation, and again for testing, when nobody says otherwise
MOST_SPLIT_OFF = 5000  # samples; more make a confidence interval hardly narrower


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text and the name of its class."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Pair:
    """What is given, and what must be written for it."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Plain:
    """A text by itself: one document."""

    text: str


Sample = Labelled | Pair | Plain
Some = TypeVar("Some", bound=Sample)


def text_of(sample: Sample) -> str:
    """What a model is shown of a sample."""
    return sample.source if isinstance(sample, Pair) else sample.text


def truth_of(sample: Sample) -> str:
    """What a model should say of it; nothing where a text stands by itself."""
    return sample.label if isinstance(sample, Labelled) else sample.target if isinstance(sample, Pair) else ""


# --- the same text twice ----------------------------------------------------------------------------------------


def repeated(samples: Iterable[Sample]) -> int:
    """How many samples show a text that an earlier one showed, a pair the same two; case and spaces make no
    difference."""
    shown = [(folded(sample), folded(Plain(sample.target)) if isinstance(sample, Pair) else "") for sample in samples]
    return len(shown) - len(set(shown))


def overlap(some: Iterable[Sample], others: Iterable[Sample]) -> int:
    """How many different texts stand on both sides; case and spaces make no difference."""
    return len({folded(sample) for sample in some} & {folded(sample) for sample in others})


def seen_before(samples: Iterable[Sample], train: Iterable[Sample]) -> int:
    """How many of the samples show a text that stands in the training part; case and spaces make no difference."""
    known = {folded(sample) for sample in train}
    return sum(folded(sample) in known for sample in samples)


def folded(sample: Sample) -> str:
    """What a model is shown of a sample, without what hardly tells two texts apart: case and spaces."""
    return " ".join(text_of(sample).casefold().split())


def without_text(samples: Sequence[Some], text: str) -> list[Some]:
    """The samples in which a text does not stand; case and spaces make no difference."""
    wanted = folded(Plain(text))
    if not wanted:
        raise InputError("An empty text stands in every sample; name one that must not be learnt from.")
    return [sample for sample in samples if wanted not in folded(sample)]


def contradicted(samples: Iterable[Sample]) -> int:
    """How many texts carry more than one label."""
    labels: dict[str, set[str]] = {}
    for sample in samples:
        if isinstance(sample, Labelled):
            labels.setdefault(sample.text, set()).add(sample.label)
    return sum(len(each) > 1 for each in labels.values())


# --- splits -----------------------------------------------------------------------------------------------------


def split_off(
    samples: Sequence[Some], seed: int, share: float = SPLIT_OFF, most: int = MOST_SPLIT_OFF
) -> tuple[list[Some], list[Some]]:
    """Splits samples in two, the larger part first; the same seed gives the same split.

    A text is never on both sides, nor is one that differs from it only in case or spaces. Labels keep their shares.
    """
    strata: dict[str, dict[str, list[int]]] = {}  # label → text → where it stands
    homes: dict[str, str] = {}  # a text that carries two labels stays with the first
    for index, sample in enumerate(samples):
        text = folded(sample)
        label = homes.setdefault(text, sample.label if isinstance(sample, Labelled) else "")
        strata.setdefault(label, {}).setdefault(text, []).append(index)
    if len(homes) < 2:
        raise InputError(
            f"{counted(len(samples), 'sample')} with {counted(len(homes), 'different text')} cannot be split in two; "
            "give more."
        )
    share = min(share, most / len(samples))
    draw = np.random.default_rng([seed, len(samples)])
    held: set[int] = set()
    for label in sorted(strata):
        held |= _drawn(list(strata[label].values()), share, draw)
    if not held:  # too few of everything: one text, from the most frequent label
        held |= set(max(strata.values(), key=len).popitem()[1])
    kept = [sample for index, sample in enumerate(samples) if index not in held]
    return kept, [samples[index] for index in sorted(held)]


def _drawn(groups: Sequence[Sequence[int]], share: float, draw: np.random.Generator) -> set[int]:
    """Whole groups, until they hold about this share of the samples; never all groups."""
    wanted = round(share * sum(len(group) for group in groups))
    taken: set[int] = set()
    for place in draw.permutation(len(groups))[1:]:
        if len(taken) + len(groups[place]) <= wanted:
            taken.update(groups[place])
    return taken


def cut(document: Plain, share: float = SPLIT_OFF) -> tuple[Plain, Plain]:
    """Cuts one long document in two: the beginning for training, the end for validation."""
    place = int(len(document.text) * (1 - share))
    if not 0 < place < len(document.text):
        raise InputError(f"A text of {len(document.text)} characters is too short to be cut in two; give a longer one.")
    return Plain(document.text[:place]), Plain(document.text[place:])


def thinned(samples: Sequence[Some], limit: int, seed: int) -> list[Some]:
    """At most `limit` of the samples, drawn evenly from all, in their order."""
    if limit < 1:
        raise InputError(f"limit is how many samples to keep, 1 or more; it is {limit}.")
    if len(samples) <= limit:
        return list(samples)
    chosen = np.random.default_rng([seed, limit]).choice(len(samples), size=limit, replace=False)
    return [samples[index] for index in np.sort(chosen)]
