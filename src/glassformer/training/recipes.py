"""Recipes: the hyperparameters of a run (tokens, sizes of the model, plan of training), so that nobody needs to know.

A recipe is the preset of its objective, for a model and an amount of text, with what the user has to say of it: every
number in it can be set by its name. It is only numbers: it reads no text, builds no model and starts no clock.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from glassformer.errors import InputError, kind_of, nearest
from glassformer.models.registry import MODELS, configure
from glassformer.objectives.objective import TokenPlan
from glassformer.objectives.table import OBJECTIVES, objectives_of
from glassformer.text.tasks import TASKS
from glassformer.training.loop import Plan

FROM_DATA = ("vocabulary", "classes")  # sizes of a model that the data decide
OF_LESSONS = ("longest", "tokens_per_batch", "new_names", "lost_stops", "crop")  # how samples become lessons
OF_PAIRS = ("new_names", "lost_stops")  # of these, what only a translator has: see Variety


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All that is decided before a run begins, except for what the data decide."""

    objective: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the model: what differs from its default
    tokens: TokenPlan = field(default_factory=TokenPlan)
    longest: int = 512  # ids of a text; in a stream, the context
    tokens_per_batch: int = 4096
    new_names: float = 0.0
    lost_stops: float = 0.0
    crop: float = 0.0
    plan: Plan = field(default_factory=Plan)
    minutes: float = 5.0  # if nobody names a budget

    def with_settings(self, given: Mapping[str, Any]) -> "Recipe":
        """The recipe with some of its numbers set: the model's, the plan's, the tokens' or its own, by their names."""
        recipe = self
        for name, value in given.items():
            recipe = _with(recipe, name, value)
        configure(recipe.model, **recipe.settings)
        return recipe


def recipe_for(task: str, objective: str, model: str, characters: int, samples: int) -> Recipe:
    """The preset for a task, with so much text to learn from."""
    kind, usual = MODELS[model], TASKS[task].model
    if kind.family != TASKS[task].family:
        raise InputError(f"'{model}' is a {kind.family}, which cannot {task}; {usual} is the usual one.")
    if objective not in objectives_of(task):
        raise InputError(f"To {task}, the objective is {' or '.join(objectives_of(task))}; it is '{objective}'.")
    preset = OBJECTIVES[objective].preset(model, characters, samples)
    has_length = "length" in {each.name for each in fields(kind.default)}
    length = {"length": preset.longest} if has_length and not preset.own_length else {}
    return Recipe(
        objective=objective, model=model, settings={**length, **preset.settings}, tokens=preset.tokens,
        longest=preset.longest, tokens_per_batch=preset.tokens_per_batch, plan=Plan(**preset.plan),
        minutes=preset.minutes,
    )  # fmt: skip


# --- setting one number by its name -----------------------------------------------------------------------------

_TOKEN_NAMES = {"tokens": "kind", "vocabulary": "vocabulary", "min_frequency": "min_frequency"}


def settable(model: str) -> tuple[set[str], set[str]]:
    """What can be set by its name for a model: sizes of its own, and the plan of training that all have."""
    own = {each.name for each in fields(MODELS[model].default)} - {*FROM_DATA}
    return own, asdict(Plan()).keys() - {"steps", "seconds"}  # the budget is asked for with flags of its own


def takes(model: str, name: str) -> bool:
    """Whether a model has a hyperparameter of this name."""
    return name in {*_TOKEN_NAMES, *OF_LESSONS, *set().union(*settable(model))}


def _with(recipe: Recipe, name: str, value: Any) -> Recipe:
    model, plan = settable(recipe.model)
    if name in _TOKEN_NAMES:
        return replace(recipe, tokens=_changed(recipe.tokens, _TOKEN_NAMES[name], value))
    if name in OF_LESSONS:
        recipe = _changed(recipe, name, value)
        if name in OF_PAIRS and OBJECTIVES[recipe.objective].family != "translator":
            raise InputError(f"{name} is for a translator; the objective here is '{recipe.objective}'.")
        if name == "crop" and value and not _may_crop(recipe):
            raise InputError(
                "crop is for a network that learns classes, which reads pieces of texts in training; here a "
                f"'{recipe.model}' learns to {OBJECTIVES[recipe.objective].learns}."
            )
        if name == "longest" and "length" in recipe.settings:
            recipe = replace(recipe, settings={**recipe.settings, "length": value})
        return recipe
    if name in model:
        return replace(recipe, settings={**recipe.settings, name: value})
    if name in plan:
        return replace(recipe, plan=_changed(recipe.plan, name, value))
    raise InputError(
        f"There is no hyperparameter called '{name}'; {nearest(name, [*_TOKEN_NAMES, *OF_LESSONS, *model, *plan])}"
    )


def _may_crop(recipe: Recipe) -> bool:
    """Whether it reads samples again and again, and each may be a piece; who counts reads all of them once."""
    return OBJECTIVES[recipe.objective].crops and not MODELS[recipe.model].counts


def _changed(thing: Any, name: str, value: Any) -> Any:
    """A copy with one field set; the value must be of the kind the field has."""
    default = getattr(thing, name)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise InputError(f"{name} must be {kind_of(default)}; it is {value!r}.")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not 0 <= value < 2**31 and (name, value) != ("clip", math.inf):  # none
        raise InputError(f"{name} must be 0 or more, and less than {2**31:,}; it is {value!r}.")
    return replace(thing, **{name: value})
