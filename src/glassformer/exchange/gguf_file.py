"""A language model as one GGUF file, which llama.cpp and its kin run, and how that file answers when transformers opens
it. The layouts know what stands under which name; it knows no run folder.

Written are the layouts whose arithmetic llama.cpp has: GPT-2, Llama, Qwen 2 and Qwen 3, in float32. Text is cut there
only in ways that it has by name; for other tokenizers the file says that it has none, and tokenizer.json stands beside.
"""

import io
import json
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from glassformer.errors import InputError
from glassformer.exchange.hugging_face import folder_files, layout_of
from glassformer.exchange.layouts.layout import State, to_theirs
from glassformer.exchange.parity import Opened
from glassformer.models.registry import MODELS
from glassformer.objectives.objective import Trained
from glassformer.text.tokens import Tokens

FILE = "model.gguf"
CUTS = {"byte-bpe": "gpt-2", "gpt2": "gpt-2", "qwen": "qwen2", "llama3": "llama-bpe"}  # ours → llama.cpp's name
CONTROL, NORMAL = 3, 1  # kinds of token there


@dataclass(frozen=True)
class Architecture:
    """One that llama.cpp has: its name, the one activation it works with, whether it turns neighbouring columns."""

    name: str
    activation: str
    turns_neighbours: bool = False
    transposed: bool = False  # their layout in transformers keeps matrices the other way round


ARCHITECTURES: Mapping[str, Architecture] = {
    "GPT2LMHeadModel": Architecture("gpt2", "gelu_new", transposed=True),
    "LlamaForCausalLM": Architecture("llama", "silu", turns_neighbours=True),
    "Qwen2ForCausalLM": Architecture("qwen2", "silu"),
    "Qwen3ForCausalLM": Architecture("qwen3", "silu"),
}


def gguf_files(trained: Trained) -> dict[str, bytes]:
    """All files of the export, by name."""
    if MODELS[trained.card.model].family != "language model":
        raise InputError(
            f"GGUF is exported for language models; this is a {MODELS[trained.card.model].family}. Export it with "
            "--to onnx or --to hf."
        )
    layout, config = layout_of(trained), trained.card.settings
    told = layout.told(config)
    there = ARCHITECTURES.get(layout.architecture)
    acts = told.get("activation_function", told.get("hidden_act"))
    if there is None or acts != there.activation:
        known = ", ".join(f"{each.name} with {each.activation}" for each in ARCHITECTURES.values())
        raise InputError(
            f"llama.cpp cannot work this model exactly: it would be {layout.architecture} with {acts}, and there are "
            f"{known}. Train with --set activation=swiglu (modern) or 'activation=tanh gelu' (gpt), or use --to onnx."
        )
    state = {name: value.detach().cpu().float() for name, value in trained.model.state_dict().items()}
    tensors = to_theirs(layout.outward(state, config), layout.slots(config))
    return {FILE: _written(trained, there, told, tensors), "tokenizer.json": folder_files(trained)["tokenizer.json"]}


def _written(trained: Trained, there: Architecture, told: Mapping[str, Any], tensors: State) -> bytes:
    gguf = _package()
    config = trained.card.settings
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH[there.name.upper()], config.layers)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / FILE
        writer = gguf.GGUFWriter(place, there.name)
        _tell_sizes(writer, config, told)
        _tell_tokens(writer, trained.tokens, config.vocabulary)
        for theirs, tensor in tensors.items():
            name = names.get_name(theirs, try_suffixes=(".weight", ".bias"))
            if name is None:
                raise InputError(f"GGUF has no name for the tensor '{theirs}'.")
            writer.add_tensor(name, _turned(theirs, tensor, there, config).contiguous().numpy())
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return place.read_bytes()


