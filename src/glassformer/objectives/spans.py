"""The objective *spans*: what stood where a text has a gap, to pretrain a language model. It needs no labels.

before <mask> after <s>  →  what stands at <mask> </s>; without a <mask> it is what comes after
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from glassformer.choices import Later
from glassformer.objectives.objective import Objective, Preset, TokenPlan, Trained, Verdict
from glassformer.objectives.predictions import Writing, Written
from glassformer.objectives.stream import quick
from glassformer.objectives.writing import answered
from glassformer.text import batches
from glassformer.text.corruption import FEWEST_TO_CUT, must_be_ours, span_hidden
from glassformer.text.samples import Plain
from glassformer.text.token_kinds import MASK, SPECIAL, START
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures


def preset(model: str, characters: int, samples: int) -> Preset:
    """Not byte-bpe: there a name within a text, which has its space with it, and the same name as an answer are unlike.
    The last weights are kept, as for answers."""
    return Preset(
        settings=quick(model) | {"width": 128, "layers": 4, "hidden": 512},
        tokens=TokenPlan(kind="bpe", vocabulary=5000), longest=128, tokens_per_batch=2048,
        plan={"learning_rate": 8e-3, "weight_decay": 0.01, "validate_every": 0.2, "keep_last": True}, minutes=20.0,
    )  # fmt: skip


def lessons(
    train: Sequence[Plain], valid: Sequence[Plain], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """Texts with a span taken out and put behind, before <mask> after <s> span </s>; each next token counts."""
    from glassformer.objectives.lessons import Rows, language_loss, lessons_of

    must_be_ours(tokens)

    def part(samples: Sequence[Plain]) -> Rows:
        rows = [row for row in tokens.encode_many([each.text for each in samples]) if len(row) >= FEWEST_TO_CUT]
        rows = batches.shortened(rows, measures.longest).rows

        def hidden(index: int, epoch: int) -> Ids:
            return span_hidden(rows[index], measures.longest, seed=measures.seed, epoch=epoch, index=index)

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            return batches.shifted_batch([hidden(i, epoch) for i in indices])

        def lengths(epoch: int) -> list[int]:
            return [len(hidden(i, epoch)) - 1 for i in range(len(rows))]  # the last is only to be written

        return Rows(lengths, made, measures.tokens_per_batch, measures.seed)

    return lessons_of(part(train), part(valid), language_loss)


def prompt(tokens: Tokens, text: str) -> Ids:
    """The text with its gap, and the mark after which the span begins."""
    before, _, after = text.partition(SPECIAL[MASK])
    parts = [tokens.encode(before).ids, [MASK], tokens.encode(after).ids, [START]]
    return np.concatenate([np.asarray(part, dtype=np.int64) for part in parts])


def predict(trained: Trained, texts: Sequence[str], how: Writing) -> list[Written]:
    """What stands in the gap of each text."""
    return answered(trained.model, trained.tokens, [prompt(trained.tokens, text) for text in texts], how)


def judge(trained: Trained, samples: Sequence[Plain], how: Writing, seed: int) -> Verdict:
    """The loss over the spans that the run's seed hides."""
    from glassformer.objectives.evaluation import judge_language

    return judge_language(trained, samples, seed, lessons, whole=False)


SPANS = Objective(
    learns="fill gaps in texts",
    family="language model",
    samples=Plain,
    preset=preset,
    lessons=lessons,
    prompt=prompt,
    predict=predict,
    judge=judge,
    main="loss",
    beside="perplexity",
    measure=Later("glassformer.objectives.metrics:mean_of_rows"),
    pretrains=True,
)
