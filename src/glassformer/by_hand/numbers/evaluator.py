"""Works an expression out, from numbers on the page and names already known, in one of several worlds.

On paper a name has the numbers that were printed for it; in the right world, those that should have been. A world says
which of the two to take, mistake by mistake. Knows names and intervals; judges nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType

import numpy as np

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Span,
    Sum,
    Transpose,
    names_in,
    product,
)
from glassformer.by_hand.grammar.names import base_and_suffix, stage_of
from glassformer.by_hand.numbers import intervals
from glassformer.by_hand.numbers.intervals import Value, exactly, matmul, printed, side_by_side, stack_rows
from glassformer.errors import InputError
from glassformer.stages.catalogue import CATALOGUE


class UnknownError(InputError):
    """A name that nothing was said about."""


@dataclass(eq=False)
class Mistake:
    """Numbers of one printed matrix that are wrong together. Its `state` is open until later numbers settle it."""

    literal: Node
    state: str = "open"  # then slip (they follow from the right numbers) or carried (from the wrong ones)


@dataclass(eq=False)
class Known:
    """What a name, an expression or a printed matrix stands for: on paper, and as it should be."""

    paper: Value
    right: Value
    literal: Node | None = None
    mistake: Mistake | None = None
    sources: frozenset[Mistake] = frozenset()  # the mistakes it may rest on
    origin: Node | None = None  # the expression it came from
    mended: Value | None = None  # without its own mistake, but with those carried on from before


@dataclass(frozen=True)
class World:
    """Which numbers to take: those on paper, except for the mistakes in `mended`; or the right ones everywhere."""

    mended: frozenset[Mistake] = frozenset()
    right: bool = False

    def value(self, known: Known) -> Value:
        """The numbers of `known` in this world."""
        mistake = known.mistake
        if self.right:
            return known.right
        if mistake is not None and (mistake.state == "slip" or mistake in self.mended):
            return known.right if known.mended is None else known.mended
        return known.paper


PAPER, RIGHT = World(), World(right=True)


@dataclass
class Scope:
    """What is known in one section of the notes; what is not known here may be known in the section around it."""

    parent: "Scope | None" = None
    known: dict[str, Known] = field(default_factory=dict)
    formulas: dict[str, Node] = field(default_factory=dict)
    mentions: dict[str, frozenset[str]] = field(default_factory=dict)  # the names in a known expression
    origins: set[str] = field(default_factory=set)  # letters whose rows are counted from 0
    blanks: set[str] = field(default_factory=set)  # names whose numbers are left to be filled in

    def scopes(self) -> Iterator["Scope"]:
        """This section and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def find(self, key: str) -> Known | None:
        """What is known under `key`."""
        return next((scope.known[key] for scope in self.scopes() if key in scope.known), None)

    def is_blank(self, name: str) -> bool:
        """Whether its numbers are left to be filled in: whoever goes on has them, rounded in a way nobody can see."""
        return any(name in scope.blanks for scope in self.scopes())

    def formula(self, name: str) -> Node | None:
        """The formula that the notes give for a name."""
        return next((scope.formulas[name] for scope in self.scopes() if name in scope.formulas), None)

    def bind(self, node: Node, known: Known) -> None:
        """From here on `node` stands for this; expressions that mention a name given anew are forgotten."""
        key = node.key
        if isinstance(node, Name):
            for other in [other for other, names in self.mentions.items() if node.text in names]:
                self.known.pop(other, None)
                del self.mentions[other]
        else:
            self.mentions[key] = frozenset(names_in(node))
        self.blanks.discard(key)
        self.known.pop(key, None)  # so that the latest stands last
        self.known[key] = known

    def named(self, stage: str) -> Known | None:
        """The latest name that usually stands for this stage of the catalogue."""
        for scope in self.scopes():
            for key in reversed(scope.known):
                if stage_of(key) == stage:
                    return scope.known[key]
        return None

    def latest(self, base: str) -> Known | None:
        """The latest of `K_1`, `K_2`, …"""
        for scope in self.scopes():
            for key in reversed(scope.known):
                if key.startswith(f"{base}_"):
                    return scope.known[key]
        return None

    def rows_of(self, base: str) -> list[Known]:
        """`q_1`, `q_2`, … in the order they were given, when there are at least two."""
        for scope in self.scopes():
            rows = [known for key, known in scope.known.items() if base_and_suffix(key)[0] == base and "_" in key]
            if len(rows) > 1 and all(row.paper.shape[0] == 1 for row in rows):
                return rows
        return []


