"""Other ways to mean what is written: `5 ÷ 1/2` is 10 for some, `2/10 × 100 = 20 %` speaks of hundredths, ≈ rounds.

Gives expressions that somebody may have worked out instead; works nothing out itself, and knows nothing of notes.
"""

import math
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Sum,
    children,
    product,
    sum_of,
    walk,
    with_children,
)
from glassformer.by_hand.numbers.comparison import is_near_miss, units

_BINARY = re.compile(r"[01]{1,16}")
_BITS = re.compile(r"(?=.{2})[01]{1,16}(?:\.[01]{1,16})?")
_SQUARE = re.compile(r"\d{1,2}2")
_MIXED = re.compile(r"\d+\s*\\[dt]?frac\b|\d+\s+\d+\s*/\s*\d")
_SIGMA = re.compile(r"\\sigma|σ")
_ACTIVATIONS = ("relu", "tanh")  # for which σ stands, too
_CODE = re.compile(r"0\d+|(?!10+$)[01]{5,}")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_HUNDRED = "100"
_LEAST_POWER = 1024  # of two, that is taken for a round number
_MOST_PARTS = 40  # other meanings of parts that are tried
_ROUND = re.compile(r"(?:\\left|\\[bB]igg?l?)?\s*\(")  # such brackets are seen


def read_otherwise(expected: Node, printed: Node, source: str) -> Iterator[Node]:
    """The other meanings of an expression of the `source` beside a printed result."""
    yield from (other for other, _ in in_hundredths(expected, printed))
    if isinstance(expected, Product):
        yield from _mixed(expected)
    yield from _as_it_stands(expected, source)
    squares = _with_squares_of_negatives(expected)
    if squares is not expected:
        yield squares
    yield from islice(_with_a_part_otherwise(expected, source), _MOST_PARTS)


def _as_it_stands(expected: Node, source: str) -> Iterator[Node]:
    """The other meanings of an expression as a whole."""
    yield from _of_the_first_term(expected, source)
    match expected:
        case Call(function="sigmoid", of=inside, span=span) if _SIGMA.match(source, span.start):
            yield from (Call(function, inside, span) for function in _ACTIVATIONS)
        case Product():
            yield from _divided_otherwise(expected)
        case Sum():
            yield from _terms_divided_otherwise(expected)
            yield from _divided_as_a_whole(expected)
            yield from _under_one_root(expected)
            yield from _per_cent_more(expected)
            yield from _lost_exponent(expected)
            yield from _lost_squares(expected)
        case Negative(of=Power() as power):
            yield power  # `-2^2` for the square of −2


def in_hundredths(expected: Node, printed: Node) -> Iterator[tuple[Node, bool]]:
    """`2/10 × 100 = 20 %`, `100 − 65 = 35 %`, `30 % + 5 % = 35`: a sign on one side only; and if that is likely."""
    numbers = [each for each in walk(expected) if isinstance(each, Number)]
    signed, span = any(number.percent for number in numbers), expected.span
    if not isinstance(printed, Number) or printed.percent == signed:
        return
    factors = expected.factors if isinstance(expected, Product) else ()
    for i, factor in enumerate(factors):
        if isinstance(factor, Number) and factor.key == _HUNDRED and len(factors) > 1 and printed.percent:
            yield product([*factors[:i], *factors[i + 1 :]], span), True
    hundred = Number(_HUNDRED, span)
    all_alike = all(number.percent for number in numbers) if signed else any(abs(each.value) > 1 for each in numbers)
    is_likely = isinstance(expected, Sum) and all_alike
    yield Product((expected, hundred if signed else Inverse(hundred, span)), span), is_likely


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


def _with_squares_of_negatives(node: Node) -> Node:
    """`-2^2 + -1^2 + 1^2 + 2^2`: the squares of −2 and −1 are meant, wherever they stand."""
    new = tuple(_with_squares_of_negatives(child) for child in children(node))
    if isinstance(node, Sum):
        new = tuple(
            term.of
            if isinstance(term, Negative) and isinstance(term.of, Power) and term.of.exponent.key == "2"
            else term
            for term in new
        )
    is_same = all(one is other for one, other in zip(new, children(node), strict=True))
    return node if is_same else with_children(node, new)


def _with_a_part_otherwise(node: Node, source: str) -> Iterator[Node]:
    """The same with one part meant otherwise."""
    parts = children(node)
    for i, part in enumerate(parts):
        for other in (*_as_it_stands(part, source), *_with_a_part_otherwise(part, source)):
            yield with_children(node, (*parts[:i], other, *parts[i + 1 :]))


