"""Looks for another working that gives the printed number to the last digit, as a reader does who doubts the checker.

The changes are few and simple: brackets elsewhere, an operand that is no part of it, a root or a square, a number that
stands close by, digits in base 2, a remainder. Whatever they give may be what was meant, and is not called wrong.
Knows nothing of names; is told what an expression is worth.
"""

import math
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

from glassformer.by_hand.checking.proof.readings import with_another
from glassformer.by_hand.grammar.expressions import (
    Inverse,
    Matrix,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Span,
    Sum,
    walk,
)
from glassformer.by_hand.numbers.comparison import units
from glassformer.errors import InputError

Worth = Callable[[Node], float]

_MOST_OPERANDS = 7  # that are put into brackets in every way
_FEW_DIGITS, _MANY_DIGITS = 2, 3
_MOST_NUMBERS = 12  # that are tried from the text around
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|\.\d)")
_REMAINDER = re.compile(r"\bmod(?:ulo|ular)?\b|\\[bp]?mod\b|\bremainder|\bclock|\bwrap|\boverflow", re.I)
_BITS = re.compile(r"\b0b[01]|two['’]?s[ -]complement|\bsigned\b|\bsign bit", re.I)
_WORD_SIZES = (16, 256, 65536, 2**32)  # of two's complement
_SIGNS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


def excuse(expected: Node, printed: Number, worth: Worth, source: str, *, is_near: bool) -> str:
    """What a printed number may be instead of a wrong result; empty if nothing simple gives it.

    One that `is_near` the right one was meant for it: of such only remainders are tried.
    """
    try:
        value = worth(expected)
        operands = _operands(expected, worth)
    except InputError:
        return ""
    room = float(units(printed)[0, 0]) / 2 * (1 + 1e-9)
    digits = len(printed.text.partition("e")[0].replace(".", "").strip("0"))

    def gives(values: Iterator[float]) -> bool:
        return any(math.isfinite(each) and abs(each - printed.value) <= room for each in values)

    if gives(_remainders(value, expected.span, printed.span, source)):
        return "a remainder, perhaps"
    if gives(_in_bits(expected, value, printed.span, source)):
        return "the largest number of so many bits, perhaps, or one in two's complement"
    if _is_whole_part(expected, value, printed):
        return "rounded up or down to a whole number, perhaps"
    if is_near:
        return ""
    if _run_together(expected, printed):
        return "an exponent or a fraction whose digits have run together, perhaps"
    if 2 < len(operands) <= _MOST_OPERANDS and gives(iter(_bracketed(operands))):
        return "with its brackets elsewhere it is right"
    if digits >= _FEW_DIGITS and gives(_shortened(operands)):
        return "without its first or its last part it is right"
    if digits >= _FEW_DIGITS and gives(_changed(value)):
        return "a root, a square, a logarithm or a complement of the result, perhaps"
    if any(low <= printed.value <= high for low, high in _with_digits_cut(expected, value, worth)):
        return "digits of a number in it were cut off, perhaps"
    nearby = _nearby(expected.span, printed.span, source)
    if digits >= _MANY_DIGITS and gives(each for number in nearby for each in _combined(value, number)):
        return "with a number that stands close by it is right"
    return ""


def _is_whole_part(expected: Node, value: float, printed: Number) -> bool:
    """`600/512 = 2`: so many blocks are needed, or so many are full."""
    is_quotient = isinstance(expected, Product) and any(isinstance(each, Inverse) for each in expected.factors)
    return is_quotient and printed.decimals is None and printed.value in (math.floor(value), math.ceil(value))


def _run_together(expected: Node, printed: Number) -> bool:
    """`22` for 2², `3.53` for 3.5/3: how a page shows them when their setting is lost."""
    parts = list(walk(expected))
    texts = [each.text for each in parts if isinstance(each, Number)]
    is_of_numbers = not any(isinstance(each, Matrix) for each in parts)
    return is_of_numbers and any(printed.text == first + second for first, second in pairwise(texts))


Operand = tuple[str, float]


def _operands(node: Node, worth: Worth) -> list[Operand]:
    """What a reader sees from left to right: signs and numbers, inner brackets and functions worked out."""
    answer: list[Operand] = []
    for term in node.terms if isinstance(node, Sum) else (node,):
        sign, inner = ("-", term.of) if isinstance(term, Negative) else ("+", term)
        if isinstance(inner, Number) and inner.sign < 0 and isinstance(node, Sum):
            answer.append(("-", -inner.value))
            continue
        for i, factor in enumerate(inner.factors if isinstance(inner, Product) else (inner,)):
            is_below = isinstance(factor, Inverse)
            part = worth(factor.of if isinstance(factor, Inverse) else factor)
            if i == 0 and is_below:
                answer += [(sign, 1.0), ("/", part)]
            else:
                answer.append((sign if i == 0 else "/" if is_below else "*", part))
    return answer


