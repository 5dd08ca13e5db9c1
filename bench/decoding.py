"""How fast each engine writes, with the same weights of GPT-2's kind: ours in PyTorch and in ONNX Runtime (float32 and
8 bits), transformers' `generate`, and CTranslate2 where it is installed.

All write the same number of tokens greedily from the same prompts, in turn, over and over; that they write the same
ids is checked first. One thread, and the time is that of the processor alone, so that a busy machine hits them less;
trust the ratios. The limit is how fast this memory can bring the weights once for each token. Prints Markdown.

    python bench/decoding.py [--sizes small,middle,large] [--batches 1,16] [--rounds N] [--json]
"""

import argparse
import importlib.util
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from glassformer.engines.choosing import chosen
from glassformer.models.language_model import Continuation
from glassformer.models.registry import build, configure
from glassformer.models.sampling import Stop, greedy

SIZES = {"small": (4, 128, 4, 256), "middle": (6, 384, 6, 5000), "large": (12, 768, 12, 5000)}  # layers, D, H, tokens
TOKENS = {"small": 96, "middle": 32, "large": 16}  # written in one round
PROMPT = 8
Writes = Callable[[list[list[int]], int], list[list[int]]]


@dataclass(frozen=True)
class Speed:
    """One row: tokens per second of the processor's time, median over the rounds, and how many times transformers'."""

    size: str
    batch: int
    engine: str
    tokens_per_second: float
    times_transformers: float
    low: float  # quartiles of the ratio, round by round
    high: float
    equal: bool


def ours(size: str) -> Any:
    """A model of GPT-2's kind with weights that are not tiny, so that texts differ."""
    layers, width, heads, vocabulary = SIZES[size]
    torch.manual_seed(0)
    settings = {"layers": layers, "width": width, "heads": heads, "hidden": 4 * width, "vocabulary": vocabulary}
    model: Any = build("gpt", configure("gpt", **settings, length=256)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.05 * torch.randn_like(weight))
    return model


def in_transformers(model: Any) -> Any:
    """The same weights in GPT-2's layout."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = model.config
    other = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocabulary, n_positions=config.length, n_embd=config.width, n_layer=config.layers,
            n_head=config.heads, n_inner=config.hidden, bos_token_id=0, eos_token_id=0, pad_token_id=0,
        )
    )  # fmt: skip
    state = {"wte.weight": model.embedding.weight, "wpe.weight": model.order.rows.table}
    for i, block in enumerate(model.blocks):
        own, forward = block.attention, block.feed_forward
        parts = [own.layer.query, own.layer.key, own.layer.value]
        matrices = {
            "attn.c_attn": (torch.cat([each.weight for each in parts]), torch.cat([each.bias for each in parts])),
            "attn.c_proj": (own.layer.output.weight, own.layer.output.bias),
            "mlp.c_fc": (forward.layer.expand.weight, forward.layer.expand.bias),
            "mlp.c_proj": (forward.layer.contract.weight, forward.layer.contract.bias),
        }
        for name, (weight, bias) in matrices.items():
            state |= {f"h.{i}.{name}.weight": weight.T, f"h.{i}.{name}.bias": bias}
        for name, norm in (("ln_1", own.norm), ("ln_2", forward.norm)):
            state |= {f"h.{i}.{name}.weight": norm.weight, f"h.{i}.{name}.bias": norm.bias}
    state |= {"ln_f.weight": model.final_norm.weight, "ln_f.bias": model.final_norm.bias}
    strange = other.transformer.load_state_dict(state, strict=False)
    assert not strange.unexpected_keys
    assert not strange.missing_keys
    other.tie_weights()
    return other.eval()


def by_ours(model: Any) -> Writes:
    """Our loop, around our model or an engine."""

    def write(prompts: list[list[int]], count: int) -> list[list[int]]:
        return [list(each.ids) for each in greedy(Continuation(model, prompts), Stop(longest=count))]

    return write


def by_transformers(model: Any) -> Writes:
    """`generate`, greedy, without an end before the last token."""

    def write(prompts: list[list[int]], count: int) -> list[list[int]]:
        ids = torch.tensor(prompts)
        with torch.inference_mode():
            found = model.generate(
                ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=count, min_new_tokens=count,
                eos_token_id=None,
            )  # fmt: skip
        return [row[len(prompts[0]) :] for row in found.tolist()]

    return write


def by_ctranslate2(model: Any, folder: Path, quantization: str | None) -> Writes:
    """CTranslate2's own loop over its own file."""
    import ctranslate2
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    names = {f"t{i}": i for i in range(model.config.vocab_size)}
    tokens = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel(names, unk_token="t0")))
    tokens.unk_token = tokens.bos_token = tokens.eos_token = "t0"
    source, place = folder / "hf", folder / f"ct2-{quantization}"
    model.save_pretrained(source)
    tokens.save_pretrained(source)
    ctranslate2.converters.TransformersConverter(str(source)).convert(str(place), quantization=quantization, force=True)
    generator = ctranslate2.Generator(str(place), device="cpu", inter_threads=1, intra_threads=1)

    def write(prompts: list[list[int]], count: int) -> list[list[int]]:
        given = [[f"t{each}" for each in prompt] for prompt in prompts]
        found = generator.generate_batch(
            given, max_length=count, min_length=count, sampling_topk=1, include_prompt_in_result=False, end_token=[]
        )
        return [list(each.sequences_ids[0]) for each in found]

    return write


