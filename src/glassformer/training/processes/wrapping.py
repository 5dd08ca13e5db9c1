"""A model and its loss as one module, and the ways to have many processes learn it: each with a whole copy (DDP), or
each with a share of every weight (FSDP2). It knows no optimizer and no data.

The loss is worked inside the module, so that whatever an objective asks of a model passes through the same door.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from inspect import signature
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from glassformer.layers.devices import device_draws, set_device_draws
from glassformer.objectives.lessons import Lessons
from glassformer.text.batches import rows_for
from glassformer.training.processes.team import Team


class Taught(nn.Module):
    """From a batch to the summed loss, over how many, and how many answers were right."""

    def __init__(self, model: Any, lessons: Lessons) -> None:
        super().__init__()
        self.model, self.lessons = model, lessons

    def forward(self, batch: object, smoothing: float) -> tuple[Tensor, int, int]:
        """Where no answer is right or wrong, none is counted as right."""
        if self.lessons.graded:
            return self.lessons.graded(self.model, batch, smoothing)
        return *self.lessons.loss(self.model, batch, smoothing), 0


def copied(taught: Taught, team: Team) -> nn.Module:
    """Every process has the whole model; gradients are averaged. A weight that nobody used has none."""
    if team.size == 1 or not team.talks or not any(weight.requires_grad for weight in taught.parameters()):
        return taught
    device = next(taught.parameters()).device
    unsent: dict[str, Any] = {_BUFFERS: False}  # what is no weight is the same everywhere from the beginning
    return DistributedDataParallel(
        taught, device_ids=None if device.type == "cpu" else [device], find_unused_parameters=_unused(taught), **unsent
    )


_BUFFERS = next(  # as it is called since torch 2.13, and before
    name
    for name in ("forward_sync_buffers", "broadcast_buffers")
    if name in signature(DistributedDataParallel).parameters
)


def _unused(taught: Taught) -> bool:
    """Whether the loss leaves a weight out, as pretraining leaves out the head: nobody may then wait for it."""
    row, _ = rows_for(taught.lessons.train.batch(0, 0), 0, 2**31)
    weights = [weight for weight in taught.parameters() if weight.requires_grad]
    with torch.random.fork_rng():
        loss, _, _ = taught(row, 0.0)
    return any(each is None for each in torch.autograd.grad(loss, weights, allow_unused=True))


def sharded(taught: Taught, team: Team) -> Taught:
    """Every process keeps its share of each weight, gradient and memory of the optimizer; a block is put together when
    it is needed, and let go again."""
    if team.size == 1 or not team.talks:
        return taught
    from torch.distributed.device_mesh import init_device_mesh  # what only those need who share is loaded for them
    from torch.distributed.fsdp import fully_shard

    mesh = init_device_mesh(next(taught.parameters()).device.type, (team.size,))
    for block in _blocks(taught):
        fully_shard(block, mesh=mesh)
    fully_shard(taught, mesh=mesh, reshard_after_forward=False)
    return taught


def _blocks(module: nn.Module) -> Iterator[nn.Module]:
    """The parts that stand in a row, such as the blocks of a Transformer; not what such a part has inside."""
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            yield from (each for each in child if any(True for _ in each.parameters()))
        else:
            yield from _blocks(child)


def gradients_wait(wrapped: nn.Module, *, last: bool) -> AbstractContextManager[None]:
    """Of several batches that count as one, only the last sends gradients round."""
    if last or not isinstance(wrapped, DistributedDataParallel):
        return nullcontext()
    return wrapped.no_sync()


# --- a tensor that many hold together ---------------------------------------------------------------------------


def whole(tensor: Tensor) -> Tensor:
    """A tensor with all its shares; every process must ask at once."""
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def placed(full: Tensor, like: Tensor | None) -> Tensor:
    """The share of this process in a tensor that all have, where another like it is shared; else the tensor."""
    if like is None or not hasattr(like, "full_tensor") or full.shape != like.shape:
        return full
    from torch.distributed.tensor import distribute_tensor

    shared: Any = like
    full = full.to(shared.device_mesh.device_type)
    return distribute_tensor(full, shared.device_mesh, shared.placements, src_data_rank=None)


# --- random numbers ---------------------------------------------------------------------------------------------


def random_states(team: Team, device: torch.device) -> dict[str, Tensor]:
    """Where the random numbers of each process stand; of a device other than the processor, if there is one process."""
    states = team.gathered(torch.get_rng_state())
    found = {"random" if rank == 0 else f"random.{rank}": state for rank, state in enumerate(states)}
    drawn = device_draws(device) if team.size == 1 else None
    return found if drawn is None else {**found, f"random.{device.type}": drawn}


def draw_on(states: Mapping[str, Tensor], team: Team, device: torch.device, *, fresh: int) -> None:
    """Goes on from such states, without their first word. Where there were fewer processes, or the device was another,
    from a `fresh` beginning."""
    own = states.get(str(team.rank) if team.rank else "")
    if own is None:
        torch.manual_seed(fresh * team.size + team.rank)
    else:
        torch.set_rng_state(own)
    if device.type in states:
        set_device_draws(states[device.type], device)
