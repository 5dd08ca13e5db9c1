"""Products of two tensors as torch spells them, read as queries with keys, weights with values or heads that talk.

`matmul`, `bmm`, `baddbmm`, `einsum` and layers of one matrix become one form, which says how to bring every factor to
the order of axes that attention.py has. It looks at names and axes only, never at numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from string import ascii_uppercase
from types import MappingProxyType
from typing import Any

from torch import Tensor

from glassformer.inside.watching.following.score_steps import Shape

Places = tuple[int | None, ...]  # where each axis is taken from; None is a new axis of size 1


@dataclass(frozen=True)
class ScaledProduct:
    """`alpha` times a product of two factors, plus `added`; `letters` name the axes of both and of the result.

    named    whether the model has named its axes, so that they may stand in any order
    """

    left: Tensor
    right: Tensor
    letters: tuple[str, str, str]
    alpha: float = 1.0
    added: Tensor | None = None
    named: bool = False

    def turned(self) -> "ScaledProduct":
        """The same product with its factors in the other order."""
        first, second, result = self.letters
        return replace(self, left=self.right, right=self.left, letters=(second, first, result))

    def shape_of_result(self) -> Shape:
        """The sizes of its axes, by their letters."""
        first, second, result = self.letters
        sizes = {**dict(zip(first, self.left.shape, strict=True)), **dict(zip(second, self.right.shape, strict=True))}
        return tuple(sizes[letter] for letter in result)

    def pairing(self) -> tuple[Places, Places, Places] | None:
        """How to bring queries to … Tq K, keys to … Tk K and scores to … Tq Tk; None if it cannot be scores.

        K may be several axes, as where rows of an alignment ask together. Of several axes that only one factor has, the
        one that stands last in the result asks, until more is known: see `rivals`.
        """
        first, second, result = self.letters
        width = [c for c in first if c in second and c not in result]
        queries, keys = [c for c in first if c not in second], [c for c in second if c not in first]
        alone = not keys and set(second) == set(width)  # one key, and no axis for it
        if not width or not queries or set(result) != (set(first) | set(second)) - set(width):
            return None
        if min(len(queries), len(keys)) != 1 and not alone:
            return None
        query, key = max(queries, key=result.index), "" if alone else max(keys, key=result.index)
        lead = [c for c in result if c not in (query, key)]
        axes = _places(result, [*lead, query, key])
        return _places(first, [*lead, query, *width]), _places(second, [*lead, key, *width]), axes

    def rivals(self, axes: Places) -> tuple[Shape, Shape]:
        """Which leading axes of scores that lie so may be the queries in Tq's place; and which the keys in Tk's.

        Heads that share one set of keys are an axis of the queries alone, as the places are. Where nobody has named the
        axes one by one, the usual order holds.
        """
        if not self.named:
            return (), ()
        first, second, result = self.letters
        lead = [result[axis] for axis in axes[:-2] if axis is not None]
        ask, answer = (
            tuple(i for i, c in enumerate(lead) if (c in one) > (c in other))
            for one, other in ((first, second), (second, first))
        )
        return ask, answer

    def mixing(self, axes: Places) -> tuple[Places, Places] | None:
        """How to bring values to … Tk V and what is mixed to … Tq V, if `axes` bring the weights to … Tq Tk.

        V may be several axes.
        """
        first, second, result = self.letters
        *lead, query, key = ("" if axis is None else first[axis] for axis in axes)
        value = [c for c in second if c not in first]
        rows = {each for each in (*lead, query) if each}
        if not value or not key or key not in second or set(result) != {*rows, *value}:
            return None
        if query and query in second:  # every query has values of its own
            return None
        return _places(second, [*lead, key, *value]), _places(result, [*lead, query, *value])

    def talking(self, axes: Places) -> tuple[Tensor, Places] | None:
        """The matrix, new heads × heads, and the axes after it, where the left factor's heads meet one."""
        first, second, result = self.letters
        heads = [first[axis] for axis in axes[:-2] if axis is not None and first[axis] in second]
        new = [c for c in second if c not in first]
        if len(heads) != 1 or len(new) != 1 or len(second) != 2 or heads[0] in result:
            return None
        letters = [new[0] if first[axis] == heads[0] else first[axis] for axis in axes if axis is not None]
        if len(letters) != len(axes) or set(letters) != set(result):
            return None
        return arranged(self.right, _places(second, [new[0], heads[0]])), _places(result, letters)


