"""Decoder-only layouts of transformers: GPT-2's, and those of Llama, Qwen and Apertus, which turn queries and keys. It
opens no file.
"""

from functools import partial
from typing import Any

from glassformer.errors import InputError
from glassformer.exchange.foreign_config import ForeignConfig
from glassformer.exchange.layouts.layout import Counterpart, Layout, Settled, alike, one_width, shared_width

PLAIN = {"gelu_new": "tanh gelu", "gelu_pytorch_tanh": "tanh gelu", "gelu_fast": "tanh gelu", "gelu": "gelu",
         "gelu_python": "gelu", "relu": "relu", "relu2": "squared relu", "silu": "silu", "swish": "silu"}  # fmt: skip
GATED = {"silu": "swiglu", "swish": "swiglu", "gelu": "geglu", "relu": "reglu"}
LAYER, RMS = 1e-5, 1e-6  # the norms' own ε

ATTENTION = {"scorer": "dot product", "weigher": "softmax"}


def theirs(words: dict[str, str], ours: str) -> str:
    """Their word for ours: the first that means it."""
    return next(word for word, meaning in words.items() if meaning == ours)


# --- GPT-2 ------------------------------------------------------------------------------------------------------


def _gpt2_told(config: Any) -> dict[str, Any]:
    return {
        "model_type": "gpt2", "vocab_size": config.vocabulary, "n_positions": config.length, "n_embd": config.width,
        "n_layer": config.layers, "n_head": config.heads, "n_inner": config.hidden,
        "activation_function": theirs(PLAIN, config.activation), "layer_norm_epsilon": config.epsilon or LAYER,
        "resid_pdrop": config.dropout, "embd_pdrop": config.dropout, "attn_pdrop": config.attention_dropout,
        "tie_word_embeddings": config.tied,
    }  # fmt: skip


def _gpt2_read(said: ForeignConfig) -> Settled:
    said.must("model_type", "gpt2")
    said.must("scale_attn_weights", True)
    said.must("scale_attn_by_inverse_layer_idx", False)
    said.must("add_cross_attention", False)
    said.must("is_decoder", False, True)  # it looks back alone either way
    said.must("reorder_and_upcast_attn", False, True)  # the same numbers, in another order
    width = said.take("n_embd", int, 768)
    settings = {
        "vocabulary": said.take("vocab_size", int, 50257), "length": said.take("n_positions", int, 1024),
        "width": width, "layers": said.take("n_layer", int, 12), "heads": said.take("n_head", int, 12),
        "hidden": said.take("n_inner", int, 0) or 4 * width,
        "activation": said.choice("activation_function", PLAIN, "gelu_new"),
        "epsilon": said.take("layer_norm_epsilon", float, LAYER),
        "tied": said.take("tie_word_embeddings", bool, True),
    }  # fmt: skip
    return Settled("gpt", settings)


def _gpt2_slots(config: Any) -> list[Counterpart]:
    slots = [
        *alike("transformer.wte", "embedding"),
        Counterpart("transformer.wpe.weight", ("order.rows.table",)),
        *alike("transformer.ln_f", "final_norm", bias=True),
    ]
    for i in range(config.layers):
        at, to = f"transformer.h.{i}", f"blocks.{i}"
        qkv = [f"{to}.attention.layer.{name}" for name in ("query", "key", "value")]
        slots += [
            *alike(f"{at}.ln_1", f"{to}.attention.norm", bias=True),
            Counterpart(f"{at}.attn.c_attn.weight", tuple(f"{name}.weight" for name in qkv), turned=True),
            Counterpart(f"{at}.attn.c_attn.bias", tuple(f"{name}.bias" for name in qkv)),
            *alike(f"{at}.attn.c_proj", f"{to}.attention.layer.output", bias=True, turned=True),
            *alike(f"{at}.ln_2", f"{to}.feed_forward.norm", bias=True),
            *alike(f"{at}.mlp.c_fc", f"{to}.feed_forward.layer.expand", bias=True, turned=True),
            *alike(f"{at}.mlp.c_proj", f"{to}.feed_forward.layer.contract", bias=True, turned=True),
        ]
    return [*slots, *_output(config)]


def _output(config: Any) -> list[Counterpart]:
    """The matrix of the output, where it is not the embedding's own."""
    return [] if config.tied else alike("lm_head", "head.linear")


def _shares_heads(config: Any) -> list[str]:
    return [f"kv_heads is {config.kv_heads} (one for each there)"] if config.kv_heads else []


GPT2 = Layout(
    architecture="GPT2LMHeadModel",
    family="language model",
    needs={**ATTENTION, "positions": "learned", "norm": "layer", "query_key_norm": False, "bias": True,
           "activation": tuple(dict.fromkeys(PLAIN.values()))},
    also=lambda config: [*_shares_heads(config), *shared_width(config)],
    told=_gpt2_told,
    read=_gpt2_read,
    slots=_gpt2_slots,
    before="transformer.",
)  # fmt: skip

