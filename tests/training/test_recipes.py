"""Recipes: every preset gives a model that can be built, and every number in it can be set by its name."""

import math

import pytest

from glassformer.commands.settings import from_words
from glassformer.errors import InputError
from glassformer.models.registry import MODELS, build, configure
from glassformer.objectives.table import objectives_of
from glassformer.text.tasks import TASKS
from glassformer.training.recipes import recipe_for

CASES = [
    (task, objective, name)
    for task in TASKS
    for objective in objectives_of(task)
    for name, kind in MODELS.items()
    if kind.family == TASKS[task].family and (objective != "masked" or name in ("transformer", "bert"))
]


@pytest.mark.parametrize("characters", [10_000, 30_000_000])
@pytest.mark.parametrize(("task", "objective", "name"), CASES)
def test_every_preset_builds(task: str, objective: str, name: str, characters: int) -> None:
    recipe = recipe_for(task, objective, name, characters, characters // 100)
    config = configure(recipe.model, **recipe.settings, vocabulary=37)
    assert build(recipe.model, config) is not None
    assert recipe.longest <= recipe.tokens_per_batch
    assert recipe.objective == objective


def test_each_number_goes_where_it_belongs() -> None:
    recipe = recipe_for("generate", "stream", "modern", 1000, 1).with_settings(
        from_words(["width=48", "learning-rate=0.01", "tokens=bpe", "vocabulary=301", "longest=61", "clip=2"])
    )
    assert recipe.settings["width"] == 48
    assert recipe.plan.learning_rate == 0.01
    assert recipe.plan.clip == 2.0
    assert (recipe.tokens.kind, recipe.tokens.vocabulary) == ("bpe", 301)
    assert recipe.longest == 61
    assert recipe.settings["length"] == 61
    assert recipe.with_settings(from_words(["clip=inf"])).plan.clip == math.inf  # none, as its refusal says


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["widht=48"], "did you mean 'width'"),
        (["width=-3"], "width must be a whole number"),
        (["clip=much"], "clip must be a number"),
        (["steps=3"], "no hyperparameter called 'steps'"),
        (["width"], "name=value"),
        (["learning_rate=-1"], "0 or more"),
        (["weight_decay=inf"], "less than 2,147,483,648; it is inf"),
        (["new_names=0.5"], "new_names is for a translator"),
        (["crop=0.5"], "crop is for a network that learns classes"),
    ],
)
def test_a_setting_that_cannot_be_is_named(words: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        recipe_for("generate", "stream", "modern", 1000, 1).with_settings(from_words(words))


def test_pieces_are_read_by_networks_that_learn_classes() -> None:
    assert recipe_for("classify", "classes", "bilstm", 1000, 10).with_settings({"crop": 0.5}).crop == 0.5
    for objective, model in (("classes", "ngrams"), ("masked", "transformer")):
        with pytest.raises(InputError, match=f"here a '{model}' learns to"):
            recipe_for("classify", objective, model, 1000, 10).with_settings({"crop": 0.5})


def test_a_model_of_another_task_is_refused() -> None:
    with pytest.raises(InputError, match="transformer is the usual one"):
        recipe_for("classify", "classes", "gpt", 1000, 10)
    with pytest.raises(InputError, match="the objective is classes or masked"):
        recipe_for("classify", "spans", "transformer", 1000, 10)


def test_hidden_pieces_need_a_transformer() -> None:
    with pytest.raises(InputError, match="a 'bilstm' has no row for each token"):
        recipe_for("classify", "masked", "bilstm", 1000, 10)


def test_the_usual_models_are_of_their_tasks() -> None:
    assert {name: MODELS[task.model].family for name, task in TASKS.items()} == {
        "classify": "classifier", "translate": "translator", "generate": "language model"
    }  # fmt: skip
