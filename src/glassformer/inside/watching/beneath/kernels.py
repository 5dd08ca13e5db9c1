"""Which of torch's kernels matter to attention, by name: what multiplies, adds up, bends, moves or ends a row.

A kernel that writes in place (`mul_`) goes by the name of the one that does not. It holds names only; `bookkeeping.py`
says what follows from them.
"""

from collections.abc import Sequence
from typing import Any

PRODUCTS = frozenset((
    "mm", "bmm", "addmm", "baddbmm", "addbmm", "addr", "addmv", "mv", "dot", "vdot", "matmul", "linear", "einsum",
    "inner", "tensordot", "bilinear", "_trilinear", "embedding_bag", "_embedding_bag", "_embedding_bag_forward_only",
    "_grouped_mm", "_scaled_mm", "_int_mm", "chain_matmul", "mkldnn_linear", "_linear",
    "_linalg_solve_ex", "linalg_lstsq", "linalg_solve_triangular", "linalg_lu_solve", "triangular_solve",
    "cholesky_solve",
))  # fmt: skip
SOFTMAX = frozenset(("_softmax", "softmax", "_safe_softmax", "special_softmax", "_masked_softmax"))
LOGARITHMS = frozenset(("_log_softmax", "log_softmax", "logsumexp", "special_log_softmax"))
LOG_SUMS = frozenset(("logsumexp", "_logcumsumexp", "logcumsumexp", "logaddexp"))
TURNED_BACK = frozenset(("_log_softmax_backward_data",))  # the gradient of logarithms of shares holds the shares
RANKING = "argsort"  # the places of a sort, of which the sorted numbers are no part
COMPARING = frozenset(("gt", "ge", "lt", "le", "eq", "ne", "bucketize", "searchsorted", RANKING))
POWERS = frozenset(("exp", "exp2", "special_exp2", "expm1"))
# What gives numbers that are never negative, so that they may come to be weights over their sum.
POSITIVE = frozenset((
    "sigmoid", "relu", "softplus", "abs", "square", "clamp", "clamp_min", "elu",
))  # fmt: skip
STEPS = frozenset(("softplus",))  # how far a state-space layer goes in one step is always made so
SUMS = frozenset((
    "sum", "mean", "cumsum", "scatter_add", "index_add", "scatter_reduce", "index_reduce", "segment_reduce", "nansum",
))  # fmt: skip
POOLING = frozenset(("avg_pool1d", "avg_pool2d", "avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d"))
GATHERING = frozenset((
    "scatter_add", "index_add", "scatter_reduce", "index_reduce", "segment_reduce", "index_put", "_index_put_impl",
    "bincount",
))  # fmt: skip
MULTIPLYING = frozenset(("mul", "addcmul", "lerp"))
DIVIDING = frozenset(("div", "true_divide"))
TURNING_OVER = frozenset(("reciprocal",))
ADDING = frozenset(("add", "addcmul", "lerp"))
SUBTRACTING = frozenset(("sub", "rsub"))
TURNING = frozenset(("transpose", "permute", "t"))
JOINING = frozenset(("cat", "stack"))
REPEATING = frozenset(("expand", "repeat", "repeat_interleave"))
CHOOSING = frozenset(("index", "index_select", "gather", "select", "slice"))
SHIFTING = frozenset((
    "roll", "flip", "index", "index_select", "gather", "constant_pad_nd", "unfold", "im2col", "as_strided",
))  # fmt: skip
CUTTING = frozenset(("topk", "gather", "index", "index_select", "max", "amax", "sort", "mean", "sum", "var"))
ENDING = frozenset(("native_layer_norm", "native_group_norm", "native_batch_norm", "_fused_rms_norm"))
OF_PICTURES = frozenset(("native_group_norm", "native_batch_norm"))  # of norms, those whose columns are the second axis
WINDOWS = frozenset(("im2col", "unfold"))  # the neighbours of each row, side by side
LAYERS = frozenset(("convolution", "mkldnn_rnn_layer", "lstm", "gru", "rnn_tanh", "rnn_relu"))  # beside PRODUCTS
EXTREMES = frozenset(
    ("amax", "amin", "max", "min", "median", "linalg_vector_norm", "norm", "var", "std", "trace")
)  # of all in a row
ROOTS = frozenset(("rsqrt", "sqrt"))
DISTANCES = frozenset(("cdist", "_cdist_forward", "_euclidean_dist", "pairwise_distance"))
# What leaves raw powers and products what they are: their shape may change, some may be hidden, all be scaled.
CAREFUL = frozenset((
    "view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "transpose", "permute", "t", "slice", "select",
    "unsqueeze", "squeeze", "clone", "_to_copy", "copy", "detach", "alias", "contiguous", "masked_fill",
    "where", "mul", "div", "cat", "stack", "sum", "mean", "cumsum", "native_dropout",
    "constant_pad_nd", "as_strided", "split", "split_with_sizes", "unbind", "sub", "rsub", "add",
    "tril", "triu", "reciprocal", "neg", "scatter_add", "index_add", "scatter_reduce", "index_reduce", "segment_reduce",
    "index", "gather",
    "index_select", "clamp", "clamp_min", "flip", "roll", "diagonal", "unfold", "repeat", "addcmul", "slice_scatter",
    "select_scatter", "index_put", "lift_fresh", "lerp",
))  # fmt: skip


def plain_name(name: str, args: Sequence[Any]) -> str:
    """The name of a kernel; that of a square or of one over something where a power with a number is one."""
    exponent = args[1] if name == "pow" and len(args) > 1 else None
    return {2.0: "square", -1.0: "reciprocal"}.get(exponent, name) if isinstance(exponent, int | float) else name


def bends(name: str) -> bool:
    """Whether a kernel may make weights of scores: any that does more than move, scale, hide or normalise them."""
    solves = name.startswith(("linalg", "_linalg", "cholesky", "triangular", "_fft", "inverse"))
    return not solves and (name not in (CAREFUL | ENDING) or name in ("clamp", "clamp_min"))
