"""From passages to statements: chains of sides joined by =, ≈ or →, each with its caption and its section.

A side that the grammar cannot read keeps the reason. Words around a formula are its caption, not part of it. Knows
nothing of values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lark import Token

from glassformer.by_hand.grammar.cutting import (
    cut_sides,
    is_program,
    next_names,
    other_cuts,
    split,
    take_asides,
    take_label,
    unclear_comma,
    with_decimal_commas,
    without_remarks,
)
from glassformer.by_hand.grammar.expressions import Name, Node, Span
from glassformer.by_hand.grammar.lexing import lex
from glassformer.by_hand.grammar.name_lexing import Ground
from glassformer.by_hand.grammar.names import name_of_words
from glassformer.by_hand.grammar.parsing import LEFT_BLANK, UnreadableError, parse
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.notes.layouts.canvas import Drawing
from glassformer.by_hand.numbers.conventions import Habits


@dataclass
class Side:
    """What stands between two relations: a tree, or the reason why there is none."""

    relation: str  # the one before it: "", EQUALS, ABOUT or ARROW
    span: Span
    node: Node | None = None
    why: str = ""
    others: tuple[Node, ...] = ()  # other ways to read the same signs
    is_quoted: bool = False  # it stands in `…`, and may be a notation that is explained

    @property
    def is_blank(self) -> bool:
        """Whether it was left to be filled in."""
        return self.node is None and self.why == LEFT_BLANK


@dataclass
class Statement:
    """One chain `A = B = C`, in the order it was written."""

    sides: list[Side]
    caption: str
    section: int
    way: str
    lead: str = ""  # the words before it in its sentence
    prose: str = ""  # the heading and the lines of text since the statement before
    guess: str = ""  # how its numbers were read, if nothing but their coming out right shows that they are meant so


@dataclass
class Section:
    """A stretch of the document in which a name keeps its meaning. `parent` is the section around it."""

    number: int
    level: int
    parent: int | None
    titles: set[str] = field(default_factory=set)
    label: str = ""


@dataclass
class Reading:
    """Everything that was read from one document."""

    document: Document
    sections: list[Section]
    statements: list[Statement]
    says_exact: bool = False  # the notes say that their given numbers are exact
    habits: Habits = field(default_factory=Habits)
    rounds_to: int | None = None  # decimals to which every step was asked to be rounded, and gone on with so


_BULLET = re.compile(r"[ \t]*(?:(?:[-*+>•❖]|\d{1,2}[.)]|\(\d{1,2}\)|[①-⑳])[ \t]+(?:\[[ xX]\][ \t]+)?)+")
_LABEL = re.compile(r"(?:example|exercise|problem|question|task|aufgabe|beispiel)\s+(\w{1,3}(?:\.\w{1,3})*)\b", re.I)
# A letter with a prime that is given: `C' = …`, `\mathbf{C}'' \approx …`; it is no matrix turned over.
_PRIMED = re.compile(
    r"(?<![A-Za-z])([A-Z])\}?(?:_\{?\w{1,5}\}?)?\s*(?:'{1,3}|\^\s*\{?\s*(?:\\prime\s*){1,3}\}?)"
    r"\s*(?:&\s*)?(?:[=≈←→]|:=|\\(?:approx|leftarrow|to|gets)\b)"
)
# What a row of a matrix is, said behind it: `[0.2, 0.8],  ← the second word`; an arrow after a name sets it.
_ROW_REMARK = re.compile(r"(?<=[\],])[ \t]*(?:←|⟵|<--+)[ \t]*[^\n=≈]*[^\W\d_][^\n=≈]*(?=\n|$)")
# What a line prints, said behind it: `print(q @ k)  # [0.5 1.2]`, `print(x)  # Output: 3`.
_PRINTED = re.compile(
    r"^([ \t]*)print\(([^\n\"'#,]+|[^\n\"'#,(]+\([^\n\"'#()]*\))\)([ \t]*#[ \t]*)"
    r"((?:(?:output|prints|gives)\b[ \t]*:?|→|->|=>|=)?[ \t]*)(?=-?[\d\[.][^\n]*$)",
    re.I | re.M,
)
_SEVERAL = re.compile(r"^((?:[^#\n=(\[]|\([^#\n()]*\)|\[[^#\n\[\]]*\])*,(?:[^#\n=])*)(#[ \t]*[-\[(]?\d[^\n]*)", re.M)
_TABLE_ROW = re.compile(r"\s*\|(?:[^|\n]*\|){2,}\s*")
_CELL_ENDS = re.compile(r"\|(?=(?:[^$]*\$[^$]*\$)*[^$]*$)")  # bars outside of formulas
_EXACT = re.compile(r"\bgiven (?:numbers|matrices|values) are exact\b", re.I)
_STEPWISE = re.compile(r"\bround to (?:(\d{1,2}) decimals?|whole numbers),? and go on with the rounded numbers\b", re.I)
_CODE = re.compile(r"[#@]|\w\.T\b|\bnp\.|\btorch\.")
_WRITTEN = re.compile(r"\^T\b|\^⊤|\^\s*[\d({−]|[×·−≈√∑Σ²₀-₉ᵢⱼ÷]")  # signs that no program knows


def read_statements(document: Document) -> Reading:
    """All statements of a document, in order."""
    reader = _Reader(document)
    for passage in joined(document):
        reader.read(passage)
    exact = document.exact or bool(_EXACT.search(document.text))
    stepwise = _STEPWISE.search(document.text) if exact else None
    decimals = int(stepwise[1] or 0) if stepwise else None
    return Reading(document, reader.sections, reader.statements, exact, habits_of(document.text), decimals)


_OPERATOR_ALONE = re.compile(r"\s*[=≈+×·*/÷−-]\s*")
_OPERATOR_FIRST = re.compile(r"\s*(?:[+×·*/÷]\s|[−-]\s+(?=[\d(])[^=≈]*$)")
_OPERATOR_LAST = re.compile(r"[=≈+×·/÷]\s*$")
_WORDS_ALONE = re.compile(r"[^\d=≈\[\](){}$]*[^\W\d_][^\d=≈\[\]{}$]*")
_BOX = re.compile(r"(?m)^\s*[│║](?:[^\n]*[│║])?[^│║\n]*[\w)\]][^│║\n]*[=≈:][^│║\n]*[\w(\[−-][^│║\n]*[│║]")
_LONGEST_JOINED = 2000


def joined(document: Document) -> Iterator[Passage]:
    """The passages, with a sum that is written from line to line as one: `= 0.1`, `+ 0.2`, and `=` on a line alone."""
    last: Passage | None = None
    is_open = False  # the last line so far is an operator, or words after one
    for passage in document.passages:
        if last is None:
            last, is_open = passage, False
            continue
        text = document.slice(passage.span)
        if _go_together(document, last, passage, text, is_open=is_open):
            is_open = bool(_OPERATOR_LAST.search(text)) or (is_open and bool(_WORDS_ALONE.fullmatch(text.strip())))
            last = Passage(last.kind, Span(last.span.start, passage.span.end))
        else:
            yield last
            last, is_open = passage, bool(_OPERATOR_ALONE.fullmatch(text))
    if last is not None:
        yield last


def _go_together(document: Document, last: Passage, passage: Passage, text: str, *, is_open: bool) -> bool:
    if passage.kind != last.kind or passage.kind not in ("code", "text") or passage.drawing or last.drawing:
        return False
    if document.slice(Span(last.span.end, passage.span.start)).strip():
        return False
    if passage.span.end - last.span.start > _LONGEST_JOINED:
        return False
    if is_open or _OPERATOR_ALONE.fullmatch(text):
        return True
    before = document.slice(last.span)
    in_code = passage.kind == "code" and bool(re.search(r"\d\W*$", before))
    return in_code and (bool(_OPERATOR_FIRST.match(text)) or bool(_OPERATOR_LAST.search(before)))


_E_IS = re.compile(
    r"(?:\b(?:use|using|take|taking|with|let|replac\w+|set)\W{0,3}(\d(?:\.\d+)?)\W{0,3}"
    r"(?:instead of|for|as|in place of)\W{0,3}(?:the number )?\$?e\b"
    r"|\be\$?\s*(?:=|≈|~|\\approx|\bis\b)\s*(\d\.\d+|3)\b"
    r"|(?<![\w.])(\d(?:\.\d+)?)\s*\^\s*[{(]?\s*-?[xz]\b)"
)
_TRANSPOSED = r"\s*(?:\^\s*\{?\s*\\?(?:top|intercal|mathsf\s*\{?T|mathrm\s*\{?T|T)\s*\}{0,2}|ᵀ|\.T\b|')"
_BY_COLUMNS = re.compile(
    r"column[- ](?:wise|softmax|convention|vectors?)|columns? by columns?|axis\s*=\s*0|dim\s*=\s*0"
    r"|(?:each|every|per|over(?: the)?) columns?\b"
    r"|\b(?:tokens?|words?|inputs?|vectors?)\b[^.\n]{0,40}\bcolumns?\b"
    r"|(?-i:K(?:_\{?\w{1,5}\}?)?"
    + _TRANSPOSED
    + r"\s*(?:@|\\cdot|·|\*)?\s*Q\b)",  # K turned over stands before Q: a token is a column
    re.I,
)


_MOST_LOOKED_THROUGH = 300_000  # characters


def habits_of(text: str) -> Habits:
    """What the notes say about their own conventions: what e is taken to be, whether tokens stand in columns."""
    text = text[:_MOST_LOOKED_THROUGH]
    said = {float(next(filter(None, match.groups()))) for match in _E_IS.finditer(text)}
    said |= {float(number) for number in re.findall(r"(?<![\d.])2\.7(?:1|18|2|183|1828)?(?!\d)", text)}
    return Habits(tuple(sorted(number for number in said if 1 < number <= 10)), bool(_BY_COLUMNS.search(text)))


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.sections = [Section(0, 0, None)]
        self.section = self.sections[0]
        self.statements: list[Statement] = []
        self.named: set[str] = set()  # that have stood before or after a relation
        self.caption = ""
        self.sigma = "sigmoid" if re.search("sigmoid|logistic", document.text, re.I) else ""
        self.primed = frozenset(_PRIMED.findall(document.text))
        self.convolves = re.search(r"\bconvol|\bkernel|\bfilter|\bCNN", document.text, re.I) is not None
        self.said_before = False  # words of this line stand before the formula, which is about them
        self.open_end = False  # the last chain ended in a relation, and goes on in the next passage
        self.heading = ""
        self.prose: list[str] = []  # lines of text since the last statement

    def read(self, passage: Passage) -> None:
        self.said_before = False
        if passage.drawing is not None and _BOX.search(self.document.slice(passage.span)):
            self._box(passage)
            return
        if passage.kind == "text":
            self.prose.append(self.document.slice(passage.span)[:_LONGEST_PROSE])
        if passage.kind == "heading":
            self._heading(passage)
        elif passage.kind == "given":
            sides = [Side("EQUALS" if i else "", node.span, node) for i, node in enumerate(passage.sides)]
            self._add(sides, passage.caption or self.caption, "given")
            self.caption = ""
        elif passage.kind == "text":
            self._text(passage)
        elif passage.drawing is not None:
            self._drawing(passage.drawing, "code" if _CODE.search(passage.drawing.text) else "text")
        else:
            text = self.document.slice(passage.span)
            way = (
                "text" if passage.kind == "code" and _WRITTEN.search(text) and not _CODE.search(text) else passage.kind
            )
            self._mathematics(self._ground(text, passage.span.start, way))

    def _box(self, passage: Passage) -> None:
        """Lines of working in a drawn frame: each is a line of its own, and no row of a matrix."""
        text = re.sub(r"[┌┐└┘├┤┬┴┼─═╔╗╚╝╠╣]", " ", self.document.slice(passage.span))
        for lines in re.finditer(r"[^\n]+(?:\n[│║\s]*[│║]\s*(?:[+×·*/÷]\s[^\n]*|[−-]\s[^\n=≈]*(?=\n|$)))*", text):
            inside = re.sub(r"[│║](?=\s*\n)|(?<=\n)[│║]", " ", lines[0])
            ground = self._ground(re.sub(r"[│║]", ";", inside), passage.span.start + lines.start(), "text")
            self._mathematics(ground)

    def _ground(self, text: str, start: int, way: str, places: tuple[int, ...] = ()) -> Ground:
        if self.document.decimal_mark == ",":
            text = re.sub(r"(?<=\d),(?=\d)", ".", text)
        if way != "math":
            text = _ROW_REMARK.sub(lambda remark: " " * len(remark[0]), text)
        if way == "code":
            text = _SEVERAL.sub(lambda line: self._several(line, start), text)
            text = _PRINTED.sub(lambda line: f"{line[1]}{' ' * 6}{line[2]} {line[3]}{' ' * len(line[4])}", text)
        text, places = self.document.macros.put_in(text, start, places)
        return Ground(text, start, way, self.sigma, self.convolves, self.primed, places)

    def _several(self, line: re.Match[str], start: int) -> str:
        """The line without its comment: of several values nobody can tell which the first number is."""
        self.document.passed_over.append((start + line.start(2), "a comment behind several values"))
        return line[1] + " " * len(line[2])

    # --- sections -----------------------------------------------------------------------------------------------

    def _heading(self, passage: Passage) -> None:
        text = self.document.slice(passage.span)
        title = "".join(re.findall(r"[a-z0-9]", text.lower()))
        label = match[1] if (match := _LABEL.search(text)) else ""
        self.caption, self.open_end = "", False
        self.heading, self.prose = text.strip("#* "), []
        if title in self.section.titles or (label and label == self.section.label):
            return
        new_example = bool(label) and label != self.section.label
        if not new_example and passage.level > self.section.level:
            self.section.titles.add(title)
            return
        parent: Section | None = self.section
        while parent is not None and parent.level >= passage.level:
            parent = None if parent.parent is None else self.sections[parent.parent]
        number = parent.number if parent else None
        self.section = Section(len(self.sections), passage.level, number, {title}, label)
        self.sections.append(self.section)

    # --- lines of text ------------------------------------------------------------------------------------------

    def _drawing(self, drawing: Drawing, way: str) -> None:
        bullet = _BULLET.match(drawing.text)
        start = bullet.end() if bullet else 0
        self._mathematics(self._ground(drawing.text[start:], 0, way, drawing.places[start:]))

    def _text(self, passage: Passage) -> None:
        if passage.drawing is not None:
            self._drawing(passage.drawing, "text")
            return
        span = passage.span
        text = self.document.slice(span)
        bullet = _BULLET.match(text)
        start = bullet.end() if bullet else 0
        body = text[start:]
        if _TABLE_ROW.fullmatch(body):
            body = _CELL_ENDS.sub(";", body)  # cells, and not |x|
        pieces = list(re.finditer(r"\$([^$]+)\$|\\\((.+?)\\\)", body))
        outside = re.sub(r"\$[^$]+\$|\\\(.+?\\\)", " ", body)
        if not pieces or re.search(r"[=≈→⇒:]\s*$|[=≈→⇒]|:\s*\[", outside):
            self._mathematics(self._ground(body, span.start + start, "text"))
            return
        end = 0
        for piece in pieces:
            before = name_of_words(re.sub(r"[^\w\s]", " ", body[end : piece.start()]))
            self.caption = before or self.caption
            self.said_before = bool(before)
            group = 1 if piece[1] is not None else 2
            self._mathematics(self._ground(piece[group], span.start + start + piece.start(group), "math"))
            end = piece.end()

    # --- chains -------------------------------------------------------------------------------------------------

    def _mathematics(self, ground: Ground) -> None:
        is_prose = ground.way == "text" and not _CLAIMS.search(ground.text)
        tokens = [] if is_prose else lex(ground)
        found = False
        asides: list[list[Token]] = []
        if ground.way == "text":
            tokens, asides = take_asides(tokens)
        parts = [part for run in (tokens, *asides) for part in split(run) if part]
        parts.sort(key=lambda part: part[0].start_pos or 0)  # `(= 1/2)` goes on with what it stands behind
        for part in (each for whole in parts for each in self._side_by_side(whole)):
            found |= self._chain(part, ground)
        if not found and ground.way == "text":
            plain = name_of_words(re.sub(r"[^\w\s]", " ", ground.text))
            self.caption = plain if len(plain.split()) <= 8 else ""

    def _side_by_side(self, tokens: list[Token]) -> Iterator[list[Token]]:
        """`q = [1, 0] k = [0, 1]` is two statements; `q = [1, 0] W = [1, 1]` is one if W is known, else unclear."""
        start = 0
        for i in next_names(tokens):
            if tokens[i][0].islower():
                yield tokens[start:i]
                start = i
            elif str(tokens[i]) not in self.named:
                tokens[i].type = tokens[i + 1].type = "NEXT"
        yield tokens[start:]

    def _chain(self, tokens: list[Token], ground: Ground) -> bool:
        """One statement; True if it was one."""
        caption, tokens = take_label(tokens, ground.way)
        cut = cut_sides(tokens)
        if not any(part for _, part in cut):
            is_relation = len(cut) == 2 and cut[1][0] in ("EQUALS", "ABOUT") and bool(self.statements)
            self.open_end |= is_relation and not self.said_before
            return is_relation
        goes_on = bool(self.statements) and not cut[0][1] and len(cut) > 1 and self._is_next(cut[1][1], ground)
        if not goes_on and not self._has_numbers(cut, ground):
            return False
        if ground.way == "code" and is_program(tokens):
            return False
        guess = self._guess(tokens, ground)
        if guess:
            cut = cut_sides(with_decimal_commas(tokens))
        sides = [self._side(relation, part, i, len(cut), ground) for i, (relation, part) in enumerate(cut) if part]
        if self.open_end and self.statements and sides and not goes_on:
            self.statements[-1].sides.extend(_from_relation(sides))
        elif goes_on and sides[0].relation in ("EQUALS", "ABOUT"):
            self.statements[-1].sides.extend(sides)
        else:
            self._add(sides, caption or self.caption, ground.way)
        self.statements[-1].guess = self.statements[-1].guess or guess
        self.open_end = len(cut) > 1 and not cut[-1][1] and cut[-1][0] in ("EQUALS", "ABOUT")
        self.caption = ""
        return True

    def _guess(self, tokens: list[Token], ground: Ground) -> str:
        """`175 + 1,96 · 5 = 184,8` where the notes have points as well: a decimal comma, if it comes out so."""
        token = unclear_comma(tokens) if ground.way != "code" and self.document.decimal_mark == "." else None
        return f"'{token}' may be one number with a decimal comma, or several numbers" if token is not None else ""

    def _is_next(self, tokens: list[Token], ground: Ground) -> bool:
        """Whether a chain that begins with its relation goes on with the last one; in lines, only from line to line."""
        if self.said_before or not tokens:
            return False
        between = self.document.text[self.statements[-1].sides[-1].span.end : tokens[0].start_pos]
        if ground.way == "math":
            return not _NEXT_CELL.fullmatch(between)
        if "\n" not in between and re.search(r"[│║|;]", between):
            return False  # the next cell of a table
        if _SENTENCE_ENDS.match(between):
            return False
        return "\n\n\n" not in between and not re.search(r"[^\W_]|```", _REMARK_BETWEEN.sub("", between))

    def _has_numbers(self, cut: list[tuple[str, list[Token]]], ground: Ground) -> bool:
        """A chain says something with a relation, or prints a matrix; a line of prose does neither."""
        kinds = {token.type for _, part in cut for token in part}
        if ground.way == "code" and [len(part) for _, part in cut] == [1, 1] and kinds == {"NAME"}:
            return cut[1][0] == "EQUALS" and str(cut[1][1][0]) in self.named  # Q = X
        if len([part for _, part in cut if part]) > 1:
            return ground.way != "code" or bool(kinds & {"NUMBER", "LSQB"})
        return bool(kinds & {"LSQB", "OPEN"}) or (kinds <= _ARITHMETIC and "NUMBER" in kinds)

    def _side(self, relation: str, tokens: list[Token], i: int, n: int, ground: Ground) -> Side:
        tokens = without_remarks(tokens, first=i == 0, last=i == n - 1, alone=n == 1)
        span = Span(tokens[0].start_pos or 0, tokens[-1].end_pos or 0)
        if unit := _unit(tokens, ground):
            return Side(relation, span, None, f"a number with the unit '{unit}'")
        cuts = other_cuts(tokens, ground.way, self.document.text)
        others = tuple(node for other in cuts if (node := _parsed(other)) is not None)
        try:
            return Side(relation, span, parse(tokens), others=others, is_quoted=self._is_quoted(span, ground))
        except UnreadableError as error:
            return Side(relation, span, others[0] if others else None, str(error), others[1:])

    def _is_quoted(self, span: Span, ground: Ground) -> bool:
        around = self.document.text[max(0, span.start - 2) : span.start], self.document.text[span.end : span.end + 2]
        return ground.way == "text" and "`" in around[0] and "`" in around[1]

    def _add(self, sides: list[Side], caption: str, way: str) -> None:
        prose = "\n".join([self.heading, *self.prose[-_MOST_PROSE:]])
        lead = _lead(self.document.text, sides[0].span.start)
        self.statements.append(Statement(sides, caption, self.section.number, way, lead, prose))
        self.heading, self.prose = "", []
        self.named |= {side.node.text for side in sides if isinstance(side.node, Name)}


_NEXT_CELL = re.compile(r"[^\n]*\$[^\n$]*[|,;][^\n$]*\$[^\n$]*")  # `$a = 1$ | $= 2$` in a table; `$= 1$, $= 2$`
_CLAIMS = re.compile(r"[\d=≈≃≅≐∈≠<>≤≥∼→⟶⇒⟹↦~\[\\]")  # a line without any of these prints and relates nothing
_REMARK_BETWEEN = re.compile(r"^[^\n]*|\\\w+")  # what follows a formula on its line
_SENTENCE_ENDS = re.compile(r"[.!?][*_)]*\s*\n")  # with the number before it: `… by 9 and 13.`
_ARITHMETIC = frozenset({"NUMBER", "MINUS", "PLUS", "TIMES", "STAR", "OVER", "LPAR", "RPAR"})
_LONGEST_PROSE, _MOST_PROSE = 400, 2  # characters of a line, lines


def _lead(text: str, start: int) -> str:
    """The words before a formula, from the last end of a sentence on."""
    before = text[max(0, start - 120) : start]
    return re.split(r"\n\s*\n|[.;!?](?:\s|\*)|\$\$|\\\[|\n[ \t]*[-*+>|#]|\\item|```", before)[-1]


def _parsed(tokens: list[Token]) -> Node | None:
    try:
        return parse(tokens)
    except UnreadableError:
        return None


def _from_relation(sides: list[Side]) -> list[Side]:
    return [Side("EQUALS" if i == 0 else side.relation, side.span, side.node, side.why) for i, side in enumerate(sides)]


_UNITS = re.compile(
    r"\s?(k|[KMGT]i?B?|[kmµn]s|(?i:thousand|million|billion|trillion|lakh|crore|hundred|dozen))\b(?!\s*[=≈_^({\[·×*@])"
)


def _unit(tokens: list[Token], ground: Ground) -> str:
    """`2 MB` and `65M` are no plain numbers."""
    if ground.way != "text" or tokens[-1].type != "NUMBER":
        return ""
    match = _UNITS.match(ground.after(tokens[-1]))
    return match[1] if match else ""
