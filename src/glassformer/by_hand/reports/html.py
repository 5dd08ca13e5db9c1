"""The report as one HTML file: the notes as they read, wrong numbers marked, the arithmetic a tap away. No network.

Draws; judges nothing. The notes may be anybody's: all of them is escaped, and the frame lets only our own script run.
"""

import re
from html import escape
from importlib.resources import files

from glassformer.by_hand.checking.findings import MEANINGS, Finding, Report
from glassformer.by_hand.notes.documents import Document, Passage
from glassformer.by_hand.reports.wording import (
    doubt,
    ending,
    lines_in_words,
    marks_sentence,
    minus,
    place,
    summary,
    unchecked,
)
from glassformer.drawing.html_page import framed
from glassformer.drawing.mathml import to_mathml

_SHOWN = 200  # entries of a list; a page is read by a person
_CLASSES = {"wrong": "", "look again": " mild again", "rounding": " mild"}  # by level


def to_html(report: Report) -> str:
    """The whole page."""
    first = report.first_wrong
    told = escape(ending(report)) if first is None else _headline(first, _file_of(first, report))
    verdict = f"{escape(summary(report))}. {told}"
    marks = "".join(
        _card(i, finding, _file_of(finding, report), first=finding is first)
        for i, finding in enumerate(report.findings)
    )
    whole = report.coverage.share == 1
    states = {"fine": "right" if whole else "partly", "wrong": "wrong"}
    title = f"Checked: {', '.join(report.files[:3]) or 'notes'}"
    body = _BODY.format(
        title=escape(title),
        verdict=verdict,
        state=states.get(report.outcome, "unsure"),
        summary=escape(marks_sentence(report)),
        notes=sheets_html(report),
        cards=marks or "<p class='none'>No findings.</p>",
        rest=_unchecked(report) + _by_file(report),
    )
    return framed(title, body, style=_asset("page.css"), script=_asset("page.js"))


def _unchecked(report: Report) -> str:
    """What was not checked, and why, under the notes."""
    entries = report.coverage.unchecked
    if not entries:
        return ""
    alone = len(report.files) == 1
    listed = "".join(
        f"<li>{'' if alone else escape(each.file) + ', '}{escape(unchecked(each))}</li>" for each in entries[:_SHOWN]
    )
    count = report.coverage.look_like_results - report.coverage.checked
    more = f"<li>and {len(entries) - _SHOWN} more lines</li>" if len(entries) > _SHOWN else ""
    return f"<details open><summary>{count} not checked</summary><ul>{listed}{more}</ul></details>"


def _by_file(report: Report) -> str:
    """A line for each file, where there are several."""
    if len(report.each) < 2:
        return ""
    briefs = [each.in_brief() for each in report.each]
    listed = "".join(
        f"<li>{escape(b['file'])}: {b['outcome']}, checked {b['checked']} of {b['look_like_results']}</li>"
        for b in briefs[:_SHOWN]
    )
    return f"<details open><summary>{len(briefs)} files</summary><ul>{listed}</ul></details>"


def sheets_html(report: Report) -> str:
    """The notes alone, with their marks: well-formed, for a page that builds its own frame."""
    numbered = list(enumerate(report.findings))
    return "".join(_Sheet(document, numbered).html() for document in report.documents)


def _asset(name: str) -> str:
    return files("glassformer.by_hand.reports").joinpath(name).read_text(encoding="utf-8")


def _file_of(finding: Finding, report: Report) -> str:
    """Where there are several files, or cells, which of them a line is counted in."""
    return finding.file if len(report.files) > 1 or finding.file not in report.files else ""


def _headline(first: Finding, file: str) -> str:
    where = f"line {first.line} of {file}" if file else f"line {first.line}"
    return (
        f"First wrong number: <b>{escape(place(first))}</b> in {escape(where)}, "
        f"<s>{escape(minus(first.printed))}</s> should be <b>{escape(minus(first.right))}</b>."
    )


def _card(i: int, finding: Finding, file: str, *, first: bool) -> str:
    mild = _CLASSES[finding.level]
    cause = f"<p class='cause'>{escape(finding.cause)}</p>" if finding.cause else ""
    arithmetic = f"<p class='sum'>{escape(minus(finding.arithmetic))}</p>" if finding.arithmetic else ""
    sure = f"<p class='sure'>{escape(doubt(finding))}</p>" if doubt(finding) else ""
    follows = f" ({lines_in_words(finding.follows)})" if finding.follows else ""
    return (
        f"<article id='card-{i}' class='card{mild}{' first' if first else ''}' data-mark='{i}' tabindex='0'>"
        f"<h3>{escape(place(finding))}<span>{escape(f'{file}, ' if file else '')}line {finding.line}</span></h3>"
        f"<p class='pair'>{_pair(finding)}</p>"
        f"{arithmetic}<p class='meaning'><i>{finding.verdict}</i>: {escape(MEANINGS[finding.verdict])}{follows}</p>"
        f"{sure}{cause}</article>"
    )


