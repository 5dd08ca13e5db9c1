"""Lays a known expression over a printed one, and compares wherever printed numbers stand for something known.

`X W_Q` over `[1, 0] [[1, 0], [1, 1]]` compares X with the row and W_Q with the matrix; `y − ŷ` over `1.5 − 0.56` finds
that y was given as 1. Knows nothing of chains.
"""

from dataclasses import dataclass, field

import numpy as np

from glassformer.by_hand.checking.ledger import Ledger, Topic
from glassformer.by_hand.checking.proof.cut_digits import PutIn, are_cut_off
from glassformer.by_hand.checking.proof.evidence import UnsureError, is_written
from glassformer.by_hand.checking.proof.readings import beginnings, read_otherwise, with_mixed_numbers
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
    names_in,
    walk,
    with_children,
)
from glassformer.by_hand.grammar.names import is_plain_word
from glassformer.by_hand.numbers.comparison import fit, fit_values, units
from glassformer.by_hand.numbers.evaluator import product_of
from glassformer.by_hand.numbers.intervals import GENEROUS, LOCAL, Value
from glassformer.by_hand.numbers.scope import UnknownError
from glassformer.errors import InputError

_GOES_ON = "it goes on with the result of what stands before"
_COUNTS = frozenset("nNmMkKiIjJ")  # letters that count something else in every example


@dataclass
class Laid:
    """Two expressions, one over the other: what was put in for what."""

    pairs: list[tuple[Node, Node]] = field(default_factory=list)
    is_whole: bool = True  # both have the same form throughout

    def lay(self, known: Node, side: Node) -> "Laid":
        """Pairs the parts of two expressions of one form; parts of different forms are pairs as they are."""
        match known, side:
            case (Sum(), Sum()) | (Product(), Product()) | (Power(), Power()):
                same = len(children(known)) == len(children(side))
            case (Inverse(), Inverse()) | (Negative(), Negative()) | (Transpose(), Transpose()):
                same = True
            case (Call(), Call()):
                same = known.function == side.function
            case _:
                same = False
        if same:
            for ours, theirs in zip(children(known), children(side), strict=True):
                self.lay(ours, theirs)
            return self
        self.is_whole &= isinstance(side, Number)
        self.pairs.append((known, side))
        return self


