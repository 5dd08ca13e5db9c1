"""What the end of a run takes: rehearsed without touching the run, and begun sooner where the machine became slower."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from helpers.small_requests import request

from glassformer.text.samples import Plain
from glassformer.training.forecasting import ending
from glassformer.training.forecasting.ending import (
    FEWEST,
    FILES,
    Deadline,
    drawn_in_time,
    ending_seconds,
    extrapolated,
    seconds_of,
)
from glassformer.training.prepare import prepare


@pytest.mark.parametrize(("step", "left"), [(0.5, 30.0), (0.25, 30.0), (1.0, 20.0), (2.0, 0.0), (3.0, -20.0)])
def test_the_end_is_begun_sooner_where_steps_became_slower(step: float, left: float) -> None:
    """40 seconds are left, 10 of them for an end that was measured when a step took half a second."""
    assert Deadline(at=100.0, ending=10.0, step=0.5).seconds_left(60.0, step) == left


def test_some_of_the_minutes_are_spent_on_training_whatever_took_the_rest() -> None:
    late = Deadline(at=100.0, ending=10.0, step=0.5, least=3.0)
    assert late.allowed(130.0, 0.5, trained=0.4) == 3.0
    assert late.allowed(130.0, 0.5, trained=4.0) == 4.0
    assert late.allowed(60.0, 0.5, trained=4.0) == 34.0


def test_many_take_as_long_as_a_few_and_some_foretell() -> None:
    assert extrapolated((3, 1.0), (13, 2.0), 113) == pytest.approx(12.0)
    assert extrapolated((3, 2.0), (13, 1.5), 113) == 1.5  # the first were slow for another reason


@pytest.mark.parametrize(
    ("task", "data"), [("classify", "negation:300"), ("translate", "dates:300"), ("generate", "sorting:300")]
)
def test_a_rehearsal_touches_nothing(task: str, data: str) -> None:
    prepared = prepare(request(task, data, steps=0, minutes=1.0))
    before = {name: value.clone() for name, value in prepared.model.state_dict().items()}
    chance = torch.get_rng_state()
    assert ending_seconds(prepared, 0.01).whole > FILES
    assert torch.equal(chance, torch.get_rng_state())
    assert all(torch.equal(value, before[name]) for name, value in prepared.model.state_dict().items())


def test_work_is_done_while_it_is_timed() -> None:
    done: list[int] = []
    assert seconds_of(lambda: done.append(1)) >= 0
    assert done == [1]


def test_who_cannot_end_in_time_says_so_before() -> None:
    deadline = Deadline(at=100.0, ending=30.0, step=0.1, least=6.0)
    assert deadline.will_be_missed(50.0) == deadline.will_be_missed(68.0) == ""
    assert "may end about 16 s late" in deadline.will_be_missed(80.0)  # 80 + 6 + 30 = 116


def test_who_took_longer_than_asked_says_so() -> None:
    deadline = Deadline(at=100.0, ending=7.0, step=0.1)
    assert deadline.missed(99.0) == deadline.missed(104.9) == ""
    assert deadline.missed(124.2).startswith("It took 24 s longer than was asked for: reading, evaluating and")


def test_evaluating_has_what_the_rest_of_the_end_leaves() -> None:
    deadline = Deadline(at=100.0, ending=30.0, step=0.1, evaluating=20.0)
    assert deadline.for_evaluating(70.0) == 20.0
    assert deadline.for_evaluating(95.0) == -5.0
    assert Deadline(at=100.0, ending=30.0, step=0.1).for_evaluating(95.0) == math.inf


def test_evaluating_may_take_so_many_seconds_at_most() -> None:
    prepared = prepare(request("classify", "negation:300", steps=0, minutes=1.0))
    end = ending_seconds(prepared, 10.0, most=2.0)  # a step of ten seconds: evaluating all would take longer
    assert end.evaluating == 2.0
    assert end.whole > FILES + end.evaluating


def _a_hundredth_of_a_second_each(work: Callable[[], object]) -> float:
    return 3.0 + 0.01 * len(work.args[0])  # type: ignore[attr-defined]  # and three to begin with


@pytest.mark.parametrize(
    ("seconds", "count"), [(math.inf, 2003), (24.0, 2003), (23.0, 2000), (13.0, 1000), (1.0, FEWEST), (-60.0, FEWEST)]
)
def test_samples_are_drawn_by_lot_where_the_time_does_not_do_for_all(
    monkeypatch: pytest.MonkeyPatch, seconds: float, count: int
) -> None:
    monkeypatch.setattr(ending, "seconds_of", _a_hundredth_of_a_second_each)
    samples = [Plain(str(number)) for number in range(2003)]
    drawn = drawn_in_time(samples, seconds, len, seed=7)
    assert abs(len(drawn) - count) <= 1
    numbers = [int(each.text) for each in drawn]  # type: ignore[union-attr]
    assert numbers == sorted(set(numbers))  # none twice, in their order
    assert list(drawn) == list(drawn_in_time(samples, seconds, len, seed=7))
    if count < 2003:
        assert abs(sum(numbers) / len(numbers) - 1001) < 100  # from all over the part, not its beginning
        assert list(drawn) != list(drawn_in_time(samples, seconds, len, seed=8))


def test_few_samples_are_all_evaluated_and_none_is_tried_before() -> None:
    def evaluate(samples: Any) -> None:
        raise AssertionError("nothing has to be measured")

    samples = [Plain(str(number)) for number in range(FEWEST)]
    assert drawn_in_time(samples, 0.001, evaluate, seed=0) is samples


def test_a_run_that_left_much_of_its_time_says_so_and_why() -> None:
    busy = Deadline(at=60.0, ending=43.0, step=1.0)
    assert busy.unspent(30.0, 17.0, 0.1).startswith(
        "30 s of the time were not used: when it was planned, a step took 1 s"
    )
    assert busy.unspent(30.0, 17.0, 0.1).endswith("in training 0.1 s, and the plan stood. To go on from here")
    assert busy.unspent(30.0, 17.0, 0.9) == ""  # it ended sooner for another reason
    assert busy.unspent(55.0, 17.0, 0.1) == ""
