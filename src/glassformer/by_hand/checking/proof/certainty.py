"""Which wrong numbers are wrong beyond doubt, and why the others are not: those are to be looked at again.

trust.py says that a number was read as it is meant, as far as can be told; this asks for more. A misreading gives any
number; a slip of the pen one that resembles the right one digit by digit, stands among right ones, or comes where
the notes work in the same way again and again and are right. Knows nothing of how documents are read.
"""

import re

import numpy as np

from glassformer.by_hand.checking.proof.evidence import is_written
from glassformer.by_hand.checking.proof.surroundings import ends_there, is_about, stands_plainly
from glassformer.by_hand.checking.proof.trust import Record
from glassformer.by_hand.grammar.expressions import (
    Call,
    Inverse,
    Matrix,
    Negative,
    Node,
    Number,
    Product,
    Sum,
    is_printed,
    walk,
)
from glassformer.by_hand.numbers.comparison import entries_of, units
from glassformer.by_hand.numbers.intervals import DEEP, LOCAL
from glassformer.by_hand.numbers.likeness import is_shifted, likeness, telling_digits
from glassformer.by_hand.numbers.worlds import Flaw
from glassformer.by_hand.slips.causes import CHANCE, WRONG_AXIS

FAR = "it is far from what we get, so that something else may be meant"
FEW_DIGITS = "it has too few digits to tell a slip from another meaning"
OTHER_NAMES = "a name in it may stand for something else here"
FEW_RIGHT = "too few numbers beside it come out to tell what is meant"
OTHER_SIGN = "its sign may stand for another function"
FINE = "it may have been worked out with fewer digits than are printed"
GIVEN_ANEW = "it may have been given anew"
OTHER_AXIS = "the softmax may be meant over columns, which gives all of it"

_DIGITS = 3  # that resemble the right ones: chance hardly gives them
_SMALL = 3  # numbers of a vector
_CLOSE = 0.12  # of the right number
_NOUGHT = 0.02  # of the largest term
_SIZE = 4.0  # times the right number
_ABOUT = 0.2  # of it: nobody says ≈ of what is further off
_FINE_DIGITS, _FINE = 7, 1e-5  # more than single precision has
# Said, or shown by Q before K turned over: a token is a row.
_ROWS_ARE_MEANT = re.compile(
    r"\brows?\b|(?:axis|dim)\s*=\s*(?:-\s*1|1)\b"
    r"|Q(?:_\{?\w{1,5}\}?)?\s*(?:@|\\cdot|·|\*)?\s*K(?:_\{?\w{1,5}\}?)?\s*(?:\^\s*\{?\s*\\?(?:top|intercal|math\w+|T)|ᵀ|\.T\b|')",
    re.I,
)


def why_look_again(flaw: Flaw, record: Record, source: str) -> str:
    """Why wrong numbers may be meant otherwise; empty if they are wrong beyond doubt."""
    if flaw.kind == "formula":
        return _doubt_of_function(flaw, source)
    if flaw.excuse:
        return flaw.excuse
    if _is_plainly_wrong(flaw, source):
        return ""
    if not flaw.ground:
        return FAR
    if isinstance(flaw.literal, Number):
        return _doubt_of_number(flaw, flaw.literal, record, source)
    if isinstance(flaw.literal, Matrix) and is_printed(flaw.literal):
        return _doubt_of_matrix(flaw, record, source)
    return "" if flaw.expected is not None and record.vouches_for(flaw.expected) else FAR


def is_tellable(literal: Node) -> bool:
    """Whether what is printed is a result as it stands: a number, a matrix, or a fraction of two numbers."""
    if isinstance(literal, Product):
        first, *rest = literal.factors
        return isinstance(first, Number) and len(rest) == 1 and is_tellable(rest[0])
    if isinstance(literal, Inverse):
        return isinstance(literal.of, Number)
    return isinstance(literal, Number | Matrix)


