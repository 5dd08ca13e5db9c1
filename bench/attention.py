"""How much our attention costs with nobody looking, side by side with three others that compute the same thing.

    bare        four nn.Linear and scaled_dot_product_attention: the least it can cost
    nn.MHA      torch.nn.MultiheadAttention, asked for no weights
    explicit    four nn.Linear and softmax(Q Kᵀ β) V, as most tutorials write it

Times are ratios: all four run in turn, over and over, and each round gives one ratio, so that a busy moment of the
machine hits all of them alike. Peak memory is measured in a fresh process each. Prints Markdown.

    python bench/attention.py [--quick] [--threads N] [--json]
"""

import argparse
import json
import math
import os
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from glassformer.layers.attention import Attention, causal_mask

WIDTH, HEADS = 256, 8
TOKENS = 4096  # in a batch, whatever its length
LENGTHS = (64, 256, 1024, 4096)
MEMORY_LENGTHS = (512, 1024, 2048, 4096)
BAR = 1.05


# --- the contenders ---------------------------------------------------------------------------------------------


class Bare(nn.Module):
    """The fused kernel and its four projections, without anything around them."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.causal = causal

    def heads(self, rows: Tensor) -> Tensor:
        """B T D → B H T K."""
        return rows.view(*rows.shape[:2], HEADS, -1).transpose(1, 2)

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """The part between the projections."""
        return F.scaled_dot_product_attention(queries, keys, values, is_causal=self.causal)

    def forward(self, x: Tensor) -> Tensor:
        """One answer per row."""
        mixed = self.attend(self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x)))
        answer: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return answer


class Explicit(Bare):
    """The same with every matrix written out."""

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Score, mask, weigh, mix."""
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])
        if self.causal:
            future = ~causal_mask(scores.shape[-2], scores.shape[-1])
            scores = scores.masked_fill(future, -math.inf)
        return scores.softmax(-1) @ values


class TorchMHA(nn.Module):
    """torch.nn.MultiheadAttention, called as its documentation advises for speed."""

    def __init__(self, causal: bool) -> None:
        super().__init__()
        self.inner = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.causal = causal

    def forward(self, x: Tensor) -> Tensor:
        """One answer per row."""
        future = ~causal_mask(x.shape[1], x.shape[1]) if self.causal else None
        answer: Tensor = self.inner(x, x, x, need_weights=False, attn_mask=future, is_causal=self.causal)[0]
        return answer


CONTENDERS: dict[str, Callable[[bool], nn.Module]] = {
    "ours": lambda causal: Attention(WIDTH, HEADS, causal=causal),
    "bare": Bare,
    "nn.MHA": TorchMHA,
    "explicit": Explicit,
}


def contenders(causal: bool) -> dict[str, nn.Module]:
    """All four with the same weights; refuses to go on unless they give the same answer."""
    built = {name: build(causal) for name, build in CONTENDERS.items()}
    weights = built["bare"].state_dict()
    built["ours"].load_state_dict(weights)
    built["explicit"].load_state_dict(weights)
    packed = {
        f"in_proj_{kind}": torch.cat([weights[f"{part}.{kind}"] for part in ("query", "key", "value")])
        for kind in ("weight", "bias")
    }
    outward = {f"out_proj.{kind}": weights[f"output.{kind}"] for kind in ("weight", "bias")}
    built["nn.MHA"].load_state_dict({f"inner.{name}": value for name, value in (packed | outward).items()})
    x = torch.randn(2, 37, WIDTH)
    for module in built.values():
        torch.testing.assert_close(module(x), built["bare"](x), rtol=0, atol=1e-5)
    return built


# --- time -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timing:
    """One cell of the table: our time over another's, round by round."""

    length: int
    causal: bool
    backward: bool
    against: str
    ratio: float  # median over the rounds
    low: float  # quartiles
    high: float
    milliseconds: float  # ours, median
    rounds: int


def once(module: nn.Module, x: Tensor, backward: bool) -> float:
    """Seconds for one pass: training with the way back, or evaluating without."""
    start = time.perf_counter()
    if backward:
        module(x).sum().backward()
    else:
        with torch.no_grad():
            module(x)
    seconds = time.perf_counter() - start
    module.zero_grad(set_to_none=True)
    x.grad = None
    return seconds


