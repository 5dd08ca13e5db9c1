"""Plans: on paper as on the data sheet, and here near to what a real run holds."""

import pytest
from torch import nn

from glassformer.errors import InputError
from glassformer.training.forecasting.planning import (
    Where,
    held_at_most,
    holds_now,
    memories_of,
    plan_request,
    plan_sizes,
)
from glassformer.training.loop import Plan
from glassformer.training.request import Request

GPT = {"vocabulary": 1009, "width": 64, "layers": 2, "heads": 2, "hidden": 128, "length": 32}


def test_on_paper_the_devices_share_the_work() -> None:
    one = plan_sizes("gpt", GPT, 1e9, 1e5, Where(1, "a100", 0.5))
    eight = plan_sizes("gpt", {**GPT, "shard": True}, 1e9, 1e5, Where(8, "a100", 0.5))
    assert one.job.parameters == eight.job.parameters
    assert one.cost.compute == pytest.approx(8 * eight.cost.compute)
    assert one.cost.memory.weights == pytest.approx(8 * eight.cost.memory.weights)
    assert one.cost.steps == 1e4
    assert one.to_dict()["memory_per_process"] == one.memory == one.cost.memory.total


def test_a_plan_without_a_device_or_processes_is_refused() -> None:
    with pytest.raises(InputError, match="On paper a device must be named: --device v100, a100"):
        plan_sizes("gpt", GPT, 1e9, 1e5, Where())
    with pytest.raises(InputError, match="1 process or device at least; 0 were asked for"):
        Where(0)


def test_here_steps_are_measured() -> None:
    asked = Request(task="classify", data="negation:300", steps=50, threads=1, settings={"width": 16, "hidden": 16})
    found = plan_request(asked, Where())
    assert found.cost.steps == 50
    assert found.cost.compute > 0
    assert found.cost.network == 0
    assert found.held > 1e8  # torch itself
    assert found.cost.limit == "compute"
    assert found.notes[0].startswith("Too short: 50 steps are hardly enough")
    assert found.to_dict()["notes"] == list(found.notes)
    away = plan_request(asked, Where(2, "h100"))
    assert away.held == 0
    assert away.cost.network > 0


def test_what_an_optimizer_remembers_by_pencil() -> None:
    model = nn.Sequential(nn.Linear(7, 11), nn.Linear(11, 3, bias=False))  # 77 + 33 of matrices, 11 of a vector
    assert memories_of(model, Plan(steps=1, optimizer="adamw")) == 2
    assert memories_of(model, Plan(steps=1, optimizer="muon", average=0.9)) == pytest.approx(3 - 110 / 121)


def test_this_process_holds_something() -> None:
    assert holds_now() > 1e7
    assert held_at_most() > 1e7
