"""A team agrees, tells and fails together; a process by itself is a team of one."""

import json
import os

import pytest
import torch
from helpers.teams import in_team

from glassformer.errors import InputError
from glassformer.training.processes.team import ALONE, Team, end_process, joined, numbered

TALK = """
import json, sys, torch
from glassformer.errors import InputError
from glassformer.training.processes.team import joined

with joined() as team:
    said = {
        "sums": team.sums(team.rank + 1, 0.5),
        "leading": team.leading(7.0 + team.rank),
        "everyone": team.everyone({"name": "ä" * team.rank}),
        "told": team.told([team.rank, None]),
        "shared": {name: each.tolist() for name, each in team.shared(
            {"a": torch.arange(3), "b": torch.eye(2, dtype=torch.float64)} if team.leads else {})},
        "gathered": [each.tolist() for each in team.gathered(torch.tensor([team.rank]))],
        "together": team.together(lambda: team.rank),
    }
    def fails():
        if team.rank == 1:
            raise InputError("There is no file here.")
    try:
        team.together(fails)
    except Exception as error:
        said["error"] = str(error)
    except SystemExit as error:
        said["code"] = error.code
    print(json.dumps(said))
"""


def test_two_processes_agree() -> None:
    first, second = in_team(TALK, 2)
    for each in (first, second):
        assert each["sums"] == [3.0, 1.0]
        assert each["leading"] == 7.0
        assert each["everyone"] == [{"name": ""}, {"name": "ä"}]
        assert each["told"] == [0, None]
        assert each["shared"] == {"a": [0, 1, 2], "b": [[1.0, 0.0], [0.0, 1.0]]}
        assert each["gathered"] == [[0], [1]]
    assert (first["together"], second["together"]) == (0, 1)
    assert first["error"] == "Process 1 of 2 cannot go on. There is no file here."
    assert second["code"] == InputError.exit_code


def test_a_team_of_one_talks_to_itself() -> None:
    assert ALONE.leads
    assert ALONE.sums(3, 0.5) == [3, 0.5]
    assert ALONE.leading(7.0) == 7.0
    assert ALONE.told({"a": 1}) == {"a": 1}
    some = {"a": torch.arange(3)}
    assert dict(ALONE.shared(some)) == some
    assert ALONE.together(lambda: 5) == 5
    with pytest.raises(InputError, match="no file"):
        ALONE.together(lambda: (_ for _ in ()).throw(InputError("There is no file.")))
    ALONE.leave()


def test_in_a_rehearsal_each_counts_as_all_and_nobody_is_asked() -> None:
    team = Team(rank=0, size=3).rehearsing()
    assert team.sums(5, 1) == [15, 3]
    assert team.everyone("a") == ["a", "a", "a"]


def test_processes_are_numbered_as_torchrun_numbers_them() -> None:
    assert numbered({}) == ALONE
    told = {
        "RANK": "5",
        "WORLD_SIZE": "8",
        "LOCAL_RANK": "1",
        "LOCAL_WORLD_SIZE": "4",
        "TORCHELASTIC_RESTART_COUNT": "2",
    }
    assert numbered(told) == Team(5, 8, 1, 4, 2)
    assert numbered({"RANK": "3", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2"}).local_rank == 1


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"RANK": "two"}, "RANK must be a whole number, as torchrun sets it; it is 'two'"),
        ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK is 2 and WORLD_SIZE 2: processes are numbered from 0"),
    ],
)
def test_numbers_that_cannot_be_are_refused(environment: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        numbered(environment)


@pytest.mark.parametrize(
    ("meeting", "said"),
    [
        ({}, "this is process 1 of 2, and MASTER_ADDR does not say where they meet. .* unset RANK"),
        ({"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "abc"}, "MASTER_PORT must be a whole number"),
    ],
)
def test_a_rank_that_was_left_over_is_told(meeting: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said), joined({"RANK": "1", "WORLD_SIZE": "2", **meeting}):
        pass


def test_one_process_joins_nobody() -> None:
    with joined({"RANK": "0", "WORLD_SIZE": "1", "TORCHELASTIC_RESTART_COUNT": "1"}) as team:
        assert json.dumps([team.size, team.restarts]) == "[1, 1]"
    assert not torch.distributed.is_initialized()


def test_a_process_whose_work_is_done_says_all_and_is_not_taken_down() -> None:
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(writes, 1)
        try:
            os.write(1, b"said")
            end_process()
        finally:
            os.write(1, b", and taken down")
            os._exit(7)
    os.close(writes)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reads, 99) == b"said"
    os.close(reads)