def _of_the_first_term(expected: Node, source: str) -> Iterator[Node]:
    """`-p \\log{p - q \\log{q}}`: braces are not seen, and the function is of p alone."""
    inner = expected.of if isinstance(expected, Negative) else expected
    factors = inner.factors if isinstance(inner, Product) else (inner,)
    last = factors[-1]
    if not isinstance(last, Call) or not isinstance(last.of, Sum) or _ROUND.match(source, last.of.span.start):
        return
    first, *rest = last.of.terms
    call = Call(last.function, first, last.span, last.parameters)
    head = product([*factors[:-1], call], expected.span)
    yield sum_of([Negative(head, head.span) if inner is not expected else head, *rest], expected.span)


def _under_one_root(expected: Sum) -> Iterator[Node]:
    """`√(3-0)² + (4-0)²`: the root is over both."""
    first, *rest = expected.terms
    if isinstance(first, Power) and isinstance(first.base, Call) and first.base.function == "sqrt":
        inside: Node = Power(first.base.of, first.exponent, first.span)
    elif isinstance(first, Call) and first.function == "sqrt":
        inside = first.of
    else:
        return
    yield Call("sqrt", sum_of([inside, *rest], expected.span), expected.span)


def _per_cent_more(expected: Sum) -> Iterator[Node]:
    """`100 + 10 %` is 110 for a shopkeeper."""
    *rest, last = expected.terms
    share = last.of if isinstance(last, Negative) else last
    if isinstance(share, Number) and share.percent and not any(isinstance(t, Number) and t.percent for t in rest):
        whole = sum_of(rest, expected.span)
        yield product([whole, sum_of([Number("1", last.span), last], last.span)], expected.span)


def _lost_exponent(expected: Sum) -> Iterator[Node]:
    """`e-1 = 0.368`: the exponent came down on its way to the page."""
    first, *rest = expected.terms
    if isinstance(first, Name) and first.text == "e" and len(rest) == 1:
        yield Power(first, rest[0], expected.span)


def _lost_squares(expected: Sum) -> Iterator[Node]:
    """`52 + 32 + 12` for 5² + 3² + 1²."""
    if all(isinstance(term, Number) and _SQUARE.fullmatch(term.text) for term in expected.terms):
        terms = [_squared(term) for term in expected.terms if isinstance(term, Number)]
        yield sum_of(terms, expected.span)


def _squared(number: Number) -> Node:
    return Power(Number(number.text[:-1], number.span), Number("2", number.span), number.span)


def _mixed(expected: Product) -> Iterator[Node]:
    """`49 1/3` is 49 and a third."""
    whole, *rest = expected.factors
    if expected.signed or not isinstance(whole, Number) or whole.decimals is not None:
        return
    for n in range(1, len(rest) + 1):
        if isinstance(rest[n - 1], Inverse):
            fraction = product(rest[:n], expected.span)
            yield product([sum_of([whole, fraction], expected.span), *rest[n:]], expected.span)


def with_mixed_numbers(node: Node, source: str) -> Node:
    """`10 \\frac{1}{3}` anywhere in it is ten and a third."""
    inner = tuple(with_mixed_numbers(child, source) for child in children(node))
    other = with_children(node, inner) if inner else node
    is_mixed = isinstance(other, Product) and _MIXED.match(source, other.span.start)
    return next(_mixed(other), other) if is_mixed and isinstance(other, Product) else other


def is_round(printed: Node, right: float, *, noughts: int = 1) -> bool:
    """Whether `2^10 ≈ 1000` gives its first digits only: a whole number that ends in `noughts`, and is as near."""
    if not isinstance(printed, Number) or printed.decimals is not None:
        return False
    digits = printed.text.rstrip("0")
    unit = 10.0 ** (len(printed.text) - len(digits))
    return unit >= 10**noughts and abs(right - printed.value) <= unit / 2


def is_power_of_two(printed: Node, right: float) -> bool:
    """Whether `65536 × 1.999 ≈ 131072` gives the next power of two, which is round for those who count in bytes."""
    if not isinstance(printed, Number) or printed.decimals is not None or printed.value < _LEAST_POWER:
        return False
    return math.log2(printed.value).is_integer() and abs(right - printed.value) <= 0.01 * printed.value


def is_in_thousands(node: Node, value: float) -> bool:
    """`400,000 × 28 = 11.2` million: the same digits, a power of a thousand apart."""
    if not isinstance(node, Number) or not node.value or not math.isfinite(value):
        return False
    half = float(units(node)[0, 0]) / 2
    return any(abs(value / 1000.0**power - node.value) <= half for power in (-3, -2, -1, 1, 2, 3))