def engines(size: str, folder: Path) -> dict[str, Writes]:
    """All that write here, by name."""
    model = ours(size)
    other = in_transformers(model)
    found = {
        "transformers.generate": by_transformers(other),
        "ours, PyTorch": by_ours(chosen(model, "torch").model),
        "ours, ONNX Runtime": by_ours(chosen(model, "onnx").model),
        "ours, ONNX Runtime, int8": by_ours(chosen(model, "int8").model),
    }
    if importlib.util.find_spec("ctranslate2"):
        found["CTranslate2"] = by_ctranslate2(other, folder, None)
        found["CTranslate2, int8"] = by_ctranslate2(other, folder, "int8")
    return found


def measured(size: str, batch: int, writers: dict[str, Writes], rounds: int) -> list[Speed]:
    """Each in turn, over and over."""
    vocabulary, count = SIZES[size][3], TOKENS[size]
    torch.manual_seed(1)
    prompts = torch.randint(1, vocabulary, (batch, PROMPT)).tolist()
    expected = writers["ours, PyTorch"](prompts, count)
    equal = {name: write(prompts, count) == expected for name, write in writers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in writers}
    for _ in range(rounds):
        for name, write in writers.items():
            begun = time.process_time()
            write(prompts, count)
            seconds[name].append(time.process_time() - begun)
    base = seconds["transformers.generate"]
    rows = []
    for name, times in seconds.items():
        ratios = [theirs / mine for theirs, mine in zip(base, times, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4) if rounds > 1 else ratios * 3
        rate = batch * count / statistics.median(times)
        rows.append(Speed(size, batch, name, rate, middle, low, high, equal[name]))
    return rows


def bandwidth() -> float:
    """Bytes per second that one thread reads from memory."""
    rows, best = torch.ones(64_000_000), float("inf")
    for _ in range(5):
        begun = time.process_time()
        rows.sum()
        best = min(best, time.process_time() - begun)
    return 4 * len(rows) / best


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="small,middle,large")
    parser.add_argument("--batches", default="1,16")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    speed, rows, limits = bandwidth(), list[Speed](), dict[str, float]()
    for size in asked.sizes.split(","):
        weights = sum(each.numel() for each in ours(size).parameters())
        limits[size] = speed / (4 * weights)
        with tempfile.TemporaryDirectory() as folder:
            writers = engines(size, Path(folder))
            for batch in map(int, asked.batches.split(",")):
                rows += measured(size, batch, writers, asked.rounds)
                print(f"{size}, batch {batch}: done", file=sys.stderr)
    if asked.json:
        print(json.dumps({"limits": limits, "rows": [asdict(row) for row in rows]}, indent=2))
        return
    print("| size | batch | engine | tokens/s | × transformers (quartiles) | same ids |\n|---|---:|---|---:|---:|---|")
    for row in rows:
        layers, width, *_ = SIZES[row.size]
        ratio = f"{row.times_transformers:.1f} ({row.low:.1f}–{row.high:.1f})"
        same = "yes" if row.equal else "no"
        print(f"| {layers} × {width} | {row.batch} | {row.engine} | {row.tokens_per_second:,.0f} | {ratio} | {same} |")
    told = ", ".join(f"{size} {limit:,.0f}" for size, limit in limits.items())
    print(f"\nLimit by memory at batch 1, float32, tokens/s: {told} ({speed / 1e9:.1f} GB/s).")
    print(f"torch {torch.__version__}, {platform.machine()}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
