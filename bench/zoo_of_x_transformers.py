"""What a watch makes of x-transformers: a small decoder with each of its switches in turn, as bench/zoo.py has it.

    pip install x-transformers
    python bench/zoo_of_x_transformers.py [SWITCH …] [--seconds 20] [--out FILE]

The switches are read off the library: every option of the wrapper, its layers, attention and feed-forward that is off
and can be put on, and those below that want a number or another switch beside them. What does not build or run is left
out and counted. A line for each; zoo.py says what stands in it.
"""

import inspect
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import torch
from x_transformers import Decoder, Encoder, TransformerWrapper
from x_transformers.x_transformers import Attention, AttentionLayers, FeedForward
from zoo import Found, Table, alone, in_a_process, looked_at, options, summary

_NOT_SWITCHES = frozenset((
    "causal", "cross_attend", "only_cross", "verbose", "attn_causal", "attn_onnxable", "norm_add_unit_offset",
))  # fmt: skip
_NUMBERS: Mapping[str, Any] = MappingProxyType({
    "sandwich_coef": 1, "par_ratio": 2, "shift_tokens": 1, "num_residual_streams": 2, "attn_sparse_topk": 2,
    "attn_num_mem_kv": 2, "attn_max_attend_past": 3, "attn_kv_heads": 2, "attn_value_dim_head": 5,
    "attn_gate_values_rank": 3, "attn_output_gate_rank": 3, "attn_output_proj_depth": 2, "ff_output_proj_depth": 2,
    "num_memory_tokens": 2, "emb_dim": 16, "logits_dim": 9, "num_output_heads": 2, "rotate_num_heads": 2,
    "rotary_interpolation_factor": 2.0, "ff_softclamp_value": 5.0, "layers_execute_order": (0, 1, 0, 1),
})  # fmt: skip
_ROTARY, _COPE, _DYNAMIC = {"rotary_pos_emb": True}, {"attn_use_cope": True}, {"dynamic_pos_bias": True}
_GLU, _CONDITION = {"ff_glu": True}, {"dim_condition": 24}
_BESIDE: Mapping[str, Mapping[str, Any]] = MappingProxyType({
    "rotary_xpos": _ROTARY, "rotary_interpolation_factor": _ROTARY, "rotate_num_heads": _ROTARY,
    "attn_cope_soft_onehot_pos": _COPE, "attn_cope_talking_heads": _COPE,
    "attn_qk_norm_dim_scale": {"attn_qk_norm": True},
    "attn_sparse_topk_straight_through": {"attn_sparse_topk": 2},
    "attn_gumbel_softmax_hard": {"attn_gumbel_softmax": True},
    "attn_data_dependent_alibi_per_row": {"attn_data_dependent_alibi": True},
    "attn_use_latent_q": {"attn_dim_latent_q": 6}, "attn_use_latent_kv": {"attn_dim_latent_kv": 6},
    "attn_orthog_projected_values_per_head": {"attn_orthog_projected_values": True},
    "dynamic_pos_bias_log_distance": _DYNAMIC, "dynamic_pos_bias_norm": _DYNAMIC,
    "attn_learned_value_residual_mix": {"add_value_residual": True},
    "learned_reinject_input_gate": {"reinject_input": True},
    "attn_qkv_receive_diff_residuals": {"qkv_receive_diff_residuals": True},
    "ff_glu_mult_bias": _GLU, "ff_glu_softclamp": _GLU, "attn_swiglu_values": {"attn_gate_values": True},
    "use_adaptive_layernorm": _CONDITION, "use_adaptive_rmsnorm": _CONDITION, "use_adaptive_layerscale": _CONDITION,
    "adaptive_condition_mlp": {"use_adaptive_layernorm": True, **_CONDITION},
})  # fmt: skip


def switches() -> dict[str, Any]:
    """All that can be put on, and what to put there."""
    found: dict[str, Any] = {"nothing": True, "encoder": True}
    for prefix, kind in (("", TransformerWrapper), ("", AttentionLayers), ("attn_", Attention), ("ff_", FeedForward)):
        for name, parameter in inspect.signature(kind.__init__).parameters.items():
            switch = prefix + name
            if switch in _NUMBERS:
                found[switch] = _NUMBERS[switch]
            elif parameter.default is False and switch not in _NOT_SWITCHES:
                found[switch] = True
    return found


def made(switch: str, value: Any) -> tuple[torch.nn.Module, dict[str, Any]]:
    """A small model with one switch on, and what it may run on."""
    told = {} if switch in ("nothing", "encoder") else {switch: value, **_BESIDE.get(switch, {})}
    of_the_wrapper = set(inspect.signature(TransformerWrapper.__init__).parameters)
    around = {name: each for name, each in told.items() if name in of_the_wrapper}
    inside = {name: each for name, each in told.items() if name not in of_the_wrapper}
    layers = Encoder if switch == "encoder" else Decoder
    torch.manual_seed(0)
    core = layers(dim=24, depth=2, heads=4, **{"attn_dim_head": 6, "verbose": False, **inside})
    model = TransformerWrapper(num_tokens=31, max_seq_len=16, attn_layers=core, **around).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.05 * torch.randn_like(weight))
    given: dict[str, Any] = {"x": torch.randint(0, 31, (2, 8), generator=torch.Generator().manual_seed(1))}
    if "dim_condition" in inside:
        given["condition"] = torch.randn(2, 24, generator=torch.Generator().manual_seed(3))
    return model, given


def measured(found: Found) -> Found:
    """One switch, watched."""
    try:
        model, given = made(found.kind, switches()[found.kind])
        before = alone(model, given)
    except Exception as error:
        found.left_out = f"{type(error).__name__}: {error}"[:110]
        return found
    looked_at(found, model, given, before)
    return found


def main() -> None:
    """Prints the table and its sum."""
    chosen = options(__doc__, "switches; all of them").parse_args()
    table = Table(chosen.out)
    for switch in chosen.kinds or switches():
        if not table.has(switch, "x"):
            in_a_process([Found(switch, "x", "")], measured, chosen.seconds, table.add)
    print("\n" + summary(table.found))


if __name__ == "__main__":
    sys.exit(main())
