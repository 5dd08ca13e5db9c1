"""Lays a known expression over a printed one, and compares wherever printed numbers stand for something known.

`X W_Q` over `[1, 0] [[1, 0], [1, 1]]` compares X with the row and W_Q with the matrix. Knows nothing of chains.
"""

from glassformer.by_hand.checking.ledger import Ledger
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
    children,
    has_matrix,
    is_printed,
    with_children,
)
from glassformer.by_hand.grammar.names import is_plain_word
from glassformer.by_hand.numbers.evaluator import UnknownError, product_of
from glassformer.errors import InputError


def align(ledger: Ledger, known: Node, side: Node) -> int:
    """Lays a known expression over a printed one; gives the number of comparisons made."""
    if isinstance(known, Number) and isinstance(side, Number):
        return 0  # two bare numbers in two products: the products are compared, or nothing is
    if is_printed(side):
        if isinstance(known, Name) and isinstance(side, Number) and ledger.scope.find(known.key) is None:
            ledger.scope.bind(known, ledger.given(side))  # √d = √2 says what d is
            return 0
        return _compare_if_known(ledger, known, side)
    match known, side:
        case (_, Name()):
            return 0
        case (Call(of=ours), Call(of=theirs)) | (Transpose(of=ours), Transpose(of=theirs)):
            return align(ledger, ours, theirs)
        case (Inverse(of=ours), Inverse(of=theirs)) | (Negative(of=ours), Negative(of=theirs)):
            return align(ledger, ours, theirs)
        case (Power(), Power()):
            return align(ledger, known.base, side.base)
        case (Sum(), Sum()) if len(known.terms) == len(side.terms) and has_matrix(side):
            return sum(align(ledger, a, b) for a, b in zip(known.terms, side.terms, strict=True))
        case (Product(), Product()) if known.entrywise == side.entrywise and has_matrix(side):
            return _align_products(ledger, known, side)
    return ledger.compare(known, side) if ledger.can_work_out(known) and ledger.can_work_out(side) else 0


def _compare_if_known(ledger: Ledger, known: Node, side: Node) -> int:
    """A name put in before it was known is given by the numbers in its place.

    A plain word such as cat has another row at every step (input, query, key): it is compared only where it fits.
    """
    if isinstance(known, Name) and is_plain_word(known.text) and not ledger.fits(known, side):
        ledger.literals[id(side)] = ledger.given(side)
        return 0
    try:
        return ledger.compare(known, side)
    except UnknownError:
        if isinstance(known, Name) and not known.index:
            ledger.literals[id(side)] = ledger.given(side)
            ledger.scope.bind(known, ledger.literals[id(side)])
        return 0


def _align_products(ledger: Ledger, known: Product, side: Product) -> int:
    """Factor by factor; factors already multiplied are one."""
    theirs = side.factors
    if len(theirs) == len(known.factors):
        return sum(align(ledger, a, b) for a, b in zip(known.factors, theirs, strict=True))
    if len(theirs) < len(known.factors):
        for ours in _groupings(known.factors, len(theirs)):
            if all(_same_shape(ledger, a, b) for a, b in zip(ours, theirs, strict=True)):
                return sum(align(ledger, a, b) for a, b in zip(ours, theirs, strict=True))
    return ledger.compare(known, side) if ledger.can_work_out(known) and ledger.can_work_out(side) else 0


def with_blocks_joined(known: Node, side: Node) -> Node:
    """The printed side with blocks side by side as one matrix, where the known expression has one factor for them."""
    if isinstance(known, Product) and isinstance(side, Product) and len(side.factors) > len(known.factors):
        joined = _joined_blocks(side.factors)
        fits = known.entrywise == side.entrywise and len(joined) == len(known.factors)
        return Product(tuple(joined), side.span, side.entrywise) if fits else side
    ours, theirs = children(known), children(side)
    if isinstance(side, Matrix) or type(known) is not type(side) or len(ours) != len(theirs):
        return side
    new = tuple(with_blocks_joined(a, b) for a, b in zip(ours, theirs, strict=True))
    return side if all(a is b for a, b in zip(new, theirs, strict=True)) else with_children(side, new)


def _joined_blocks(factors: tuple[Node, ...]) -> list[Node]:
    joined: list[Node] = []
    for factor in factors:
        last = joined[-1] if joined else None
        if (
            isinstance(last, Matrix)
            and isinstance(factor, Matrix)
            and len(last.rows) == len(factor.rows)
            and len(joined) > 1
        ):
            rows = tuple(a + b for a, b in zip(last.rows, factor.rows, strict=True))
            joined[-1] = Matrix(rows, Span(last.span.start, factor.span.end))
        else:
            joined.append(factor)
    return joined


def _groupings(factors: tuple[Node, ...], n: int) -> list[list[Node]]:
    if n == 1:
        return [[product_of(factors)]]
    answer = []
    for first in range(1, len(factors) - n + 2):
        for rest in _groupings(factors[first:], n - 1):
            answer.append([product_of(factors[:first]), *rest])
    return answer


def _same_shape(ledger: Ledger, a: Node, b: Node) -> bool:
    try:
        return ledger.evaluator()(a).shape == ledger.evaluator()(b).shape
    except InputError:
        return False
