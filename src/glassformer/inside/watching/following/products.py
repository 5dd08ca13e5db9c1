"""Products of two tensors as torch spells them, read as queries with keys or as weights with values.

`matmul`, `bmm`, `baddbmm` and `einsum` become one form, which says how to bring every factor to the order of axes that
attention.py has. It looks at names and axes only, never at numbers.
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
    """`alpha` times a product of two factors, plus `added`; `letters` name the axes of both and of the result."""

    left: Tensor
    right: Tensor
    letters: tuple[str, str, str]
    alpha: float = 1.0
    added: Tensor | None = None

    def turned(self) -> "ScaledProduct":
        """The same product with its factors in the other order."""
        first, second, result = self.letters
        return replace(self, left=self.right, right=self.left, letters=(second, first, result))

    def pairing(self) -> tuple[Places, Places, Shape] | None:
        """How to bring queries to … Tq K, keys to … Tk K and scores to … Tq Tk; None if it cannot be scores."""
        first, second, result = self.letters
        width = set(first) & set(second) - set(result)
        queries, keys = [c for c in first if c not in second], [c for c in second if c not in first]
        if len(width) != 1 or not queries or len(keys) != 1 or set(result) != (set(first) | set(second)) - width:
            return None
        query, key = queries[-1], keys[0]
        lead = [c for c in result if c not in (query, key)]
        axes = tuple(result.index(c) for c in [*lead, query, key])
        return _places(first, [*lead, query, *width]), _places(second, [*lead, key, *width]), axes

    def mixing(self, axes: Shape) -> tuple[Places, Shape] | None:
        """How to bring values to … Tk V and what is mixed to … Tq V, if `axes` bring the weights to … Tq Tk."""
        first, second, result = self.letters
        *lead, query, key = (first[axis] for axis in axes)
        value = [c for c in second if c not in first]
        if len(value) != 1 or key not in second or set(result) != {*lead, query, *value}:
            return None
        return _places(second, [*lead, key, *value]), tuple(result.index(c) for c in [*lead, query, *value])


def _places(letters: str, wanted: list[str]) -> Places:
    return tuple(letters.index(c) if c in letters else None for c in wanted)


def arranged(tensor: Tensor, places: Places) -> Tensor:
    """The tensor with its axes taken from these places."""
    tensor = tensor.detach().permute([place for place in places if place is not None])
    for axis, place in enumerate(places):
        if place is None:
            tensor = tensor.unsqueeze(axis)
    return tensor


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
    return ScaledProduct(left, right, (first, second, result))


def _spelled_out(letters: str, n_axes: int) -> str:
    """`...qd` with a capital for each axis that the dots stand for."""
    n_dots = n_axes - len(letters.replace("...", ""))
    return letters.replace("...", ascii_uppercase[len(ascii_uppercase) - n_dots :])


PRODUCTS: Mapping[str, Callable[[Args, Kwargs], ScaledProduct | None]] = MappingProxyType(
    {**dict.fromkeys(("matmul", "__matmul__", "bmm", "mm"), _matmul), "baddbmm": _baddbmm, "einsum": _einsum}
)
