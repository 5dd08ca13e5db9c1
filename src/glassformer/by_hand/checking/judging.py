"""Turns the flaws of a checked document into findings, in the order of the computation. Writes no report."""

import heapq
import math
import re

import numpy as np

from glassformer.by_hand.checking import coverage
from glassformer.by_hand.checking.checker import Checker
from glassformer.by_hand.checking.findings import LOOK_AGAIN, Correction, Finding, Remark, Report
from glassformer.by_hand.checking.ledger import Ledger
from glassformer.by_hand.checking.proof.certainty import is_plain_and_alone, is_tellable, why_look_again
from glassformer.by_hand.checking.proof.evidence import is_written
from glassformer.by_hand.checking.proof.excuses import excuse
from glassformer.by_hand.checking.proof.readings import misprinted
from glassformer.by_hand.checking.proof.trust import ground, is_plain_sum
from glassformer.by_hand.checking.spelling import Spelling, decimals_of, number
from glassformer.by_hand.grammar.expressions import (
    Call,
    Matrix,
    Name,
    Negative,
    Node,
    Number,
    Transpose,
    is_printed,
    walk,
)
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.numbers.comparison import are_near_misses, entries_of, fit, units
from glassformer.by_hand.numbers.evaluator import print_halves, printed_value
from glassformer.by_hand.numbers.intervals import DEEP, GENEROUS, LOCAL, Value
from glassformer.by_hand.numbers.likeness import telling_digits
from glassformer.by_hand.numbers.scope import PAPER, RIGHT
from glassformer.by_hand.numbers.worlds import Flaw
from glassformer.errors import InputError

_NOT_SHOWN = "it does not follow as it was read, and nothing else shows that it was read as it is meant"
_THOUSANDS = re.compile(r"\d,\d{3}(?!\d)")
_MOST_SEARCHED = 200  # flaws of one document: where there are more, it was not read as it is meant
_HALF = 1e-7  # what is as near to a half is one
_FEW_DIGITS = 2  # of fewer, any number gives them
_MANY_DOUBTS = 2  # more doubtful numbers than these, and the given numbers were rounded, perhaps
_IF_ROUNDED = "it fits only if the given numbers were rounded before they were printed"
_MUCH_STRAIN = 0.5  # of the room that rounding leaves: many small errors hardly ever add up to as much


def judge(checker: Checker) -> Report:
    """The report on one document."""
    ledger, document = checker.ledger, checker.reading.document
    withdrawn = _withdraw(ledger)
    for flaw in ledger.flaws:
        flaw.sure = _hangs_on(flaw, ledger)
    _look_again(ledger)
    doubts = [flaw for flaw in ledger.flaws if flaw.kind == "doubtful"]
    rounded_givens = _doubted_together(doubts, ledger)
    report = Report([document.file], documents=[document], numbers=ledger.numbers, following=ledger.following)
    report.rounded_givens = rounded_givens
    report.coverage = coverage.count(checker.reading, ledger)
    _count(ledger, document, report)
    if doubts:
        ledger.flaws = [flaw for flaw in ledger.flaws if flaw.kind != "cut-off" or _is_strained(flaw)]
    for flaw in in_order(ledger.flaws):
        report.findings += _findings(flaw, ledger, document)
    report.corrections[document.file] = _corrections(ledger, report.findings, document.decimal_mark, withdrawn)
    return report


def _doubted_together(doubts: list[Flaw], ledger: Ledger) -> int:
    """How many numbers fit only if given ones were rounded, if too many for a remark each.

    Small errors explain those that are near; where nearly all would have to lie on one side, nothing was checked.
    """
    n_doubts = sum(int(flaw.wrong.sum()) for flaw in doubts)
    if n_doubts <= _MANY_DOUBTS:
        return 0
    for flaw in (each for each in doubts if _is_strained(each)):
        parts = [node for _, _, node in _wrong_entries(flaw)]
        ledger.numbers -= len(parts)
        ledger.withdrawn += [(part, _IF_ROUNDED) for part in parts]
        _not_checked(parts, _IF_ROUNDED, ledger)
    ledger.flaws = [flaw for flaw in ledger.flaws if flaw.kind != "doubtful"]
    return n_doubts


