"""Files of SentencePiece, written by hand: a Marian's, and whatever else a test needs."""

import json
import struct
from pathlib import Path
from typing import Any

import torch
import transformers as there


def number(value: int) -> bytes:
    found = b""
    while value > 127:
        found, value = found + bytes([value % 128 + 128]), value // 128
    return found + bytes([value])


def field(name: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return number(8 * name) + number(value)
    return number(8 * name + 2) + number(len(value)) + value


def sentence_model(
    pieces: list[tuple[str, float, int]], *, merged: bool = False, tidy: bool = True, **more: Any
) -> bytes:
    """A file of SentencePiece, written by hand."""
    found = b""
    for text, score, kind in pieces:
        found += field(1, field(1, text.encode()) + number(8 * 2 + 5) + struct.pack("<f", score) + field(3, kind))
    found += field(2, field(3, 2 if merged else 1) + field(24, more.get("suffix", 0)))
    return found + field(3, field(3, more.get("front", 1)) + field(4, int(tidy)) + field(5, 1))


SOURCE = [
    ("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -2.0, 1), ("a", -2.5, 1), ("b", -3.0, 1),
    ("ab", -4.0, 1), ("▁a", -3.5, 1), ("ba", -9.0, 1), ("▁bab", -6.0, 1),
]  # fmt: skip
NAMES = ["</s>", "<unk>", "▁", "a", "b", "ab", "▁a", "ba", "x", "▁xx", "▁y", ">>de<<", "<pad>"]  # ▁bab has no id
TARGET = [
    ("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3), ("▁", -2.0, 1), ("x", -2.5, 1), ("▁x", -6.0, 1),
    ("▁xx", -4.0, 1), ("▁y", -3.0, 1), ("xy", -2.0, 1), ("a", -1.0, 1),
]  # fmt: skip
MARIAN = {
    "source.spm": sentence_model(SOURCE),
    "vocab.json": json.dumps({name: i for i, name in enumerate(NAMES)}).encode(),
}
BOTH = {**MARIAN, "target.spm": sentence_model(TARGET)}


def marian_folder(folder: Path, files: dict[str, bytes]) -> Path:
    """A small Marian as the hub keeps it: begun with its pad, which it must not write, though its logit is 0, since its
    row of the embedding is nothing."""
    model = there.MarianMTModel(
        there.MarianConfig(
            vocab_size=len(NAMES), d_model=12, encoder_layers=1, decoder_layers=2, encoder_attention_heads=3,
            decoder_attention_heads=3, encoder_ffn_dim=29, decoder_ffn_dim=29, max_position_embeddings=61,
            pad_token_id=12, eos_token_id=0, decoder_start_token_id=12, bad_words_ids=[[12]], scale_embedding=True,
        )
    )  # fmt: skip
    torch.manual_seed(3)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * (weight.dim() > 1))
        model.model.shared.weight[12] = 0
        model.final_logits_bias[:, :] = -20.0
        model.final_logits_bias[0, [0, 12]] = torch.tensor([-40.0, 0.0])  # it goes on, and would write its pad
    model.eval().save_pretrained(folder)
    told = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**told, "bad_words_ids": [[12]]}), encoding="utf-8")
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder
