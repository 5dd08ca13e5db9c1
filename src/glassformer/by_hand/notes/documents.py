"""A document as a row of passages: headings, mathematics, lines of text and code, each with its place in the file.

Cuts Markdown, LaTeX and plain text; what kind of file a path holds is decided in reading.py. Understands no maths.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from glassformer.by_hand.grammar.expressions import Node, Span
from glassformer.by_hand.notes.layouts.bare_lists import find_bare_list
from glassformer.by_hand.notes.layouts.canvas import Drawing, find_drawing
from glassformer.by_hand.notes.layouts.gathering import find_gathered
from glassformer.by_hand.notes.layouts.upright_numbers import find_upright
from glassformer.by_hand.notes.macros import DISPLAYS, Macros

LONGEST_LINE = 100_000
# `0,5 · 0,4 = 0,2` outside all brackets, `[0,659; 0,242]` and `[0,5 0,4]`: commas before decimals, not between entries.
_COMMA_OUTSIDE = re.compile(r"(?:[·×*+/≈]\s*[-−]?(?:0,\d+|\d+,(?:\d{1,2}|\d{4,}))|=\s*[-−]?0,\d{2,})(?![\d,]|\s*,)")
_COMMAS_IN_LIST = re.compile(
    r"[\[;]\s*[-−]?0,\d{2,}\s*;\s*[-−]?\d+,\d{2,}\s*[;\]]|\[\s*[-−]?\d+,\d+(?:\s+[-−]?\d+,\d+)+\s*\]"
)


@dataclass(frozen=True)
class Place:
    """Where something stands: lines and columns are counted from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Passage:
    """A stretch of a document: `kind` is heading, math, text, code or given (already read, as from a sheet)."""

    kind: str
    span: Span
    level: int = 0
    sides: tuple[Node, ...] = ()  # only for given
    caption: str = ""  # what it is called, if not by the words around it
    drawing: Drawing | None = None  # what it says on one line, if it is drawn over several

    def moved(self, by: int) -> "Passage":
        """The same passage, further on in a longer text."""
        span = Span(self.span.start + by, self.span.end + by)
        drawn = self.drawing and replace(self.drawing, places=tuple(place + by for place in self.drawing.places))
        return replace(self, span=span, drawing=drawn)


@dataclass
class Document:
    """The text of one file and how it is cut. `parts` are labelled offsets, such as the cells of a notebook."""

    file: str
    text: str
    passages: list[Passage] = field(default_factory=list)
    unreadable: list[tuple[int, str]] = field(default_factory=list)  # offset and reason
    parts: list[tuple[int, str]] = field(default_factory=list)
    exact: bool = False  # the given numbers are exact, and not rounded
    passed_over: list[tuple[int, str]] = field(default_factory=list)  # offset and reason: no workings
    results_unread: list[tuple[tuple[int, ...], str]] = field(
        default_factory=list
    )  # where printed results stand, and why
    read_as: str = ""  # the text with blanks for what is not to be read, such as comments
    ways: Mapping[str, str] | None = None  # of a worksheet of one layer: how the stages that have a choice are made
    macros: Macros = field(default_factory=Macros)  # commands of the author's own
    converted: str = ""  # what the text was written out from, such as "a web page"; it cannot be mended in place
    origins: list[int] = field(default_factory=list)  # the line of the file that each line was written out from

    def __post_init__(self) -> None:
        self.read_as = self.read_as or self.text

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def decimal_mark(self) -> str:
        """The sign before the decimals: a point; or a comma, if the notes plainly use it so and no point."""
        if re.search(r"\d\{,\}(?!\d{3}(?!\d))\d", self.text):  # 1{,}000 has it between thousands
            return "{,}"
        if "," not in self.text or re.search(r"(?<![\d.])0?\.\d|[\[(]-?\d+,-?\d+(?:,-?\d+)*[\])]", self.text):
            return "."
        outside = re.sub(r"\[[^\[\]]*\]|\([^()]*\)", "[]", self.text)
        return "," if _COMMA_OUTSIDE.search(outside) or _COMMAS_IN_LIST.search(self.text) else "."

    def place(self, offset: int) -> Place:
        """The line and column at an offset; in a notebook both count within the cell."""
        line = bisect_right(self._line_starts, offset)
        column = offset - self._line_starts[line - 1] + 1
        if not self.parts:
            return Place(self.file, self.origins[line - 1] if self.origins else line, column)
        start, label = self.parts[max(0, bisect_right([start for start, _ in self.parts], offset) - 1)]
        return Place(f"{self.file}, {label}", line - bisect_right(self._line_starts, start) + 1, column)

    def line_text(self, offset: int) -> str:
        """The whole line around an offset."""
        line = bisect_right(self._line_starts, offset)
        end = self._line_starts[line] - 1 if line < len(self._line_starts) else len(self.text)
        return self.text[self._line_starts[line - 1] : end]

    def slice(self, span: Span) -> str:
        """The text of a stretch, as it is to be read."""
        return self.read_as[span.start : span.end]