def _withdraw(ledger: Ledger) -> set[Flaw]:
    """Takes back what nothing shows to be an error: such a number was not checked, and the reason is said."""
    if ledger.exact:
        return set()
    doubted: dict[Flaw, str] = {}
    for flaw in ledger.flaws:
        if not flaw.kind:
            flaw.ground = ground(flaw, ledger.record, ledger.source)
            is_told = flaw.ground and is_tellable(flaw.literal)
            is_told = is_told or is_plain_sum(flaw, ledger.record, ledger.source)
            why = _excuse(flaw, ledger) if is_told else _NOT_SHOWN
            if is_told and why and is_plain_and_alone(flaw, ledger.source):
                flaw.excuse = why  # unequal as it stands, whatever else gives it
            elif why:
                doubted[flaw] = _what_we_get(flaw) + why
    for flaw, why in doubted.items():
        ledger.numbers -= flaw.wrong.size
        ledger.withdrawn.append((flaw.literal, why))
        _not_checked([flaw.literal], why, ledger)
    others = {id(flaw.literal) for flaw in doubted}  # what is said of the rest of them hangs on the same reading
    ledger.flaws = [flaw for flaw in ledger.flaws if flaw not in doubted and id(flaw.literal) not in others]
    return set(doubted)


def _look_again(ledger: Ledger) -> None:
    """Tells what is wrong beyond doubt from what is unequal and may be meant otherwise: that is not checked, either."""
    for flaw in [] if ledger.exact else ledger.flaws:
        why = why_look_again(flaw, ledger.record, ledger.source) if flaw.kind in ("", "formula") else ""
        if not why:
            continue
        if not flaw.kind:
            ledger.numbers -= int(flaw.wrong.sum())
            parts = [flaw.literal] if flaw.wrong.all() else [node for _, _, node in _wrong_entries(flaw)]
            said = f"to be looked at again; {_what_we_get(flaw)}".strip("; ")
            ledger.withdrawn += [(part, said) for part in parts]
            _not_checked(parts, said, ledger)
        flaw.sure, flaw.is_doubted = why, True


def _not_checked(parts: list[Node], why: str, ledger: Ledger) -> None:
    """Takes numbers out of the count of those that were checked, and says why; a claim that has others stays in it."""
    for part in parts:
        for each in walk(part):
            ledger.compared.pop(each.span.start, None)
        for claim in ledger.claims_around(part.span):
            has_others = any(start in ledger.compared for start in range(claim.span.start, claim.span.end))
            claim.status, claim.why = (claim.status if has_others else "not checkable"), why


def _excuse(flaw: Flaw, ledger: Ledger) -> str:
    """What a number may be instead of a wrong result, unless a program prints it or what follows shows it to be one."""
    assert flaw.expected is not None
    assert flaw.right is not None
    if not isinstance(flaw.literal, Number) or flaw.is_proven or flaw.state != "open":
        return ""
    is_near = are_near_misses(flaw.literal, flaw.wrong, flaw.right)
    ledger.enter(flaw.section)

    def worth(node: Node) -> float:
        value = ledger.evaluator(PAPER, flaw.convention)(node, itself=False)
        return float(value.middle(LOCAL)[0, 0]) if value.is_scalar else math.nan

    return excuse(flaw.expected, flaw.literal, worth, ledger.source, is_near=is_near)


def _hangs_on(flaw: Flaw, ledger: Ledger) -> str:
    """How sure a flaw is. Where a digit of the working, changed, gives the printed number, it may be that one.

    A number of the working that stands in the notes a second time is not doubted, unless what it should be does, too.
    """
    literal, expected = flaw.literal, flaw.expected
    if flaw.kind or flaw.is_proven or not isinstance(literal, Number) or expected is None or not is_written(expected):
        return flaw.sure
    if flaw.state != "open" or telling_digits(literal) < _FEW_DIGITS or len(ledger.flaws) > _MOST_SEARCHED:
        return flaw.sure
    ledger.enter(flaw.section)
    found: list[str] = []
    for old, new, working in misprinted(expected):
        is_confirmed = telling_digits(old) > 1 and ledger.stands(old) > 1 and not ledger.stands(new)
        if not is_confirmed and ledger.gives(working, literal):
            found.append(f"or {old.text} in its working is wrong: {new.text} gives {literal.text}")
    return "or a number in its working is wrong" if len(found) > 1 else found[0] if found else flaw.sure