def _doubt_of_number(flaw: Flaw, printed: Number, record: Record, source: str) -> str:
    assert flaw.expected is not None
    assert flaw.right is not None
    if flaw.is_copy and flaw.is_put_in and flaw.is_proven:
        return GIVEN_ANEW if _is_given_before(printed, source) else ""
    rights = [float(flaw.right.middle(reading)[0, 0]) for reading in (LOCAL, DEEP)]
    if _is_fine(printed, rights[0]):
        return FINE
    alike = max(likeness(printed, right) for right in rights)
    has_kin = record.vouches_for(flaw.expected)
    if flaw.sure != "impossible" and not alike:
        return flaw.sure if telling_digits(printed) <= _DIGITS else ""  # one of the working is the misprint, it seems
    if flaw.state == "slip" and is_shifted(printed, rights[0]):
        return ""
    if has_kin and _is_close(printed, flaw.expected, rights[0]):
        return ""
    least = _DIGITS
    is_put_in = flaw.is_put_in and not flaw.is_copy
    is_alone = _is_alone(flaw, source) and not is_about(flaw.expected.span, printed.span, source)
    least -= has_kin or flaw.state != "open" or is_put_in or is_alone
    least += not is_written(flaw.expected) and (flaw.by_scalars or not flaw.is_pinned)
    if alike >= least or (is_alone and _is_off_by_one(printed, flaw.expected, rights[0])):
        return ""
    return FAR if not alike else FEW_DIGITS if is_written(flaw.expected) else OTHER_NAMES


def _is_close(printed: Number, working: Node, right: float) -> bool:
    """Whether a number of many digits is near the right one, or near 0 beside the terms of a sum that is 0."""
    terms = [each.value for each in working.terms if isinstance(each, Number)] if isinstance(working, Sum) else []
    size = _CLOSE * abs(right) if right else _NOUGHT * max(map(abs, terms), default=0.0)
    return telling_digits(printed) >= (_DIGITS if right else 1) and abs(printed.value - right) <= size


def _is_alone(flaw: Flaw, source: str) -> bool:
    """Whether nothing but the working and its result stands in the line or the formula."""
    assert flaw.expected is not None
    is_beside = stands_plainly(flaw.expected.span, flaw.literal.span, source)
    return is_beside and ends_there(flaw.literal.span, source)


def is_plain_and_alone(flaw: Flaw, source: str) -> bool:
    """Whether decimals are added, multiplied and divided, and nothing else stands in the line."""
    printed, working = flaw.literal, flaw.expected
    is_worked = isinstance(printed, Number) and working is not None and _is_plain(printed, working)
    return is_worked and _is_alone(flaw, source)


def _is_plainly_wrong(flaw: Flaw, source: str) -> bool:
    """`4.113 / 8.169 = 0.904`, alone in its line: as large as the right number is, so that no unit or per cent lies
    between them; and where ≈ stands there, further off than anybody would round."""
    printed, working = flaw.literal, flaw.expected
    if not isinstance(printed, Number) or working is None or flaw.right is None or flaw.sure != "impossible":
        return False
    if not is_plain_and_alone(flaw, source):
        return False
    right = float(flaw.right.middle(LOCAL)[0, 0])
    ratio = printed.value / right if right else 0.0
    is_near = is_about(working.span, printed.span, source) and abs(ratio - 1) < _ABOUT
    return 1 / _SIZE < ratio < _SIZE and not is_near and not _is_fine(printed, right)


def _is_plain(printed: Number, working: Node) -> bool:
    """Whether decimals are added, multiplied and divided, with no function or name that might mean something else."""
    parts = list(walk(working))
    numbers = [each for each in parts if isinstance(each, Number)]
    is_arithmetic = all(isinstance(each, Number | Sum | Product | Negative | Inverse) for each in parts)
    has_decimals = printed.decimals is not None and any(each.decimals is not None for each in numbers)
    return is_arithmetic and has_decimals and printed.value != 0


def _is_off_by_one(printed: Number, working: Node, right: float) -> bool:
    """`2 + 2 = 5`: whole numbers."""
    is_whole = all(each.decimals is None for each in walk(working) if isinstance(each, Number))
    return is_whole and is_written(working) and printed.decimals is None and abs(printed.value - right) == 1


