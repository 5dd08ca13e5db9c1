"""The one table of objectives, and the ways to a row of it: by a task, by a card, by what is to be evaluated.

To add an objective is to write one file with an `Objective` in it and one line here, or `OBJECTIVES.add(name, …)` from
outside. Nothing else in the house names an objective; what it wants to know of one, the row says.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from glassformer.choices import Choices, Later
from glassformer.errors import InputError
from glassformer.models.card import Card
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Objective, Scores, Trained, Verdict
from glassformer.objectives.predictions import Writing
from glassformer.text.samples import Sample, folded
from glassformer.text.tasks import TASKS
from glassformer.text.tokens import Tokens

OBJECTIVES: Choices[Objective] = Choices(
    "objective",
    {
        "classes": Later("glassformer.objectives.classes:CLASSES"),
        "masked": Later("glassformer.objectives.masked:MASKED"),
        "pairs": Later("glassformer.objectives.pairs:PAIRS"),
        "stream": Later("glassformer.objectives.stream:STREAM"),
        "answers": Later("glassformer.objectives.answers:ANSWERS"),
        "spans": Later("glassformer.objectives.spans:SPANS"),
    },
)


def objectives_of(task: str) -> list[str]:
    """The names of all that a task's models can learn."""
    return [name for name, each in OBJECTIVES.items() if each.family == TASKS[task].family]


def usual_objective(task: str, sample: Sample) -> str:
    """The first of them that learns from such samples."""
    for name in objectives_of(task):
        if OBJECTIVES[name].samples is type(sample):
            return name
    raise InputError(f"Nothing is known that a {TASKS[task].family} could learn from {type(sample).__name__} samples.")


def objective_of(card: Card) -> Objective:
    """What the model of a card has learnt; a card whose names do not fit together is refused."""
    objective, task, model = OBJECTIVES[card.objective], TASKS[card.task], MODELS[card.model]
    if not objective.family == task.family == model.family:
        raise InputError(
            f"A {model.family} ('{card.model}') cannot have learnt '{card.objective}' to {card.task}; "
            f"that takes a {task.family} and {' or '.join(objectives_of(card.task))}."
        )
    return objective


def evaluate(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Sample], *, how: Writing | None = None, seed: int = 0
) -> Scores:
    """The scores of a model on samples of the kind it was trained on. `how` it writes, if not as usual."""
    return verdict_on(model, card, tokens, samples, how=how, seed=seed).scores


def verdict_on(
    model: Any, card: Card, tokens: Tokens, samples: Sequence[Sample], *, how: Writing | None = None, seed: int = 0
) -> Verdict:
    """The same scores, with the answers they follow from."""
    objective = objective_of(card)
    strange = [type(sample).__name__ for sample in samples if not isinstance(sample, objective.samples)]
    if strange or not samples:
        found, wanted = strange[0] if strange else "none", objective.samples.__name__
        raise InputError(f"A model for '{card.objective}' is evaluated on {wanted} samples; these are {found}.")
    verdict = objective.judge(Trained(model, card, tokens), samples, how or Writing(), seed)
    return _by_text(verdict, [folded(each) for each in samples], seed) if verdict.right else verdict


def _by_text(verdict: Verdict, texts: Sequence[str], seed: int) -> Verdict:
    """What repeats a text adds nothing to how sure a score is."""
    if len(set(texts)) == len(texts):
        return verdict
    from glassformer.objectives.bootstrap import by_text  # numpy's draws are not needed to predict
    from glassformer.objectives.evaluation import interval_of

    measure = by_text(verdict.measure, texts)
    surer = {f"{verdict.main}_interval": interval_of(measure, seed), "texts": len(measure.rows)}
    return replace(verdict, scores={**verdict.scores, **surer}, measure=measure)
