"""How fast our models learn, side by side with others of the same shape, and how much of the machine that uses.

    plain torch       a GPT of nanoGPT's sizes, written here in a few lines
    transformers      GPT-2, BERT and Marian
    nn.Transformer    torch's own encoder–decoder

All see the same batch, clip the same way and move by AdamW (fused). "with Muon" is our model as `train` would teach it.
One step is forward, loss, backward, clip and move. The contenders take turns, and each round gives one ratio, so that a
busy moment of the machine hits all of them alike. With one thread the time is that of the processor alone: moments in
which other programs run do not count. Prints Markdown. Needs `transformers` (`pip install 'glassformer[dev]'`).

    python bench/training.py [--quick] [--only WORD] [--threads N] [--json]
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
import transformers
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    MarianConfig,
    MarianMTModel,
)

from glassformer.layers.positions import sinusoids
from glassformer.models.registry import build, configure
from glassformer.objectives import lessons
from glassformer.objectives.lessons import class_loss, translation_loss
from glassformer.text import batches
from glassformer.text.token_kinds import END, PAD, START
from glassformer.training.loop import Loop, Plan
from glassformer.training.machine import matmul_speed

Step = Callable[[], object]


# --- what is raced ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """The size of every model in a race, and of its batch."""

    task: str  # generate, classify or translate
    name: str
    layers: int
    width: int
    heads: int
    hidden: int
    vocabulary: int
    length: int
    rows: int

    @property
    def sizes(self) -> dict[str, int]:
        """What our configs call them."""
        layers = {"encoder_layers": self.layers, "decoder_layers": self.layers}
        layers = layers if self.task == "translate" else {"layers": self.layers}
        names = ("width", "heads", "hidden", "vocabulary", "length")
        return layers | {name: getattr(self, name) for name in names}


SHAPES = (
    Shape("generate", "small, context 64", 4, 128, 4, 512, 65, 64, 12),  # nanoGPT's for a laptop
    Shape("generate", "small, context 128", 4, 128, 4, 512, 65, 128, 16),  # our recipe's
    Shape("generate", "middle", 6, 384, 6, 1536, 65, 256, 4),
    Shape("classify", "small", 2, 128, 4, 256, 20_000, 256, 16),
    Shape("classify", "middle", 6, 384, 6, 1536, 20_000, 256, 4),
    Shape("translate", "small", 4, 128, 4, 256, 8_000, 24, 64),
    Shape("translate", "middle", 3, 384, 6, 1536, 8_000, 32, 32),
)


Steps = dict[str, Step]  # by the contender's name; ours are called so


def ours(model: str, shape: Shape, batch: Any, optimizer: str = "adamw", **settings: Any) -> Step:
    """A step of our model in our own loop."""
    network = build(model, configure(model, **shape.sizes, dropout=0.0, attention_dropout=0.0, **settings))
    part: Any = Same(batch)
    return Loop(network, lessons.Lessons(part, part, LOSSES[shape.task]), Plan(steps=10**6, optimizer=optimizer)).step


LOSSES: dict[str, lessons.Loss] = {
    "generate": lessons.language_loss,
    "classify": class_loss,
    "translate": translation_loss,
}


def theirs(network: nn.Module, loss: Callable[[], Tensor]) -> Step:
    """A step of another model in the usual loop."""
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3, betas=(0.9, 0.98), weight_decay=0.05, fused=True)

    def step() -> float:
        value = loss()
        value.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return float(value.detach())

    return step


@dataclass(frozen=True, eq=False)
class Same:
    """Lessons that are the same batch over and over."""

    only: Any

    def n_batches(self, epoch: int) -> int:
        """One."""
        return 1

    def batch(self, epoch: int, place: int) -> Any:
        """The one there is."""
        return self.only

    def in_order(self) -> Iterator[Any]:
        """The one there is."""
        return iter([self.only])


def batch_for(shape: Shape) -> Any:
    """Random ids. Rows are of like length, as our batches are: up to a fifth shorter than the longest."""
    draw = np.random.default_rng(0)

    def rows(longest: int) -> list[Any]:
        lengths = [longest, *draw.integers(longest * 4 // 5, longest + 1, shape.rows - 1).tolist()]
        return [draw.integers(8, shape.vocabulary, length) for length in lengths]

    if shape.task == "generate":
        return batches.blocks(draw.integers(8, shape.vocabulary, 10_000), shape.length, shape.rows, seed=0, step=0)
    if shape.task == "classify":
        return batches.labelled_batch(rows(shape.length), draw.integers(0, 2, shape.rows).tolist())
    return batches.pair_batch(rows(shape.length), rows(shape.length - 1))  # and </s>


def generators(shape: Shape, batch: batches.LanguageBatch) -> Steps:
    """GPT. Ours is also tried as our recipe has it: squared ReLU, so that all matrices are of GPT's sizes."""
    modern = {"activation": "squared relu"}
    ids, wanted = torch.from_numpy(batch.ids_in), torch.from_numpy(batch.ids_out)
    plain = PlainGPT(shape)
    config = GPT2Config(
        vocab_size=shape.vocabulary, n_positions=shape.length, n_embd=shape.width, n_layer=shape.layers,
        n_head=shape.heads, n_inner=shape.hidden, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    gpt2 = GPT2LMHeadModel(config)

    def of(logits: Tensor) -> Tensor:
        return F.cross_entropy(logits.flatten(0, 1), wanted.flatten())

    return {
        "ours, gpt": ours("gpt", shape, batch),
        "ours, modern": ours("modern", shape, batch, **modern),
        "ours, modern, Muon": ours("modern", shape, batch, "muon", **modern),
        "plain torch": theirs(plain, lambda: of(plain(ids))),
        "transformers GPT-2": theirs(gpt2, lambda: of(gpt2(input_ids=ids).logits)),
    }


def classifiers(shape: Shape, batch: batches.LabelledBatch) -> Steps:
    """Encoders with two classes. Ours is tried as it is (rotary positions, RMS norms) and with what BERT has."""
    ids, real, labels = (torch.from_numpy(each) for each in (batch.ids, batch.real, batch.labels))
    config = BertConfig(
        vocab_size=shape.vocabulary, hidden_size=shape.width, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, intermediate_size=shape.hidden, max_position_embeddings=shape.length,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=2,
    )  # fmt: skip
    bert = BertForSequenceClassification(config)
    return {
        "ours, transformer": ours("transformer", shape, batch),
        "ours, transformer as BERT": ours("transformer", shape, batch, positions="learned", norm="layer"),
        "ours, transformer, Muon": ours("transformer", shape, batch, "muon"),
        "transformers BERT": theirs(bert, lambda: bert(input_ids=ids, attention_mask=real.long(), labels=labels).loss),
    }


def translators(shape: Shape, batch: batches.PairBatch) -> Steps:
    """Encoder–decoders with one table for both languages and for the output."""
    arrays = (batch.source, batch.source_real, batch.target_in, batch.target_out, batch.target_real)
    source, real, target, wanted, counted = (torch.from_numpy(each) for each in arrays)
    labels = wanted.masked_fill(~counted, -100)  # as both are told not to count padding
    config = MarianConfig(
        vocab_size=shape.vocabulary, d_model=shape.width, encoder_layers=shape.layers, decoder_layers=shape.layers,
        encoder_attention_heads=shape.heads, decoder_attention_heads=shape.heads, encoder_ffn_dim=shape.hidden,
        decoder_ffn_dim=shape.hidden, max_position_embeddings=shape.length, dropout=0.0, attention_dropout=0.0,
        activation_dropout=0.0, activation_function="relu", scale_embedding=True, use_cache=False,
        pad_token_id=PAD, decoder_start_token_id=START, eos_token_id=END, forced_eos_token_id=None,
    )  # fmt: skip
    marian, torchs = MarianMTModel(config), TorchTranslator(shape)
    return {
        "ours, translator": ours("translator", shape, batch),
        "ours, translator, Muon": ours("translator", shape, batch, "muon"),
        "transformers Marian": theirs(
            marian,
            lambda: marian(input_ids=source, attention_mask=real.long(), decoder_input_ids=target, labels=labels).loss,
        ),
        "nn.Transformer": theirs(
            torchs, lambda: F.cross_entropy(torchs(source, ~real, target).flatten(0, 1), labels.flatten())
        ),
    }


RACES: dict[str, Callable[[Shape, Any], Steps]] = {
    "generate": generators,
    "classify": classifiers,
    "translate": translators,
}


# --- others, written here ---------------------------------------------------------------------------------------


class PlainBlock(nn.Module):
    """A block of GPT-2 as it is usually written: one matrix for queries, keys and values, and the fused kernel."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm_1, self.norm_2 = nn.LayerNorm(shape.width), nn.LayerNorm(shape.width)
        self.three, self.output = nn.Linear(shape.width, 3 * shape.width), nn.Linear(shape.width, shape.width)
        self.expand, self.contract = nn.Linear(shape.width, shape.hidden), nn.Linear(shape.hidden, shape.width)

    def forward(self, x: Tensor) -> Tensor:
        """Attention, then feed-forward, each added to what came in."""
        parts = self.three(self.norm_1(x)).split(x.shape[-1], dim=-1)
        q, k, v = (part.view(*x.shape[:2], self.heads, -1).transpose(1, 2) for part in parts)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(x.shape))
        answer: Tensor = x + self.contract(F.gelu(self.expand(self.norm_2(x)), approximate="tanh"))
        return answer


class PlainGPT(nn.Module):
    """Embeddings, blocks, a norm, and a head tied to the embedding."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(shape.vocabulary, shape.width), nn.Embedding(shape.length, shape.width)
        self.blocks = nn.Sequential(*(PlainBlock(shape) for _ in range(shape.layers)))
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids: Tensor) -> Tensor:
        """Scores for the id after each one."""
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        answer: Tensor = self.head(self.norm(self.blocks(x)))
        return answer