# --- Llama and its kin ------------------------------------------------------------------------------------------


def _turned_told(config: Any, model_type: str) -> dict[str, Any]:
    """What the configs of all of them say."""
    words = PLAIN if model_type == "apertus" else GATED
    return {
        "model_type": model_type, "vocab_size": config.vocabulary, "hidden_size": config.width,
        "intermediate_size": config.hidden, "num_hidden_layers": config.layers, "num_attention_heads": config.heads,
        "num_key_value_heads": config.kv_heads or config.heads,
        "head_dim": config.key_width or config.width // config.heads,
        "hidden_act": theirs(words, config.activation), "max_position_embeddings": config.length,
        "rms_norm_eps": config.epsilon or RMS, "tie_word_embeddings": config.tied,
        "rope_theta": float(config.rotary_base),
        "rope_parameters": {**_stretch_told(config.rotary_stretch), "rope_theta": float(config.rotary_base)},
        "attention_dropout": config.attention_dropout,
        **({"attention_bias": config.bias, "mlp_bias": config.bias} if model_type == "llama" else {}),
        **({"attention_bias": False} if model_type in ("qwen3", "apertus") else {}),
    }  # fmt: skip


_SHARED = {"qwen2": 32, "qwen3": 32, "mistral": 8}  # heads for keys and values, where nothing is said


def _turned_read(said: ForeignConfig, model_type: str) -> Settled:
    said.must("model_type", model_type)
    said.must("is_decoder", False, True)
    width, heads = said.take("hidden_size", int), said.take("num_attention_heads", int)
    if not heads or width < heads:
        raise InputError(f"config.json: {width} columns cannot be shared out among {heads} heads.")
    shared = said.take("num_key_value_heads", int, _SHARED.get(model_type, heads))
    usual = 128 if model_type == "qwen3" else width // heads
    settings = {
        "vocabulary": said.take("vocab_size", int), "width": width, "heads": heads,
        "kv_heads": 0 if shared == heads else shared, "key_width": said.take("head_dim", int, usual),
        "hidden": said.take("intermediate_size", int), "layers": said.take("num_hidden_layers", int),
        "length": said.take("max_position_embeddings", int),
        "activation": said.choice("hidden_act", *((PLAIN, "xielu") if model_type == "apertus" else (GATED, "silu"))),
        "epsilon": said.take("rms_norm_eps", float, LAYER if model_type == "apertus" else RMS),
        "tied": said.take("tie_word_embeddings", bool, False),
        **_rotation(said, model_type),
        "query_key_norm": model_type in ("qwen3", "apertus"),
        "qkv_bias": model_type == "qwen2", "bias": _biases(said, model_type),
    }  # fmt: skip
    _no_window(said, model_type)
    return Settled("modern", settings)


def _biases(said: ForeignConfig, model_type: str) -> bool:
    """Whether every projection has one: of Llama's, all or none."""
    if model_type in ("qwen2", "mistral"):
        return False
    attention = said.take("attention_bias", bool, False)
    if model_type == "llama" and attention == said.take("mlp_bias", bool, False):
        return attention
    if attention:
        raise InputError("config.json: `attention_bias` is true where the feed-forward has none; that is not known.")
    return False


def _no_window(said: ForeignConfig, model_type: str) -> None:
    """Mistral's and Qwen's may look back through a window only, which is known where no text is longer than it; Qwen's
    turn by three positions, which is not."""
    if model_type not in _WINDOWS:
        return
    length, qwen = said.take("max_position_embeddings", int), model_type != "mistral"
    window = said.take("sliding_window", int, 0)
    if not qwen and not said.says("sliding_window"):
        window = _WINDOWS[model_type]
    if qwen:
        said.must("use_mrope", False)
        said.take("max_window_layers", int, 0)
        used = said.take("use_sliding_window", bool, False)
        kinds = said.names("layer_types")
        window = (window or _WINDOWS[model_type]) if used or "sliding_attention" in kinds else 0
        if strange := [kind for kind in kinds if kind not in ("full_attention", "sliding_attention")]:
            raise InputError(f"config.json: `layer_types` has {strange[0]!r:.50}, which is not known here.")
    if 0 < window < length:
        meant = "is" if said.says("sliding_window") else "is not said, by which is meant"
        raise InputError(
            f"config.json: `sliding_window` {meant} {window:,}; only null, or all {length:,}, can be taken in."
        )


_WINDOWS = {"mistral": 4096, "qwen2": 4096, "qwen3": 4096}  # where nothing is said
_STRETCHED = {
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
}


