"""How fast each engine translates, with the same weights in Marian's layout: ours in PyTorch and in ONNX Runtime,
transformers' `generate`, and CTranslate2 where it is installed; greedy and with a beam of four.

All read the same sources and write the same number of tokens, in turn, over and over; how many of them write the same
ids is counted. One thread, the processor's own time: trust the ratios. Prints Markdown.

    python bench/translating.py [--sizes small,middle] [--batches 1,16] [--beams 1,4] [--rounds N]
"""

import argparse
import copy
import importlib.util
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from glassformer.engines.choosing import chosen
from glassformer.exchange.layouts.layout import to_theirs
from glassformer.exchange.layouts.translators import MARIAN
from glassformer.models.beam import Beam, search
from glassformer.models.registry import build, configure
from glassformer.models.sampling import Stop
from glassformer.models.translator import Translation

SIZES = {"small": (3, 128, 4, 1000), "middle": (6, 384, 6, 5000)}  # layers of each half, width, heads, vocabulary
SOURCE, WRITTEN, BEGIN, END = 16, 24, 2, 3
Translates = Callable[[torch.Tensor, int], list[list[int]]]


def ours(size: str) -> Any:
    """A translator with weights that are not tiny, so that texts differ."""
    layers, width, heads, vocabulary = SIZES[size]
    torch.manual_seed(0)
    model: Any = build(
        "translator",
        configure(
            "translator", vocabulary=vocabulary, width=width, heads=heads, hidden=4 * width, encoder_layers=layers,
            decoder_layers=layers, length=64, norm_first=False, positions="split sinusoidal", activation="relu",
        ),
    ).eval()  # fmt: skip
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.add_((0.0 if "embedding" in name else 0.1 * math.sqrt(128 / width)) * torch.randn_like(weight))
    return model


def in_transformers(model: Any) -> Any:
    """The same weights in Marian's layout."""
    from transformers import MarianConfig, MarianMTModel

    told = {name: value for name, value in MARIAN.told(model.config).items() if name != "model_type"}
    ids = {"pad_token_id": 0, "bos_token_id": BEGIN, "eos_token_id": END, "forced_eos_token_id": None}
    other = MarianMTModel(MarianConfig(**told, **ids, decoder_start_token_id=BEGIN))
    state = to_theirs(MARIAN.outward(model.state_dict(), model.config), MARIAN.slots(model.config))
    strange = other.load_state_dict(state, strict=False)
    assert not strange.unexpected_keys
    other.tie_weights()
    return other.eval()


def by_ours(model: Any) -> Translates:
    """Our beam search, around our model or an engine."""

    def translate(source: torch.Tensor, beam: int) -> list[list[int]]:
        writer = Translation(model, source, torch.ones_like(source, dtype=torch.bool), BEGIN)
        return [list(best[0].ids) for best in search(writer, Stop(longest=WRITTEN), Beam(width=beam))]

    return translate


def by_transformers(model: Any) -> Translates:
    """`generate`, without an end before the last token."""

    def translate(source: torch.Tensor, beam: int) -> list[list[int]]:
        with torch.inference_mode():
            found = model.generate(
                source, attention_mask=torch.ones_like(source), do_sample=False, num_beams=beam,
                max_new_tokens=WRITTEN, min_new_tokens=WRITTEN, eos_token_id=None,
            )  # fmt: skip
        return [row[1:] for row in found.tolist()]

    return translate


def by_ctranslate2(model: Any, place: Path, quantization: str | None) -> Translates:
    """CTranslate2's own search over its own file."""
    import ctranslate2
    from ctranslate2.converters.transformers import BartLoader

    model = copy.deepcopy(model)  # it may be changed on the way
    model.config.normalize_before = model.config.normalize_embedding = False  # what Marian's own files say
    spec = BartLoader().get_model_spec(model)
    names = [f"t{i}" for i in range(model.config.vocab_size)]
    spec.register_source_vocabulary(names)
    spec.register_target_vocabulary(names)
    spec.config.unk_token, spec.config.bos_token, spec.config.eos_token = "t1", f"t{BEGIN}", f"t{END}"
    spec.config.decoder_start_token = f"t{BEGIN}"
    spec.validate()
    spec.optimize(quantization=quantization)
    place.mkdir()
    spec.save(str(place))
    there = ctranslate2.Translator(str(place), device="cpu", inter_threads=1, intra_threads=1)

    def translate(source: torch.Tensor, beam: int) -> list[list[int]]:
        given = [[names[each] for each in row] for row in source.tolist()]
        found = there.translate_batch(
            given, beam_size=beam, max_decoding_length=WRITTEN, min_decoding_length=WRITTEN, end_token=[]
        )
        return [[int(name[1:]) for name in each.hypotheses[0]] for each in found]

    return translate


def engines(size: str, folder: Path) -> dict[str, Translates]:
    """All that translate here, by name."""
    model = ours(size)
    other = in_transformers(model)
    of_ours = {name: chosen(model, name) for name in ("torch", "onnx", "int8")}
    assert all(engine.name == name for name, engine in of_ours.items()), [each.said for each in of_ours.values()]
    found = {
        "transformers.generate": by_transformers(other),
        "ours, PyTorch": by_ours(of_ours["torch"].model),
        "ours, ONNX Runtime": by_ours(of_ours["onnx"].model),
        "ours, ONNX Runtime, int8": by_ours(of_ours["int8"].model),
    }
    if importlib.util.find_spec("ctranslate2"):
        found["CTranslate2"] = by_ctranslate2(other, folder / "float32", None)
        found["CTranslate2, int8"] = by_ctranslate2(other, folder / "int8", "int8")
    return found


def measured(size: str, batch: int, beam: int, translators: dict[str, Translates], rounds: int) -> None:
    """Each in turn, over and over; prints a row for each."""
    torch.manual_seed(1)
    source = torch.randint(5, SIZES[size][3], (batch, SOURCE))
    answers = {name: translate(source, beam) for name, translate in translators.items()}
    seconds: dict[str, list[float]] = {name: [] for name in translators}
    for _ in range(rounds):
        for name, translate in translators.items():
            begun = time.process_time()
            translate(source, beam)
            seconds[name].append(time.process_time() - begun)
    layers, width, *_ = SIZES[size]
    for name, times in seconds.items():
        ratio = statistics.median(a / b for a, b in zip(seconds["transformers.generate"], times, strict=True))
        alike = sum(one == two for one, two in zip(answers[name], answers["ours, PyTorch"], strict=True))
        rate = batch * WRITTEN / statistics.median(times)
        print(
            f"| {layers} + {layers} × {width} | {batch} | {beam} | {name} | {rate:,.0f} | {ratio:.1f} | "
            f"{alike} of {batch} |",
            flush=True,
        )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="small,middle")
    parser.add_argument("--batches", default="1,16")
    parser.add_argument("--beams", default="1,4")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print("| size | batch | beam | engine | tokens/s | × transformers | as ours |\n|---|---:|---:|---|---:|---:|---:|")
    for size in asked.sizes.split(","):
        with tempfile.TemporaryDirectory() as folder:
            translators = engines(size, Path(folder))
            for batch in map(int, asked.batches.split(",")):
                for beam in map(int, asked.beams.split(",")):
                    measured(size, batch, beam, translators, asked.rounds)
    print(f"\nLoad {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.", file=sys.stdout)


if __name__ == "__main__":
    main()
