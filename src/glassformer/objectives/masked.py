"""The objective *masked*: the hidden tokens of a text, found again where they stand, to pretrain an encoder. It needs
no labels, and predicts nothing by itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from glassformer.choices import Later
from glassformer.errors import InputError
from glassformer.objectives import classes
from glassformer.objectives.objective import Objective, Preset, Trained, Verdict
from glassformer.objectives.predictions import Writing
from glassformer.text import batches
from glassformer.text.corruption import must_be_ours, tokens_hidden
from glassformer.text.samples import Plain
from glassformer.text.tokens import Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures


def preset(model: str, characters: int, samples: int) -> Preset:
    """As for the classes that are learnt next, but nothing is dropped."""
    if model not in ("transformer", "bert"):
        raise InputError(f"Hidden tokens are found again by a 'transformer'; a '{model}' has no row for each token.")
    found = classes.preset(model, characters, samples)
    return replace(found, settings={**found.settings, "word_dropout": 0.0, "dropout": 0.0}, minutes=10.0)


def lessons(
    train: Sequence[Plain], valid: Sequence[Plain], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """Texts with some tokens hidden; only the hidden ones count."""
    from glassformer.objectives.lessons import Rows, always, hidden_loss, lessons_of

    must_be_ours(tokens)
    cut: list[batches.Shortened] = []

    def part(samples: Sequence[Plain]) -> Rows:
        cut.append(batches.shortened(tokens.encode_many([each.text for each in samples]), measures.longest))
        rows = [row for row in cut[-1].rows if len(row)]

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            pairs = [tokens_hidden(rows[i], len(tokens), seed=measures.seed, epoch=epoch, index=i) for i in indices]
            return batches.hidden_batch([rows[i] for i in indices], *zip(*pairs, strict=True))

        return Rows(always([len(row) for row in rows]), made, measures.tokens_per_batch, measures.seed)

    return lessons_of(part(train), part(valid), hidden_loss, cut[0])


def judge(trained: Trained, samples: Sequence[Plain], how: Writing, seed: int) -> Verdict:
    """The loss over the tokens that the run's seed hides."""
    from glassformer.objectives.evaluation import judge_language

    return judge_language(trained, samples, seed, lessons, whole=False)


MASKED = Objective(
    learns="find hidden tokens",
    family="classifier",
    samples=Plain,
    reads="generate",
    preset=preset,
    lessons=lessons,
    predict=None,
    judge=judge,
    main="loss",
    beside="perplexity",
    measure=Later("glassformer.objectives.metrics:mean_of_rows"),
    pretrains=True,
)
