"""The notes as Markdown, with a remark in the margin under every line that has something wrong. Judges nothing."""

from glassformer.by_hand.checking.findings import Finding, Report
from glassformer.by_hand.notes.documents import Document
from glassformer.by_hand.reports.wording import ending, minus, sentence, summary, unchecked
from glassformer.errors import visible

_SHOWN_UNCHECKED = 20
_SIGNS = {"wrong": "✗", "look again": "≠", "rounding": "~"}  # by level


def to_markdown(report: Report) -> str:
    """All files, one after the other."""
    return visible("\n".join(_file(report, document) for document in report.documents))


def _file(report: Report, document: Document) -> str:
    findings = [each for each in report.findings if each.file.split(", ")[0] == document.file]
    marks: dict[int, list[Finding]] = {}
    for finding in findings:
        marks.setdefault(_end_of(document, finding.offset), []).append(finding)
    first = report.first_wrong
    own = next((each for each in report.each if each.files == [document.file]), report)
    outcome = ending(own)
    head = [f"> **{summary(own)}.**{f' {outcome}' if outcome else ''}"]
    head += [f"> - not checked, {unchecked(each)}" for each in own.coverage.unchecked[:_SHOWN_UNCHECKED]]
    rest = sum(each.count for each in own.coverage.unchecked[_SHOWN_UNCHECKED:])
    head += [f"> - and {rest} more not checked"] if rest else []
    text, start = "", 0
    for end in sorted(marks):
        text += document.text[start:end].rstrip("\n") + "\n\n"
        text += "\n".join(_remark(finding, finding is first) for finding in marks[end]) + "\n\n"
        start = min(end + 1, len(document.text))
    return "\n".join(head) + "\n\n" + text + document.text[start:]


def _remark(finding: Finding, first: bool) -> str:
    sign = _SIGNS[finding.level]
    bold = "**First wrong number.** " if first else ""
    arithmetic = f" `{minus(finding.arithmetic)}`" if finding.arithmetic else ""
    return f"> {sign} {bold}{sentence(finding)}{arithmetic}"


def _end_of(document: Document, offset: int) -> int:
    """Where the passage around an offset ends: a remark must not stand inside a formula or a code block."""
    end = offset
    for passage in document.passages:
        if passage.span.start <= offset < passage.span.end:
            end = passage.span.end
            if passage.kind == "code":
                close = document.text.find("```", end)
                end = close if close >= 0 else end
    newline = document.text.find("\n", end)
    return len(document.text) if newline < 0 else newline
