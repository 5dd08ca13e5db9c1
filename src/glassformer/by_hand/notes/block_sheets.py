"""Reads a worksheet of a whole block: each printed stage beside its formula over what was printed before it.

The core works the block, so that it is known what each stage is made from; a stage that nobody printed is put in as its
own formula. Where an attention has several heads, no formula on paper says what its inside is: what it makes, and what
is made from that, is not checked. Compares nothing.
"""

from collections.abc import Mapping
from typing import Any

from glassformer.by_hand.grammar.expressions import Matrix, Name, Node, Number, Span, product
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.numbers.formulas import NOWHERE, paper_formula
from glassformer.errors import InputError
from glassformer.stages.trace import Entry, Trace

Literals = Mapping[str, tuple[Span, Node]]  # by the name it is printed under: where that stands, and the numbers
SEVERAL_HEADS = "what an attention with several heads makes is worked by `glassformer explain`, but not checked"


def is_block(content: Any) -> bool:
    """Whether a worksheet says that it is one of a whole block."""
    return isinstance(content, dict) and "block" in str(content.get("layer", ""))


def add_block(document: Document, content: Mapping[str, Any], printed: Literals) -> None:
    """Adds what the block is given, and every printed stage in the order of the computation."""
    from glassformer.by_hand.worksheets.solution import explain  # it needs torch, which other notes do not

    try:
        trace = explain({key: value for key, value in content.items() if key not in ("work", "exact")}).trace
    except InputError as error:
        document.unreadable.append((0, str(error)))
        return
    document.exact, document.ways = True, {}
    found = _by_address(document, trace, printed)
    document.passages += [_given(entry) for entry in trace.entries.values() if _is_given(entry)]
    for address in trace.entries:
        if address in found:
            here, literal = found[address]
            formula = _formula(trace, address, found)
            if formula is None:
                document.passed_over.append((here.start, SEVERAL_HEADS))
                del found[address]
                continue
            name, span = Name(address, here), Span(here.start, literal.span.end)
            document.passages.append(Passage("given", span, sides=(name, formula)))
            document.passages.append(Passage("given", span, sides=(name, _upright(trace.entry(address), literal))))


def _by_address(document: Document, trace: Trace, printed: Literals) -> dict[str, tuple[Span, Node]]:
    found: dict[str, tuple[Span, Node]] = {}
    for name, (here, literal) in printed.items():
        try:
            address = trace.entry(trace.named(name)).address
        except InputError as error:
            document.unreadable.append((here.start, str(error)))
            continue
        if _is_given(trace.entry(address)):
            document.unreadable.append((here.start, f"{address} is given in this worksheet, and not worked out"))
        else:
            found[address] = here, literal
    return found


def _is_given(entry: Entry) -> bool:
    return not entry.same_as and entry.stage.way(entry.how) is None


def _given(entry: Entry) -> Passage:
    """What the block was given; of a mask the numbers that are added on paper, 0 and −∞."""
    rows = entry.values.reshape(-1, entry.values.shape[-1]) if entry.values.ndim else entry.values.reshape(1, 1)
    if rows.dtype == bool:
        numbers = [[Number("0", NOWHERE) if seen else Number("inf", NOWHERE, -1) for seen in row] for row in rows]
    else:
        numbers = [[Number(repr(abs(float(x))), NOWHERE, -1 if x < 0 else 1) for x in row] for row in rows]
    matrix = Matrix(tuple(tuple(row) for row in numbers), NOWHERE)
    worth: Node = matrix if entry.values.ndim else numbers[0][0]
    return Passage("given", NOWHERE, sides=(Name(entry.address, NOWHERE), worth))


def _formula(trace: Trace, address: str, printed: Mapping[str, object]) -> Node | None:
    """What a stage is made from; None where paper has no formula for it."""
    entry = trace.entry(address)
    if entry.same_as:
        return _operand(trace, entry.same_as, printed)
    if "H" in entry.axes and entry.values.shape[entry.axes.index("H")] > 1:
        return None
    if entry.stage.name == "joined":  # of one head: once what it found, since a name for a name would claim nothing
        mixed = _operand(trace, f"{entry.scope}mixed", printed)
        return mixed and product([Number("1", NOWHERE), mixed], NOWHERE)
    way = entry.stage.way(entry.how)
    assert way is not None  # what has none is given
    addresses = trace.operands(address)
    operands = [_operand(trace, each, printed) if each else None for each in addresses]
    if any(each and operand is None for each, operand in zip(addresses, operands, strict=True)):
        return None
    return paper_formula(entry.stage.name, way.latex, operands)


def _operand(trace: Trace, address: str, printed: Mapping[str, object]) -> Node | None:
    entry = trace.entry(address)
    if address in printed or _is_given(entry):
        return Name(address, NOWHERE)
    return _formula(trace, address, printed)


def _upright(entry: Entry, literal: Node) -> Node:
    """One number for each row may be printed in a row."""
    if not isinstance(literal, Matrix) or len(literal.rows) > 1 or entry.stage.axes != ("…",):
        return literal
    return Matrix(tuple((number,) for number in literal.rows[0]), literal.span)
