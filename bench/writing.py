"""Where the time goes while a language model writes: the model alone, and what is put around it step by step.

    model      the next id of the pocket model `shakespeare`, the likeliest one, with its cache, by the engine that
               `predict` uses: nothing else
    greedy     the same ids through sampling.py, with log-probabilities and a check that they are numbers
    sampled    ids drawn by temperature
    text       what `glassformer predict` shows: sampled, and read as text bit by bit
    command    `glassformer predict` from its start to its end, in a process of its own
    start      the same for a single token: Python and torch are loaded, the model read and checked

All run in turn, over and over, and each round gives one ratio to the model alone, so that a busy moment of the machine
hits them alike. The time is that of the processor alone, with one thread. Prints Markdown.

    python bench/writing.py [--rounds N] [--tokens N]
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import glassformer as gf
from glassformer.models.sampling import Draw, Sampling, likeliest
from glassformer.objectives.predictions import Writing
from glassformer.objectives.writing import _ids, streamed

PROMPT = "To be, or not to be"
COMMAND = [str(Path(sys.executable).with_name("glassformer")), "predict", "shakespeare", PROMPT, "--longest"]


def alone(model: Any, prompt: list[int], count: int) -> None:
    """The likeliest ids, and where the model can look back no further, from the second half of what it sees."""
    seen, room = list(prompt), model.config.length
    window = seen
    with torch.inference_mode():
        while len(seen) < len(prompt) + count:
            cache = model.new_cache()
            logits = model(torch.tensor([window]), cache=cache)
            for _ in range(room - len(window)):
                seen.append(int(logits[0, -1].argmax()))
                logits = model(torch.tensor([seen[-1:]]), cache=cache)
            window = seen[-room // 2 :]


def own_seconds(work: Callable[[], object]) -> float:
    """Of this process."""
    began = time.process_time()
    work()
    return time.process_time() - began


def child_seconds(words: list[str]) -> float:
    """Of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int, count: int) -> None:
    """Measures and prints."""
    torch.set_num_threads(1)
    run = gf.load("shakespeare")
    prompt, worker, end = run.objective.prompt(run.tokens, PROMPT), run.worker, run.tokens.end
    ids, draw = prompt.tolist(), Sampling(temperature=0.8)
    ways: dict[str, Callable[[], float]] = {
        "model": lambda: own_seconds(lambda: alone(worker, ids, count)),
        "greedy": lambda: own_seconds(lambda: list(_ids(worker, ids, count, likeliest, end))),
        "sampled": lambda: own_seconds(lambda: list(_ids(worker, ids, count, Draw(draw, [0]), end))),
        "text": lambda: own_seconds(
            lambda: list(streamed(worker, run.tokens, prompt, Writing(longest=count), goes_on=True))
        ),
        "command": lambda: child_seconds([*COMMAND, str(count)]),
        "start": lambda: child_seconds([*COMMAND, "1"]),
    }
    took = [{name: way() for name, way in ways.items()} for _ in range(rounds)]
    print(f"{count} tokens, {rounds} rounds, one thread.\n")
    print("| | time / that of the model alone, median (least to most) | tokens/s, median |\n|---|---|---|")
    for name in ways:
        ratios = sorted(each[name] / each["model"] for each in took)
        rate = "" if name == "start" else f"{count / statistics.median(each[name] for each in took):.0f}"
        print(f"| {name} | {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) | {rate} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tokens", type=int, default=300)
    asked = parser.parse_args()
    main(asked.rounds, asked.tokens)
