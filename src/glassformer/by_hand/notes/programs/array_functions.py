"""The arithmetic of numpy, torch and math that is worked out for programs in notes; every other function is unknown.

Arrays are numpy arrays in double precision; those of torch are marked, because their functions differ here and there.
Sizes are bounded, nothing is random, and nothing reads or writes a file.
"""

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.errors import InputError

LARGEST = 200_000  # entries of one array
MOST_ROUNDS = 5000  # of a loop
MOST_PRODUCTS = 20_000_000  # multiplications in one product


class UnknownValueError(InputError):
    """What a line of a program gives cannot be told from its text; the message says why."""


class Tensor(np.ndarray):
    """An array that torch made: it prints four decimals, and its variance divides by n − 1."""


def bounded(value: Any) -> Any:
    """The same value, if it is not too large."""
    if isinstance(value, np.ndarray) and (value.size > LARGEST or value.dtype == object):
        raise UnknownValueError("an array that is too large, or of no numbers")
    return value


def array(data: Any, *_: Any, **how: Any) -> Any:
    """`np.array([[1, 0]])`"""
    if set(how) - {"dtype", "requires_grad", "copy", "ndmin", "device"}:
        raise UnknownValueError("an option that is not known here")
    made = np.array(data)
    if made.dtype.kind not in "bif":
        raise UnknownValueError("an array that holds more than numbers")
    whole = str(how.get("dtype", "float")).lower()
    if made.dtype.kind == "b" or whole in ("float", "float32", "float64", "double"):
        made = made.astype(float) if made.dtype.kind != "b" and "dtype" in how else made
    elif "dtype" in how:
        raise UnknownValueError("a number type that is not known here")
    return bounded(made)


def tensor(data: Any, *rest: Any, **how: Any) -> Any:
    """`torch.tensor([[1., 0.]])`"""
    return array(data, *rest, **how).view(Tensor)


def _axis(how: dict[str, Any], rest: tuple[Any, ...] = ()) -> Any:
    chosen = [how[key] for key in ("axis", "dim") if key in how] + list(rest)
    if len(chosen) > 1 or set(how) - {"axis", "dim", "keepdims", "keepdim", "unbiased", "ddof", "correction"}:
        raise UnknownValueError("an option that is not known here")
    return chosen[0] if chosen else None


def _keeps(how: dict[str, Any]) -> bool:
    return bool(how.get("keepdims", how.get("keepdim", False)))


def _over(function: Callable[..., Any]) -> Callable[..., Any]:
    """A sum, mean, greatest or least along an axis."""

    def worked(x: Any, *rest: Any, **how: Any) -> Any:
        axis = _axis(how, rest)
        if isinstance(x, Tensor) and axis is not None and function in (np.max, np.min):
            raise UnknownValueError("torch gives two things here")
        return function(np.asanyarray(x), axis=axis, keepdims=_keeps(how))

    return worked