def _places(letters: str, wanted: list[str]) -> Places:
    return tuple(letters.index(c) if c and c in letters else None for c in wanted)


def restored(tensor: Tensor, places: Places, shape: Shape) -> Tensor:
    """What a tensor of this shape would be, had it been arranged so: the way back."""
    for axis in range(len(places) - 1, -1, -1):
        tensor = tensor.squeeze(axis) if places[axis] is None else tensor
    kept = [place for place in places if place is not None]
    return tensor.permute(sorted(range(len(kept)), key=kept.__getitem__)).reshape(shape)


def arranged(tensor: Tensor, places: Places) -> Tensor:
    """The tensor with its axes taken from these places."""
    kept = [place for place in places if place is not None]
    tensor = tensor.detach()
    blank = [axis for axis in range(tensor.ndim) if axis not in kept]  # of size 1, and of no meaning
    tensor = tensor.squeeze(blank) if blank else tensor
    order = sorted(kept)
    tensor = tensor.permute([order.index(place) for place in kept])
    for axis, place in enumerate(places):
        if place is None:
            tensor = tensor.unsqueeze(axis)
    return tensor


def as_rows(tensor: Tensor, places: Places, n_axes: int) -> Tensor:
    """The tensor so arranged, with as many axes: the last ones become one."""
    return arranged(tensor, places).flatten(n_axes - 1)


def summed_along(weights: Tensor, axes: Places, values: Tensor, axis: int) -> tuple[ScaledProduct, Places] | None:
    """Weights times values place by place, added up along one axis, as a product; and the axes of its weights."""
    n_axes = max(weights.ndim, values.ndim)
    key = axes[-1]
    if key is None or axis % n_axes != key + n_axes - weights.ndim:
        return None
    left, right = (each.reshape((1,) * (n_axes - each.ndim) + tuple(each.shape)) for each in (weights, values))
    letters = ascii_uppercase[:n_axes]
    both = list(zip(letters, left.shape, right.shape, strict=True))
    names = {place: letters[place + n_axes - weights.ndim] for place in axes if place is not None}
    first = "".join(c for c, here, there in both if here > 1 or (there == 1 and c in names.values()))
    second = "".join(c for c, here, there in both if there > 1 or c not in first)
    if not set(first) <= set(names.values()) or letters[axis] not in first:  # more axes than weights have
        return None
    found = tuple(None if place is None or (c := names[place]) not in first else first.index(c) for place in axes)
    result = "".join(c for c in letters if c != letters[axis])
    return ScaledProduct(
        left.reshape([size for c, size, _ in both if c in first]),
        right.reshape([size for c, _, size in both if c in second]),
        (first, second, result),
    ), found


# --- reading what a call was handed -------------------------------------------------------------------------------

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


def argument(args: Args, kwargs: Kwargs, place: int, *names: str) -> Any:
    """The argument at this place, or under one of these names; None if it was not given."""
    return args[place] if place < len(args) else next((kwargs[name] for name in names if name in kwargs), None)


def tensors_among(args: Args) -> list[Tensor]:
    """The tensors among the arguments, and within lists of them."""
    flat = [each for arg in args for each in (arg if isinstance(arg, list | tuple) else (arg,))]
    return [each for each in flat if isinstance(each, Tensor)]


def only_number(value: Any) -> float | None:
    """A number, or a tensor that holds just one."""
    if isinstance(value, Tensor):
        return float(value) if value.numel() == 1 else None
    return float(value) if isinstance(value, int | float) else None