class TorchTranslator(nn.Module):
    """nn.Transformer between an embedding with the paper's positions and a head tied to it."""

    table: Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.register_buffer("table", sinusoids(shape.length, shape.width))
        self.inner = nn.Transformer(
            shape.width, shape.heads, shape.layers, shape.layers, shape.hidden, dropout=0.0, batch_first=True,
            norm_first=True,
        )  # fmt: skip
        self.head = nn.Linear(shape.width, shape.vocabulary)
        self.head.weight = self.words.weight

    def _placed(self, ids: Tensor) -> Tensor:
        return self.words(ids) * self.table.shape[1] ** 0.5 + self.table[: ids.shape[1]]

    def forward(self, source: Tensor, padded: Tensor, target: Tensor) -> Tensor:
        """Teacher forcing, as its documentation advises: the future is hidden by a mask that is said to be causal."""
        future = nn.Transformer.generate_square_subsequent_mask(target.shape[1])
        rows = self.inner(
            self._placed(source), self._placed(target), tgt_mask=future, tgt_is_causal=True,
            src_key_padding_mask=padded, memory_key_padding_mask=padded,
        )  # fmt: skip
        answer: Tensor = self.head(rows)
        return answer


# --- how much work that is --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Work:
    """What one step must do at the least."""

    tokens: int  # real ones, of both sides
    matrices: float  # FLOPs in products with weights: 6 · weights · tokens
    attention: float  # FLOPs of queries with keys and weights with values: 12 · width · pairs, in every layer

    @property
    def operations(self) -> float:
        """All of it."""
        return self.matrices + self.attention