def _rotation(said: ForeignConfig, model_type: str) -> dict[str, Any]:
    """The base of the rotation, and how it is stretched, wherever they stand. Apertus' is stretched unless its config
    says otherwise, and there in one place only."""
    base, stretched = said.take("rope_theta", float, 10000.0), set[str]()
    for name in ("rope_scaling", "rope_parameters"):
        table = said.table(name)
        if model_type == "apertus" and name == "rope_parameters":
            table.take("rope_type", str)
            table.take("rope_theta", float)
        kind = table.take("rope_type", str, table.take("type", str, "default"))
        table.must("type", kind)  # older and newer ones have either name, or both
        table.must("partial_rotary_factor", 1.0)
        base = table.take("rope_theta", float, base)
        if kind == "dynamic":
            table.take("factor", float)  # of texts longer than the model's, which there are none of here
        elif kind in _STRETCHED:
            stretched.add(" ".join([kind, *(f"{table.take(each, float):.17g}" for each in _STRETCHED[kind])]))
        elif kind != "default":
            raise InputError(
                f"config.json: the rotation is stretched in the way '{kind:.50}'; dynamic, {' and '.join(_STRETCHED)} "
                "can be taken in."
            )
        table.done()
    said.must("partial_rotary_factor", 1.0)
    if base != int(base) or base < 1:
        raise InputError(f"config.json: `rope_theta` must be a whole number from 1 up; it is {base}.")
    if len(stretched) > 1:
        raise InputError("config.json stretches the rotation in two ways, by `rope_scaling` and by `rope_parameters`.")
    return {"rotary_base": int(base), "rotary_stretch": "".join(stretched)}


def _stretch_told(stretch: str) -> dict[str, Any]:
    kind, *numbers = stretch.split(" ") if stretch else ["default"]
    told = dict(zip(_STRETCHED.get(kind, ()), map(float, numbers), strict=True))
    if kind == "llama3":
        told["original_max_position_embeddings"] = int(told["original_max_position_embeddings"])
    return {"rope_type": kind, **told}


def _turned_slots(config: Any, model_type: str) -> list[Counterpart]:
    first, second = ("input_layernorm", "post_attention_layernorm")
    if model_type == "apertus":
        first, second = ("attention_layernorm", "feedforward_layernorm")
    slots = [*alike("model.embed_tokens", "embedding"), *alike("model.norm", "final_norm")]
    has = config.bias
    for i in range(config.layers):
        at, to = f"model.layers.{i}", f"blocks.{i}"
        slots += [*alike(f"{at}.{first}", f"{to}.attention.norm"), *alike(f"{at}.{second}", f"{to}.feed_forward.norm")]
        for short, name in (("q", "query"), ("k", "key"), ("v", "value")):
            bias = has or config.qkv_bias
            slots += alike(f"{at}.self_attn.{short}_proj", f"{to}.attention.layer.{name}", bias=bias)
        slots += alike(f"{at}.self_attn.o_proj", f"{to}.attention.layer.output", bias=has)
        if config.query_key_norm:
            for short, name in (("q", "query"), ("k", "key")):
                slots += alike(f"{at}.self_attn.{short}_norm", f"{to}.attention.layer.{name}_norm")
        gate = [("gate", "gate")] if config.activation in GATED.values() else []
        for short, name in (("up", "expand"), *gate, ("down", "contract")):
            slots += alike(f"{at}.mlp.{short}_proj", f"{to}.feed_forward.layer.{name}", bias=has)
    return [*slots, *_output(config)]


def _kin(architecture: str, model_type: str, words: dict[str, str], **needs: Any) -> Layout:
    return Layout(
        architecture=architecture,
        family="language model",
        needs={**ATTENTION, "positions": "rotary", "norm": "rms", "activation": tuple(dict.fromkeys(words.values())),
               **needs},
        also=one_width,
        told=partial(_turned_told, model_type=model_type),
        read=partial(_turned_read, model_type=model_type),
        slots=partial(_turned_slots, model_type=model_type),
        before="model.",
    )  # fmt: skip


LLAMA = _kin("LlamaForCausalLM", "llama", GATED, query_key_norm=False, qkv_bias=False)
MISTRAL = _kin("MistralForCausalLM", "mistral", GATED, query_key_norm=False, qkv_bias=False, bias=False)
QWEN2 = _kin("Qwen2ForCausalLM", "qwen2", GATED, query_key_norm=False, qkv_bias=True, bias=False)
QWEN3 = _kin("Qwen3ForCausalLM", "qwen3", GATED, query_key_norm=True, qkv_bias=False, bias=False)
APERTUS = _kin("ApertusForCausalLM", "apertus", PLAIN, query_key_norm=True, qkv_bias=False, bias=False)