def _what_we_get(flaw: Flaw) -> str:
    """Told even where nothing is called wrong, so that the reader may look again."""
    if not isinstance(flaw.literal, Number) or flaw.right is None:
        return ""
    return f"we get {_on_page(flaw.right, 0, 0, flaw.literal)}; "


def _is_strained(flaw: Flaw) -> bool:
    """Leaves of a flaw what rounded givens can hardly explain; False if nothing is left.

    Where some numbers are larger than the given ones allow, nobody cuts digits off: the given ones were rounded.
    """
    assert flaw.right is not None
    nominal, numbers = flaw.right.middle(DEEP), printed_value(flaw.literal, given=False).middle(LOCAL)
    edge = numbers + np.sign(nominal - numbers) * units(flaw.literal) / 2
    bound = np.where(nominal > numbers, flaw.right.low[GENEROUS], flaw.right.high[GENEROUS])
    with np.errstate(invalid="ignore", divide="ignore"):
        strain = np.where(nominal == bound, np.inf, (nominal - edge) / (nominal - bound))
    flaw.wrong = flaw.wrong & (strain >= _MUCH_STRAIN)
    return bool(flaw.wrong.any())


def _corrections(ledger: Ledger, findings: list[Finding], mark: str, withdrawn: set[Flaw]) -> list[Correction]:
    """What to write where: the wrong numbers, their copies, and all that followed from them.

    What follows from a mistake is as certain as the mistake is.
    """
    found = {
        finding.offset: Correction(finding.offset, finding.length, finding.right, finding.is_certain)
        for finding in findings
        if finding.verdict != "doubtful"
    }
    doubted = {flaw for flaw in ledger.flaws if flaw.sure != "impossible"}
    for known in ledger.literals.values():
        literal = known.literal
        if literal is None or not is_printed(literal) or known.paper is known.right:
            continue
        if not withdrawn.isdisjoint(known.sources):
            continue
        rows = entries_of(literal)
        for i, j in np.argwhere(fit(literal, known.right, stepwise=ledger.rounds_to is not None).wrong).tolist():
            start, end = rows[i][j].span.start, rows[i][j].span.end
            if start not in found:
                text = _best(known.right, i, j, rows[i][j], on_page=ledger.rounds_to is not None).replace(".", mark)
                found[start] = Correction(start, end - start, text, doubted.isdisjoint(known.sources))
    return sorted(found.values(), key=lambda correction: correction.offset)


def _count(ledger: Ledger, document: Document, report: Report) -> None:
    for offset, why in document.unreadable:
        report.unreadable.append(Remark(document.place(offset).file, document.place(offset).line, why))
    for offset, why in document.passed_over:
        report.not_checkable.append(Remark(document.place(offset).file, document.place(offset).line, why))
    for claim in ledger.claims:
        place = document.place(claim.span.start)
        if claim.status == "checked":
            report.checked += 1
        else:
            remarks = report.unreadable if claim.status == "unreadable" else report.not_checkable
            remarks.append(Remark(place.file, place.line, claim.why))
    report.claims = len(ledger.claims) + len(document.unreadable) + len(document.passed_over)


def in_order(flaws: list[Flaw]) -> list[Flaw]:
    """As the computation flows: by place on the page, but never before a mistake that it rests on."""
    place = {flaw: i for i, flaw in enumerate(sorted(flaws, key=lambda f: (f.section, f.literal.span.start)))}
    waits = {flaw: {m for m in flaw.after if m in place and m is not flaw} for flaw in flaws}
    ready = [(place[flaw], flaw) for flaw in flaws if not waits[flaw]]
    heapq.heapify(ready)
    answer: list[Flaw] = []
    while ready:
        _, flaw = heapq.heappop(ready)
        answer.append(flaw)
        for other, before in waits.items():
            if flaw in before:
                before.discard(flaw)
                if not before:
                    heapq.heappush(ready, (place[other], other))
    return answer + [flaw for flaw in sorted(flaws, key=place.__getitem__) if flaw not in answer]