_FUNCTIONS: MappingProxyType[str, Callable[[Value], Value]] = MappingProxyType(
    {
        "softmax": intervals.softmax,
        "sigmoid": intervals.sigmoid,
        "exp": intervals.exp,
        "sqrt": intervals.sqrt,
        "log": intervals.log,
        "log2": lambda a: intervals.times(intervals.log(a), intervals.inverse(intervals.log(exactly(2.0)))),
        "log10": lambda a: intervals.times(intervals.log(a), intervals.inverse(intervals.log(exactly(10.0)))),
        "relu": intervals.relu,
        "absolute value": lambda a: intervals.maximum(a, intervals.negative(a)),
        "norm": lambda a: _length(a.transposed if a.shape[1] == 1 else a),
        "tanh": intervals.tanh,
        "sin": intervals.sine,
        "cos": intervals.cosine,
        "mean": intervals.mean,
        "variance": intervals.variance,
        "sum": intervals.total,
        "column softmax": lambda a: intervals.softmax(a.transposed).transposed,
        "shares": lambda a: intervals.times(a, intervals.inverse(_row_sums(a))),
        "layernorm": lambda a: intervals.times(
            intervals.add(a, intervals.negative(intervals.mean(a))),
            intervals.inverse(intervals.sqrt(intervals.variance(a))),
        ),
    }
)
_WIDTHS = frozenset({"d_k", "d", "d_model", "m", "n_k", "D"})


def _length(a: Value) -> Value:
    if a.shape[0] != 1:
        raise UnknownError("‖…‖ of a matrix may mean several things")
    return intervals.sqrt(_row_sums(intervals.power(a, 2)))


def _row_sums(a: Value) -> Value:
    return Value(a.low.sum(axis=2, keepdims=True), a.high.sum(axis=2, keepdims=True))


def print_halves(numbers: list[Number]) -> list[float]:
    """Half a unit of the last digit of each number printed together; a whole one among decimals is as fine as they."""
    decimals = [number.decimals for number in numbers]
    coarsest = min((d for d in decimals if d is not None), default=None)
    halves = [coarsest if d is None else d for d in decimals]
    return [0.0 if d is None else 0.5 * 10.0**-d for d in halves]


def printed_value(literal: Node, *, given: bool) -> Value:
    """The numbers of a printed matrix, each with the room that its rounding leaves."""
    rows = literal.rows if isinstance(literal, Matrix) else ((literal,),)
    numbers = [entry for row in rows for entry in row if isinstance(entry, Number)]
    shape = len(rows), len(rows[0])
    values = np.array([number.value for number in numbers]).reshape(shape)
    return printed(values, np.array(print_halves(numbers)).reshape(shape), given=given)