def _turned(name: str, tensor: Tensor, there: Architecture, config: Any) -> Tensor:
    """A matrix as it stands there: rows of what comes out; columns of queries and keys in the order they are turned."""
    if there.transposed and tensor.ndim == 2 and ".h." in name:
        return tensor.T
    kinds = {"q_proj": config.heads, "k_proj": config.kv_heads or config.heads}
    heads = next((many for kind, many in kinds.items() if f".{kind}." in name), None)
    if not there.turns_neighbours or heads is None:
        return tensor
    halves = tensor.view(heads, 2, len(tensor) // heads // 2, *tensor.shape[1:])
    return halves.transpose(1, 2).reshape(tensor.shape)


def _tell_sizes(writer: Any, config: Any, told: Mapping[str, Any]) -> None:
    writer.add_name("glassformer")
    writer.add_block_count(config.layers)
    writer.add_context_length(config.length)
    writer.add_embedding_length(config.width)
    writer.add_feed_forward_length(told.get("n_inner", told.get("intermediate_size")))
    writer.add_head_count(config.heads)
    writer.add_vocab_size(config.vocabulary)  # the file may have no tokens
    writer.add_file_type(0)  # float32
    if "layer_norm_epsilon" in told:
        writer.add_layer_norm_eps(told["layer_norm_epsilon"])
        return
    wide = told.get("head_dim") or config.width // config.heads
    writer.add_head_count_kv(told["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(told["rms_norm_eps"])
    if config.rotary_stretch:
        raise InputError(f"A rotation that is stretched ('{config.rotary_stretch}') is not written to GGUF here.")
    writer.add_rope_freq_base(float(config.rotary_base))
    writer.add_rope_dimension_count(wide)
    writer.add_key_length(wide)
    writer.add_value_length(wide)


def _tell_tokens(writer: Any, tokens: Tokens, vocabulary: int) -> None:
    """The tokenizer, where llama.cpp has one that cuts so; else only that there is none in the file."""
    if tokens.kind not in CUTS:
        writer.add_tokenizer_model("none")
        return
    listed = json.loads(tokens.to_bytes())
    special = {each["id"] for each in listed["added_tokens"]}
    names = [tokens.name(i) if i < len(tokens) else f"<unused_{i}>" for i in range(vocabulary)]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(CUTS[tokens.kind])
    writer.add_token_list(names)
    writer.add_token_types([CONTROL if i in special or i >= len(tokens) else NORMAL for i in range(vocabulary)])
    merges = listed["model"]["merges"]
    writer.add_token_merges([each if isinstance(each, str) else " ".join(each) for each in merges])
    writer.add_eos_token_id(tokens.end)
    writer.add_pad_token_id(tokens.pad)
    if tokens.start is not None:
        writer.add_bos_token_id(tokens.start)
    writer.add_add_bos_token(False)


def _package() -> Any:
    import gguf

    return gguf


def opened_from_gguf(folder: Path, trained: Trained) -> Opened:
    """The file as transformers reads it, called as our model is. The sizes are told to it: it reads not all of them."""
    import accelerate  # type: ignore[import-untyped]  # noqa: F401  # transformers asks for it, in other words
    import gguf  # noqa: F401
    import transformers

    from glassformer.inside.hugging_face import quietly

    layout = layout_of(trained)
    architecture = getattr(transformers, layout.architecture)
    sizes = architecture.config_class(**layout.told(trained.card.settings))
    with quietly(transformers.logging), redirect_stderr(io.StringIO()):  # one more bar, which nothing else turns off
        there = architecture.from_pretrained(
            folder, gguf_file=FILE, config=sizes, local_files_only=True, dtype=torch.float32, attn_implementation="sdpa"
        ).eval()

    def answers(ids: Tensor, real: Tensor) -> Tensor:
        with torch.inference_mode():
            return there(input_ids=ids, attention_mask=real.long()).logits  # type: ignore[no-any-return]

    def writes(ids: Tensor, longest: int) -> list[int]:
        with torch.inference_mode():
            found = there.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=longest, do_sample=False, num_beams=1,
                eos_token_id=trained.tokens.end, pad_token_id=trained.tokens.pad,
            )  # fmt: skip
        return found[0].tolist()[ids.shape[1] :]  # type: ignore[no-any-return]

    return Opened(answers, writes)