# Languages in which people write workings; a block in another language is a program.
_WORKINGS = frozenset({"", "python", "py", "python3", "pycon", "text", "txt", "plain", "plaintext", "matlab", "julia"})
_MATHEMATICS = frozenset({"math", "latex", "tex"})
_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_TEX_HEADING = re.compile(r"[ \t]*\\(chapter|section|subsection|subsubsection|paragraph)\*?\s*\{")
_TEX_LEVELS = ("chapter", "section", "subsection", "subsubsection", "paragraph")
_EXAMPLE = re.compile(
    r"[\s*_]*(?:worked\s+)?(?:example|exercise|problem|question|task|aufgabe|beispiel)\s+\(?\w{1,3}\)?[\s*_:.]*", re.I
)
_OPENING = re.compile(r"\$\$|\\\[|\\begin\s*\{(?:" + "|".join(DISPLAYS) + r")\*?\}")


def cut(document: Document) -> None:
    """Finds the passages of Markdown, LaTeX or plain text."""
    text, position = document.read_as, 0
    displays = _displays(document)
    while position < len(text):
        line_end = _line_end(text, position)
        line = text[position:line_end] if line_end - position <= LONGEST_LINE else ""
        if line_end - position > LONGEST_LINE:
            document.unreadable.append((position, f"a line of {line_end - position:,} characters is not read"))
        elif fence := _FENCE.match(line):
            line_end = _cut_fence(document, position, line_end, fence[1])
        elif opening := _opening(displays, line):
            line_end = _cut_display(document, position, position + opening.start(), opening[0])
        elif heading := _heading_level(line):
            document.passages.append(Passage("heading", Span(position, line_end), heading))
        elif line.strip():
            line_end = _cut_drawing(document, Span(position, len(text)), "text") or _cut_text(
                document, position, line_end
            )
        position = line_end + 1


def _displays(document: Document) -> re.Pattern[str]:
    """What opens a display, in LaTeX or by a command of the author's."""
    own = "|".join(re.escape(name) + "(?![A-Za-z])" for name in document.macros.displays)
    return re.compile(f"{_OPENING.pattern}|{own}") if own else _OPENING