def verdict(flaw: Flaw) -> str:
    """The word for what happened."""
    return LOOK_AGAIN if flaw.is_doubted else flaw.kind or {"open": "wrong"}.get(flaw.state, flaw.state)


def _findings(flaw: Flaw, ledger: Ledger, document: Document) -> list[Finding]:
    if flaw.kind == "formula":
        return [_formula_finding(flaw, document)]
    answer = []
    lines = tuple(sorted({document.place(node.span.start).line for node in flaw.followers}))
    assert flaw.right is not None
    for i, j, node in _wrong_entries(flaw):
        place = document.place(node.span.start)
        right = _best(
            flaw.right, i, j, node, on_page=flaw.is_copy or flaw.on_page or ledger.rounds_to is not None
        ).replace(".", document.decimal_mark)
        arithmetic = _arithmetic(flaw, i, j, ledger)
        if arithmetic and right != _on_page(flaw.right, i, j, node).replace(".", document.decimal_mark):
            arithmetic += f" from the rounded numbers on the page; {right} from the given ones"
        if flaw.kind == "cut-off" and isinstance(node, Number) and node.decimals is None:
            right = f"{flaw.right.middle(LOCAL)[i, j]:.0f}"  # the digits that were cut off are not asked for
        answer.append(
            Finding(
                file=place.file,
                line=place.line,
                column=place.column,
                name=flaw.name,
                row=i + 1 if isinstance(flaw.literal, Matrix) else None,
                col=j + 1 if isinstance(flaw.literal, Matrix) else None,
                printed=_text(node, document),
                right=_grouped(right) if _THOUSANDS.search(_text(node, document)) else right,
                verdict=verdict(flaw),
                cause=_cause(flaw, ledger, document),
                arithmetic=arithmetic,
                sure=flaw.sure,
                length=node.span.end - node.span.start,
                offset=node.span.start,
                quote=document.line_text(node.span.start),
                follows=lines,
                ground=flaw.ground,
            )
        )
    return answer


def _arithmetic(flaw: Flaw, i: int, j: int, ledger: Ledger) -> str:
    assert flaw.expected is not None
    ledger.enter(flaw.section)

    def evaluate(node: Node) -> Value:
        return ledger.evaluator(PAPER if flaw.on_page else RIGHT, flaw.convention)(
            node, itself=isinstance(node, Name | Transpose)
        )

    try:
        now = evaluate(flaw.expected).middle(LOCAL)
    except InputError:
        return ""  # a name in it has been given anew since, in another shape
    if flaw.right is not None and now.shape == flaw.right.shape and not np.isclose(now, flaw.right.middle(LOCAL))[i, j]:
        return ""  # a name in it has been given anew since: w = w − 0.1
    source = flaw.expected.of if isinstance(flaw.expected, Transpose) else flaw.expected
    spelling = Spelling(evaluate, decimals_of(flaw.literal, flaw.expected))
    return spelling.at(flaw.expected, i, j, source.key if flaw.is_copy else "")


def _cause(flaw: Flaw, ledger: Ledger, document: Document) -> str | None:
    """The slip; or, for a given number that was changed, where it was given and how."""
    name = flaw.expected.of if isinstance(flaw.expected, Negative) else flaw.expected
    if flaw.kind or not isinstance(name, Name) or not isinstance(flaw.literal, Number):
        return flaw.cause
    for known in ledger.scopes[flaw.section].versions(name.key):
        if isinstance(known.literal, Number) and known.literal.value != flaw.literal.value:
            line = document.place(known.literal.span.start).line
            given, used = _text(known.literal, document), _text(flaw.literal, document)
            return f"given as {given} in line {line}, used as {used.lstrip('-− ')} here"
    return flaw.cause


def _text(node: Node, document: Document) -> str:
    """As printed, with the braces that close it: the span of a fraction ends with what stands in it."""
    text = document.slice(node.span)
    missing = text.count("{") - text.count("}")
    after = document.read_as[node.span.end : node.span.end + missing] if missing > 0 else ""
    return text + after if after == "}" * missing else text


