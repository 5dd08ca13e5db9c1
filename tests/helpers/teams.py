"""Several real processes that train together, as torchrun would start them, and what they are given to learn."""

import json
import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from glassformer.training.loop import Loop, Plan
from glassformer.training.processes.team import ALONE, Team
from helpers.small_lessons import lessons_for


@dataclass(frozen=True)
class Case:
    """A run of a few steps, small enough for a test."""

    kind: str
    plan: dict[str, Any]

    def loop(self, team: Team = ALONE, dropout: float = 0.0) -> Loop:
        """At its beginning."""
        torch.set_num_threads(1)
        torch.manual_seed(11 + team.rank)  # what is dropped at random is each one's own
        lessons, model = lessons_for(self.kind, dropout)
        return Loop(model, lessons, Plan(**{"steps": 23, "precision": "float32", **self.plan}), team)


def curve(loop: Loop, steps: int) -> list[float]:
    """The losses of so many steps, and the validation loss behind them."""
    return [*(loop.step().loss for _ in range(steps)), loop.validation_loss()]


def free_port() -> int:
    """A port that nobody listens to just now."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return int(some.getsockname()[1])


def team_environment(rank: int, size: int, port: int) -> dict[str, str]:
    """What torchrun tells one of so many processes."""
    numbers = {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": size, "MASTER_PORT": port}
    own = {"PYTHONPATH": str(Path(__file__).parent.parent), "OMP_NUM_THREADS": "1", "MASTER_ADDR": "127.0.0.1"}
    return {**os.environ, **own, **{name: str(number) for name, number in numbers.items()}}


def in_team(script: str, size: int, argument: Any = None, timeout: float = 200.0) -> list[Any]:
    """What each of so many real processes prints, as JSON, when it runs a script that is handed an argument."""
    port = free_port()
    every = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, json.dumps(argument)],
            env=team_environment(rank, size, port),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]
    said = [each.communicate(timeout=timeout) for each in every]
    assert all(each.returncode == 0 for each in every), "\n".join(errors for _, errors in said)
    return [json.loads(answer) for answer, _ in said]