def _bracketed(operands: list[Operand]) -> set[float]:
    """What comes out with brackets around any parts."""
    (first_sign, first), *rest = operands
    numbers = [-first if first_sign == "-" else first, *(number for _, number in rest)]
    signs = [sign for sign, _ in rest]
    found: dict[tuple[int, int], set[float]] = {(i, i + 1): {number} for i, number in enumerate(numbers)}
    for length in range(2, len(numbers) + 1):
        for start in range(len(numbers) - length + 1):
            here = found[start, start + length] = set[float]()
            for cut in range(start + 1, start + length):
                for a in found[start, cut]:
                    for b in found[cut, start + length]:
                        with suppress(ZeroDivisionError, OverflowError):
                            here.add(_SIGNS[signs[cut - 1]](a, b))
    return found[0, len(numbers)]


def _in_order(operands: list[Operand]) -> float:
    """As everybody works it out: products before sums."""
    total, term = 0.0, 0.0
    for sign, number in operands:
        if sign in "+-":
            total, term = total + term, -number if sign == "-" else number
        else:
            term = _SIGNS[sign](term, number)
    return total + term


def _shortened(operands: list[Operand]) -> Iterator[float]:
    """Without a first or a last part, of three or more."""
    if len(operands) > 2:
        (_, first), *rest = operands[1:]
        with suppress(ZeroDivisionError, OverflowError):
            yield _in_order([("+", first), *rest])
        yield _in_order(operands[:-1])


def _changed(value: float) -> Iterator[float]:
    """What is often meant beside a result: its root, its square, its complement, its logarithm."""
    yield from (1 - value, 100 - value, value / 2, value * 2)
    with suppress(OverflowError):
        yield from (value * value, math.exp(value), math.degrees(value), math.radians(value))
    if value > 0:
        yield from (1 / value, math.sqrt(value), math.log(value), math.log2(value), math.log10(value))


def _with_digits_cut(expected: Node, value: float, worth: Worth) -> Iterator[tuple[float, float]]:
    """`0.007 × 50²` for 0.0076 × 50²: what comes out if digits of a small number were cut off; 0.8 has all its own."""
    for number in (each for each in walk(expected) if isinstance(each, Number)):
        decimals = number.decimals or 0
        if number.text.startswith("0.0") and len(number.text.strip("0.")) == 1 and "e" not in number.text:
            more = Number(f"{float(number.text) + 10.0**-decimals:.{decimals}f}", number.span, number.sign)
            other = worth(with_another(expected, number, more))
            yield min(value, other), max(value, other)


def _remainders(value: float, working: Span, printed: Span, source: str) -> Iterator[float]:
    """`64 + 64 = −128` in eight bits; `7 + 8 = 3` on a clock, where remainders are spoken of."""
    if not math.isfinite(value) or value != int(value):
        return
    for size in _WORD_SIZES:
        yield from (value - size, value + size)
    around = source[max(0, working.start - 300) : printed.end + 100]
    if _REMAINDER.search(around):
        for number in _nearby(working, printed, source):
            if number > 1 and number == int(number):
                yield value % number


def _in_bits(expected: Node, value: float, printed: Span, source: str) -> Iterator[float]:
    """`2^8 = 255` for all that eight bits can say; `2 + 4 + 16 = −22` where bits are spoken of."""
    if isinstance(expected, Power) and expected.base.key == "2":
        yield value - 1
    if _BITS.search(source[max(0, expected.span.start - 300) : printed.end + 100]):
        yield -value


def _combined(value: float, number: float) -> Iterator[float]:
    yield from (value + number, value - number, number - value, value * number)
    if number and value:
        yield from (value / number, number / value)


def _nearby(working: Span, printed: Span, source: str) -> list[float]:
    """The numbers on the same line outside of the working, and on the line before."""
    first, last = sorted((working, printed), key=lambda span: span.start)
    line = source.rfind("\n", 0, first.start) + 1
    start = source.rfind("\n", 0, max(0, line - 1)) + 1
    end = source.find("\n", last.end)
    texts = source[start : first.start], source[first.end : last.start], source[last.end : end if end >= 0 else None]
    found = [float(match[0].replace(",", "")) for text in texts for match in _NUMBER.finditer(text)]
    return found[-_MOST_NUMBERS:]
