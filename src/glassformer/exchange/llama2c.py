"""Models of llama2.c, brought in: a `.bin` of weights and the `tokenizer.bin` beside it, both nothing but numbers in a
fixed order. Nothing in them is run.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.exchange.bring_in import Foreigner, contents
from glassformer.exchange.vocabularies.foreign_tokens import made
from glassformer.exchange.vocabularies.older_token_files import merges_of
from glassformer.models import weights
from glassformer.models.card import Card
from glassformer.models.config import LanguageModelConfig, to_dict
from glassformer.models.registry import configure
from glassformer.text.tokens import LARGEST_FILE, MOST_TOKENS, Tokens

HEADER = struct.Struct("<7i")  # width, hidden, layers, heads, key/value heads, tokens, length
LONGEST_TOKEN = 1000  # bytes
SPACE = "▁"


def bring_in_llama2c(path: Path) -> Foreigner:
    """The model of a `.bin`, with the `tokenizer.bin` that stands beside it."""
    with path.open("rb") as file:
        head = file.read(HEADER.size)
    config = _config(head, path)
    outlined = weights.outline("modern", config)
    sizes = _sizes(config)
    needed = HEADER.size + 4 * sum(int(np.prod(shape)) for _, shape in sizes)
    if path.stat().st_size != needed:
        raise InputError(f"{path} has {path.stat().st_size:,} bytes; a model of the sizes it tells has {needed:,}.")
    state = _state(contents(path, needed), config, sizes)
    tokens = _tokens(path.with_name("tokenizer.bin"), config.vocabulary)
    card = Card(
        task="generate", model="modern", config=to_dict(config), objective="stream", longest=config.length,
        data=f"{path.name} (llama2.c)",
    )  # fmt: skip
    return Foreigner(card, weights.fitting(state, outlined), tokens)


def _config(head: bytes, path: Path) -> LanguageModelConfig:
    if len(head) < HEADER.size:
        raise InputError(f"{path} is no model of llama2.c: it has {len(head)} bytes.")
    width, hidden, layers, heads, shared, tokens, length = HEADER.unpack(head)
    if min(width, hidden, layers, heads, shared, length, abs(tokens)) < 1 or width % heads or width // heads % 2:
        raise InputError(f"{path} is no model of llama2.c: its sizes are {HEADER.unpack(head)}.")
    return configure(  # type: ignore[no-any-return]
        "modern", width=width, hidden=hidden, layers=layers, heads=heads, kv_heads=0 if shared == heads else shared,
        vocabulary=abs(tokens), length=length, tied=tokens > 0, query_key_norm=False, activation="swiglu",
        epsilon=1e-5,
    )  # fmt: skip


def _sizes(config: LanguageModelConfig) -> list[tuple[str, tuple[int, ...]]]:
    """What stands in the file, in order: its name there, and its shape."""
    L, D, F, N = config.layers, config.width, config.hidden, config.vocabulary
    K = D // config.heads
    shared = (config.kv_heads or config.heads) * K
    found: list[tuple[str, tuple[int, ...]]] = [
        ("embedding", (N, D)), ("attention.norm", (L, D)), ("query", (L, D, D)), ("key", (L, shared, D)),
        ("value", (L, shared, D)), ("output", (L, D, D)), ("feed_forward.norm", (L, D)), ("gate", (L, F, D)),
        ("contract", (L, D, F)), ("expand", (L, F, D)), ("final_norm", (D,)),
        ("cosines", (config.length, K // 2)), ("sines", (config.length, K // 2)),  # which are worked anew here
    ]  # fmt: skip
    return found if config.tied else [*found, ("head.linear", (N, D))]


def _state(data: bytes, config: LanguageModelConfig, sizes: list[tuple[str, tuple[int, ...]]]) -> dict[str, Tensor]:
    numbers = torch.from_numpy(np.frombuffer(data, dtype="<f4", offset=HEADER.size).astype(np.float32))
    if not bool(torch.isfinite(numbers).all()):
        raise InputError("The weights have numbers that are not finite; such a model can answer nothing.")
    parts = torch.split(numbers, [int(np.prod(shape)) for _, shape in sizes])
    theirs = {name: part.view(shape) for (name, shape), part in zip(sizes, parts, strict=True)}
    found = {f"{name}.weight": theirs[name] for name in ("embedding", "final_norm", "head.linear") if name in theirs}
    if config.tied:
        found["head.linear.weight"] = found["embedding.weight"]
    for i in range(config.layers):
        for part in ("attention", "feed_forward"):
            found[f"blocks.{i}.{part}.norm.weight"] = theirs[f"{part}.norm"][i]
        for name in ("query", "key", "value", "output"):
            rows = theirs[name][i]
            found[f"blocks.{i}.attention.layer.{name}.weight"] = (
                _pairs_apart(rows, config.width // config.heads) if name in ("query", "key") else rows
            )
        for name in ("gate", "expand", "contract"):
            found[f"blocks.{i}.feed_forward.layer.{name}.weight"] = theirs[name][i]
    return {name: value.clone() for name, value in found.items() if name != "head.linear.weight"} | (
        {"head.linear.weight": found["head.linear.weight"]}
    )


def _pairs_apart(rows: Tensor, width: int) -> Tensor:
    """llama2.c turns neighbouring columns, we turn column r with r + half: the same pairs, in another order."""
    heads = rows.view(-1, width // 2, 2, rows.shape[1])
    return heads.transpose(1, 2).reshape(rows.shape)


# --- tokens -----------------------------------------------------------------------------------------------------


def _tokens(path: Path, size: int) -> Tokens:
    """Its pieces with their scores: of two neighbours, those become one first whose sum scores best."""
    pieces = list(_pieces(contents(path, LARGEST_FILE), size))
    if len(pieces) < 3 or len({piece for piece, _ in pieces}) < len(pieces):
        raise InputError(f"{path} is no tokenizer of llama2.c: a piece stands twice, or there are fewer than three.")
    vocabulary = ["<unk>", "<s>", "</s>", *(piece for piece, _ in pieces[3:])]
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    scored = [(piece, score) for (_, score), piece in zip(pieces[3:], vocabulary[3:], strict=True)]
    merges = merges_of(scored, ids)
    named = {"unknown": "<unk>", "start": "<s>", "end": "</s>"}
    return made("llama", vocabulary, merges, ["<unk>", "<s>", "</s>"], named, size, (("<s>",), ()))


def _pieces(data: bytes, size: int) -> Iterator[tuple[str, float]]:
    if not 0 < size <= MOST_TOKENS:
        raise InputError(f"A vocabulary has at most {MOST_TOKENS:,} tokens; this one has {size:,}.")
    place = 4  # the length of the longest, which is not needed
    for number in range(size):
        if place + 8 > len(data):
            raise InputError(f"tokenizer.bin ends after {number} of {size} tokens.")
        score, length = struct.unpack_from("<fi", data, place)
        place += 8
        if not 0 <= length <= LONGEST_TOKEN or place + length > len(data) or not np.isfinite(score):
            raise InputError(f"tokenizer.bin: token {number} is said to have {length} bytes and the score {score}.")
        piece = data[place : place + length]
        place += length
        yield _named(piece, number), score


def _named(piece: bytes, number: int) -> str:
    """A piece as the vocabulary calls it. After the three special ones come the bytes, each for itself: as a name, or
    in older files as the byte, or the character of that number."""
    byte = number - 3
    if 0 <= byte < 256 and piece in (bytes([byte]), chr(byte).encode(), b"<0x%02X>" % byte):
        return f"<0x{byte:02X}>"
    return piece.decode("utf-8", errors="replace").replace(" ", SPACE)