def work(shape: Shape, batch: Any) -> Work:
    """A multiplication with its addition is 2 FLOPs, and backward is twice forward.

    Padding is not counted, nor the half of a causal attention that may not look, whoever works them nevertheless.
    """
    four, forward, head = 4 * shape.width**2, 2 * shape.width * shape.hidden, shape.vocabulary * shape.width
    if shape.task == "translate":
        source, target = batch.source_real.sum(1), batch.target_real.sum(1)  # B
        encoder, decoder = (
            four + forward + four / 2,
            four + forward + four / 2,
        )  # keys and values are made of the source
        weights = shape.layers * (encoder * source.sum() + decoder * target.sum()) + head * target.sum()
        pairs = (source**2 + target**2 / 2 + source * target).sum()
        return Work(
            int(source.sum() + target.sum()), 6 * float(weights), 12 * shape.width * shape.layers * float(pairs)
        )
    lengths = batch.real.sum(1)  # B
    weights = shape.layers * (four + forward) * lengths.sum()
    pairs = (lengths**2).sum()
    if shape.task == "generate":
        weights, pairs = weights + head * lengths.sum(), pairs / 2
    return Work(int(lengths.sum()), 6 * float(weights), 12 * shape.width * shape.layers * float(pairs))


def check(shape: Shape, step: Step, due: Work) -> None:
    """Refuses to go on if torch counts fewer products with weights than the formula says."""
    with FlopCounterMode(display=False) as counter:
        step()
    counted = sum(
        number for kind, number in counter.get_flop_counts()["Global"].items() if "attention" not in str(kind)
    )
    if counted < 0.99 * due.matrices:
        raise SystemExit(f"{shape}: torch counts {counted:,} FLOPs, the formula says {due.matrices:,.0f}.")


