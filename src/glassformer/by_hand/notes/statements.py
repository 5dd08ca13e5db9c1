"""From passages to statements: chains of sides joined by =, ≈ or →, each with its caption and its section.

A side that the grammar cannot read keeps the reason. Words around a formula are its caption, not part of it. Knows
nothing of values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lark import Token

from glassformer.by_hand.grammar.expressions import Name, Node, Span
from glassformer.by_hand.grammar.lexing import Ground, lex
from glassformer.by_hand.grammar.names import words
from glassformer.by_hand.grammar.parsing import LEFT_BLANK, UnreadableError, parse
from glassformer.by_hand.grammar.signs import OPENS, RELATIONS
from glassformer.by_hand.notes.canvas import Drawing
from glassformer.by_hand.notes.documents import Document, Passage


@dataclass
class Side:
    """What stands between two relations: a tree, or the reason why there is none."""

    relation: str  # the one before it: "", EQUALS, ABOUT or ARROW
    span: Span
    node: Node | None = None
    why: str = ""

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


_BULLET = re.compile(r"[ \t]*(?:(?:[-*+>•❖]|\d{1,2}[.)]|\(\d{1,2}\)|[①-⑳])[ \t]+(?:\[[ xX]\][ \t]+)?)+")
_LABEL = re.compile(r"(?:example|exercise|problem|question|task|aufgabe|beispiel)\s+(\w{1,3})\b", re.I)
_EXACT = re.compile(r"\bgiven (?:numbers|matrices|values) are exact\b", re.I)
_CODE = re.compile(r"[#@]|\w\.T\b|\bnp\.|\btorch\.")
_WRITTEN = re.compile(r"\^T\b|\^⊤")  # a transpose that no program knows
_SEPARATORS = frozenset({"COMMA", "SEMICOLON", "WIDE", "ROWEND", "BREAK"})


def read_statements(document: Document) -> Reading:
    """All statements of a document, in order."""
    reader = _Reader(document)
    for passage in document.passages:
        reader.read(passage)
    exact = document.exact or bool(_EXACT.search(document.text))
    return Reading(document, reader.sections, reader.statements, exact)


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.sections = [Section(0, 0, None)]
        self.section = self.sections[0]
        self.statements: list[Statement] = []
        self.named: set[str] = set()  # that have stood before or after a relation
        self.caption = ""
        self.sigma = "sigmoid" if re.search("sigmoid|logistic", document.text, re.I) else ""
        self.said_before = False  # words of this line stand before the formula, which is about them
        self.open_end = False  # the last chain ended in a relation, and goes on in the next passage

    def read(self, passage: Passage) -> None:
        self.said_before = False
        if passage.kind == "heading":
            self._heading(passage)
        elif passage.kind == "given":
            sides = [Side("EQUALS" if i else "", node.span, node) for i, node in enumerate(passage.sides)]
            self._add(sides, self.caption, "given")
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

    def _ground(self, text: str, start: int, way: str, places: tuple[int, ...] = ()) -> Ground:
        if self.document.decimal_mark == ",":
            text = re.sub(r"(?<=\d),(?=\d)", ".", text)
        return Ground(text, start, way, self.sigma, places)

    # --- sections -----------------------------------------------------------------------------------------------

    def _heading(self, passage: Passage) -> None:
        text = self.document.slice(passage.span)
        title = "".join(re.findall(r"[a-z0-9]", text.lower()))
        label = match[1] if (match := _LABEL.search(text)) else ""
        self.caption, self.open_end = "", False
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
        pieces = list(re.finditer(r"\$([^$]+)\$|\\\((.+?)\\\)", body))
        outside = re.sub(r"\$[^$]+\$|\\\(.+?\\\)", " ", body)
        if not pieces or re.search(r"[=≈→⇒:]\s*$|[=≈→⇒]|:\s*\[", outside):
            self._mathematics(self._ground(body, span.start + start, "text"))
            return
        end = 0
        for piece in pieces:
            before = words(re.sub(r"[^\w\s]", " ", body[end : piece.start()]))
            self.caption = before or self.caption
            self.said_before = bool(before)
            group = 1 if piece[1] is not None else 2
            self._mathematics(self._ground(piece[group], span.start + start + piece.start(group), "math"))
            end = piece.end()

    # --- chains -------------------------------------------------------------------------------------------------

    def _mathematics(self, ground: Ground) -> None:
        tokens = lex(ground)
        found = False
        asides: list[list[Token]] = []
        if ground.way == "text":
            tokens, asides = _take_asides(tokens)
        parts = (part for run in (tokens, *asides) for part in _split(run))
        for part in (each for whole in parts for each in self._side_by_side(whole)):
            found |= self._chain(part, ground)
        if not found and ground.way == "text":
            plain = words(re.sub(r"[^\w\s]", " ", ground.text))
            self.caption = plain if len(plain.split()) <= 8 else ""

    def _side_by_side(self, tokens: list[Token]) -> Iterator[list[Token]]:
        """`q = [1, 0] k = [0, 1]` is two statements; `q = [1, 0] W = [1, 1]` is one if W is known, else unclear."""
        start = 0
        for i in _next_names(tokens):
            if tokens[i][0].islower():
                yield tokens[start:i]
                start = i
            elif str(tokens[i]) not in self.named:
                tokens[i].type = tokens[i + 1].type = "NEXT"
        yield tokens[start:]

    def _chain(self, tokens: list[Token], ground: Ground) -> bool:
        """One statement; True if it was one."""
        caption, tokens = _take_label(tokens, ground.way)
        cut = _sides(tokens)
        if not any(part for _, part in cut):
            return False
        goes_on = self.statements and not cut[0][1] and len(cut) > 1 and not self.said_before
        if not goes_on and not self._has_numbers(cut, ground):
            return False
        if ground.way == "code" and _is_program(tokens):
            return False
        sides = [self._side(relation, part, i, len(cut), ground) for i, (relation, part) in enumerate(cut) if part]
        if self.open_end and self.statements and sides and not goes_on:
            self.statements[-1].sides.extend(_from_relation(sides))
        elif goes_on and ground.way != "code" and sides[0].relation in ("EQUALS", "ABOUT"):
            self.statements[-1].sides.extend(sides)
        else:
            self._add(sides, caption or self.caption, ground.way)
        self.open_end = len(cut) > 1 and not cut[-1][1] and cut[-1][0] in ("EQUALS", "ABOUT")
        self.caption = ""
        return True

    def _has_numbers(self, cut: list[tuple[str, list[Token]]], ground: Ground) -> bool:
        """A chain says something with a relation, or prints a matrix; a line of prose does neither."""
        kinds = {token.type for _, part in cut for token in part}
        if len([part for _, part in cut if part]) > 1:
            return ground.way != "code" or bool(kinds & {"NUMBER", "LSQB"})
        return bool(kinds & {"LSQB", "OPEN"}) or (kinds <= {"NUMBER", "MINUS"} and "NUMBER" in kinds)

    def _side(self, relation: str, tokens: list[Token], i: int, n: int, ground: Ground) -> Side:
        tokens = _without_remarks(tokens, first=i == 0, last=i == n - 1, alone=n == 1)
        span = Span(tokens[0].start_pos or 0, tokens[-1].end_pos or 0)
        if unit := _unit(tokens, ground):
            return Side(relation, span, None, f"a number with the unit '{unit}'")
        try:
            return Side(relation, span, parse(tokens))
        except UnreadableError as error:
            return Side(relation, span, None, str(error))

    def _add(self, sides: list[Side], caption: str, way: str) -> None:
        self.statements.append(Statement(sides, caption, self.section.number, way))
        self.named |= {side.node.text for side in sides if isinstance(side.node, Name)}


def _is_program(tokens: list[Token]) -> bool:
    """A line of a program, not a working: `for i in x:`, `model = Model(d=512)`."""
    depth = 0
    for token in tokens:
        depth += OPENS.get(token.type, 0)
        if token.type in ("OTHER", "COLON") or (depth > 0 and token.type in RELATIONS):
            return True
    return False


def _next_names(tokens: list[Token]) -> list[int]:
    """Where, after `= [1, 0]` and nothing between, a name and its equals sign and a bracket follow."""
    closes: dict[int, int] = {}
    stack: list[int] = []
    for i, token in enumerate(tokens):
        if OPENS.get(token.type) == 1:
            stack.append(i)
        elif OPENS.get(token.type) == -1 and stack:
            closes[i] = stack.pop()
    kinds = [token.type for token in tokens]
    return [
        i + 1
        for i, start in closes.items()
        if start
        and kinds[start] == "LSQB"
        and kinds[start - 1] in RELATIONS
        and kinds[i + 1 : i + 4] in (["NAME", "EQUALS", "LSQB"], ["NAME", "ABOUT", "LSQB"])
    ]


def _from_relation(sides: list[Side]) -> list[Side]:
    return [Side("EQUALS" if i == 0 else side.relation, side.span, side.node, side.why) for i, side in enumerate(sides)]


def _split(tokens: list[Token]) -> Iterator[list[Token]]:
    """Cuts at commas and wide spaces outside all brackets; a row of an alignment that starts with = goes on.

    So does a colon after a relation: `with d = 2: …`; one before it ends a label.
    """
    depth = 0
    part: list[Token] = []
    for i, token in enumerate(tokens):
        depth += OPENS.get(token.type, 0)
        if depth <= 0 and token.type == "AMP":
            continue
        after_relation = token.type == "COLON" and any(t.type in RELATIONS for t in part)
        if depth <= 0 and (token.type in _SEPARATORS or after_relation):
            following = next((t.type for t in tokens[i + 1 :] if t.type != "AMP"), "")
            if token.type == "ROWEND" and following in ("EQUALS", "ABOUT"):
                continue
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _take_asides(tokens: list[Token]) -> tuple[list[Token], list[list[Token]]]:
    """What stands in round brackets and has a relation of its own is an aside: `divide by 8 (√d, with d = 64)`."""
    kept: list[Token] = []
    asides: list[list[Token]] = []
    stack: list[int] = []
    for token in tokens:
        kept.append(token)
        if OPENS.get(token.type) == 1:
            stack.append(len(kept) - 1)
        elif OPENS.get(token.type) == -1 and stack:
            start = stack.pop()
            inner = kept[start + 1 : -1]
            is_aside = not stack and kept[start].type == "LPAR" and any(t.type in RELATIONS for t in inner)
            if is_aside and not (start and kept[start - 1].type in ("FUNCTION", "NAME")):
                asides.append(inner)
                del kept[start:]
    return kept, asides


def _sides(tokens: list[Token]) -> list[tuple[str, list[Token]]]:
    """Cuts at relations; what follows ∈, ≠ or < is a remark."""
    answer: list[tuple[str, list[Token]]] = [("", [])]
    depth = 0
    for token in tokens:
        depth += OPENS.get(token.type, 0)
        if depth <= 0 and token.type in RELATIONS:
            if token.type == "STOP":
                break
            answer.append((token.type, []))
        else:
            answer[-1][1].append(token)
    return answer


def _take_label(tokens: list[Token], way: str) -> tuple[str, list[Token]]:
    """`tea: [1, 0] · W_Q = …` has the label tea."""
    if way == "math":
        return "", tokens
    colons = [i for i, token in enumerate(tokens) if token.type == "COLON"]
    relations = [i for i, token in enumerate(tokens) if token.type in RELATIONS]
    before = [i for i in colons if not relations or i < relations[0]]
    if not before:
        return "", tokens
    label = [t for t in tokens[: before[-1]] if t.type in ("WORD", "NAME", "NUMBER")]
    return words(" ".join(label)) if len(label) <= 6 else "", tokens[before[-1] + 1 :]


_REMARKS = frozenset({"WORD", "OTHER", "COLON"})


def _without_remarks(tokens: list[Token], *, first: bool, last: bool, alone: bool) -> list[Token]:
    """Words before the first formula and after the last one are remarks, as is `(dot product)`."""
    kept = list(tokens)
    if first and not alone and _is_signature(kept):
        return kept[:1]
    if first or alone:
        while len(kept) > 1 and kept[0].type in _REMARKS and kept[1].type in _STARTS:
            kept.pop(0)
    if last or alone:
        while len(kept) > 1 and kept[-1].type in _REMARKS and kept[-2].type in _ENDS:
            kept.pop()
        while (start := _closing_remark(kept)) > 0:
            kept = kept[:start]
    return kept


def _closing_remark(tokens: list[Token]) -> int:
    """Where a last `(dot product)` or `(was 0.87)` begins, after a number or a matrix; 0 if there is none."""
    if tokens[-1].type != "RPAR":
        return 0
    start = max((i for i, token in enumerate(tokens) if token.type == "LPAR"), default=0)
    has_words = start + 1 < len(tokens) and tokens[start + 1].type == "WORD"
    return start if has_words and tokens[start - 1].type in ("NUMBER", "RSQB", "CLOSE", "PERCENT") else 0


_UNITS = re.compile(r"\s?(k|[KMGT]i?B?|[kmµn]s|thousand|million|billion)\b(?!\s*[=≈_^({\[·×*@])")


def _unit(tokens: list[Token], ground: Ground) -> str:
    """`2 MB` and `65M` are no plain numbers."""
    if ground.way != "text" or tokens[-1].type != "NUMBER":
        return ""
    match = _UNITS.match(ground.after(tokens[-1]))
    return match[1] if match else ""


def _is_signature(tokens: list[Token]) -> bool:
    """`Attention(Q, K, V)` on the left names what is defined."""
    return (
        len(tokens) > 3
        and tokens[0].type == "WORD"
        and tokens[1].type == "LPAR"
        and tokens[-1].type == "RPAR"
        and tokens[0].end_pos == tokens[1].start_pos
    )


_STARTS = frozenset(
    {"NAME", "LSQB", "OPEN", "NUMBER", "MINUS", "FUNCTION", "FRACTION", "ROOT", "LPAR", "WORD", "OTHER"}
)
_ENDS = frozenset({"NUMBER", "RSQB", "CLOSE", "RPAR", "NAME", "WORD", "RBRACE", "PERCENT", "TURN", "OTHER"})
