"""What attention refuses at its door: each error names the value, what was expected and what to do."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from glassformer.errors import InputError

Shape = tuple[int, int, int, int]  # B H Tq Tk


def shape_of(queries: Tensor, keys: Tensor, values: Tensor) -> Shape:
    """B H Tq Tk, if queries, keys and values belong together."""
    found = f"queries {list(queries.shape)}, keys {list(keys.shape)}, values {list(values.shape)}"
    if queries.ndim != 4 or keys.ndim != 4 or values.ndim != 4:
        raise InputError(f"Queries, keys and values have four axes (batch, head, position, width); these are {found}.")
    if keys.shape[:3] != values.shape[:3] or queries.shape[0] != keys.shape[0]:
        raise InputError(f"There must be one value for each key, and all of one batch; these are {found}.")
    if keys.shape[3] not in (0, queries.shape[3]):
        raise InputError(f"Queries and keys must be equally wide to be compared; these are {found}.")
    sharing(queries.shape[1], keys.shape[1])
    return queries.shape[0], queries.shape[1], queries.shape[2], keys.shape[2]


def mask(given: Tensor, shape: Shape) -> Bool[Tensor, "#B #H #Tq #Tk"]:
    """The mask with all four axes, or an error that says what is wrong with it."""
    kind = given.dtype if isinstance(given, Tensor) else type(given).__name__
    if kind != torch.bool:
        raise InputError(
            f"A mask must be a boolean tensor, True where a query may look; this one is {kind}. For 0/1 numbers use "
            "mask.bool(); a number to be added to the scores is a `score_bias`."
        )
    return _with_four_axes("mask", given, shape, "For padding use padding_mask(real).")


def bias(given: Tensor, shape: Shape) -> Float[Tensor, "#B #H #Tq #Tk"]:
    """Numbers to be added to the scores, with all four axes, or an error that says what is wrong with them."""
    if not given.is_floating_point():
        raise InputError(
            f"A bias is added to the scores; this one is {given.dtype}. To hide keys use a boolean `mask`."
        )
    return _with_four_axes("score bias", given, shape, "One number per head has shape [1, heads, 1, 1].")


def _with_four_axes(name: str, given: Tensor, shape: Shape, hint: str) -> Tensor:
    whole = given[:, None] if given.ndim == 3 else given  # B Tq Tk → B 1 Tq Tk
    if whole.ndim not in (2, 4) or any(
        size not in (1, full) for size, full in zip(reversed(whole.shape), reversed(shape), strict=False)
    ):
        B, H, Tq, Tk = shape
        raise InputError(
            f"A {name} of shape {list(given.shape)} does not fit {Tq} queries and {Tk} keys (batch {B}, {H} heads): "
            f"expected [{Tq}, {Tk}], [{B}, {Tq}, {Tk}] or [{B}, {H}, {Tq}, {Tk}], where any size may be 1. {hint}"
        )
    return whole if whole.ndim == 4 else whole[None, None]


def head_width(d_model: int, n_heads: int) -> int:
    """The width of one head, if all heads can have the same."""
    if d_model % n_heads:
        raise InputError(
            f"A width of {d_model} cannot be divided evenly among {n_heads} heads; give d_key to choose one."
        )
    return d_model // n_heads


def sharing(n_heads: int, n_kv_heads: int) -> None:
    """Groups of heads that share one key/value head must be equally large."""
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise InputError(f"{n_heads} heads cannot share {n_kv_heads} key/value heads evenly.")


def rows(name: str, given: Tensor, width: int) -> None:
    """Rows come in batches, and each has the width it was announced with."""
    if given.ndim != 3 or given.shape[-1] != width:
        raise InputError(f"`{name}` must have shape [batch, tokens, {width}]; it has {list(given.shape)}.")


def angles(cosines: Tensor, x: Tensor, context: Tensor | None, d_key: int) -> None:
    """One row of angles per token, no more pairs than the key has, and only within one sequence."""
    if context is not None:
        raise InputError("Positions turn queries and keys within one sequence; leave out `angles` or `context`.")
    n_batch, length, _ = x.shape
    if cosines.ndim != 3 or cosines.shape[0] not in (1, n_batch) or cosines.shape[1] != length:
        raise InputError(
            f"`angles` must have shape [{n_batch}, {length}, pairs] (or 1 for the batch), one row per token; "
            f"they have {list(cosines.shape)}."
        )
    if 2 * cosines.shape[2] > d_key:
        raise InputError(f"`angles` turn {cosines.shape[2]} pairs of columns, but a key is only {d_key} wide.")


def at_least_one(**given: int | None) -> None:
    """Counts and widths are at least 1."""
    for name, size in given.items():
        if size is not None and size < 1:
            raise InputError(f"`{name}` must be at least 1; it is {size}.")


def choices(dropout: float, learned: str) -> None:
    """Settings that no shape would betray."""
    if not 0.0 <= dropout <= 1.0:
        raise InputError(f"`dropout` is a share between 0 and 1; it is {dropout}.")
    if not set(learned) <= set("qkvo"):
        raise InputError(f"`learned` may name q, k, v and o; it is '{learned}'.")
