"""What it costs to watch a model: time and memory of one pass, beside the same pass alone and `output_attentions`.

    alone                GPT-2 of `transformers` with random weights, on torch's kernel, nobody looking
    output_attentions    the same, with matrices written out, telling its weights
    watched              gf.watch, which keeps every stage of every attention
    watched, weights     gf.watch with keep="*.weights"
    watched, on disk     gf.watch with to=, which puts every stage into a folder
    nnsight              the weights of every layer saved in a trace of `nnsight`, if that is installed
    TransformerLens      `run_with_cache` of a bridge of `transformer_lens`, if installed: all of its hooks
    BertViz              `output_attentions`, and the page that `bertviz` makes of it, if installed; where `--pages`

All run in turn, in an order drawn anew, and every round gives one ratio to `alone`; with one thread the processor's own
time is taken. Peak memory is measured in a fresh process each, above what the process used before; that needs Linux.
Prints Markdown.

    python bench/watching.py [--rounds 9] [--sizes 6x384 12x768] [--pages]
"""

import argparse
import importlib
import importlib.util
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from torch import Tensor

import glassformer as gf

TOKENS = 512
SIZES = {"6x384": (6, 384, 6, 65), "12x768": (12, 768, 12, 50257)}  # layers, width, heads, vocabulary
CONTENDERS = ("alone", "output_attentions", "watched", "watched, weights", "watched, on disk")
OTHERS = {"nnsight": "nnsight", "TransformerLens": "transformer_lens"}
PAGES = {"BertViz": "bertviz"}


def installed(pages: bool) -> tuple[str, ...]:
    """Ours, and those of others that are here."""
    others = {**OTHERS, **(PAGES if pages else {})}
    return (*CONTENDERS, *(name for name, package in others.items() if importlib.util.find_spec(package)))


def contender(name: str, size: str) -> Callable[[], object]:
    """One pass, as it is to be measured."""
    layers, width, heads, vocabulary = SIZES[size]
    config = hf.GPT2Config(n_layer=layers, n_embd=width, n_head=heads, vocab_size=vocabulary, n_positions=TOKENS)
    torch.manual_seed(0)
    how = "eager" if name in ("output_attentions", *OTHERS, *PAGES) else "sdpa"
    model = hf.GPT2LMHeadModel._from_config(config, attn_implementation=how).eval()
    ids: Tensor = torch.randint(0, vocabulary, (1, TOKENS))
    if name in OTHERS or name in PAGES:
        return {"nnsight": _traced, "TransformerLens": _cached, "BertViz": _as_a_page}[name](model, ids)
    return {
        "alone": lambda: model(input_ids=ids),
        "output_attentions": lambda: model(input_ids=ids, output_attentions=True),
        "watched": lambda: gf.watch(model).run(input_ids=ids),
        "watched, weights": lambda: gf.watch(model, keep="*.weights").run(input_ids=ids),
        "watched, on disk": lambda: _on_disk(model, ids),
    }[name]


def _on_disk(model: torch.nn.Module, ids: Tensor) -> None:
    with tempfile.TemporaryDirectory() as folder:
        gf.watch(model, to=folder).run(input_ids=ids)


def _traced(model: Any, ids: Tensor) -> Callable[[], object]:
    nnsight = importlib.import_module("nnsight")
    within = nnsight.NNsight(model)

    def run() -> object:
        with within.trace(input_ids=ids):
            kept = nnsight.save([layer.attn.output[1] for layer in within.transformer.h])
        return kept  # noqa: RET504 - it is known only within

    return run


def _cached(model: Any, ids: Tensor) -> Callable[[], object]:
    with tempfile.TemporaryDirectory() as folder:  # it reads the configuration from there
        model.config.architectures = [type(model).__name__]
        model.config.save_pretrained(folder)
        lens = importlib.import_module("transformer_lens").TransformerBridge
        bridge = lens.boot_transformers(folder, device="cpu", hf_model=model).eval()
    return lambda: bridge.run_with_cache(ids)


def _as_a_page(model: Any, ids: Tensor) -> Callable[[], object]:
    view = importlib.import_module("bertviz").head_view
    tokens = [str(each) for each in ids[0].tolist()]
    return lambda: view(model(input_ids=ids, output_attentions=True).attentions, tokens, html_action="return")


def ratios(size: str, rounds: int, names: tuple[str, ...]) -> tuple[dict[str, float], dict[str, list[float]]]:
    """The median seconds of each, and its ratios to `alone`, round by round."""
    passes = {name: contender(name, size) for name in names}
    took: dict[str, list[float]] = {name: [] for name in names}
    for i in range(rounds + 1):
        for name in random.sample(names, len(names)):
            start = time.process_time()
            passes[name]()
            if i:  # the first round warms up
                took[name].append(time.process_time() - start)
    over = {name: [each / alone for each, alone in zip(took[name], took["alone"], strict=True)] for name in names}
    return {name: statistics.median(took[name]) for name in names}, over


def peak(name: str, size: str) -> float:
    """MiB of one pass, above what was used before."""
    run = contender(name, size)
    gf.watch(torch.nn.Linear(3, 3)).run(torch.zeros(2, 3))  # what looking loads once
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = _memory("VmRSS")
    kept = run()
    after = _memory("VmHWM")
    del kept
    return after - before


def _memory(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 2**10


def peak_apart(name: str, size: str) -> float:
    """The same in a fresh process."""
    answer = subprocess.run(
        [sys.executable, __file__, "--peak", name, size], capture_output=True, text=True, check=True
    )
    return float(answer.stdout)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    parser.add_argument("--pages", action="store_true", help="BertViz too")
    parser.add_argument("--peak", nargs=2, metavar=("NAME", "SIZE"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    hf.logging.set_verbosity_error()
    with torch.no_grad():
        if given.peak:
            print(peak(*given.peak))
            return
        print("| size | | seconds | over alone, median (quartiles) | peak, MiB |\n|---|---|---:|---:|---:|")
        for size in given.sizes:
            names = installed(given.pages)
            medians, over = ratios(size, given.rounds, names)
            for name in names:
                low, middle, high = statistics.quantiles(over[name], n=4)
                ratio = "1" if name == "alone" else f"{middle:.2f} ({low:.2f}–{high:.2f})"
                print(f"| {size} | {name} | {medians[name]:.2f} | {ratio} | {peak_apart(name, size):.0f} |", flush=True)


if __name__ == "__main__":
    main()
