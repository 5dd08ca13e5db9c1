"""How long files of others that were changed on purpose take to be refused, or taken: of each kind the slowest of many,
by the processor's own time. The draws are those of the tests. Prints Markdown.

    python bench/files_of_others.py [--seed N] [--share 1.0]
"""

import argparse
import gc
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from exchange.test_files_from_strangers import bytes_changed, drawn
from helpers.foreign_models import foreign_folder
from helpers.sentence_models import MARIAN, NAMES, TARGET, sentence_model

from glassformer.errors import GlassformerError
from glassformer.exchange.bring_in import bring_in_folder
from glassformer.exchange.vocabularies.foreign_tokens import foreign_tokens
from glassformer.models import weights

TEXT = "ab cd <pad> " + "a" * 64
Try = tuple[str, int, float, Callable[[random.Random], object]]  # name, how many, the bar in seconds, one of them


def tries(folder: Path) -> Iterator[Try]:
    """Each kind of file."""
    config, tokenizer = ((folder / name).read_bytes() for name in ("config.json", "tokenizer.json"))
    header = weights.to_bytes({"a": torch.randn(7, 3), "b.c": torch.randn(5)})
    pieces = {**MARIAN, "target.spm": sentence_model(TARGET)}

    def one_config(draw: random.Random) -> None:
        (folder / "config.json").write_bytes(drawn(config, draw))
        bring_in_folder(folder)

    def one_tokenizer(draw: random.Random) -> None:
        foreign_tokens({"tokenizer.json": drawn(tokenizer, draw)}, "gpt2", 283).encode(TEXT)

    def one_of_pieces(draw: random.Random) -> None:
        name = draw.choice(("source.spm", "target.spm", "vocab.json"))
        files = {**pieces, name: bytes_changed(pieces[name], draw)}
        tokens = foreign_tokens(files, "marian", len(NAMES))
        tokens.encode(TEXT)
        tokens.for_targets.encode(TEXT)

    def one_header(draw: random.Random) -> None:
        end = 8 + int.from_bytes(header[:8], "little")
        weights.from_bytes(bytes_changed(header, draw, end), Path("model.safetensors"))

    yield "config.json, with the folder it stands in", 500, 0.1, one_config
    yield "tokenizer.json", 5_000, 1.0, one_tokenizer
    yield "source.spm, target.spm, vocab.json", 5_000, 1.0, one_of_pieces
    yield "the header of weights", 20_000, 0.1, one_header


def main() -> None:
    """Draws, times, prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of the usual numbers")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    print("| file | tried | refused | slowest, s | median, s | the bar, s |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        folder = foreign_folder(Path(place), "gpt2")
        bring_in_folder(folder)  # what is imported at first use is
        gc.collect()
        gc.freeze()  # and is not gone through again in the midst of a file
        for name, count, bar, one in tries(folder):
            draw, seconds, refused = random.Random(asked.seed), [], 0
            for _ in range(max(1, round(asked.share * count))):
                begun = time.process_time()
                try:
                    one(draw)
                except GlassformerError:  # any other error ends the benchmark
                    refused += 1
                seconds.append(time.process_time() - begun)
            middle = sorted(seconds)[len(seconds) // 2]
            print(
                f"| {name} | {len(seconds):,} | {refused:,} | {max(seconds):.3f} | {middle:.4f} | {bar} |", flush=True
            )


if __name__ == "__main__":
    main()
