"""What an expression of a program gives, by its syntax tree: literals, arrays and arithmetic on a short list.

Nothing is ever run, and what is not on the list is unknown. Knows nothing of lines: how a name is given a value, and
what a function of the program's own does, is up to who walks through them, in python_values.py.
"""

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.by_hand.notes.programs.array_functions import (
    BUILT_IN,
    CONSTANTS,
    FUNCTIONS,
    Tensor,
    UnknownValueError,
    array_product,
    bounded,
)

_BINARY: MappingProxyType[type, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
        ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: array_product,
    }
)  # fmt: skip
_COMPARED: MappingProxyType[type, Callable[[Any, Any], Any]] = MappingProxyType(
    {
        ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
        ast.NotEq: operator.ne, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    }
)  # fmt: skip


@dataclass(frozen=True)
class Module:
    """A library under the name it has here."""

    name: str


@dataclass(frozen=True)
class Own:
    """A function that the program defines."""

    definition: ast.FunctionDef


class Expressions(ABC):
    """Works expressions out over the names within reach: those of the program, and of one call of a function."""

    def __init__(self, known: dict[str, Any], names: dict[str, Any]) -> None:
        self.known, self.names = known, names

    @abstractmethod
    def _count(self) -> None:
        """One more step; `UnknownValueError` if there were too many."""

    @abstractmethod
    def _within(self, names: dict[str, Any]) -> "Expressions":
        """The same with these names within reach."""

    @abstractmethod
    def _assign(self, target: ast.expr, value: Any, source: ast.expr) -> None:
        """Gives a name a value."""

    @abstractmethod
    def _own(self, definition: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]) -> Any:
        """What a function that the program defines gives."""

    def value(self, expression: ast.expr) -> Any:
        """What an expression gives here."""
        self._count()
        try:
            with np.errstate(all="ignore"):
                return bounded(self._value(expression))
        except UnknownValueError:
            raise
        except (ArithmeticError, ValueError, TypeError, IndexError, KeyError, AttributeError, MemoryError) as error:
            raise UnknownValueError(f"{type(error).__name__}: {error}") from error

    def _value(self, expression: ast.expr) -> Any:
        match expression:
            case ast.Constant(value=int() | float() | str() | None as constant):
                return constant
            case ast.Name(id=name):
                if name not in self.names and name not in self.known:
                    raise UnknownValueError(f"nothing is known of {name}")
                return self.names[name] if name in self.names else self.known[name]
            case ast.List() | ast.Tuple():
                items = [self.value(each) for each in expression.elts]
                return items if isinstance(expression, ast.List) else tuple(items)
            case ast.Dict() if all(isinstance(key, ast.Constant) for key in expression.keys):
                keys = [key.value for key in expression.keys if isinstance(key, ast.Constant)]
                return dict(zip(keys, [self.value(each) for each in expression.values], strict=True))
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(expression.operand)
            case ast.UnaryOp(op=ast.Not()):
                return not truth(self.value(expression.operand))
            case ast.BinOp():
                return self._binary(expression)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARED:
                return _COMPARED[type(op)](self.value(expression.left), self.value(right))
            case ast.IfExp():
                return self.value(expression.body if truth(self.value(expression.test)) else expression.orelse)
            case ast.Subscript():
                return self._entry(self.value(expression.value), self._index(expression.slice))
            case ast.Attribute():
                return self._attribute(expression)
            case ast.Call():
                return self._call(expression)
            case ast.ListComp(generators=[ast.comprehension(ifs=[], is_async=0) as each]):
                return self._listed(expression.elt, each)
        raise UnknownValueError("an expression that is not followed")

    def _binary(self, expression: ast.BinOp) -> Any:
        left, right = self.value(expression.left), self.value(expression.right)
        kind = type(expression.op)
        if kind not in _BINARY:
            raise UnknownValueError("an operation that is not followed")
        if isinstance(left, int) and isinstance(right, int) and kind is ast.Pow and abs(left) ** min(right, 64) > 1e18:
            raise UnknownValueError("a power that is too large")
        if kind is ast.Pow and isinstance(right, int) and abs(right) > 1000:
            raise UnknownValueError("a power that is too large")
        lists = isinstance(left, list | str) or isinstance(right, list | str)
        if lists and kind is ast.Mult and len(str(left)) * len(str(right)) > 100_000:
            raise UnknownValueError("a list that is too long")
        if lists and kind is ast.Mult and not isinstance(left, int) and not (isinstance(right, int) and right < 1000):
            raise UnknownValueError("a list that is too long")
        for a, b in ((left, right), (right, left)):
            if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.size * b.size > 100 * 200_000:
                raise UnknownValueError("an array that is too large")
        return _BINARY[kind](left, right)

    def _listed(self, element: ast.expr, each: ast.comprehension) -> list[Any]:
        inner = self._within(dict(self.names))
        answer = []
        for item in self._items(each.iter):
            inner._assign(each.target, item, each.iter)
            answer.append(inner.value(element))
        return answer

    def _index(self, expression: ast.expr) -> Any:
        if isinstance(expression, ast.Slice):
            ends = (expression.lower, expression.upper, expression.step)
            return slice(*(None if end is None else self.value(end) for end in ends))
        if isinstance(expression, ast.Tuple):
            return tuple(self._index(each) for each in expression.elts)
        if isinstance(expression, ast.Constant) and expression.value is ...:
            return ...
        return self.value(expression)

    def _entry(self, value: Any, index: Any) -> Any:
        if not isinstance(value, np.ndarray | list | tuple | dict):
            raise UnknownValueError("a part of something unknown")
        return value[index]

    def _attribute(self, expression: ast.Attribute) -> Any:
        of = self.value(expression.value)
        if isinstance(of, Module):
            whole = f"{of.name}.{expression.attr}"
            if whole in ("torch.nn", "torch.nn.functional", "scipy.special", "numpy.linalg"):
                return Module(whole)
            if expression.attr in CONSTANTS:
                return CONSTANTS[expression.attr]
            if expression.attr in ("float32", "float64", "double"):
                return expression.attr
            raise UnknownValueError(f"{expression.attr} is not worked out here")
        if isinstance(of, np.ndarray) and expression.attr in ("T", "mT"):
            return np.swapaxes(of, -2, -1) if of.ndim > 1 and expression.attr == "mT" else of.T
        if isinstance(of, np.ndarray) and expression.attr in ("shape", "ndim", "size"):
            return getattr(of, expression.attr)
        raise UnknownValueError(f"{expression.attr} is not worked out here")

    # --- calls --------------------------------------------------------------------------------------------------

    def _call(self, call: ast.Call) -> Any:
        arguments = [self.value(each) for each in call.args if not isinstance(each, ast.Starred)]
        if len(arguments) != len(call.args) or any(keyword.arg is None for keyword in call.keywords):
            raise UnknownValueError("arguments that are unpacked")
        named = {str(keyword.arg): self._option(keyword.value) for keyword in call.keywords}
        if isinstance(call.func, ast.Attribute):
            of = self.value(call.func.value)
            name = call.func.attr
            function = FUNCTIONS.get(name)
            is_array = isinstance(of, np.ndarray | float | int) and name not in ("array", "tensor", "zeros", "ones")
            if name == "size" and isinstance(of, Tensor):
                return of.shape if not arguments else of.shape[arguments[0]]
            if function is None or not (isinstance(of, Module) or is_array):
                raise UnknownValueError(f"{name} is not worked out here")
            if isinstance(of, Module) and of.name.startswith("torch"):
                arguments = [each.view(Tensor) if isinstance(each, np.ndarray) else each for each in arguments]
            return self._made(function(*([] if isinstance(of, Module) else [of]), *arguments, **named), of)
        if not isinstance(call.func, ast.Name):
            raise UnknownValueError("a call that is not followed")
        name = call.func.id
        function = self.names.get(name, self.known.get(name, BUILT_IN.get(name)))
        if isinstance(function, Own):
            return self._own(function.definition, arguments, named)
        if function is None or isinstance(function, Module) or not callable(function):
            raise UnknownValueError(f"nothing is known of {name}")
        return function(*arguments, **named)

    def _option(self, expression: ast.expr) -> Any:
        """The value of a named argument; a number type may be named by a word of Python's."""
        if isinstance(expression, ast.Name) and expression.id in ("float", "int") and expression.id not in self.names:
            return expression.id
        if isinstance(expression, ast.Attribute) and expression.attr in ("float", "float32", "float64", "int", "long"):
            return expression.attr
        return self.value(expression)

    def _made(self, value: Any, of: Any) -> Any:
        """What a function of torch makes is torch's, whatever it was made of."""
        torch = isinstance(of, Module) and of.name.startswith("torch")
        return value.view(Tensor) if torch and isinstance(value, np.ndarray) else value

    def _items(self, expression: ast.expr) -> list[Any]:
        items = self.value(expression)
        if not isinstance(items, list | tuple | np.ndarray):
            raise UnknownValueError("a loop over something unknown")
        return list(items)


def truth(value: Any) -> bool:
    """Whether a condition holds; one of more numbers is unknown."""
    if isinstance(value, np.ndarray) and value.size != 1:
        raise UnknownValueError("a condition of more than one number")
    return bool(value)
