"""What lecture notes and PyTorch call a stage, besides its name and its symbol here. It knows no numbers.

A letter may mean several things: the stages that are there decide, in the order of the trace.
"""

import re
from types import MappingProxyType

from glassformer.stages.stage import Stage

# Spelled as `spelled` leaves them: without braces, backslashes and spaces; h[t−1] is h_t-1.
OTHER_NAMES: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        "inputs": ("x", "D", "y"),
        "context": ("ξ", "xi", "z", "c"),
        "query_weight": ("W_q", "W^q", "W^Q", "Wq"),
        "key_weight": ("W_k", "W^k", "W^K", "Wk"),
        "value_weight": ("W_v", "W^v", "W^V", "Wv"),
        "output_weight": ("W_o", "W^o", "W^O", "W^0", "W_0", "W_h"),
        "queries": ("q", "query"),
        "keys": ("k", "key"),
        "values": ("v", "value"),
        "scores": ("QK^T", "QKᵀ", "K^TQ", "KᵀQ", "e", "score", "attentionscore", "attentionscores"),
        "scaled": ("scaledscore", "scaledscores"),
        "scale": ("beta",),
        "weights": ("a", "alpha", "α", "attentionweight", "attentionweights"),
        "mixed": ("h",),
        "step_input": ("x",),
        "previous_state": ("h_t-1", "h_0"),
        "previous_cell": ("c_t-1", "C_t-1"),
        "step_weight": ("W_h",),
        "step_bias": ("b_h",),
        "step_sum": ("a", "z"),
        "recurrent_weight": ("W_hx", "W_xh", "W_ih"),
        "state_weight": ("W_hh",),
        "input_gate": ("i_t",),
        "forget_gate": ("f_t",),
        "output_gate": ("o_t",),
        "cell_weight": ("W_g", "W_C"),
        "cell_bias": ("b_g", "b_C"),
        "cell_candidate": ("g", "g_t", "c~", "c~_t", "C~_t", "c̃_t"),
        "new_cell": ("c", "C_t"),
        "new_state": ("h",),
        "reset_gate": ("r_t",),
        "update_gate": ("z_t",),
        "step_candidate": ("n_t", "h~", "h~_t", "h̃_t"),
        "position_rows": ("PE",),
        "expand_weight": ("W1",),
        "expand_bias": ("b1",),
        "contract_weight": ("W2",),
        "contract_bias": ("b2",),
        "norm_weight": ("gamma",),
        "norm_bias": ("beta",),
    }
)


def spelled(name: str) -> str:
    """One spelling: `h_{t-1}`, `h[t−1]` and `hₜ₋₁` are h_t-1; `\\alpha` is alpha."""
    name = name.replace("ₜ₋₁", "_t-1").replace("ₜ", "_t").replace("−", "-")
    name = re.sub(r"\[t\s*(-\s*1)?\]", lambda match: "_t-1" if match[1] else "_t", name)
    name = re.sub(r"\\tilde\{(\w+)\}", r"\1~", name)
    return re.sub(r"[{}\\\s]", "", name)


def goes_by(stage: Stage, name: str) -> bool:
    """Whether a stage is called so, by its symbol in any spelling or by another name."""
    known = {spelled(stage.symbol), spelled(stage.latex), *OTHER_NAMES.get(stage.name, ())}
    return spelled(name) in known
