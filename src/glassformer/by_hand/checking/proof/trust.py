"""Whether the notes themselves show that a number was read as it is meant: without that, none is called wrong.

A misreading gives some number, an error one that is close to the right one; a misreading happens wherever the notation
occurs, an error once among many that are right. So a wrong number counts if it stands plainly beside its working, is
near the right one or among right ones, comes from a known slip, is contradicted by what follows, or belongs to a kind
of working that was found right elsewhere in the notes. Knows nothing of how documents are read.
"""

from collections import Counter

import numpy as np

from glassformer.by_hand.checking.proof.evidence import is_written
from glassformer.by_hand.checking.proof.surroundings import (
    ends_there,
    goes_on,
    has_column_between,
    has_labels,
    has_unit,
    is_applied,
    is_copied_from_page,
    is_cut,
    is_decimal_comma,
    stands_plainly,
)
from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Name,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Transpose,
    children,
    is_printed,
    walk,
)
from glassformer.by_hand.numbers.comparison import are_near_misses, entries_of
from glassformer.by_hand.numbers.intervals import LOCAL
from glassformer.by_hand.numbers.likeness import likeness, telling_digits
from glassformer.by_hand.numbers.worlds import Flaw
from glassformer.by_hand.slips.causes import CHANCE

_FACTOR = 2  # between two numbers of one unit that were confused
_MOST_TIMES = 3  # between a wrong number and the right one that it was meant for
_SMALL = 3  # numbers of a vector
_ENOUGH = 2  # right results of one kind that show how it is meant
_TIMES_MORE = 2  # right results than wrong ones
_MANY_DIGITS = 3  # so many that chance hardly gives them
_MANY = 3  # right results of one shape that leave no doubt how it is meant

Form = frozenset[str]


def form_of(node: Node) -> Form:
    """The kind of working: which operations and functions occur in it, with numbers, names or matrices."""
    return frozenset(_sign(each) for each in walk(node) if not isinstance(each, Number))


def shape_of(node: Node) -> str:
    """The working as it is written, with any number for each of its numbers: finer than its kind."""
    inner = ",".join(shape_of(child) for child in children(node))
    return f"{_sign(node)}({inner})" if inner else _sign(node)


def _sign(node: Node) -> str:
    if isinstance(node, Call):
        return node.function
    if isinstance(node, Product | Sum | Inverse | Power | Transpose | Matrix | Name):
        return type(node).__name__
    return ""


class Record:
    """How often each kind of working came out right in these notes, and how often not."""

    def __init__(self) -> None:
        self.right: Counter[Form] = Counter()
        self.wrong: Counter[Form] = Counter()
        self.right_shapes: Counter[str] = Counter()
        self.wrong_shapes: Counter[str] = Counter()
        self.workings: set[str] = set()  # those that came out right

    def note(self, expected: Node, *, is_right: bool, is_near: bool = False) -> None:
        """One result was compared; one that is nearly right tells nothing against its shape."""
        (self.right if is_right else self.wrong)[form_of(expected)] += 1
        if is_right or not is_near:
            (self.right_shapes if is_right else self.wrong_shapes)[shape_of(expected)] += 1
        if is_right:
            self.workings.add(expected.key)

    def speaks_for(self, expected: Node) -> bool:
        """Whether such workings were read as they are meant, as far as can be told."""
        form = form_of(expected)
        return self.right[form] >= max(_ENOUGH, _TIMES_MORE * self.wrong[form])

    def speaks_against(self, expected: Node) -> bool:
        """Whether workings of this very shape come out wrong again and again: they are meant otherwise."""
        shape = shape_of(expected)
        return self.wrong_shapes[shape] >= max(_MANY, 1 + self.right_shapes[shape])

    def vouches_for(self, expected: Node) -> bool:
        """Whether workings of this very shape came out right again and again, and hardly ever wrong."""
        shape = shape_of(expected)
        return self.right_shapes[shape] >= max(_MANY, _TIMES_MORE * self.wrong_shapes[shape])


