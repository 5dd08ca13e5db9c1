"""Why a result in a chain A = B = C that does not follow may yet be no mistake: a condition, an estimate, an equation.

Looks at the chain's own sides, at what stands around them and at sizes. Knows nothing of how a side was compared.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from glassformer.by_hand.checking.proof.evidence import is_written
from glassformer.by_hand.checking.proof.readings import (
    is_far_off,
    is_in_thousands,
    is_power_of_two,
    is_round,
    is_rounded_up,
)
from glassformer.by_hand.checking.proof.surroundings import (
    counts_otherwise,
    is_in_short_floats,
    is_remainder,
    is_shape_in_comment,
    is_shown_as_wrong,
    is_text,
    is_to_be_judged,
)
from glassformer.by_hand.grammar.expressions import Name, Node, Number, Span, names_in
from glassformer.by_hand.notes.statements import Statement
from glassformer.by_hand.numbers.comparison import is_near_miss
from glassformer.by_hand.numbers.evaluator import Evaluator
from glassformer.by_hand.numbers.intervals import LOCAL

_NOUGHTS = 4  # at the end of a number that is round, whatever sign stands before it
# Words before a formula after which it need not be a result, and those after which it need not be true.
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|unless|until|suppose|assum\w+|such that|provided|let(?:'s)?|say|imagine|want|wish|need|"
    r"should|would|could|solv\w+|setting|set|case|whether|boundary|where|target|goal|for)\b[^.;]*$",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:(?:if|suppose)\W+(?:\w+\W+){0,3}|"
    r"(?:whether|instead of|not|never|wrong\w*|mistake\w*|incorrect\w*)\b[^.;,:]*)$",
    re.I,
)
_MEASURED = re.compile(r"\b(?:measured?|observed?|simulated?|empirical(?:ly)?|experiment\w*)\b[^.;]*$", re.I)
_SO = re.compile(r"\b(?:so|then|thus|hence|therefore|gives?|yields?|get|have|obtain|find|becomes?|equals|is)\b", re.I)


@dataclass(frozen=True)
class Doubts:
    """What may be said for a chain whose numbers do not follow; asked only of such, for it takes time."""

    statement: Statement
    source: str
    evaluator: Callable[[], Evaluator]
    start: int  # the side at which the chain began, or began anew
    is_named: bool  # something stands in it for the result
    has_gap: bool  # something before could not be read
    is_ambiguous: bool  # what stands before can be read in more than one way

    def of_result(self, expected: Node, node: Node, *, is_about: bool) -> str:
        """Why a printed result may yet be no mistake; empty if it is one."""
        doubt = self.of_side(expected, node)
        if doubt:
            return doubt
        value = self._value(expected)
        is_coarse = is_round(node, value, noughts=1 if is_about else _NOUGHTS)
        is_coarse |= is_about and (is_far_off(node, value) or is_power_of_two(node, value))
        is_estimate = is_about and isinstance(node, Number) and is_near_miss(node, value) and "π" in names_in(expected)
        is_rough = is_rounded_up(node, value) or is_coarse or is_estimate or is_in_thousands(node, value)
        return "a round number, perhaps, an estimate, or one of another size" if is_rough else ""

    def of_side(self, expected: Node, node: Node) -> str:
        """Why a side that does not follow from what stands before may be meant so; empty if nothing says it."""
        said = self.unreal or self._of_reading(node) or self._of_place(expected, node)
        if said or is_written(expected):
            return said
        if isinstance(expected, Name) and expected.index:
            return "an entry that is set anew, perhaps"
        if _CONDITION.search(_SO.split(self.statement.lead)[-1]):
            return "a condition, perhaps, and not a result"
        is_first = expected is self.statement.sides[self.start].node
        is_equation = isinstance(node, Number) and not self.is_named and is_first
        if is_equation and (node.key == "0" or not self._has_vectors(expected)):
            return "an equation or a condition, perhaps, and not a result"
        return ""

    @property
    def unreal(self) -> str:
        """What the words before it say it is: supposed, denied or shown as an error."""
        unreal = _UNREAL.search(_SO.split(self.statement.lead)[-1])
        return "a condition, perhaps, or what is not so" if unreal else ""

    def _of_reading(self, node: Node) -> str:
        if self.has_gap:
            return "what stands between could not be read"
        if self.is_ambiguous:
            return "it can be read in more than one way"
        if self.statement.sides[self.start].is_quoted:
            return "a notation that is explained, perhaps"
        return "a shape, perhaps" if is_shape_in_comment(node.span, self.source) else ""

    def _of_place(self, expected: Node, node: Node) -> str:
        if self._of_chain:
            return self._of_chain
        if is_text(expected.span, self.source):
            return "letters that are put together, perhaps"
        if counts_otherwise(node.span, self.source):
            return "a number that counts places or hundredths, perhaps"
        after = Span(node.span.end, self.statement.sides[-1].span.end)
        return "a remainder" if is_remainder(after, self.source) else ""

    @cached_property
    def _of_chain(self) -> str:
        """Why the whole chain may say what is not so."""
        first, last = self.statement.sides[0].span, self.statement.sides[-1].span
        if is_shown_as_wrong(Span(first.start, last.end), self.source):
            return "shown as a mistake, perhaps"
        if _MEASURED.search(self.statement.lead):
            return "measured, perhaps, and not worked out"
        if is_in_short_floats(Span(first.start, last.end), self.source):
            return "what a machine gets with short numbers, perhaps"
        return "whether it is so is the question" if is_to_be_judged(first, self.source) else ""

    def _value(self, expected: Node) -> float:
        value = self.evaluator()(expected, itself=False)
        return float(value.middle(LOCAL)[0, 0]) if value.is_scalar else math.nan

    def _has_vectors(self, expected: Node) -> bool:
        evaluator = self.evaluator()
        evaluator(expected, itself=False)
        return any(not known.paper.is_scalar for known in evaluator.used)