class Evaluator:
    """Works expressions out in one world. `used` collects everything known that went in."""

    def __init__(
        self, scope: Scope, literals: dict[int, Known], world: World, stacks: Callable[[str], list[Known]]
    ) -> None:
        self.scope, self.literals, self.world, self.stacks = scope, literals, world, stacks
        self.used: list[Known] = []
        self.inner: int | None = None  # the width of the first matrix of the product being worked out
        self.busy: set[str] = set()

    def take(self, known: Known) -> Value:
        self.used.append(known)
        return self.world.value(known)

    def __call__(self, node: Node, *, itself: bool = True) -> Value:
        """The value of `node`; without `itself`, worked out even if the notes print a result for this very node."""
        known = self.literals.get(id(node)) or (self.scope.find(node.key) if itself else None)
        if known is not None:
            return self.take(known)
        match node:
            case Number():
                return printed_value(node, given=False)
            case Name():
                return self._name(node)
            case Matrix():
                return self._matrix(node)
            case Sum():
                total = self(node.terms[0])
                for term in node.terms[1:]:
                    total = intervals.add(total, self(term))
                return total
            case Product():
                return self._product(node, itself)
            case Negative():
                return intervals.negative(self(node.of))
            case Inverse():
                return intervals.inverse(self(node.of))
            case Power():
                return self._power(node)
            case Transpose():
                return self(node.of).transposed
            case Call():
                return self._call(node)

    def _call(self, node: Call) -> Value:
        if node.function == "dot" and isinstance(node.of, Matrix) and len(node.of.rows[0]) == 2:
            first, second = node.of.rows[0]
            return matmul(self(first), self(second))
        if node.function == "concat" and isinstance(node.of, Matrix):
            return side_by_side([self(entry) for entry in node.of.rows[0]])
        if node.function == "max" and isinstance(node.of, Matrix):
            return reduce(intervals.maximum, [self(entry) for row in node.of.rows for entry in row])
        if node.function == "absolute value" and self(node.of).shape != (1, 1):
            raise UnknownError("|…| of several numbers may be their length, or each without its sign")
        if node.function not in _FUNCTIONS:
            raise UnknownError(f"the function '{node.function}' is not known")
        argument = self(node.of)
        if node.function == "softmax" and argument.shape[1] == 1 and argument.shape[0] > 1:
            argument = argument.transposed  # a column of scores is weighed as one row
            return intervals.softmax(argument).transposed
        return _FUNCTIONS[node.function](argument)

    def _power(self, node: Power) -> Value:
        base = self(node.base)
        exponent = node.exponent
        if isinstance(exponent, Number) and exponent.value == int(exponent.value) and abs(exponent.value) < 100:
            return intervals.power(base, int(exponent.value))
        power = self(exponent)
        return intervals.exp(matmul(power, intervals.log(base)))

    def _matrix(self, node: Matrix) -> Value:
        if all(isinstance(entry, Number) for row in node.rows for entry in row):
            return printed_value(node, given=False)
        rows = []
        for row in node.rows:
            entries = [self(entry) for entry in row]
            if all(entry.is_scalar for entry in entries) or len(entries) == 1:
                rows.append(side_by_side(entries))
            elif all(entry.shape[0] == 1 for entry in entries) and len(node.rows) == 1:
                return stack_rows(entries)
            else:
                rows.append(side_by_side(entries))
        return stack_rows(rows)

    def _product(self, node: Product, itself: bool) -> Value:
        """From the left; a run of factors for which the notes print a result is taken as printed."""
        if node.entrywise:
            first, second = (self(factor) for factor in node.factors)
            return intervals.times(first, second)
        outer, self.inner = self.inner, None
        try:
            result: Value | None = None
            for value in self._runs(node, itself):
                if self.inner is None and not value.is_scalar:
                    self.inner = value.shape[1]
                result = value if result is None else matmul(result, value)
        finally:
            self.inner = outer
        assert result is not None
        return result

    def _runs(self, node: Product, itself: bool) -> Iterator[Value]:
        factors, start = node.factors, 0
        while start < len(factors):
            for end in range(len(factors), start + 1, -1):
                if (start, end) == (0, len(factors)):
                    continue
                known = self.scope.find(" · ".join(factor.key for factor in factors[start:end]))
                if known is not None:
                    yield self.take(known)
                    start = end
                    break
            else:
                yield self(factors[start])
                start += 1

    # --- names --------------------------------------------------------------------------------------------------

    def _name(self, name: Name) -> Value:
        if name.index:
            return self._entry(name)
        if self.scope.is_blank(name.text):
            raise UnknownError(f"'{name.text}' is left blank")
        for way in (self._rows, self._formula, self._row, self._alias, self._width, self._constant):
            value = way(name)
            if value is not None:
                return value
        raise UnknownError(f"nothing is known of '{name.text}'")

    def _entry(self, name: Name) -> Value:
        whole = self(Name(name.text, name.span))
        index = name.index if len(name.index) > 1 else ((0, *name.index) if whole.shape[0] == 1 else (*name.index,))
        if len(index) == 1:
            index = (index[0],)
            if index[0] >= whole.shape[0]:
                raise UnknownError(f"'{name.key}' is outside the {intervals.named_shape(whole.shape)} matrix")
            return whole.row(index[0])
        if len(index) > 2 or index[0] >= whole.shape[0] or index[1] >= whole.shape[1]:
            raise UnknownError(f"'{name.key}' is outside the {intervals.named_shape(whole.shape)} matrix")
        return whole.entry(index[0], index[1])

    def _rows(self, name: Name) -> Value | None:
        rows = self.stacks(name.text)
        if not rows and len(name.text) == 1 and name.text.isupper():
            rows = self.scope.rows_of(name.text.lower())
        return stack_rows([self.take(row) for row in rows]) if rows else None

    def _formula(self, name: Name) -> Value | None:
        formula = self.scope.formula(name.text)
        if formula is None or name.text in self.busy or name.text in names_in(formula):
            return None
        self.busy.add(name.text)
        try:
            return self(formula)
        except InputError:
            return None
        finally:
            self.busy.discard(name.text)

    def _row(self, name: Name) -> Value | None:
        base, suffix = base_and_suffix(name.text)
        if not suffix.isdigit() or not base.islower() or len(base) > 1:
            return None
        whole = self.scope.find(base.upper())
        if whole is None:
            return None
        row = int(suffix) - (0 if base in self.scope.origins else 1)
        value = self.take(whole)
        return value.row(row) if 0 <= row < value.shape[0] else None

    def _alias(self, name: Name) -> Value | None:
        stage = name.text if name.text in CATALOGUE else stage_of(name.text)
        known = self.scope.named(stage) if stage else None
        return self.take(known) if known is not None else None

    def _width(self, name: Name) -> Value | None:
        """A width that nobody wrote down is the number of columns of the keys."""
        if name.text not in _WIDTHS:
            return None
        for letter, stage in (("K", "keys"), ("Q", "queries")):
            known = self.scope.find(letter) or self.scope.named(stage) or self.scope.latest(letter)
            if known is not None:
                return exactly(float(known.paper.shape[1]))
        if self.inner is not None:
            return exactly(float(self.inner))
        for letter in ("X", "D"):
            known = self.scope.find(letter)
            if known is not None:
                return exactly(float(known.paper.shape[1]))
        return None

    def _constant(self, name: Name) -> Value | None:
        numbers = {"e": np.e, "π": np.pi}
        return exactly(numbers[name.text]) if name.text in numbers else None


def factors_of(node: Node) -> tuple[Node, ...]:
    """The factors of a product, or the node alone."""
    return node.factors if isinstance(node, Product) and not node.entrywise else (node,)


def product_of(factors: Iterable[Node]) -> Node:
    """A product of these factors, placed where they stand."""
    listed = list(factors)
    return product(listed, Span(listed[0].span.start, listed[-1].span.end))