class Alignment:
    """Compares one expression with another, part by part, about one subject."""

    def __init__(self, ledger: Ledger, subject: Topic, *, about: bool) -> None:
        self.ledger, self.subject = ledger, subject
        self.about = about  # the two are joined by ≈

    def begin(self, known: Node, side: Node) -> int:
        """Gives the number of comparisons made; none in an equation to be solved: `xᵀ [1, 0] = xᵀ [0, 1]`."""
        shared = names_in(known) & names_in(side)
        is_equation = any(self.ledger.scope.find(name) is None for name in shared) and has_matrix(known)
        if is_equation:
            return 0
        is_plain = is_written(known) and is_written(side) and has_matrix(side) and not is_printed(side)
        if is_plain and not self._have_alike_parts(known, side):  # `(2/3, 1/3) / ‖…‖ = (2, 1) / ‖…‖`: of other parts
            if self._agree(known, side):
                return 1
            if isinstance(known, Product) and isinstance(side, Product):
                return self._whole(known, side)
        return self.align(known, side)

    def align(self, known: Node, side: Node) -> int:
        """The same for parts of them."""
        ledger = self.ledger
        if isinstance(known, Number) and isinstance(side, Number):
            return 0  # two bare numbers in two products: the products are compared, or nothing is
        if is_printed(side):
            if isinstance(known, Name) and isinstance(side, Number) and ledger.scope.find(known.key) is None:
                ledger.scope.bind(known, ledger.given(side))  # √d = √2 says what d is
                return 0
            return self._compare_if_known(known, side)
        if isinstance(side, Name):
            return 0
        if not has_matrix(side):
            return self._numbers(known, side)
        match known, side:
            case (Matrix(), Matrix()) if len(known.rows) == len(side.rows) and len(children(known)) == len(
                children(side)
            ):
                return self._entries(known, side)
            case (Call(of=ours, function=one), Call(of=theirs, function=other)) if one == other:
                return self.align(ours, theirs)
            case (Transpose(of=ours), Transpose(of=theirs)) | (Inverse(of=ours), Inverse(of=theirs)):
                return self.align(ours, theirs)
            case (Negative(of=ours), Negative(of=theirs)):
                return self.align(ours, theirs)
            case (Power(), Power()):
                return self.align(known.base, side.base)
            case (Sum(), Sum()) if len(known.terms) == len(side.terms):
                return sum(self.align(a, b) for a, b in zip(known.terms, side.terms, strict=True))
            case (Product(), Product()) if known.entrywise == side.entrywise:
                return self._products(known, side)
        return self._whole(known, side)

    def _entries(self, known: Matrix, side: Matrix) -> int:
        """Entry by entry, where some are left out; else as a whole."""
        if not any(isinstance(entry, Name) and entry.text == "…" for entry in children(side)):
            return self._whole(known, side)
        pairs = zip(children(known), children(side), strict=True)
        return sum(self.align(ours, theirs) for ours, theirs in pairs if _is_result(ours) and is_printed(theirs))

    def _compare_if_known(self, known: Node, side: Node) -> int:
        """A name put in before it was known is given by the numbers in its place.

        A plain word such as cat has another row at every step (input, query, key): it is compared only where it fits.
        """
        ledger = self.ledger
        if isinstance(known, Name) and is_plain_word(known.text) and not ledger.fits(known, side):
            ledger.literals[id(side)] = ledger.given(side)
            return 0
        try:
            ledger.compare(known, side, self.subject)
        except UnknownError:
            if isinstance(known, Name) and not known.index:
                ledger.literals[id(side)] = ledger.given(side)
                ledger.scope.bind(known, ledger.literals[id(side)])
            return 0
        except UnsureError:
            ledger.literals[id(side)] = ledger.given(side)  # the name stands for something else by now
            return 0
        return 1

    def _whole(self, known: Node, side: Node) -> int:
        if not (self.ledger.can_work_out(known) and self.ledger.can_work_out(side)):
            return 0
        mixed = [with_mixed_numbers(each, self.ledger.source) for each in (known, side)]
        if not self._agree(known, side) and self._agree(*mixed):
            return 1
        if not self._agree(known, side) and self._goes_on(known, side):
            raise UnsureError(_GOES_ON)
        self.ledger.compare(known, side, self.subject)
        return 1

    def _products(self, known: Product, side: Product) -> int:
        """Factor by factor; factors already multiplied are one."""
        theirs = side.factors
        if len(theirs) == len(known.factors):
            return sum(self.align(a, b) for a, b in zip(known.factors, theirs, strict=True))
        if len(theirs) < len(known.factors):
            for ours in _groupings(known.factors, len(theirs)):
                pairs = list(zip(ours, theirs, strict=True))
                if all(self._same_shape(a, b) for a, b in pairs) and all(self._agree_somewhat(a, b) for a, b in pairs):
                    return sum(self.align(a, b) for a, b in pairs)
        return self._whole(known, side)

    def _have_alike_parts(self, known: Node, side: Node) -> bool:
        """Whether a matrix of one was plainly put in for one of the other; 2/3 is not 1, though it is rounded so."""
        ours = [each for each in walk(known) if isinstance(each, Matrix)]
        theirs = [each for each in walk(side) if isinstance(each, Matrix) and is_printed(each)]
        return any(self._same_shape(a, b) and self._are_mostly_the_same(a, b) for a in ours for b in theirs)

    def _are_mostly_the_same(self, a: Node, b: Node) -> bool:
        ours, theirs = (self.ledger.evaluator()(each).middle(LOCAL) for each in (a, b))
        return bool(np.isclose(ours, theirs).mean() >= 0.5)

    def _agree_somewhat(self, known: Node, side: Node) -> bool:
        """Whether a part was plainly put in for another: most of its numbers are the same."""
        if not is_printed(side):
            return self._agree(known, side)
        try:
            wrong = fit(side, self.ledger.evaluator()(known)).wrong
        except InputError:
            return False
        return bool(wrong.mean() <= 0.5)

    def _same_shape(self, a: Node, b: Node) -> bool:
        try:
            return self.ledger.evaluator()(a).shape == self.ledger.evaluator()(b).shape
        except InputError:
            return False

    # --- single numbers -----------------------------------------------------------------------------------------

    def _numbers(self, known: Node, side: Node) -> int:
        """Where the whole is not the same, the part is looked for that makes the difference."""
        ledger = self.ledger
        laid = Laid().lay(known, side)
        for ours, theirs in laid.pairs:
            if isinstance(ours, Name) and isinstance(theirs, Number) and not ours.index:
                self._learn(ours, theirs)
        if not (ledger.can_work_out(known) and ledger.can_work_out(side)):
            return 0
        if self._agree(known, side):
            for ours, theirs in laid.pairs:
                if isinstance(theirs, Number) and not isinstance(ours, Number) and self._agree(ours, theirs):
                    ledger.compare(ours, theirs, self.subject)
            self._cut_off(laid.pairs)
            return 1
        wrong = [pair for pair in laid.pairs if not self._agree(*pair)]
        right = [pair for pair in laid.pairs if pair not in wrong]
        if laid.is_whole and not wrong:
            return 1  # `5 / √200 = 5 / 14.1`: each part is right as it is rounded
        if laid.is_whole and self._is_changed_given(wrong, right):
            ledger.compare(*wrong[0], self.subject, proven=True)
            return 1
        if laid.is_whole and wrong and len(wrong) <= max(1, len(right)) and all(_is_result(ours) for ours, _ in wrong):
            for pair in wrong:
                ledger.compare(*pair, self.subject)
            return 1
        if not is_written(known) or self.about:
            raise UnsureError("other numbers are put in than those given before")
        if self._goes_on(known, side):
            raise UnsureError(_GOES_ON)
        if any(self._agree(other, side) for other in read_otherwise(known, side, ledger.source)):
            raise UnsureError("a division that can be read in two ways")
        if any(self._agree(known, other) for other in read_otherwise(side, known, ledger.source)):
            raise UnsureError("a division that can be read in two ways")
        if is_printed(known) and not is_written(side):
            raise UnsureError("an equation, perhaps, and not a result")
        if is_printed(known):
            ledger.compare(side, known, self.subject)  # `0.6 = 0.2 × 3`: the result stands first
        else:
            ledger.compare(known, side, self.subject)
        return 1

    def _cut_off(self, pairs: list[tuple[Node, Node]]) -> None:
        """`(e^7.09 + e^4.96) / 2 ≈ (1199 + 142) / 2`: what each part is worth, its digits cut off."""
        numbers: dict[PutIn, tuple[Node, Number]] = {}
        for ours, theirs in pairs:
            if isinstance(theirs, Number) and _is_result(ours):
                value, unit = self.ledger.evaluator()(ours, itself=False), float(units(theirs)[0, 0])
                low, high = value.low[GENEROUS, 0, 0], value.high[GENEROUS, 0, 0]
                worked = float(value.middle(LOCAL)[0, 0])
                numbers.setdefault(PutIn(theirs.value, unit, worked, float(low), float(high)), (ours, theirs))
        for cut in are_cut_off(list(numbers)):
            self.ledger.cut_off(*numbers[cut], self.subject)

    def _learn(self, name: Name, number: Number) -> None:
        """A name that nothing was said about is given by the number put in for it."""
        try:
            self.ledger.evaluator()(name)
        except UnknownError:
            self.ledger.scope.bind(name, self.ledger.given(number))
        except InputError:
            return

    def _agree(self, known: Node, side: Node) -> bool:
        """Whether the two have the same value, in some meaning of the names."""
        if isinstance(known, Number) and isinstance(side, Number):
            is_rounded = (known.decimals or 0) > (side.decimals or 0) > 0
            return self.ledger.fits(known, side) if is_rounded else known.value == side.value
        if isinstance(side, Number):
            if isinstance(known, Name):
                return any(_is_value(version.paper, side) for version in self.ledger.scope.versions(known.key))
            return self.ledger.fits(known, side)
        try:
            ours, theirs = self.ledger.evaluator()(known, itself=False), self.ledger.evaluator()(side)
            return not fit_values(theirs, ours).wrong.any()
        except InputError:
            return False

    def _is_changed_given(self, wrong: list[tuple[Node, Node]], right: list[tuple[Node, Node]]) -> bool:
        """One name has another number than it was given, and another has its own decimals: it is worked out here.

        A name of the same letter with that very number (w_new, w′) would explain it. Whole numbers recur.
        """
        name, number = (_named(wrong[0][0]), wrong[0][1]) if len(wrong) == 1 else (None, None)
        if name is None or not isinstance(number, Number) or name.text in _COUNTS:
            return False
        others = [(other, theirs) for ours, theirs in right if (other := _named(ours)) is not None]
        if not any(other.key != name.key and isinstance(own, Number) and own.decimals for other, own in others):
            return False
        versions = self.ledger.scope.versions(name.key)
        is_of_this_example = name.key in self.ledger.scope.known
        if len(versions) != 1 or versions[0].literal is None or not is_of_this_example:
            return False
        letter = name.text[0].lower()
        related = (
            known
            for scope in self.ledger.scope.scopes()
            for key, known in scope.known.items()
            if key != name.key and key[:1].lower() == letter
        )
        return not any(_is_value(known.paper, number) for known in related)

    def _goes_on(self, known: Node, side: Node) -> bool:
        """`0.5 × 0.4 = 0.2 × 3 = 0.6`: what a side begins with is the result of the one before."""
        return any(
            self.ledger.fits(known, first) if isinstance(first, Number) else self._agree(known, first)
            for first in beginnings(side)
        )


def _named(node: Node) -> Name | None:
    """The name of which it is the value, with or without a minus sign."""
    inner = node.of if isinstance(node, Negative) else node
    return inner if isinstance(inner, Name) else None


def _is_value(value: Value, number: Number) -> bool:
    return value.is_scalar and not fit(number, value).wrong.any()


def _is_result(node: Node) -> bool:
    """Whether there is something to be worked out in it, and nothing to be looked up."""
    return bool(children(node)) and is_written(node)


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
