"""How often the training loss ended where it was forecast: small quick runs, asked on their way.

Each run is asked at 30, 50, 70 and 90 % of its steps where the loss will end (`drawing/curves.py`). What is shown at
the end, the average that the terminal prints at 100 %, then lies within the range or not. Beside it stands how wide the
range was, as a share of its upper end. The seeds are others than those with which the range was chosen. The figures are
Markdown.

    python bench/forecast.py [--runs 32] [--seed 700]
"""

import argparse
import random
import statistics
import sys
from dataclasses import replace

import torch

from glassformer.drawing.curves import Point, forecast, smoothed
from glassformer.training.loop import Loop, Stepped
from glassformer.training.prepare import prepare
from glassformer.training.request import Request

SHARES = (0.3, 0.5, 0.7, 0.9)
SMALL = {"width": 24, "heads": 2, "hidden": 37}
ONE, TWO = {**SMALL, "layers": 1}, {**SMALL, "layers": 2}
CASES = (
    *(
        ("classify", "negation:300", "", ONE),
        ("classify", "negation:2000", "", ONE),
        ("classify", "negation:500", "", TWO),
    ),
    *(("translate", "dates:600", "", SMALL), ("translate", "dates:3000", "", SMALL)),
    *(("generate", "sorting:1000", "modern", ONE), ("generate", "arithmetic:1000", "modern", TWO)),
)
STEPS = (60, 120, 240)


def curve(number: int, seed: int) -> list[Point]:
    """The training loss of one run, step by step."""
    task, data, model, settings = CASES[number % len(CASES)]
    steps = random.Random(seed).choice(STEPS)
    prepared = prepare(
        Request(task=task, data=data, model=model, steps=steps, seed=seed, threads=1, settings=settings)
    )  # fmt: skip
    plan = replace(prepared.recipe.plan, steps=steps, precision="float32", validate_every=1.0)
    loop = Loop(prepared.model, prepared.lessons, plan)
    return [(float(event.step), event.loss) for event in loop.run() if isinstance(event, Stepped)]


def asked(points: list[Point], share: float) -> tuple[bool, float]:
    """Whether the end lay within what was forecast at this share of the run, and how wide that was."""
    found = forecast(points[: int(share * len(points))], points[-1][0])
    if found is None:
        raise SystemExit(f"There is no forecast at {share:.0%} of {len(points)} steps.")
    low, high = found
    return low <= smoothed(points)[-1][1] <= high, (high - low) / high


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=700)
    options = parser.parse_args()
    torch.set_num_threads(1)
    curves = []
    for number in range(options.runs):
        curves.append(curve(number, options.seed + number))
        print(f"run {number + 1} of {options.runs}: {len(curves[-1])} steps", file=sys.stderr)
    print("| asked at | ended within | width of the range, median |\n|---|---|---|")
    for share in SHARES:
        within, widths = zip(*(asked(points, share) for points in curves), strict=True)
        print(f"| {share:.0%} | {sum(within)} of {len(within)} | {statistics.median(widths):.0%} |")


if __name__ == "__main__":
    main()