# --- the race ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """One of ours in one race."""

    task: str
    shape: str
    name: str
    tokens_per_second: float  # median
    share_of_peak: float  # median over the rounds
    ahead: dict[str, tuple[float, float, float]]  # of whom: their time over ours, median and quartiles
    rounds: int


def race(shape: Shape, budget: float, least: int, threads: int) -> list[Result]:
    """Rounds of all until the budget of seconds is spent. The order is drawn anew, so that no one inherits a cache."""
    clock = time.process_time if threads == 1 else time.perf_counter
    batch = batch_for(shape)
    due, steps = work(shape, batch), RACES[shape.task](shape, batch)
    for name, step in steps.items():
        step()  # warms up
        if name.startswith("ours"):
            check(shape, step, due)
    times: dict[str, list[float]] = {name: [] for name in steps}
    peaks: list[float] = []
    order, shuffle, began = list(steps), random.Random(0), time.perf_counter()
    while len(peaks) < least or time.perf_counter() - began < budget:
        shuffle.shuffle(order)
        for name in order:
            before = clock()
            steps[name]()
            times[name].append(clock() - before)
        peaks.append(matmul_speed(threads, rounds=3, clock=clock))
    return [_result(shape, name, due, times, peaks) for name in steps if name.startswith("ours")]


def _result(shape: Shape, name: str, due: Work, times: dict[str, list[float]], peaks: list[float]) -> Result:
    mine = times[name]
    ahead = {}
    for other, theirs_ in times.items():
        if not other.startswith("ours"):
            low, middle, high = statistics.quantiles([b / a for a, b in zip(mine, theirs_, strict=True)], n=4)
            ahead[other] = (middle, low, high)
    shares = [due.operations / seconds / 1e9 / peak for seconds, peak in zip(mine, peaks, strict=True)]
    speed = due.tokens / statistics.median(mine)
    return Result(shape.task, shape.name, name, speed, statistics.median(shares), ahead, len(mine))


# --- the report -------------------------------------------------------------------------------------------------


def table(results: list[Result]) -> str:
    """One row for each of ours."""
    lines = ["| task | size | | tokens/s | share of peak | faster than |", "|---|---|---|---:|---:|---|"]
    for each in results:
        ahead = ", ".join(
            f"{name} × {middle:.2f} ({low:.2f}–{high:.2f})" for name, (middle, low, high) in each.ahead.items()
        )
        speed, share = f"{each.tokens_per_second:,.0f}", f"{each.share_of_peak:.0%}"
        lines.append(f"| {each.task} | {each.shape} | {each.name} | {speed} | {share} | {ahead} |")
    return "\n".join(lines)


def sizes() -> str:
    """What the shapes stand for."""
    lines = ["| task | size | layers | width | heads | feed-forward | vocabulary | batch |"]
    lines.append("|---|---|---:|---:|---:|---:|---:|---|")
    for each in SHAPES:
        layers = f"{each.layers} + {each.layers}" if each.task == "translate" else str(each.layers)
        numbers = f"{layers} | {each.width} | {each.heads} | {each.hidden} | {each.vocabulary:,}"
        lines.append(f"| {each.task} | {each.name} | {numbers} | {each.rows} × {each.length} |")
    return "\n".join(lines)


def main() -> None:
    """Reads the options, measures, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a rough look in a minute or two")
    parser.add_argument("--only", default="", help="races whose task or size has this word")
    parser.add_argument("--threads", type=int, default=1, help="threads for torch (default 1: the calmest figures)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of Markdown")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    warnings.filterwarnings("ignore", message="enable_nested_tensor")  # of nn.Transformer, about prediction
    budget, least = (3.0, 3) if options.quick else (30.0, 9)
    load, results = [os.getloadavg()[0]], []
    for shape in SHAPES:
        if options.only in f"{shape.task} {shape.name}":
            print(f"{shape.task}, {shape.name} …", file=sys.stderr)
            results += race(shape, budget, least, options.threads)
    load.append(os.getloadavg()[1])
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {options.threads} of them used"
    if options.json:
        found = {"machine": machine, "torch": torch.__version__, "load": load}
        print(json.dumps(found | {"results": [asdict(each) for each in results]}))
        return
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, {machine}")
    print("Load of the machine before and during: {:.1f}, {:.1f} (our own share is 1 per thread)\n".format(*load))
    print(table(results), sizes(), sep="\n\n")
    behind = [f"{each.name} ({each.task}, {each.shape})" for each in results if min(each.ahead.values())[0] < 1]
    print(f"\nBehind somebody: {', '.join(behind) or 'none'}.")


if __name__ == "__main__":
    main()
