"""How fast the recurrent classifiers read a padded batch, side by side with the same weights and packed rows.

    packed      pack_padded_sequence, as torch's documentation advises for rows of unlike length

Both run in turn, over and over, in an order drawn anew, and each round gives one ratio, so that a busy moment of the
machine hits both alike. With one thread the time is that of the processor alone. Forward is measured as one would
predict, forward + backward as one would train. Prints Markdown.

    python bench/recurrent.py [--quick] [--threads N] [--json]
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from glassformer.models.registry import MODELS, build
from glassformer.models.sizes import count_parameters

NAMES = ("rnn", "gru", "bilstm")
ROWS, LONGEST = 32, 500  # a batch of film reviews as the recipe makes it: 16,000 tokens


class Packed(nn.Module):
    """Our model, but for how it reads its rows."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, real: Tensor) -> Tensor:
        """Logits from the state after the last real word."""
        embedded, lengths = self.model.embedding(ids), real.sum(1).cpu()
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        recurrent = self.model.recurrent
        last = getattr(nn, type(recurrent).__name__).forward(recurrent, packed)[1]  # as torch has it
        answer: Tensor = self.model.head((last[0] if isinstance(last, tuple) else last)[-1])
        return answer


@dataclass(frozen=True)
class Timing:
    """One row of the table: the time with packing over ours, round by round."""

    model: str
    parameters: int
    backward: bool
    ratio: float  # median over the rounds
    low: float  # quartiles
    high: float
    milliseconds: float  # ours, median
    rounds: int


def batch() -> tuple[Tensor, Tensor]:
    """Random ids. Rows are of like length, as our batches are: up to a fifth shorter than the longest."""
    lengths = torch.randint(LONGEST * 4 // 5, LONGEST + 1, (ROWS,))
    lengths[0] = LONGEST
    return torch.randint(8, MODELS["rnn"].default.vocabulary, (ROWS, LONGEST)), torch.arange(LONGEST) < lengths[:, None]


def once(module: nn.Module, inputs: tuple[Tensor, Tensor], backward: bool, threads: int) -> float:
    """Seconds for one pass: training with the way back, or predicting without."""
    clock = time.process_time if threads == 1 else time.perf_counter
    start = clock()
    if backward:
        module(*inputs).sum().backward()
    else:
        with torch.inference_mode():
            module(*inputs)
    seconds = clock() - start
    module.zero_grad(set_to_none=True)
    return seconds


def measure(name: str, backward: bool, budget: float, threads: int) -> Timing:
    """Rounds of both until the budget of seconds is spent; refuses to go on unless they give the same answer."""
    ours, inputs = build(name).train(backward), batch()
    modules = {"ours": ours, "packed": Packed(ours)}
    torch.testing.assert_close(modules["ours"](*inputs), modules["packed"](*inputs), rtol=0, atol=1e-5)
    times: dict[str, list[float]] = {each: [] for each in modules}
    order, shuffle, began = list(modules), random.Random(0), time.perf_counter()
    while len(times["ours"]) < 5 or time.perf_counter() - began < budget:
        shuffle.shuffle(order)
        for each in order:
            times[each].append(once(modules[each], inputs, backward, threads))
    ratios = [packed / mine for mine, packed in zip(times["ours"], times["packed"], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    mine = 1000 * statistics.median(times["ours"])
    return Timing(name, count_parameters(name), backward, middle, low, high, mine, len(ratios))


def table(timings: list[Timing]) -> str:
    """One row per model and pass."""
    lines = ["| model | parameters | pass | ours, ms | packed / ours, median (quartiles) |", "|---|---:|---|---:|---:|"]
    for each in timings:
        direction = "forward + backward" if each.backward else "forward"
        ratio = f"{each.ratio:.1f} ({each.low:.1f}–{each.high:.1f})"
        lines.append(f"| `{each.model}` | {each.parameters:,} | {direction} | {each.milliseconds:.0f} | {ratio} |")
    return "\n".join(lines)


def main() -> None:
    """Reads the options, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a rough look in about a minute")
    parser.add_argument("--threads", type=int, default=1, help="threads for torch (default 1: the calmest figures)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of Markdown")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    timings, load = [], [os.getloadavg()[0]]
    for name in NAMES:
        for backward in (False, True):
            print(f"{name} backward={backward} …", file=sys.stderr)
            timings.append(measure(name, backward, 2.0 if options.quick else 20.0, options.threads))
    load.append(os.getloadavg()[1])
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {options.threads} of them used"
    if options.json:
        found = {"machine": machine, "torch": torch.__version__, "load": load}
        print(json.dumps(found | {"timings": [asdict(each) for each in timings]}))
        return
    print(f"torch {torch.__version__}, {machine}; {ROWS} rows of up to {LONGEST} tokens")
    print("Load of the machine before and during: {:.1f}, {:.1f} (our own share is 1 per thread)\n".format(*load))
    print(table(timings))


if __name__ == "__main__":
    main()
