"""Matrices drawn over several lines: bracketed rows under each other, read by column and written on one line.

    Q = [1 0]   K = [0 1]      is      Q = [1, 0; 1, 1]   K = [0, 1; 1, 0]
        [1 1]       [1 0]

Every sign keeps its place in the document. A drawing that may be read in two ways says so. Understands no mathematics.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from glassformer.by_hand.grammar.expressions import Span

MOST_ROWS = 200  # lines in one drawing
_NUMBER = r"[-−–+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?%?"
_ENTRY = re.compile(rf"{_NUMBER}|[-−–+]?(?:∞|inf)|\?")
_ENTRIES = rf"[ \t]*(?:{_ENTRY.pattern})(?:[ \t]+(?:{_ENTRY.pattern}))"
_ROW = re.compile(
    rf"""
    (?P<index>(?<=\w)(?:\[\s*[\d:]+\s*(?:,\s*[\d:]+\s*)?\])+)   # scores[0][1] is no row
  | \[[^\[\]\n]*\](?!\()                                        # nor is [a link](there)
  | [⎡⎢⎣⎛⎜⎝┌└╭╰][^⎤⎥⎦⎞⎟⎠┐┘╮╯\n]*[⎤⎥⎦⎞⎟⎠┐┘╮╯]
  | │[^│\n]*│
  | \|{_ENTRIES}*[ \t]*\|
  | \({_ENTRIES}+[ \t]*\)
    """,
    re.VERBOSE,
)
_OPENS = re.compile(r"[\[⎡⎢⎣⎛⎜⎝┌└╭╰│|(]")
_RELATION = re.compile(r"[=≈→⇒:]")
_CALL = re.compile(r"^[a-z_][\w.]*\(")  # a line of a program: `print(x @ w)`
_REMARK = re.compile(r"[ \t]*(?:#|//|←|<-+|%|\([^()]*[A-Za-z]{2}|[,.;]?[ \t]*[^\W\d_]{2,}[ \t,.]*(?![ \t]*[(\[=≈_^]))")
_MARGIN = re.compile(r"[ \t]*(?:>[ \t]?)+")
_COMMENT = re.compile(r"[ \t]*(?:#+|//+|--|%)(?=[ \t])")


@dataclass(frozen=True)
class Drawing:
    """A drawing as it reads on one line. `places` says where in the document each sign of it stands."""

    text: str
    places: tuple[int, ...]

    def after(self, text: str, start: int) -> "Drawing":
        """The same with a text before it that stands in the document from `start` on."""
        return Drawing(text + self.text, (*range(start, start + len(text)), *self.places))


@dataclass(frozen=True)
class Found:
    """Lines that belong together: what they say, or why that cannot be told; without either each stands alone."""

    span: Span
    drawing: Drawing | None
    why: str = ""


@dataclass(frozen=True)
class _Row:
    """A bracketed row: offsets in its line, and the columns it covers to the eye."""

    start: int
    end: int
    left: int
    right: int

    def over(self, other: "_Row") -> bool:
        """Whether the two cover, one above the other, at least half of the narrower one."""
        shared = min(self.right, other.right) - max(self.left, other.left)
        return 2 * shared >= min(self.right - self.left, other.right - other.left)


@dataclass
class _Line:
    """A line of the document, with its margin blanked."""

    start: int
    text: str
    rows: list[_Row]
    columns: list[int]

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def lead(self) -> str:
        """What stands before the first row."""
        return self.text[: self.rows[0].start].strip()


@dataclass
class _Block:
    """Rows that stand under each other: one matrix."""

    rows: list[tuple[_Line, _Row]] = field(default_factory=list)

    @cached_property
    def middle(self) -> float:
        return sum(row.left + row.right for _, row in self.rows) / (2 * len(self.rows))

    @cached_property
    def is_outer(self) -> bool:
        """Whether a bracket of its own stands around it: `[[1 0]` above `[1 1]]`."""
        (first, top), (last, bottom) = self.rows[0], self.rows[-1]
        return first.text[: top.start].endswith("[") and last.text[bottom.end :].startswith("]")

    @property
    def first(self) -> int:
        line, row = self.rows[0]
        return line.start + row.start


@dataclass(frozen=True)
class _Ink:
    """What stands between rows on one line: a name, a sign. `slot` is the number of matrices to its left."""

    line: _Line
    start: int
    end: int
    slot: int = 0

    @property
    def left(self) -> int:
        return self.line.columns[self.start]

    @property
    def right(self) -> int:
        return self.line.columns[self.end]


def find_drawing(text: str, start: int, end: int, *, code: bool = False) -> Found | None:
    """The drawing whose first line starts at `start`, or None if that line stands by itself."""
    first = _line(text, start, end, code=code)
    if first is None or not first.rows or not _may_go_on(text, first, end):
        return None
    if first.text.count("[") > first.text.count("]") and len(first.rows) == 1:
        return None  # [[1, 0], and its next line: brackets say it all
    band, following = _band(text, first, end, code=code)
    if following is not None and _begins_anew(band, following):
        if len(band) > 1 and not first.lead:
            rest, _ = _band(text, following, end, code=code)
            return _unclear([*band, *rest], "rows under each other without a gap: which belong to which name?")
    elif following is not None and _is_astray(band, following):
        return _unclear([*band, following], "a row stands below, but not under the bracket: does it belong here?")
    return _joined(band) if len(band) > 1 else None


# --- lines ------------------------------------------------------------------------------------------------------------


def _line(text: str, start: int, end: int, *, code: bool) -> _Line | None:
    """The line at an offset; None beyond the end, or if it is empty or holds LaTeX."""
    if start >= end:
        return None
    stop = text.find("\n", start, end)
    line = text[start : end if stop < 0 else stop]
    if not line.strip() or len(line) > 2000 or "$" in line or "\\" in line:
        return None
    margin = _MARGIN.match(line) or (_COMMENT.match(line) if code else None)
    if margin is not None:
        line = " " * margin.end() + line[margin.end() :]
    columns = _columns(line)
    found = [match for match in _ROW.finditer(line) if match["index"] is None]
    rows = [_Row(m.start(), m.end(), columns[m.start()], columns[m.end()]) for m in found]
    return _Line(start, line, rows, columns)


def _columns(line: str) -> list[int]:
    """The column at which each sign begins, and the one after the last."""
    column, answer = 0, []
    for sign in line:
        answer.append(column)
        if sign == "\t":
            column += 8 - column % 8
        elif not unicodedata.combining(sign):
            column += 2 if unicodedata.east_asian_width(sign) in "WF" else 1
    return [*answer, column]


def _may_go_on(text: str, line: _Line, end: int) -> bool:
    """A quick look at the next line: has it a bracket at all?"""
    stop = text.find("\n", line.end + 1, end)
    return _OPENS.search(text, line.end + 1, end if stop < 0 else stop) is not None


def _band(text: str, first: _Line, end: int, *, code: bool) -> tuple[list[_Line], _Line | None]:
    """Lines of which each has a row under a row of the one before, and the line after them."""
    band = [first]
    while len(band) < MOST_ROWS:
        following = _line(text, band[-1].end + 1, end, code=code)
        if following is None or not following.rows or not _is_under(band[-1], following):
            return band, following
        if _begins_anew(band, following):
            return band, following
        band.append(following)
    return band, None


def _is_under(line: _Line, following: _Line) -> bool:
    return any(upper.over(lower) for upper in line.rows for lower in following.rows)


def _begins_anew(band: list[_Line], following: _Line) -> bool:
    """`q1 = [1 0]`, and below it `q2 = [0 1]`: each has its name."""
    if not following.rows or not _is_under(band[-1], following):
        return False
    if not _RELATION.search(following.lead) and not _CALL.search(following.lead):
        return False
    return any(line.lead for line in band)


def _is_astray(band: list[_Line], following: _Line) -> bool:
    """A row under a named matrix, but not under its bracket: it may be one of its rows, and may not."""
    line = band[-1]
    if not following.rows or _is_under(line, following) or line.text[line.rows[-1].end :].strip():
        return False
    outside = _ROW.sub("", following.text).strip()
    numeric = all(_ENTRY.search(following.text, row.start + 1, row.end - 1) for row in following.rows)
    return not outside and numeric and any(_RELATION.search(each.text) for each in band)


# --- what a drawing says ----------------------------------------------------------------------------------------------


def _joined(band: list[_Line]) -> Found | None:
    blocks = sorted(_blocks(band), key=lambda block: block.middle)
    if not any(len(block.rows) > 1 and _has_numbers(block) for block in blocks):
        return None
    standing: dict[int, list[tuple[int, _Block, _Row]]] = {}  # the rows of each line, with the number of their block
    for i, block in enumerate(blocks):
        for line, row in block.rows:
            standing.setdefault(line.start, []).append((i, block, row))
    middles = [block.middle for block in blocks]
    inks = [ink for line in band for ink in _placed(line, standing[line.start], middles)]
    if _collide(inks):
        if not _RELATION.search(band[0].lead) and len({bool(line.lead) for line in band}) == 1:
            return Found(_span(band), None)  # lines of their own: [1 0] W = [1 0], and below it [0 1] W = [1 1]
        return _unclear(band, "matrices drawn over several lines, with signs in more than one line between them")
    return Found(_span(band), _written(blocks, inks))


def _blocks(band: list[_Line]) -> list[_Block]:
    blocks: list[_Block] = []
    above: list[tuple[_Block, _Row]] = []
    for line in band:
        here: list[tuple[_Block, _Row]] = []
        for row in line.rows:
            block = next(
                (b for b, upper in above if upper.over(row) and all(b is not other for other, _ in here)), None
            )
            if block is None:
                block = _Block()
                blocks.append(block)
            block.rows.append((line, row))
            here.append((block, row))
        above = here
    return blocks


def _has_numbers(block: _Block) -> bool:
    return any(_ENTRY.search(line.text, row.start + 1, row.end - 1) for line, row in block.rows)


def _inks(line: _Line) -> Iterator[tuple[int, int]]:
    """Stretches between the rows of a line; a comma after a row, an outer bracket and a closing remark are none."""
    position = 0
    for i, row in enumerate([*line.rows, None]):
        stop = len(line.text) if row is None else row.start
        between = line.text[position:stop]
        remark = row is None and i and _REMARK.match(between) and not _RELATION.search(between.partition("#")[0])
        start = position + len(between) - len(between.lstrip())
        if between.strip(" \t") and not remark:
            yield start, start + len(between.strip())
        position = 0 if row is None else row.end


def _placed(line: _Line, standing: list[tuple[int, _Block, _Row]], middles: list[float]) -> Iterator[_Ink]:
    for stretch in _inks(line):
        start, end = _without_outer(line, *stretch, standing)
        if start >= end:
            continue
        low = max((i + 1 for i, _, row in standing if row.end <= start), default=0)
        high = min((i for i, _, row in standing if row.start >= end), default=len(middles))
        middle = (line.columns[start] + line.columns[end]) / 2
        slot = bisect_left(middles, middle)
        yield _Ink(line, start, end, max(low, min(high, slot)))


def _without_outer(line: _Line, start: int, end: int, standing: list[tuple[int, _Block, _Row]]) -> tuple[int, int]:
    """Leaves out the outer brackets of `[[1 0]` above `[1 1]]`, and the comma between its rows."""
    for _, block, row in standing:
        if len(block.rows) < 2:
            continue
        is_first, is_last = block.rows[0][0] is line, block.rows[-1][0] is line
        if block.is_outer and is_first and row.start == end:
            end -= 1
        elif row.end == start and (block.is_outer if is_last else line.text[start] in ",;"):
            start += 1
    while start < end and line.text[end - 1] in " \t":
        end -= 1
    while start < end and line.text[start] in " \t":
        start += 1
    return start, end


def _collide(inks: list[_Ink]) -> bool:
    """Whether signs of two lines stand between the same matrices, one over the other."""
    for _, together in groupby(sorted(inks, key=lambda ink: (ink.slot, ink.left)), key=lambda ink: ink.slot):
        reach: dict[int, int] = {}  # how far to the right each line has come
        for ink in together:
            if any(right > ink.left for start, right in reach.items() if start != ink.line.start):
                return True
            reach[ink.line.start] = max(ink.right, reach.get(ink.line.start, 0))
    return False


def _unclear(lines: list[_Line], why: str) -> Found:
    return Found(_span(lines), None, why)


def _span(lines: list[_Line]) -> Span:
    return Span(lines[0].start, lines[-1].end)


# --- on one line ------------------------------------------------------------------------------------------------------


class _Pen:
    """Writes signs from anywhere in the document, one after the other."""

    def __init__(self) -> None:
        self.signs: list[str] = []
        self.places: list[int] = []

    def copy(self, line: _Line, start: int, end: int) -> None:
        self.signs += line.text[start:end]
        self.places += range(line.start + start, line.start + end)

    def put(self, signs: str, place: int) -> None:
        self.signs += signs
        self.places += [place] * len(signs)

    def drawing(self) -> Drawing:
        return Drawing("".join(self.signs), tuple(self.places))


def _written(blocks: list[_Block], inks: list[_Ink]) -> Drawing:
    pen = _Pen()
    right = 0
    for slot in range(len(blocks) + 1):
        for ink in sorted((ink for ink in inks if ink.slot == slot), key=lambda ink: ink.left):
            _gap(pen, ink.left - right)
            pen.copy(ink.line, ink.start, ink.end)
            right = ink.right
        if slot < len(blocks):
            block = blocks[slot]
            _gap(pen, min(row.left for _, row in block.rows) - right)
            _write_block(pen, block)
            right = max(row.right for _, row in block.rows)
    return pen.drawing()


def _gap(pen: _Pen, columns: int) -> None:
    if pen.signs:
        pen.put("   " if columns > 1 else " ", pen.places[-1])


def _write_block(pen: _Pen, block: _Block) -> None:
    pen.put("[", block.first)
    filled = [(line, row) for line, row in block.rows if line.text[row.start + 1 : row.end - 1].strip()]
    for i, (line, row) in enumerate(filled):
        if i:
            pen.put("; ", pen.places[-1])
        _write_row(pen, line, row)
    line, row = block.rows[-1]
    pen.put("]", line.start + row.end - 1)


def _write_row(pen: _Pen, line: _Line, row: _Row) -> None:
    """The entries with commas between them: numbers part at every space, expressions at wide ones."""
    start, end = row.start + 1, row.end - 1
    inner = line.text[start:end]
    pieces = list(re.finditer(r"\S+", inner))
    if not all(_ENTRY.fullmatch(piece[0]) for piece in pieces):
        wide = not re.search("[,;&]", inner) and list(re.finditer(r"\S+(?:[ \t]\S+)*", inner))
        pieces = wide or list(re.finditer(r"\S.*\S|\S", inner))
    for i, piece in enumerate(pieces):
        if i:
            pen.put(", ", pen.places[-1])
        pen.copy(line, start + piece.start(), start + piece.end())
