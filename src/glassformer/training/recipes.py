"""Recipes: for each task, how text is cut, how large a model is and how it learns, so that nobody needs to know.

A recipe is chosen by the objective, the model's name, the amount of text and the time there is. Everything in it can be
set by the user. It is only numbers: it reads no text, builds no model and starts no clock.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from glassformer.errors import InputError, nearest
from glassformer.models.registry import configure, kind_of
from glassformer.training.loop import Plan

OBJECTIVES: Mapping[str, tuple[str, ...]] = {
    "classify": ("classes", "masked"),
    "translate": ("pairs",),
    "generate": ("stream", "answers", "spans"),
}
USUAL_MODELS = {"classify": "transformer", "translate": "translator", "generate": "modern"}
A_BOOK = 5_000_000  # characters: a text no longer than this is read character by character
SMALL = 2_000_000  # characters: below it a small model and a small vocabulary are enough


@dataclass(frozen=True, kw_only=True)
class TokenPlan:
    """How text is cut; where a number is 0, the kind's own is used."""

    kind: str = "word"
    vocabulary: int = 0
    min_frequency: int = 0


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All that is decided before a run begins, except for what the data decide."""

    objective: str
    model: str
    settings: Mapping[str, Any] = field(default_factory=dict)  # of the model: what differs from its default
    tokens: TokenPlan = field(default_factory=TokenPlan)
    longest: int = 512  # ids of a text; in a stream, the context
    tokens_per_batch: int = 4096
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
    kind = kind_of(model)
    if kind.task != task:
        raise InputError(f"'{model}' is a model to {kind.task}, not to {task}; {USUAL_MODELS[task]} is the usual one.")
    if objective not in OBJECTIVES[task]:
        raise InputError(f"To {task}, the objective is {' or '.join(OBJECTIVES[task])}; it is '{objective}'.")
    recipe = _PRESETS[objective](model, characters, samples)
    if "length" in {each.name for each in fields(kind.default)} and model not in _OF_THE_NOTES:
        recipe = replace(recipe, settings={"length": recipe.longest, **recipe.settings})
    return recipe


# --- presets ----------------------------------------------------------------------------------------------------

_OF_THE_NOTES = ("rnn", "bilstm", "mlp", "conv", "conv-pool")


def _classes(model: str, characters: int, samples: int) -> Recipe:
    small = characters < SMALL
    tokens = TokenPlan(kind="word", min_frequency=1 if small else 3)
    if model in _OF_THE_NOTES or model.endswith("attention"):
        plan = Plan(optimizer="adamw", learning_rate=1e-3, weight_decay=0.0, schedule="linear", validate_every=0.1)
        return Recipe(objective="classes", model=model, tokens=tokens, longest=500, tokens_per_batch=16_000, plan=plan)
    if small:
        settings = {"width": 64, "hidden": 128, "layers": 2, "dropout": 0.0}
        plan = Plan(learning_rate=3e-3, validate_every=0.1, patience=0)
        return Recipe(
            objective="classes", model=model, settings=settings, tokens=tokens, longest=256, tokens_per_batch=1024,
            plan=plan, minutes=1.0,
        )  # fmt: skip
    # Fewer words than the notes' 20,000: the rare ones are names, which say nothing of other texts.
    tokens = TokenPlan(kind="word", vocabulary=12_000, min_frequency=3)
    settings = {"width": 64, "hidden": 128, "layers": 2, "dropout": 0.2, "word_dropout": 0.6}
    plan = Plan(learning_rate=2e-3, table_rate=0.2, weight_decay=0.1, smoothing=0.1, average=0.995, validate_every=0.1)
    return Recipe(
        objective="classes", model=model, settings=settings, tokens=tokens, longest=1024, tokens_per_batch=8192,
        plan=plan, minutes=11.0,
    )  # fmt: skip


def _masked(model: str, characters: int, samples: int) -> Recipe:
    if model != "transformer":
        raise InputError(f"Hidden pieces are found again by a 'transformer'; a '{model}' has no row for each piece.")
    recipe = _classes(model, characters, samples)
    settings = {**recipe.settings, "word_dropout": 0.0, "dropout": 0.0}
    return replace(recipe, objective="masked", settings=settings, minutes=10.0)


def _pairs(model: str, characters: int, samples: int) -> Recipe:
    if characters < SMALL:
        settings = {"width": 64, "hidden": 256, "encoder_layers": 2, "decoder_layers": 2, "dropout": 0.0}
        return Recipe(
            objective="pairs", model=model, settings=settings, tokens=TokenPlan(kind="bpe", vocabulary=300),
            longest=128, tokens_per_batch=1024, plan=Plan(learning_rate=3e-3), minutes=1.0,
        )  # fmt: skip
    settings = {"width": 128, "hidden": 256, "encoder_layers": 3, "decoder_layers": 3, "dropout": 0.3}
    plan = Plan(learning_rate=3e-3, smoothing=0.1, average=0.998, validate_every=0.05)
    return Recipe(
        objective="pairs", model=model, settings=settings, tokens=TokenPlan(kind="bpe", vocabulary=5000),
        longest=128, tokens_per_batch=2048, plan=plan, minutes=30.0,
    )  # fmt: skip


def _quick(model: str) -> dict[str, Any]:
    """Two matrices instead of three in each feed-forward: more steps in the same time."""
    return {"activation": "squared relu"} if model == "modern" else {}


def _stream(model: str, characters: int, samples: int) -> Recipe:
    return Recipe(
        objective="stream", model=model, settings=_quick(model),
        tokens=TokenPlan(kind="character" if characters < A_BOOK else "byte-bpe"), longest=128, tokens_per_batch=2048,
        plan=Plan(learning_rate=4e-3, weight_decay=0.02, validate_every=0.25), minutes=4.0,
    )  # fmt: skip


# Answers and hidden spans are to be known by heart: that goes on after the held-out loss, which punishes a sure
# mistake, has turned. So the last weights are kept.


def _answers(model: str, characters: int, samples: int) -> Recipe:
    return Recipe(
        objective="answers", model=model, settings={"width": 64, "layers": 2, "hidden": 256},
        tokens=TokenPlan(kind="character"), longest=128, tokens_per_batch=1024,
        plan=Plan(learning_rate=3e-3, keep_last=True), minutes=1.5,
    )  # fmt: skip


def _spans(model: str, characters: int, samples: int) -> Recipe:
    # Not byte-bpe: there a name within a text, which has its space with it, and the same name as an answer are unlike.
    return Recipe(
        objective="spans", model=model, settings=_quick(model) | {"width": 128, "layers": 4, "hidden": 512},
        tokens=TokenPlan(kind="bpe", vocabulary=5000), longest=128, tokens_per_batch=2048,
        plan=Plan(learning_rate=8e-3, weight_decay=0.01, validate_every=0.2, keep_last=True), minutes=20.0,
    )  # fmt: skip


_PRESETS = {
    "classes": _classes,
    "masked": _masked,
    "pairs": _pairs,
    "stream": _stream,
    "answers": _answers,
    "spans": _spans,
}

# --- setting one number by its name -----------------------------------------------------------------------------

_TOKEN_NAMES = {"tokens": "kind", "vocabulary": "vocabulary", "min_frequency": "min_frequency"}
_OWN_NAMES = ("longest", "tokens_per_batch")


def _with(recipe: Recipe, name: str, value: Any) -> Recipe:
    plan = asdict(recipe.plan)
    model = {each.name for each in fields(kind_of(recipe.model).default)} - {"vocabulary", "classes"}
    if name in _TOKEN_NAMES:
        return replace(recipe, tokens=_changed(recipe.tokens, _TOKEN_NAMES[name], value))
    if name in _OWN_NAMES:
        recipe = _changed(recipe, name, value)
        if name == "longest" and "length" in recipe.settings:
            recipe = replace(recipe, settings={**recipe.settings, "length": value})
        return recipe
    if name in model:
        return replace(recipe, settings={**recipe.settings, name: value})
    if name in plan and name not in ("steps", "seconds"):
        return replace(recipe, plan=_changed(recipe.plan, name, value))
    raise InputError(
        f"There is nothing called '{name}' to set; {nearest(name, [*_TOKEN_NAMES, *_OWN_NAMES, *model, *plan])}"
    )


def _changed(thing: Any, name: str, value: Any) -> Any:
    """A copy with one field set; the value must be of the kind the field has."""
    default = getattr(thing, name)
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not type(default):
        raise InputError(f"{name} must be {type(default).__name__}; it is {value!r}.")
    if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value < 2**31:
        raise InputError(f"{name} must be 0 or more; it is {value!r}.")
    return replace(thing, **{name: value})
