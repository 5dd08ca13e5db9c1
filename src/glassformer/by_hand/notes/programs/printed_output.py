"""Lays what a program prints beside the text that was seen, and reads the numbers in it: arrays, tensors, floats.

Follows the events of python_values.py sign by sign; where they part, nothing further is laid beside anything. An array
with … in it is not read. Knows nothing of how values come about.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from glassformer.by_hand.grammar.expressions import Matrix, Number, Span
from glassformer.by_hand.notes.programs.python_values import Event, Gap, Hole

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?inf\b")
_OPENING = re.compile(r"\s*(?:array|tensor|matrix|np\.float64|np\.float32|np\.int64|np\.int32)?\(?\s*")
_CLOSING = re.compile(r"(?:\s*,\s*(?:dtype|device|grad_fn|requires_grad)=[^\n)]*(?:<[^>\n]*>)?)*\s*\)")
_ANCHOR = 4  # signs; fewer words are found by chance


@dataclass(frozen=True)
class PrintedValue:
    """A value that was printed: the numbers as they stand in the text, and what the program gives for them."""

    printed: Matrix | Number
    value: np.ndarray
    source: ast.expr
    sure: bool = True  # all that was printed before stands there, too, as far as it is known


def lay_beside(events: list[Event], text: str, start: int) -> Iterator[PrintedValue]:
    """The holes of `events` found in the text, whose first sign stands at `start` in the document."""
    position, lost, sure = 0, False, True
    for event in events:
        if isinstance(event, Gap):
            lost = True
        elif isinstance(event, str):
            found = _after_words(event, text, position, lost)
            sure &= found is not None or lost
            position = position if found is None else found
            lost = found is None or (lost and len(event.strip()) < _ANCHOR)
        elif not lost:
            reached = _shown(event.value, text, position)
            if reached is None:
                lost, sure = True, sure and not isinstance(event.value, int | float | np.ndarray)
                continue
            position, numbers = reached
            if numbers is not None and (seen := _seen(event, numbers, start)) is not None:
                yield replace(seen, sure=sure)


def _after_words(words: str, text: str, position: int, lost: bool) -> int | None:
    """Where the text goes on after these words; spaces do not count. None if they do not stand there."""
    bare = words.split()
    if lost:
        if len(words.strip()) < _ANCHOR or text.count(words.strip(), position) != 1:
            return None
        return text.index(words.strip(), position) + len(words.strip())
    for word in bare:
        position = _skip(text, position)
        if not text.startswith(word, position):
            return None
        position += len(word)
    return position


def _skip(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _shown(value: object, text: str, position: int) -> tuple[int, list[list[Number]] | None] | None:
    """Where a printed value ends, and its rows of numbers (None if it is none); None if something else stands there."""
    opening = _OPENING.match(text, position)
    begin = opening.end() if opening else position
    called = opening is not None and "(" in opening[0]
    if text.startswith("[", begin):
        end = _closing_bracket(text, begin)
        if end is None:
            return None
        rows = None if "..." in text[begin:end] else _rows(text, begin, end)
    else:
        number = _NUMBER.match(text, begin)
        if number is None or not isinstance(value, int | float | np.number | np.ndarray):
            return _words(value, text, position)
        end, rows = number.end(), [[_number(number, 0)]]
    if called:
        closing = _CLOSING.match(text, end)
        if closing is None:
            return None
        end = closing.end()
    return end, rows


def _words(value: object, text: str, position: int) -> tuple[int, None] | None:
    """A value that is no number, such as a shape or a truth, as Python writes it."""
    shape = [f"torch.Size({list(value)})"] if isinstance(value, tuple) else []
    ends = [_after_words(said, text, position, lost=False) for said in (str(value), *shape)]
    return next(((end, None) for end in ends if end is not None), None)


def _closing_bracket(text: str, begin: int) -> int | None:
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "[") - (text[i] == "]")
        if depth == 0:
            return i + 1
    return None


def _rows(text: str, begin: int, end: int) -> list[list[Number]] | None:
    """The innermost brackets, one row each; None if anything but numbers stands in them."""
    rows = []
    for inner in re.compile(r"\[([^\[\]]*)\]").finditer(text, begin, end):
        numbers = list(_NUMBER.finditer(text, inner.start(1), inner.end(1)))
        if _NUMBER.sub("", inner[1]).strip(" ,\n\t") or not numbers:
            return None
        rows.append([_number(each, 0) for each in numbers])
    return rows if rows and len({len(row) for row in rows}) == 1 else None


def _number(match: re.Match[str], start: int) -> Number:
    text = match[0].lstrip("+-")
    return Number(text, Span(start + match.start(), start + match.end()), -1 if match[0].startswith("-") else 1)


def _seen(hole: Hole, rows: list[list[Number]], start: int) -> PrintedValue | None:
    """The hole with its numbers, if it has as many as the value."""
    try:
        value = np.asarray(hole.value, dtype=float)
    except (TypeError, ValueError):
        return None
    if value.size != len(rows) * len(rows[0]) or not np.isfinite(value).all() or value.size == 0:
        return None
    if value.ndim and value.shape[-1] != len(rows[0]):
        return None
    placed = [
        [Number(each.text, Span(each.span.start + start, each.span.end + start), each.sign) for each in row]
        for row in rows
    ]
    span = Span(placed[0][0].span.start, placed[-1][-1].span.end)
    printed = Matrix(tuple(tuple(row) for row in placed), span) if value.ndim else placed[0][0]
    whole = value.reshape(len(rows), len(rows[0]))
    return PrintedValue(printed, whole, hole.source)
