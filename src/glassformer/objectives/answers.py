"""The objective *answers*: a prompt and its answer, for a language model. It knows nothing of what is asked.

text <s>  →  answer </s>
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from glassformer.choices import Later
from glassformer.errors import InputError
from glassformer.objectives.objective import Objective, Preset, TokenPlan, Trained, Verdict
from glassformer.objectives.predictions import TOKENS_AT_ONCE, Writing, Written, ids_of
from glassformer.objectives.writing import answered
from glassformer.text import batches
from glassformer.text.samples import Pair
from glassformer.text.tokens import Ids, Tokens

if TYPE_CHECKING:  # what is learnt from is loaded when there is something to learn
    from glassformer.objectives.lessons import Lessons, Measures


def preset(model: str, characters: int, samples: int) -> Preset:
    """Answers are to be known by heart: that goes on after the validation loss, which punishes a sure mistake, has
    turned. So the last weights are kept."""
    return Preset(
        settings={"width": 64, "layers": 2, "hidden": 256}, tokens=TokenPlan(kind="character"), longest=128,
        tokens_per_batch=1024, plan={"learning_rate": 3e-3, "keep_last": True}, minutes=1.5,
    )  # fmt: skip


def lessons(
    train: Sequence[Pair], valid: Sequence[Pair], labels: Sequence[str], tokens: Tokens, measures: "Measures"
) -> "Lessons":
    """Prompts and answers, prompt <s> answer </s>; only the answer counts."""
    from glassformer.objectives.lessons import Rows, always, language_loss, lessons_of

    def part(samples: Sequence[Pair]) -> Rows:
        prompts = tokens.encode_many([each.source for each in samples])
        answers = tokens.encode_many([each.target for each in samples], bare=True)
        lengths = [len(prompt) + len(answer) + 2 for prompt, answer in zip(prompts, answers, strict=True)]
        if max(lengths) - 1 > measures.longest:  # the last id is not looked back on
            raise InputError(
                f"The longest prompt and answer have {max(lengths)} ids with their marks, but this model looks back on "
                f"{measures.longest}; set a length of {max(lengths) - 1} or more."
            )

        def made(indices: Sequence[int], epoch: int) -> batches.LanguageBatch:
            return batches.answer_batch(
                [prompts[i] for i in indices], [answers[i] for i in indices], (tokens.start, tokens.end)
            )

        return Rows(always(lengths), made, measures.tokens_per_batch, measures.seed)

    return lessons_of(part(train), part(valid), language_loss)


def prompt(tokens: Tokens, text: str) -> Ids:
    """The text, and the mark after which an answer begins."""
    return np.append(ids_of(tokens, text), tokens.start)


def predict(trained: Trained, texts: Sequence[str], how: Writing) -> list[Written]:
    """The answer to each prompt."""
    return answered(trained.model, trained.tokens, [prompt(trained.tokens, text) for text in texts], how)


def judge(trained: Trained, samples: Sequence[Pair], how: Writing, seed: int) -> Verdict:
    """The share that is right to the letter, and the loss of each token of the right answer."""
    from glassformer.objectives.evaluation import judge_answers, losses, measures_for

    written = [each.text for each in predict(trained, [sample.source for sample in samples], how)]
    measures = measures_for(trained.card, TOKENS_AT_ONCE)
    nats, counts = losses(trained.model, lessons(samples, samples, (), trained.tokens, measures))
    loss = float(nats.sum() / counts.sum())
    right = [sample.target for sample in samples]
    return judge_answers(written, right, seed, loss=loss, perplexity=math.exp(min(loss, 700)))


ANSWERS = Objective(
    learns="answer prompts",
    family="language model",
    samples=Pair,
    preset=preset,
    lessons=lessons,
    prompt=prompt,
    predict=predict,
    judge=judge,
    main="exact",
    beside="loss",
    measure=Later("glassformer.objectives.metrics:share_of_rows"),
    writes=True,
)
