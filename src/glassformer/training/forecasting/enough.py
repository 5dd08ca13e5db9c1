"""Whether a plan is long enough to learn anything, and what to do where it is not. It measures and trains nothing.

On the sets that the package makes, models are as good as a guess after 100 steps and have learnt after a few hundred:
negation 49 % and 82 % (of two classes) after 100 and 200, dates 0 % and 99 %, sorting 1 % and 56 %. What begins from a
parent, or from counts, knows something before its first step.
"""

import math

from glassformer.errors import counted
from glassformer.models.registry import MODELS
from glassformer.training.forecasting.budget import Forecast
from glassformer.training.prepare import Prepared

FEWEST, ENOUGH = 100, 500  # steps: with fewer it is told, with so many there is something to see


def too_short(prepared: Prepared, forecast: Forecast) -> list[str]:
    """A warning where a model that knows nothing yet has hardly a step to learn in; nothing where it has enough."""
    if forecast.steps >= FEWEST or prepared.request.parent or MODELS[prepared.recipe.model].counts:
        return []
    ways = [_more(prepared, forecast), *_smaller_batches(prepared)]
    steps = f"{counted(forecast.steps, 'step')} {'is' if forecast.steps == 1 else 'are'}"
    return [
        f"Too short: {steps} hardly enough to learn anything, and the model may be no better than a guess. "
        f"Give it {', or '.join(ways)}."
    ]


def _more(prepared: Prepared, forecast: Forecast) -> str:
    """The budget that would be enough, as it was asked for; minutes also pay for what is not training."""
    request, wanted = prepared.request, ENOUGH / forecast.steps
    if request.steps:
        return f"more steps (--steps {ENOUGH})"
    if request.epochs:
        return f"more epochs (--epochs {math.ceil(request.epochs * wanted)})"
    asked = request.minutes or prepared.recipe.minutes
    minutes = asked + forecast.seconds * (wanted - 1) / 60
    return f"more time (--minutes {math.ceil(minutes)})"


def _smaller_batches(prepared: Prepared) -> list[str]:
    """A quarter of the tokens, where the longest text still fits; so many --steps are as many with small batches."""
    smaller = prepared.recipe.tokens_per_batch // 4
    fits = smaller >= prepared.card.longest
    return [f"smaller batches (--set tokens_per_batch={smaller})"] if fits and not prepared.request.steps else []
