"""The catalogue of slips: ways in which a number goes wrong on paper, tried in turn until one reproduces it.

A cause is named only when it gives every wrong number of the matrix as printed. Slips of the pen change one entry;
slips of method work out another expression than the one meant. Knows nothing of documents.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from glassformer.errors import InputError
from glassformer.handwork.comparison import Flags, entries_of, units
from glassformer.handwork.evaluation import Evaluator, Known, printed_value
from glassformer.handwork.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Node,
    Number,
    Product,
    Span,
    Sum,
    Transpose,
    children,
    is_printed,
    product,
    sum_of,
    with_children,
)
from glassformer.handwork.intervals import DEEP, FACE, LOCAL, Floats, Value
from glassformer.handwork.names import stage_of

SIGN = "sign lost"
DIGITS = "digits swapped"
POINT = "decimal point moved"
EXCHANGED = "row and column exchanged"
NEIGHBOUR = "a neighbour's entry"
COPIED = "copied the previous line"
NOT_SCALED = "forgot to scale"
SCALED_BY_D = "scaled by d instead of √d"
SCALED_UP = "multiplied by √d instead of dividing"
TURNED = "transposed operand"
WRONG_AXIS = "softmax over the wrong axis"
NO_EXP = "softmax without exp"
NO_SUM = "exponentials not divided by their sum"
NO_SOFTMAX = "softmax left out"
UNSCALED = "used the unscaled matrix"
UNMASKED = "used the unmasked matrix"
MASK_AFTER = "mask applied after softmax"
MASK_TIMES = "mask multiplied instead of added"
Q_Q = "q·q for q·k"
K_K = "k·k for q·k"
SWAPPED_ORDER = "operands in the wrong order"
NO_RELU = "ReLU left out"
TWO_EXCHANGED = "two entries exchanged"
TERM_LEFT_OUT = "one term left out"
TERM_SIGN = "sign of one term lost"

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Scene:
    """A wrong result: what is printed, what should have been, and how to work out something else instead."""

    literal: Node
    expected: Node
    wrong: Flags
    right: Value
    evaluate: Callable[[Node], Value]
    origin: Callable[[Node], Node | None]  # the expression that a name or a printed matrix came from

    @property
    def numbers(self) -> Floats:
        """The printed numbers."""
        return printed_value(self.literal, given=False).middle(LOCAL)

    def reproduced(self, value: Value) -> bool:
        """Whether `value` gives every wrong number as printed."""
        try:
            value = value.fitted(self.right.shape)
        except InputError:
            return False
        room = units(self.literal) / 2 + 1e-9
        inside = (value.low[FACE] <= self.numbers + room) & (value.high[FACE] >= self.numbers - room)
        return bool(inside[self.wrong].all())

    def entries_reproduced(self, candidates: Callable[[int, int], Iterator[Bounds]]) -> bool:
        """Whether each wrong number is among the candidates for its place."""
        numbers, room = self.numbers, units(self.literal) * 0.5001 + 1e-12

        def fits(i: int, j: int) -> bool:
            printed, slack = numbers[i, j], room[i, j]
            return any(low - slack <= printed <= high + slack for low, high in candidates(i, j))

        return all(fits(int(i), int(j)) for i, j in zip(*np.nonzero(self.wrong), strict=True))


def find_cause(scene: Scene) -> str | None:
    """The first slip of the catalogue that reproduces the wrong numbers, or None."""
    if not is_printed(scene.literal):
        return None
    ways = [_pen_slips, _method_slips] if scene.wrong.sum() == 1 else [_method_slips, _pen_slips]
    for way in ways:
        for cause in way(scene):
            return cause
    return None


_CONFUSED = (("sigmoid", "softmax"), ("softmax", "sigmoid"))


def said_otherwise(expected: Node, fits: Callable[[Node], bool]) -> tuple[str, Node] | None:
    """If the numbers are right for another function than the one named: which is which, and the formula meant."""
    for said, meant in _CONFUSED:
        other = _swapped(expected, said, meant)
        if other is not None and fits(other):
            return _confusion(said, meant), other
    return None


def other_function(said: Node, meant: Node) -> str | None:
    """If two formulas differ in the function only: which is named, and which is meant."""
    for one, other in _CONFUSED:
        swapped = _swapped(said, one, other)
        if swapped is not None and swapped.key == meant.key:
            return _confusion(one, other)
    return None


def _confusion(said: str, meant: str) -> str:
    return f"{said} is named, but the numbers are those of {meant}"


def _swapped(node: Node, said: str, meant: str) -> Node | None:
    if isinstance(node, Call) and node.function == said:
        return Call(meant, node.of, node.span)
    for i, child in enumerate(children(node)):
        new = _swapped(child, said, meant)
        if new is not None:
            return with_children(node, (*children(node)[:i], new, *children(node)[i + 1 :]))
    return None


# --- slips of the pen -------------------------------------------------------------------------------------------


def _pen_slips(scene: Scene) -> Iterator[str]:
    low, high = scene.right.low[FACE], scene.right.high[FACE]
    rows, columns = low.shape

    def at(i: int, j: int) -> Bounds:
        return float(low[i, j]), float(high[i, j])

    def neighbours(i: int, j: int) -> Iterator[Bounds]:
        for a, b in ((i, j - 1), (i, j + 1), (i - 1, j), (i + 1, j)):
            if 0 <= a < rows and 0 <= b < columns:
                yield at(a, b)

    if scene.entries_reproduced(lambda i, j: iter([(-high[i, j], -low[i, j])])):
        yield SIGN
    if scene.entries_reproduced(lambda i, j: _moved_points(scene, i, j)):
        yield POINT
    if scene.entries_reproduced(lambda i, j: _digit_swaps(scene, i, j)):
        yield DIGITS
    if rows == columns and rows > 1 and scene.entries_reproduced(lambda i, j: iter([at(j, i)] if i != j else [])):
        yield EXCHANGED
    if scene.wrong.sum() == 1 and scene.entries_reproduced(neighbours):
        yield NEIGHBOUR
    if scene.wrong.sum() == 2:
        one, other = np.argwhere(scene.wrong).tolist()
        if scene.entries_reproduced(lambda i, j: iter([at(*(other if [i, j] == one else one))])):
            yield TWO_EXCHANGED
    yield from _copies(scene)
    yield from _term_slips(scene)
    if scene.entries_reproduced(lambda i, j: _digit_swaps(scene, i, j, apart=True)):
        yield DIGITS


def _as_rounded(scene: Scene, i: int, j: int) -> set[str]:
    """The right number as it would be printed; its last digit may depend on who rounded where."""
    decimals = max(0, round(-np.log10(units(scene.literal)[i, j])))
    bounds = (scene.right.low[FACE], scene.right.high[FACE], scene.right.middle(LOCAL), scene.right.middle(DEEP))
    return {f"{each[i, j]:.{decimals}f}" for each in bounds if np.isfinite(each[i, j])}


def _moved_points(scene: Scene, i: int, j: int) -> Iterator[Bounds]:
    if scene.numbers[i, j] == 0:
        return  # a nought shows no digits
    for text in _as_rounded(scene, i, j):
        for factor in (10.0, 0.1, 100.0, 0.01):
            yield float(text) * factor, float(text) * factor
    for factor in (10.0, 100.0):  # digits that rounding would hide
        moved = float(scene.right.middle(LOCAL)[i, j]) * factor
        yield moved, moved


def _digit_swaps(scene: Scene, i: int, j: int, *, apart: bool = False) -> Iterator[Bounds]:
    """Two digits exchanged: next to each other, or any two of them."""
    for right in _as_rounded(scene, i, j):
        text = right.lstrip("-")
        places = [m.start() for m in re.finditer(r"\d", text)]
        for a, b in combinations(places, 2) if apart else pairwise(places):
            if text[a] != text[b]:
                signs = list(text)
                signs[a], signs[b] = signs[b], signs[a]
                swapped = float("".join(signs)) * (-1 if right.startswith("-") else 1)
                yield swapped, swapped


def _copies(scene: Scene) -> Iterator[str]:
    """The numbers of something that went in, at the same places; one number alone may be there by chance."""
    if isinstance(scene.literal, Number) or (isinstance(scene.expected, Call) and scene.expected.function == "relu"):
        return
    for operand in _operands(scene.expected):
        try:
            value = scene.evaluate(operand).fitted(scene.right.shape)
        except InputError:
            continue
        low, high = value.low[FACE], value.high[FACE]
        if scene.entries_reproduced(lambda i, j, low=low, high=high: iter([(low[i, j], high[i, j])])):  # type: ignore[misc]
            yield COPIED


def _operands(node: Node) -> Iterator[Node]:
    for child in children(node):
        yield child
        if not isinstance(child, Matrix):
            yield from _operands(child)


def _term_slips(scene: Scene) -> Iterator[str]:
    """In a product of two matrices each entry is a sum of products."""
    expected = scene.expected
    if not isinstance(expected, Product) or expected.entrywise or len(expected.factors) != 2:
        return
    try:
        first, second = (scene.evaluate(factor) for factor in expected.factors)
    except InputError:
        return
    if first.shape[1] != second.shape[0] or scene.right.shape != (first.shape[0], second.shape[1]):
        return
    a, b, right = first.middle(LOCAL), second.middle(LOCAL), scene.right.middle(LOCAL)

    def without(i: int, j: int, times: int) -> Iterator[Bounds]:
        with np.errstate(invalid="ignore", over="ignore"):
            rest = right[i, j] - times * a[i] * b[:, j]
        return ((each, each) for each in rest.tolist())

    if scene.entries_reproduced(lambda i, j: without(i, j, 1)):
        yield TERM_LEFT_OUT
    if scene.entries_reproduced(lambda i, j: without(i, j, 2)):
        yield TERM_SIGN


# --- slips of method --------------------------------------------------------------------------------------------


def _method_slips(scene: Scene) -> Iterator[str]:
    tried: set[str] = set()
    for cause, node in _variants(scene.expected, scene, 0):
        if node.key + cause in tried:
            continue
        tried.add(node.key + cause)
        try:
            value = scene.evaluate(node)
        except InputError:
            continue
        if scene.reproduced(value):
            yield cause


def _variants(node: Node, scene: Scene, depth: int) -> Iterator[tuple[str, Node]]:
    """Other expressions that somebody may have worked out instead, likelier ones first."""
    inside = depth > 0
    match node:
        case Product() if not node.entrywise:
            yield from _product_variants(node, inside, scene)
        case Call(function="softmax"):
            yield from _softmax_variants(node, scene)
        case Call(function="relu"):
            yield NO_RELU, node.of
        case Sum():
            yield from _sum_variants(node, inside)
    for i, child in enumerate(children(node)):
        if isinstance(node, Matrix) or (isinstance(child, Number) and not inside):
            break
        deeper = depth + 1 if isinstance(node, Call | Product | Sum) else depth
        for cause, new in _variants(child, scene, deeper):
            yield cause, with_children(node, (*children(node)[:i], new, *children(node)[i + 1 :]))
    source = scene.origin(node) if depth < 4 and isinstance(node, Name | Matrix) else None
    if source is not None and source.key != node.key:
        yield from _variants(source, scene, depth + 1)


def _product_variants(node: Product, inside: bool, scene: Scene) -> Iterator[tuple[str, Node]]:
    factors = node.factors

    def put(i: int, *new: Node) -> Node:
        return product([*factors[:i], *new, *factors[i + 1 :]], node.span)

    for i, factor in enumerate(factors):
        if isinstance(factor, Inverse) and len(factors) > 1:
            yield (UNSCALED if inside else NOT_SCALED), put(i)
            if isinstance(factor.of, Call) and factor.of.function == "sqrt":
                yield SCALED_BY_D, put(i, Inverse(factor.of.of, factor.span))
            else:
                yield SCALED_BY_D, put(i, factor, factor)
            yield SCALED_UP, put(i, factor.of)
    matrices = [i for i, factor in enumerate(factors) if not isinstance(factor, Inverse | Number)]
    if len(matrices) > 1 and not inside:
        first, second = factors[matrices[0]], factors[matrices[1]]
        keys = second if isinstance(second, Transpose) else scene.origin(second)
        if isinstance(keys, Transpose):
            yield Q_Q, put(matrices[1], Transpose(first, first.span))
            yield K_K, put(matrices[0], keys.of)
    for i in matrices if len(matrices) > 1 else []:
        factor = factors[i]
        yield TURNED, put(i, factor.of if isinstance(factor, Transpose) else Transpose(factor, factor.span))
    if len(matrices) == 2 and not inside:
        a, b = matrices
        swapped = list(factors)
        swapped[a], swapped[b] = swapped[b], swapped[a]
        yield SWAPPED_ORDER, Product(tuple(swapped), node.span)


def _softmax_variants(node: Call, scene: Scene) -> Iterator[tuple[str, Node]]:
    yield WRONG_AXIS, Call("column softmax", node.of, node.span)
    yield NO_EXP, Call("shares", node.of, node.span)
    yield NO_SUM, Call("exp", node.of, node.span)
    yield NO_SOFTMAX, node.of
    argument = node.of
    source = scene.origin(argument) if isinstance(argument, Name | Matrix) else None
    argument = source if isinstance(source, Sum) else argument
    if isinstance(argument, Sum):
        for i, term in enumerate(argument.terms):
            mask = _zero_one_mask(term, scene)
            if mask is not None:
                rest = sum_of([*argument.terms[:i], *argument.terms[i + 1 :]], argument.span)
                yield MASK_AFTER, Product((Call("softmax", rest, node.span), mask), node.span, entrywise=True)
                yield MASK_TIMES, Call("softmax", Product((rest, mask), node.span, entrywise=True), node.span)


def _sum_variants(node: Sum, inside: bool) -> Iterator[tuple[str, Node]]:
    for i, term in enumerate(node.terms):
        rest = sum_of([*node.terms[:i], *node.terms[i + 1 :]], node.span)
        yield (UNMASKED if inside or _is_mask(term) else TERM_LEFT_OUT), rest


def _is_mask(term: Node) -> bool:
    if isinstance(term, Matrix):
        return any(isinstance(entry, Number) and entry.text == "inf" for row in term.rows for entry in row)
    return isinstance(term, Name) and stage_of(term.text) == "mask"


def _zero_one_mask(term: Node, scene: Scene) -> Matrix | None:
    """1 where a mask of 0 and −∞ allows a look, 0 where it does not."""
    if not _is_mask(term):
        return None
    try:
        allowed = np.isfinite(scene.evaluate(term).middle(LOCAL))
    except InputError:
        return None
    here = Span(term.span.start, term.span.end)
    return Matrix(tuple(tuple(Number("1" if ok else "0", here) for ok in row) for row in allowed), here)


def scene_of(
    expected: Node,
    literal: Node,
    wrong: Flags,
    right: Value,
    evaluator: Callable[[], Evaluator],
    literals: dict[int, Known],
) -> Scene:
    """Sets the scene for a search."""

    def evaluate(node: Node) -> Value:
        return evaluator()(node, itself=isinstance(node, Name | Matrix | Transpose))

    def origin(node: Node) -> Node | None:
        known = literals.get(id(node)) or evaluator().scope.find(node.key)
        return known.origin if known is not None else None

    return Scene(literal, expected, wrong, right, evaluate, origin)


def same_row(literal: Node, wrong: Flags, others: list[Matrix]) -> Matrix | None:
    """Another printed matrix that has the wrong row, number for number; rows of one wrong entry prove nothing."""
    rows = entries_of(literal)
    for i, row in enumerate(rows):
        if wrong[i].sum() < 2 or len(row) < 3:
            continue
        texts = [number.key for number in row]
        for other in others:
            if other is not literal and any([entry.key for entry in each] == texts for each in other.rows):
                return other
    return None
