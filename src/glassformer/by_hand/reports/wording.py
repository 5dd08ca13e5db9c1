"""The sentences that all reports share: what a verdict means, how a finding is told. Lays nothing out."""

from glassformer.by_hand.checking.findings import MEANINGS, Finding, Report


def place(finding: Finding) -> str:
    """`V, row 2, column 1`: in words, so that nobody asks whether rows count from 0 or from 1."""
    where = [] if finding.row is None else [f"row {finding.row}", f"column {finding.col}"]
    return ", ".join([part for part in (finding.name, *where) if part]) or "this number"


def doubt(finding: Finding) -> str:
    """How sure it is, where the verdict does not say so; empty if no reading of the notes allows the number."""
    return "" if finding.is_mild or finding.sure == "impossible" else finding.sure


def sentence(finding: Finding) -> str:
    """One line that says it all."""
    text = f"{place(finding)}: {minus(finding.printed)} is printed, {minus(finding.right)} is right; "
    text += f"{finding.verdict}: {MEANINGS[finding.verdict]}"
    if finding.follows:
        text += f" ({lines(finding.follows)})"
    text += f", {doubt(finding)}" if doubt(finding) else ""
    return text + (f". Probable cause: {finding.cause}." if finding.cause and finding.verdict != "formula" else ".")


def lines(numbers: tuple[int, ...]) -> str:
    """`line 3`, `lines 3, 5 and 8`."""
    words = [str(number) for number in numbers]
    if len(words) == 1:
        return f"line {words[0]}"
    return f"lines {', '.join(words[:-1])} and {words[-1]}"


def minus(text: str) -> str:
    """With a real minus sign and no idle spaces."""
    return text.replace("-", "−").replace("− ", "−")


def groups(findings: list[Finding]) -> list[list[Finding]]:
    """Findings that belong to one printed matrix, together."""
    answer: list[list[Finding]] = []
    for finding in findings:
        last = answer[-1][-1] if answer else None
        if last is not None and _key(last) == _key(finding):
            answer[-1].append(finding)
        else:
            answer.append([finding])
    return answer


def _key(finding: Finding) -> tuple[str, int, str, str, str | None]:
    return finding.file, finding.line, finding.name, finding.verdict, finding.cause


def summary(report: Report) -> str:
    """What was read, in one sentence."""
    parts = [f"{report.claims} claims", f"{report.checked} checked ({report.numbers} numbers)"]
    if report.not_checkable:
        parts.append(f"{len(report.not_checkable)} not checkable")
    if report.unreadable:
        parts.append(f"{len(report.unreadable)} unreadable")
    return " · ".join(parts)
