"""The processes that train one model together: how they are numbered, how they agree. It knows no model and no files.

They are numbered as torchrun numbers them (RANK, WORLD_SIZE, …). Process 0 leads: it alone writes and speaks. A process
by itself is a team of one, to which nothing here costs anything. What they tell each other is numbers and JSON.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous

from glassformer.errors import GlassformerError, InputError

Some = TypeVar("Some")


@dataclass(frozen=True)
class Team:
    """One process, and how many there are."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0  # on this machine
    local_size: int = 1
    restarts: int = 0  # how often all were begun again, since one of them died
    talks: bool = True  # else the others only count: a rehearsal, as if each of them did the same

    @property
    def leads(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def rehearsing(self) -> "Team":
        """The same team, in which nobody waits for anybody."""
        return replace(self, talks=False)

    def sums(self, *numbers: float) -> list[float]:
        """Each number, summed over all processes; the same to the bit in each of them."""
        if self.size == 1 or not self.talks:
            return [self.size * number for number in numbers]
        every = torch.tensor(numbers, dtype=torch.float64)
        dist.all_reduce(every)
        return every.tolist()

    def leading(self, number: float) -> float:
        """The number that process 0 has."""
        return number if self.size == 1 else self.sums(number if self.leads else 0.0)[0]

    def everyone(self, content: Any) -> list[Any]:
        """What each process says, in the order of their numbers: plain data."""
        if self.size == 1 or not self.talks:
            return [content] * self.size
        said = torch.frombuffer(bytearray(json.dumps(content).encode()), dtype=torch.uint8)
        sizes = [int(each) for each in self.gathered(torch.tensor([len(said)]))]
        padded = torch.zeros(max(sizes), dtype=torch.uint8)
        padded[: len(said)] = said
        return [json.loads(bytes(row[:size].tolist())) for row, size in zip(self.gathered(padded), sizes, strict=True)]

    def told(self, content: Any) -> Any:
        """What process 0 says."""
        return self.everyone(content if self.leads else None)[0]

    def gathered(self, tensor: Tensor) -> list[Tensor]:
        """This tensor of each process; they have one shape."""
        if self.size == 1 or not self.talks:
            return [tensor] * self.size
        every = [torch.empty_like(tensor) for _ in range(self.size)]
        dist.all_gather(every, tensor)
        return every

    def shared(self, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
        """The tensors that process 0 has, one after another, so that nobody else needs room for all of them."""
        if self.size == 1 or not self.talks:
            yield from tensors.items()
            return
        kinds = self.told([[name, list(each.shape), str(each.dtype)] for name, each in tensors.items()])
        for name, shape, dtype in kinds:
            own = tensors[name].contiguous() if self.leads else torch.empty(shape, dtype=_dtype(dtype))
            dist.broadcast(own, src=0)
            yield name, own

    def together(self, work: Callable[[], Some]) -> Some:
        """What the work gives, if it succeeds everywhere; if not, process 0 says where it failed, and all leave."""
        error, done = None, None
        try:
            done = work()
        except GlassformerError as found:
            error = found
        failed = self.everyone(None if error is None else [str(error), error.exit_code])
        if self.leads and error is not None:
            raise error
        for rank, each in enumerate(failed):
            if each is not None and self.leads:
                raise GlassformerError(f"Process {rank} of {self.size} cannot go on. {each[0]}")
            if each is not None:
                raise SystemExit(each[1])
        return done  # type: ignore[return-value]

    def leave(self) -> None:
        """From now on each process is by itself."""
        if self.size > 1 and self.talks:
            dist.destroy_process_group()


ALONE = Team()


def _dtype(name: str) -> torch.dtype:
    found: torch.dtype = getattr(torch, name.removeprefix("torch."))
    return found


# --- joining ----------------------------------------------------------------------------------------------------


def numbered(environment: Mapping[str, str]) -> Team:
    """The place of this process, as torchrun, SLURM with torchrun, Kubernetes or Ray tell it; by itself if nobody
    does."""
    if "RANK" not in environment:
        return ALONE
    rank, size = _number(environment, "RANK"), _number(environment, "WORLD_SIZE", 1)
    local_size = _number(environment, "LOCAL_WORLD_SIZE", 1)
    if not 0 <= rank < size:
        raise InputError(f"RANK is {rank} and WORLD_SIZE {size}: processes are numbered from 0. Start with torchrun.")
    local = _number(environment, "LOCAL_RANK", rank % max(local_size, 1))
    return Team(rank, size, local, max(local_size, 1), _number(environment, "TORCHELASTIC_RESTART_COUNT", 0))


def _number(environment: Mapping[str, str], name: str, usual: int | None = None) -> int:
    word = environment.get(name, "" if usual is None else str(usual))
    if not word.isdecimal():
        raise InputError(f"{name} must be a whole number, as torchrun sets it; it is '{word}'.")
    return int(word)


@contextmanager
def joined(environment: Mapping[str, str] = os.environ) -> Iterator[Team]:
    """The team of this process, connected for as long as this lasts. A team whose connection breaks says so."""
    team = numbered(environment)
    if team.size == 1:
        yield team
        return
    _check_meeting(team, environment)
    try:
        _connect(team)
        yield team
    except GlassformerError as error:
        if team.leads:
            raise
        raise SystemExit(error.exit_code) from error  # process 0 says it
    except RuntimeError as error:
        if not _broken(error):
            raise
        raise LostError(team) from error
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


def _check_meeting(team: Team, environment: Mapping[str, str]) -> None:
    """Where the processes meet must be said; a single RANK may be left over from something else."""
    if not environment.get("MASTER_ADDR"):
        raise InputError(
            f"RANK and WORLD_SIZE say that this is process {team.rank} of {team.size}, and MASTER_ADDR does not say "
            "where they meet. Start them with torchrun or --nproc; to train with one process, unset RANK."
        )
    _number(environment, "MASTER_PORT")


def _connect(team: Team) -> None:
    """Finds the others. Those that were begun again on one machine are served by the store of those that died: what
    these left there is passed over. (Of several machines each has its own count.)"""
    store, rank, size = next(rendezvous("env://", team.rank, team.size))
    if team.local_size == team.size:
        store = PrefixStore(f"attempt {team.restarts}", store)
    backend = "gloo"
    if torch.cuda.is_available():
        torch.cuda.set_device(team.local_rank)  # each process has its own, and calls it cuda
        backend = "cpu:gloo,cuda:nccl"
    dist.init_process_group(backend, store=store, rank=rank, world_size=size)


def end_process() -> None:
    """Ends a process of a team whose work is done, and at once: gloo's threads may still hold tensors after they were
    told to let go, and to take the interpreter down under them now and then aborts, which looks like a failure."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


class LostError(GlassformerError):
    """Another process of the team is gone."""

    def __init__(self, team: Team) -> None:
        super().__init__(
            f"Process {team.rank} of {team.size} has lost the others: one of them ended. What was saved can be "
            "resumed (--resume); with --max-restarts all begin again from there by themselves."
        )


def _broken(error: RuntimeError) -> bool:
    """Whether it is a connection that broke."""
    return isinstance(error, dist.DistError) or any(
        word in str(error).lower() for word in ("gloo", "connection", "nccl")
    )
