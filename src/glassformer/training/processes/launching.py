"""Starts a command of ours several times on this machine, as torchrun does, with torchrun's own agent. It trains
nothing, and knows no options of the command but those about processes.
"""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from glassformer.errors import GlassformerError, InputError
from glassformer.training.processes.team import Team

WATCH_EVERY = 0.2  # seconds between looks at whether all still run
# -P: a file called random.py, where the command is given, is not taken for Python's.
ATTENDED = ("-P", "-u", "-m", "glassformer.training.processes.attended")
MOST = 1024  # processes on one machine: more is a slip of the pen


def in_a_team(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether somebody has launched this process as one of several already."""
    return "RANK" in environment


def check_launch(team: Team, nproc: int, *, named: bool) -> None:
    """Refuses what cannot go well: another number of processes than were launched, or restarts that would not find
    their run again."""
    if nproc and team.local_size != nproc:
        raise InputError(
            f"--nproc {nproc} was asked for, but whoever launched this process began {team.local_size} on this machine."
            " Leave --nproc out, for torchrun has its own --nproc-per-node."
        )
    if team.restarts and not named:
        raise InputError("A run that is begun again must be found again: name its folder with --out.")


def launched(words: Sequence[str], nproc: int, max_restarts: int = 0) -> int:
    """Runs `glassformer words…` so many times side by side, and gives the exit code: of the process that failed first,
    or of the signal that stopped them. If one dies, all are begun again, `max_restarts` times."""
    if not 1 <= nproc <= MOST:
        raise InputError(f"--nproc is how many processes train together, from 1 to {MOST}; it is {nproc}.")
    if max_restarts < 0:
        raise InputError(f"--max-restarts is how often they may begin again, 0 or more; it is {max_restarts}.")
    if "-" in words:
        raise InputError("Standard input can be read only once; for several processes put the text in a file.")
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.elastic.rendezvous import RendezvousError
    from torch.distributed.launcher.api import LaunchConfig, launch_agent

    _silence("torch.distributed")  # its processes speak for themselves
    try:
        with tempfile.TemporaryDirectory(prefix="glassformer_") as logs, attending():  # torch would leave its own there
            config = LaunchConfig(
                min_nodes=1, max_nodes=1, nproc_per_node=nproc, max_restarts=max_restarts, monitor_interval=WATCH_EVERY,
                rdzv_backend="c10d", rdzv_endpoint="localhost:0", run_id=str(os.getpid()), start_method="spawn",
                logs_specs=DefaultLogsSpecs(log_dir=logs),
            )  # fmt: skip
            launch_agent(config, sys.executable, [*ATTENDED, *words])
    except SignalException as stopped:
        return 128 + int(stopped.sigval)
    except RendezvousError as error:
        raise GlassformerError(
            f"The processes do not find each other on this machine ({error}). They meet at localhost: is it known "
            "here, and may this user start more processes and threads (ulimit -u)?"
        ) from error
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        if failure.exitcode > 0:
            return failure.exitcode
        raise KilledError(rank, nproc, -failure.exitcode) from error
    return 0


def _silence(name: str) -> None:
    """Of a package's loggers, those that have been given a level of their own as well."""
    for each in (name, *(each for each in logging.root.manager.loggerDict if each.startswith(f"{name}."))):
        logging.getLogger(each).setLevel(logging.CRITICAL)


@contextmanager
def attending() -> Iterator[None]:
    """Whoever is started meanwhile has a standard input that ends when this process does, even if that is killed: they
    save and leave, and nobody is left behind who holds the run."""
    reading, writing = os.pipe()
    before = os.dup(0) if _is_open(0) else None
    os.dup2(reading, 0)
    try:
        yield
    finally:
        os.close(writing)
        if before is not None:
            os.dup2(before, 0)
            os.close(before)


def _is_open(file: int) -> bool:
    try:
        os.fstat(file)
    except OSError:
        return False
    return True


class KilledError(GlassformerError):
    """A process that somebody ended, or the system for want of memory."""

    def __init__(self, rank: int, size: int, number: int) -> None:
        super().__init__(
            f"Process {rank} of {size} was killed (signal {number}), and not by us: by somebody, or by the system when "
            "memory ran out. What was saved can be resumed with --resume."
        )
        self.exit_code = 128 + number