def _named_axes(left: Tensor, right: Tensor) -> tuple[str, str, str] | None:
    """Letters for a matrix product: leading axes are counted from the right, as broadcasting does."""
    if left.ndim > 1 and right.ndim == 1:
        lead = ascii_uppercase[len(ascii_uppercase) - left.ndim + 1 :]
        return f"{lead}d", "d", lead
    if left.ndim < 2 or right.ndim < 2:
        return None
    first, second = (ascii_uppercase[len(ascii_uppercase) - each.ndim + 2 :] for each in (left, right))
    return f"{first}qd", f"{second}dk", max(first, second, key=len) + "qk"


def _matmul(args: Args, kwargs: Kwargs) -> ScaledProduct | None:
    left, right = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other", "mat2")
    letters = _named_axes(left, right)
    return ScaledProduct(left, right, letters) if letters else None


def _baddbmm(args: Args, kwargs: Kwargs) -> ScaledProduct | None:
    added, left, right = (argument(args, kwargs, i, name) for i, name in enumerate(("input", "batch1", "batch2")))
    letters = _named_axes(left, right)
    beta = float(kwargs.get("beta", 1.0))
    return letters and ScaledProduct(
        left, right, letters, float(kwargs.get("alpha", 1.0)), beta * added if beta else None
    )


def _einsum(args: Args, kwargs: Kwargs) -> ScaledProduct | None:
    operands = args[1] if len(args) == 2 and isinstance(args[1], list | tuple) else args[1:]
    if not isinstance(args[0], str) or len(operands) != 2 or "->" not in args[0]:
        return None
    left, right = operands
    inputs, _, result = args[0].replace(" ", "").partition("->")
    first, _, second = inputs.partition(",")
    first, second = (_spelled_out(letters, tensor.ndim) for letters, tensor in ((first, left), (second, right)))
    lead = max((left.ndim, first), (right.ndim, second))[1]
    result = result.replace("...", "".join(c for c in lead if c in ascii_uppercase))
    if any(len(set(letters)) != len(letters) for letters in (first, second, result)):
        return None
    return ScaledProduct(left, right, (first, second, result), named=True)


def _spelled_out(letters: str, n_axes: int) -> str:
    """`...qd` with a capital for each axis that the dots stand for."""
    n_dots = n_axes - len(letters.replace("...", ""))
    return letters.replace("...", ascii_uppercase[len(ascii_uppercase) - n_dots :])


def _linear(args: Args, kwargs: Kwargs) -> ScaledProduct | None:
    """Rows times one matrix of the model: each of its rows may be a question, or a key."""
    rows, matrix = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "weight")
    if rows.ndim < 2 or matrix.ndim != 2:
        return None
    lead = ascii_uppercase[: rows.ndim - 1]
    letters = f"{lead}d", "kd", f"{lead}k"
    return ScaledProduct(rows, matrix, letters, added=argument(args, kwargs, 2, "bias"))


def _narrow_convolution(args: Args, kwargs: Kwargs) -> ScaledProduct | None:
    """A convolution one place wide is the same matrix for every place."""
    rows, kernel = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "weight")
    spread = rows.ndim - 2
    steps = argument(args, kwargs, 3, "stride")
    strides = {1} if steps is None else {steps} if isinstance(steps, int) else set(steps)
    if any(size != 1 for size in kernel.shape[2:]) or rows.shape[1] != kernel.shape[1] or spread < 1 or strides != {1}:
        return None
    padding = argument(args, kwargs, 4, "padding")
    if padding is not None and padding != "valid" and any([padding] if isinstance(padding, int) else padding):
        return None
    bias = argument(args, kwargs, 2, "bias")
    places = ascii_uppercase[1 : 1 + spread]
    letters = f"A{'d'}{places}", "kd", f"Ak{places}"
    added = None if bias is None else bias.reshape(-1, *(1,) * spread)
    return ScaledProduct(rows, kernel.flatten(1), letters, added=added)


LAYERS: Mapping[str, Callable[[Args, Kwargs], ScaledProduct | None]] = MappingProxyType(
    {"linear": _linear, **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _narrow_convolution)}
)
PRODUCTS: Mapping[str, Callable[[Args, Kwargs], ScaledProduct | None]] = MappingProxyType(
    {**dict.fromkeys(("matmul", "__matmul__", "bmm", "mm"), _matmul), "baddbmm": _baddbmm, "einsum": _einsum}
)
