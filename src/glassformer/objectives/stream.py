"""The objective *stream*: how one long text goes on. It knows no beginning and no end of what it reads.

text  →  what comes after
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from glassformer.choices import Later
from glassformer.errors import InputError, counted
from glassformer.objectives.objective import Objective, Preset, TokenPlan, Trained, Verdict
from glassformer.objectives.predictions import Writing, Written
from glassformer.objectives.writing import streamed
from glassformer.text import batches
from glassformer.text.samples import Plain
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures
    from glassformer.text.files.token_files import TokenFolder

A_BOOK = 5_000_000  # characters: a text no longer than this is read character by character


def quick(model: str) -> dict[str, Any]:
    """Two matrices instead of three in each feed-forward: more steps in the same time."""
    return {"activation": "squared relu"} if model == "modern" else {}


def preset(model: str, characters: int, samples: int) -> Preset:
    """Character by character, unless it is more than a book."""
    return Preset(
        settings=quick(model), tokens=TokenPlan(kind="character" if characters < A_BOOK else "byte-bpe"), longest=128,
        tokens_per_batch=2048, plan={"learning_rate": 4e-3, "weight_decay": 0.02, "validate_every": 0.25}, minutes=4.0,
    )  # fmt: skip


def lessons(
    train: Sequence[Plain], valid: Sequence[Plain], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """One long text; blocks of it begin anywhere, and the loss is that of each next token."""
    from glassformer.objectives.lessons import Lessons, Stream, language_loss

    learnt, valid_ids = (
        batches.stream_of(tokens.encode_many([each.text for each in samples]), tokens.end) for samples in (train, valid)
    )
    least = min(len(learnt), len(valid_ids))
    if least < 2:  # before anything is trained
        which = "training" if len(learnt) < 2 else "validation"
        raise InputError(
            f"There is too little text: its {which} part has {counted(least, 'token')}, and what comes next is learnt "
            "from two or more. Give a longer one."
        )
    context = min(measures.longest, len(learnt) - 1)
    rows = max(1, measures.tokens_per_batch // context)
    return Lessons(Stream(learnt, context, rows, measures.seed), Stream(valid_ids, context, rows, 0), language_loss)


def kept_lessons(kept: "TokenFolder", valid: Sequence[Plain], tokens: Tokens, measures: "Measures") -> "Lessons":
    """The same from token files: the text stays on the disk."""
    from glassformer.objectives.lessons import Lessons, Stream, Windows, language_loss

    context = measures.longest
    if len(kept) < 2 * context:
        raise InputError(f"{kept.path} has {len(kept):,} tokens; a context of {context} needs {2 * context} or more.")
    rows = max(1, measures.tokens_per_batch // context)
    valid_ids = batches.stream_of(tokens.encode_many([each.text for each in valid]), tokens.end)
    seen = Stream(valid_ids, min(context, len(valid_ids) - 1), rows, 0)
    return Lessons(Windows(kept, context, rows, measures.seed), seen, language_loss)


def prompt(tokens: Tokens, text: str) -> Ids:
    """The text itself; no text is as at the beginning of a document."""
    return np.asarray(tokens.encode(text).ids or [tokens.end], dtype=np.int64)


def predict(trained: Trained, texts: Sequence[str], how: Writing) -> list[Written]:
    """How each text goes on; each has a seed of its own."""
    found = []
    for i, text in enumerate(texts):
        own = replace(how, seed=how.seed + i)
        ids = prompt(trained.tokens, text)
        found.append(Written("".join(streamed(trained.model, trained.tokens, ids, own, goes_on=True))))
    return found


def judge(trained: Trained, samples: Sequence[Plain], how: Writing, seed: int) -> Verdict:
    """The loss of every token, perplexity and bits per byte."""
    from glassformer.objectives.evaluation import judge_language

    return judge_language(trained, samples, seed, lessons, whole=True)


STREAM = Objective(
    learns="go on with a text",
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
    goes_on=True,
    kept_lessons=kept_lessons,
)
