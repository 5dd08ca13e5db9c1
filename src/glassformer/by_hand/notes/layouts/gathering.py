"""Statements written one piece to a line, put on one line: a name above its rows, signs alone, a sum under a rule.

    X =              1.43 + 2.57           0.50
    [1 0 1]          =                   + 0.25
    [0 1 0]          4.00                ------
                                           0.75

Every sign keeps its place in the document. Understands no mathematics.
"""

import re
from collections.abc import Iterator

from glassformer.by_hand.grammar.expressions import Span
from glassformer.by_hand.notes.layouts.canvas import Drawing, Found, find_drawing

LONGEST = 120  # signs of a line that may be such a piece
_NAME = r"[ \t]*(?:[-*+][ \t]+)?[^\W\d][\w^{}'ᵀ ·*@/√()_.]{0,40}?[ \t]*[=≈][ \t]*"
_NAME_ALONE = re.compile(_NAME + r"(?:\n(?:[ \t]*\n)?(?=[ \t]*\[)|(?=\[[ \t]*\n))")
_SIGN_ALONE = re.compile(r"[ \t]*[-−+×*·@/÷=≈⊙]|[ \t]*\\times")
_NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)"
_ADDEND = re.compile(rf"[ \t]*([-+−]?)[ \t]*({_NUMBER})[ \t]*\Z")
_RULE = re.compile(r"[ \t]*[-─—_=]{3,}[ \t]*\Z")
_ENTRY = re.compile(rf"[-−+]?(?:{_NUMBER})")
_WORD = re.compile(r"[^\W\d_]{3,}")


def find_gathered(text: str, start: int, end: int, *, code: bool = False) -> Found | None:
    """The pieces whose first line starts at `start`, or None if that line stands by itself."""
    if match := _NAME_ALONE.match(text, start, end):
        return _name_above_rows(text, Span(start, match.end()), end, code=code)
    line = next(_lines(text, start, end), None)
    if line is None or line.end - line.start > LONGEST:
        return None
    return _signs_between(text, line, end) or _sum_under_rule(text, start, end)


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield Span(start, stop)
        start = stop + 1


def _name_above_rows(text: str, name: Span, end: int, *, code: bool) -> Found | None:
    """`X =`, and on the next line a row, rows under each other, or a list over several lines."""
    drawn = find_drawing(text, name.end, end, code=code)
    before = text[name.start : name.end].replace("\n", " ")
    if drawn is not None:
        if drawn.drawing is None:
            return drawn if drawn.why else None
        return Found(Span(name.start, drawn.span.end), drawn.drawing.after(before, name.start))
    depth = 0
    for i in range(name.end, min(end, name.end + 20_000)):
        depth += (text[i] == "[") - (text[i] == "]")
        if depth == 0 and text[i] == "]":
            line_end = text.find("\n", i, end)
            stop = end if line_end < 0 else line_end
            return Found(Span(name.start, stop), _on_one_line(text, Span(name.start, stop)))
    return None


def _on_one_line(text: str, span: Span) -> Drawing:
    """The lines of a span side by side; within a bracket lines of as many bare numbers are rows."""
    written = text[span.start : span.end]
    inner = re.search(r"\[([^\[\]]*\n[^\[\]]*)\]", written)
    rows = [line.split() for line in inner[1].split("\n") if line.strip()] if inner else []
    are_rows = len(rows) > 1 and len({len(row) for row in rows}) == 1
    if inner is not None and are_rows and all(_ENTRY.fullmatch(entry) for row in rows for entry in row):
        body = re.sub(r"(?<=\S)([ \t]*)\n(?=[ \t]*\S)", r"\1;", inner[1])
        written = written[: inner.start(1)] + body + written[inner.end(1) :]
        written = written.replace("\n", " ")
    elif inner is None:
        written = written.replace("\n", " ")
    return Drawing(written, tuple(range(span.start, span.end)))


def _signs_between(text: str, first: Span, end: int) -> Found | None:
    """Pieces and signs in turn, each on a line of its own: a formula, `=`, and what it is equal to."""
    filled = (
        line for line in _lines(text, first.start, min(end, first.start + 4000)) if text[line.start : line.end].strip()
    )
    last, relations = next(filled, None), 0
    while last is not None:
        sign, piece = next(filled, None), next(filled, None)
        if sign is None or piece is None or piece.end - piece.start > LONGEST:
            break
        written = text[sign.start : sign.end].strip()
        if not _SIGN_ALONE.fullmatch(written) or not _is_piece(text[piece.start : piece.end]):
            break
        relations += written in "=≈"
        last = piece
    if last is None or not relations or not _is_piece(text[first.start : first.end]):
        return None
    whole = Span(first.start, last.end)
    return Found(whole, _on_one_line(text, whole))


def _is_piece(line: str) -> bool:
    """A formula or a name, and no sentence."""
    bare = line.strip()
    return bool(bare) and not re.search(r"[=≈:$]|\.\Z", bare) and len(_WORD.findall(bare)) <= 4


def _sum_under_rule(text: str, start: int, end: int) -> Found | None:
    """Numbers under each other, a rule, and their sum."""
    pieces: list[tuple[str, Span]] = []  # the sign before each number
    ruled = False
    for line in _lines(text, start, min(end, start + 2000)):
        written = text[line.start : line.end]
        match = _ADDEND.match(written)
        if match is not None:
            number = Span(line.start + match.start(2), line.start + match.end(2))
            if ruled:
                return _summed(text, pieces, number, Span(start, line.end), match[1])
            pieces.append((match[1], number))
        elif _RULE.match(written) and len(pieces) > 1 and any(sign for sign, _ in pieces[1:]) and not ruled:
            ruled = True
        else:
            return None
    return None


def _summed(text: str, pieces: list[tuple[str, Span]], total: Span, span: Span, sign: str) -> Found:
    signs: list[str] = []
    places: list[int] = []

    def put(words: str, number: Span) -> None:
        written = text[number.start : number.end]
        signs.append(words + written)
        places.extend([number.start] * len(words))
        places.extend(range(number.start, number.end))

    for i, (before, number) in enumerate(pieces):
        put(f" {before or '+'} " if i else before, number)
    put(" = " + sign, total)
    return Found(span, Drawing("".join(signs), tuple(places)))
