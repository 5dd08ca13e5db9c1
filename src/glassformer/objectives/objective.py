"""What an objective is: one row of the table, with all that the rest of the house asks of it. It trains nothing.

A task is what a person wants; an objective is how a model learns it: how text becomes lessons, what the loss is, what a
trained model makes of a text, and how that is scored. Each stands in a file of its own, as one `Objective`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from glassformer.models.card import Card
from glassformer.objectives.predictions import Prediction, Writing, ids_of
from glassformer.text.samples import Sample
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # lessons are loaded when a model learns, judging and its numbers when it is judged
    from glassformer.objectives.bootstrap import Measure
    from glassformer.objectives.lessons import Lessons, Measures
    from glassformer.text.files.token_files import TokenFolder

Scores = dict[str, Any]
SMALL = 2_000_000  # characters: with fewer to learn from, a small model and a small vocabulary are enough


@dataclass(frozen=True)
class Trained:
    """A model, and what must be known to use it."""

    model: Any
    card: Card
    tokens: Tokens


@dataclass(frozen=True)
class Verdict:
    """The scores of a model, and what they follow from."""

    scores: Scores
    main: str  # the score that counts most
    measure: "Measure"  # that score, sample by sample; of a text, block by block
    answers: tuple[str, ...] = ()  # to each sample; none where a text is only measured
    right: tuple[str, ...] = ()  # what would have been right, of each


@dataclass(frozen=True, kw_only=True)
class TokenPlan:
    """How text is cut; where a number is 0, the kind's own is used."""

    kind: str = "word"
    vocabulary: int = 0
    min_frequency: int = 0


@dataclass(frozen=True, kw_only=True)
class Preset:
    """What suits an objective, a model and so much text, if nobody says otherwise."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # of the model: what differs from its default
    tokens: TokenPlan = field(default_factory=TokenPlan)
    longest: int = 512  # ids of a text; in a stream, the context
    tokens_per_batch: int = 4096
    plan: Mapping[str, Any] = field(default_factory=dict)  # of training: what differs from its default
    minutes: float = 5.0  # if nobody names a budget
    own_length: bool = False  # whether the model keeps the length it has by default; else it is as long as the texts


@dataclass(frozen=True, kw_only=True)
class Objective:
    """One row of the table.

    learns      what is learnt, after "This model has learnt to"
    family      of the models that can: classifier, translator or language model
    samples     what it learns from: Labelled, Pair or Plain
    reads       the task whose data it reads, if not that of the run: what needs no labels is read as plain text
    preset      model's name, characters and samples to learn from → what suits them
    lessons     training samples, validation samples, labels, tokens, measures → batches and the loss
    counts      what the loss is the mean of: samples, or the tokens that are predicted
    prompt      tokens, text → the ids that a model is given for a text
    predict     trained model, texts, how to write → answers; None where it only prepares a model for another objective
    judge       trained model, samples, how to write, seed → scores and what they follow from
    main        the score that counts most, and the one that stands beside it
    measure     the main score again, from the rows that were kept of one run, or added up over several
    baseline    a model that is fitted beside each run, to be better than; nothing where there is none
    writes      whether an answer is a text that is written: it takes its time, and another one may be as good
    goes_on     whether what is written goes on with the text itself, and has no end of its own
    crops       whether pieces may be read in place of whole texts (`crop`)
    pretrains   whether it only pretrains, for another objective: at its end there is only its loss
    kept_lessons lessons from token files, validation samples, tokens, measures; None where a text must be in memory
    """

    learns: str
    family: str
    samples: type[Sample]
    reads: str = ""
    preset: Callable[[str, int, int], Preset]
    lessons: "Callable[[Sequence[Any], Sequence[Any], Sequence[str], Tokens, Measures], Lessons]"
    counts: str = "tokens"
    prompt: Callable[[Tokens, str], Ids] = ids_of
    predict: Callable[[Trained, Sequence[str], Writing], Sequence[Prediction]] | None
    judge: Callable[[Trained, Sequence[Any], Writing, int], Verdict]
    main: str
    beside: str
    measure: "Callable[[np.ndarray], Measure]"
    baseline: str = ""
    writes: bool = False
    goes_on: bool = False
    crops: bool = False
    pretrains: bool = False
    kept_lessons: "Callable[[TokenFolder, Sequence[Any], Tokens, Measures], Lessons] | None" = None
