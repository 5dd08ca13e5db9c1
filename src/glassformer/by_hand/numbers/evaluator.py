"""Works an expression out, from numbers on the page and names already known, in one world and under one convention.

Notes what it met on the way that others may mean otherwise, and what it had to guess. Judges nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

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
from glassformer.by_hand.numbers.conventions import PLAIN, Ambiguities, Convention
from glassformer.by_hand.numbers.functions import apply, sum_over
from glassformer.by_hand.numbers.intervals import Value, exactly, matmul, printed, stack_columns, stack_rows
from glassformer.by_hand.numbers.network_functions import (
    OF_ONE,
    OF_TWO,
    apply_network,
    convolved,
    fits_inside,
    multiply,
)
from glassformer.by_hand.numbers.scope import Known, Scope, UnknownError, UnknownNameError, World
from glassformer.by_hand.numbers.windows import LAID_OUT
from glassformer.errors import InputError
from glassformer.stages.catalogue import CATALOGUE

_SPACE = 3  # numbers of a vector that has a cross product
_WIDTHS = frozenset({"d_k", "d", "d_model", "m", "n_k", "D"})
_IDENTITIES = frozenset({"I", "I_n"})


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


_TINY = 1e-3  # the largest ε under a root that anybody uses without saying so


class Evaluator:
    """Works expressions out in one world, under one convention.

    `used` collects everything known that went in, `met` the choices that could be meant otherwise, `guesses` what the
    notes do not say: that K has the width d_k, that the name scores means what it usually does.
    """

    def __init__(
        self,
        scope: Scope,
        literals: dict[int, Known],
        world: World,
        stacks: Callable[[str], list[Known]],
        convention: Convention = PLAIN,
    ) -> None:
        self.scope, self.literals, self.world, self.stacks = scope, literals, world, stacks
        self.convention, self.met = convention, Ambiguities()
        self.versions = dict(convention.versions)
        self.used: list[Known] = []
        self.looked_up: set[str] = set()  # names whose numbers went in
        self.guesses: list[str] = []
        self.inner: int | None = None  # the width of the first matrix of the product being worked out
        self.terms: dict[str, int] = {}  # letters for the number of terms of a sum, and what they are
        self.busy: set[str] = set()

    def take(self, known: Known) -> Value:
        self.used.append(known)
        return self.world.value(known)

    def __call__(self, node: Node, *, itself: bool = True) -> Value:
        """The value of `node`; without `itself`, worked out even if the notes print a result for this very node."""
        known = self.literals.get(id(node)) or (self._find(node) if itself else None)
        if known is not None:
            return self._standing(node, self._leaf(self.take(known)))
        if isinstance(node, Number):
            whole_digits = "e" in node.text and "." not in node.text  # 2 × 10⁻³
            is_plain = (node.decimals == 1 or whole_digits) and not node.percent  # nobody rounds to 0.1 and goes on
            return exactly(node.value) if is_plain else self._leaf(printed_value(node, given=False))
        value = self._worked_out(node, itself)
        worked = not isinstance(node, Name | Matrix | Transpose | Negative | Inverse)
        half = self.convention.rounding
        return intervals.shortened(value, half) if half and itself and worked else value

    def _leaf(self, value: Value) -> Value:
        """Numbers that go in; where results on the way are rounded, they are taken as they are printed."""
        return exactly(value.middle(intervals.LOCAL)) if self.convention.rounding else value

    def _find(self, node: Node) -> Known | None:
        """What is known of a node, in the meaning that the convention chooses."""
        if isinstance(node, Name):
            versions = self.scope.versions(node.key)
            if versions:
                self.looked_up.add(node.text)
            if len(versions) > 1:
                self.met.versions[node.key] = len(versions)
            return versions[self.versions.get(node.key, 0)] if versions else None
        return None if isinstance(node, Number) else self.scope.find(node.key)

    def _standing(self, node: Node, value: Value) -> Value:
        """A list of numbers may be meant as a column."""
        if value.shape[0] != 1 or value.is_scalar or not isinstance(node, Name | Matrix):
            return value
        self.met.features.add("upright")
        return value.transposed if self.convention.upright else value

    def _worked_out(self, node: Node, itself: bool) -> Value:
        match node:
            case Number():
                return printed_value(node, given=False)
            case Name():
                return self._name(node)
            case Matrix():
                return self._standing(node, self._matrix(node))
            case Sum():
                return reduce(intervals.add, self._on_the_diagonal([self(term) for term in node.terms]))
            case Product():
                return self._product(node, itself)
            case Negative():
                return intervals.negative(self(node.of))
            case Inverse():
                return intervals.inverse(self(node.of))
            case Power():
                return self._power(node)
            case Transpose():
                if isinstance(node.of, Name) and node.of.text == "e" and self._find(node.of) is None:
                    raise UnknownNameError("nothing is known of the vector 'e'")
                return self(node.of).transposed
            case Call():
                return self._call(node)

    def _on_the_diagonal(self, terms: list[Value]) -> list[Value]:
        """`A − 2` may be A − 2 I."""
        sizes = {term.shape[0] for term in terms if not term.is_scalar and term.shape[0] == term.shape[1]}
        if len(sizes) != 1 or not any(term.is_scalar for term in terms):
            return terms
        self.met.features.add("diagonal")
        if not self.convention.diagonal:
            return terms
        identity = exactly(np.eye(sizes.pop()))
        return [intervals.times(term, identity) if term.is_scalar else term for term in terms]

    def _call(self, node: Call) -> Value:
        if node.function == "dot" and isinstance(node.of, Matrix) and len(node.of.rows[0]) == 2:
            first, second = node.of.rows[0]
            return matmul(self(first), self(second))
        if node.function == "concat" and isinstance(node.of, Matrix):
            return stack_columns([self(entry) for entry in node.of.rows[0]])
        if node.function in LAID_OUT:
            parts = node.of.rows[0] if isinstance(node.of, Matrix) else (node.of,)
            return LAID_OUT[node.function]([self(part) for part in parts])
        if node.function in ("max", "min") and isinstance(node.of, Matrix) and len(node.of.rows) == 1:
            values = [self(entry) for entry in node.of.rows[0]]
            if not all(value.is_scalar for value in values):
                return reduce(intervals.maximum if node.function == "max" else _minimum, values)
        if node.function == "absolute value" and self(node.of).shape != (1, 1):
            raise UnknownError("|…| of several numbers may be their length, or each without its sign")
        if node.function == "sum over":
            return self._sum_over(node)
        if node.function == "sqrt" and isinstance(node.of, Sum):
            return apply("sqrt", self._under_root(node.of), self.convention, self.met)
        if node.function == "softmax" and self._is_one_number(node.of):
            raise UnknownError("a softmax of one number, and nobody says which others stand beside it")
        if node.function in OF_TWO | OF_ONE:
            pair = node.of.rows[0] if isinstance(node.of, Matrix) and node.function in OF_TWO else (node.of,)
            return apply_network(node.function, [self(each) for each in pair], self.convention, self.met)
        if node.function == "exp" and self._is_other_e():
            raise UnknownError("'e' may be Euler's number here, or the name that was given before")
        if node.function == "σ":
            self.guesses.append("σ is taken to be the sigmoid")
            return apply("sigmoid", self(node.of), self.convention, self.met)
        return apply(node.function, self(node.of), self.convention, self.met)

    def _is_one_number(self, node: Node) -> bool:
        """`softmax(2.1)`: the share of one score among others."""
        known = self._find(node) if isinstance(node, Name) else None
        return isinstance(node, Number) or (known is not None and isinstance(known.literal, Number))

    def _under_root(self, node: Sum) -> Value:
        """`√(σ² + ε)`: an ε of which nothing is said keeps the root from 0, and is next to nothing."""
        tiny = [term for term in node.terms if isinstance(term, Name) and term.text == "ε" and not self._find(term)]
        if len(tiny) != 1 or len(node.terms) < 2:
            return self(node)
        rest = reduce(intervals.add, (self(term) for term in node.terms if term is not tiny[0]))
        return Value(rest.low, rest.high + _TINY)

    def _sum_over(self, node: Call) -> Value:
        _, lower, upper = node.parameters
        known = None if upper.isdigit() else self.scope.find(upper)
        if known is not None and known.paper.is_scalar:
            upper = f"{known.paper.middle(intervals.LOCAL).item():g}"
        return sum_over(self(node.of), lower, upper, self.convention, self.met)

    def _is_other_e(self) -> bool:
        """Whether the notes call something else e, such as an error: e = 7 − 5."""
        known = self.scope.find("e")
        return known is not None and not (known.paper.is_scalar and 2 < known.paper.middle(intervals.LOCAL).item() <= 3)

    def _power(self, node: Power) -> Value:
        base = self(node.base)
        exponent = node.exponent
        if isinstance(exponent, Number) and exponent.value == int(exponent.value) and abs(exponent.value) < 100:
            if exponent.value == -1 and not base.is_scalar:
                raise UnknownError("the inverse of a matrix is not worked out")
            if not base.is_scalar and base.shape[0] == base.shape[1]:
                raise UnknownError("a power of a matrix may be meant entry by entry, or not")
            return _within_range(intervals.power(base, int(exponent.value)), base)
        power = self(exponent)
        return _within_range(intervals.exp(intervals.times(power, intervals.log(base))), base, power)

    def _matrix(self, node: Matrix) -> Value:
        if all(isinstance(entry, Number) for row in node.rows for entry in row):
            return self._leaf(printed_value(node, given=False))
        rows = []
        for row in node.rows:
            entries = [self(entry) for entry in row]
            if all(entry.is_scalar for entry in entries) or len(entries) == 1:
                rows.append(stack_columns(entries))
            elif all(entry.shape[0] == 1 for entry in entries) and len(node.rows) == 1:
                return stack_rows(entries)
            else:
                rows.append(stack_columns(entries))
        return stack_rows(rows)

    def _product(self, node: Product, itself: bool) -> Value:
        """From the left; a run of factors for which the notes print a result is taken as printed."""
        if node.entrywise:
            return reduce(intervals.times, [self(factor) for factor in node.factors])
        outer, self.inner = self.inner, None
        self._count_terms(node)
        try:
            result: Value | None = None
            for value in self._runs(node, itself):
                if self.inner is None and not value.is_scalar:
                    self.inner = value.shape[1]
                result = value if result is None else self._times(result, value, node)
        finally:
            self.inner = outer
        assert result is not None
        return result

    def _count_terms(self, node: Product) -> None:
        """1/n before a sum over n terms: n is how many there are, if nobody says so."""
        for factor in node.factors:
            if isinstance(factor, Call) and factor.function == "sum over":
                self.terms[factor.parameters[2] or "n"] = max(self(factor.of).shape)

    def _times(self, a: Value, b: Value, node: Product) -> Value:
        """As matrices; two of one shape with a sign between them may be meant entry by entry; * may convolve."""
        if node.starred and fits_inside(a, b):
            self.met.features.add("slid")
            if self.convention.slid or not multiply(a, b):
                return convolved(a, b, flipped=self.convention.slid == 2)
        if node.signed and a.shape == b.shape and not a.is_scalar:
            self.met.features |= {"entrywise", "cross"} if max(a.shape) <= _SPACE else {"entrywise"}
            if self.convention.cross:
                return intervals.cross(a, b)
            if self.convention.entrywise:
                return intervals.times(a, b)
        return matmul(a, b)

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
        for way in (self._rows, self._formula, self._row, self._alias, self._width, self._identity, self._constant):
            value = way(name)
            if value is not None:
                return value
        raise UnknownNameError(f"nothing is known of '{name.text}'")

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
        if not rows:
            return None
        self.guesses.append(f"{name.text} is taken to have the rows worked out before")
        return stack_rows([self.take(row) for row in rows])

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
        self.met.features.add("from_zero")
        row = int(suffix) - (0 if base in self.scope.origins or self.convention.from_zero else 1)
        self.guesses.append(f"{name.text} is taken to be a row of {base.upper()}")
        value = self.take(whole)
        return value.row(row) if 0 <= row < value.shape[0] else None

    def _alias(self, name: Name) -> Value | None:
        stage = name.text if name.text in CATALOGUE else stage_of(name.text)
        known = self.scope.named(stage) if stage else None
        if known is None:
            return None
        if name.text not in CATALOGUE:
            self.guesses.append(f"{name.text} is taken to mean the {stage}")
        return self.take(known)

    def _width(self, name: Name) -> Value | None:
        """A width that nobody wrote down is the number of columns of the keys."""
        if name.text not in _WIDTHS:
            return None
        for letter, stage in (("K", "keys"), ("Q", "queries")):
            known = self.scope.find(letter) or self.scope.named(stage) or self.scope.latest(letter)
            if known is not None:
                return self._guessed_width(name, known.paper.shape[1])
        if self.inner is not None:
            return self._guessed_width(name, self.inner)
        for letter in ("X", "D"):
            known = self.scope.find(letter)
            if known is not None:
                return self._guessed_width(name, known.paper.shape[1])
        return None

    def _guessed_width(self, name: Name, width: int) -> Value:
        self.guesses.append(f"{name.text} is not given; {width} columns stand there")
        return exactly(float(width))

    def _identity(self, name: Name) -> Value | None:
        """I_2 is the identity of two rows; a bare I has as many as what stands before it has columns."""
        base, size = base_and_suffix(name.text)
        if base == "I" and size.isdigit() and 0 < int(size) <= 50:
            return exactly(np.eye(int(size)))
        return exactly(np.eye(self.inner)) if name.text in _IDENTITIES and self.inner else None

    def _constant(self, name: Name) -> Value | None:
        if name.text == "e":
            self.met.features.add("e")
            return exactly(self.convention.e)
        if name.text in self.terms:
            return exactly(float(self.terms[name.text]))
        return exactly(np.pi) if name.text == "π" else None


def _within_range(value: Value, *operands: Value) -> Value:
    """0.5^(10⁹) is not 0 and 2^5000 is not infinite: a computer's numbers end there."""
    middle = value.middle(intervals.LOCAL)
    is_plain = all(np.isfinite(each.middle(intervals.LOCAL)).all() for each in operands)
    if is_plain and operands[0].middle(intervals.LOCAL).all() and not (np.isfinite(middle) & (middle != 0)).all():
        raise UnknownError("the power is too large or too small to be worked out")
    return value


def _minimum(a: Value, b: Value) -> Value:
    return intervals.negative(intervals.maximum(intervals.negative(a), intervals.negative(b)))


def factors_of(node: Node) -> tuple[Node, ...]:
    """The factors of a product, or the node alone."""
    return node.factors if isinstance(node, Product) and not node.entrywise else (node,)


def product_of(factors: Iterable[Node]) -> Node:
    """A product of these factors, placed where they stand."""
    listed = list(factors)
    return product(listed, Span(listed[0].span.start, listed[-1].span.end))
