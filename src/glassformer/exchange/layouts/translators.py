"""Encoder–decoder layouts of transformers: Marian's, with the norm after each layer, and Pegasus', with the norm first.
It opens no file.

Both add waves of which all sines stand before all cosines; the paper's, and ours, alternate. The columns of a model
have no order of their own: put in another order everywhere at once, they give the same answers up to rounding.
"""

from functools import partial
from typing import Any

import torch

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.causal import PLAIN, theirs
from glassformer.exchange.layouts.layout import Counterpart, Layout, Settled, State, alike, shared_width
from glassformer.layers.positions import sinusoids

WAVES = "waves"  # tables that we work anew and they keep, under a name that our models do not have
_READS = (
    "query.weight",
    "key.weight",
    "value.weight",
    "expand.weight",
    "gate.weight",
    "embedding.weight",
    "head.linear.weight",
)
_WRITES = ("output.weight", "output.bias", "contract.weight", "contract.bias", "norm.weight", "norm.bias")


def _told(config: Any, model_type: str) -> dict[str, Any]:
    more = {"share_encoder_decoder_embeddings": True, "decoder_vocab_size": config.vocabulary}
    return {
        "model_type": model_type, "vocab_size": config.vocabulary, "d_model": config.width,
        "max_position_embeddings": config.length, "encoder_layers": config.encoder_layers,
        "decoder_layers": config.decoder_layers, "encoder_attention_heads": config.heads,
        "decoder_attention_heads": config.heads, "encoder_ffn_dim": config.hidden, "decoder_ffn_dim": config.hidden,
        "activation_function": theirs(PLAIN, config.activation), "scale_embedding": config.scaled_embedding,
        "dropout": config.dropout, "attention_dropout": config.attention_dropout, "is_encoder_decoder": True,
        "tie_word_embeddings": True, **(more if model_type == "marian" else {}),
    }  # fmt: skip


def _read(said: ForeignConfig, model_type: str) -> Settled:
    said.must("model_type", model_type)
    for name in ("share_encoder_decoder_embeddings", "static_position_embeddings", "tie_word_embeddings"):
        said.must(name, True)
    for name in ("normalize_embedding", "is_decoder"):
        said.must(name, False)
    first = model_type == "pegasus"
    for name in ("normalize_before", "add_final_layer_norm"):
        said.must(name, first)
    vocabulary, heads = said.take("vocab_size", int), said.take("encoder_attention_heads", int)
    hidden, layers = said.take("encoder_ffn_dim", int), said.take("encoder_layers", int)
    said.must("decoder_vocab_size", vocabulary)
    said.must_say("decoder_attention_heads", heads)
    said.must_say("decoder_ffn_dim", hidden)
    said.must("num_hidden_layers", layers)
    said.take("decoder_start_token_id", int, 0)
    width = said.take("d_model", int)
    if width % 2:
        raise InputError(f"config.json: `d_model` is {width}; waves come in pairs, so it must be even.")
    settings = {
        "vocabulary": vocabulary, "width": width, "encoder_layers": layers, "heads": heads, "hidden": hidden,
        "decoder_layers": said.take("decoder_layers", int), "positions": "split sinusoidal", "norm_first": first,
        "length": said.take("max_position_embeddings", int, 1024),
        "activation": said.choice("activation_function", PLAIN, "gelu"),
        "scaled_embedding": said.take("scale_embedding", bool, False),
    }  # fmt: skip
    return Settled("translator", settings)


def _attention(theirs_: str, norm: str, ours: str) -> list[Counterpart]:
    slots = alike(norm, f"{ours}.norm", bias=True)
    for short, name in (("q_proj", "query"), ("k_proj", "key"), ("v_proj", "value"), ("out_proj", "output")):
        slots += alike(f"{theirs_}.{short}", f"{ours}.layer.{name}", bias=True)
    return slots


def _slots(config: Any) -> list[Counterpart]:
    slots = [*alike("model.shared", "embedding"), Counterpart("final_logits_bias", ("head.linear.bias",))]
    for stack, count, last in (
        ("encoder", config.encoder_layers, "encoder_norm"), ("decoder", config.decoder_layers, "final_norm"),
    ):  # fmt: skip
        slots.append(Counterpart(f"model.{stack}.embed_positions.weight", (WAVES,)))
        slots += alike(f"model.{stack}.layer_norm", last, bias=True) if config.norm_first else []
        for i in range(count):
            at, to = f"model.{stack}.layers.{i}", f"{stack}.{i}"
            slots += _attention(f"{at}.self_attn", f"{at}.self_attn_layer_norm", f"{to}.attention")
            if stack == "decoder":
                slots += _attention(f"{at}.encoder_attn", f"{at}.encoder_attn_layer_norm", f"{to}.cross")
            slots += [
                *alike(f"{at}.fc1", f"{to}.feed_forward.layer.expand", bias=True),
                *alike(f"{at}.fc2", f"{to}.feed_forward.layer.contract", bias=True),
                *alike(f"{at}.final_layer_norm", f"{to}.feed_forward.norm", bias=True),
            ]
    return slots


def reordered(state: State, order: torch.Tensor) -> State:
    """The same model with its columns in another order: all that reads from them, and all that writes to them."""
    found = dict(state)
    for name, value in state.items():
        if name.endswith(_READS):
            found[name] = value[:, order]
        elif name.endswith(_WRITES):
            found[name] = value[order]
    return found


def _outward(state: State, config: Any) -> State:
    width = config.width
    if config.positions == "sinusoidal":
        state = reordered(state, torch.cat([torch.arange(0, width, 2), torch.arange(1, width, 2)]))
    bias = state["head.linear.bias"][None]
    return {**state, WAVES: sinusoids(config.length, width, interleaved=False), "head.linear.bias": bias}


def _inward(state: State, config: Any) -> State:
    """Our own waves take the place of theirs, which must be the same."""
    table = sinusoids(config.length, config.width, interleaved=False)
    if WAVES in state and not torch.allclose(state[WAVES], table, atol=1e-5):
        raise InputError("The rows for positions in this file are not the waves that its layout has.")
    rest = {name: value for name, value in state.items() if name != WAVES}
    return {
        **rest,
        "head.linear.bias": state["head.linear.bias"].flatten(),
        "head.linear.weight": state["embedding.weight"],
    }


def _shapes(config: Any) -> dict[str, tuple[int | None, ...]]:
    return {WAVES: (config.length, config.width), "head.linear.bias": (1, config.vocabulary)}


def _kind(architecture: str, model_type: str, *, norm_first: bool) -> Layout:
    return Layout(
        architecture=architecture, family="translator",
        needs={
            "positions": ("sinusoidal", "split sinusoidal"), "norm": "layer", "norm_first": norm_first,
            "epsilon": (0.0, 1e-5), "activation": tuple(dict.fromkeys(PLAIN.values())), "bias": True,
        },
        also=shared_width, told=partial(_told, model_type=model_type), read=partial(_read, model_type=model_type),
        slots=_slots, before="model.", optional=(WAVES,), shapes=_shapes, outward=_outward, inward=_inward,
        unused=("model.encoder.embed_tokens.", "model.decoder.embed_tokens.", "lm_head."),
    )  # fmt: skip


MARIAN = _kind("MarianMTModel", "marian", norm_first=False)
PEGASUS = _kind("PegasusForConditionalGeneration", "pegasus", norm_first=True)