def ground(flaw: Flaw, record: Record, source: str) -> str:
    """What shows that the wrong number was meant for the formula; empty if nothing does."""
    assert flaw.expected is not None
    if _is_misread(flaw, source):
        return ""
    if flaw.is_proven:
        return "the notes pin it down"
    if not isinstance(flaw.literal, Matrix) and record.speaks_against(flaw.expected):
        return ""
    is_beside = stands_plainly(flaw.expected.span, flaw.literal.span, source)
    if flaw.state == "slip" and flaw.is_put_in and flaw.on_page:
        return "what stands before it and after it agree"
    if not isinstance(flaw.literal, Matrix) and not is_beside and not _is_near_elsewhere(flaw, source):
        return ""
    if flaw.state == "slip" and (is_printed(flaw.literal) or isinstance(flaw.literal, Matrix)):
        return "what follows contradicts it"
    if is_printed(flaw.literal) and _are_set_to_nought(flaw):
        return ""
    if isinstance(flaw.literal, Number) and has_unit(flaw.literal.span, source):
        return "it is close, in the same unit" if _is_close(flaw) else ""  # a unit may be another one
    if flaw.by_scalars:
        return "it is close, from the numbers given" if _is_close(flaw) else ""  # a letter stands for this and that
    if is_written(flaw.expected) and flaw.expected.key in record.workings and not _resembles(flaw):
        return ""  # the very working stands elsewhere with its own result: it was left standing here, perhaps
    if record.speaks_for(flaw.expected):
        return "others of its kind are right"
    has_entries = any(isinstance(each, Name) and each.index for each in walk(flaw.expected))
    is_pinned = is_written(flaw.expected) or (flaw.is_pinned and not has_entries)
    is_plain = is_pinned and not flaw.is_copy and _looks_like_result(flaw.literal)
    if is_plain and is_beside and _is_of_one_size(flaw):
        return "it stands beside its working"
    return _by_its_looks(flaw) if is_printed(flaw.literal) else ""


def is_plain_sum(flaw: Flaw, record: Record, source: str) -> bool:
    """Whether a number and its working, all in numbers, stand alone in a line: such may be looked at again."""
    if not isinstance(flaw.literal, Number) or flaw.expected is None or not is_written(flaw.expected):
        return False
    if telling_digits(flaw.literal) < _ENOUGH:
        return False  # noughts are remainders, and ones are true
    is_beside = stands_plainly(flaw.expected.span, flaw.literal.span, source) and ends_there(flaw.literal.span, source)
    return is_beside and not _is_misread(flaw, source) and not record.speaks_against(flaw.expected)


def _is_misread(flaw: Flaw, source: str) -> bool:
    """Whether there is a sign on the page that it was not read as it stands there."""
    assert flaw.expected is not None
    assert flaw.right is not None
    if isinstance(flaw.literal, Number) and not np.isfinite(flaw.right.middle(LOCAL)).all():
        return True  # a division by nought, or what no number is
    first, last = sorted((flaw.expected.span, flaw.literal.span), key=lambda span: span.start)
    if has_column_between(first, last, source):
        return True
    if not flaw.is_put_in and (is_cut(first, source) or goes_on(last, source)):
        return True
    if has_labels(flaw.expected.span, source) or (
        isinstance(flaw.literal, Number) and _has_pairs(flaw.expected, source)
    ):
        return True
    has_names = any(isinstance(each, Name) for each in walk(flaw.expected))
    is_application = has_names and is_applied(flaw.expected.span, source)
    return is_application or is_copied_from_page(flaw.literal.span, source)


def _is_near_elsewhere(flaw: Flaw, source: str) -> bool:
    """Whether a number that stands somewhere else is close, or nearly right where it is put in or has a unit."""
    assert flaw.right is not None
    if not isinstance(flaw.literal, Number):
        return False
    if not (flaw.is_put_in or has_unit(flaw.literal.span, source)):
        return _is_close(flaw)
    return are_near_misses(flaw.literal, flaw.wrong, flaw.right)


