"""The budget of a run: what is kept back for the end, and how much of it is spent."""

import time

import pytest
from helpers.small_requests import request

from glassformer.training.forecasting.budget import Forecast, budget
from glassformer.training.prepare import prepare


def test_minutes_leave_room_for_the_end() -> None:
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=2.0))
    began = time.monotonic() - 30.0  # half a minute went by before
    plan, forecast = budget(prepared, began)
    assert plan.steps == 0
    assert 60.0 < plan.seconds < 90.0
    assert forecast.seconds == plan.seconds
    assert forecast.steps > 1


def test_the_end_is_within_the_minutes() -> None:
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=2.0))
    began = time.monotonic()
    plan, forecast = budget(prepared, began)
    assert forecast.deadline is not None
    assert forecast.deadline.at == began + 120.0
    assert plan.seconds + forecast.deadline.ending <= 120.0
    assert budget(prepare(request("classify", "negation:300")), began)[1].deadline is None  # a budget of steps


def test_where_reading_took_all_the_time_a_tenth_of_it_is_left() -> None:
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=2.0))
    assert budget(prepared, time.monotonic() - 1000.0)[0].seconds == pytest.approx(12.0)


@pytest.mark.parametrize(("timed", "share"), [(True, 0.25), (False, 0.5)])
def test_how_much_is_spent_is_told_by_the_clock_or_by_the_steps(timed: bool, share: float) -> None:
    """After 5 of 20 seconds, when steps came twice as quickly as forecast."""
    forecast = Forecast(10, 1.0, 20.0, 1.0, "tokens", threads=1, parameters=1, timed=timed)
    assert forecast.share(step=5, seconds=5.0) == share
    assert forecast.share(step=11, seconds=21.0) == 1
