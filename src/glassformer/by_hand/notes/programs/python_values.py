"""What the lines of a program give, worked out from its syntax tree: literals, arrays and arithmetic on a short list.

Nothing is ever run: the tree is walked, every step is counted, and what is not on the list is unknown, together with
all it may have changed. What a program prints is kept as events, to be laid beside what was seen.
"""

import ast
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
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

MOST_STEPS = 50_000
_MODULES = frozenset({"numpy", "torch", "math", "torch.nn.functional", "scipy.special", "jax.numpy"})
_USUAL = MappingProxyType(
    {"np": "numpy", "numpy": "numpy", "torch": "torch", "math": "math", "F": "torch.nn.functional", "jnp": "jax.numpy"}
)
_HARMLESS = frozenset({"print", "plt", "sns", "display", "ax", "fig", "axes", "warnings", "logging", "pprint", "os"})
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


@dataclass(frozen=True)
class Hole:
    """A value within something printed, and the expression it comes from."""

    value: Any
    source: ast.expr


@dataclass(frozen=True)
class Gap:
    """Something that may have printed anything."""


Event = str | Hole | Gap


@dataclass
class Program:
    """The lines of one program so far: what each name is, and what was printed since `events` was last emptied."""

    known: dict[str, Any] = field(default_factory=lambda: {name: Module(of) for name, of in _USUAL.items()})
    sources: dict[str, ast.expr] = field(default_factory=dict)  # what each known name was last set to
    events: list[Event] = field(default_factory=list)
    steps: int = 0

    def run(self, code: str) -> ast.Expr | None:
        """Goes through a cell; gives its last line if that is an expression whose value would be shown."""
        try:
            body = ast.parse(_without_magics(code)).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self.forget_all()
            return None
        for statement in body:
            self._statement(statement)
        last = body[-1] if body else None
        return last if isinstance(last, ast.Expr) and not code.rstrip().endswith(";") else None

    def forget_all(self) -> None:
        """After something unknown that may have changed anything."""
        self.known = {name: value for name, value in self.known.items() if isinstance(value, Module)}
        self.sources.clear()
        self.events.append(Gap())

    def value(self, expression: ast.expr) -> Any:
        """What an expression gives; `UnknownValueError` if that cannot be told."""
        return _Frame(self, self.known).value(expression)

    def _statement(self, statement: ast.stmt) -> None:
        try:
            _Frame(self, self.known).execute(statement)
        except (_Returned, RecursionError):
            self.forget_all()
        except UnknownValueError:
            self._forget(statement)

    def _forget(self, statement: ast.stmt) -> None:
        """An unknown line: it may have changed every name in it, and printed anything."""
        harmless = isinstance(statement, ast.Expr) and _root(statement.value) in _HARMLESS
        if any(isinstance(node, ast.ImportFrom | ast.Global | ast.Delete) for node in ast.walk(statement)):
            names = {a.asname or a.name for n in ast.walk(statement) if isinstance(n, ast.ImportFrom) for a in n.names}
            if "*" in names or not names:
                self.forget_all()
            for name in names:
                self.known.pop(name, None)
            return
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and (isinstance(node.ctx, ast.Store) or not harmless):
                self._forget_name(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.known.pop(node.name, None)
        self.events.append(Gap())

    def _forget_name(self, name: str) -> None:
        """And every other name that stands for the same numbers: a change of one changes the other."""
        gone = self.known.get(name)
        if isinstance(gone, Module | Own):
            return
        for other, value in list(self.known.items()):
            both = isinstance(value, np.ndarray) and isinstance(gone, np.ndarray)
            lists = isinstance(value, list | tuple | dict) and isinstance(gone, list | tuple | dict)
            if other == name or lists or (both and np.may_share_memory(value, gone)):
                self.known.pop(other)
                self.sources.pop(other, None)


class _Returned(Exception):  # noqa: N818 - not an error: it carries the value out of a function
    def __init__(self, value: Any) -> None:
        self.value = value


def _without_magics(code: str) -> str:
    """A notebook's own commands (`%matplotlib`, `!pip`) are no Python; nor is a cell that begins with `%%`."""
    if code.lstrip().startswith("%%"):
        raise SyntaxError
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in code.split("\n"))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


