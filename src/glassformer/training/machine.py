"""The machine: what it is, how fast it multiplies, and how many threads suit some work. It knows no model.

A container may allow fewer cores and less memory than the machine has; what counts is what this process may use.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import torch

Clock = Callable[[], float]  # seconds, from any beginning

PACKAGES = ("glassformer", "torch", "numpy", "safetensors", "tokenizers", "sacrebleu")
NATIVE_BFLOAT16 = {"avx512_bf16", "amx_bf16", "bf16"}  # what processors call it in their flags
_WORTH_A_THREAD = 0.95  # more threads must take less than this share of the time, or fewer are kept
_UNLIMITED = 2**60  # older control groups write a number near 2⁶³ where there is no limit


@dataclass(frozen=True)
class Facts:
    """What there is to compute with."""

    system: str
    processor: str
    cores: int  # of the machine
    usable_cores: int  # for this process
    threads: int  # torch uses now
    memory: int  # bytes this process may use
    free_memory: int
    instructions: str  # the widest ones torch computes with
    bfloat16: bool  # whether the processor itself can; without, it is slower than float32
    accelerator: str  # "" if there is none
    load: float  # processes that wanted a core, on average over the last minute
    python: str
    versions: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def facts() -> Facts:
    """The machine as it is now."""
    total, free = _memory()
    about = _first(Path("/proc/cpuinfo"))
    return Facts(
        system=f"{platform.system()} {platform.machine()}",
        processor=processor_name(about) or platform.processor() or platform.machine(),
        cores=os.cpu_count() or 1,
        usable_cores=usable_cores(),
        threads=torch.get_num_threads(),
        memory=total,
        free_memory=free,
        instructions=torch.backends.cpu.get_cpu_capability(),
        bfloat16=bool(NATIVE_BFLOAT16 & processor_flags(about)),
        accelerator=_accelerator(),
        load=round(_load(), 2),
        python=platform.python_version(),
        versions={name: found for name in PACKAGES if (found := _version(name))},
    )


# --- what this process may use ----------------------------------------------------------------------------------


def usable_cores() -> int:
    """Cores this process may use: those it is bound to, and no more than its container pays for."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = [cores_allowed(_first(folder / "cpu.max")) for folder in _control_groups()]
    allowed.append(cores_allowed(" ".join(_first(_OLD_CPU / f"cpu.cfs_{name}_us") for name in ("quota", "period"))))
    return max(1, min([bound, *(int(cores) for cores in allowed if cores is not None)]))


def busy() -> bool:
    """Whether, over the last minute, more wanted to be done at once than this process has cores; where the system does
    not say, it is not."""
    return _load() > usable_cores()