def _resembles(flaw: Flaw) -> bool:
    """Whether a number has the digits of the right one but for one slip of the pen: it was meant for it."""
    assert flaw.right is not None
    right = float(flaw.right.middle(LOCAL)[0, 0])
    return isinstance(flaw.literal, Number) and likeness(flaw.literal, right) >= _MANY_DIGITS


def _has_pairs(expected: Node, source: str) -> bool:
    """`4 (0,5) / 2 = 1`: a pair that may be a decimal."""
    matrices = (each for each in walk(expected) if isinstance(each, Matrix))
    return any(is_decimal_comma(each.span, source) for each in matrices)


def _is_of_one_size(flaw: Flaw) -> bool:
    """Whether the printed numbers have about the size of the right ones: what is far off was hardly meant for them."""
    assert flaw.right is not None
    if not is_printed(flaw.literal) or are_near_misses(flaw.literal, flaw.wrong, flaw.right):
        return True
    right, numbers = flaw.right.middle(LOCAL), entries_of(flaw.literal)
    pairs = [(numbers[i][j].value, float(right[i, j])) for i, j in np.argwhere(flaw.wrong).tolist()]
    return float(flaw.wrong.mean()) <= 0.5 or all(
        not wanted or 1 / _MOST_TIMES <= value / wanted <= _MOST_TIMES for value, wanted in pairs
    )


def _looks_like_result(literal: Node) -> bool:
    """Numbers, a fraction, or matrices; `1/3 − 1` goes on with something else as often as not."""
    if isinstance(literal, Number | Matrix | Inverse):
        return True
    return isinstance(literal, Product) and all(isinstance(each, Number | Inverse | Matrix) for each in literal.factors)


def _by_its_looks(flaw: Flaw) -> str:
    """What the printed numbers themselves show."""
    assert flaw.right is not None
    among = _stands_among_telling_ones if flaw.is_copy and not flaw.is_put_in else _stands_among_right_ones
    if not flaw.is_copy:  # a name may be given anew
        is_shifted = flaw.cause == "decimal point moved" and _has_one_digit(flaw.literal)  # as any number is to a 1
        if flaw.cause is not None and flaw.cause not in CHANCE and not is_shifted:
            return "a known slip gives it"
        if are_near_misses(flaw.literal, flaw.wrong, flaw.right):
            return "it is nearly right"
    return "it stands among right ones" if among(flaw) else ""


def _has_one_digit(literal: Node) -> bool:
    return isinstance(literal, Number) and len(literal.text.strip("0.")) <= 1


def _are_set_to_nought(flaw: Flaw) -> bool:
    """`W = ξξᵀ / 4` with noughts on its diagonal: the words may say so, and all else is right."""
    noughts = np.array([[number.value == 0 for number in row] for row in entries_of(flaw.literal)])
    return int(flaw.wrong.sum()) > 1 and bool(noughts[flaw.wrong].all()) and bool((~flaw.wrong & ~noughts).any())


def _is_close(flaw: Flaw) -> bool:
    """Whether the wrong numbers are nearly right, with the same sign and of the same size."""
    assert flaw.right is not None
    if not is_printed(flaw.literal) or not are_near_misses(flaw.literal, flaw.wrong, flaw.right):
        return False
    right, numbers = flaw.right.middle(LOCAL), entries_of(flaw.literal)
    ratios = (numbers[i][j].value / (float(right[i, j]) or 1.0) for i, j in np.argwhere(flaw.wrong).tolist())
    return all(1 / _FACTOR < ratio < _FACTOR for ratio in ratios)


def _stands_among_telling_ones(flaw: Flaw) -> bool:
    """Whether at least as many numbers are right as wrong; noughts and ones stand everywhere, and tell nothing."""
    telling = np.array([[abs(number.value) not in (0, 1) for number in row] for row in entries_of(flaw.literal)])
    least = _ENOUGH if flaw.is_copy else 1
    return int((~flaw.wrong & telling).sum()) >= max(least, int(flaw.wrong.sum()))


def _stands_among_right_ones(flaw: Flaw) -> bool:
    is_one_of_many = int(flaw.wrong.sum()) == 1 and flaw.wrong.size > _SMALL
    return is_one_of_many or _stands_among_telling_ones(flaw)