def _is_fine(printed: Number, right: float) -> bool:
    """`log 2 = 0.69314715`: the last of so many digits are those of a machine. Whole numbers have none to lose."""
    return (
        printed.decimals is not None
        and telling_digits(printed) >= _FINE_DIGITS
        and abs(printed.value - right) <= _FINE * abs(right)
    )


def _is_given_before(printed: Number, source: str) -> bool:
    """Whether the number put in stands after a word or a sign in the text before, which may give it to the name."""
    text = rf"(?:[=≈:→]|[^\W\d_])[\s$*`]*(?<![\w.]){re.escape(printed.text)}(?!\w|\.\d)"
    return re.search(text, source[: printed.span.start]) is not None


def _doubt_of_matrix(flaw: Flaw, record: Record, source: str) -> str:
    assert flaw.expected is not None
    assert flaw.right is not None
    if flaw.cause == WRONG_AXIS and not _ROWS_ARE_MEANT.search(source):
        return OTHER_AXIS
    numbers, wrong = entries_of(flaw.literal), flaw.wrong
    telling = np.array([[abs(number.value) not in (0, 1) for number in row] for row in numbers])
    n_wrong, n_right = int(wrong.sum()), int((~wrong & telling).sum())
    if n_right >= max(1 if flaw.is_proven else 2, n_wrong):
        return ""
    if _is_alone(flaw, source) and is_written(flaw.expected) and wrong.mean() <= 0.5:
        return ""
    if n_wrong == 1 and wrong.size > _SMALL:
        return ""
    if n_right and _breaks_its_sum(flaw):
        return ""
    if isinstance(flaw.expected, Matrix) and is_written(flaw.expected) and not wrong.all():
        return ""  # entry by entry its working stands beside it
    is_known = flaw.cause is not None and flaw.cause not in CHANCE
    explained = sum(telling_digits(numbers[i][j]) for i, j in np.argwhere(wrong & telling).tolist())
    if is_known and (
        max(explained, n_wrong) > _DIGITS or (n_wrong > 1 and (flaw.is_pinned or record.speaks_for(flaw.expected)))
    ):
        return ""
    if flaw.state == "slip" and (is_known or wrong.mean() <= 0.5):
        return ""
    least = min(_likeness_at(flaw, i, j) for i, j in np.argwhere(wrong).tolist())
    enough = _DIGITS - (flaw.state != "open")
    if least and (n_right or least >= enough or record.vouches_for(flaw.expected)):
        return ""
    return "" if record.vouches_for(flaw.expected) and n_right else FEW_RIGHT


def _breaks_its_sum(flaw: Flaw) -> bool:
    """Whether weights of a softmax, one row or column of them, do not sum to 1, whatever they come from."""
    numbers = [number for row in entries_of(flaw.literal) for number in row]
    is_softmax = isinstance(flaw.expected, Call) and flaw.expected.function == "softmax" and 1 in flaw.wrong.shape
    return is_softmax and abs(sum(number.value for number in numbers) - 1) > float(units(flaw.literal).sum())


def _likeness_at(flaw: Flaw, i: int, j: int) -> int:
    assert flaw.right is not None
    number = entries_of(flaw.literal)[i][j]
    return max(likeness(number, float(flaw.right.middle(reading)[i, j])) for reading in (LOCAL, DEEP))


def _doubt_of_function(flaw: Flaw, source: str) -> str:
    """A function is another one only if its name is written out: σ stands for this and that."""
    said = (flaw.cause or "").split(" ")[0]
    calls = [each for each in walk(flaw.expected) if isinstance(each, Call)] if flaw.expected is not None else []
    spans = [each.span for each in calls if each.function == said]
    is_spelled = any(said in source[span.start : span.start + 40].lower() for span in spans)
    digits = [telling_digits(each) for each in walk(flaw.literal) if isinstance(each, Number)]
    return "" if is_spelled and sum(digits) > _DIGITS else OTHER_SIGN