def _load() -> float:
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def cores_for(processes: int) -> int:
    """Cores for each of so many processes that share this machine; one, if there are not enough."""
    return max(1, usable_cores() // processes)


def threads_allowed() -> int:
    """Threads of one process at most: its cores, or fewer where OMP_NUM_THREADS says so; what is no number there says
    nothing, and of a list its first holds, as for torch."""
    asked = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    cores = usable_cores()
    return min(cores, int(asked)) if asked.isdecimal() and int(asked) > 0 else cores


def cores_allowed(quota: str) -> float | None:
    """`200000 100000` is two cores: so many of so many microseconds. `max`, `-1` and no text are no limit."""
    words = quota.split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    return int(words[0]) / int(words[1])


def memory_allowed(limit: str) -> int | None:
    """A control group's limit in bytes; `max` and no text are none."""
    word = limit.strip()
    return int(word) if word.isdecimal() and int(word) < _UNLIMITED else None


def memory_told(meminfo: str) -> tuple[int, int]:
    """All and free bytes, as Linux tells them; zeros if it does not."""
    told = dict(line.split(":", 1) for line in meminfo.splitlines() if ":" in line)
    total, free = (int(told.get(name, "0 kB").split()[0]) * 1024 for name in ("MemTotal", "MemAvailable"))
    return total, free


def _memory() -> tuple[int, int]:
    total, free = memory_told(_first(Path("/proc/meminfo")))
    if not total and hasattr(os, "sysconf"):
        total = free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [memory_allowed(_first(folder / "memory.max")) for folder in _control_groups()]
    limits.append(memory_allowed(_first(Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"))))
    limit = min((each for each in limits if each is not None), default=total)
    return min(total, limit), min(free, limit)


_OLD_CPU = Path("/sys/fs/cgroup/cpu")


def _control_groups() -> list[Path]:
    """The folders whose limits hold for this process: its own control group and all above it."""
    root = Path("/sys/fs/cgroup")
    own = next((line[3:] for line in _first(Path("/proc/self/cgroup")).splitlines() if line.startswith("0::")), "/")
    folder = root / own.strip().lstrip("/")
    return [folder, *(parent for parent in folder.parents if parent.is_relative_to(root))]


def _first(path: Path) -> str:
    """A small file of the system, or nothing where there is none."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


# --- the processor ----------------------------------------------------------------------------------------------


def processor_name(cpuinfo: str) -> str:
    """What the processor calls itself."""
    return next((line.split(":", 1)[1].strip() for line in cpuinfo.splitlines() if line.startswith("model name")), "")


def processor_flags(cpuinfo: str) -> set[str]:
    """What the processor says it can do."""
    lines = [line for line in cpuinfo.splitlines() if line.lower().startswith(("flags", "features"))]
    return set(lines[0].split(":", 1)[1].split()) if lines else set()


def _accelerator() -> str:
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    return "Apple Metal" if torch.backends.mps.is_available() else ""


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


# --- speed ------------------------------------------------------------------------------------------------------


@contextmanager
def threads(count: int) -> Iterator[None]:
    """So many threads for a while, then as many as before."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def matmul_speed(count: int, *, size: int = 768, rounds: int = 7, clock: Clock = time.perf_counter) -> float:
    """GFLOP/s in float32 of a matrix product with so many threads: the best of some rounds.

    The best, not the median: a peak is what the machine can do when nobody disturbs it.
    """
    left, right = torch.randn(size, size), torch.randn(size, size)
    with threads(count), torch.inference_mode():
        left @ right
        took = [_seconds(lambda: left @ right, clock) for _ in range(rounds)]
    return 2 * size**3 / min(took) / 1e9


def thread_counts(cores: int) -> list[int]:
    """The counts worth trying: 1, 2, 4, … and all."""
    return sorted({*(2**power for power in range(cores.bit_length())), cores})


def time_threads(
    work: Callable[[], object],
    *,
    counts: list[int] | None = None,
    seconds: float = 3.0,
    clock: Clock = time.perf_counter,
    crowded: bool | None = None,
) -> dict[int, float]:
    """Seconds that the work takes with each count of threads: the median of up to five rounds.

    All counts take turns, so that a neighbour who disturbs a while disturbs them all. The work is not begun again after
    `seconds`: the most threads come first, which suit work so large that nothing else could be tried. On a machine that
    is `crowded` (busy, if nobody says) the fewest do: there threads wait for each other, a step of two takes twenty
    times that of one, and one would never be tried.
    """
    crowded = busy() if crowded is None else crowded
    counts = thread_counts(usable_cores()) if counts is None else counts
    took: dict[int, list[float]] = {}
    over = clock() + seconds
    for count in sorted(counts, reverse=not crowded) * 5:
        if took and clock() >= over:
            break
        with threads(count):
            waking = _seconds(work, clock)  # the first after a change wakes the threads, and counts only if it is all
            took.setdefault(count, []).append(waking if clock() >= over else _seconds(work, clock))
    return {count: statistics.median(each) for count, each in took.items()}


def best_threads(
    work: Callable[[], object],
    *,
    counts: list[int] | None = None,
    seconds: float = 3.0,
    clock: Clock = time.perf_counter,
) -> int:
    """The count of threads with which this work is quickest. On small tensors, or on a busy machine, that may be 1."""
    return quickest(time_threads(work, counts=counts, seconds=seconds, clock=clock))


def quickest(took: dict[int, float]) -> int:
    """The count that took the least time; more threads are chosen only for a gain that is more than noise."""
    best = min(took)
    for count in sorted(took):
        if took[count] < took[best] * _WORTH_A_THREAD:
            best = count
    return best


def _seconds(work: Callable[[], object], clock: Clock) -> float:
    began = clock()
    work()
    return clock() - began