def _pair(finding: Finding) -> str:
    printed, right = escape(minus(finding.printed)), escape(minus(finding.right))
    if finding.level == "look again":
        return f"{printed} is printed, we get <b>{right}</b>"
    return f"<s>{printed}</s> → <b>{right}</b>"


class _Sheet:
    """One document, drawn passage by passage."""

    def __init__(self, document: Document, findings: list[tuple[int, Finding]]) -> None:
        self.document = document
        self.findings = {f.offset: (i, f) for i, f in findings if f.file.split(", ")[0] == document.file}

    def html(self) -> str:
        text, position, parts = self.document.text, 0, []
        for passage in sorted(self.document.passages, key=lambda p: p.span.start):
            start, end = passage.span.start, passage.span.end
            if start < position:
                continue
            parts.append(self._between(text[position:start], position))
            parts.append(self._passage(passage))
            position = end
        parts.append(self._between(text[position:], position))
        return f"<section class='sheet'><h2>{escape(self.document.file)}</h2>{''.join(parts)}</section>"

    def _between(self, text: str, start: int) -> str:
        kept = re.sub(r"\$\$|```\w*|\\\[|\\\]|\\(?:begin|end)\{[a-z*]+\}", "", text)
        return f"<p>{self._plain(kept, start)}</p>" if kept.strip() else ""

    def _passage(self, passage: Passage) -> str:
        text, start = self.document.slice(passage.span), passage.span.start
        number = f"<span class='line'>{self.document.place(start).line}</span>"
        if passage.kind == "heading":
            words = re.sub(r"^[#\s]+|[*_]+", "", text)
            level = min(6, passage.level + 2)
            return f"<h{level}>{escape(words)}</h{level}>"
        if passage.kind == "math":
            drawn = to_mathml(text.strip(), start + _lead(text), self._mark, block=True)
            return f"<div class='math'>{number}{drawn}</div>"
        if passage.kind == "given" or passage.drawing is not None:
            return f"<pre class='drawn'>{number}{self._plain(text, start)}</pre>"
        if passage.kind == "code":
            return f"<pre>{number}{self._plain(text, start)}</pre>"
        return f"<p>{number}{self._inline(text, start)}</p>"

    def _inline(self, text: str, start: int) -> str:
        parts, position = [], 0
        for match in re.finditer(r"\$([^$]+)\$", text):
            parts.append(self._plain(text[position : match.start()], start + position))
            parts.append(to_mathml(match[1], start + match.start(1), self._mark, block=False))
            position = match.end()
        return "".join(parts) + self._plain(text[position:], start + position)

    def _plain(self, text: str, start: int) -> str:
        parts, position = [], 0
        for offset in sorted(self.findings):
            place = offset - start
            if position <= place < len(text):
                i, finding = self.findings[offset]
                parts.append(escape(text[position:place]))
                parts.append(
                    f"<span class='{_kind(finding)}' data-mark='{i}' tabindex='0'>{escape(finding.printed)}</span>"
                )
                parts.append(f"<ins>{_beside(finding)}</ins>")
                position = place + finding.length
        return "".join(parts) + escape(text[position:])

    def _mark(self, offset: int, number: str) -> str | None:
        found = self.findings.get(offset)
        if found is None:
            return None
        i, finding = found
        shown = escape(minus(number).strip())
        return (
            f"<mrow class='{_kind(finding)}' data-mark='{i}' tabindex='0'><mn>{shown}</mn></mrow>"
            f"<mn class='ins'>{_beside(finding)}</mn>"
        )


def _beside(finding: Finding) -> str:
    """What is written beside a marked number: the right one, or ours with a question mark."""
    return escape(minus(finding.right)) + ("?" if finding.level == "look again" else "")


def _lead(text: str) -> int:
    return len(text) - len(text.lstrip())


def _kind(finding: Finding) -> str:
    return f"mark{_CLASSES[finding.level]}"


_BODY = """<header><h1>{title}</h1><p class="verdict {state}">{verdict}</p><small>{summary}</small></header>
<main><div>{notes}{rest}</div><aside aria-label="Findings">{cards}</aside></main>"""
