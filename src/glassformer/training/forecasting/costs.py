"""What training costs by formula: memory of each process, time of each step, and what limits it. It measures nothing.

    FLOPs of a step     3 × forward × tokens; a multiplication and its addition are two
    weights, gradients  4 bytes each, and 4 or 8 more for what the optimizer remembers; shared out if they are sharded
                        (copied to many processes, gradients stand in buckets once more)
    activations         bytes that torch keeps of a token for the backward pass × tokens of a process
    network             2(K−1)/K × gradients in a step; sharded: 3(K−1)/K × weights (gathered twice, reduced once)
                        beside the computing; where the same processor does both, after it, and so many seconds more in
                        which the processes agree on a step (AGREEING)

A device reaches only a share of its peak: published runs, 29 to 49 % (docs/scale.md works them out).
"""

from dataclasses import asdict, dataclass
from typing import Any

from glassformer.choices import Choices
from glassformer.errors import InputError

USUAL_SHARE = 0.4  # of a device's peak
NUMBER = 4  # bytes of a float32
HALF = 2  # bytes of a bfloat16
ROOM = 0.9  # of a device's memory can be used
AGREEING = 1.5e-3  # seconds: four sums of a few numbers, and the hooks of DDP; measured on two cores, small and large


@dataclass(frozen=True)
class Device:
    """What a data sheet says: matrix products in 16 bits, memory, and the link to its neighbours."""

    flops: float  # each second, at most
    memory: float  # bytes
    link: float  # bytes each second, both ways together
    half: bool = True  # whether activations are kept in 16 bits
    carries: bool = False  # whether what computes also copies what is sent, as processors do on one machine


DEVICES: Choices[Device] = Choices(
    "device",
    {
        "v100": Device(125e12, 32e9, 300e9),
        "a100": Device(312e12, 80e9, 600e9),
        "a100-40": Device(312e12, 40e9, 600e9),
        "h100": Device(989e12, 80e9, 900e9),
    },
)


@dataclass(frozen=True, kw_only=True)
class Workload:
    """What is to be trained, and by how many."""

    parameters: int
    flops: float  # of a token, forward and backward
    activations: float  # numbers that are kept of a token
    tokens_per_step: float  # of all processes together
    tokens: float  # of the whole run
    processes: int = 1
    sharded: bool = False
    memories: float = 2.0  # numbers that the optimizer remembers of each parameter, and an average of weights
    accumulate: int = 1

    def __post_init__(self) -> None:
        for name in ("parameters", "flops", "tokens_per_step", "tokens", "processes", "accumulate"):
            if getattr(self, name) <= 0:
                raise InputError(f"{name} must be above 0; it is {getattr(self, name):g}.")


@dataclass(frozen=True)
class Memory:
    """Bytes of one process."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    buckets: float = 0.0  # gradients once more, on their way to the other processes

    @property
    def total(self) -> float:
        """All of them."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.buckets


@dataclass(frozen=True)
class Cost:
    """What comes of it: memory of each process, seconds of each step, and what limits them."""

    memory: Memory
    room: float  # bytes that a process may use
    steps: float
    compute: float  # seconds of a step
    network: float  # seconds of a step
    limit: str  # compute, network or memory
    one_by_one: bool = False  # whether gradients travel after all are worked out; else while others are

    @property
    def step(self) -> float:
        """Seconds."""
        return self.compute + self.network if self.one_by_one else max(self.compute, self.network)

    @property
    def seconds(self) -> float:
        """Of the whole run."""
        return self.steps * self.step

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        found = asdict(self)
        return {**found, "memory": {**found["memory"], "total": self.memory.total}, "seconds": self.seconds}


def memory_of(job: Workload, number: int = NUMBER) -> Memory:
    """Bytes of one process; its activations are kept in numbers of so many bytes."""
    each = NUMBER * job.parameters / (job.processes if job.sharded else 1)
    own = job.tokens_per_step / job.processes / job.accumulate
    buckets = each if job.processes > 1 and not job.sharded else 0.0
    return Memory(each, each, job.memories * each, number * job.activations * own, buckets)


def bytes_sent(job: Workload) -> float:
    """By each process in a step: a ring of K passes on all but one K-th, once for each time round."""
    rounds = 3 if job.sharded else 2
    return rounds * (job.processes - 1) / job.processes * NUMBER * job.parameters


def cost(job: Workload, device: Device, *, share: float = USUAL_SHARE, compute: float = 0.0) -> Cost:
    """On devices that reach a share of their peak; or with so many seconds of each step as were measured."""
    if not 0 < share <= 1:
        raise InputError(f"A device reaches a share of its peak from 0 to 1; it is {share:g}.")
    memory = memory_of(job, HALF if device.half else NUMBER)
    compute = compute or job.flops * job.tokens_per_step / (job.processes * device.flops * share)
    agreeing = AGREEING if device.carries else 0.0
    network = bytes_sent(job) / device.link + agreeing if job.processes > 1 else 0.0
    room = ROOM * device.memory
    limit = "memory" if memory.total > room else "network" if network > compute else "compute"
    return Cost(memory, room, job.tokens / job.tokens_per_step, compute, network, limit, device.carries)