def measure(length: int, causal: bool, backward: bool, budget: float) -> list[Timing]:
    """Rounds of all four until the budget of seconds is spent.

    The order is drawn anew each round: whoever always ran after the same neighbour would inherit its cache and memory.
    """
    modules = {name: module.train(backward) for name, module in contenders(causal).items()}
    x = torch.randn(TOKENS // length, length, WIDTH, requires_grad=backward)
    times: dict[str, list[float]] = {name: [] for name in modules}
    order, shuffle = list(modules), random.Random(0)
    for name in order:
        once(modules[name], x, backward)  # warm up
    start = time.perf_counter()
    while len(times["ours"]) < 7 or time.perf_counter() - start < budget:
        shuffle.shuffle(order)
        for name in order:
            times[name].append(once(modules[name], x, backward))
    rounds = len(times["ours"])
    timings = []
    for name in list(modules)[1:]:
        ratios = [mine / other for mine, other in zip(times["ours"], times[name], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        mine = 1000 * statistics.median(times["ours"])
        timings.append(Timing(length, causal, backward, name, middle, low, high, mine, rounds))
    return timings


# --- memory -----------------------------------------------------------------------------------------------------


def peak_so_far() -> float:
    """MiB this process ever used at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def peak_memory(name: str, length: int) -> float:
    """MiB at the peak of a forward and backward pass over one sequence, above what was there before."""
    module = CONTENDERS[name](False)
    once(module, torch.randn(1, 16, WIDTH, requires_grad=True), True)  # loads what is loaded late
    ballast, before = [], peak_so_far()
    while peak_so_far() < before + 2:  # importing peaked higher than now: fill up, so that what comes on top shows
        ballast.append(torch.ones(2**17))
    before = peak_so_far()
    once(module, torch.randn(1, length, WIDTH, requires_grad=True), True)
    return peak_so_far() - before


def peak_memory_apart(name: str, length: int, threads: int) -> float:
    """The same in a fresh process, whose peak nothing else has raised."""
    command = [sys.executable, __file__, "--threads", str(threads), "--peak-memory", name, str(length)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def growth(sizes: dict[int, float]) -> float:
    """The exponent e of memory ≈ lengthᵉ, by least squares on the logarithms."""
    lengths = [math.log(length) for length in sizes]
    return statistics.linear_regression(lengths, [math.log(size) for size in sizes.values()]).slope


# --- the report -------------------------------------------------------------------------------------------------


def time_table(timings: list[Timing]) -> str:
    """One row per length, direction and mask; a cell is the median ratio and its quartiles."""
    others = [name for name in CONTENDERS if name != "ours"]
    lines = ["| length | pass | mask | ours, ms | " + " | ".join(f"ours / {name}" for name in others) + " |"]
    lines.append("|---:|---|---|---:|" + "---:|" * len(others))
    cells = {(each.length, each.backward, each.causal, each.against): each for each in timings}
    for length, backward, causal in dict.fromkeys(key[:3] for key in cells):
        found = [cells[length, backward, causal, name] for name in others]
        ratios = " | ".join(f"{each.ratio:.3f} ({each.low:.3f}–{each.high:.3f})" for each in found)
        direction, mask = "forward + backward" if backward else "forward", "causal" if causal else "none"
        lines.append(f"| {length} | {direction} | {mask} | {found[0].milliseconds:.1f} | {ratios} |")
    return "\n".join(lines)


def memory_table(memory: dict[str, dict[int, float]]) -> str:
    """One row per contender."""
    lengths = list(next(iter(memory.values())))
    lines = ["| | " + " | ".join(f"{length}, MiB" for length in lengths) + " | grows as length to the power |"]
    lines.append("|---|" + "---:|" * (len(lengths) + 1))
    for name, sizes in memory.items():
        lines.append(
            f"| {name} | " + " | ".join(f"{size:.0f}" for size in sizes.values()) + f" | {growth(sizes):.2f} |"
        )
    return "\n".join(lines)


def run(quick: bool, threads: int) -> dict[str, Any]:
    """Everything measured, as plain data."""
    lengths, budget = (LENGTHS[:3], 1.0) if quick else (LENGTHS, 12.0)
    timings, load = [], [os.getloadavg()[0]]
    for length in lengths:
        for backward in (False, True):
            for causal in (False, True):
                print(f"length {length} backward={backward} causal={causal} …", file=sys.stderr)
                timings += measure(length, causal, backward, budget)
    memory_lengths = MEMORY_LENGTHS[1:3] if quick else MEMORY_LENGTHS
    memory = {
        name: {length: peak_memory_apart(name, length, threads) for length in memory_lengths} for name in CONTENDERS
    }
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {threads} thread{'s' if threads > 1 else ''}"
    load = [*load, os.getloadavg()[1]]
    return {"machine": machine, "torch": torch.__version__, "load": load, "timings": timings, "memory": memory}


def main() -> None:
    """Reads the options, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a rough look in about two minutes")
    parser.add_argument("--threads", type=int, default=1, help="threads for torch (default 1: the calmest figures)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of Markdown")
    parser.add_argument("--peak-memory", nargs=2, metavar=("NAME", "LENGTH"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    if options.peak_memory:
        print(peak_memory(options.peak_memory[0], int(options.peak_memory[1])))
        return
    found = run(options.quick, options.threads)
    if options.json:
        print(json.dumps(found | {"timings": [asdict(each) for each in found["timings"]]}))
        return
    bare = [each for each in found["timings"] if each.against == "bare"]
    worst = max(bare, key=lambda each: each.ratio)
    print(f"torch {found['torch']}, {found['machine']}; {WIDTH} wide, {HEADS} heads, {TOKENS} tokens in a batch")
    print(
        "Load of the machine before and during: {:.1f}, {:.1f} (our own share is 1 per thread)\n".format(*found["load"])
    )
    print(time_table(found["timings"]))
    print(
        f"\nBar: ours / bare ≤ {BAR}. Worst {worst.ratio:.3f}, median {statistics.median(e.ratio for e in bare):.3f}.\n"
    )
    print("Peak memory of one forward and backward pass over one sequence:\n")
    print(memory_table(found["memory"]))


if __name__ == "__main__":
    main()