def is_far_off(printed: Node, right: float) -> bool:
    """Whether `57/2 ≈ 4` can hardly be meant: not even the first digits are near, nor are they those of a slip."""
    if not isinstance(printed, Number) or not printed.value or not right or not math.isfinite(right):
        return False
    ratio = printed.value / right
    is_shifted = any(abs(ratio - shift) < 0.03 * shift for shift in (0.01, 0.1, 10, 100))
    return not (0.5 < ratio < 2 or is_shifted or is_near_miss(printed, right))


def is_rounded_up(printed: Node, right: float) -> bool:
    """Whether `n = 373.3, so 374`: a whole number, the next above."""
    is_whole = isinstance(printed, Number) and printed.decimals is None and math.isfinite(right)
    return is_whole and isinstance(printed, Number) and right > 1 and math.ceil(right) == printed.value


def in_other_digits(expected: Node, printed: Node) -> Iterator[tuple[Node, Node]]:
    """Both sides with their digits read otherwise: in base 2, on one side or both, or with points between thousands."""
    numbers = [each for node in (expected, printed) for each in walk(node) if isinstance(each, Number)]
    if all(_BINARY.fullmatch(number.text) for number in numbers):
        yield with_numbers(expected, _from_binary), with_numbers(printed, _from_binary)
    if any(_from_bits(number) is not number for number in numbers):
        yield with_numbers(expected, _from_bits), printed
        yield expected, with_numbers(printed, _from_bits)
        yield with_numbers(expected, _from_bits), with_numbers(printed, _from_bits)
    pointed = [number for number in numbers if "." in number.text]
    if pointed and all(_THOUSANDS.fullmatch(number.text) for number in pointed):
        yield with_numbers(expected, _without_points), with_numbers(printed, _without_points)


def are_codes(expected: Node, printed: Node) -> bool:
    """Whether a number is hardly meant in base 10 (00101101), or none has other digits: 0 − 1 = 1, 110 + 110 = 100."""
    is_written = isinstance(printed, Number) and not any(isinstance(each, Name) for each in walk(expected))
    numbers = [each for node in (expected, printed) for each in walk(node) if isinstance(each, Number)]
    is_bitwise = isinstance(printed, Number) and all(number.text in ("0", "1") for number in numbers)
    is_bitwise |= is_written and all(_BINARY.fullmatch(number.text) for number in numbers)
    return is_bitwise or any(_CODE.fullmatch(number.text) for number in numbers)


def _from_binary(number: Number) -> Number:
    return Number(str(int(number.text, 2)), number.span, number.sign)


def _from_bits(number: Number) -> Number:
    """`1.01` is one and a quarter; what has other digits, or one only, or is the same in base 2, stays as it is."""
    if not _BITS.fullmatch(number.text):
        return number
    whole, _, rest = number.text.partition(".")
    value = int(whole + rest, 2) / 2 ** len(rest)
    if value == abs(number.value):
        return number  # `1.000` says how far it was rounded, which `1` does not
    return Number(f"{value:.10f}".rstrip("0").rstrip(".") if rest else str(int(value)), number.span, number.sign)


def _without_points(number: Number) -> Number:
    return Number(number.text.replace(".", ""), number.span, number.sign, number.percent)


def with_numbers(node: Node, change: Callable[[Number], Number]) -> Node:
    """The same expression with other numbers."""
    if isinstance(node, Number):
        return change(node)
    return with_children(node, tuple(with_numbers(child, change) for child in children(node)))


def misprinted(expected: Node) -> Iterator[tuple[Number, Number, Node]]:
    """A number of a working with one digit changed, or its point: what stands there, what was meant, the working."""
    for number in (each for each in walk(expected) if isinstance(each, Number)):
        for shift in (-1, 1) if "." in number.text and "e" not in number.text else ():
            decimals = max(0, (number.decimals or 0) - shift)
            other = Number(f"{float(number.text) * 10.0**shift:.{decimals}f}", number.span, number.sign, number.percent)
            yield number, other, with_another(expected, number, other)
        for i, old in enumerate(number.text):
            for new in "0123456789" if old.isdigit() else "":
                if new != old and not (i == 0 and new == "0"):
                    text = number.text[:i] + new + number.text[i + 1 :]
                    other = Number(text, number.span, number.sign, number.percent)
                    yield number, other, with_another(expected, number, other)


def with_another(node: Node, old: Number, new: Number) -> Node:
    """The same expression with one number for another."""
    return with_numbers(node, partial(_exchanged, old, new))


def _exchanged(old: Number, new: Number, number: Number) -> Number:
    return new if number is old else number


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
