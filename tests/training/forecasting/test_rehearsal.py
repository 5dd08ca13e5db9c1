"""Rehearsals: the run is not touched, and what is foretold is what a run then does."""

from dataclasses import replace

import pytest
import torch
from helpers.small_requests import request

from glassformer.objectives.lessons import Lessons
from glassformer.training.forecasting.rehearsal import Rehearsal, passes, rehearsed, validations
from glassformer.training.loop import EpochEnded, Loop, Plan, Validated
from glassformer.training.prepare import Prepared, prepare
from glassformer.training.processes.team import ALONE


def small(task: str = "classify", data: str = "negation:300") -> Prepared:
    return prepare(request(task, data, steps=20))


class Ticking:
    """A clock that goes on by what the work before it was: a unit for each row that was learnt, none else."""

    def __init__(self, lessons: Lessons) -> None:
        self.now, self.train = 0.0, lessons.train

    def __call__(self) -> float:
        return self.now

    def n_batches(self, epoch: int) -> int:
        return self.train.n_batches(epoch)

    def batch(self, epoch: int, place: int) -> object:
        made = self.train.batch(epoch, place)
        self.now += len(next(iter(vars(made).values())))
        return made


def test_a_step_takes_the_mean_over_whole_epochs() -> None:
    """Of 300 texts, 240 are learnt from: so many rows in an epoch, in batches of unlike size."""
    prepared = small()
    clock = Ticking(prepared.lessons)
    counted = replace(prepared, lessons=replace(prepared.lessons, train=clock))  # type: ignore[arg-type]
    epoch, rows = clock.n_batches(0), len(prepared.corpus.train)
    found = rehearsed(counted, replace(prepared.recipe.plan, steps=20), 1, ALONE, within=2.5 * rows, clock=clock)
    assert epoch > 1
    assert found.step == pytest.approx(rows / epoch)
    assert found.validation == found.saving == 0.0  # by this clock


@pytest.mark.parametrize(
    ("task", "data"), [("classify", "negation:300"), ("translate", "dates:300"), ("generate", "sorting:300")]
)
def test_it_touches_nothing(task: str, data: str) -> None:
    prepared = small(task, data)
    before = {name: value.clone() for name, value in prepared.model.state_dict().items()}
    chance = torch.get_rng_state()
    found = rehearsed(prepared, replace(prepared.recipe.plan, steps=20), 1, ALONE, within=0.05)
    assert min(found.step, found.validation, found.saving) > 0
    assert torch.equal(chance, torch.get_rng_state())
    assert all(torch.equal(value, before[name]) for name, value in prepared.model.state_dict().items())


@pytest.mark.parametrize("steps", [1, 3, 7, 20, 37, 61])
@pytest.mark.parametrize("every", [0.1, 0.3, 0.25, 1.0])
def test_a_run_has_as_many_validations_as_were_foretold(steps: int, every: float) -> None:
    """At each one of them at most, and at each end of an epoch, the validation part is gone through."""
    prepared = small()
    plan = Plan(steps=steps, validate_every=every)
    loop = Loop(prepared.model, prepared.lessons, plan)
    happened = [type(event) for event in loop.run()]
    assert happened.count(Validated) == validations(plan, steps)
    epochs = steps / prepared.lessons.train.n_batches(0)
    foretold = passes(plan, steps, epochs, graded=True)
    assert happened.count(Validated) <= foretold
    assert foretold - validations(plan, steps) <= happened.count(EpochEnded)


def test_what_is_done_beside_the_steps_by_pencil() -> None:
    assert Rehearsal(step=1.0, validation=3.0, saving=0.5).around(passes=7, validations=5) == 7 * 3 + 5 * 0.5
    plan = Plan(steps=100, validate_every=0.1)
    assert passes(plan, 100, 3.5, graded=True) == 10 + 3
    assert passes(plan, 100, 3.5, graded=False) == 10
    assert passes(plan, 100, 300.0, graded=True) == 10 + 40
