"""What the lines of a program do, worked out from its syntax tree: which names they set, and what they print.

Nothing is ever run: the tree is walked, every step is counted, and a line that cannot be followed is unknown, together
with all it may have changed. What a program prints is kept as events, to be laid beside what was seen. What an
expression gives is worked out in python_expressions.py.
"""

import ast
import re
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from glassformer.by_hand.notes.programs.array_functions import FUNCTIONS, UnknownValueError
from glassformer.by_hand.notes.programs.python_expressions import Expressions, Module, Own, truth

MOST_STEPS = 50_000
OTHER_DIGITS = re.compile(r"[#\d>:'\"][bxXoc%](?=['\"}]|$)")  # of a format: `{i:03b}`
_MODULES = frozenset({"numpy", "torch", "math", "torch.nn.functional", "scipy.special", "jax.numpy"})
_USUAL = MappingProxyType(
    {"np": "numpy", "numpy": "numpy", "torch": "torch", "math": "math", "F": "torch.nn.functional", "jnp": "jax.numpy"}
)
_HARMLESS = frozenset({"print", "plt", "sns", "display", "ax", "fig", "axes", "warnings", "logging", "pprint", "os"})


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


class _Frame(Expressions):
    """Walks through lines: those of the program, or of one call of a function."""

    def __init__(self, program: Program, names: dict[str, Any]) -> None:
        super().__init__(program.known, names)
        self.program = program

    def _within(self, names: dict[str, Any]) -> "_Frame":
        return _Frame(self.program, names)

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
                self._block(statement.body if truth(self.value(statement.test)) else statement.orelse)
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
            if not isinstance(value, list | tuple) and not (isinstance(value, np.ndarray) and value.ndim):
                raise UnknownValueError("one value for several names")
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
            if expression.format_spec is not None and OTHER_DIGITS.search(ast.unparse(expression.format_spec)):
                raise UnknownValueError("digits of another base, or hundredths")
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
        is_plain = not re.search(r"[{}]", "".join(pieces)) and not OTHER_DIGITS.search(words)
        if len(pieces) != len(call.args) + 1 or call.keywords or not is_plain:
            raise UnknownValueError("words that are put together in another way")
        events: list[Event] = [pieces[0]]
        for argument, after in zip(call.args, pieces[1:], strict=True):
            events += [*self._pieces(argument), after]
        return events

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
