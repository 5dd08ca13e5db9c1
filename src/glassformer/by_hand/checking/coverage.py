"""Counts the numbers of a document that look like results, and which of them were checked. Judges none of them.

A number looks like a result if it stands, alone or in a matrix of numbers, after =, ≈ or → and something was to be
worked out before it; if the notes give a formula for its name; or if it is printed under a caption that names a stage.
What is simply given (`X = [[1, 0]]`, `lr = 0.01`, a shape, a count) does not, nor do operands on the way, unless they
do not follow from what stands before; nor do front matter, links, pictures and comments. So the count says something
of the notes, not of how well they were read.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from glassformer.by_hand.checking.findings import Coverage, Unchecked
from glassformer.by_hand.checking.ledger import Claim, Ledger
from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, Span, is_printed, is_symbolic, walk
from glassformer.by_hand.grammar.names import stage_of
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.notes.statements import Reading, Side, Statement

_NUMBER = re.compile(r"[-−+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?")
# In words that could not be read: something is to be worked out here.
_OPERATION = re.compile(
    r"[+*/×·⋅⊙⊗∘@√∑Σ∏^]|\d\s*[-−]\s*\d"
    r"|\\(?:[dt]?frac|cdot|times|sum|prod|sqrt|exp|log|ln|tanh|sigma|top|odot|otimes|circ|div|operatorname)\b"
    r"|\b(?:softmax|sigmoid|relu|gelu|tanh|exp|log|ln|sqrt|mean|max|min|sum|dot|var|std)\b",
    re.IGNORECASE,
)
# How a value may be dressed up: what is left of it without these is digits and brackets.
_DRESS = re.compile(
    r"\\(?:begin|end)\{[a-z]*matrix\*?\}|\\(?:text|mathrm|textrm|operatorname)\{[^{}]*\}"
    r"|\\[a-zA-Z]+|\\[,;:!> ]|[{}$&~*]"
)
_AROUND = re.compile(r"[\s\[\](),;\\|.]*")  # what may stand around the numbers of a value
_CASES = re.compile(r"\\\{|\b(?:if|for|otherwise)\b")  # a set, or one case of several
_LAWS = frozenset({0.0, 1.0, -1.0})  # `f(x) = 0` and `sum of p = 1` are laws and conditions, not results
_RELATION = re.compile(r"(?<![=<>!:+\-*/≠≤≥])=(?![=>])|≈|\\approx\b|→|⇒|\\(?:to|rightarrow|Rightarrow|implies)\b")
_PARTS = re.compile(r"[=≈→⇒,;:()|{}\"'`]")
_FRONT_MATTER = re.compile(r"\A---\n(?:.*\n)*?---\n")
_LINK = re.compile(r"!?\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)|\bhttps?://\S+|<[a-zA-Z/][^<>\n]{0,500}>")
_LONGEST_LINE = 2000  # of a line that is searched by its looks alone


@dataclass(frozen=True)
class _Look:
    """Numbers of one side that look like results: where each stands, and why they were not checked, if so."""

    offsets: tuple[int, ...]
    why: str = "it was not read"


def count(reading: Reading, ledger: Ledger) -> Coverage:
    """How much of a document was checked."""
    document = reading.document
    hidden = sorted(_not_notes(document.text), key=lambda span: span.start)
    coverage, seen = Coverage(), set[int]()
    for look in _looks(reading, ledger):
        offsets = [offset for offset in look.offsets if offset not in seen and not _is_inside(offset, hidden)]
        seen.update(offsets)
        unchecked = [offset for offset in offsets if offset not in ledger.compared]
        coverage.look_like_results += len(offsets)
        coverage.checked += len(offsets) - len(unchecked)
        if unchecked:
            place = document.place(unchecked[0])
            text = _shown(document, unchecked)
            coverage.unchecked.append(Unchecked(place.file, place.line, look.why, text, len(unchecked)))
    coverage.unchecked.sort(key=lambda each: (each.file, each.line))
    return coverage


def _not_notes(text: str) -> Iterator[Span]:
    """Front matter, comments, links and pictures."""
    for pattern in (_FRONT_MATTER, _LINK):
        yield from (Span(match.start(), match.end()) for match in pattern.finditer(text))
    start = text.find("<!--")
    while start >= 0:
        end = text.find("-->", start)
        if end < 0:
            return
        yield Span(start, end)
        start = text.find("<!--", end)


def _shown(document: Document, offsets: list[int]) -> str:
    """The numbers as printed, the first few of them."""
    texts = [match[0] for offset in offsets[:4] if (match := _NUMBER.match(document.text, offset))]
    return ", ".join(texts) + (" …" if len(offsets) > len(texts) else "")


def _looks(reading: Reading, ledger: Ledger) -> Iterator[_Look]:
    reasons = {claim.span.start: claim for claim in ledger.claims}
    worked = _names_with_formulas(reading.statements)
    yield from (_Look(_offsets(node), why) for node, why in ledger.withdrawn)  # first: each has a reason of its own
    for statement in reading.statements:
        yield from _in_chain(statement, worked, reasons, reading.document)
    yield _Look(tuple(sorted(offset for offset, copied in ledger.compared.items() if not copied)))
    yield from _beside(reading)
    yield from (_Look(offsets, why) for offsets, why in reading.document.results_unread)


def _names_with_formulas(statements: list[Statement]) -> set[str]:
    """Names for which something is to be worked out, somewhere in the document."""
    said = {each.node.text for every in statements for each in every.sides if isinstance(each.node, Name)}
    return {
        side.node.text
        for statement in statements
        for sides in _between_arrows(statement.sides)
        if any(_is_operation(other.node) and not _names_entries(other.node, said) for other in sides)
        for side in sides
        if isinstance(side.node, Name)
    }


def _between_arrows(sides: list[Side]) -> list[list[Side]]:
    """`W = [1, 2] → Q = x W` works out Q and not W."""
    cuts = [i for i, side in enumerate(sides) if side.relation == "ARROW"]
    return [sides[start:end] for start, end in zip([0, *cuts], [*cuts, len(sides)], strict=True)]


def _names_entries(node: Node | None, said: set[str]) -> bool:
    """W = [θ₀ θ₁], and not a word of what θ₀ is: nothing is worked out, its entries are given names."""
    entries = [entry for row in node.rows for entry in row] if isinstance(node, Matrix) else []
    return bool(entries) and all(isinstance(entry, Name) and entry.text not in said for entry in entries)


def _is_operation(node: Node | None) -> bool:
    return node is not None and not isinstance(node, Name) and not is_printed(node)


def _in_chain(statement: Statement, worked: set[str], reasons: dict[int, Claim], document: Document) -> Iterator[_Look]:
    sides = statement.sides
    if len(sides) == 1 and not sides[0].relation:
        node = sides[0].node
        if isinstance(node, Matrix) and is_printed(node) and stage_of(statement.caption):
            yield _Look(_offsets(node), "nothing says how it comes about")
        return
    if len(sides) == 2 and isinstance(sides[0].node, Name) and _SUPPOSES.search(statement.lead):
        return  # `For x = 2:`, even where x is worked out elsewhere
    is_result = bool(sides[0].relation)  # a line that begins with = goes on from somewhere
    before: Node | None = None
    for side in sides:
        text = document.slice(side.span) if side.node is None else ""
        offsets = _values(side, text)
        if offsets and side.relation and is_result and not _is_law(side.node, before):
            yield _Look(offsets, _reason(reasons.get(side.span.start)))
        elif isinstance(side.node, Name):
            is_result |= side.node.text in worked
        elif not offsets:
            is_result |= _is_operation(side.node) or (side.node is None and bool(_OPERATION.search(text)))
        before = side.node


_SUPPOSES = re.compile(r"\b(?:for|with|let|given|if|when|suppose|assume|take|at)\b[\s*$`]*$", re.I)


def _is_law(node: Node | None, before: Node | None) -> bool:
    return isinstance(node, Number) and node.value in _LAWS and before is not None and is_symbolic(before)


def _reason(claim: Claim | None) -> str:
    if claim is None or claim.status == "checked" or claim.why in ("", "a formula", "a given"):
        return "what stands before it could not be worked out"
    return claim.why


def _values(side: Side, text: str) -> tuple[int, ...]:
    """Where the numbers of a side stand that is nothing but numbers; none if it is anything else."""
    if side.node is not None:
        return _offsets(side.node) if is_printed(side.node) else ()
    start = side.span.start
    return tuple(start + offset for offset in _numbers_alone(text))


def _numbers_alone(text: str) -> list[int]:
    """The numbers of a text that says nothing else, whatever it is dressed up in."""
    if _CASES.search(text):
        return []
    plain = _DRESS.sub(lambda match: " " * len(match[0]), text)
    if not _AROUND.fullmatch(_NUMBER.sub(" ", plain)):
        return []
    return [match.start() for match in _NUMBER.finditer(plain)]


def _offsets(node: Node) -> tuple[int, ...]:
    return tuple(each.span.start for each in walk(node) if isinstance(each, Number))


def _is_inside(offset: int, spans: list[Span]) -> bool:
    i = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return i >= 0 and offset < spans[i].end


def _beside(reading: Reading) -> Iterator[_Look]:
    """Results in lines that were not read as statements at all: an operation, a relation, and nothing but numbers."""
    document = reading.document
    read = sorted(
        (Span(statement.sides[0].span.start, statement.sides[-1].span.end) for statement in reading.statements),
        key=lambda span: span.start,
    )
    drawn = [passage.span for passage in document.passages if passage.drawing is not None]
    for line in re.finditer(r"[^\n]+", document.read_as):
        if len(line[0]) > _LONGEST_LINE:
            continue
        relations = list(_RELATION.finditer(line[0]))
        ends = [relation.start() for relation in relations[1:]] + [len(line[0])]
        for relation, end in zip(relations, ends, strict=False):
            start = line.start() + relation.end()
            if _is_inside(start, read) or _is_inside(start, drawn):
                continue
            before = _PARTS.split(line[0][: relation.start()])[-1]
            after = line[0][relation.end() : end]
            if _OPERATION.search(before):
                offsets = tuple(start + offset for offset in _numbers_alone(after.rstrip(" .")))
                yield _Look(offsets)
