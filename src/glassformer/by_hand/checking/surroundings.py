"""What stands on the page around a formula or a printed number, and says that it may be meant otherwise.

Looks at the text alone, and knows nothing of values.
"""

import re

from glassformer.by_hand.grammar.expressions import (
    Inverse,
    Negative,
    Node,
    Number,
    Product,
    Span,
    Sum,
    sum_of,
    walk,
)

_DASH_BEFORE = re.compile(r"(?:^|\n)[ \t>]*[-−–][ \t]+$")
_DASH_FIRST = re.compile(r"[-−–][ \t]")
_ORDINAL = re.compile(r"\$?(?:(?:th|st|nd|rd)\b|\s*per\s?cent)")
_ARRAY = re.compile(r"\b(?:array|asarray|tensor|matrix)\(\s*$")
_LONGEST_INDENT = 40


def dash_read_otherwise(first: Node, source: str) -> Node | None:
    """`- 0.5 + 1 = …` at the beginning of a line: a dash of a list may be a minus, and a minus such a dash."""
    before = source[max(0, first.span.start - _LONGEST_INDENT) : first.span.start]
    is_minus = bool(re.search(r"(?:^|\n)[ \t>]*$", before) and _DASH_FIRST.match(source, first.span.start))
    return _sign_turned(first) if is_minus or _DASH_BEFORE.search(before) else None


def _sign_turned(node: Node) -> Node:
    if isinstance(node, Sum):
        return sum_of([_sign_turned(node.terms[0]), *node.terms[1:]], node.span)
    if isinstance(node, Number):
        return Number(node.text, node.span, -node.sign, node.percent)
    return node.of if isinstance(node, Negative) else Negative(node, node.span)


def counts_otherwise(printed: Span, source: str) -> bool:
    """`$9/10 = 90$th` and `0.9 = 90 percent`: the number is said in hundredths, or counts places."""
    return _ORDINAL.match(source, printed.end) is not None


def in_hundredths(expected: Node, printed: Node) -> list[Node]:
    """It, and the same with its result in hundredths if a per cent sign stands on one side only; the likelier first."""
    numbers = [each for each in walk(expected) if isinstance(each, Number)]
    signed = any(number.percent for number in numbers)
    if not isinstance(printed, Number) or printed.percent == signed:
        return [expected]
    hundred = Number("100", expected.span)
    other = Product((expected, hundred if signed else Inverse(hundred, hundred.span)), expected.span)
    is_sum = isinstance(expected, Sum) and (signed or any(abs(number.value) > 1 for number in numbers))
    likely = is_sum or (not signed and any(number.value == 100 for number in numbers))
    return [other, expected] if likely else [expected, other]


def is_set_by_program(printed: Span, source: str) -> bool:
    """`v = np.array([1, 1])`: a program sets a name, whatever it was before."""
    return _ARRAY.search(source[max(0, printed.start - _LONGEST_INDENT) : printed.start]) is not None
