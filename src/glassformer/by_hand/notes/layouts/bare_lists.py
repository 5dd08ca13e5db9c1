"""Results written as a list without brackets after the name of a stage or an operation, put into brackets.

    scores: 1, 2, 3                      is      scores: [1, 2, 3]
    softmax(s) = 0.09, 0.24, 0.67        is      softmax(s) = [0.09, 0.24, 0.67]

A list after any other words may be anything (years, layers, steps), and stays as it is. Every sign keeps its place in
the document. Understands no mathematics.
"""

import re

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.grammar.names import FUNCTIONS, STAGE_WORDS
from glassformer.by_hand.notes.layouts.canvas import Drawing, Found

_NUMBER = r"[-−]?(?:\d+(?:\.\d+)?|\.\d+)%?"
_LINE = re.compile(
    rf"[ \t]*(?:[-*+>•][ \t]+)?\**(?P<caption>[^\W\d_][^\n:=≈\[\]|$]{{0,60}}?)\**[ \t]*(?P<sign>[:=≈])\**[ \t]*"
    rf"(?P<list>{_NUMBER}(?:[,;][ \t]+{_NUMBER})+)[ \t]*\.?[ \t]*$",
    re.M,
)
_CALL = re.compile(r"(\w+)[ \t]?\([^()\n]{1,40}\)")
_OPERATION = re.compile(r"\b(?:soft(?:arg)?max\w*|sigmoid|relu|gelu|tanh|exponen\w+|normali[sz]ed|logits)\b", re.I)
_STAGES = frozenset(word for word in STAGE_WORDS if len(word) > 1)
_MOST_WORDS = 5
_PARTS = re.compile(r"\b(?:row|column|head|layer|token|step|of|for|at|in|per)\b", re.I)  # more than the stage is meant


def find_bare_list(text: str, start: int, end: int) -> Found | None:
    """The line at `start` with its list in brackets, or None if it has no such list."""
    line = _LINE.match(text, start, end)
    if line is None:
        return None
    call = _CALL.fullmatch(line["caption"])
    is_call = call is not None and call[1].lower() in FUNCTIONS
    if not is_call and (line["sign"] != ":" or not _names_result(line["caption"])):
        return None
    caption, numbers = Span(*line.span("caption")), Span(*line.span("list"))
    before = " = [" if is_call else ": ["
    places = (
        *range(caption.start, caption.end),
        *[numbers.start] * len(before),
        *range(numbers.start, numbers.end),
        numbers.end - 1,
    )
    return Found(Span(start, line.end()), Drawing(f"{line['caption']}{before}{line['list']}]", places))


def _names_result(caption: str) -> bool:
    words = caption.split()
    if len(words) > _MOST_WORDS or _PARTS.search(caption):
        return False
    return " ".join(words).lower() in _STAGES or _OPERATION.search(caption) is not None
