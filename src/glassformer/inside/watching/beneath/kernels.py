"""Which of torch's kernels matter to attention, by name: what multiplies, adds up, bends, moves or ends a row.

It holds names only; `bookkeeping.py` says what follows from them.
"""

from collections.abc import Sequence
from typing import Any

PRODUCTS = frozenset((
    "mm", "bmm", "addmm", "baddbmm", "addbmm", "mv", "addmv", "dot", "vdot", "matmul", "linear", "einsum", "inner",
    "tensordot", "bilinear", "_trilinear", "embedding_bag", "_embedding_bag", "_embedding_bag_forward_only",
    "_grouped_mm", "_scaled_mm", "_int_mm", "chain_matmul", "mkldnn_linear", "_linear",
    "_linalg_solve_ex", "linalg_solve_triangular", "linalg_lu_solve", "triangular_solve", "cholesky_solve",
))  # fmt: skip
SOFTMAX = frozenset(("_softmax", "softmax", "_safe_softmax", "special_softmax", "_masked_softmax"))
LOGARITHMS = frozenset(("_log_softmax", "log_softmax", "logsumexp", "special_log_softmax"))
POWERS = frozenset(("exp", "exp_", "exp2", "special_exp2", "expm1"))
# What gives numbers that are never negative, so that they may come to be weights over their sum.
POSITIVE = frozenset((
    "sigmoid", "sigmoid_", "relu", "relu_", "softplus", "abs", "abs_", "square", "clamp", "clamp_min", "elu",
))  # fmt: skip
STEPS = frozenset(("softplus",))  # how far a state-space layer goes in one step is always made so
SUMS = frozenset(("sum", "mean", "cumsum", "scatter_add", "scatter_add_", "index_add", "index_add_", "nansum"))
POOLING = frozenset(("avg_pool1d", "avg_pool2d", "avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d"))
GATHERING = frozenset(("scatter_add", "scatter_add_", "index_add", "index_add_", "scatter_reduce", "index_put_"))
MULTIPLYING = frozenset(("mul", "mul_", "addcmul", "addcmul_", "lerp", "lerp_"))
DIVIDING = frozenset(("div", "div_", "true_divide"))
TURNING_OVER = frozenset(("reciprocal", "reciprocal_"))
ADDING = frozenset(("add", "add_", "addcmul", "addcmul_", "lerp", "lerp_"))
SUBTRACTING = frozenset(("sub", "sub_", "rsub"))
TURNING = frozenset(("transpose", "permute", "t", "transpose_", "t_"))
JOINING = frozenset(("cat", "stack"))
CHOOSING = frozenset(("index", "index_select", "gather", "select", "slice"))
SHIFTING = frozenset(("roll", "flip", "index", "index_select", "gather", "constant_pad_nd", "unfold", "as_strided"))
CUTTING = frozenset(("topk", "gather", "index", "index_select", "max", "amax", "sort", "mean", "sum", "var"))
ENDING = frozenset(("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm"))
OF_PICTURES = frozenset(("native_group_norm", "native_batch_norm"))  # of norms, those whose columns are the second axis
LAYERS = frozenset(("convolution", "mkldnn_rnn_layer", "lstm", "gru", "rnn_tanh", "rnn_relu"))  # beside PRODUCTS
EXTREMES = frozenset(
    ("amax", "amin", "max", "min", "median", "linalg_vector_norm", "var", "std", "trace")
)  # of all in a row
ROOTS = frozenset(("rsqrt", "sqrt"))
DISTANCES = frozenset(("cdist", "_cdist_forward", "_euclidean_dist", "pairwise_distance"))
# What leaves raw powers and products what they are: their shape may change, some may be hidden, all be scaled.
CAREFUL = frozenset((
    "view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "transpose", "permute", "t", "slice", "select",
    "unsqueeze", "squeeze", "clone", "_to_copy", "copy_", "detach", "alias", "contiguous", "masked_fill",
    "masked_fill_", "where", "mul", "mul_", "div", "div_", "cat", "stack", "sum", "mean", "cumsum", "native_dropout",
    "constant_pad_nd", "as_strided", "split", "split_with_sizes", "unbind", "sub", "sub_", "rsub", "add", "add_",
    "tril", "triu", "reciprocal", "neg", "scatter_add", "index_add", "scatter_add_", "index_add_", "index", "gather",
    "index_select", "clamp", "clamp_min", "flip", "roll", "diagonal", "unfold", "repeat", "addcmul", "slice_scatter",
    "select_scatter", "index_put", "index_put_", "lift_fresh", "lerp", "lerp_",
))  # fmt: skip


def plain_name(name: str, args: Sequence[Any]) -> str:
    """The name of a kernel; that of a square or of one over something where a power with a number is one."""
    exponent = args[1] if name in ("pow", "pow_") and len(args) > 1 else None
    return {2.0: "square", -1.0: "reciprocal"}.get(exponent, name) if isinstance(exponent, int | float) else name


def bends(name: str) -> bool:
    """Whether a kernel may make weights of scores: any that does more than move, scale, hide or normalise them."""
    solves = name.startswith(("linalg", "_linalg", "cholesky", "triangular", "_fft", "inverse"))
    return not solves and (name not in (CAREFUL | ENDING) or name in ("clamp", "clamp_min"))