class _Frame:
    """Names within reach: those of the program, or of one call of a function."""

    def __init__(self, program: Program, names: dict[str, Any]) -> None:
        self.program, self.names = program, names

    # --- statements ---------------------------------------------------------------------------------------------

    def execute(self, statement: ast.stmt) -> None:
        self._count()
        match statement:
            case ast.Assign():
                value = self.value(statement.value)
                for target in statement.targets:
                    self._assign(target, value, statement.value)
            case ast.AnnAssign(value=ast.expr() as source):
                self._assign(statement.target, self.value(source), source)
            case ast.AugAssign(target=ast.Name(id=name)):
                with_ = ast.BinOp(ast.Name(name, ast.Load()), statement.op, statement.value)
                value, before = self.value(with_), self.names.get(name)
                if isinstance(before, np.ndarray | list):
                    self._change(before, ..., value)
                else:
                    self._assign(statement.target, value, with_)
            case ast.Expr(value=ast.Call(func=ast.Name(id="print")) as call) if "print" not in self.names:
                self._print(call)
            case ast.Expr():
                self.value(statement.value)
            case ast.FunctionDef():
                self.names[statement.name] = Own(statement)
            case ast.Return():
                raise _Returned(None if statement.value is None else self.value(statement.value))
            case ast.If():
                self._block(statement.body if _truth(self.value(statement.test)) else statement.orelse)
            case ast.For(target=ast.Name() | ast.Tuple()) if not statement.orelse:
                for item in self._items(statement.iter):
                    self._assign(statement.target, item, statement.iter)
                    self._block(statement.body)
            case ast.With(items=[ast.withitem(optional_vars=None) as item]) if _root(item.context_expr) == "torch":
                self._block(statement.body)
            case ast.Import() | ast.ImportFrom():
                self._import(statement)
            case ast.Pass() | ast.Assert():
                pass
            case _:
                raise UnknownValueError("a kind of line that is not followed")

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.execute(statement)

    def _count(self) -> None:
        self.program.steps += 1
        if self.program.steps > MOST_STEPS:
            raise UnknownValueError("a program that goes on for too long")

    def _assign(self, target: ast.expr, value: Any, source: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
            if self.names is self.program.known:
                self.program.sources[target.id] = source
        elif isinstance(target, ast.Tuple) and all(isinstance(each, ast.Name) for each in target.elts):
            values = list(value)
            if len(values) != len(target.elts):
                raise UnknownValueError("another number of values than names")
            for each, one in zip(target.elts, values, strict=True):
                self._assign(each, one, source)
                self.program.sources.pop(each.id if isinstance(each, ast.Name) else "", None)
        elif isinstance(target, ast.Subscript):
            self._change(self.value(target.value), self._index(target.slice), value)
        else:
            raise UnknownValueError("a value that is not given to a name")

    def _change(self, whole: Any, index: Any, value: Any) -> None:
        """Changes an array in place; other names of it see the change, as they would."""
        if not isinstance(whole, np.ndarray) or (whole.base is not None and not whole.flags.writeable):
            raise UnknownValueError("something else than an array changed in place")
        try:
            np.copyto(whole[index], value, casting="same_kind") if np.ndim(whole[index]) else _put(whole, index, value)
        except (ValueError, TypeError, IndexError) as error:
            raise UnknownValueError(f"{type(error).__name__}: {error}") from error

    def _items(self, expression: ast.expr) -> list[Any]:
        items = self.value(expression)
        if not isinstance(items, list | tuple | np.ndarray):
            raise UnknownValueError("a loop over something unknown")
        return list(items)

    def _import(self, statement: ast.Import | ast.ImportFrom) -> None:
        for each in statement.names:
            if isinstance(statement, ast.Import):
                name = each.asname or each.name.partition(".")[0]
                whole = each.name if each.asname else name
                if whole in _MODULES:
                    self.names[name] = Module(whole)
                elif name in self.names:
                    del self.names[name]
            elif statement.module not in _MODULES or each.name not in FUNCTIONS:
                raise UnknownValueError("a function of another library")
            else:
                self.names[each.asname or each.name] = FUNCTIONS[each.name]

    def _print(self, call: ast.Call) -> None:
        """What is printed: words as they are, values as holes."""
        ends = {keyword.arg: keyword.value for keyword in call.keywords}
        events: list[Event] = []
        try:
            sep, end = (self.value(ends[key]) if key in ends else usual for key, usual in (("sep", " "), ("end", "\n")))
            for i, argument in enumerate(call.args):
                events += [sep] if i else []
                events += self._pieces(argument)
            self.program.events += [*events, end]
        except UnknownValueError:
            self.program.events.append(Gap())

    def _pieces(self, expression: ast.expr) -> list[Event]:
        if isinstance(expression, ast.JoinedStr):
            return [event for part in expression.values for event in self._pieces(part)]
        if isinstance(expression, ast.FormattedValue):
            return self._pieces(expression.value)
        if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
            words = expression.func.value
            if expression.func.attr == "format" and isinstance(words, ast.Constant) and isinstance(words.value, str):
                return self._formatted(words.value, expression)
        value = self.value(expression)
        if isinstance(value, str):
            return [value]
        return [Hole(value.copy() if isinstance(value, np.ndarray) else value, expression)]

    def _formatted(self, words: str, call: ast.Call) -> list[Event]:
        """`"mean {:.2f}".format(x)`: words and holes in turn."""
        pieces = re.split(r"\{(?::[^{}]*)?\}", words)
        if len(pieces) != len(call.args) + 1 or call.keywords or re.search(r"[{}]", "".join(pieces)):
            raise UnknownValueError("words that are put together in another way")
        events: list[Event] = [pieces[0]]
        for argument, after in zip(call.args, pieces[1:], strict=True):
            events += [*self._pieces(argument), after]
        return events

    # --- expressions --------------------------------------------------------------------------------------------

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
                if name not in self.names and name not in self.program.known:
                    raise UnknownValueError(f"nothing is known of {name}")
                return self.names[name] if name in self.names else self.program.known[name]
            case ast.List() | ast.Tuple():
                items = [self.value(each) for each in expression.elts]
                return items if isinstance(expression, ast.List) else tuple(items)
            case ast.Dict() if all(isinstance(key, ast.Constant) for key in expression.keys):
                keys = [key.value for key in expression.keys if isinstance(key, ast.Constant)]
                return dict(zip(keys, [self.value(each) for each in expression.values], strict=True))
            case ast.UnaryOp(op=ast.USub()):
                return -self.value(expression.operand)
            case ast.UnaryOp(op=ast.Not()):
                return not _truth(self.value(expression.operand))
            case ast.BinOp():
                return self._binary(expression)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARED:
                return _COMPARED[type(op)](self.value(expression.left), self.value(right))
            case ast.IfExp():
                return self.value(expression.body if _truth(self.value(expression.test)) else expression.orelse)
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
        inner = _Frame(self.program, dict(self.names))
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
        function = self.names.get(name, self.program.known.get(name, BUILT_IN.get(name)))
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

    def _own(self, definition: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]) -> Any:
        """Walks through a function that the program defines, with its own names."""
        takes = definition.args
        if takes.vararg or takes.kwarg or takes.posonlyargs or takes.kwonlyargs or definition.decorator_list:
            raise UnknownValueError("a function that takes more than plain arguments")
        names = [each.arg for each in takes.args]
        usual = dict(zip(names[len(names) - len(takes.defaults) :], takes.defaults, strict=True))
        inner = {name: self.value(source) for name, source in usual.items()}
        inner |= dict(zip(names, arguments, strict=False)) | named
        if len(arguments) > len(names) or set(inner) != set(names):
            raise UnknownValueError("arguments that do not fit")
        if self.program.steps > MOST_STEPS // 2:
            raise UnknownValueError("a program that goes on for too long")
        frame = _Frame(self.program, inner)
        try:
            frame._block(definition.body)
        except _Returned as returned:
            return returned.value
        except RecursionError as error:
            raise UnknownValueError("functions within functions without end") from error
        return None


def _put(whole: np.ndarray, index: Any, value: Any) -> None:
    if whole.dtype.kind != "f" and isinstance(value, float):
        raise UnknownValueError("a fraction put into whole numbers")
    whole[index] = value


def _truth(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.size != 1:
        raise UnknownValueError("a condition of more than one number")
    return bool(value)
