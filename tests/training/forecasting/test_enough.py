"""A plan of a few steps is warned of, with what would be enough; an ordinary one is not."""

from dataclasses import replace
from typing import Any

import pytest
from helpers.small_requests import request

from glassformer.training.forecasting.budget import Forecast
from glassformer.training.forecasting.enough import ENOUGH, FEWEST, too_short
from glassformer.training.prepare import Prepared, prepare

SMALL = prepare(request("classify", "negation:300"))


def asking(**budget: Any) -> Prepared:
    """The same data with another budget."""
    recipe = replace(SMALL.recipe, tokens_per_batch=1024, minutes=1.0)
    card = replace(SMALL.card, longest=256)
    return replace(SMALL, request=replace(SMALL.request, **{"steps": 0, **budget}), recipe=recipe, card=card)


def forecast(steps: int, seconds: float = 8.0) -> Forecast:
    return Forecast(steps, 1.0, seconds, 1.0, "samples", threads=1, parameters=1, timed=True)


def test_the_whole_sentence() -> None:
    said = too_short(asking(epochs=2.0), forecast(16))
    assert said == [
        "Too short: 16 steps are hardly enough to learn anything, and the model may be no better than a guess. "
        "Give it more epochs (--epochs 63), or smaller batches (--set tokens_per_batch=256)."
    ]  # 500 / 16 × 2 = 62.5


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"minutes": 0.5}, "more time (--minutes 5), or"),  # half a minute, and 484 steps of half a second
        ({}, "more time (--minutes 6), or"),  # the recipe's own minute
        ({"steps": 16}, f"Give it more steps (--steps {ENOUGH})."),
    ],
)
def test_what_to_do_is_said_in_the_budget_that_was_asked_for(budget: dict[str, Any], said: str) -> None:
    assert said in too_short(asking(**budget), forecast(16))[0]


def test_one_step_is_one() -> None:
    assert too_short(asking(steps=1), forecast(1))[0].startswith("Too short: 1 step is hardly")


def test_a_batch_must_hold_the_longest_text() -> None:
    tight = asking(epochs=2.0)
    tight = replace(tight, card=replace(tight.card, longest=257))
    assert too_short(tight, forecast(16))[0].endswith("Give it more epochs (--epochs 63).")


def test_an_ordinary_plan_is_not_warned_of() -> None:
    assert too_short(asking(), forecast(FEWEST)) == []
    assert len(too_short(asking(), forecast(FEWEST - 1))) == 1


def test_what_knows_something_before_its_first_step_is_not_warned_of() -> None:
    assert too_short(asking(parent="runs/reader"), forecast(16)) == []
    prepared = asking()
    assert too_short(replace(prepared, recipe=replace(prepared.recipe, model="ngrams")), forecast(16)) == []
