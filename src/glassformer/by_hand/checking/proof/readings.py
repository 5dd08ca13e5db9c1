"""Other ways to mean what is written: `5 ÷ 1/2` is 10 for some, `2/10 × 100 = 20 %` speaks of hundredths, ≈ rounds.

Gives expressions that somebody may have worked out instead; works nothing out itself, and knows nothing of notes.
"""

import math
from collections.abc import Iterator

from glassformer.by_hand.grammar.expressions import (
    Inverse,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Sum,
    product,
    sum_of,
)

_HUNDRED = "100"


def read_otherwise(expected: Node, printed: Node) -> Iterator[Node]:
    """The other meanings of an expression beside a printed result."""
    if isinstance(printed, Number) and printed.percent:
        yield from _in_hundredths(expected)
    if isinstance(expected, Product):
        yield from _divided_otherwise(expected)
        yield from _mixed(expected)
    elif isinstance(expected, Sum):
        yield from _terms_divided_otherwise(expected)
        yield from _divided_as_a_whole(expected)
        yield from _squares_of_negatives(expected)


def _in_hundredths(expected: Node) -> Iterator[Node]:
    """`2/10 × 100 = 20 %`: the factor 100 says the same as the sign."""
    factors = expected.factors if isinstance(expected, Product) else ()
    for i, factor in enumerate(factors):
        if isinstance(factor, Number) and factor.key == _HUNDRED and len(factors) > 1:
            yield product([*factors[:i], *factors[i + 1 :]], expected.span)


def _divided_otherwise(expected: Product) -> Iterator[Node]:
    """`a / b / c` as a / (b / c), and `a / b · c` as a / (b c)."""
    factors = expected.factors
    for i, factor in enumerate(factors[:-1]):
        if isinstance(factor, Inverse):
            rest, span = factors[i + 1 :], expected.span
            below = product([factor.of, *rest], span)
            yield product([*factors[:i], Inverse(below, span)], span)
            turned = [each.of if isinstance(each, Inverse) else each for each in rest]
            if turned != list(rest):
                yield product([*factors[:i], Inverse(product([factor.of, *turned], span), span)], span)


def _terms_divided_otherwise(expected: Sum) -> Iterator[Node]:
    for i, term in enumerate(expected.terms):
        inner = term.of if isinstance(term, Negative) else term
        if isinstance(inner, Product):
            for other in _divided_otherwise(inner):
                turned = Negative(other, other.span) if isinstance(term, Negative) else other
                yield sum_of([*expected.terms[:i], turned, *expected.terms[i + 1 :]], expected.span)


def _divided_as_a_whole(expected: Sum) -> Iterator[Node]:
    """`4 + 6 + 8 / 3` for the mean of three numbers: the brackets are left to the reader."""
    last = expected.terms[-1]
    is_negative = isinstance(last, Negative)
    inner = last.of if isinstance(last, Negative) else last
    if isinstance(inner, Inverse):
        inner = Product((Number("1", inner.span), inner), inner.span)
    if isinstance(inner, Product) and isinstance(inner.factors[-1], Inverse):
        top = product(list(inner.factors[:-1]), inner.span)
        top = Negative(top, top.span) if is_negative else top
        above = sum_of([*expected.terms[:-1], top], expected.span)
        yield Product((above, inner.factors[-1]), expected.span)


def _squares_of_negatives(expected: Sum) -> Iterator[Node]:
    """`-2^2 + -1^2 + 1^2 + 2^2`: the squares of −2 and −1 are meant."""
    terms = [
        term.of if isinstance(term, Negative) and isinstance(term.of, Power) and term.of.exponent.key == "2" else term
        for term in expected.terms
    ]
    if terms != list(expected.terms):
        yield sum_of(terms, expected.span)


def _mixed(expected: Product) -> Iterator[Node]:
    """`49 1/3` is 49 and a third."""
    whole, *rest = expected.factors
    if expected.signed or not isinstance(whole, Number) or whole.decimals is not None:
        return
    for n in range(1, len(rest) + 1):
        if isinstance(rest[n - 1], Inverse):
            fraction = product(rest[:n], expected.span)
            yield product([sum_of([whole, fraction], expected.span), *rest[n:]], expected.span)


def is_round(printed: Node, right: float) -> bool:
    """Whether `2^10 ≈ 1000` gives its first digits only: a whole number that ends in noughts, and is as near."""
    if not isinstance(printed, Number) or printed.decimals is not None:
        return False
    digits = printed.text.rstrip("0")
    unit = 10.0 ** (len(printed.text) - len(digits))
    return unit > 1 and abs(right - printed.value) <= unit / 2


def is_rounded_up(printed: Node, right: float) -> bool:
    """Whether `n = 373.3, so 374`: a whole number, the next above."""
    is_whole = isinstance(printed, Number) and printed.decimals is None and math.isfinite(right)
    return is_whole and isinstance(printed, Number) and right > 1 and math.ceil(right) == printed.value


def beginnings(side: Node) -> Iterator[Node]:
    """The first factor or term of a side, the first two, and so on: what somebody goes on from."""
    first = side
    parts = side.factors if isinstance(side, Product) else side.terms if isinstance(side, Sum) else ()
    for n in range(len(parts) - 1, 1, -1):
        make = product if isinstance(side, Product) else sum_of
        yield make(list(parts[:n]), side.span)
    if parts:
        first = parts[0]
        yield first
        yield from beginnings(first)
