"""Two real processes learn what one learns: with a copy each (DDP), and with a share each (FSDP2)."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from helpers.small_lessons import lessons_for
from helpers.teams import Case, curve, in_team

from glassformer.objectives.table import OBJECTIVES
from glassformer.training.processes.team import ALONE
from glassformer.training.processes.wrapping import Taught, copied, gradients_wait, placed, random_states, whole

STEPS = 7
KINDS = tuple(OBJECTIVES)
CASES = {
    **{f"{kind}, copied": Case(kind, {"accumulate": 1 + n % 3}) for n, kind in enumerate(KINDS)},
    **{f"{kind}, shared": Case(kind, {"accumulate": 1 + n % 2, "shard": True}) for n, kind in enumerate(KINDS)},
    "average, copied": Case("classes", {"average": 0.9, "optimizer": "adamw"}),
    "average, shared": Case("pairs", {"average": 0.9, "optimizer": "adamw", "shard": True}),
}
LEARN = """
import json, sys
from helpers.teams import Case, curve
from glassformer.training.processes.team import joined

with joined() as team:
    cases, steps = json.loads(sys.argv[1])
    print(json.dumps({name: curve(Case(*each).loop(team), steps) for name, each in cases.items()}))
"""


@cache
def learnt_by_two() -> list[dict[str, list[float]]]:
    """All cases, by one pair of processes: to start them takes longest."""
    return in_team(LEARN, 2, [{name: [case.kind, case.plan] for name, case in CASES.items()}, STEPS])


@pytest.mark.slow
@pytest.mark.xdist_group("wrapping")
@pytest.mark.parametrize("name", CASES)
def test_two_processes_have_the_losses_of_one(name: str) -> None:
    """Batches of unlike length, some with a single row, accumulated by one, two and three."""
    alone = curve(CASES[name].loop(), STEPS)
    first, second = learnt_by_two()
    assert first[name] == second[name]
    assert first[name] == pytest.approx(alone, abs=1e-5)
    assert len(set(alone)) == STEPS + 1


SHARES = """
import json, sys
from helpers.teams import Case
from glassformer.training.processes.team import joined

with joined() as team:
    loop = Case("stream", {"shard": True}).loop(team)
    loop.step()
    held = sum(each.to_local().numel() for each in loop.model.parameters())
    kept = sum(each["exp_avg"].to_local().numel() for each in loop.optimizers[-1].state.values())
    print(json.dumps([held, kept, sum(each.numel() for each in loop.model.parameters())]))
"""


@pytest.mark.slow
def test_each_process_keeps_its_share_and_no_more() -> None:
    first, second = in_team(SHARES, 2)
    assert first[0] + second[0] == first[2] == second[2]
    assert 0.4 < first[0] / first[2] < 0.6
    assert 0 < first[1] < first[2]


RESHARD = """
import json, sys
from safetensors.torch import load_file, save_file
from helpers.teams import Case
from glassformer.training.processes.team import joined

given = json.loads(sys.argv[1])
with joined() as team:
    loop = Case("pairs", {"shard": True, "average": 0.9}).loop(team)
    if given["progress"]:
        loop.restore(load_file(given["path"]) if team.leads else {}, given["progress"] if team.leads else {})
    losses = [loop.step().loss for _ in range(given["steps"])]
    tensors, progress = loop.state()
    if team.leads:
        save_file({name: each.clone() for name, each in tensors.items()}, given["path"])  # some share their memory
    print(json.dumps([losses, progress]))
"""


@pytest.mark.slow
def test_what_two_have_kept_one_and_then_three_go_on_with(tmp_path: Path) -> None:
    alone = curve(Case("pairs", {"average": 0.9}).loop(), 11)[:-1]
    path = str(tmp_path / "state.safetensors")
    losses, progress = [], None
    for size, steps in ((2, 3), (1, 4), (3, 4)):
        said = in_team(RESHARD, size, {"path": path, "progress": progress, "steps": steps})
        assert all(each == said[0] for each in said)
        losses, progress = losses + said[0][0], said[0][1]
    assert losses == pytest.approx(alone, abs=1e-5)


def test_alone_nothing_is_wrapped() -> None:
    lessons, model = lessons_for("classes")
    taught = Taught(model, lessons)
    assert copied(taught, ALONE) is taught
    with gradients_wait(taught, last=False):
        pass


def test_a_plain_tensor_is_whole_and_stays_where_it_is() -> None:
    some = torch.arange(6.0).reshape(2, 3)
    assert whole(some) is some
    assert placed(some, torch.zeros(2, 3)) is some


def test_one_process_has_one_random_state() -> None:
    states: dict[str, Any] = random_states(ALONE, torch.device("cpu"))
    assert list(states) == ["random"]
    assert torch.equal(states["random"], torch.get_rng_state())