def _opening(displays: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first sign that opens a display; `$$` between two formulas of one line, `$a$$b$`, opens none."""
    return next(
        (each for each in displays.finditer(text) if each[0] != "$$" or _is_outside(text[: each.start()])), None
    )


def _is_outside(before: str) -> bool:
    """Whether every formula on the line has ended."""
    return before.replace("\\$", "").count("$") % 2 == 0


def _heading_level(line: str) -> int:
    if match := _HEADING.match(line):
        return len(match[1])
    if match := _TEX_HEADING.match(line):
        return _TEX_LEVELS.index(match[1]) + 1
    return 6 if _EXAMPLE.fullmatch(line) else 0


def _cut_fence(document: Document, start: int, line_end: int, fence: str) -> int:
    close = re.compile(rf"^[ \t]*{re.escape(fence)}[ \t]*$", re.M).search(document.read_as, line_end)
    if close is None:
        document.unreadable.append((start, f"the code block opened by '{fence}' is never closed"))
        return line_end
    language = document.read_as[start:line_end].strip().strip(fence[0]).strip("{} ").lower().split(" ")[0]
    inside = Span(min(line_end + 1, close.start()), close.start())
    if re.match(r"[\w\[\]]+\s*=[^=]", info := document.read_as[start:line_end].strip().strip(fence[0]).lstrip()):
        language, inside = "", Span(line_end - len(info), close.start())  # the first line stands beside the fence
    if language in _MATHEMATICS:
        document.passages.append(Passage("math", inside))
    elif language in _WORKINGS:
        _cut_code(document, inside)
        _cut_comments(document, inside)
    elif re.search(r"=[^=]*\d", document.slice(inside)):
        document.passed_over.append((start, f"a code block in {language}"))
    return close.end()


_GOES_ON = re.compile(r"\n[ \t]*(?:=|≈)(?!=)[ \t]*(?=[^\s=])")  # = 1.0 / 4, under what it is equal to
_RESULT = re.compile(r"\n[ \t]*#[ \t]*(?:=|->|→)?[ \t]*[\[⎡┌│|(]")


# Words of a comment, and behind them rows that go on in the comments below: `x = f(y)  # e.g. [[1, 2],`.
_ROWS_AFTER_WORDS = re.compile(r"[ \t]*\#[ \t]*[^\W\d][^\n#\[]*\[[^\n]*")


def _cut_code(document: Document, span: Span) -> None:
    """Lines of code, and drawings among them; a line that leaves a bracket open goes on."""
    text, start, depth, position = document.read_as, span.start, 0, span.start
    while position < span.end:
        end = min(_line_end(text, position), span.end)
        if depth == 0 and (rows := _rows_after_words(text, position, end, span.end)):
            if text[start : rows.start].strip():
                document.passages.append(Passage("code", Span(start, rows.start)))
            document.passed_over.append((rows.start, "rows after the words of a comment"))
            start, position = rows.end + 1, rows.end + 1
            continue
        depth = max(0, depth + sum(text.count(sign, position, end) for sign in "[(") - _closed(text, position, end))
        if depth == 0 and _GOES_ON.match(text, end, span.end) and text[start:end].strip():
            drawn = _cut_result(document, Span(start, end), span.end, sign=" ")
            start, position = (drawn + 1, drawn + 1) if drawn else (start, end + 1)
            continue
        result = depth == 0 and _RESULT.match(text, end, span.end)
        drawn = _cut_drawing(document, Span(start, span.end), "code") if start == position else 0
        if not drawn and result:
            drawn = _cut_result(document, Span(start, end), span.end)
        if drawn:
            end = drawn
        elif (depth == 0 and not result) or end - start > 20_000 or end == span.end:
            if text[start:end].strip():
                document.passages.append(Passage("code", Span(start, end)))
        else:
            position = end + 1
            continue
        start, depth, position = end + 1, 0, end + 1
    if start < span.end and text[start : span.end].strip():
        document.passages.append(Passage("code", Span(start, span.end)))


def _rows_after_words(text: str, start: int, end: int, stop: int) -> Span | None:
    """From the words of a comment to where the last of the brackets opened in it is closed, lines below."""
    words = _ROWS_AFTER_WORDS.search(text, start, end)
    if words is None or words[0].count("[") <= words[0].count("]"):
        return None
    depth = words[0].count("[") - words[0].count("]")
    while depth > 0 and end < stop:
        below = min(_line_end(text, end + 1), stop)
        if not text[end + 1 : below].lstrip().startswith("#"):
            return None
        depth += text.count("[", end, below) - text.count("]", end, below)
        end = below
    return Span(words.start(), end) if depth == 0 else None


# Arithmetic with numbers alone after the words of a comment, to the end of its line: `# Verify: 1*4 + 2*5 = 14`.
_OPERATION = r"[ \t]*[-−]?\(?\d[\d.]*\)?(?:[ \t]*[-−+*/×·][ \t]*\(?[-−]?\d[\d.]*\)?)+"
_COMMENTED = re.compile(
    rf"\#[ \t]*[^\W\d][^\n#]{{0,120}}?[:=](?P<sum>{_OPERATION}(?:[ \t]*=(?:{_OPERATION}|[ \t]*[-−]?\d[\d.]*))+)[ \t]*$",
    re.M,
)


def _cut_comments(document: Document, span: Span) -> None:
    """What a comment works out is a working, whatever the program does."""
    for comment in _COMMENTED.finditer(document.read_as, span.start, span.end):
        document.passages.append(Passage("text", Span(comment.start("sum"), comment.end("sum"))))


def _closed(text: str, start: int, end: int) -> int:
    return sum(text.count(sign, start, end) for sign in "])")


def _cut_result(document: Document, code: Span, stop: int, sign: str = " # ") -> int:
    """A drawing in the comments under a line of code, or after an = there, is what it gives; 0 if none is drawn."""
    found = find_drawing(document.read_as, code.end + 1, stop, code=True)
    if found is None or not (found.drawing or found.why):
        return 0
    drawing = found.drawing and found.drawing.after(document.slice(code) + sign, code.start)
    if drawing is None:
        document.unreadable.append((found.span.start, found.why))
    document.passages.append(Passage("code", Span(code.start, found.span.end), drawing=drawing))
    return found.span.end


def _cut_display(document: Document, line_start: int, start: int, opening: str) -> int:
    """From the opening sign to the closing one, which may stand lines below; text around it on its lines is kept."""
    while True:
        closing = document.macros.displays.get(opening) or _closing(opening)
        end = document.read_as.find(closing, start + len(opening))
        if end < 0 or end - start > LONGEST_LINE:
            document.unreadable.append((start, f"'{opening}' is never closed"))
            return _line_end(document.read_as, start)
        if document.read_as[line_start:start].strip():
            document.passages.append(Passage("text", Span(line_start, start)))
        document.passages.append(Passage("math", Span(start + len(opening), end)))
        line_start = end + len(closing)
        line_end = _line_end(document.read_as, line_start)
        another = _opening(_displays(document), document.read_as[line_start:line_end])
        if another is None:
            if document.read_as[line_start:line_end].strip():
                document.passages.append(Passage("text", Span(line_start, line_end)))
            return line_end
        start, opening = line_start + another.start(), another[0]


def _closing(opening: str) -> str:
    if opening.startswith("\\begin"):
        return f"\\end{{{opening[opening.index('{') + 1 : -1]}}}"
    return "$$" if opening == "$$" else "\\]"


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _cut_drawing(document: Document, span: Span, kind: str) -> int:
    """A matrix drawn over several lines from here on; gives where it ends, or 0 if none is drawn here."""
    code = kind == "code"
    found = (
        find_upright(document.read_as, span.start, span.end)
        or find_bare_list(document.read_as, span.start, span.end)
        or find_gathered(document.read_as, span.start, span.end, code=code)
        or find_drawing(document.read_as, span.start, span.end, code=code)
    )
    if found is None:
        return 0
    if found.drawing is not None:
        document.passages.append(Passage(kind, found.span, drawing=found.drawing))
    elif found.why:
        document.unreadable.append((found.span.start, found.why))
    else:
        _cut_lines(document, found.span, kind)
    return found.span.end


def _cut_lines(document: Document, span: Span, kind: str) -> None:
    """Lines that stand under each other, each for itself."""
    for line in re.compile(r"[^\n]+").finditer(document.read_as, span.start, span.end):
        document.passages.append(Passage(kind, Span(line.start(), line.end())))


def _cut_text(document: Document, start: int, line_end: int) -> int:
    """One line; a list of rows that goes on over the next lines belongs to it."""
    text = document.read_as
    for _ in range(60):
        line = text[start:line_end]
        open_math = line.count("$") % 2 == 1 and _closes_math(text[line_end : line_end + 2000])
        if (line.count("[") <= line.count("]") and not open_math) or line_end >= len(text):
            break
        following_end = _line_end(text, line_end + 1)
        following = text[line_end + 1 : following_end].strip()
        if not open_math and not following.startswith(("[", "]", "-", ".")) and not following[:1].isdigit():
            break
        line_end = following_end
    document.passages.append(Passage("text", Span(start, line_end)))
    return line_end


def _closes_math(rest: str) -> bool:
    """Whether a formula that was opened by $ ends within this paragraph."""
    return "$" in rest.partition("\n\n")[0]
