"""A matrix printed one number to a line, as pages lose it when they are copied: put on one line, as `W = [1, 0; 0, 1]`.

    W_V (2×2)          Q
    1                  [
    0                  1
    0                  0
    1                  ]

Read only where the page says where it ends: by its size, stated beside the name or just above it, or by brackets.
Without a size, a bracket holds one row. Every sign keeps its place in the document. Understands no mathematics.
"""

import re

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.layouts.canvas import Drawing, Found

MOST_LINES = 400
_SYMBOL = r"[^\W\d_](?:[_^]?\{?\w{1,3}\}?)?(?:[ \t]?\(?(?:ᵀ|\^T)\)?)?"
_NAME = re.compile(rf"[ \t]*({_SYMBOL})[ \t]*(?:\([^()\n]{{1,40}}\))?[ \t]*[=:]?[ \t]*$", re.M)
_SIZE = re.compile(r"(?<![\w.])(\d{1,2})[ \t]?(?:×|x|X|\\times|by)[ \t]?(\d{1,2})(?![\w.])")
_NUMBER = re.compile(r"[ \t]*([-−–+]?(?:\d+(?:\.\d*)?|\.\d+)),?[ \t]*\Z")
_WORDS = re.compile(r"[^\d=≈\[\](){}|]*[^\W\d_]{3}[^\d=≈\[\](){}|]*\Z")
_LINES_ABOVE, _FARTHEST = 2, 300  # lines and signs in which a size may be stated


def find_upright(text: str, start: int, end: int) -> Found | None:
    """The matrix whose name stands on the line at `start`, or None if none is printed upright below it."""
    named = _NAME.match(text, start, end)
    lines = _lines(text, start, end) if named else []
    if named is None or len(lines) < 3:
        return None
    bare = [text[line.start : line.end].strip() for line in lines]
    first = 2 if _WORDS.match(bare[1]) else 1  # a line may say what the matrix is for
    opened = bare[first] == "["
    first += opened
    numbers: list[Span] = []
    for line in lines[first:]:
        match = _NUMBER.match(text[line.start : line.end])
        if match is None:
            break
        numbers.append(Span(line.start + match.start(1), line.start + match.end(1)))
    after = bare[first + len(numbers)] if first + len(numbers) < len(bare) else ""
    width = _width(_stated(text, lines[0]), len(numbers), closed=opened and after == "]")
    if not width or (opened and after != "]"):
        return None
    last = lines[first + len(numbers) - (not opened)]
    name = Span(named.start(1), named.end(1))
    return Found(Span(start, last.end), _on_one_line(text, name, numbers, width))


def _lines(text: str, start: int, end: int) -> list[Span]:
    """The lines from `start` on, blank ones left out."""
    answer: list[Span] = []
    while start < end and len(answer) < MOST_LINES:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        if text[start:stop].strip():
            answer.append(Span(start, stop))
        start = stop + 1
    return answer


def _stated(text: str, line: Span) -> set[tuple[int, int]]:
    """The sizes that the line of the name states; or else the lines above it."""
    own = _SIZE.findall(text[line.start : line.end])
    above = text[max(0, line.start - _FARTHEST) : line.start].rstrip().split("\n")[-_LINES_ABOVE:]
    found = own or [size for each in above for size in _SIZE.findall(each)]
    return {(int(rows), int(columns)) for rows, columns in found}


def _width(sizes: set[tuple[int, int]], n: int, *, closed: bool) -> int:
    """How many numbers make a row; 0 if the page does not say so, or says two things."""
    if not sizes:
        return n if closed and n > 1 else 0
    rows, columns = next(iter(sizes))
    return columns if len(sizes) == 1 and rows * columns == n else 0


def _on_one_line(text: str, name: Span, numbers: list[Span], width: int) -> Drawing:
    signs, places = [text[name.start : name.end], " = ["], [*range(name.start, name.end), *[name.end - 1] * 4]
    for i, number in enumerate(numbers):
        before = "" if i == 0 else "; " if i % width == 0 else ", "
        signs += [before, text[number.start : number.end]]
        places += [*[number.start] * len(before), *range(number.start, number.end)]
    return Drawing("".join([*signs, "]"]), (*places, numbers[-1].end - 1))
