"""Steps that only words name: `Step 3 — softmax each row` above a matrix, `Applying softmax to S gives` before one.

The matrix above is what the step is of, or the one that the words name. Such a reading is taken only where it leaves no
doubt: one operation is named, and at least half of the printed numbers come out. The rest is then a claim like others.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from lark import Token

from glassformer.by_hand.grammar.expressions import Call, Inverse, Matrix, Node, Number, Span, is_printed, product
from glassformer.by_hand.grammar.lexing import Ground, lex
from glassformer.by_hand.grammar.parsing import UnreadableError, parse
from glassformer.by_hand.grammar.signs import OPENS, RELATIONS
from glassformer.by_hand.notes.documents import Document, Passage

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
MOST_WORDS = 30  # a longer sentence says more than one thing
_APART = frozenset({"COMMA", "SEMICOLON", "WIDE", "ROWEND", "BREAK"})
_NUMBER = r"(\d+(?:\.\d+)?)"
_ROOT = re.compile(rf"(?:scal|divid)\w*\b[^.]*?(?:√|\\sqrt)\s*[{{(]?\s*{_NUMBER}", re.I)
_BY = re.compile(rf"(?:scal|divid)\w*\b[^.]*?\bby\b[^.\d√\\]*{_NUMBER}\b", re.I)
_SYMBOL = re.compile(r"\$\s*([A-Z](?:_\{?\w+\}?)?)\s*\$")


@dataclass(frozen=True)
class _Printed:
    """A matrix that a passage prints, and the name it gives it."""

    name: str
    matrix: Matrix
    values: Floats
    half: float  # of its last printed digit


@dataclass(frozen=True)
class _Step:
    """What words name: how it is written, and how it is worked out."""

    write: Callable[[Node], Node]
    work: Callable[[Floats], Floats]


def _softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    answer: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return answer


_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "softmax": _softmax,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
}


def read_named_steps(document: Document) -> None:
    """Adds a claim for each matrix whose step is named above it."""
    found: list[Passage] = []
    known: dict[str, _Printed] = {}
    last: _Printed | None = None
    words = ""
    for passage in document.passages:
        printed = _printed(document, passage) if passage.kind in ("math", "code") or passage.drawing else None
        if printed is None:
            said = document.slice(passage.span) if passage.kind in ("heading", "text") and not passage.drawing else ""
            words = said if said.strip() else words if passage.kind == "text" else ""
            last = last if passage.kind in ("heading", "text") else None
            continue
        before = _operand(words, known, last)
        step = _named(words)
        if before is not None and step is not None and _is_meant(step, before, printed):
            sides = (step.write(before.matrix), printed.matrix)
            found.append(Passage("given", passage.span, sides=sides, caption=printed.name))
        words, last = "", printed
        known[printed.name] = printed
    if found:
        document.passages = sorted([*document.passages, *found], key=lambda passage: passage.span.start)


def _operand(words: str, known: dict[str, _Printed], last: _Printed | None) -> _Printed | None:
    """The matrix that the words name, or the one above if they name none."""
    symbols = {re.sub(r"[{}]", "", symbol) for symbol in _SYMBOL.findall(words)}
    if not symbols:
        return last
    return known.get(next(iter(symbols))) if len(symbols) == 1 else None


def _named(words: str) -> _Step | None:
    """The one step that the words name; None if they name none, or several."""
    if not words or len(words.split()) > MOST_WORDS:
        return None
    lower = words.lower()
    steps: list[_Step | None] = [
        _function(name) for name in _FUNCTIONS if re.search(rf"\b{name[:4]}-?{name[4:]}\b", lower)
    ]
    if re.search(r"\b(?:scal|divid)", lower):
        root, by = _ROOT.search(words), _BY.search(words)
        steps += [_division(root[1], root=True)] if root else [_division(by[1], root=False)] if by else [None]
    if re.search(r"\bmask|\bmultipl|\badd|\btranspos|\bsum\b|\bcolumn", lower):
        return None
    return steps[0] if len(steps) == 1 else None


def _function(name: str) -> _Step:
    return _Step(lambda node: Call(name, node, node.span), _FUNCTIONS[name])


def _division(number: str, *, root: bool) -> _Step | None:
    divisor = float(number) ** (0.5 if root else 1)
    if not divisor:
        return None

    def write(node: Node) -> Node:
        by: Node = Number(number, Span(node.span.start, node.span.start))
        by = Call("sqrt", by, by.span) if root else by
        return product([node, Inverse(by, by.span)], node.span)

    return _Step(write, lambda x: x / divisor)


def _is_meant(step: _Step, before: _Printed, printed: _Printed) -> bool:
    """At least half of the numbers come out, and not because nothing was done."""
    if before.values.shape != printed.values.shape or printed.values.size < 2:
        return False
    with np.errstate(all="ignore"):
        right = step.work(before.values)
    near = np.abs(right - printed.values) <= 1.02 * printed.half + 2 * before.half
    return bool(2 * near.sum() >= near.size) and not np.array_equal(before.values, printed.values)


# --- matrices as they are printed -------------------------------------------------------------------------------------


def _printed(document: Document, passage: Passage) -> _Printed | None:
    """The one matrix that a passage prints, alone or after a name; None if it says more."""
    text, start = document.slice(passage.span), passage.span.start
    places: tuple[int, ...] = ()
    if passage.drawing is not None:
        text, places = passage.drawing.text, passage.drawing.places
    if len(text) > 5000:
        return None
    text, places = document.macros.put_in(text, start, places)
    way = "math" if passage.kind == "math" else "text"
    sides = list(_sides(lex(Ground(text, start, way, "", places))))
    if not 1 <= len(sides) <= 2 or not all(sides):
        return None
    name = str(sides[0][0]) if len(sides) == 2 and len(sides[0]) == 1 and sides[0][0].type in ("NAME", "WORD") else ""
    if len(sides) == 2 and not name:
        return _result(sides[1], "")
    return _result(sides[-1], name)


def _result(tokens: list[Token], name: str) -> _Printed | None:
    try:
        node = parse(tokens)
    except UnreadableError:
        return None
    if not isinstance(node, Matrix) or not is_printed(node):
        return None
    entries = [[entry for entry in row if isinstance(entry, Number)] for row in node.rows]
    values = np.array([[entry.value for entry in row] for row in entries])
    halves = [0.5 * 10.0**-entry.decimals for row in entries for entry in row if entry.decimals is not None]
    return _Printed(name, node, values, max(halves, default=0.0)) if np.isfinite(values).all() else None


def _sides(tokens: list[Token]) -> Iterator[list[Token]]:
    """What stands between relations; nothing if there is more than one statement."""
    depth = 0
    side: list[Token] = []
    while tokens and tokens[-1].type in _APART:
        tokens = tokens[:-1]
    for token in tokens:
        depth += OPENS.get(token.type, 0)
        if depth <= 0 and token.type in _APART:
            yield []
            return
        if depth <= 0 and token.type in RELATIONS:
            yield side
            side = []
        elif token.type != "AMP" or depth > 0:
            side.append(token)
    yield side