def _rounded(right: float, node: Node) -> str:
    """The right number with as many digits as were printed."""
    if not math.isfinite(right):
        return number(right)
    if isinstance(node, Number) and "e" in node.text:
        places = len(node.text.partition("e")[0].partition(".")[2])
        return f"{right:.{places}e}".replace("e+", "e")
    decimals = node.decimals if isinstance(node, Number) else decimals_of(node)
    if decimals is None:
        return f"{round(right)}" if abs(right - round(right)) < 1e-9 else number(right)
    if isinstance(node, Number) and node.percent:
        return f"{right * 100:.{max(0, decimals - 2)}f}%"
    is_short = math.isclose(float(f"{right:.{max(0, decimals)}f}"), right, abs_tol=1e-12)
    for shift in () if is_short else (1, 2):  # 0.0032 for a printed 0.032, rather than 0.003: the same digits
        if isinstance(node, Number) and decimals >= 0 and f"{right * 10**shift:.{decimals}f}" == _plain(node):
            decimals += shift
            break
    if decimals >= 0 and abs(abs(right * 10**decimals) % 1 - 0.5) < _HALF:
        decimals += 1  # half-way between two: shown as it is
    text = f"{right:.{max(0, decimals)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _grouped(text: str) -> str:
    """With commas between thousands, as the notes have them."""
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("-")
    return whole.replace(digits, f"{int(digits):,}") + point + rest if digits.isdigit() else text


def _plain(number: Number) -> str:
    return f"{'-' if number.sign < 0 else ''}{number.text}"


def _formula_finding(flaw: Flaw, document: Document) -> Finding:
    assert flaw.expected is not None
    assert flaw.cause is not None
    said, meant = flaw.cause.split(" ")[0], flaw.cause.rpartition(" ")[2]
    call = next((n for n in walk(flaw.expected) if isinstance(n, Call) and n.function == said), flaw.expected)
    place = document.place(call.span.start)
    found = document.text.lower().find(said, call.span.start, call.span.start + 40)
    start = found if found >= 0 else call.span.start
    return Finding(
        file=place.file,
        line=place.line,
        column=document.place(start).column,
        name=flaw.name,
        row=None,
        col=None,
        printed=said,
        right=meant,
        verdict=verdict(flaw),
        cause=flaw.cause,
        arithmetic="",
        sure=flaw.sure,
        length=len(said),
        offset=start,
        quote=document.line_text(start),
    )


def _best(right: Value, i: int, j: int, node: Node, *, on_page: bool = False) -> str:
    """What should stand there: from the given numbers if those on the page allow it, else from those on the page."""
    shown = _on_page(right, i, j, node)
    if on_page:
        return shown
    deep = _rounded(float(right.middle(DEEP)[i, j]), node)
    try:
        half = 0.0 if not isinstance(node, Number) else (print_halves([node])[0] or 0.5)
        value = float(deep.removesuffix("%")) / (100 if deep.endswith("%") else 1)
    except ValueError:
        return shown
    low, high = right.low[GENEROUS, i, j], right.high[GENEROUS, i, j]
    return deep if low - half <= value <= high + half else shown


def _on_page(right: Value, i: int, j: int, node: Node) -> str:
    """What the arithmetic gives that is spelled out: from the numbers on the page, rounded as they are."""
    return _rounded(float(right.middle(LOCAL)[i, j]), node)


def _wrong_entries(flaw: Flaw) -> list[tuple[int, int, Node]]:
    """The wrong entries of a flaw, with their places in the matrix."""
    if is_printed(flaw.literal):
        rows: tuple[tuple[Node, ...], ...] = entries_of(flaw.literal)
    elif isinstance(flaw.literal, Matrix):
        rows = flaw.literal.rows
    else:
        rows = ((flaw.literal,),)
    return [
        (i, j, rows[i][j] if i < len(rows) and j < len(rows[i]) else flaw.literal)
        for i, j in zip(*(axis.tolist() for axis in np.nonzero(flaw.wrong)), strict=True)
    ]
