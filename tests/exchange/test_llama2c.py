"""llama2.c's two files: the numbers of a Llama of transformers in its order give the same model; lies are refused."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from glassformer.errors import InputError
from glassformer.exchange.llama2c import HEADER, bring_in_llama2c
from glassformer.models.registry import build

SIZES = (12, 29, 2, 3, 1, 263, 23)  # width, hidden, layers, heads, key/value heads, tokens, length


def reference() -> Any:
    torch.manual_seed(3)
    D, F, L, H, G, N, T = SIZES
    config = transformers.LlamaConfig(
        vocab_size=N, hidden_size=D, intermediate_size=F, num_hidden_layers=L, num_attention_heads=H,
        num_key_value_heads=G, max_position_embeddings=T, rms_norm_eps=1e-5, tie_word_embeddings=True,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    return model


def neighbours(rows: torch.Tensor, width: int) -> torch.Tensor:
    """From pairs (r, r + half), as transformers turns them, to neighbouring pairs."""
    return rows.view(-1, 2, width // 2, rows.shape[1]).transpose(1, 2).reshape(rows.shape)


def written(path: Path, model: Any, sizes: tuple[int, ...] = SIZES) -> Path:
    """The model as llama2.c keeps it, with a tokenizer of bytes and a few pieces."""
    layers = model.model.layers
    parts = [model.model.embed_tokens.weight]
    parts += [each.input_layernorm.weight for each in layers]
    for name in ("q_proj", "k_proj"):
        parts += [neighbours(getattr(each.self_attn, name).weight, 4) for each in layers]
    for name in ("v_proj", "o_proj"):
        parts += [getattr(each.self_attn, name).weight for each in layers]
    parts += [each.post_attention_layernorm.weight for each in layers]
    for name in ("gate_proj", "down_proj", "up_proj"):
        parts += [getattr(each.mlp, name).weight for each in layers]
    parts += [model.model.norm.weight, torch.zeros(sizes[6], 2), torch.zeros(sizes[6], 2)]
    numbers = torch.cat([part.detach().flatten() for part in parts]).numpy().astype("<f4")
    path.write_bytes(HEADER.pack(*sizes) + numbers.tobytes())
    pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n", *(b"<0x%02X>" % byte for byte in range(256)), b" ", b"t", b"h", b" t"]
    data = struct.pack("<i", 9)
    for i, piece in enumerate(pieces):
        data += struct.pack("<fi", -float(i), len(piece)) + piece
    path.with_name("tokenizer.bin").write_bytes(data)
    return path


def test_the_same_numbers_come_out(tmp_path: Path) -> None:
    theirs = reference()
    card, state, tokens = bring_in_llama2c(written(tmp_path / "model.bin", theirs))
    ours = build(card.model, card.settings).eval()
    ours.load_state_dict(state)
    ids = torch.randint(0, 263, (2, 17))
    with torch.inference_mode():
        torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=1e-5, rtol=1e-5)
    assert tokens.encode("th t").ids == (1, 262, 261, 262)
    assert tokens.decode(tokens.encode("th té").ids) == "th té"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"abc", "it has 3 bytes"),
        (HEADER.pack(12, 29, 2, 5, 1, 263, 23), "its sizes are"),
        (HEADER.pack(-12, 29, 2, 3, 1, 263, 23), "its sizes are"),
        (HEADER.pack(12, 29, 2, 3, 1, 263, 23), "a model of the sizes it tells has"),
        (HEADER.pack(2**20, 2**20, 900, 2**10, 2**10, 2**20, 2**20), "at most 1,000,000,000 are built"),
        (HEADER.pack(12, 29, 2**30, 3, 1, 263, 23), "at most 1,000 can be built"),
    ],
)
def test_a_file_that_is_none_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(content)
    with pytest.raises(InputError, match=message):
        bring_in_llama2c(tmp_path / "model.bin")


def test_numbers_that_are_none_and_tokens_that_end_early_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "model.bin", reference())
    whole, tokens = path.read_bytes(), path.with_name("tokenizer.bin").read_bytes()
    path.with_name("tokenizer.bin").write_bytes(tokens[:-3])
    with pytest.raises(InputError, match=r"tokenizer.bin"):
        bring_in_llama2c(path)
    path.with_name("tokenizer.bin").write_bytes(tokens[:8] + struct.pack("<i", 2**30) + tokens[12:])
    with pytest.raises(InputError, match="is said to have 1073741824 bytes"):
        bring_in_llama2c(path)
    path.with_name("tokenizer.bin").unlink()
    with pytest.raises(InputError, match="There is no file"):
        bring_in_llama2c(path)
    path.write_bytes(whole[:100] + np.float32("nan").tobytes() + whole[104:])
    with pytest.raises(InputError, match="not finite"):
        bring_in_llama2c(path)