def _spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Variance and standard deviation: torch divides by n − 1, numpy by n, unless they are told."""

    def worked(x: Any, *rest: Any, **how: Any) -> Any:
        default = 1 if isinstance(x, Tensor) else 0
        if isinstance(x, Tensor) and rest[1:]:
            raise UnknownValueError("options without their names")
        ddof = how.get("ddof", how.get("correction", int(how["unbiased"]) if "unbiased" in how else default))
        return function(np.asanyarray(x), axis=_axis(how, rest[:1]), ddof=ddof, keepdims=_keeps(how))

    return worked


def array_softmax(x: Any, *rest: Any, **how: Any) -> Any:
    """Along an axis that is named; `scipy.special.softmax` without one takes the whole array."""
    axis = _axis(how, rest)
    x = np.asanyarray(x, dtype=float)
    if axis is None and isinstance(x, Tensor):
        raise UnknownValueError("softmax along which axis?")
    powers = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def array_product(a: Any, b: Any) -> Any:
    """`a @ b`, `np.dot(a, b)`"""
    a, b = np.asanyarray(a), np.asanyarray(b)
    if a.size * (b.shape[-1] if b.ndim > 1 else 1) > MOST_PRODUCTS:
        raise UnknownValueError("a product that is too large")
    return np.matmul(a, b) if a.ndim and b.ndim else a * b


def _filled(value: float) -> Callable[..., Any]:
    def worked(*shape: Any, **how: Any) -> Any:
        if set(how) - {"dtype"}:
            raise UnknownValueError("an option that is not known here")
        whole = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if math.prod(int(n) for n in whole) > LARGEST:
            raise UnknownValueError("an array that is too large")
        return np.full(tuple(int(n) for n in whole), value)

    return worked


def _arange(*ends: Any, **how: Any) -> Any:
    if how or len(range(*(int(end) for end in ends))) > LARGEST or any(float(end) != int(end) for end in ends):
        raise UnknownValueError("a range that is not worked out here")
    return np.arange(*ends)


def _transposed(x: Any, *axes: Any) -> Any:
    """`x.transpose(0, 1)` exchanges two axes in torch, and lists them in numpy; with two axes both are the same."""
    x = np.asanyarray(x)
    if not axes:
        return x.T
    axes = tuple(axes[0]) if isinstance(axes[0], tuple | list) else axes
    if isinstance(x, Tensor):
        return np.swapaxes(x, *axes)
    return np.transpose(x, axes)


def _reshaped(x: Any, *shape: Any) -> Any:
    return np.asanyarray(x).reshape(shape[0] if len(shape) == 1 else shape)


def _joined(function: Callable[..., Any]) -> Callable[..., Any]:
    def worked(parts: Any, *rest: Any, **how: Any) -> Any:
        axis = _axis(how, rest)
        return bounded(function([np.asanyarray(part) for part in parts], axis=0 if axis is None else axis))

    return worked


def _masked_fill(x: Any, mask: Any, value: Any) -> Any:
    return np.where(np.asarray(mask, dtype=bool), value, np.asanyarray(x, dtype=float)).view(type(x))


def _plain(x: Any, *_: Any) -> Any:
    return x


def _rounded(x: Any, decimals: int = 0) -> Any:
    return np.round(x, int(decimals)) if isinstance(x, np.ndarray) else round(x, int(decimals))


def _identity(n: int) -> Any:
    if int(n) ** 2 > LARGEST:
        raise UnknownValueError("an array that is too large")
    return np.eye(int(n))


def _counted(*ends: int) -> Any:
    if len(range(*ends)) > MOST_ROUNDS:
        raise UnknownValueError("a loop that is too long")
    return list(range(*ends))


def _pairs(*parts: Any) -> Any:
    return list(zip(*parts, strict=False))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-np.asanyarray(x, dtype=float)))


# What stands after np., torch., F. or math., and after the point of an array.
FUNCTIONS = MappingProxyType(
    {
        **{name: getattr(np, name) for name in ("exp", "sqrt", "tanh", "sin", "cos", "log", "log2", "log10", "abs")},
        **{name: getattr(np, name) for name in ("maximum", "minimum", "outer", "square", "sign", "arctan2", "hypot")},
        **dict.fromkeys(("array", "asarray"), array),
        **dict.fromkeys(("tensor", "Tensor", "FloatTensor"), tensor),
        "from_numpy": lambda x: np.asanyarray(x).view(Tensor), "empty": _filled(math.nan),
        **dict.fromkeys(("dot", "matmul", "mm", "mv", "inner_product"), array_product),
        "sum": _over(np.sum), "mean": _over(np.mean), "max": _over(np.max), "min": _over(np.min),
        "amax": _over(np.max), "amin": _over(np.min), "prod": _over(np.prod), "argmax": _over(np.argmax),
        "std": _spread(np.std), "var": _spread(np.var), "softmax": array_softmax, "sigmoid": _sigmoid,
        "relu": lambda x: np.maximum(x, 0), "zeros": _filled(0.0), "ones": _filled(1.0), "arange": _arange,
        "eye": _identity, "identity": _identity,
        "transpose": _transposed, "t": lambda x: np.asanyarray(x).T, "reshape": _reshaped, "view": _reshaped,
        "concatenate": _joined(np.concatenate), "cat": _joined(np.concatenate), "stack": _joined(np.stack),
        "vstack": lambda parts: np.vstack(list(parts)), "hstack": lambda parts: np.hstack(list(parts)),
        "tril": np.tril, "triu": np.triu, "where": np.where, "power": np.power, "pow": np.power,
        "multiply": np.multiply, "add": np.add, "subtract": np.subtract, "divide": np.divide,
        "round": _rounded, "squeeze": np.squeeze, "flatten": np.ravel, "ravel": np.ravel,
        "unsqueeze": np.expand_dims, "masked_fill": _masked_fill, "norm": _over(np.linalg.norm),
        "item": lambda x: np.asarray(x).item(), "tolist": lambda x: np.asarray(x).tolist(),
        **dict.fromkeys(("detach", "cpu", "contiguous", "requires_grad_"), _plain),
        **dict.fromkeys(("clone", "copy"), lambda x: np.array(x, subok=True)),
        "float": lambda x: np.asanyarray(x, dtype=float), "double": lambda x: np.asanyarray(x, dtype=float),
        "numpy": np.asarray,
    }
)  # fmt: skip
# What Python itself brings.
BUILT_IN = MappingProxyType(
    {"len": len, "abs": abs, "round": _rounded, "float": float, "int": int, "sum": sum, "max": max, "min": min}
    | {"range": _counted, "list": list, "tuple": tuple, "zip": _pairs}
    | {"enumerate": lambda x, start=0: list(enumerate(x, start)), "str": str}
)
CONSTANTS = MappingProxyType({"pi": math.pi, "e": math.e, "inf": math.inf, "newaxis": None})
